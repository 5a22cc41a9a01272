"""What another process confides to the run: the credentials that it has come to know, before anything in which one may stand.

The run's own process never loads an agent's file, and would write what that takes out of a `.env` into every log and report, in clear.
"""

from __future__ import annotations

import itertools
import json
import os
import socket
import threading
from collections.abc import Mapping
from typing import Any

from .. import masking
from .frames import packed

SECRETS = b"k"
"""What is told: credentials, each with the name of its variable."""


class Confidant:
    """A channel to the run, on which no frame goes out before the credentials that were known by then. It may be used on any thread."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._told = 0

    def send(self, kind: bytes, body: Any = None) -> None:
        """Send a frame."""
        frame = packed(kind, body)
        with self._lock:
            known = masking.known()
            if len(known) > self._told:
                self._confide(dict(itertools.islice(known.items(), self._told, None)))
                self._told = len(known)
            self._channel.sendall(frame)

    def _confide(self, new: Mapping[str, str]) -> None:
        self._channel.sendall(packed(SECRETS, new))

    def listen(self) -> None:
        """Hear of each variable in the moment in which it is set: the process may print it and end, and no frame would follow."""
        really, owner = os.putenv, os.getpid()

        def putenv(name: Any, value: Any) -> None:
            really(name, value)
            new = masking.credentials({os.fsdecode(name): os.fsdecode(value)})
            # A child that was forked has no business with the run.
            if new and os.getpid() == owner:
                with self._lock:
                    self._confide(new)

        os.putenv = putenv


def heard(body: bytes) -> None:
    """Take in what was confided: to be masked from now on, and kept nowhere else."""
    told = json.loads(body)
    if isinstance(told, dict):
        masking.take_in({value: name for value, name in told.items() if isinstance(name, str)})
