"""One worker, as the run sees it: what it told and printed, and how it ended."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
from collections.abc import Callable, Mapping
from typing import Any

import anyio

from ...messages import Usage
from .. import leaving
from ..jsonable import usage_from_json
from ..masking import WINDOW
from . import confiding, nursery, trail, worker
from .frames import Frames, packed

OUTPUT = 64 * 1024 * 1024
"""Bytes that an attempt may write to standard output and standard error, together."""

TAIL = 4000
"""Bytes of that, the last ones, which are kept to be shown where the attempt comes to grief."""

STOP = leaving.GRACE + 1.0
"""Seconds that an attempt has when it is stopped: for its turn to clean up, and for its world to close."""

ANSWER = 1.0
"""Seconds in which a worker whose attempt is past its deadline has to answer that its loop still runs."""


class Worker:
    """One worker, as the run sees it.

    `grown` is all that it told of its attempt, `silent` the seconds from the last of that until it ended, `tail` what it printed last,
    `written` how many bytes that were in all; `why` says why it was killed where that was the run's doing, and `status` is its exit
    status or the negative of the signal that ended it, None where nobody knows. `orphaned` says that the nursery ended, and this one with it;
    `pid` is its process where that is known. `used` is told what each model call used, when it comes in.
    """

    def __init__(
        self,
        channel: socket.socket,
        output: int,
        kill: Callable[[], None],
        used: Callable[[Usage | None], object] = lambda usage: None,
    ) -> None:
        self._channel = channel
        self._output = output
        self._frames = Frames()
        self._loop = asyncio.get_running_loop()
        self._over: asyncio.Future[tuple[bytes, bytes]] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._send_kill = kill
        self._used = used
        self._answered = True
        self._grown_at = 0.0
        self._ends = 0.0
        self._budget: float | None = None
        self.silent = 0.0
        self.gone = False
        self.orphaned = False
        self.pid: int | None = None
        self.grown: list[bytes] = []
        self.tail = b""
        self.written = 0
        self.status: int | None = None
        self.why: str | None = None
        self._channel.setblocking(False)
        os.set_blocking(output, False)
        self._loop.add_reader(channel, self._heard)
        self._loop.add_reader(output, self._printed)

    async def attempt(
        self, job: Mapping[str, Any], deadline: float, budget: float | None = None
    ) -> tuple[bytes, bytes]:
        """The frame that the attempt ends in; `ENDED` where the worker did not survive it. `budget` is the turn's, in seconds."""
        self._drain()
        self.grown, self.tail, self.written, self._answered = [], b"", 0, True
        self._over = self._loop.create_future()
        if self.gone:
            self._settle(nursery.ENDED)
        with contextlib.suppress(ConnectionError):  # it has ended, and the nursery will tell how
            self._channel.send(packed(worker.JOB, job))
        self._ends, self._budget = self._loop.time() + deadline, budget
        self._timer = self._loop.call_at(self._ends, self._past_deadline)
        try:
            return await self._over
        except asyncio.CancelledError:
            with anyio.CancelScope(shield=True):
                await self._stop()
            raise
        finally:
            self._timer.cancel()

    async def _stop(self) -> None:
        """Let the attempt clean up for a moment, then kill the worker where that was not enough."""
        assert self._over is not None
        with contextlib.suppress(OSError):
            self._channel.send(packed(worker.STOP))
        self._over = self._loop.create_future()
        if not self.gone:
            await asyncio.wait((self._over,), timeout=STOP)
        if not self._over.done():
            self.kill("interrupted")

    def kill(self, why: str) -> None:
        """Kill it, with its children."""
        self.why = self.why or why
        self._send_kill()

    def _look_after(self, ends: float) -> None:
        """Let its time be up then."""
        if self._timer is not None:
            self._timer.cancel()
            self._answered = True
            self._timer = self._loop.call_at(ends, self._past_deadline)

    def _past_deadline(self) -> None:
        """Kill it unless its loop still runs, and so will stop the attempt by itself."""
        if not self._answered:
            self.kill("deadline")
            return
        self._answered = False
        with contextlib.suppress(OSError):
            self._channel.send(packed(worker.PING))
        self._timer = self._loop.call_later(ANSWER, self._past_deadline)

    def _heard(self) -> None:
        try:
            data = self._channel.recv(1 << 18)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._loop.remove_reader(self._channel)
        self._told(data)

    def _told(self, data: bytes) -> None:
        for kind, body in self._frames.fed(data):
            if kind == worker.GROWTH:
                self.grown.append(body)
                self._grown_at = self._loop.time()
                if self._budget is not None and body in (trail.TURN, trail.OVER):
                    turn = body == trail.TURN
                    self._look_after(min(self._ends, self._grown_at + self._budget) if turn else self._ends)
            elif kind == worker.USED:
                self._used(usage_from_json(json.loads(body)) if body else None)
            elif kind == confiding.SECRETS:
                confiding.heard(body)
            elif kind == worker.PONG:
                self._answered = True
            else:
                self._settle(kind, body)

    def _settle(self, kind: bytes, body: bytes = b"") -> None:
        if self._over is not None and not self._over.done():
            self._over.set_result((kind, body))

    def _printed(self) -> None:
        try:
            data = os.read(self._output, 1 << 18)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._loop.remove_reader(self._output)
        self.written += len(data)
        self.tail = (self.tail + data)[-TAIL - WINDOW :]
        if self.written > OUTPUT and self.why is None:
            self.kill("output")

    def _drain(self) -> None:
        """Read what has been written so far."""
        before = -1
        while before != self.written:
            before = self.written
            self._printed()

    def ended(self, status: int | None) -> None:
        """It is gone: read what it left in its channel and its output, and let go of both."""
        if self.gone:
            return
        self.gone, self.status = True, status
        for read, descriptor in ((self._read_rest, self._channel), (self._drain, self._output)):
            read()
            self._loop.remove_reader(descriptor)
        self._channel.close()
        os.close(self._output)
        self.silent = self._loop.time() - self._grown_at
        self._settle(nursery.ENDED)

    def _read_rest(self) -> None:
        with contextlib.suppress(OSError):
            while data := self._channel.recv(1 << 18):
                self._told(data)
