"""One attempt on its way from the making of its world to the end of its turn."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..agent import messages_of
from ..errors import ModelError, TurnStopped, UsageError
from ..hooks import LlmEvent, ToolEvent, Watch, watching
from ..leaves import call_leaf
from . import defaults, leaving, stopwording, unreached, wording
from .case import Case
from .cassettes.untaped import UNTAPED, Untaped
from .faults import Striking
from .faulty import ReplayError, StubError, Unstubbed
from .globs import is_known
from .guarding import Guard
from .lag import Span
from .limits import Limit
from .observer import Observer
from .stages import BUILDING, MAKING, PREPARING, STUBBING, Broken, Refused, Stage
from .subject import Subject, Watcher, keep_watch
from .transcript import Transcript
from .trouble import held_up
from .verdict import Failure
from .world import PREPARED, World, take

if TYPE_CHECKING:
    from .cassettes.taping import Taping
    from .runner import Runner


class Underway:
    """One attempt under way: what has come of it so far.

    `stage` is what is being done before the turn, None in the turn; `capped` says that the whole run's caps stopped the turn, `halted` that
    it was told to stop, did not, and so has no more time.
    """

    def __init__(self, runner: Runner, case: Case) -> None:
        self.runner = runner
        self.case = case
        self.number = 1
        self.transcript = Transcript(said=case.said)
        self.taping: Taping | Untaped = UNTAPED
        self.observer = Observer(self.transcript, case.budget, runner.clock)
        self.limit = Limit(runner.deadline, runner.settle, runner.alarms)
        self.mark: object = self.transcript
        self._began = runner.clock()
        self.world: World | None = None
        self._list: list[Any] | None = None
        self._sent = 0
        self.stage: Stage | None = MAKING
        self.hurried = self.halted = self.capped = False
        self.late_in = ""
        self.held_up: Failure | None = None

    async def go(self) -> None:
        """Build the agent in its world, watch it, stub it, and run the turn; raises whatever comes of that."""
        self.observer.halt, self.observer.expecting = self._halt, False
        # One that our own class makes is always another, and can't fail.
        world = self.world = World() if self.runner.world is World else await self._made()
        refuse = self.runner.unstubbed == "refuse"
        guard = Guard(self.case.stubs, None, refuse, self.taping.frozen)
        # Not held by this, which the watch holds: freed at once, and not by the collector some time.
        watch = Watch()
        watch.first.on_all([("before_tool", functools.partial(self._early, guard))])
        watching.set(watch)
        subject = await self._built(world)
        if type(world) is not World:
            watching.set(None)  # what the case's own world does is not the agent's
        self._known(subject)
        guard.tools, self.observer.unseen = self.transcript.tools, guard.unseen
        input = await self._prepared(world)
        # From here on it is the guard that refuses what must not run.
        watch.first.clear("before_tool")
        self.taping.first(subject, self.observer, refuse)
        keep_watch(subject, self._watchers(subject, guard), first=True)
        await self.step(STUBBING, world.stub, subject, self.case.stubs)
        if self.runner.faults is not None:
            striking = Striking(self.runner.faults, self.case.name, self.number, self.observer)
            subject.on("before_tool", striking, inline=True)
        self.taping.last(subject)
        # After everyone who may change the call: what is seen of it as it will be executed, and the last word on it.
        keep_watch(subject, [*self.observer.watch_last(), ("approve_tool", guard)], first=False)
        # What was published until now was laid out, and is not the turn's doing.
        self._list = self._published()
        self._sent = len(self._list)
        if self.case.budget.seconds is not None:
            self.hurried = self.limit.shorten(self.case.budget.seconds)
        self.stage, self.observer.expecting = None, True
        try:
            await self.taping.during(subject.start, input)
        finally:
            self.transcript.tools = guard.tools
        self._heard_of_stubs()

    def _watchers(self, subject: Subject, guard: Guard) -> list[Watcher]:
        """Who hears of what happens before anyone else does."""
        # Before all others: what is spent is spent, whoever stops the turn.
        watchers: list[Watcher] = [("after_llm", self._spent)]
        # The observer comes before the stubs, so that it sees each call as the model made it.
        watchers += [*self.observer.watch_first(subject, guard.forbids), ("before_llm", guard.learn)]
        if defaults.asked(self.case):
            watchers.append(("before_tool", defaults.note(self.transcript)))
        watchers.append(("before_tool", guard.seal))
        return watchers

    def _spent(self, event: LlmEvent) -> None:
        if self.taping.freezes_model:
            return  # it was paid for when it was recorded
        try:
            self.runner.heard(event)
        except TurnStopped:
            self.capped = True
            raise

    def _halt(self) -> None:
        """Leave the turn little time to end: what it was told to stop with may be lost in a task that nobody awaits."""
        # The agent may be on a thread; and the loop of one that was left behind is closed.
        with contextlib.suppress(RuntimeError):
            self.limit.loop.call_soon_threadsafe(self._hasten)

    def _hasten(self) -> None:
        if not self.observer.ended and self.stage is None and self.limit.shorten(leaving.GRACE):
            self.halted = True

    def late(self) -> str:
        """Note where the turn is when its time is up, and end the record before it is stopped."""
        self.late_in = self.observer.where if self.stage is None else self.stage.name
        self.held_up = held_up(self.observer, self.runner.deadline)
        if self.hurried and not self.halted:
            self.observer.over("seconds")
        self.observer.seal()
        return self.late_in

    def stood(self, spans: Sequence[Span], alone: bool) -> None:
        """Take off what the loop stood still by another's code; where it was `alone`, what nobody did was its own."""
        age = self.runner.clock() - self._began
        turn = self.observer.seconds if self.stage is None and not self.observer.ended else 0.0
        for owner, began, ended in spans:
            if owner is self.mark or (owner is None and alone):
                continue
            self.limit.extend(max(min(began, age) - ended, 0.0))
            lost = max(min(began, turn) - ended, 0.0)
            if owner is None:
                self.transcript.unclear += lost
            else:
                self.transcript.held += lost

    async def _made(self) -> World:
        world = self.runner.world
        if isinstance(world, World):
            if self.runner.spoilt or world._spoilt:
                raise Broken(MAKING.kind, stopwording.spoilt_world())
            return world
        made = await self.step(MAKING, world)
        if not isinstance(made, World):
            raise Broken(MAKING.kind, stopwording.odd_world(made))
        if not take(made):
            raise Broken(MAKING.kind, stopwording.same_world())
        return made

    def published(self) -> list[Any]:
        """What this attempt's turn, and not an earlier one's in the same world, sent outward."""
        sent = self._published()
        if self._list is None:  # the turn was never begun
            return []
        # A list that was begun anew, or emptied, in the turn holds the turn's own.
        return list(sent) if sent is not self._list or len(sent) < self._sent else sent[self._sent :]

    def _published(self) -> list[Any]:
        sent = [] if self.world is None else self.world.published
        if not isinstance(sent, list):
            raise Broken(MAKING.kind, stopwording.odd_published(sent))
        return sent

    async def _built(self, world: World) -> Subject:
        """The agent, built under the watch of its turn, so that the tasks that it starts now are seen when they call its tools then."""
        self.stage = BUILDING
        try:
            subject = await self.taping.during(self._agent, world)
            if not self.taping.freezes_model:
                await subject.ready()
        except ReplayError as missing:
            raise Broken("error.replay", str(missing)) from None
        except StubError as early:
            raise Broken("error.unstubbed" if isinstance(early, Unstubbed) else "error.stub", str(early)) from None
        except ModelError as error:
            raise Broken("error.model", wording.model_failed(error), error) from error
        except UsageError as error:
            if not self.runner.built:
                raise Refused(error) from error
            raise Broken(BUILDING.kind, f"{BUILDING.broke}: {error}") from error
        except BaseException as error:
            if self.limit.stopping:
                raise
            raise Broken(BUILDING.kind, stopwording.broke(BUILDING.broke, error), error) from error
        self.runner.built = True
        return subject

    async def _agent(self, world: World) -> Subject:
        return self.runner.adapt(await self.runner.builder.build(world))

    def _early(self, guard: Guard, event: ToolEvent) -> None:
        """Refuse a tool that must not run where it is called before the turn, when no stub is served yet."""
        early = guard.early(event.name)
        if early is not None:
            self.observer.fault = self.observer.fault or early
            raise early

    def _known(self, subject: Subject) -> None:
        """Refuse a stub that stubs nothing before anything is spent."""
        tools = subject.tools
        self.transcript.tools, self.transcript.blind = tools, list(subject.blind)
        for name in self.case.stubs:
            if tools is not None and not is_known(name, tools):
                raise Broken(STUBBING.kind, wording.unknown_stub(name, tools))

    def _heard_of_stubs(self) -> None:
        """Refuse a stub that may have stubbed nothing, where the tools of the agent are not known at all."""
        for name in self.case.stubs if self.transcript.tools is None else ():
            if not is_known(name, self.transcript.names):
                raise StubError(unreached.unheard_stub(name, list(self.transcript.counts)))

    async def _prepared(self, world: World) -> Any:
        input = await self.step(PREPARING, world.prepare, self.case)
        if getattr(world.prepare, "__func__", None) is PREPARED:  # it answers what the case has been checked for
            return input
        try:
            messages_of(input)
        except UsageError:
            raise Broken(PREPARING.kind, stopwording.odd_input(input)) from None
        return input

    async def step(self, stage: Stage, function: Callable[..., Any], *args: Any) -> Any:
        """What the function answers; `Broken` for what it raises."""
        self.stage = stage
        try:
            # The default world's own methods are quick, and spare themselves the hop to a thread.
            if function is World or getattr(function, "__module__", None) == World.__module__:
                return function(*args)
            return await call_leaf(function, *args)
        except BaseException as error:
            if self.limit.stopping:
                raise
            raise Broken(stage.kind, stopwording.broke(stage.broke, error), error) from error
