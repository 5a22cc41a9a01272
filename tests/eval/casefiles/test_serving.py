"""Stubs that raise, and answers in turn."""

from __future__ import annotations

from typing import Any

import pytest

from brute.eval import in_turn
from brute.eval.casefiles import values
from brute.eval.casefiles.forms import Unwritable
from brute.eval.keying import case_key
from tests.eval.casefiles.files import case, refused_in
from tests.support import make


def stub(text: str) -> Any:
    """The stub that a file says."""
    return case(f"stubs: {{f: {text}}}").stubs["f"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{$raise: TimeoutError}", TimeoutError),
        ("{$raise: {TimeoutError: slow}}", TimeoutError("slow")),
        ("{$raise: {TimeoutError: }}", TimeoutError()),
        ("{$raise: {KeyError: 7}}", KeyError(7)),
        ("{$raise: {OSError: [2, gone, a.txt]}}", FileNotFoundError(2, "gone", "a.txt")),
        ("{$raise: {ValueError: [[1]]}}", ValueError([1])),
        ("{$in_turn: [a, {b: 1}, {$raise: OSError}, null]}", in_turn("a", {"b": 1}, OSError, None)),
        ("null", None),
        ("/not a pattern/", "/not a pattern/"),
        ("{a: [{$ref: b}, 1]}", {"a": [{"$ref": "b"}, 1]}),
        ("{$$raise: a}", {"$raise": "a"}),
    ],
)
def test_what_is_served(text: str, value: Any) -> None:
    """As the same stub in Python, which is known by its key."""
    made = stub(text)
    assert case_key(make.case(stubs={"f": made})) == case_key(make.case(stubs={"f": value}))


def test_the_subclass_of_an_os_error_is_kept() -> None:
    """Python makes a FileNotFoundError of it by its number."""
    assert values.put_stub(OSError(2, "gone", "a.txt")) == {"$raise": {"FileNotFoundError": [2, "gone", "a.txt"]}}
    assert values.put_stub(TimeoutError) == {"$raise": "TimeoutError"}
    assert values.put_stub(ValueError(None)) == {"$raise": {"ValueError": [None]}}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{$raise: TimoutError}", '3:23: $raise takes one of Python\'s own exceptions, got "TimoutError" (did you mean "TimeoutError"?)'),
        ("{$raise: 'TimeoutError: slow'}", '3:23: $raise takes one of Python\'s own exceptions, got "TimeoutError: slow"; to say what it says, write {TimeoutError: ...}'),
        ("{$raise: SystemExit}", '3:23: $raise takes one of Python\'s own exceptions, got "SystemExit" (did you mean "SystemError"?)'),
        ("{$raise: [a]}", "3:23: $raise takes an exception, such as TimeoutError, or {TimeoutError: what it says}, got a list"),
        ("{$raise: {UnicodeDecodeError: a}}", "3:44: no UnicodeDecodeError can be made of this: function takes exactly 5 arguments (1 given)"),
        ("{$in_turn: a}", '3:25: $in_turn takes a list of answers, each for one call, got "a"; write ["a"]'),
        ("{$in_turn: []}", "3:25: $in_turn takes at least one answer"),
        ("{$in_turn: [{$in_turn: [a]}]}", '3:27: "$in_turn" is no form here; forms here are $raise; a key that is meant is written "$$in_turn"'),
        ("{a: {$raise: KeyError}}", '3:19: $raise stands inside a value, and has to be the whole of it; write "$$raise" if it is meant as it is'),
        ("{$ref: a}", '3:15: "$ref" is no form here (did you mean "$raise"?); forms here are $raise, $in_turn, $when; a key that is meant is written "$$ref"'),
    ],
)  # fmt: skip
def test_what_cant_be_served(text: str, sentence: str) -> None:
    """A form that is misspelt or misplaced is never served as data."""
    assert refused_in(f"stubs: {{f: {text}}}") == sentence


class Mine(Exception):
    """An exception of the user's."""


def noted() -> Exception:
    """One with a note."""
    error = ValueError("a")
    error.add_note("b")
    return error


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (Mine("a"), "the exception Mine, which is none of Python's own"),
        (KeyboardInterrupt, "the exception KeyboardInterrupt, which is none of Python's own"),
        (noted(), "ValueError('a'), which has more to it than what it says"),
        (len, "the function len"),
        (lambda q: q, "the function <lambda>"),
        ((1, 2), "(1, 2)"),
        ({"a": {3: 1}}, "the key 3; keys are texts in a file"),
        (float("nan"), "the number nan"),
        (in_turn("a", b"b"), "b'b'"),
    ],
)
def test_what_cant_be_written(value: Any, sentence: str) -> None:
    """By its name."""
    with pytest.raises(Unwritable) as why:
        values.put_stub(value)
    assert str(why.value) == sentence
