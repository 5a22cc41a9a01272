"""No case and no suite of an eval file is lost without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.eval.cli.conftest import Brute

HEAD = 'import dataclasses\nfrom brute.eval import Case, Suite\nAGENT = "agent.py"\n'
A = 'Case("a", said="x")'
B = 'Case("b", said="x")'
SUITE = f'Suite(agent="agent.py", cases=[{A}])'
AGAIN = "give each a name of its own, or keep the cases in a list, CASES"

LOST = {
    "a decorator in a loop": (
        'for word in ("hi", "ho"):\n    @Case("says " + word, said=word)\n    def c(t): ...\n',
        f':5: case "says hi" would not run: its function c is defined again; {AGAIN}',
    ),
    "a decorator in a loop, under one name": (
        'for word in ("hi", "ho"):\n    @Case("says", said=word)\n    def c(t): ...\n',
        f':5: case "says" would not run: its function c is defined again; {AGAIN}',
    ),
    "a decorator in a loop, beside a suite": (
        f'SUITE = {SUITE}\nfor word in ("hi", "ho"):\n    @Case("says " + word, said=word)\n    def _c(t): ...\ndel _c\n',
        f':6: case "says hi" would not run: its function _c is defined again; {AGAIN}',
    ),
    "a name in a loop": (
        'for word in ("hi", "ho"):\n    c = Case("says " + word, said=word)\n',
        ':5: case "says hi" would not run: nothing of this file holds it any more; give each a name of its own, or put it into CASES',
    ),
    "a second list": (
        f"CASES = [{A}]\nMORE = [{B}]\n",
        ': case "b" in MORE[0] would not run; put it into CASES, or call MORE _MORE if it only holds what others are made from',
    ),
    "a dict of tuples": (
        f'CASES = [{A}]\nMORE = {{"x": ({B},)}}\n',
        ': case "b" in MORE["x"][0] would not run; put it into CASES, or call MORE _MORE if it only holds what others are made from',
    ),
    "a class": (
        f"CASES = [{A}]\nclass More:\n    b = {B}\n",
        ': case "b" in More.b would not run; put it into CASES, or call More _More if it only holds what others are made from',
    ),
    "a list beside a suite": (
        f"SUITE = {SUITE}\nMORE = [{B}]\n",
        ': case "b" in MORE[0] would not run; put it into a suite of this file, or call MORE _MORE if it only holds what others are made from',
    ),
    "only another list": (
        f"MORE = [{B}]\n",
        ': case "b" in MORE[0] would not run; put it into CASES, or call MORE _MORE if it only holds what others are made from',
    ),
    "a list of suites": (
        f"SUITE = {SUITE}\nSUITES = [{SUITE}]\n",
        ": the Suite in SUITES[0] would not run; give it a name of its own in the file",
    ),
    "a dict of suites": (
        f'SUITE = {SUITE}\nSUITES = {{"one": {SUITE}}}\n',
        ': the Suite in SUITES["one"] would not run; give it a name of its own in the file',
    ),
    "a suite in a class": (
        f"SUITE = {SUITE}\nclass Suites:\n    one = {SUITE}\n",
        ": the Suite in Suites.one would not run; give it a name of its own in the file",
    ),
    "a suite beside cases": (
        f"CASES = [{A}]\nSUITES = [{SUITE}]\n",
        ": the Suite in SUITES[0] would not run; give it a name of its own in the file",
    ),
    "a suite in a loop": (
        f"for _ in range(2):\n    S = {SUITE}\n",
        ":5: a Suite would not run: nothing of this file holds it any more; give each a name of its own, or put it into one Suite",
    ),
}


@pytest.mark.parametrize("name", LOST)
def test_what_would_not_run_is_refused(brute: Brute, folder: Path, name: str) -> None:
    """A case or a suite that no run would hold is named, with its place and what to do."""
    text, sentence = LOST[name]
    (folder / "lost_eval.py").write_text(HEAD + text, encoding="utf-8")
    ended = brute("eval", "lost_eval.py")
    assert (ended.status, ended.out, ended.err) == (2, "", f"Error: lost_eval.py{sentence}\n")


KEPT = {
    "lists put together": (f"SOME = [{A}]\nMORE = [{B}]\nCASES = SOME + MORE\n", 2),
    "others made from them": (f"_BASE = [{A}]\nCASES = [dataclasses.replace(one, name='b') for one in _BASE]\n", 1),
    "the same with more runs": (f"BASE = [{A}]\nCASES = [dataclasses.replace(one, runs=2) for one in BASE]\n", 1),
    "a suite under two names": (f"SUITE = {SUITE}\nSUITES = [SUITE]\n", 1),
    "a suite configured anew": (f'S = {SUITE}.configured(name="s")\n', 1),
    "decorated in a function": (
        "def made(word):\n    @Case(word, said=word)\n    def c(t): ...\n    return c\nCASES = [made('a'), made('b')]\n",
        2,
    ),
    "a case that was refused": (f"CASES = [{A}]\ntry:\n    Case('b', said='x', runs=0)\nexcept ValueError: pass\n", 1),
    "another file's": ("from others import a\n", 1),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_runs_in_another_place_is_not_lost(brute: Brute, folder: Path, name: str) -> None:
    """Cases may be kept, made and passed about as one likes, as long as they run."""
    text, count = KEPT[name]
    others = HEAD + '@Case("a", said="x")\ndef a(t): ...\n@Case("b", said="x")\ndef b(t): ...\n'
    (folder / "others.py").write_text(others, encoding="utf-8")
    (folder / "kept_eval.py").write_text(HEAD + text, encoding="utf-8")
    ended = brute("eval", "kept_eval.py")
    assert (ended.status, ended.err) == (0, "")
    assert ended.last.startswith(f"{count} passed in ")
