"""The line from the threads that a blocking agent runs on to the loop that its turn is told on."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any

import anyio

from ...hooks import watching
from ...leaves import abandoned, on_thread
from .. import stepping, unhooked
from ..bridging import wait
from ..foreign import Turn, current

LINE = "brute.line"
"""Where the env's metadata of a turn holds its line."""

PATIENCE = 1.5
"""The seconds that a thread has to come to its end once the turn is cancelled."""

CLOSED = 5.0
"""The seconds after which a thread that waits looks whether there is still a loop."""

asking: contextvars.ContextVar[bool] = contextvars.ContextVar("brute_asking", default=False)
"""Whether a model is being asked here, so that what it asks in its turn is a part of that."""


class Call:
    """What a thread waits for: a coroutine, to be begun on the loop, and what came of it."""

    def __init__(self, work: Coroutine[Any, Any, Any]) -> None:
        self.work = work
        self.answer: Any = None
        self.error: BaseException | None = None
        self.task: asyncio.Task[None] | None = None
        self.over = threading.Lock()
        self.over.acquire()

    async def carry(self) -> None:
        """Run it to its end, whatever that is: nothing of it is the loop's."""
        try:
            self.answer = await self.work
        except asyncio.CancelledError:
            self.error = unhooked.left_running()
        except BaseException as error:
            self.error = error
        finally:
            self.over.release()


class Line:
    """The line of one turn, made on its loop. Once it is cut, whoever calls stops: nothing that the agent left running goes on.

    `bodies` are the names of the tools whose own code runs now.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._cut = False
        self._calls: set[Call] = set()
        self.bodies: list[str] = []
        self._out: anyio.Event | None = None

    def wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        """What the coroutine answers on the turn's loop, while this thread stands still."""
        if _runs_here(self._loop):
            return wait(work)  # on another, since this one waits for whoever calls
        call = Call(work)
        try:
            self._loop.call_soon_threadsafe(self._begin, call)
            while not call.over.acquire(timeout=CLOSED):
                if self._loop.is_closed():
                    raise RuntimeError
        except RuntimeError:  # the loop is closed
            raise unhooked.left_running() from None
        finally:
            work.close()
        if call.error is not None:
            raise call.error
        return call.answer

    def _begin(self, call: Call) -> None:
        if self._cut:
            call.error = unhooked.left_running()
            call.over.release()
            return
        self._calls.add(call)
        # In one pass of the loop: most of it waits for nothing.
        call.task = stepping.begun(self._loop, call.carry())
        if call.task.done():
            self._calls.discard(call)
        else:
            call.task.add_done_callback(lambda task: self._calls.discard(call))

    @property
    def is_cut(self) -> bool:
        """Whether nobody may call any more."""
        return self._cut

    def cut(self) -> None:
        """Let nobody call any more, and end the calls under way."""
        self._cut = True
        for call in self._calls:
            if call.task is not None:
                call.task.cancel()

    async def carry(self, function: Callable[[], Any], interrupt: Callable[[], None]) -> Any:
        """What `function()` answers on a thread. Cancelled, it is interrupted, and has a moment to end before it is left behind."""
        over, made = anyio.Event(), []

        def done(answer: Any, error: BaseException | None) -> None:
            made.append((answer, error))
            with contextlib.suppress(RuntimeError):  # the loop is closed: whoever asked has gone
                self._loop.call_soon_threadsafe(over.set)

        on_thread(function, done)
        try:
            await over.wait()
        except BaseException:
            interrupt()
            await self.given_up(over.wait, "the agent's thread")
            raise
        self.cut()
        answer, error = made[0]
        if error is not None:
            raise error
        return answer

    async def given_up(self, ended: Callable[[], Awaitable[Any]], what: str) -> None:
        """Cut the line of a turn that was cancelled, and wait a moment for what has `ended()`; else it is told as left behind."""
        self.cut()
        with anyio.move_on_after(PATIENCE, shield=True):
            await ended()
            return
        told = abandoned.get()
        if told is not None:
            told.append(f"tool {self.bodies[-1]}" if self.bodies else what)

    async def idle(self) -> None:
        """Wait until no tool's own code runs."""
        if self.bodies:
            self._out = anyio.Event()
            await self._out.wait()

    @contextlib.contextmanager
    def body(self, name: str) -> Iterator[None]:
        """While a tool's own code runs."""
        self.bodies.append(name)
        try:
            yield
        finally:
            self.bodies.remove(name)
            if self._out is not None and not self.bodies:
                with contextlib.suppress(RuntimeError):  # the loop is closed
                    self._loop.call_soon_threadsafe(self._out.set)


def tell(turn: Turn, work: Coroutine[Any, Any, Any]) -> Any:
    """What the coroutine, an event of the turn, answers, while this thread stands still."""
    line: Line | None = turn.root.env.metadata.get(LINE)
    # The turn of another framework's agent, in whose tool this one runs, has none.
    return wait(work) if line is None else line.wait(work)


def body(turn: Turn, name: str) -> contextlib.AbstractContextManager[None]:
    """While the own code of a tool of the turn runs."""
    line: Line | None = turn.root.env.metadata.get(LINE)
    return contextlib.nullcontext() if line is None else line.body(name)


class Within:
    """What runs on this thread belongs to the turn while this is held."""

    __slots__ = ("_before", "_turn")

    def __init__(self, turn: Turn) -> None:
        self._turn = turn

    def __enter__(self) -> None:
        turn = self._turn
        self._before = current.set(turn), watching.set(turn.watch), asking.set(False)

    def __exit__(self, *failed: object) -> None:
        before, watch, asks = self._before
        asking.reset(asks)
        watching.reset(watch)
        current.reset(before)


def within(turn: Turn) -> Within:
    """While what runs on this thread belongs to the turn, whatever the thread knows."""
    return Within(turn)


def _runs_here(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False
