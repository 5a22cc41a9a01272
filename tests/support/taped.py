"""Suites that are recorded and replayed in a folder of the test's own."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from brute.eval import Attempt, Case, Suite

from .agents import quiet


def taped(folder: Path, make: Any, cases: Sequence[Case], **options: Any) -> Suite:
    """A suite as if it stood in `eval_x.py` in this folder."""
    suite = quiet(make, cases, **options)
    suite.home = {"__file__": str(folder / "eval_x.py")}
    return suite


def made(folder: Path, make: Any, case: Case, **options: Any) -> Attempt:
    """The one attempt of such a suite, run."""
    return ran(taped(folder, make, [case], **options))[0]


def ran(suite: Suite) -> tuple[Attempt, ...]:
    """The attempts of a suite, run."""
    suite.run()
    assert suite.report is not None
    return suite.report.attempts


def files(folder: Path) -> list[Path]:
    """The cassettes in the folder."""
    return sorted((folder / "cassettes").rglob("*.json"))


def unplugged(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """No socket may be connected from now on; where to it was tried all the same."""
    tried: list[Any] = []

    def connect(self: socket.socket, address: Any) -> None:
        tried.append(address)
        raise ConnectionRefusedError(f"a replay reached for {address!r}")

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket.socket, "connect_ex", connect)
    return tried
