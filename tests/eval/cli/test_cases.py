"""`brute cases`, and files of cases under `brute eval`."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from pathlib import Path

import pytest

from brute.eval import Case
from brute.eval.casefiles.schema import schema
from brute.eval.grading import grade
from brute.eval.logreading import Reading
from brute.loading import load_file
from tests.eval.cli.conftest import Brute, spawned
from tests.eval.logged import attempt, attempts, run_of

PLACE = Path(".brute/runs.db")
GREEN = "agent: agent.py\ncases:\n  - {name: says the rate, said: 'rates?', mentions: ['4.25'], never: [search]}\n"
RED = "- {name: stays silent, said: 'rates?', silent: true}\n"


def test_a_file_of_cases_is_run(brute: Brute) -> None:
    """With the agent that it names, from its own folder, or that of the command line."""
    Path("deep").mkdir()
    Path("deep/mine.yaml").write_text(GREEN.replace("agent.py", "../agent.py"))
    Path("red.json").write_text('[{"name": "stays silent", "said": "rates?", "silent": true}]')
    Path("green.jsonl").write_text('{"name": "answers", "said": "rates?"}\n')
    assert brute("eval", "deep/mine.yaml").status == 0
    ended = brute("eval", "red.json", "green.jsonl", "--agent", "agent.py")
    assert (ended.status, ended.last.split(" in ")[0]) == (1, "1 failed, 1 passed")
    assert "failed     red.json: stays silent" in ended.out
    assert brute("eval", "deep/mine.yaml", "-k", "nothing").status == 5


def test_isolated_attempts_find_their_cases(folder: Path) -> None:
    """A process of its own reads the file again."""
    (folder / "cases.yaml").write_text(GREEN)
    ended = spawned("eval", "cases.yaml", "--isolate")
    assert (ended.status, ended.err) == (0, "")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (RED, "x.yaml has cases and no agent; add agent: agent.py to it, or pass --agent"),
        (GREEN.replace("agent.py", "agnt.py"), 'x.yaml: no such agent file: agnt.py (did you mean "agent.py"?); agent is a path from the folder of the file'),
        (GREEN.replace("mentions", "mention"), 'x.yaml:3:43: a case has no "mention" (did you mean "mentions"?); it takes name, said, conversation, files, stubs, runs, calls, never, order, mentions, silent, absent, absence, judge, budget'),
    ],
)  # fmt: skip
def test_a_file_that_cant_be_meant(brute: Brute, text: str, sentence: str) -> None:
    """Refused before anything runs."""
    Path("x.yaml").write_text(text)
    ended = brute("eval", "eval_green.py", "x.yaml")
    assert (ended.status, ended.out, ended.err) == (2, "", f"Error: {sentence}\n")


def test_what_counts_in_a_folder(brute: Brute) -> None:
    """Files called cases or something_cases; a project has many others that end so."""
    Path("deep").mkdir()
    for name in ("cases.yaml", "cases.yml", "my_cases.json", "cases.jsonl", "config.yaml", "package.json", "cases.toml", "mycases.yaml"):  # fmt: skip
        case = {"name": name, "said": "rates?"}
        Path("deep", name).write_text(json.dumps(case if name.endswith(".jsonl") else [case]))
    ended = brute("eval", "deep", "--agent", "agent.py")
    assert ended.status == 0
    assert re.findall(r"^passed +(\S+): (\S+)$", ended.out, re.M) == [
        (os.path.join("deep", name), name) for name in ("cases.jsonl", "cases.yaml", "cases.yml", "my_cases.json")
    ]


def test_what_an_eval_file_loads_is_not_run_again(brute: Brute) -> None:
    """A folder whose eval file loads its cases.yaml has each of them once; named by itself, a file is run."""
    Path("deep").mkdir()
    Path("deep/cases.yaml").write_text(RED)
    Path("deep/eval_x.py").write_text(
        "from brute.eval import Case\nAGENT = '../agent.py'\nCASES = Case.load('cases.yaml')\n"
    )
    assert brute("eval", "deep").last.startswith("1 failed in")
    assert brute("eval", "deep", "deep/cases.yaml", "--agent", "agent.py").last.startswith("2 failed in")


def test_a_run_of_files_is_graded_and_resumed(brute: Brute) -> None:
    """By its own command line, with today's cases; cases are known by what they say."""
    Path("cases.yaml").write_text(GREEN)
    assert brute("eval", "cases.yaml").status == 0
    Path("cases.yaml").write_text(GREEN.replace("4.25", "5.25"))
    assert brute("grade", "last").status == 1
    with Reading(PLACE) as reading:
        run = reading.run("last")
        [written] = reading.written(run)
        assert written.key is not None
    Path("cases.json").write_text('{"agent": "agent.py", "cases": [{"name": "says the rate", "said": "rates?", "never": ["search"], "mentions": ["4.25"]}]}')  # fmt: skip
    assert brute("eval", "cases.json").status == 0
    with Reading(PLACE) as reading:
        assert reading.written(reading.run("last"))[0].key == written.key


def test_an_attempt_becomes_a_case(brute: Brute) -> None:
    """On standard output, in YAML; in a file, in what its name ends in. It loads, and passes where it comes from."""
    run_of(attempts(3), PLACE, suite="eval_x.py")
    told = brute("cases", "from", "last", "case 1")
    assert (told.status, told.err) == (0, "")
    head, _, body = told.out.partition("cases:\n")
    assert re.sub(r"run \S+", "run X", head).splitlines() == [
        "# Made from run X by brute cases, to be reviewed: what was seen is not yet what is right.",
        "# The log holds no files and no checks of a case, so that there are none here.",
        '# "case 1": attempt 1, passed',
    ]
    assert body == (
        "  - name: case 1\n    said: say 1\n    stubs:\n      search: null\n    calls:\n      search:\n        q: 1\n"
    )
    seen = attempt(1).transcript
    for name in ("a.yaml", "a.yml", "a.json", "a.jsonl", "eval_a.py"):
        assert brute("cases", "from", "last", "case 1", "-o", name).status == 0
        [made] = load_file(name).CASES if name.endswith(".py") else Case.load(name)
        assert made == Case("case 1", said="say 1", stubs={"search": None}, calls={"search": {"q": 1}})
        assert grade(made, seen).passed
    assert brute("cases", "from", "last", "case 1", "--as", "python").out == Path("eval_a.py").read_text()
    assert "attempt 1, passed" in brute("cases", "from", "last", "case 1", "--as", "jsonl").err


def test_a_whole_run(brute: Brute) -> None:
    """One case of each; of several attempts the first that passed, or the one that was asked for."""
    one = dataclasses.replace(attempt(2).case, runs=3)
    made = [dataclasses.replace(attempt(number), case=one, number=at) for at, number in ((1, 2), (2, 4), (3, 5))]
    run_of(made, PLACE)
    assert "q: 4" in brute("cases", "from", "last").out
    assert "q: 5" in brute("cases", "from", "last", "case", "3").out
    told = brute("cases", "from", "last", "case", "1").out
    assert '# "case 2": the attempt did not pass: mentions in 2; the expectations say' in told


def test_two_suites_may_call_a_case_the_same(brute: Brute) -> None:
    """Then the case has the suite in its name."""
    Path("b_cases.yaml").write_text(GREEN)
    Path("a_cases.yaml").write_text(GREEN)
    assert brute("eval", "a_cases.yaml", "b_cases.yaml").status == 0
    assert brute("cases", "from", "last", "-o", "c.yaml").status == 0
    assert [case.name for case in Case.load("c.yaml")] == ["a_cases.yaml: says the rate", "b_cases.yaml: says the rate"]


def test_what_cant_be_made(brute: Brute) -> None:
    """A run that is not there, a case that is not in it, an attempt that did not end, a file that is there."""
    broken = dataclasses.replace(attempt(0).transcript, stopped="budget.tokens")
    run_of([dataclasses.replace(attempt(0), transcript=broken), attempt(1)], PLACE)
    ended = brute("cases", "from", "last", "case 0")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == 'Error: "case 0": no case can be made of a turn that was stopped for its budget\n'
    ended = brute("cases", "from", "last")
    assert (ended.status, "case 1" in ended.out) == (0, True)
    assert ended.err == 'Warning: "case 0": no case can be made of a turn that was stopped for its budget\n'
    assert brute("cases", "from", "last", "x").err.startswith('Error: no case has "x" in its name')
    assert brute("cases", "from", "nope").status == 2
    Path("there.yaml").write_text("mine")
    ended = brute("cases", "from", "last", "-o", "there.yaml")
    assert (ended.status, ended.err) == (2, "Error: there.yaml is there already, and is not written over\n")
    assert Path("there.yaml").read_text() == "mine"
    ended = brute("cases", "from", "last", "-o", "x.toml")
    assert ended.err == (
        "Error: x.toml can't be told to be YAML, JSON or Python: it must end in .yaml, .yml, .json, .jsonl or .py\n"
    )
    assert brute("cases", "from", "last", "-o", "no/x.yaml").status == 3


def test_what_a_model_said_fools_nobody(brute: Brute) -> None:
    """Neither in the cases nor in the comments over them."""
    name = "case\n- {name: evil}\x1b[31m\u202e"
    seen = attempt(1).transcript
    seen.calls[0].result = "\x1b[31m\u202e\n# x"
    run_of([dataclasses.replace(attempt(1), case=Case(name, said="say 1"), transcript=seen)], PLACE)
    for form in ("yaml", "python", "json"):
        told = brute("cases", "from", "last", "--as", form)
        assert all(each.isprintable() or each == "\n" for each in told.out + told.err)
    brute("cases", "from", "last", "-o", "c.yaml")
    [made] = Case.load("c.yaml")
    assert (made.name, made.stubs) == (name, {"search": "\x1b[31m\u202e\n# x"})


def test_the_schema(brute: Brute) -> None:
    """As it stands in docs."""
    assert json.loads(brute("cases", "schema").out) == schema()
