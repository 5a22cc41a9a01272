"""When an attempt is still the same, and what makes it another."""

from __future__ import annotations

import dataclasses
import functools
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from brute import Message
from brute.completion.model import Model
from brute.eval import (
    Budget,
    Case,
    Job,
    Suite,
    World,
    any_of,
    any_order,
    call,
    in_turn,
    near,
    only,
    optional,
    parallel,
    same_text,
    with_defaults,
)
from brute.eval.building import Builder
from brute.eval.keying import Keys, case_key
from brute.loading import load_file

AGENT = """
import os
import brute
from tools import search
from brute.testing import Script

PROMPT = "prompt.md"
MODEL = os.environ.get("BRUTE_TEST_MODEL", "m1")
KEY = os.environ.get("BRUTE_TEST_API_KEY")


def agent():
    return brute.agent().run(Script(["hello"]))
"""

EVAL = """
import re
from brute.eval import Case, World

LIMIT = 80
NEWS = {"search": "held"}


def brief(transcript):
    return len(transcript.reply) < LIMIT and polite(transcript)


def polite(transcript):
    return "please" not in transcript.reply


def above(limit):
    return lambda amount: amount > limit


class Room(World):
    size = 2

    def prepare(self, case):
        return case.said


CASE = Case(
    "greets",
    said="hello",
    stubs={"search": NEWS},
    calls={"search": {"query": re.compile("a|b", re.I), "limit": above(3), "tags": {"x", "y", "z"}}},
    check=brief,
)
"""

CHANGES = {
    "what a check compares with": ("LIMIT = 80", "LIMIT = 81"),
    "a function that the check calls": ('"please" not in', '"Please" not in'),
    "the check itself": ("< LIMIT", "<= LIMIT"),
    "a stub": ('"search": "held"', '"search": "raised"'),
    "what a predicate closes over": ("above(3)", "above(4)"),
    "the code of a predicate": ("amount > limit", "amount >= limit"),
    "a pattern": ("a|b", "a|c"),
    "the flags of a pattern": ("re.I", "re.M"),
    "what is said": ('said="hello"', 'said="hi"'),
    "the name": ('"greets"', '"greets you"'),
    "a set": ('"z"}', '"w"}'),
}

SAME = {
    "a comment": ("LIMIT = 80", "LIMIT = 80  # characters"),
    "blank lines": ("LIMIT = 80", "\n\n\nLIMIT = 80"),
    "another function": ("LIMIT = 80", "LIMIT = 80\n\n\ndef other():\n    return 1\n"),
    "a name that is not used": ("LIMIT = 80", "LIMIT = 80\nOTHER = 2"),
}


def case_of(folder: Path, text: str) -> Case:
    """The case of an eval file with this text."""
    path = folder / "eval_it.py"
    path.write_text(text)
    case: Case = load_file(path).CASE
    return case


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_case_has_another_key(change: str, tmp_path: Path) -> None:
    """Inputs, expectations, and what its functions do, use and close over: a change of each is a change of the case."""
    old, new = CHANGES[change]
    assert old in EVAL
    assert case_key(case_of(tmp_path, EVAL)) != case_key(case_of(tmp_path, EVAL.replace(old, new)))


@pytest.mark.parametrize("change", SAME)
def test_what_the_case_does_not_use_changes_nothing(change: str, tmp_path: Path) -> None:
    """Where a function stands, and what else is in the file, is nothing of the case."""
    old, new = SAME[change]
    assert case_key(case_of(tmp_path, EVAL)) == case_key(case_of(tmp_path, EVAL.replace(old, new)))


FIELDS: dict[str, Any] = {
    "stubs": {"search": in_turn("a", TimeoutError("b"))},
    "files": {"a.txt": b"x"},
    "conversation": [Message(role="user", content="before")],
    "calls": {"search": [{"limit": range(3)}, None]},
    "never": ["fetch"],
    "order": ["a", "b"],
    "mentions": ["4.25", ("a", re.compile("b"))],
    "silent": True,
    "absent": True,
    "absence": re.compile("nothing"),
    "judge": ["is polite", "is short"],
    "budget": Budget(tokens=3),
    "check": len,
}


def test_every_field_of_a_case_counts_but_its_runs() -> None:
    """No expectation can be added, changed or taken away unseen; the number of runs is no part of an attempt."""
    names = {field.name for field in dataclasses.fields(Case)} - {"name", "said", "runs"}
    assert names == set(FIELDS)
    plain = Case("a", said="b")
    keys = [
        case_key(plain),
        *(case_key(dataclasses.replace(plain, **{name: FIELDS[name]})) for name in names - {"absent", "absence"}),
    ]
    keys += [case_key(Case("a", said="b", absent=True)), case_key(Case("a", said="b", absent=True, absence="no"))]
    assert len(set(keys)) == len(keys)
    assert case_key(dataclasses.replace(plain, runs=7)) == case_key(plain)


def test_values_that_are_alike_are_told_apart() -> None:
    """1, 1.0, True and "1" are four values; a list is no tuple, and an order is an order."""
    values: list[Any] = [
        1,
        1.0,
        True,
        "1",
        b"1",
        None,
        [1],
        (1,),
        {1},
        {"a": 1},
        [[1], 2],
        [1, [2]],
        {"a": {"b": 1}},
        int,
        len,
        re.compile("1"),
    ]
    keys = [case_key(Case("a", said="b", calls={"t": {"x": value}})) for value in values]
    assert len(set(keys)) == len(values)
    assert case_key(Case("a", said="b", stubs={"s": 1, "t": 2})) == case_key(
        Case("a", said="b", stubs={"t": 2, "s": 1})
    )


def test_wishes_are_told_apart_by_what_they_hold() -> None:
    """By their kind, their values and the functions in them; two that say the same are the same."""

    def wishes() -> list[Any]:
        return [
            1, any_of(1), any_of(1, 2), any_of("1"), optional(1), optional(), near(1, 2), near(1, percent=2), same_text("1"),
            any_order([1]), {"a": 1}, only({"a": 1}), only({"a": any_of(1)}), any_of(lambda n: n > 1), any_of(lambda n: n > 2),
        ]  # fmt: skip

    calls = [
        {"t": {"a": 1}}, {"t": only({"a": 1})}, {"t": with_defaults({"a": 1})}, {"t": call({"a": 1})}, {"t": call({"a": 1}, times=1)},
        {"t": call({"a": 1}, outcome="ran")}, only({"t": {"a": 1}}), only({"t": {"a": 1}}, among=["t"]),
    ]  # fmt: skip
    orders = [["a", "b"], [parallel("a", "b")], [any_order(["a", "b"])], ["a", optional("b")]]
    cases = [
        *(Case("a", said="b", calls={"t": {"x": value}}) for value in wishes()),
        *(Case("a", said="b", calls=each) for each in calls),
        *(Case("a", said="b", order=each) for each in orders),
    ]
    assert len({case_key(each) for each in cases}) == len(cases)
    assert [case_key(Case("a", said="b", calls={"t": {"x": value}})) for value in wishes()] == [
        case_key(each) for each in cases[: len(wishes())]
    ]


def test_stubs_that_are_swapped_are_told_apart() -> None:
    """Two functions that trade places are another case."""

    def one(**_: Any) -> str:
        return "a"

    def other(**_: Any) -> str:
        return "b"

    assert case_key(Case("a", said="b", stubs={"s": one, "t": other})) != case_key(
        Case("a", said="b", stubs={"s": other, "t": one})
    )


def test_functions_of_every_kind_have_keys() -> None:
    """Methods, partials, cached functions, objects that are called, classes and functions that call each other."""

    class Longer:
        def __init__(self, than: int) -> None:
            self.than = than

        def __call__(self, text: str) -> bool:
            return len(text) > self.than

        def check(self, transcript: Any) -> bool:
            return bool(self(transcript.reply))

    def even(n: int) -> bool:
        return n == 0 or odd(n - 1)

    def odd(n: int) -> bool:
        return n != 0 and even(n - 1)

    things: list[Any] = [
        Longer(1),
        Longer(2),
        Longer(1).check,
        functools.partial(max, 3),
        functools.partial(max, 4),
        even,
        odd,
        str.startswith,
    ]
    things += [functools.lru_cache(even), "abc".startswith, "abd".startswith, os.path.exists]
    keys = [case_key(Case("a", said="b", calls={"t": {"x": thing}})) for thing in things]
    assert len(set(keys)) == len(keys) - 1  # a cached function is the function


def test_a_case_has_the_same_key_in_every_process(tmp_path: Path) -> None:
    """Hash seeds, addresses, folders and the number of files loaded before make no difference."""
    program = (
        "import sys; from brute.loading import load_file; from brute.eval.keying import case_key\n"
        "for _ in range(int(sys.argv[1])): case = load_file('eval_it.py').CASE\n"
        "print(case_key(case).hex())"
    )
    keys = set()
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        case_of(folder, EVAL)
        environ = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        keys.add(
            subprocess.run(
                [sys.executable, "-c", program, seed],
                cwd=folder,
                env=environ,
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        )
    assert len(keys) == 1


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an agent, a module and a prompt beside it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "tools.py").write_text("from words import WORDS\n\n\ndef search(query):\n    return WORDS\n")
    (tmp_path / "words.py").write_text("WORDS = 1\n")
    (tmp_path / "prompt.md").write_text("Be brief.")
    (tmp_path / "other.py").write_text("OTHER = 1\n")
    return tmp_path


def agent_key(agent: Any = "agent.py", **more: Any) -> bytes | None:
    """The key of the first attempt of a suite of one case."""
    suite = Suite(agent, [Case("a", said="b")], **more)
    keys = Keys(suite.plan(), suite.builder, suite.world)
    key = keys.attempt(0)
    assert keys.unkeyed == []
    return key


@pytest.mark.parametrize("file", ["agent.py", "tools.py", "words.py", "prompt.md"])
def test_a_change_of_what_the_agent_is_made_of_is_seen(file: str, folder: Path) -> None:
    """The agent file, the modules beside it that it imports, and the files that it names."""
    before = agent_key()
    with (folder / file).open("a") as opened:
        opened.write("\n# changed\n")
    assert agent_key() != before


def test_what_the_agent_does_not_use_is_no_change(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another module in the folder, and a new credential, make no other agent; where the folder is makes none either."""
    before = agent_key()
    (folder / "other.py").write_text("OTHER = 2\n")
    monkeypatch.setenv("BRUTE_TEST_API_KEY", "0123abcdef")
    assert agent_key() == before


def test_a_setting_that_the_agent_names_is_part_of_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model may come from the environment."""
    monkeypatch.setenv("BRUTE_TEST_MODEL", "m1")
    before = agent_key()
    monkeypatch.setenv("BRUTE_TEST_MODEL", "m2")
    assert agent_key() != before


def test_the_number_the_world_and_the_name_of_the_agent_count(folder: Path) -> None:
    """Each attempt of a case has a key of its own, under each world and agent."""
    (folder / "two.py").write_text("def one():\n    pass\n\n\ndef two():\n    pass\n")

    class Room(World):
        pass

    suite = Suite("agent.py", [Case("a", said="b", runs=2)])
    keys = Keys(suite.plan(), suite.builder, suite.world)
    assert keys.attempt(0) != keys.attempt(1)
    assert len({agent_key(), agent_key(world=Room), agent_key("two.py:one"), agent_key("two.py:two")}) == 4
    assert Keys(suite.plan(), suite.builder, suite.world, ("refuse",)).attempt(0) != keys.attempt(0)


def test_a_factory_is_what_its_file_says(tmp_path: Path) -> None:
    """A function that builds the agent is known by its file and what it closes over."""
    path = tmp_path / "factories.py"
    path.write_text("def make(model):\n    def build():\n        return model\n    return build\n")
    make = load_file(path).make
    first = agent_key(make("m1"))
    assert first == agent_key(make("m1"))
    assert first != agent_key(make("m2"))
    path.write_text(path.read_text() + "# changed\n")
    assert first != agent_key(load_file(path).make("m1"))


def test_what_can_not_be_keyed_is_named() -> None:
    """A check that uses a lock has no key, and neither have its attempts; the others have theirs."""
    lock = threading.Lock()

    def check(transcript: Any) -> bool:
        return lock.locked()

    cases = [Case("plain", said="a"), Case("odd", said="a", check=check)]
    suite = Suite(lambda: None, cases)
    keys = Keys(suite.plan(), suite.builder, suite.world)
    assert keys.attempt(0) is not None
    assert keys.attempt(1) is None
    assert keys.unkeyed == ["case \"odd\" can't be compared with an earlier run's: check uses lock, a _thread.lock"]


def test_a_module_of_an_agent_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`package.module:factory` is known by the module's file, and the modules of its package that it imports."""
    package = tmp_path / "keyed_package"
    package.mkdir()
    for name, text in (
        ("__init__.py", ""),
        ("made.py", "from .deep import X\n\n\ndef agent():\n    return X\n"),
        ("deep.py", "X = 1\n"),
    ):
        (package / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = agent_key("keyed_package.made:agent")
    assert before == agent_key("keyed_package.made:agent")
    (package / "deep.py").write_text("X = 22\n")
    assert before != agent_key("keyed_package.made:agent")


def test_a_judge_is_a_part_of_the_key_of_what_is_judged_alone() -> None:
    """A model by its name, its address and its settings; a function by what it says; and the number of its votes."""
    made = {"api_key": "k", "base_url": "http://127.0.0.1:9/v1"}
    judges: list[tuple[Any, int]] = [
        (None, 1),
        ("openai:gpt-5", 1),
        ("openai:gpt-5", 3),
        ("openai:gpt-6", 1),
        (Model("openai:gpt-5", **made), 1),
        (Model("openai:gpt-5", settings={"temperature": 0}, **made), 1),
        (len, 1),
    ]
    plan = [Job(Case("a", said="b", judge="is kind")), Job(Case("a", said="b"))]
    keys = [Keys(plan, Builder(dict), None, (), judge=judge) for judge in judges]
    assert len({each.attempt(0) for each in keys}) == len(judges)
    assert len({each.attempt(1) for each in keys}) == 1
    same = Keys(plan, Builder(dict), None, (), judge=(Model("openai:gpt-5", api_key="k"), 1))
    assert same.attempt(0) == keys[1].attempt(0)
