"""How something is run so that the suite can leave it behind.

Everything else in the harness is structured: no task outlives the one that started it. What a turn, a check or a world does is the
one exception, since it may swallow its cancellation, and then a structured parent would wait for ever. So it is a task of its own,
which is cancelled when its time is up, given a moment to clean up, cancelled again, and where even that fails left behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import anyio

from ..leaves import abandoned
from . import children, daemons, ending, sparing, stepping
from .limits import Limit
from .signals import Ended, Interrupts, interrupted_by, wakeful

GRACE = 2.0
"""Seconds that a cancelled turn has for its own cleaning up."""

AGAIN = (0.05, 0.05, 0.05)
"""Seconds that it has when it is cancelled again, for an agent may catch a cancellation or two and go on."""

_left: set[asyncio.Task[Any]] = set()
_own: asyncio.AbstractEventLoop | None = None


class LeftBehind(Exception):
    """Something that could not be stopped in time."""


class Overtime(Exception):
    """Something that was stopped because its time was up."""


class Exited(Exception):
    """What would take the whole loop along: an exit, an interrupt, a cancellation that nobody asked for, a group of such."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


async def limited(work: Coroutine[Any, Any, Any], limit: Limit, late: Callable[[], str]) -> Any:
    """What `work` answers within its limit; `Overtime` when it had to be stopped, `LeftBehind` when it could not be.

    `late` is called when its time is up, before it is told, and says what it is in the middle of, which goes to `abandoned`
    where it is left behind. What is no `Exception` comes out as `Exited`.
    """
    turn = _Turn(limit.loop)
    limit.begin(turn.over.tell)
    try:
        task = stepping.begun(turn.loop, turn.carry(work))
        if not turn.ended:
            # For a task that is cancelled before it began.
            task.add_done_callback(turn.over.tell)
            waiting = stepping.waiting.get()
            if waiting is not None:
                waiting.had = True
            await turn.over
            if turn.ended:  # told of it already, inside of the task's last step
                task.remove_done_callback(turn.over.tell)
    except asyncio.CancelledError:
        limit.stopping = True
        await _stop(task)
        daemons.forsake()
        raise
    finally:
        limit.end()
    if turn.ended or task.done():
        return turn.outcome()
    where = late()
    limit.stopping = True
    ended = await _stop(task)
    told, forsaken = abandoned.get(), daemons.forsake()
    if told is not None and (not ended or (forsaken and not told)):
        told.append(where if not ended else "a thread of the agent's own pool")
    raise Overtime if ended else LeftBehind


class _Turn:
    """Something that runs in a task of its own, and what came of it."""

    __slots__ = ("__weakref__", "answer", "ended", "error", "loop", "over", "task")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.over = stepping.Told(loop)
        self.task: asyncio.Task[Any] | None = None
        self.ended = False
        self.answer: Any = None
        self.error: BaseException | None = asyncio.CancelledError()

    async def carry(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run it, keep what comes of it, and tell whoever waits for it."""
        sparing.begins(self)
        try:
            self.answer, self.error = await work, None
        except Ended:
            raise
        except BaseException as error:
            # An exit or an interrupt out of a task of its own would stop the loop under everything else.
            self.error = error
        self.ended, self.task = True, None
        # Told here and not when the task is done, a pass of the loop later: meanwhile the agent's connections would lie idle.
        self.over.tell()

    def outcome(self) -> Any:
        """What it answered; raises what it raised. What is no `Exception` (nobody cancelled it from here) comes as `Exited`."""
        error, self.error = self.error, None
        if error is None:
            return self.answer
        if isinstance(error, Exception):
            raise error
        raise Exited(error) from error


async def _stop(task: asyncio.Task[Any]) -> bool:
    """Cancel the task, at first gently; whether it has ended."""
    # The shield: a parent that is cancelled itself goes on being cancelled, and would never get to wait.
    with anyio.CancelScope(shield=True):
        for seconds in (GRACE, *AGAIN):
            task.cancel()
            await asyncio.wait((task,), timeout=seconds)
            if task.done():
                if not task.cancelled():
                    task.exception()  # looked at, so that the loop does not complain of it
                return True
    # It is kept, and never closed by force: one that resists that too would spin for ever once its loop is gone.
    _left.add(task)
    task.add_done_callback(_left.discard)
    return False


def left_behind() -> int:
    """How many tasks are still running that could not be stopped."""
    return len(_left)


def run(main: Coroutine[Any, Any, Any]) -> Any:
    """What `main` answers, on a loop of its own, which is given up rather than waited for where a task in it can't be stopped.

    After Ctrl-C or SIGTERM it raises `KeyboardInterrupt`, at the latest when code that blocks the loop was broken into, and the children that were started meanwhile are ended.
    """
    global _own
    runner = asyncio.Runner()
    loop = _own = runner.get_loop()
    loop.set_default_executor(daemons.Daemons())
    task = loop.create_task(main)
    interrupts = Interrupts(loop, task, GRACE)
    spared = children.running()
    try:
        with wakeful(loop), interrupted_by(interrupts), ending.under_way(interrupts.end):
            try:
                answer = _run_to_the_end(runner, task)
            finally:
                _own = None
                _close(runner, task)
    except (KeyboardInterrupt, asyncio.CancelledError) as error:
        if interrupts.count == 0 and isinstance(error, asyncio.CancelledError):
            raise
        try:
            children.end(spared, grace=0 if interrupts.count > 1 else None)
        except KeyboardInterrupt:  # another, while they are given their time
            children.end(spared, grace=0)
        # Without the loop's own trail of it, which says nothing to whoever pressed Ctrl-C.
        raise KeyboardInterrupt from None
    if interrupts.count:  # it came when all was done already; whoever runs several suites has to know
        raise KeyboardInterrupt
    return answer


def owned() -> bool:
    """Whether the running loop is one that `run` made, so that the process does nothing but run it."""
    return _own is not None and _own is asyncio.get_running_loop()


def _close(runner: asyncio.Runner, task: asyncio.Task[Any]) -> None:
    close: Callable[[asyncio.Runner], None] = _give_up
    try:
        # Not done: a second Ctrl-C, which ends it at once.
        if task.done() and _emptied(runner.get_loop()):
            close = asyncio.Runner.close
    finally:
        close(runner)


def _run_to_the_end(runner: asyncio.Runner, task: asyncio.Task[Any]) -> Any:
    while True:
        try:
            return runner.run(_result(task))
        except SystemExit:
            # Out of a task that the agent started by itself: whoever awaits it is told, and the run goes on.
            if task.done():
                raise
        except RuntimeError:
            # The loop was stopped under everything that runs on it, which is not the agent's to do.
            if task.done() or runner.get_loop().is_closed():
                raise


async def _result(task: asyncio.Task[Any]) -> Any:
    return await task


def _emptied(loop: asyncio.AbstractEventLoop) -> bool:
    """Cancel what the agents left running, and answer whether all of it has ended."""
    running = asyncio.all_tasks(loop) - _left
    for task in running:
        task.cancel()
    if running:
        with contextlib.suppress(SystemExit):
            loop.run_until_complete(asyncio.wait(running, timeout=GRACE))
    return not asyncio.all_tasks(loop)


def _give_up(runner: asyncio.Runner) -> None:
    """Keep the loop and its tasks for as long as the process lives."""
    running = asyncio.all_tasks(runner.get_loop())
    for task in running:
        # They never will be awaited, and the interpreter need not say so on its way out.
        task._log_destroy_pending = False  # type: ignore[attr-defined]
    # Held by a thread that never ends: whatever is collected gets closed first, which these tasks resist, aloud.
    hold, held = (lambda kept: threading.Event().wait()), (runner, running)
    threading.Thread(target=hold, args=(held,), name="left behind", daemon=True).start()
