"""The command line: `brute`, one verb a file.

Nothing is imported here that `brute --help` does not need: each verb's module is loaded when the verb is called.
"""

from __future__ import annotations

from .group import main

__all__ = ["main"]
