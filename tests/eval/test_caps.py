"""The caps of a whole run: shared by all attempts, checked as usage comes in, and never passed unseen."""

from __future__ import annotations

import asyncio
from typing import Any

import anyio
import pytest

from brute import Message, Usage, UsageError
from brute.env import Env
from brute.eval import Budget, Case, Suite, World
from brute.eval.caps import Caps, Meter
from brute.hooks import LlmEvent, Registry
from tests.support.agents import Live, Quiet, asks, makes, quiet, report, speaks

TEN = Usage(input=8, output=2, cost=0.25)
NO_USAGE = Usage()


def spends(usage: Usage | None = TEN) -> Any:
    """A factory of agents that spend this with one model call."""
    return speaks(lambda env: Message(role="assistant", content="done", usage=usage))


def runs(number: int) -> list[Case]:
    """One case, so many times."""
    return [Case("a", said="x", runs=number)]


def counts(made: Any) -> dict[str, int]:
    """How many attempts came to each status."""
    return {status: sum(each.status == status for each in made.attempts) for status in ("passed", "cancelled")}


@pytest.mark.parametrize(
    ("cap", "passed", "says"),
    [
        ({"max_tokens": 25}, 2, "reached the run's cap of 25 tokens (spent 30)"),
        ({"max_tokens": 20}, 1, "reached the run's cap of 20 tokens (spent 20)"),
        ({"max_cost": 0.6}, 2, "reached the run's cap of $0.6 (spent $0.8)"),
        ({"max_cost": 0.5}, 1, "reached the run's cap of $0.5 (spent $0.5)"),
    ],
    ids=str,
)
def test_a_cap_stops_the_run_when_it_is_reached(cap: dict[str, Any], passed: int, says: str) -> None:
    """What was finished is kept, the rest is cancelled with a sentence, and the run does not pass."""
    made = report(spends(), runs(10), jobs=1, **cap)
    assert counts(made) == {"passed": passed, "cancelled": 10 - passed}
    assert made.attempts[-1].verdict.sentences == [f"not finished: {says}"]
    assert (made.stopped, made.exit_status, made.interrupted) == (says, 3, False)


def test_no_agent_is_built_after_that() -> None:
    """Nor any model asked."""
    asked: list[int] = []

    async def factory() -> Any:
        asked.append(1)
        return await spends()()

    report(factory, runs(50), jobs=1, max_tokens=15)
    assert len(asked) == 2


def test_attempts_that_run_beside_it_are_stopped_and_clean_up() -> None:
    """They share the cap; what a stopped one had to close is closed."""
    closed: list[str] = []
    asking = asyncio.Event()

    class Room(World):
        async def close(self) -> None:
            await anyio.lowlevel.checkpoint()
            closed.append("closed")

    async def answer(env: Any) -> Message:
        if env.messages[0].content == "waits":
            asking.set()
            await anyio.sleep_forever()
        await asking.wait()
        return Message(role="assistant", content="done", usage=TEN)

    cases = [Case("waits", said="waits"), Case("spends", said="x")]
    made = report(speaks(answer), cases, world=Room, max_tokens=10)
    assert ([attempt.status for attempt in made.attempts], closed) == (["cancelled"] * 2, ["closed"] * 2)


def test_a_turn_is_stopped_in_its_middle() -> None:
    """No tool runs after the model call that reached the cap."""
    live = Live()
    made = report(makes(asks("search", usage=TEN), "done", tools=[live.tool]), runs(1), max_tokens=10)
    assert (counts(made), live.ran) == ({"passed": 0, "cancelled": 1}, [])


def test_seconds_are_those_of_the_run() -> None:
    """An attempt that would wait for ever ends with the run."""

    async def answer(env: Any) -> str:
        await anyio.sleep_forever()
        return "never"

    made = report(speaks(answer), runs(3), jobs=2, max_seconds=0.02)
    assert counts(made) == {"passed": 0, "cancelled": 3}
    assert made.stopped == "reached the run's cap of 0.02 seconds"


def test_a_cap_that_is_not_reached_changes_nothing() -> None:
    """And there is no note on it."""
    made = report(spends(), runs(3), max_tokens=31, max_cost=1, max_seconds=60)
    assert (made.passed, made.notes, made.stopped) == (True, (), None)


def test_a_cap_that_is_reached_when_all_is_made_stopped_nothing() -> None:
    """The seconds may be over in the moment in which the last attempt ends."""
    meter = Meter(Caps(seconds=0.001))
    within = quiet(makes("done"), runs(1)).configured(meter=meter, reporter=Quiet())

    class Late(Quiet):
        def attempted(self, attempt: Any) -> None:
            meter._reach("reached the run's cap of 0.001 seconds")

    meter.caps = Caps()
    within.reporter = Late()
    assert (within.run(), within.report.stopped if within.report else "none") == (0, None)


@pytest.mark.parametrize(
    ("usage", "cap", "says"),
    [
        (None, {"max_tokens": 100}, "of 3 model calls, 3 did not tell tokens"),
        (NO_USAGE, {"max_cost": 1}, "of 3 model calls, 3 did not tell cost"),
        (Usage(input=1, output=1), {"max_cost": 1, "max_tokens": 100}, "of 3 model calls, 3 did not tell cost"),
    ],
    ids=str,
)
def test_what_a_cap_did_not_see_is_said(usage: Usage | None, cap: dict[str, Any], says: str) -> None:
    """Unknown is never taken for nothing without a word."""
    made = report(spends(usage), runs(3), **cap)
    assert made.notes == (f"the cap did not see all: {says}, and counted as none",)


def test_without_a_cap_the_unknown_is_no_note() -> None:
    """The totals say it."""
    assert report(spends(None), runs(3)).notes == ()


def test_a_meter_is_shared_by_the_suites_of_a_command() -> None:
    """What the first spent, the second can't; where nothing is left, nothing of it begins."""
    meter = Meter(Caps(tokens=25))
    made = []
    for number in (2, 3, 1):
        suite = quiet(spends(), runs(number), jobs=1).configured(meter=meter, reporter=Quiet())
        suite.run()
        assert suite.report is not None
        made.append(counts(suite.report))
    assert made == [
        {"passed": 2, "cancelled": 0},
        {"passed": 0, "cancelled": 3},
        {"passed": 0, "cancelled": 1},
    ]


def test_a_suite_has_its_own_caps_besides() -> None:
    """The command's does not lift the suite's."""
    meter = Meter(Caps(tokens=1000))
    suite = quiet(spends(), runs(5), jobs=1, max_tokens=25).configured(meter=meter, reporter=Quiet())
    suite.run()
    assert suite.report is not None
    assert (counts(suite.report), meter.reached, meter.tokens) == ({"passed": 2, "cancelled": 3}, None, 30)


def test_what_a_call_that_came_to_nothing_spent_counts() -> None:
    """Also where the turn is stopped for its budget by that very call, or left behind."""
    meter = Meter()
    suite = quiet(spends(), [Case("a", said="x", budget=Budget(tokens=1))]).configured(meter=meter, reporter=Quiet())
    suite.run()
    meter.heard(LlmEvent(Env([], Registry()), 1, error=ValueError()))
    assert (meter.tokens, meter.cost, meter.calls, meter.unpriced) == (10, 0.25, 2, 1)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"max_cost": 0}, "max_cost must be a number of US dollars > 0, got 0"),
        ({"max_tokens": 1.5}, "max_tokens must be a whole number > 0, got 1.5"),
        ({"max_tokens": True}, "max_tokens must be a whole number > 0, got True"),
        ({"max_seconds": float("inf")}, "max_seconds must be a number of seconds > 0, got inf"),
        ({"max_seconds": "60"}, 'max_seconds must be a number of seconds > 0, got "60"'),
    ],
    ids=str,
)
def test_a_cap_that_could_not_be_meant_is_refused(arguments: dict[str, Any], says: str) -> None:
    """With the argument, the value, and what is allowed."""
    with pytest.raises(UsageError, match=says.replace("(", r"\(")):
        Suite(agent=spends(), cases=runs(1), **arguments)
