"""What a case may say, and how what could not be meant is refused: the case, the argument, the value, what is allowed."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import re
import typing
from typing import Any

import pytest

from brute import Message, UsageError
from brute.eval import Budget, Case, in_turn
from tests.support.naming import steady


async def later(value: Any) -> bool:
    """An async predicate."""
    return True


def yields() -> Any:
    """A generator function."""
    yield 1


async def yields_later() -> Any:
    """An async one."""
    yield 1


def check(transcript: Any) -> None:
    """A check."""


REFUSED = [
    ({"sadi": "x"}, 'case "a" has no argument "sadi" (did you mean "said"?); it takes name, said, stubs, files, '),
    ({"expect": 1}, 'case "a" has no argument "expect"; it takes name, said, '),
    ({"said": 3}, 'case "a": said must be a text, got 3'),
    ({"runs": 0}, 'case "a": runs must be a whole number >= 1, got 0'),
    ({"runs": 10**9}, 'case "a": runs must be at most 100,000, got 1000000000'),
    ({"stubs": {"f": [in_turn(1)]}}, "case \"a\": stubs can't serve what f has: in_turn stands inside [in_turn(1)], and must be the stub itself: in_turn(a, b, ...)"),
    ({"stubs": {"f": {"x": (in_turn(1),)}}}, "case \"a\": stubs can't serve what f has: in_turn stands inside {'x': (in_turn(1),)}, and must be"),
    ({"stubs": {"f": in_turn([in_turn(1)])}}, "case \"a\": stubs can't serve what f has: in_turn stands inside [in_turn(1)], and must be"),
    ({"stubs": {"f": yields}}, "case \"a\": stubs can't serve what f has: <function yields> is a generator function, of which a model would read nothing; return a text or a list"),
    ({"stubs": {"f": in_turn(iter("ab"))}}, "case \"a\": stubs can't serve what f has: <str_ascii_iterator object> is an iterator, which is at its end once it was read; give a list, or in_turn(*answers) for one answer after the other"),
    ({"stubs": {"f": in_turn({"a": [iter("ab")]})}}, "case \"a\": stubs can't serve what f has: <str_ascii_iterator object> is an iterator"),
    ({"stubs": {"f": in_turn(1, yields_later)}}, "case \"a\": stubs can't serve what f has: <function yields_later> is a generator function"),
    ({"calls": {"f": {"x": list[str]}}}, 'case "a": calls takes plain types, since no value is a list[str]; f has for x list[str]; write list'),
    ({"calls": {"f": {"x": [{"y": dict[str, int]}]}}}, 'case "a": calls takes plain types, since no value is a dict[str, int]; f has for x dict[str, int]; write dict'),
    ({"calls": {"f": {"x": int | list[str]}}}, 'case "a": calls takes plain types, since no value is a list[str]; f has for x list[str]; write list'),
    ({"calls": {"f": {"x": typing.Optional[int]}}}, 'case "a": calls takes plain types, since no value is a typing.Optional[int]; f has for x typing.Optional[int]; write int | None'),  # noqa: UP045
    ({"calls": {"f": {"x": typing.Literal["a"]}}}, "case \"a\": calls takes plain types, since no value is a typing.Literal['a']; f has for x typing.Literal['a']"),
    ({"runs": True}, 'case "a": runs must be a whole number >= 1, got True'),
    ({"runs": 1.5}, 'case "a": runs must be a whole number >= 1, got 1.5'),
    ({"stubs": ["search"]}, "case \"a\": stubs must be a dict of tool name -> what is served, got ['search']"),
    ({"stubs": {"": 1}}, 'case "a": stubs must be a dict of tool name -> what is served; a key was ""'),
    ({"files": {"/etc/x": ""}}, 'case "a": files must stay inside the world\'s folder; "/etc/x" does not'),
    ({"files": {"../x": ""}}, 'case "a": files must stay inside the world\'s folder; "../x" does not'),
    ({"files": {"a/../../x": ""}}, 'case "a": files must stay inside the world\'s folder; "a/../../x" does not'),
    ({"files": {"a\\..\\..\\x": ""}}, 'case "a": files must stay inside the world\'s folder; "a\\\\..\\\\..\\\\x" does not'),
    ({"files": {"C:x": ""}}, 'case "a": files must stay inside the world\'s folder; "C:x" does not'),
    ({"files": {"\\\\host\\x": ""}}, 'case "a": files must stay inside the world\'s folder; "\\\\\\\\host\\\\x" does not'),
    ({"files": {".": ""}}, 'case "a": files takes the paths of files; "." is none'),
    ({"files": {"a/": ""}}, 'case "a": files takes the paths of files; "a/" is none'),
    ({"files": {"a\0": ""}}, 'case "a": files takes the paths of files; "a\\u0000" is none'),
    ({"files": {"a": 1}}, 'case "a": files must hold text or bytes; "a" holds 1'),
    ({"files": {"a": "", "./a": ""}}, 'case "a": files can\'t hold both "a" and "./a": one is where the other has to be'),
    ({"files": {"a/b": "", "a": ""}}, 'case "a": files can\'t hold both "a/b" and "a": one is where the other has to be'),
    ({"conversation": "hi"}, 'case "a": conversation must be a list of Messages, got "hi"'),
    ({"conversation": [{"role": "user"}]}, "case \"a\": conversation must be a list of Messages, got [{'role': 'user'}]"),
    ({"conversation": Message(role="user")}, 'case "a": conversation must be a list of Messages, got one; write [Message(...)]'),
    ({"calls": ["search"]}, "case \"a\": calls must be a dict of tool name -> arguments, got ['search']"),
    ({"calls": {"search": []}}, 'case "a": calls asks for no call to "search" ([]); to forbid the tool, write never=["search"]'),
    ({"calls": {"search": "x"}}, 'case "a": calls takes for each tool a dict of arguments, None, or a list of those; search has "x"'),
    ({"calls": {"search": [3]}}, 'case "a": calls takes for each tool a dict of arguments, None, or a list of those; search has 3'),
    ({"calls": {"search": {1: 2}}}, 'case "a": calls takes argument names as text; search has 1'),
    ({"calls": {"f": {"x": [later]}}}, 'case "a": calls takes predicates that answer at once; f has for x an async one, <function later>'),
    ({"calls": {"f": {"x": re.compile(b"x")}}}, 'case "a": calls takes text patterns; f has for x one of bytes, re.compile(b\'x\')'),
    ({"never": "rm"}, 'case "a": never takes a list of tool names, got the text "rm"; write ["rm"]'),
    ({"never": [""]}, 'case "a": never takes tool names, got ""'),
    ({"never": {"rm": {}}}, "case \"a\": never takes a list of tool names, got {'rm': {}}"),
    ({"order": "read"}, 'case "a": order takes a list of tool names, got the text "read"; write ["read"]'),
    ({"order": []}, 'case "a": order must name at least one tool, got []'),
    ({"order": {"a", }}, "case \"a\": order takes a list, since a set has no order; got {'a'}"),
    ({"order": [1]}, 'case "a": order takes tool names, got 1'),
    ({"mentions": "4.25"}, 'case "a": mentions takes a list of words, got "4.25"; write ["4.25"]'),
    ({"mentions": ("a", "b")}, "case \"a\": mentions takes a list; a tuple means any of its words: write [('a', 'b')], or ['a', 'b'] for all"),
    ({"mentions": {"a": 1}}, "case \"a\": mentions takes a list of words, got {'a': 1}"),
    ({"conversation": 3}, 'case "a": conversation must be a list of Messages, got 3'),
    ({"mentions": [""]}, 'case "a": mentions takes words that are not blank, compiled text patterns, or tuples of those; got ""'),
    ({"mentions": ["\u200b"]}, 'case "a": mentions takes words that are not blank, compiled text patterns, or tuples of those; got "\\u200b"'),
    ({"mentions": [4.25]}, 'case "a": mentions takes words that are not blank, compiled text patterns, or tuples of those; got 4.25; write "4.25"'),
    ({"mentions": [["a"]]}, "case \"a\": mentions takes words that are not blank, compiled text patterns, or tuples of those; got ['a']"),
    ({"mentions": [()]}, 'case "a": mentions has an empty tuple, of which no word can be said'),
    ({"mentions": [re.compile(b"x")]}, 'case "a": mentions takes words that are not blank, compiled text patterns, or tuples of those; got re'),
    ({"silent": 1}, 'case "a": silent must be True or False, got 1'),
    ({"absent": "yes"}, 'case "a": absent must be True or False, got "yes"'),
    ({"absent": True, "absence": "("}, 'case "a": absence must be a pattern; "(" does not compile: missing ), unterminated subpattern at position 0'),
    ({"absent": True, "absence": 3}, 'case "a": absence must be a pattern, got 3'),
    ({"absence": "x"}, 'case "a": absence is read only with absent=True'),
    ({"budget": 3}, 'case "a": budget must be a Budget, such as Budget(iterations=3), got 3'),
    ({"check": "x"}, 'case "a": check must be a function of the transcript, got "x"'),
    ({"check": lambda: None}, 'case "a": check must take one argument, the transcript; <function <lambda>> can\'t: '),
    ({"check": lambda a, b: None}, 'case "a": check must take one argument, the transcript; '),
    ({"silent": True, "mentions": ["x"]}, 'case "a": silent=True wants no reply and mentions wants one; leave one of them out'),
    ({"silent": True, "absent": True}, 'case "a": silent=True wants no reply and absent wants one; leave one of them out'),
    ({"calls": {"rm": {}}, "never": ["rm"]}, 'case "a": "rm" is both wanted and in never'),
    ({"order": ["rm"], "never": ["rm"]}, 'case "a": "rm" is both wanted and in never'),
]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "sentence"), REFUSED, ids=lambda each: steady(each)[:40] if isinstance(each, dict) else ""
)
def test_what_could_not_be_meant_is_refused(given: dict[str, Any], sentence: str) -> None:
    """One sentence, before anything is spent."""
    with pytest.raises(UsageError) as caught:
        Case("a", **{"said": "x", **given})
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("args", "named", "sentence"),
    [
        ((), {}, 'a case needs a name: Case("what it does well", said=...)'),
        (("a",), {}, 'case "a" needs said=, the prompt handed to the agent'),
        (("a", "x"), {"said": "y"}, 'case "a" takes all but its name by name, got "x"'),
        (("",), {"said": "x"}, 'a case\'s name must be a text that is not blank, got ""'),
        (("\u200b",), {"said": "x"}, 'a case\'s name must be a text that is not blank, got "\\u200b"'),
        ((3,), {"said": "x"}, "a case's name must be a text that is not blank, got 3"),
    ],
)
def test_a_case_has_a_name_and_something_said(args: Any, named: Any, sentence: str) -> None:
    """All else is left out where it doesn't matter."""
    with pytest.raises(UsageError) as caught:
        Case(*args, **named)
    assert str(caught.value) == sentence


def test_a_case_is_a_value() -> None:
    """Frozen, copied, pickled, and made of another's fields."""
    made = Case("a", said="x", calls={"f": {"a": 1}}, mentions=["b"], budget=Budget(tokens=3), runs=2)
    for other in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made)), dataclasses.replace(made)):
        assert other == made
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.runs = 3  # type: ignore[misc]
    assert str(made) == "a"


def test_what_is_given_is_taken_over_and_not_held_on_to() -> None:
    """A list that is extended later changes no case."""
    never, calls = ["rm"], {"f": None}
    made = Case("a", said="x", never=never, calls=calls)
    never.append("mv")
    calls["g"] = None
    assert (list(made.never), list(made.calls)) == (["rm"], ["f"])


def test_a_set_of_names_or_words_has_an_order() -> None:
    """Sentences are to be the same every time."""
    made = Case("a", said="x", never={"c", "a", "b"}, mentions={"y", "x"})
    assert (list(made.never), list(made.mentions)) == (["a", "b", "c"], ["x", "y"])


def test_a_case_stands_over_its_check() -> None:
    """`@Case(...)` gives the case with the check; a second check is refused."""
    made = Case("a", said="x")(check)
    assert made.check is check
    with pytest.raises(UsageError, match='case "a" has a check already'):
        made(check)


def test_what_a_case_wants_of_a_tool() -> None:
    """None and {} are any arguments; a list is as many calls."""
    made = Case("a", said="x", calls={"f": None, "g": {"a": 1}, "h": [None, {"a": 1}]}, stubs={"f": 1}, order=["i"])
    assert (made.wanted("f"), made.wanted("g"), made.wanted("h")) == (({},), ({"a": 1},), ({}, {"a": 1}))
    assert made.tools == ["f", "g", "h", "i"]


def test_paths_inside_the_folder_are_taken() -> None:
    """Also by a detour."""
    assert Case("a", said="x", files={"a/../b": "1", "c/d.txt": b"2", "./e": ""}).files.keys() == {
        "a/../b",
        "c/d.txt",
        "./e",
    }


@pytest.mark.parametrize(
    "made", [check, later, len, type("C", (), {"__call__": lambda self, t: None})(), lambda t, more=1: None]
)
def test_whatever_takes_a_transcript_is_a_check(made: Any) -> None:
    """Functions, async ones, builtins, objects."""
    assert Case("a", said="x", check=made).check is made


def test_what_a_case_may_hold_is_not_refused_with_what_it_may_not() -> None:
    """Plain types and unions of them, lists of values, functions that return, and the most runs there may be."""
    stubs = {"f": [1, {"a": (2,)}], "g": in_turn(1, [2], len), "h": lambda: "x"}
    calls = {"f": {"x": int | None, "y": list, "z": Any}}
    made = Case("a", said="x", stubs=stubs, calls=calls, runs=100_000)
    assert (made.stubs, made.calls, made.runs) == (stubs, calls, 100_000)


def test_a_case_shows_what_it_takes() -> None:
    """To editors and to `help`, although it refuses what it does not take in its own words."""
    parameters = inspect.signature(Case).parameters
    assert list(parameters) == [field.name for field in dataclasses.fields(Case)]
    assert parameters["name"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert (parameters["said"].default, parameters["runs"].default) == (inspect.Parameter.empty, 1)
    assert {each.kind for name, each in parameters.items() if name != "name"} == {inspect.Parameter.KEYWORD_ONLY}
