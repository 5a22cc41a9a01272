"""The run's side of its other processes: the nursery that starts workers, and the workers that are there."""

from __future__ import annotations

import array
import asyncio
import contextlib
import itertools
import json
import os
import socket
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from typing import Any

import anyio

from ...errors import UsageError
from ...messages import Usage
from .. import masking
from . import confiding, kinship, nursery
from .frames import Frames, packed
from .remote import TAIL, Worker

LEAVE = 5.0
"""Seconds in which the nursery has to end."""


class Pool:
    """The workers of one run, and the nursery that they come from. `command` starts a nursery; a descriptor is added to it.

    `used` is told what each model call used. `lost` says that the nursery has ended, so that another pool is needed.
    """

    def __init__(self, command: list[str], used: Callable[[Usage | None], object] = lambda usage: None) -> None:
        self._command = command
        self._used = used
        self._numbers = itertools.count(1)
        self._workers: dict[int, Worker] = {}
        self._frames = Frames()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._ready: asyncio.Future[None] | None = None
        self.forks = False
        self.lost = False

    async def open(self, order: Mapping[str, Any], seconds: float) -> None:
        """Start the nursery, and wait until it has loaded the suite; raises `UsageError` where it can't."""
        loop = asyncio.get_running_loop()
        self._ready = loop.create_future()
        self._start()
        assert self._control is not None
        with contextlib.suppress(ConnectionError):  # it has ended already, which is told below
            self._control.sendall(packed(b"O", order))
        self._control.setblocking(False)
        loop.add_reader(self._control, self._heard)
        try:
            async with asyncio.timeout(seconds):
                await self._ready
        except TimeoutError:
            raise UsageError(f"the suite's file was not loaded by another process after {seconds:g} seconds") from None

    def _start(self) -> None:
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [*self._command, str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                start_new_session=True,
            )

    def start(self) -> Worker:
        """A new worker; raises `ConnectionError` where the nursery is no more."""
        assert self._control is not None
        if self.lost:
            raise ConnectionError("the process that starts the workers has ended")
        number = next(self._numbers)
        channel, theirs = socket.socketpair()
        output, mouth = os.pipe()
        self._control.setblocking(True)
        descriptors = array.array("i", [theirs.fileno(), mouth])
        try:
            self._control.sendmsg(
                [packed(nursery.START, number)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)]
            )
        except ConnectionError:
            channel.close()
            os.close(output)
            self._lost()
            raise
        finally:
            self._control.setblocking(False)
            theirs.close()
            os.close(mouth)
        made = self._workers[number] = Worker(channel, output, lambda: self._kill(number), self._used)
        return made

    def _kill(self, number: int) -> None:
        with contextlib.suppress(OSError):
            if self._control is not None:
                self._control.send(packed(nursery.KILL, number))

    def _heard(self) -> None:
        assert self._control is not None
        assert self._ready is not None
        try:
            data = self._control.recv(65536)
        except BlockingIOError:
            return
        except ConnectionError:
            data = b""
        for kind, body in self._frames.fed(data):
            found = json.loads(body)
            if kind == confiding.SECRETS:
                confiding.heard(body)
            elif kind == nursery.READY and not self._ready.done():
                self.forks = found["forks"]
                self._ready.set_result(None)
            elif kind == nursery.UNFIT and not self._ready.done():
                self._ready.set_exception(UsageError(found))
            elif kind == nursery.STARTED and found[0] in self._workers:
                self._workers[found[0]].pid = found[1]
            elif kind == nursery.ENDED and found[0] in self._workers:
                self._workers.pop(found[0]).ended(found[1])
        if not data:
            self._lost()

    def _lost(self) -> None:
        """The nursery has ended, and all workers with it."""
        assert self._control is not None
        self.lost = True
        asyncio.get_running_loop().remove_reader(self._control)
        if self._ready is not None and not self._ready.done():
            self._ready.set_exception(
                UsageError(f"the suite's file ended the process that loaded it{self._last_words()}")
            )
        for worker in list(self._workers.values()):
            if worker.pid is not None:
                # It goes with the nursery by itself, on Linux; what it had started does not.
                kinship.kill(worker.pid)
            worker.orphaned = True
            worker.ended(None)
        self._workers.clear()

    def _last_words(self) -> str:
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - TAIL - masking.WINDOW))
        lines = masking.end(self._errors.read().decode("utf-8", "replace"), TAIL).strip().splitlines()
        return f": {lines[-1]}" if lines else ""

    async def close(self) -> None:
        """End the nursery, which kills every worker; afterwards none of them is there."""
        loop = asyncio.get_running_loop()
        if self._control is not None:
            loop.remove_reader(self._control)
            self._control.close()
        for worker in list(self._workers.values()):
            worker.ended(None)
        self._workers.clear()
        process = self._process
        if process is not None:
            with anyio.CancelScope(shield=True):
                until = loop.time() + LEAVE
                while process.poll() is None and loop.time() < until:  # noqa: ASYNC110
                    await asyncio.sleep(0.005)
            if process.poll() is None:
                process.kill()
                process.wait()
        self._errors.close()
