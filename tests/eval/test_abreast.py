"""Several suites at the same time."""

from __future__ import annotations

import asyncio
import signal
import threading
import time

import pytest

from brute.errors import UsageError
from brute.eval import Budget, Case, Suite, World, leaving, signals
from brute.eval.abreast import Abreast
from brute.eval.report import joined
from tests.support import agents

CASES = [Case("one", said="x"), Case("two", said="x")]


def suites(*makes: object, **options: object) -> list[Suite]:
    """A suite for each factory."""
    return [Suite(make, CASES, name=f"suite {n}", log=None, **options) for n, make in enumerate(makes)]  # type: ignore[arg-type]


def gone(abreast: Abreast) -> list[list[str]]:
    """What the attempts of each suite came to."""
    leaving.run(abreast.go())
    return [[attempt.status for attempt in suite.report.attempts] for suite in abreast.suites if suite.report]


def test_each_suite_has_its_own_report() -> None:
    """And the reporter hears of all of them."""
    quiet = agents.Quiet()
    abreast = Abreast(suites(agents.makes("hello"), agents.makes("")), quiet, width=4)
    assert gone(abreast) == [["passed", "passed"], ["failed", "failed"]]
    told = [attempt.suite for what, attempt in quiet.told if what == "attempted"]
    assert sorted(told) == ["suite 0", "suite 0", "suite 1", "suite 1"]


@pytest.mark.parametrize("width", [1, 3, 4])
def test_their_attempts_overlap_under_one_number(width: int) -> None:
    """Each waits until so many are there."""
    there, most = 0, 0
    full = asyncio.Event()

    async def model(env: object) -> str:
        nonlocal there, most
        there += 1
        most = max(most, there)
        if most == width:
            full.set()
        await full.wait()
        there -= 1
        return "hello"

    gone(Abreast(suites(agents.speaks(model), agents.speaks(model)), agents.Quiet(), width=width))
    assert most == width


def test_bad_input_costs_its_own_suite_alone() -> None:
    """It is found at the first build, and kept for whoever asks."""

    async def nothing() -> None:
        return None

    bad, good = suites(nothing, agents.makes("hello"))
    abreast = Abreast([bad, good], agents.Quiet(), width=4)
    assert gone(abreast)[1] == ["passed", "passed"]
    assert list(abreast.refused) == [bad]
    assert isinstance(abreast.refused[bad], UsageError)


def test_what_is_not_needed_by_then_is_not_begun() -> None:
    """And is reported as not finished."""
    quiet = agents.Quiet()
    abreast = Abreast(suites(agents.makes("hello")), quiet, width=4, needed=lambda suite, job: job.case.name == "two")
    assert gone(abreast) == [["cancelled", "passed"]]
    assert [job.case.name for what, job in quiet.told if what == "began"] == ["two"]


def test_it_can_be_stopped_with_a_reason() -> None:
    """By its reporter, say: what runs is cancelled, in all suites."""

    class Stopping(agents.Quiet):
        def attempted(self, attempt: object) -> None:
            abreast.stop("enough")

    async def forever(env: object) -> str:
        await asyncio.Event().wait()
        return ""

    abreast = Abreast(suites(agents.makes("hello"), agents.speaks(forever)), Stopping(), width=2)
    gone(abreast)
    report = joined(suite.report for suite in abreast.suites if suite.report)
    assert report.count("cancelled") >= 2
    assert report.stopped == "enough"
    assert not report.interrupted
    assert report.attempts[-1].verdict.sentences == ["not finished: enough"]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no alarm on this system")
def test_a_short_deadline_does_not_break_into_the_suite_of_a_longer_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """All share one alarm, which is that of the longest."""
    monkeypatch.setattr(signals, "SLACK", 0.05)

    async def blocks(env: object) -> str:
        until = time.monotonic() + 0.3
        while time.monotonic() < until:
            pass
        return "hello"

    short, long = suites(agents.makes("hello"), agents.speaks(blocks))
    abreast = Abreast([short.configured(deadline=0.1), long.configured(deadline=60)], agents.Quiet(), width=1)
    assert gone(abreast)[1] == ["passed", "passed"]


def test_who_blocks_the_loop_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once for each suite that waited."""
    monkeypatch.setattr("brute.eval.lag.NOTED", 0.05)

    async def blocks(env: object) -> str:
        until = time.monotonic() + 0.2
        while time.monotonic() < until:
            pass
        return "hello"

    abreast = Abreast(suites(agents.speaks(blocks), agents.makes("hello")), agents.Quiet(), width=4)
    gone(abreast)
    [note] = abreast.notes
    assert note.startswith("the event loop stood still")
    assert [suite.report.notes for suite in abreast.suites if suite.report] == [(), ()]


def test_what_the_loop_stood_still_by_another_suites_code_fails_no_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even in a suite of its own: the watch over the loop is one, and tells the attempts of all."""
    monkeypatch.setattr("brute.eval.lag.NOTED", 0.1)
    began = asyncio.Event()

    async def blocks(env: object) -> str:
        await began.wait()
        until = time.monotonic() + 2
        while time.monotonic() < until:
            pass
        return "hello"

    async def waits(env: object) -> str:
        began.set()
        await asyncio.sleep(0.1)
        return "hello"

    hurried = Suite(agents.speaks(waits), [Case("one", said="x", budget=Budget(seconds=1.5))], name="hurried", log=None)
    other = Suite(agents.speaks(blocks), CASES[:1], name="other", log=None)
    abreast = Abreast([hurried, other], agents.Quiet(), width=4)
    gone(abreast)
    [attempt] = hurried.report.attempts if hurried.report else ()
    [failure] = attempt.verdict.failures
    assert (failure.kind, "by another attempt's code" in failure.message) == ("error.blind", True)
    assert attempt.transcript.held > 0.5


def test_attempts_that_wait_for_a_model_lose_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A watch that is not started would take all the time since it was made for a loop that stood still."""
    monkeypatch.setattr("brute.eval.lag.NOTED", 0.1)
    slow = Suite(agents.speaks(_sleeps), CASES, name="slow", log=None)
    abreast = Abreast([slow, *suites(agents.speaks(_sleeps))], agents.Quiet(), width=4)
    gone(abreast)
    attempts = [attempt for suite in abreast.suites if suite.report for attempt in suite.report.attempts]
    # A busy machine may hold up one or the other.
    assert min(attempt.transcript.held + attempt.transcript.unclear for attempt in attempts) == 0.0


async def _sleeps(env: object) -> str:
    await asyncio.sleep(0.2)
    return "hello"


class _Told(World):
    """A world that tells when an attempt begins and ends in it."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def prepare(self, case: Case) -> object:
        """Tell it."""
        self.told.append("begins")
        return super().prepare(case)

    def close(self) -> None:
        """Tell it."""
        self.told.append("ends")
        super().close()


def test_attempts_of_two_suites_take_turns_in_one_world() -> None:
    """As they do in one suite, and where the command line runs the suites one after the other."""
    world = _Told()
    gone(Abreast(suites(agents.speaks(_passes), agents.speaks(_passes), world=world), agents.Quiet(), width=4))
    assert world.told == ["begins", "ends"] * 4


def test_who_waits_for_a_world_holds_up_no_other_suite() -> None:
    """Nor a place among the attempts: with two of them, the others go on beside the one in the world."""
    free = asyncio.Event()
    ended: list[str] = []

    async def holds(env: object) -> str:
        await free.wait()
        return "hello"

    class Frees(agents.Quiet):
        def attempted(self, attempt: object) -> None:
            ended.append(attempt.suite)  # type: ignore[attr-defined]
            if ended.count("other") == 2:
                free.set()

    world = World()
    there = [Suite(agents.speaks(holds), CASES, name=name, world=world, log=None) for name in ("a", "b")]
    other = Suite(agents.makes("hello"), CASES, name="other", log=None)
    abreast = Abreast([*there, other], Frees(), width=2)
    assert gone(abreast) == [["passed", "passed"]] * 3
    assert ended[:2] == ["other", "other"]


def test_a_world_in_which_an_attempt_was_left_behind_is_no_other_suites() -> None:
    """Whether they run at the same time, or one after the other."""
    stay = threading.Event()

    def hangs(env: object) -> str:
        stay.wait()
        return "hello"

    world = World()
    first = Suite(agents.speaks(hangs), CASES[:1], world=world, log=None, deadline=0.05)
    second = Suite(agents.makes("hello"), CASES[:1], world=world, log=None)
    try:
        for suite in (first, second):
            gone(Abreast([suite], agents.Quiet(), width=1))
    finally:
        stay.set()
    [attempt] = second.report.attempts if second.report else ()
    assert attempt.status == "error"
    assert "the world is shared with an attempt that could not be stopped" in attempt.verdict.sentences[0]


async def _passes(env: object) -> str:
    """Let any other go on that can."""
    for _ in range(20):
        await asyncio.sleep(0)
    return "hello"
