"""What a worker does: one attempt after the other, as it is told, in a process that may come to grief."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import Callable

# By itself: an agent may put something else into the module.
from json import loads
from typing import Any, NoReturn

import anyio

from ...errors import UsageError
from .. import leaving, signals, stopwording
from ..attempt import Attempt, Job
from ..cassettes.wires import watched
from ..jsonable import plain
from ..subject import Subject
from ..threads import followed
from ..tls import taxed
from ..verdict import Failure
from . import kinship
from .condition import Condition
from .confiding import Confidant
from .frames import Frames
from .leftovers import Leftovers
from .receiving import Received
from .trail import TellingRunner

JOB, PING, STOP = b"J", b"P", b"S"
"""What a worker is told: an attempt to make, to say that its loop runs, to stop the attempt."""

GROWTH, USED, PONG, DONE, REFUSED, BROKEN, STOPPED = b"g", b"u", b"p", b"d", b"r", b"b", b"s"
"""What a worker tells: what has come of the attempt so far, what a model call used, that its loop runs, and how the attempt ended."""

LEAVE = 0.2
"""Seconds in which the children of an attempt that has ended may end too, before they count as left running."""


def work(channel: socket.socket, output: int, suite: Received, adapt: Callable[[Any], Subject]) -> NoReturn:
    """Make attempts until nobody asks for any more; this process is then over."""
    status = 70
    try:
        kinship.lead()
        signals.HEEDED = ()
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        for descriptor in (1, 2):
            os.dup2(output, descriptor)
        os.close(output)
        # Not above: in the run's own process, whoever imports it uses it.
        import faulthandler

        faulthandler.enable(file=2, all_threads=False)
        worker = Worker(channel, suite, adapt)
        worker.confidant.listen()
        leaving.run(worker.main())
        status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        _flush()
        # Whatever stands above in a forked process is its parent's, and so is what would be done at exit.
        os._exit(status)


def _allow(memory: int | None) -> None:
    """Let the attempt that begins have so many megabytes beyond those that the process takes now."""
    if memory is None:
        return
    import resource  # POSIX has it

    taken = 0
    with contextlib.suppress(OSError), open("/proc/self/statm", encoding="ascii") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    most = taken + memory * 1024 * 1024
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    with contextlib.suppress(ValueError, OSError):  # macOS knows the limit, and does not take it
        resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


class Worker:
    """One worker: what it is told comes by `channel`, and what it has to tell goes there."""

    def __init__(self, channel: socket.socket, suite: Received, adapt: Callable[[Any], Subject]) -> None:
        self.channel = channel
        self.suite = suite
        self.runner = TellingRunner(
            suite.builder,
            adapt,
            suite.world,
            deadline=suite.deadline,
            unstubbed=suite.unstubbed,
            faults=suite.faults,
            deck=suite.deck,
        )
        self.runner.tell = lambda told: self._send(GROWTH, told)
        self.runner.heard = lambda event: self._send(USED, plain(event.usage))
        self.confidant = Confidant(channel)
        self._send = self.confidant.send
        self._frames = Frames()
        self._jobs: asyncio.Queue[Any] = asyncio.Queue()
        self._scope: anyio.CancelScope | None = None
        self._leftovers: Leftovers | None = None
        self._condition: Condition | None = None

    async def main(self) -> None:
        """Make one attempt after the other."""
        asyncio.get_running_loop().add_reader(self.channel, self._heard)
        await asyncio.sleep(0)
        self._leftovers = Leftovers()
        self._condition = Condition(self.suite.memory is not None)
        while True:
            job = await self._jobs.get()
            with anyio.CancelScope() as self._scope:
                await self._attempt(job)
            stopped, self._scope = self._scope.cancelled_caught, None
            if stopped:
                self._send(STOPPED)

    def _heard(self) -> None:
        data = self.channel.recv(65536)
        if not data:
            # Whoever wanted the attempt is gone, and with this process goes what it started.
            os.killpg(0, signal.SIGKILL)
        for kind, body in self._frames.fed(data):
            if kind == JOB:
                self._jobs.put_nowait(loads(body))
            elif kind == PING:
                self._send(PONG)
            elif self._scope is not None:
                self._scope.cancel()
            else:
                self._send(STOPPED)

    async def _attempt(self, job: dict[str, Any]) -> None:
        """Make the attempt and tell how it ended."""
        self.runner.built = self.runner.built or job["built"]
        self.runner.spoilt = self.runner.spoilt or job["spoilt"]
        _allow(self.suite.memory)
        with followed(), taxed() as tax, watched() if self.suite.deck is not None else contextlib.nullcontext():
            self.runner.tax = tax
            try:
                attempt = await self.runner.attempt(Job(self.suite.cases[job["case"]], job["number"]))
            except UsageError as error:
                self._send(REFUSED, str(error))
                return
            except Exception as error:
                self._send(BROKEN, stopwording.broke("the harness broke", error))
                return
        # The turn's own task is done with its step only now, and nothing that was left running.
        await asyncio.sleep(0)
        left = await _left_running()
        _flush()
        failures = [*self._memory(attempt), *attempt.verdict.failures, *_left(left)]
        self._send(
            DONE,
            {
                "failures": [plain(each) for each in failures],
                "transcript": attempt.transcript.to_json(),
                "left": attempt.left_behind or bool(self._leftovers) or not _restored(self._condition),
                "children": bool(left),
                "built": self.runner.built,
                "tax": [tax.contexts, tax.seconds],
            },
        )

    def _memory(self, attempt: Attempt) -> list[Failure]:
        """The failure of having asked for more memory than there is, also where the agent caught that and went on."""
        transcript = attempt.transcript
        hogs = [call.name for call in transcript.calls if (call.error or "").startswith("MemoryError")]
        raised = transcript.error is not None and transcript.error.actual == "MemoryError"
        if self.suite.memory is None or not (hogs or raised):
            return []
        where = f"tool {hogs[0]}" if hogs else None
        sentence = stopwording.out_of_memory(self.suite.memory, where or "the agent's own code")
        return [Failure("turn.memory", sentence, expected=self.suite.memory)]


def _restored(condition: Condition | None) -> bool:
    return condition is None or condition.restored()


async def _left_running() -> list[str]:
    """What the attempt has left running, when it had a moment to end."""
    for _ in range(4):
        if not kinship.left_running():
            return []
        await asyncio.sleep(LEAVE / 4)
    return kinship.left_running()


def _left(running: list[str]) -> list[Failure]:
    return [Failure("turn.left", stopwording.left_running(running), actual=running)] if running else []
