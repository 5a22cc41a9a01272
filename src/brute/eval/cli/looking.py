"""A look at agent files in another process, for a run in which no attempt is made in this one: what they do there, they do to that process."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

PROGRAM = __name__

START = 10.0
"""Seconds that the process itself may take, and a file that is told several times that its time is up."""


def looked(sources: Sequence[str], seconds: float) -> list[str]:
    """A sentence for each agent file or module that can't be loaded, once each; and the embedded models that they use are noted here.

    One that ends or crashes the process that looks at it is not refused: each of its attempts tells of that.
    """
    from ..executors.nursery import python

    sources = list(dict.fromkeys(sources))
    ours, theirs = os.pipe()
    with open(ours, "rb") as answers:
        child = subprocess.Popen(
            [*python(PROGRAM), str(theirs), str(seconds), *sources],
            pass_fds=(theirs,),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(theirs)
        try:
            # Each is loaded within its seconds by itself, unless it holds the interpreter's lock.
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait((seconds + START) * len(sources))
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        os.set_blocking(ours, False)
        return _noted(answers.read() or b"")


def _noted(told: bytes) -> list[str]:
    refused: list[str] = []
    for line in told.decode().splitlines():
        found = json.loads(line)
        refused += found["refused"]
        for model in found["models"]:
            from ...completion import embedded

            embedded.ask_for(model)
    return refused


def main(arguments: list[str]) -> None:
    """Look at the sources, and tell of each by the descriptor; the arguments are that, the seconds for each, and the sources."""
    from .gathering import agents_refused

    answers = int(arguments[0])
    os.set_inheritable(answers, False)

    def tell(refused: list[str]) -> None:
        os.write(answers, json.dumps({"refused": refused, "models": _asked_for()}).encode() + b"\n")

    def unstoppable(sentence: str) -> NoReturn:
        tell([sentence])
        os._exit(0)

    for source in arguments[2:]:
        tell(agents_refused([source], float(arguments[1]), unstoppable))
    # What a file has left running is of no use to anybody.
    os._exit(0)


def _asked_for() -> list[str]:
    embedded: Any = sys.modules.get("brute.completion.embedded")
    return [] if embedded is None else sorted(embedded._asked_for)
