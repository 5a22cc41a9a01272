"""Transcripts as JSON, both ways, whatever a tool or a model put into them."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import pydantic
import pytest

from brute import Usage, UsageError
from brute.eval import Call, Failure, Request, Transcript
from brute.eval.jsonable import plain
from brute.eval.judgement import Judgement, Vote
from tests.support.make import call, message, request, transcript


@dataclasses.dataclass
class Point:
    """A value with fields."""

    x: int
    y: Any = None


class Model(pydantic.BaseModel):
    """A value that can dump itself."""

    x: int


class Odd:
    """A value whose text raises."""

    def __str__(self) -> str:
        raise RuntimeError("no")


class Dumps:
    """A value whose dump raises."""

    def model_dump(self, mode: str) -> Any:
        """Raise."""
        raise RuntimeError("no")

    def __str__(self) -> str:
        return "dumps"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, None),
        (True, True),
        (3, 3),
        ("é", "é"),
        ("\ud800", "\\ud800"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        ((1, 2), [1, 2]),
        ({3, 1}, [1, 3]),
        (b"a\xff", "a\\xff"),
        ({1: {None: 2}}, {"1": {"None": 2}}),
        (Point(1, (2,)), {"x": 1, "y": [2]}),
        (Model(x=1), {"x": 1}),
        (Point, "<class 'tests.eval.test_jsonable.Point'>"),
        (Model, "<class 'tests.eval.test_jsonable.Model'>"),
        (Odd(), "<Odd>"),
        ({Odd(): 1}, {"<Odd>": 1}),
        (Dumps(), "dumps"),
        (object(), "<object object>"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_what_json_has_no_word_for_becomes_a_list_or_a_text(value: Any, shown: Any) -> None:
    """And never an exception."""
    assert plain(value) == shown
    json.dumps(plain(value)).encode()


def test_numbers_circles_and_depths_that_json_can_not_take() -> None:
    """A tool's result may be anything."""
    circle: list[Any] = [1]
    circle += [circle, {"again": circle}]
    assert plain(circle) == [1, "...", {"again": "..."}]
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    assert json.dumps(plain(deep)).count("[") == 101
    assert plain(10**6000) == hex(10**6000)
    shared = [1]
    assert plain([shared, shared]) == [[1], [1]]


def test_a_transcript_comes_back_as_it_was() -> None:
    """With every field filled."""
    made = Transcript(
        said="hello",
        messages=[
            message("user", "hello"),
            message("assistant", "", ("search", {"q": 1}), usage=Usage(input=1)),
            message("tool", "x"),
        ],
        calls=[
            Call(
                name="f",
                arguments={"a": [1, {"b": None}]},
                executed={"a": 2},
                result={"x": 1},
                outcome="stubbed",
                id="1",
                started=0.5,
            ),
            call("g", malformed="{"),
        ],
        requests=[request(3), Request(retries=["529"], model="m", error="x")],
        iterations=2,
        seconds=1.5,
        published=[{"to": "bob"}],
        failures=["wrong", Failure("check", "wrong", expected=1, actual=[2])],
        error=Failure("error.model", "down", detail="x"),
        stopped="MaxIterations(3)",
        stale=True,
        tools=["f", "g"],
        defaults={"f": {"limit": 3}},
        blind=["usage"],
        notes=["note"],
        judgements=[
            Judgement(
                rubric="kind", votes=[Vote(met=True, reason="so", usage=Usage(input=1), model="m", retries=["529"])]
            ),
            Judgement(rubric="short", of=3, error="down"),
        ],
        held=0.5,
        unclear=0.25,
        replayed=["tools"],
    )
    for field in dataclasses.fields(Transcript):
        assert getattr(made, field.name), f"{field.name} is left out"
    text = json.dumps(made.to_json(), allow_nan=False)
    assert Transcript.from_json(json.loads(text)) == made


def test_a_field_of_a_later_version_is_left_out() -> None:
    """The schema number grows only when a field changes its meaning."""
    data = transcript("read", requests=[request(1)]).to_json()
    data["later"] = data["calls"][0]["later"] = data["messages"][0]["later"] = data["requests"][0]["usage"]["later"] = 1
    assert Transcript.from_json(data).names == ["read"]


@pytest.mark.parametrize("data", [{}, {"schema": 2}, {"schema": "1"}, [], None, "x"], ids=str)
def test_what_is_no_transcript_is_refused(data: Any) -> None:
    """With the schema that this version knows."""
    with pytest.raises(UsageError, match="can't be read; this version knows schema 1"):
        Transcript.from_json(data)


def test_a_call_without_a_name_is_refused() -> None:
    """With what it should have been."""
    with pytest.raises(UsageError, match="this is no Call in JSON"):
        Transcript.from_json({"schema": 1, "calls": [{}]})
