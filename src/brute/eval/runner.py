"""How one attempt is made: a fresh agent in a fresh world, watched, stubbed, started, and graded."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from ..errors import ModelError, TurnStopped, UsageError
from ..hooks import ToolEvent
from ..leaves import abandoned, call_leaf
from ..loading import frames_of
from . import leaving, tls, wording
from .attempt import Attempt, Job
from .building import Builder
from .case import Case
from .checking import run_check
from .grading import grade, overrun
from .observer import Observer
from .stubs import StubError
from .subject import Subject
from .transcript import Transcript
from .trouble import Exited, Unstubbed, blame, is_trouble
from .verdict import Failure
from .world import World

CLOSING = 10.0
"""Seconds that a world has to close, also after an interruption."""


class Broken(Exception):
    """A step before the turn that came to grief."""

    def __init__(self, kind: str, sentence: str, detail: str = "") -> None:
        super().__init__(sentence)
        self.failure = Failure(kind, sentence, detail=detail)


class Runner:
    """How attempts are made: by which builder and adapters, in which worlds, under which deadline (seconds)."""

    def __init__(
        self,
        builder: Builder,
        adapt: Callable[[Any], Subject],
        world: Any,
        *,
        deadline: float,
        unstubbed: str,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.builder = builder
        self.adapt = adapt
        self.world = world
        self.deadline = deadline
        self.unstubbed = unstubbed
        self.clock = clock
        self.built = False

    async def attempt(self, job: Job) -> Attempt:
        """One attempt, from building the agent to the verdict; it raises only for bad input found at the first build."""
        case, transcript = job.case, Transcript(said=job.case.said)
        observer = Observer(transcript, case.budget, self.clock)
        left: list[str] = []
        abandoned.set(left)
        tls.counting.set(True)
        began, world = self.clock(), None
        try:
            world = await self._world()
            sent = len(world.published)
            subject, input = await self._prepared(case, world, observer)
            await self._turn(case, subject, input, observer, self.deadline - (self.clock() - began), left)
            transcript.published = list(world.published[sent:])
        except Broken as broken:
            transcript.error = broken.failure
        finally:
            observer.seal()
            if world is not None:
                await self._close(world, transcript)
        await self._checked(case, transcript)
        verdict = grade(case, transcript)
        if left:
            transcript.notes.append(wording.left_behind(left))
        return Attempt(case, job.number, verdict.status, verdict, transcript, left_behind=bool(left))

    async def _world(self) -> World:
        if isinstance(self.world, World):
            return self.world
        if isinstance(self.world, type) and self.world is World:
            return self.world()
        made = await self._step("error.world", "the world could not be made", self.world)
        if not isinstance(made, World):
            raise Broken("error.world", f"the world must be a World, got {wording.clipped(repr(made))}")
        return made

    async def _prepared(self, case: Case, world: World, observer: Observer) -> tuple[Subject, Any]:
        """The agent and what its turn starts with: built, watched and stubbed."""
        import anyio

        with anyio.move_on_after(self.deadline) as scope:
            subject = await self._subject(world)
            self._known(case, subject, observer.transcript)
            input = await self._step("error.world", "the world broke in prepare", world.prepare, case)
            # The observer comes before the stubs, so that it sees each call as the model made it.
            observer.watch(subject)
            await self._step("error.stub", "the world broke in stub", world.stub, subject, case.stubs)
            subject.on("approve_tool", Guard(case, self.unstubbed == "refuse"), inline=True)
        if scope.cancelled_caught:
            raise Broken("error.build", f"the agent and its world were not ready after {self.deadline:g} seconds")
        return subject, input

    async def _subject(self, world: World) -> Subject:
        try:
            subject = self.adapt(await self.builder.build(world))
            await subject.ready()
        except ModelError as error:
            raise Broken("error.model", wording.model_failed(error)) from error
        except UsageError as error:
            if not self.built:
                raise
            raise Broken("error.build", f"the agent could not be built: {error}") from error
        except Exception as error:
            raise Broken("error.build", f"the agent could not be built: {wording.exception(error)}", _detail(error)) from error
        self.built = True
        return subject

    def _known(self, case: Case, subject: Subject, transcript: Transcript) -> None:
        """Refuse a stub that stubs nothing before anything is spent."""
        tools = subject.tools
        transcript.tools, transcript.blind = tools, list(subject.blind)
        for name in case.stubs:
            if tools is not None and name not in tools:
                raise Broken("error.stub", wording.unknown_stub(name, tools))

    async def _turn(self, case: Case, subject: Subject, input: Any, observer: Observer, left_time: float, left: list[str]) -> None:
        transcript, seconds = observer.transcript, case.budget.seconds
        limit = max(0.0, left_time if seconds is None else min(seconds, left_time))
        try:
            await leaving.limited(_start(subject, input), limit, late=observer.late)
        except (leaving.Overtime, leaving.LeftBehind) as late:
            where = observer.late_in or ""
            if isinstance(late, leaving.LeftBehind):
                left.append(where)
            if seconds is not None and limit == seconds:
                observer.over("seconds")
            else:
                transcript.error = Failure("turn.deadline", wording.deadline(self.deadline, where), expected=self.deadline)
        except TurnStopped as stopped:
            if not overrun(transcript):
                transcript.error = blame(stopped, observer)
        except Exception as error:
            transcript.error = blame(error, observer)
        finally:
            observer.seal()
        if transcript.stopped == "budget.seconds" and seconds is not None:
            # What stopping it took counts too. A timer may be a hair early: the turn was stopped for this, so it did spend more.
            transcript.seconds = max(observer.seconds, math.nextafter(seconds, math.inf))
        if transcript.error is None and observer.model_error is not None and is_trouble(observer.model_error):
            # The agent went on without its model, and what it then said is no answer of the agent that ships.
            transcript.error = Failure("error.model", wording.model_failed(observer.model_error))

    async def _checked(self, case: Case, transcript: Transcript) -> None:
        """Run the check, where the turn ended by itself, under the deadline too."""
        if case.check is None or transcript.error is not None or overrun(transcript):
            return
        try:
            await leaving.limited(run_check(case, transcript), self.deadline)
        except (leaving.Overtime, leaving.LeftBehind):
            sentence = f"the check {wording.quote(case.name)} did not end within {self.deadline:g} seconds"
            transcript.failures.append(Failure("error.check", sentence))

    async def _close(self, world: World, transcript: Transcript) -> None:
        if type(world) is World:
            world.close()
            return
        import anyio

        with anyio.CancelScope(shield=True), anyio.move_on_after(CLOSING) as scope:
            try:
                await self._step("error.world", "the world broke in close", world.close)
            except Broken as broken:
                if transcript.error is None:
                    transcript.error = broken.failure
        if scope.cancelled_caught and transcript.error is None:
            transcript.error = Failure("error.world", f"the world did not close within {CLOSING:g} seconds")

    async def _step(self, kind: str, sentence: str, function: Any, *args: Any) -> Any:
        try:
            # The default world's own methods are quick, and spare themselves the hop to a thread.
            if getattr(function, "__module__", None) == World.__module__:
                return function(*args)
            return await call_leaf(function, *args)
        except Broken:
            raise
        except Exception as error:
            raise Broken(kind, f"{sentence}: {wording.exception(error)}", _detail(error)) from error


class Guard:
    """The last to be asked before a tool runs: a call that has a stub never reaches the tool, nor one that must have a stub."""

    def __init__(self, case: Case, refuse: bool) -> None:
        self.case = case
        self.refuse = refuse

    def __call__(self, event: ToolEvent) -> None:
        """Stop the turn at a call that must not run."""
        if event.answered or event.denied is not None:
            return
        if event.name in self.case.stubs:
            raise StubError(wording.unserved_stub(event.name))
        if self.refuse and event.tool is not None:
            raise Unstubbed(wording.unstubbed(event.name))


async def _start(subject: Subject, input: Any) -> None:
    try:
        await subject.start(input)
    except (SystemExit, KeyboardInterrupt) as error:
        # Out of a task of its own, these would take the whole loop with them.
        raise Exited(error) from error


def _detail(error: BaseException) -> str:
    return "\n".join(frames_of(error))
