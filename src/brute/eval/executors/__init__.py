"""How attempts are made: one after the other, side by side, or each in a process that may come to grief."""

from __future__ import annotations

import os
from typing import Any

from ...errors import UsageError
from ..arguments import shown

NAMES = ("local", "serial", "process")
"""What executors are called; `process` is `brute eval --isolate`."""


def known(name: Any) -> str:
    """The name of an executor; raises `UsageError` for one that there is not, or not on this system."""
    if name not in NAMES:
        raise UsageError(f"Suite: executor must be one of {', '.join(NAMES)}; got {shown(name)}")
    if name == "process" and os.name != "posix":
        raise UsageError('Suite: executor="process" needs process groups and signals, which this system does not have')
    return str(name)
