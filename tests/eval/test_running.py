"""A run makes every attempt, reports each as it ends, and keeps what it has whatever happens."""

from __future__ import annotations

import asyncio
import copy
import io
import threading
from typing import Any

import anyio
import anyio.lowlevel
import pytest

import brute
from brute import UsageError
from brute.eval import Case, Suite, World, leaving, runner
from brute.testing import Script
from tests.support.agents import Quiet, asks, attempts, build, makes, quiet, report, speaks, tool


def cases(*names: str) -> list[Case]:
    """A case for each name, of which those that begin with "bad" fail."""
    return [Case(name, said=name, mentions=["good"]) for name in names]


def echoes() -> Any:
    """A factory of agents that say what was said to them, word by word."""
    return speaks(lambda env: "good" if not env.messages[-1].content.startswith("bad") else "bad")


def statuses(made: Any) -> dict[str, str]:
    """The status of each case."""
    return {attempt.case.name: attempt.status for attempt in made.attempts}


def test_attempts_are_reported_as_they_end_and_kept_in_the_order_of_the_plan() -> None:
    """The first of two waits for the second."""
    second = asyncio.Event()

    async def factory() -> Any:
        async def model(env: Any) -> str:
            if env.messages[-1].content == "slow":
                await second.wait()
            else:
                second.set()
            return "good"

        return build(model)

    suite = quiet(factory, cases("slow", "quick"))
    assert suite.run() == 0
    reporter = suite.reporter
    assert isinstance(reporter, Quiet)
    assert [about.case.name for what, about in reporter.told if what == "attempted"] == ["quick", "slow"]
    assert [what for what, _ in reporter.told] == ["started", "began", "began", "attempted", "attempted", "finished"]
    assert suite.report is not None
    assert list(statuses(suite.report)) == ["slow", "quick"]


def test_one_job_is_strictly_serial() -> None:
    """Nothing of an attempt overlaps with anything of another, close and check included."""
    open_now: list[str] = []
    most: list[int] = []

    class Room(runner.World):
        def prepare(self, case: Case) -> Any:
            open_now.append(case.name)
            most.append(len(open_now))
            return super().prepare(case)

        async def close(self) -> None:
            await anyio.lowlevel.checkpoint()

    def check(transcript: Any) -> None:
        open_now.clear()

    made = report(echoes(), [Case(name, said=name, runs=2, check=check) for name in "abc"], jobs=1, world=Room)
    assert (made.passed, most) == (True, [1] * 6)


def test_a_thousand_jobs_overlap() -> None:
    """All of them wait for the last."""
    here: list[int] = []

    async def go() -> Any:
        everyone = anyio.Event()

        async def factory() -> Any:
            async def model(env: Any) -> str:
                here.append(1)
                if len(here) == 1000:
                    everyone.set()
                await everyone.wait()
                return "good"

            return build(model)

        suite = quiet(factory, [Case("a", said="x", runs=1000)], jobs=1000)
        await suite.arun()
        return suite.report

    assert len(asyncio.run(go()).attempts) == 1000


def test_one_bad_case_does_not_end_the_run() -> None:
    """Seen in the original: a case that broke took the results of the others along."""

    class Explodes(dict[str, Any]):
        def items(self) -> Any:
            raise RuntimeError("no")

    bad = Case("bad", said="x")
    object.__setattr__(bad, "files", Explodes())
    odd = Case("odd", said="x")
    object.__setattr__(odd, "budget", None)
    made = report(echoes(), [*cases("a"), bad, odd, *cases("b")])
    assert statuses(made) == {"a": "passed", "bad": "error", "odd": "error", "b": "passed"}


def test_a_reporter_that_breaks_is_told_of_and_costs_no_result() -> None:
    """Whatever it is told, to the very end."""

    class Breaks(Quiet):
        def attempted(self, attempt: Any) -> None:
            raise OSError("pipe")

        def finished(self, report: Any) -> None:
            raise KeyError("end")

    suite = quiet(echoes(), cases("a", "b"))
    suite.reporter = Breaks()
    assert suite.run() == 0
    assert suite.report is not None
    assert suite.report.notes == (
        "the reporter Breaks broke: OSError: pipe",
        "the reporter Breaks broke: KeyError: 'end'",
    )


def test_fail_fast_stops_at_the_first_failed_case_and_keeps_what_was_made() -> None:
    """What had not ended is cancelled, and says why."""
    suite = quiet(echoes(), cases("a", "bad", "c"), jobs=1).configured(fail_fast=True, reporter=Quiet())
    assert suite.run() == 1
    assert suite.report is not None
    assert statuses(suite.report) == {"a": "passed", "bad": "failed", "c": "cancelled"}
    assert suite.report.attempts[2].verdict.sentences == ["not finished: stopped at the first failed case (bad)"]
    assert suite.report.stopped == "stopped at the first failed case (bad)"


def test_fail_fast_lets_attempts_that_run_beside_it_clean_up() -> None:
    """A cancelled attempt closes its world before the run is over."""
    closed: list[str] = []

    class Room(runner.World):
        async def close(self) -> None:
            await anyio.lowlevel.checkpoint()
            closed.append("closed")

    async def factory() -> Any:
        async def model(env: Any) -> str:
            if env.messages[-1].content == "waits":
                waiting.set()
                await anyio.sleep_forever()
            await waiting.wait()
            return "bad"

        return build(model)

    waiting = asyncio.Event()
    suite = quiet(factory, cases("waits", "bad"), world=Room).configured(fail_fast=True, reporter=Quiet())
    suite.run()
    assert suite.report is not None
    assert (statuses(suite.report), len(closed)) == ({"waits": "cancelled", "bad": "failed"}, 2)


def test_a_run_that_is_cancelled_keeps_what_was_finished() -> None:
    """The report says that it was interrupted, and the reporter is told."""
    suite: Suite

    async def factory() -> Any:
        async def model(env: Any) -> str:
            if env.messages[-1].content == "waits":
                task.cancel()
                await anyio.sleep_forever()
            return "good"

        return build(model)

    async def go() -> None:
        nonlocal task
        task = asyncio.create_task(suite.arun())
        with pytest.raises(asyncio.CancelledError):
            await task

    task: Any = None
    suite = quiet(factory, cases("a", "waits", "c"), jobs=1)
    asyncio.run(go())
    assert suite.report is not None
    assert (suite.report.interrupted, suite.report.exit_status) == (True, 130)
    assert statuses(suite.report) == {"a": "passed", "waits": "cancelled", "c": "cancelled"}
    assert isinstance(suite.reporter, Quiet)
    assert suite.reporter.told[-1][0] == "finished"


def test_bad_input_at_the_first_build_is_raised_and_nothing_reported_as_finished() -> None:
    """A run that could not begin has no result."""
    suite = quiet(lambda: 42, cases("a", "b"))
    with pytest.raises(UsageError, match="the agent must be a brute agent"):
        suite.run()
    assert isinstance(suite.reporter, Quiet)
    assert suite.reporter.told[-1][0] != "finished"


def test_an_attempt_at_which_the_harness_breaks_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """And no other loses its result."""

    def breaks(*_: Any) -> None:
        raise RuntimeError("a slip of ours")

    monkeypatch.setattr(runner.Runner, "_turn", breaks)
    (attempt,) = report(echoes(), cases("a")).attempts
    assert (attempt.status, attempt.verdict.failures[0].kind) == ("error", "error.harness")


def test_every_executed_attempt_is_the_one_that_a_serial_run_makes() -> None:
    """Width changes when, never what."""
    named = cases("a", "bad one", "b", "bad two")
    serial, wide = (report(echoes(), named, jobs=jobs) for jobs in (1, 4))
    assert statuses(serial) == statuses(wide)
    assert [attempt.verdict for attempt in serial.attempts] == [attempt.verdict for attempt in wide.attempts]
    assert [attempt.verdict for attempt in attempts(echoes(), named)] == [
        attempt.verdict for attempt in serial.attempts
    ]


def test_the_report_adds_up() -> None:
    """Totals of what is known, and how many attempts are not."""
    from brute import Message, Usage

    def factory() -> Any:
        usage = Usage(input=3, output=1, cost=0.5)
        return build(Script([Message(role="assistant", content="good", usage=usage)]))

    made = report(factory, [Case("a", said="x", runs=3), Case("b", said="y")])
    assert (made.tokens, made.cost, made.count("passed"), made.pass_k) == ((16, 0), (2.0, 0), 2, (3, 1.0))
    made = report(
        makes(asks("t"), "good", tools=[tool(lambda: "x")]) if False else echoes(), [Case("a", said="x", runs=2)]
    )
    assert made.tokens == (0, 2)


def test_a_turn_left_behind_does_not_hold_up_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is given up with its loop."""
    monkeypatch.setattr(leaving, "GRACE", 0.02)

    async def swallow() -> None:
        while True:
            try:
                await anyio.sleep_forever()
            except BaseException:
                pass

    made = report(makes(asks("swallow"), tools=[tool(swallow)]), cases("a", "b"), deadline=0.02)
    assert [attempt.left_behind for attempt in made.attempts] == [True, True]


def test_a_value_that_ends_the_process_when_it_is_shown_costs_its_own_words() -> None:
    """The run was ended by it, without a report."""

    class Exits:
        def __str__(self) -> str:
            raise SystemExit(0)

    def agent(world: Any) -> Any:
        world.publish(Exits())
        return brute.agent().run(lambda env: world.publish(Exits()) or "")

    made = report(agent, [Case("a", said="x", silent=True), Case("b", said="x", silent=True)])
    assert statuses(made) == {"a": "failed", "b": "failed"}
    assert [failure.message for failure in made.attempts[0].verdict.failures] == [
        'published 1 thing when it should have stayed silent: "<Exits>"'
    ]


def test_a_reporter_that_ends_the_process_costs_no_result() -> None:
    """Nor does anything else that raises `SystemExit` beside a turn."""

    class Exits(Quiet):
        def attempted(self, attempt: Any) -> None:
            raise SystemExit(0)

    suite = quiet(echoes(), cases("a", "b"))
    suite.reporter = Exits()
    assert suite.run() == 0
    assert suite.report is not None
    assert suite.report.notes == ("the reporter Exits broke: SystemExit: 0",)


def test_suites_that_share_a_world_take_turns_in_it() -> None:
    """Also where they run side by side: an attempt of the one must not wake up in the middle of the other's."""

    class Room(World):
        busy = False

        def prepare(self, case: Case) -> Any:
            assert not self.busy
            self.busy = True
            return super().prepare(case)

        def close(self) -> None:
            self.busy = False
            super().close()

    async def slow(env: Any) -> str:
        await anyio.lowlevel.checkpoint()
        return "done"

    room = Room()
    suites = [
        Suite(lambda: brute.agent().run(slow), [Case("a", said="x", runs=3)], world=room, out=io.StringIO(), log=None)
        for _ in range(2)
    ]

    async def both() -> list[int]:
        return await asyncio.gather(*(suite.arun() for suite in suites))

    for _ in range(2):  # in one loop after another
        assert asyncio.run(both()) == [0, 0]


def test_what_a_world_calls_its_own_attributes_is_its_own_business() -> None:
    """A game has turns, and seats that are taken; one that is copied is another one."""

    class Game(World):
        def __init__(self) -> None:
            self._turn, self._taken, self._turns, self._own = 0, set(), None, "me"

        def prepare(self, case: Case) -> Any:
            self._taken.add(case.name)
            self._turn += 1
            copied = copy.copy(self), copy.deepcopy(self)
            assert all(each._taken == self._taken for each in copied)
            return super().prepare(case)

    games: list[Game] = []

    def again() -> Game:
        games.append(copy.copy(games[-1]) if games else Game())
        return games[-1]

    for world in (Game, Game(), again):
        suite = quiet(echoes(), cases("a", "b"), world=world)
        assert suite.run() == 0, suite.report


def test_an_attempt_does_not_wait_for_the_world_that_it_is_in_itself() -> None:
    """It would for ever."""
    room = World()

    async def check(transcript: Any) -> None:
        await quiet(echoes(), cases("inner"), world=room).arun()

    suite = quiet(echoes(), [Case("outer", said="x", check=check)], world=room)
    assert suite.run() == 1
    assert suite.report is not None
    assert [each.message for each in suite.report.attempts[0].verdict.failures] == [
        'the check "outer" raised UsageError: an attempt runs a suite in the world that it is in itself; give that suite a world of its own'
    ]
    other = Case("outer", said="x", check=lambda transcript: None)
    assert quiet(echoes(), [other], world=room).run() == 0


def test_two_threads_do_not_run_suites_in_one_world() -> None:
    """They could take no turns in it."""
    inside, seen = threading.Event(), threading.Event()

    def waiting(env: Any) -> str:
        inside.set()
        seen.wait(10)
        return "done"

    room = World()
    first, second = (
        Suite(lambda: brute.agent().run(waiting), [Case("a", said="x")], world=room, out=io.StringIO(), log=None)
        for _ in range(2)
    )
    thread = threading.Thread(target=first.run)
    thread.start()
    try:
        assert inside.wait(10)
        with pytest.raises(UsageError, match="two threads run suites in one world at once"):
            second.run()
    finally:
        seen.set()
        thread.join()
    assert first.report is not None
    assert first.report.passed


@pytest.mark.parametrize("width", [1, 3])
def test_the_loop_has_a_pass_between_turns_that_never_wait(width: int) -> None:
    """For timers and Ctrl-C; also behind a turn that did wait, and so had passes of its own."""
    made, worst = 0, 0

    def passed(loop: asyncio.AbstractEventLoop) -> None:
        nonlocal made
        made = 0
        loop.call_soon(passed, loop)

    async def model(env: Any) -> str:
        nonlocal made, worst
        if env.messages[-1].content == "waits":
            await asyncio.sleep(0.001)
        made += 1
        worst = max(worst, made)
        return "done"

    async def fresh() -> brute.Agent:
        return brute.agent().run(model)

    async def go() -> None:
        passed(asyncio.get_running_loop())
        cases = [Case("a", said="waits"), Case("b", said="x", runs=20)]
        suite = Suite(fresh, cases, jobs=width, out=io.StringIO(), log=None)
        assert await suite.arun() == 0

    asyncio.run(go())
    # One more where a turn that waited ended in the same pass.
    assert 0 < worst <= width + 1
