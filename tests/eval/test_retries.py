"""An attempt is made again when its infrastructure failed, and never when the agent did."""

from __future__ import annotations

from typing import Any

import pytest

from brute import Message, ModelError, Usage
from brute.eval import Attempt, Case, World, retries, trouble
from brute.eval.retries import Retries
from tests.completion.faults import Waits
from tests.support.agents import asks, attempt, build, makes, quiet, report, tool


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> Waits:
    """The seconds that runs would have waited."""
    waits = Waits()

    def waiting(**options: Any) -> Any:
        return original(**options, sleep=waits, random=lambda: 0.0)

    original = retries.Retrying
    monkeypatch.setattr(retries, "Retrying", waiting)
    return waits


def overloaded(retry_after: float | None = None) -> ModelError:
    """A trouble that may pass."""
    return ModelError("529 overloaded", status=529, transient=True, retry_after=retry_after)


def tries(*replies: Any) -> Any:
    """A factory whose agents say these in turn, one for each agent built."""
    left = list(replies)

    async def factory() -> Any:
        said = left.pop(0)
        return build(said if isinstance(said, list) else [said])

    return factory


CASE = [Case("a", said="x", never=["search"])]


def test_an_attempt_is_made_again_when_the_model_was_down(waits: Waits) -> None:
    """On a fresh agent; the transcript says what was tried, and the report that it was."""
    made = report(tries(overloaded(), "done"), CASE)
    (only,) = made.attempts
    assert (only.status, only.number, list(waits)) == ("passed", 1, [2.0])
    assert only.transcript.notes == ["made again after the model call failed: 529 overloaded; waited 2 s"]
    assert made.notes == ("infrastructure failed, and 1 attempt was made again",)


def test_each_try_has_a_world_of_its_own(waits: Waits) -> None:
    """What the failed one did to its world is gone with it."""
    worlds: list[World] = []

    class Room(World):
        def prepare(self, case: Case) -> Any:
            worlds.append(self)
            return super().prepare(case)

    assert report(tries(overloaded(), "done"), CASE, world=Room).passed
    assert len(set(map(id, worlds))) == 2


def test_in_the_end_it_is_an_error(waits: Waits) -> None:
    """Never `failed`, and with all that was tried."""
    made = report(tries(*[overloaded()] * 4), CASE, retries=3)
    (only,) = made.attempts
    assert (only.status, len(only.transcript.notes), list(waits)) == ("error", 3, [2.0, 4.0, 8.0])
    assert made.notes == ("infrastructure failed, and 1 attempt was made again, 3 times in all",)


def test_without_retries_there_is_one_try(waits: Waits) -> None:
    """`retries=0`."""
    made = report(tries(overloaded()), CASE, retries=0)
    assert (made.attempts[0].status, made.notes, list(waits)) == ("error", (), [])


def test_retry_after_is_honoured(waits: Waits) -> None:
    """And one that asks for too much is not waited for, which is said."""
    assert report(tries(overloaded(20), "done"), CASE).passed
    (only,) = report(tries(overloaded(90)), CASE).attempts
    assert (only.status, list(waits)) == ("error", [20.0])
    assert only.transcript.notes == [
        "not made again: the model call failed: 529 overloaded; asked to wait 90 s, longer than 60 s"
    ]


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (ModelError("401 not authorised", status=401), "error"),
        (ValueError("a slip of the agent's"), "failed"),
        ([asks("search"), overloaded()], "failed"),
        ("", "failed"),
    ],
    ids=str,
)
def test_nothing_else_is_made_again(waits: Waits, said: Any, status: str) -> None:
    """Neither what no waiting cures, nor a failure of the agent, though the model failed after it."""
    (only,) = report(tries(said), CASE, retries=3).attempts
    assert (only.status, only.transcript.notes, list(waits)) == (status, [], [])


def test_a_retry_that_fails_has_failed(waits: Waits) -> None:
    """What the agent did once it could is graded."""
    assert report(tries(overloaded(), asks("search")), CASE).attempts[0].status == "failed"


def test_what_was_left_behind_is_not_made_again(waits: Waits) -> None:
    """It may still be at work."""
    left: Attempt = attempt(makes(overloaded()))
    object.__setattr__(left, "left_behind", True)
    assert retries._trouble(left) is None


def test_what_the_failed_tries_spent_is_in_the_totals(waits: Waits) -> None:
    """As a floor, for the call that failed said nothing."""
    used = Usage(input=8, output=2, cost=0.25)
    spends = [asks("t", usage=used), overloaded()]

    async def factory() -> Any:
        return build(left.pop(0), [tool(lambda: "x")])

    left: list[Any] = [spends, spends, [Message(role="assistant", content="done", usage=used)]]
    made = report(factory, [Case("a", said="x")], retries=2)
    assert made.attempts[0].earlier == Usage(input=16, output=4, cost=0.5)
    assert (made.tokens, made.cost) == ((30, 1), (0.75, 1))


def test_caps_see_what_the_failed_tries_spend(waits: Waits) -> None:
    """A run that only fails comes to its cap all the same."""
    used = Usage(input=8, output=2)
    down = [asks("t", usage=used), overloaded()]

    async def factory() -> Any:
        return build(down, [tool(lambda: "x")])

    suite = quiet(factory, [Case("a", said="x")], retries=100, max_tokens=45)
    assert suite.run() == 1
    assert suite.report is not None
    assert suite.report.stopped == "reached the run's cap of 45 tokens (spent 50)"


class Refused(Exception):
    """What a client of the agent's own raises for a status."""

    def __init__(self, status: int, **headers: str) -> None:
        super().__init__(status)
        self.status_code = status
        self.response = type("Response", (), {"headers": headers})


class APIConnectionError(Exception):
    """What one raises for a connection that broke."""


APIConnectionError.__module__ = "openai._exceptions"


@pytest.mark.parametrize(
    ("error", "facts"),
    [
        (overloaded(3), {"transient": True, "status": 529, "retry_after": 3}),
        (ModelError("400 no", status=400), None),
        (ConnectionResetError(), {"transient": True, "status": None, "retry_after": None}),
        (TimeoutError(), {"transient": True, "status": None, "retry_after": None}),
        (FileNotFoundError(), None),
        (Refused(429, **{"retry-after": "7"}), {"transient": True, "status": 429, "retry_after": 7.0}),
        (Refused(503, **{"retry-after": "soon"}), {"transient": True, "status": 503, "retry_after": None}),
        (Refused(503, **{"retry-after": "1_0"}), {"transient": True, "status": 503, "retry_after": None}),
        (Refused(503, **{"retry-after": "nan"}), {"transient": True, "status": 503, "retry_after": None}),
        (Refused(500), {"transient": True, "status": 500, "retry_after": None}),
        (Refused(404), None),
        (APIConnectionError(), {"transient": True, "status": None, "retry_after": None}),
        (ExceptionGroup("both", [KeyError(), overloaded()]), {"transient": True, "status": 529, "retry_after": None}),
        (KeyError(), None),
    ],
    ids=lambda each: type(each).__name__,
)
def test_what_may_pass(error: Exception, facts: dict[str, Any] | None) -> None:
    """Whichever client the agent uses."""
    assert trouble.passing(error) == facts


def test_the_waits_are_shortened_by_chance() -> None:
    """So that attempts that failed together do not come back together."""
    assert Retries(1).retrying.random() != Retries(1).retrying.random()
