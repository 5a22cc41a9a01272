"""Where cassettes lie, under names that every file system takes, and how one is written: whole, or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import tempfile
import time
from pathlib import Path

from ...errors import UsageError

FOLDER = "cassettes"
"""The folder beside an eval file in which its cassettes lie."""

_LONGEST = 48


def slug(name: str) -> str:
    """A name as that of a file, on any system: what can be read of it, and a digest, for two names may look alike.

    >>> slug("Searches for what it can't know"), slug("../../CON")
    ('searches-for-what-it-can-t-know-cfc1e447', 'con-ea047899')
    """
    told = re.sub(r"[^a-z0-9]+", "-", name.lower())[:_LONGEST].strip("-")
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{told}-{digest}" if told else digest


def folder(file: str | None, suite: str = "") -> Path:
    """The folder of a suite's cassettes: beside the file that makes it, in one named after that, and after the suite where it has a name."""
    if file is None:
        beside, stem = Path.cwd(), "suite"
    else:
        beside, stem = Path(file).parent, Path(file).name.removesuffix(".py").replace(".", "-")
    found = beside / FOLDER / stem
    return found / slug(suite) if suite else found


def place(folder: Path, case: str, attempt: int) -> Path:
    """The file of one attempt's cassette."""
    return folder / f"{slug(case)}.{attempt}.json"


def refuse_unwritable(folder: Path) -> None:
    """Raise `UsageError` where no cassette can be written; found before anything is spent."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UsageError(f"cassettes can't be written to {folder}: {error.strerror or error}") from error


def write(path: Path, text: str) -> None:
    """Put the text in the place of the file, in one step: whoever is killed meanwhile leaves the old one whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(scratch, 0o666 & ~_mask())
        os.replace(scratch, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(scratch)
        raise
    for left in path.parent.glob(f".{path.name}.*.part"):
        with contextlib.suppress(OSError):
            # Of a run that was killed; a young one may be that of a run which goes on beside this one.
            if time.time() - left.stat().st_mtime > _YOUNG:
                left.unlink()


_YOUNG = 600.0
"""Seconds for which a scratch file may be in use."""


def _mask() -> int:
    # There is no way to only ask for it.
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
