"""How attempts are made: under which deadline, in which worlds, and graded."""

from __future__ import annotations

import contextvars
import functools
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

import anyio

from ..hooks import LlmEvent
from ..leaves import abandoned, being_cancelled, in_thread
from . import lag, leaving, remarks, stopwording, tls, unreached, wording
from .attempt import Attempt, Job
from .building import Builder
from .case import Case
from .cassettes.untaped import Untaped
from .checking import checked
from .faults import Faults
from .faulty import ReplayError
from .grading import grade, overrun
from .limits import Alarms, Limit
from .signals import Blocked, broke_in, interruptible
from .stages import CLOSING, Broken, Refused
from .subject import Subject
from .transcript import Transcript
from .trouble import root_cause
from .underway import Underway
from .verdict import Failure, Verdict
from .whose import outside
from .world import World, turn

if TYPE_CHECKING:
    from .cassettes.deck import Deck
    from .cassettes.taping import Taping

CLOSE = 10.0
"""Seconds that a world has to close, also after an interruption."""


class Runner:
    """How attempts are made: by which builder and adapters, in which worlds, under which deadline (seconds).

    `tax` is where the TLS contexts that the agents make are counted, and `heard` is told of each
    model call that ended, for the caps of the whole run, and `deck` holds the cassettes, where attempts are recorded or replayed. `built` says that an agent was built, so that the suite's own
    arguments are right; `spoilt` that an attempt was left behind in the one world that all of them share. `underway` are the attempts that run,
    `settle` is called before their time is read, so that `stood` is told first of a loop that has just stood still.
    """

    def __init__(
        self,
        builder: Builder,
        adapt: Callable[[Any], Subject],
        world: Any,
        *,
        deadline: float,
        unstubbed: str,
        clock: Callable[[], float] = time.perf_counter,
        tax: tls.Tax | None = None,
        heard: Callable[[LlmEvent], None] = lambda event: None,
        faults: Faults | None = None,
        deck: Deck | None = None,
    ) -> None:
        self.builder = builder
        self.adapt = adapt
        self.world = world
        self.deadline = deadline
        self.unstubbed = unstubbed
        self.clock = clock
        self.tax = tax
        self.heard = heard
        self.faults = faults
        self.deck = deck
        self.built = False
        self.spoilt = False
        self.underway: set[Underway] = set()
        self.settle: Callable[[], object] = lambda: None
        self.alarms = Alarms(lasting=True)
        # Made once: to set what is set in it takes longer than most verdicts.
        self._apart = contextvars.copy_context()
        self._apart.run(_set_apart)

    def attempt(self, job: Job) -> Awaitable[Attempt]:
        """One attempt, from building the agent to the verdict; it raises only for bad input found at the first build."""
        return self._in_turn(self.world, job) if isinstance(self.world, World) else self._attempt(job)

    async def _in_turn(self, world: World, job: Job) -> Attempt:
        # Another suite may have the same world, and run beside this one.
        async with turn(world):
            return await self._attempt(job)

    async def _attempt(self, job: Job) -> Attempt:
        case = job.case
        left: list[str] = []
        abandoned.set(left)
        if tls.counting.get() is not self.tax:  # it is that of the last attempt that was made here
            tls.counting.set(self.tax)
        under = self.begun(case)
        under.number, under.mark = job.number, left
        taping = None if self.deck is None else self._taping(job, self.deck)
        if taping is not None:
            under.taping = taping
        transcript = under.transcript
        self.underway.add(under)
        try:
            await self._turn(under)
        finally:
            self.underway.discard(under)
            under.observer.seal()
            if under.world is not None:
                await self._close(under, under.world)
        if taping is not None:
            taping.over(transcript)
        verdict = self._apart.copy().run(_graded, job, transcript)
        if case.check is not None and transcript.error is None and not overrun(transcript):
            verdict = Verdict((*verdict.failures, *await checked(case, transcript, self.deadline)))
        if broke_in():
            # The run is being cancelled, which the code that was broken into has held up: that is nobody's failure.
            await anyio.sleep(leaving.GRACE)
        if transcript.held and case.budget.seconds is not None:
            transcript.notes.append(remarks.not_counted(transcript.held))
        if left:
            transcript.notes.append(wording.left_behind(left))
            self.spoilt = True
            if isinstance(self.world, World):
                self.world._spoilt = True
        if taping is not None:
            verdict = await in_thread(functools.partial(taping.ended, verdict, transcript))
        return Attempt(case, job.number, verdict.status, verdict, transcript, left_behind=bool(left))

    def _taping(self, job: Job, deck: Deck) -> Taping:
        """What records the attempt, or replays it."""
        from .cassettes.taping import Taping

        return Taping(deck, job)

    def begun(self, case: Case) -> Underway:
        """What is to go on with the case; another kind of runner watches it more closely."""
        return Underway(self, case)

    def tools(self) -> list[str]:
        """The tools that run just now, with the cases that they run for."""
        return [
            remarks.in_tool(under.observer.tools, under.case.name) for under in [*self.underway] if under.observer.tools
        ]

    def stood(self, spans: Sequence[lag.Span]) -> None:
        """Tell the attempts under way that the loop stood still, and by whose code."""
        for under in [*self.underway]:
            under.stood(spans, alone=len(self.underway) == 1)

    async def _turn(self, under: Underway) -> None:
        """Run the attempt to the end of its turn, and note what came of it in the transcript."""
        transcript, observer = under.transcript, under.observer
        try:
            if not isinstance(under.taping, Untaped):
                await in_thread(under.taping.begin)
            await leaving.limited(under.go(), under.limit, under.late)
        except ReplayError as missing:
            transcript.error = Failure("error.replay", str(missing))
        except Broken as broken:
            transcript.error = broken.failure
        except Refused as refused:
            raise refused.error from None
        except (leaving.Overtime, leaving.LeftBehind):
            self._late(under)
        except Exception as error:
            if under.stage is not None:  # no step raised it, so it is a slip of ours
                raise
            self.settle()
            observer.seal()
            transcript.error = root_cause(observer, error)
        else:
            self.settle()
            observer.seal()
            transcript.error = root_cause(observer)
            if transcript.error is None and "calls" in transcript.blind:
                transcript.error = self._unseen(under)
        if under.capped or being_cancelled(under.limit.loop):
            # With the run, and before it could count as an answer.
            await anyio.lowlevel.checkpoint()
        try:
            transcript.published = under.published()
        except Broken as broken:
            transcript.error = transcript.error or broken.failure

    def _unseen(self, under: Underway) -> Failure | None:
        """What is wrong with a turn in which tools had to be kept from running, and no call could be seen."""
        refused = self.unstubbed == "refuse"
        if not (refused or under.case.stubs) or overrun(under.transcript):
            return None
        return Failure("error.blind", unreached.blind_to_calls(refused))

    def _late(self, under: Underway) -> None:
        """Note that the time was up: in a stage before the turn, or in the turn, by the case's budget or the deadline."""
        transcript, stage = under.transcript, under.stage
        if stage is not None:
            transcript.error = Failure(stage.kind, stopwording.too_slow(stage.broke, self.deadline))
            return
        transcript.error = root_cause(under.observer)
        if under.halted:
            return  # of what it was told to stop for, and not of its time
        if under.hurried:
            lost = transcript.held + transcript.unclear
            seconds = (under.case.budget.seconds or 0.0) + lost + (1e-6 if lost else 0.0)
            # What stopping it took counts too. A timer may be a hair early: the turn was stopped for this, so it did spend more.
            transcript.seconds = max(under.observer.seconds, math.nextafter(seconds, math.inf))
        elif transcript.error is None:
            sentence = stopwording.deadline(self.deadline, under.late_in)
            transcript.error = under.held_up or Failure("turn.deadline", sentence, expected=self.deadline)

    async def _close(self, under: Underway, world: World) -> None:
        """Close the world, also when the run is being cancelled; what it does wrong is an error unless there is one."""
        if type(world) is World:
            world.close()
            return
        error = None
        under.limit = Limit(CLOSE)
        with anyio.CancelScope(shield=True):
            try:
                await leaving.limited(under.step(CLOSING, world.close), under.limit, lambda: CLOSING.name)
            except (leaving.Overtime, leaving.LeftBehind):
                error = Failure(CLOSING.kind, stopwording.too_slow(CLOSING.broke, CLOSE))
            except Broken as broken:
                error = broken.failure
        under.transcript.error = under.transcript.error or error


def _graded(job: Job, transcript: Transcript) -> Verdict:
    """The verdict without the check's words; where judging breaks, an error of ours."""
    try:
        return grade(job.case, transcript)
    except (Exception, Blocked) as error:
        return Verdict((Failure("error.harness", stopwording.broke("the harness broke in grading", error)),))


def _set_apart() -> None:
    """Have what runs in this context be the case's own: a wish may be a function, which uses the agent's tools."""
    outside().__enter__()
    abandoned.set(None)
    # A pattern of the case's may take for ever on what the agent said.
    interruptible.set(True)
