"""Which files a path stands for."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator, Sequence

from ...errors import UsageError, did_you_mean
from ..casefiles import ENDINGS

PATTERNS = ("eval_*.py", "*_eval.py")
"""What eval files are called; a file given by its own name may be called anything."""

CASES = tuple(f"{name}{ending}" for name in ("cases", "*_cases") for ending in ENDINGS)
"""What files of cases are called in a folder: a project has many others that end so."""

_SKIPPED = {"node_modules", "__pycache__", "site-packages"}


def found(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """The eval files that the paths stand for, each once and in order, and a sentence for each path that stands for none."""
    files: dict[str, str] = {}
    refused = []
    for path in paths:
        try:
            for file in _files(path):
                files.setdefault(os.path.realpath(file), file)
        except UsageError as error:
            refused.append(str(error))
    return list(files.values()), refused


def _files(path: str) -> list[str]:
    if os.path.isdir(path):
        inside = list(_inside(path))
        if not inside:
            raise UsageError(
                f"{path} holds no eval files; they are called {' or '.join(PATTERNS)}, "
                f"and files of cases cases{ENDINGS[0]} or *_cases{ENDINGS[0]} (or {', '.join(ENDINGS[1:])})"
            )
        for file in inside:
            _check_regular(file)
        return inside
    if not os.path.exists(path):
        raise UsageError(f"no such file: {path}{_near(path)}")
    if not path.endswith((".py", *ENDINGS)):
        raise UsageError(f"{path} is no Python file; an eval file ends in .py, a file of cases in {', '.join(ENDINGS)}")
    _check_regular(path)
    return [os.path.normpath(path)]


def _check_regular(path: str) -> None:
    """Refuse a pipe or a device, which nobody may ever write to."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise UsageError(f"{path} is no regular file; an eval file is one that can be read twice")


def _inside(folder: str) -> Iterator[str]:
    """The eval files of a folder and those below it; hidden folders and installed packages are none of the user's."""
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _skipped(at, name))
        for name in sorted(names):
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in (*PATTERNS, *CASES)):
                yield os.path.normpath(os.path.join(at, name))


def _skipped(at: str, name: str) -> bool:
    return name.startswith(".") or name in _SKIPPED or os.path.exists(os.path.join(at, name, "pyvenv.cfg"))


def _near(path: str) -> str:
    folder, name = os.path.split(path)
    try:
        names = [each for each in os.listdir(folder or ".") if each.endswith((".py", *ENDINGS))]
    except OSError:
        return ""
    return did_you_mean(name, names)
