"""What a tool answered or raised comes out of a cassette as it went in."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import json
import math
import uuid
from typing import Any

import pydantic
import pytest

from brute import ModelError
from brute.eval.cassettes.values import exception, kept, raised, restored


@dataclasses.dataclass
class Rate:
    """A dataclass."""

    city: str
    rate: float


class Model(pydantic.BaseModel):
    """A model of pydantic's."""

    city: str


class Odd(Exception):
    """An exception that takes other arguments than it says."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(f"{code}: {why}")


@pytest.mark.parametrize(
    "value",
    [
        None, False, 0, 1.5, "", "x\ud800", [], {}, {"b": 1, "a": [None]}, (1, (2,)), {1, 2}, frozenset("a"), b"\xff", [{"a": (1,)}],
        datetime.datetime(2026, 3, 6, 10), datetime.date(2026, 3, 6), decimal.Decimal("4.25"), uuid.UUID(int=7), {1: "a", (2,): "b"},
        {"$type": "tuple", "$value": [1]}, [({"$type": 1},)], math.inf, Rate("London", 4.25), Model(city="x"), [Model(city="y")],
    ],
    ids=repr,
)  # fmt: skip
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    """With its types and the order of its fields, through JSON."""
    back = restored(json.loads(json.dumps(kept(value))))
    assert (type(back), back) == (type(value), value)
    assert not isinstance(value, dict) or list(back) == list(value)


def test_what_json_has_no_word_for_comes_back_as_plain_data() -> None:
    """An object of a class that is gone, and what holds itself."""

    class Gone:
        def __str__(self) -> str:
            return "gone"

    circle: list[Any] = []
    circle.append(circle)
    assert restored(json.loads(json.dumps(kept(Gone())))) == "gone"
    assert restored(json.loads(json.dumps(kept(circle)))) is not None


def test_an_answer_is_given_anew_each_time() -> None:
    """What the agent does to one must not be in the next."""
    entry = kept([1])
    restored(entry).append(2)
    assert restored(entry) == [1]


@pytest.mark.parametrize(
    "error",
    [KeyError("x"), ValueError("bad"), OSError(2, "no such file"), TimeoutError("slow"), UnicodeDecodeError("utf-8", b"x", 0, 1, "b"), Odd(3, "why"),
     ExceptionGroup("several", [ValueError("x")])],
    ids=lambda error: type(error).__name__,
)  # fmt: skip
def test_an_exception_reads_as_it_did(error: Exception) -> None:
    """Its name and its text are all that a model reads of it; where its type can be made again, it is of that."""
    back = exception(json.loads(json.dumps(raised(error))))
    assert (type(back).__name__, str(back)) == (type(error).__name__, str(error))
    assert isinstance(error, OSError) is isinstance(back, OSError)


def test_a_model_error_keeps_what_is_known_of_it() -> None:
    """Whether another try may help decides what is made of it."""
    back = exception(raised(ModelError("busy", status=429, transient=True, retry_after=3.0)))
    assert isinstance(back, ModelError)
    assert (str(back), back.status, back.transient, back.retry_after) == ("busy", 429, True, 3.0)


@pytest.mark.parametrize("name", ["os:system", "subprocess:Popen", "builtins:exec", "SystemExit", "no.such:Thing", ""])
def test_a_name_that_is_no_exception_builds_nothing(name: str) -> None:
    """Nothing is imported or called for what stands in a file."""
    back = exception({"type": name, "text": "boo"})
    assert isinstance(back, Exception)
    assert str(back) == "boo"
    assert restored({"result": {"$type": name, "$value": "touch x"}, "typed": True}) == "touch x"
