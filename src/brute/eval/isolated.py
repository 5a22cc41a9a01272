"""The program of an isolated run's other processes: the nursery, and a worker that is a fresh interpreter.

Its arguments are `nursery CONTROL` or `worker CHANNEL OUTPUT ORDER`, all of them numbers of descriptors that it is handed.
"""

from __future__ import annotations

import json
import os
import socket
from typing import Any

from .adapters import adapt
from .executors.frames import Frames
from .executors.nursery import Nursery, python
from .executors.receiving import Received, received
from .executors.worker import work

FRESH = "brute.eval.isolated"


def main(arguments: list[str]) -> None:
    """Be what the arguments say."""
    if arguments[0] == "nursery":
        with socket.socket(fileno=int(arguments[1])) as control:
            Nursery(control, _order(control), _become, python(FRESH, "worker")).serve()
        return
    channel, output = socket.socket(fileno=int(arguments[1])), int(arguments[2])
    with open(int(arguments[3]), "rb") as order:
        suite = received(json.load(order))
    _become(channel, output, suite)


def _order(control: socket.socket) -> Any:
    """The first thing that the run says."""
    frames = Frames()
    while True:
        data = control.recv(65536)
        if not data:
            os._exit(0)
        for _, body in frames.fed(data):
            return json.loads(body)


def _become(channel: socket.socket, output: int, suite: Received) -> None:
    work(channel, output, suite, adapt)
