"""Where a run comes from: its id, the command line, the versions, and the state of the repository."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import os
import platform
import secrets
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from .. import __version__


@dataclasses.dataclass(frozen=True, slots=True)
class Provenance:
    """What is known of a run before it begins."""

    id: str
    command: str
    versions: dict[str, str]
    host: str


def of(command: Sequence[str] | None = None) -> Provenance:
    """The provenance of a run that begins now, on this command line (that of the process)."""
    words = list(sys.argv if command is None else command)
    if words and words[0].endswith("__main__.py"):
        words[0] = "brute"
    # A path may hold bytes that are no text.
    line = shlex.join(words).encode("utf-8", "backslashreplace").decode()
    return Provenance(_id(), line, versions(), host())


def _id() -> str:
    """Sortable by time, and like no other run's, on whatever machine that was."""
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(3)}"


def host() -> str:
    """The name of this machine."""
    return platform.node()


def versions() -> dict[str, str]:
    """What ran: brute, Python, the system, and the libraries of the models that are loaded."""
    found = {"brute": __version__, "python": platform.python_version(), "platform": sys.platform}
    for name in ("anyio", "openai", "anthropic", "pydantic_ai", "xllamacpp"):
        if name in sys.modules:
            try:
                found[name] = importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                pass
    return found


class Facts:
    """What git says of the working folder, asked for while the run goes on; `known(commit, dirty)` is called on a thread."""

    def __init__(self, known: Callable[[str, bool], None], patience: float = 10.0) -> None:
        self._known = known
        self._patience = patience
        self._thread: threading.Thread | None = None
        if _in_repository(os.getcwd()):
            self._thread = threading.Thread(target=self._ask, name="brute git", daemon=True)
            self._thread.start()

    def wait(self, patience: float = 1.0) -> None:
        """Wait for the answer so many seconds; a repository of which git has much to say must not hold up the end of a run."""
        if self._thread is not None:
            self._thread.join(patience)

    def _ask(self) -> None:
        command = ["git", "--no-optional-locks", "status", "--porcelain=v2", "--branch"]
        try:
            done = subprocess.run(
                command, capture_output=True, timeout=self._patience, check=True, text=True, errors="replace"
            )
        except (OSError, subprocess.SubprocessError):
            return
        lines = done.stdout.splitlines()
        commit = next((line.split()[-1] for line in lines if line.startswith("# branch.oid ")), "")
        if commit and not commit.startswith("("):
            self._known(commit, any(not line.startswith("#") for line in lines))


def _in_repository(folder: str) -> bool:
    """Whether there is a repository at the folder or above it, so that git is worth asking."""
    while True:
        if os.path.exists(os.path.join(folder, ".git")):
            return True
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above


def alive(process: int) -> bool:
    """Whether a process of this machine is there; where that can't be told, it is not."""
    if os.name != "posix" or process <= 0:
        return process == os.getpid()
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return not _ended(process)


def _ended(process: int) -> bool:
    """Whether it has ended, and only its parent has not asked how: the first process of many containers never does."""
    try:
        # The name in parentheses may hold spaces.
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] in ("Z", "X")
    except (OSError, IndexError):
        return False
