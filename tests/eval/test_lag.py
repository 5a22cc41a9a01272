"""Whoever blocks the event loop is named while it blocks, and the report says how late the loop was."""

from __future__ import annotations

import asyncio
import io
import re
import threading
from typing import Any

import pytest

from brute.eval import Budget, Case, lag
from brute.eval.cli.running import Relay
from brute.eval.lag import Watch, watching
from tests.eval.reporters.test_live import Terminal, live
from tests.support.agents import Clock, Quiet, asks, build, makes, quiet, report, tool
from tests.support.screen import shown


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lag, "NOTED", 0.1)
    monkeypatch.setattr(lag, "BLOCKED", 0.2)


class Hears(Quiet):
    """A reporter that lets a tool go on when it is warned of it."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []
        self.warned_once = threading.Event()

    def warned(self, sentence: str) -> None:
        """Remember it."""
        self.heard.append(sentence)
        self.warned_once.set()


def test_a_tool_that_blocks_the_loop_is_named_while_it_blocks() -> None:
    """It goes on only when that was said, with the case and the line; the report says it again."""
    reporter = Hears()

    async def crunch() -> str:
        return str(reporter.warned_once.wait(10))

    suite = quiet(makes(asks("crunch"), "done", tools=[tool(crunch)]), [Case("a", said="x")])
    suite.reporter = reporter
    assert suite.run() == 0
    (heard,) = reporter.heard
    where = r'at \S*test_lag\.py:\d+ in crunch \(tool crunch of "a"\); '
    assert re.fullmatch(rf"the event loop has been blocked for 0\.\d seconds {where}every attempt waits for it", heard)
    assert suite.report is not None
    (note,) = suite.report.notes
    assert re.match(rf"the event loop stood still 1 time, at worst for 0\.\d+ seconds {where}the seconds of all", note)


class Heard(io.StringIO):
    """A standard error that lets a tool go on when something was said there."""

    def __init__(self) -> None:
        super().__init__()
        self.once = threading.Event()

    def flush(self) -> None:
        """What was said is out."""
        self.once.set()


def test_it_is_said_on_standard_error_where_the_reporter_does_not_take_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report on standard output is not spoilt."""
    heard = Heard()
    monkeypatch.setattr("sys.stderr", heard)

    async def crunch() -> str:
        return str(heard.once.wait(10))

    report(makes(asks("crunch"), "done", tools=[tool(crunch)]), [Case("a", said="x")])
    assert heard.getvalue().startswith("warning: the event loop has been blocked for 0.")


def test_a_loop_that_runs_is_no_remark(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool that waits as it should, or on a thread, holds up nobody."""
    monkeypatch.setattr(lag, "NOTED", 5.0)
    done = threading.Event()

    async def waits() -> str:
        await asyncio.sleep(0)
        return "waited"

    def blocks() -> str:
        return str(done.wait(0.3))

    tools = [tool(waits), tool(blocks)]
    assert report(makes(asks("waits", "blocks"), "done", tools=tools), [Case("a", said="x")]).notes == ()


def watch(clock: Clock, **more: Any) -> Watch:
    """A watch that sees one tool run, and remembers what it warned of."""
    return Watch(**{"running": lambda: ['tool t of "a"'], "warn": lambda sentence: None, "clock": clock, **more})


def test_the_worst_is_kept_with_what_ran_then() -> None:
    """And how often the loop was late."""
    clock = Clock()
    names = ["first"]
    seen = watch(clock, running=lambda: [*names])
    for late in (0.05, 0.3, 0.09, 0.2):
        seen.beat()
        clock.now += lag.PERIOD + late
        seen.look()
        names[0] = "later"
    seen.beat()
    assert (seen.count, round(seen.worst, 3), seen.during[1]) == (2, 0.3, ["later"])


def test_each_blocking_is_told_once() -> None:
    """However long it lasts; the next one is told again."""
    clock = Clock()
    heard: list[str] = []
    seen = watch(clock, warn=heard.append)
    for _ in range(2):
        seen.beat()
        for _ in range(5):
            clock.now += 0.5
            seen.look()
    assert len(heard) == 2


def test_what_changes_while_it_is_looked_through_is_left_out() -> None:
    """The thread looks without a lock."""

    def changes() -> list[str]:
        raise RuntimeError("dictionary changed size during iteration")

    clock = Clock()
    seen = watch(clock, running=changes)
    clock.now += 1
    seen.look()
    seen.beat()
    assert seen.during[1] == []


def test_nothing_is_left_of_it() -> None:
    """Neither a thread nor a timer."""

    async def go() -> int:
        with watching(watch(Clock())):
            await asyncio.sleep(0)
        return threading.active_count()

    before = threading.active_count()
    assert asyncio.run(go()) == before


def test_on_a_terminal_it_stands_above_the_line_of_progress() -> None:
    """As an attempt does."""
    stream = Terminal()
    Relay(live(stream)).warned("the loop\x1b[31m is blocked")
    assert shown(stream.getvalue()) == "warning: the loop\\u001b[31m is blocked\n"


def spans(clock: Clock, *looks: tuple[float, object]) -> list[Any]:
    """What is told of a loop that came a second late, at which somebody looked after so many seconds and saw that."""
    told: list[Any] = []
    seen = watch(clock, stood=told.extend)
    owners = iter([owner for _, owner in looks])
    seen._owner = lambda: next(owners)  # type: ignore[method-assign]
    seen.beat()
    due = clock.now + lag.PERIOD
    for after, _ in looks:
        clock.now = due + after
        seen.look()
    clock.now = due + 1.0
    seen.beat()
    return [(owner, round(began, 3), round(ended, 3)) for owner, began, ended in told]


def test_the_time_that_a_loop_stood_still_is_parted_among_those_who_were_seen() -> None:
    """Each has it from the last look to his, the last one the rest; nobody has it where nobody was seen."""
    assert spans(Clock(), (0.1, "a"), (0.5, "a"), (0.8, "b")) == [("a", 1.0, 0.9), ("a", 0.9, 0.5), ("b", 0.5, 0.0)]
    assert spans(Clock(), (0.9, "a")) == [("a", 1.0, 0.0)]
    assert spans(Clock()) == [(None, 1.0, 0.0)]


def test_what_was_seen_before_is_not_of_the_next_time() -> None:
    """A loop that was hardly late tells nothing."""
    clock = Clock()
    told: list[Any] = []
    seen = watch(clock, stood=told.extend)
    seen.beat()
    clock.now += lag.PERIOD + 0.08
    seen.look()
    seen.beat()
    clock.now += lag.PERIOD + 0.5
    seen.beat()
    assert [owner for owner, _, _ in told] == [None]


class Turns:
    """Agents of which one blocks the loop, in a task of its own or in the turn's, while another's turn waits for hardly any time."""

    def __init__(self, seconds: float, nested: bool) -> None:
        self.seconds = seconds
        self.nested = nested

    async def factory(self) -> Any:
        """An agent that blocks where it is told to."""
        return build(self.model, [tool(self.blocks)])

    async def model(self, env: Any) -> Any:
        """Wait for a moment, then ask for the tool where that is wanted."""
        await asyncio.sleep(0.02)
        if env.iteration == 1 and env.messages[0].content == "blocks":
            return asks("blocks")
        if env.messages[0].content == "waits":
            await asyncio.sleep(0.03)
        return "done"

    async def blocks(self) -> str:
        """Block the loop."""

        async def crunch() -> None:
            threading.Event().wait(self.seconds)

        await (asyncio.ensure_future(crunch()) if self.nested else crunch())
        return "done"

    def run(self, budget: float, **options: Any) -> dict[str, Any]:
        """The attempts, by their cases."""
        cases = [Case(name, said=name, budget=Budget(seconds=budget)) for name in ("waits", "blocks")]
        return {attempt.case.name: attempt for attempt in report(self.factory, cases, **options).attempts}


@pytest.mark.parametrize("nested", [True, False], ids=["in another task", "in the turn"])
def test_who_blocks_the_loop_pays_for_it_and_nobody_else(nested: bool) -> None:
    """The other one is not failed for it; nor does it pass, since its model may have needed that time anyway, and it says so."""
    made = Turns(0.8, nested).run(0.4)
    [waits] = made["waits"].verdict.failures
    assert (waits.kind, waits.message.endswith(" seconds by another attempt's code; budget 0.4")) == (
        "error.blind",
        True,
    )
    assert made["waits"].transcript.held > 0.5
    assert any("would have waited anyway can't be seen" in note for note in made["waits"].transcript.notes)
    assert [failure.kind for failure in made["blocks"].verdict.failures] == ["budget.seconds"]
    assert made["blocks"].transcript.held == 0.0


def test_another_ones_blocking_is_not_the_deadlines_either() -> None:
    """It ends later by as much."""
    made = Turns(0.8, False).run(100, deadline=0.4)
    assert made["waits"].status == "passed"


def test_a_loop_that_nobody_is_seen_to_block_leaves_the_budget_unclear(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error, and not a failure, also for the one that did it."""
    monkeypatch.setattr(Watch, "_owner", lambda watch: None)
    made = Turns(0.8, False).run(0.4)
    for attempt in made.values():
        assert (attempt.status, attempt.verdict.failures[0].kind) == ("error", "error.blind")
        assert attempt.verdict.sentences[0].startswith("cannot tell seconds spent: the event loop stood still for 0.")


def test_one_that_runs_alone_pays_for_what_nobody_is_seen_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is nobody else whose it could be."""
    monkeypatch.setattr(Watch, "_owner", lambda watch: None)
    made = Turns(0.8, False).run(0.4, jobs=1)
    assert [each.verdict.failures[0].kind for each in (made["blocks"],)] == ["budget.seconds"]
