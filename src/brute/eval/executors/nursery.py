"""The nursery: a small process, with one thread, that starts the workers, kills them, and tells how they ended.

Workers are forked where that is safe: the suite is imported once, and a new worker costs a few milliseconds. The run's own process is never
forked: it has threads, a loop and connections, and a lock that another thread holds at that moment would stay locked in the child for ever.
Where importing the suite has started threads, and on macOS, each worker is a fresh interpreter instead, which imports the suite itself.
"""

from __future__ import annotations

import array
import contextlib
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from typing import Any

import anyio
import anyio.lowlevel

from ...errors import UsageError
from .. import leaving
from . import kinship
from .confiding import Confidant
from .frames import Frames
from .receiving import Received, received

START, KILL = b"S", b"K"
"""What a nursery is told: to start a worker (two descriptors come along), to kill one."""

READY, UNFIT, STARTED, ENDED = b"R", b"U", b"P", b"E"
"""What a nursery tells: that the suite is there, that it is none, which process a worker is, how one ended."""

Become = Callable[[socket.socket, int, Received], Any]
"""What a forked process does for the rest of its life, with its channel and the descriptor that its output goes to."""


class Nursery:
    """The nursery of one run; `control` leads to the run, `become` makes a worker of a fork, `fresh` is the command of a fresh one."""

    def __init__(self, control: socket.socket, order: Mapping[str, Any], become: Become, fresh: list[str]) -> None:
        self.control = control
        self.order = order
        self.become = become
        self.fresh = fresh
        self.suite: Received | None = None
        self.workers: dict[int, int] = {}
        self._confidant = Confidant(control)
        self._frames = Frames()
        self._descriptors: list[int] = []
        self._own: set[int] = set()

    def serve(self) -> None:
        """Load the suite, then do as told until the run is gone; no worker outlives that."""
        kinship.foster()
        self._confidant.listen()
        try:
            self.suite = received(self.order)
        except UsageError as error:
            self._confidant.send(UNFIT, str(error))
            return
        leaving.run(_warm())
        gc.freeze()
        forks = kinship.alone()
        if not forks:
            self.suite = None
        # What the suite's own file has started is shared by all attempts.
        self._own = set(kinship.children() or [])
        self._confidant.send(READY, {"forks": forks})
        try:
            self._watch()
        finally:
            self._end_all()

    def _watch(self) -> None:
        ears, mouth = socket.socketpair()
        ears.setblocking(False)
        mouth.setblocking(False)
        signal.set_wakeup_fd(mouth.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        while True:
            readable, _, _ = select.select([self.control, ears], [], [])
            if ears in readable:
                ears.recv(4096)
                self._reap()
            if self.control in readable and not self._heard():
                return

    def _heard(self) -> bool:
        """Do what the run asks for; False when it is gone."""
        try:
            data, ancillary, _, _ = self.control.recvmsg(65536, socket.CMSG_SPACE(64 * array.array("i").itemsize))
        except ConnectionError:
            return False
        for level, kind, packet in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                descriptors = array.array("i")
                descriptors.frombytes(packet[: len(packet) - len(packet) % descriptors.itemsize])
                self._descriptors += descriptors
        for word, body in self._frames.fed(data):
            number = json.loads(body)
            if word == START:
                self._start(number, self._descriptors.pop(0), self._descriptors.pop(0))
            elif word == KILL:
                for pid in [pid for pid, each in self.workers.items() if each == number]:
                    kinship.kill(pid)
        return bool(data)

    def _start(self, number: int, channel: int, output: int) -> None:
        pid = self._forked(channel, output) if self.suite is not None else self._spawned(channel, output)
        self.workers[pid] = number
        with contextlib.suppress(OSError):
            self._confidant.send(STARTED, [number, pid])
        os.close(channel)
        os.close(output)

    def _forked(self, channel: int, output: int) -> int:
        pid = os.fork()
        if pid == 0:
            try:
                assert self.suite is not None
                self.control.close()
                self.become(socket.socket(fileno=channel), output, self.suite)
            finally:
                os._exit(70)
        return pid

    def _spawned(self, channel: int, output: int) -> int:
        # A command line has no room for it.
        with tempfile.TemporaryFile() as order:
            order.write(json.dumps(self.order).encode())
            order.seek(0)
            descriptors = (channel, output, order.fileno())
            process = subprocess.Popen(
                [*self.fresh, *map(str, descriptors)],
                pass_fds=descriptors,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        process.returncode = 0  # it is reaped below, with all the others
        return process.pid

    def _reap(self) -> None:
        """Tell of the workers that have ended, and kill what they left."""
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                self._ended(pid, status)

    def _end_all(self) -> None:
        """Kill every worker and what they left, and wait until all are gone."""
        for pid in self.workers:
            kinship.kill(pid)
        with contextlib.suppress(ChildProcessError):
            while self.workers or self._strays():
                self._ended(*os.waitpid(-1, 0))

    def _ended(self, pid: int, status: int) -> None:
        number = self.workers.pop(pid, None)
        if number is not None:
            # Its group may outlive it.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                self._confidant.send(ENDED, [number, os.waitstatus_to_exitcode(status)])
        for stray in self._strays():
            kinship.kill(stray)

    def _strays(self) -> list[int]:
        """The orphans that have come here from workers that are gone; the living ones' orphans go to them."""
        return [pid for pid in kinship.children() or [] if pid not in self.workers and pid not in self._own]


async def _warm() -> None:
    """Import what every worker's loop would have to import by itself."""
    with anyio.CancelScope():
        await anyio.lowlevel.checkpoint()


def python(program: str, *arguments: str) -> list[str]:
    """The command that runs a module's `main` in a fresh interpreter, under the same rules as this one.

    Its environment stays what it is: what is put there would reach the programs that an agent starts.
    """
    paths = [os.path.abspath(path) for path in sys.path]
    code = f"import sys; sys.path[:] = {paths!r}; from {program} import main; main(sys.argv[1:])"
    warnings = [f"-W{option}" for option in sys.warnoptions]
    options = [f"-X{name}" if value is True else f"-X{name}={value}" for name, value in sys._xoptions.items()]
    return [sys.executable, "-P", *warnings, *options, "-c", code, *arguments]
