"""The files and the settings that are meant by texts of a program, such as `"prompt.md"`, `"prompts/*.md"` and `"MODEL"`."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path

_PROMPTS = (".md", ".txt", ".json", ".yaml", ".yml", ".toml", ".xml", ".j2", ".jinja", ".jinja2", ".tmpl", ".prompt")
"""What counts in a folder that is named."""
_WRITTEN = (".db", ".sqlite", ".sqlite3", ".log", ".lock", ".pid", ".pyc")
"""What programs write while they run: it would be another one after each run."""
_SHELLS = {"_", "PWD", "OLDPWD", "SHLVL", "COLUMNS", "LINES"}
"""Variables that a shell changes by itself."""
_LARGE = 16 * 2**20
MOST = 500
"""How many files of a folder that is named are looked at, and in how many folders."""


def files(folder: str, texts: Set[str]) -> set[str]:
    """The files below the folder that one of the texts names, and those of the folders and patterns."""
    found: set[str] = set()
    for text in texts:
        path = os.path.normpath(os.path.join(folder, text))
        if not path.startswith(folder + os.sep):
            continue
        if os.path.isfile(path):
            # A name without a dot may be any word.
            found.update((path,) if "." in os.path.basename(path) and not path.endswith(_WRITTEN) else ())
        elif "*" in text or "?" in text or "[" in text:
            found.update(_matching(folder, text))
        elif os.path.isdir(path) and not os.path.basename(path).startswith("."):
            found.update(_inside(path, _PROMPTS))
    return found


def suffixed(file: str, texts: Set[str]) -> set[str]:
    """The files that differ from this one in their suffix alone, where a text is such a suffix: `with_suffix(".prompt")`."""
    stem = os.path.splitext(file)[0]
    suffixes = (text for text in texts if text.startswith(".") and text.count(".") == 1 and not text.endswith(_WRITTEN))
    return {stem + each for each in suffixes if os.sep not in each and os.path.isfile(stem + each)} - {file}


def _matching(folder: str, pattern: str) -> Iterator[str]:
    """The files of a pattern: prompts, or those of the suffix that it ends with; below `**`, at any depth."""
    suffix = os.path.splitext(pattern)[1]
    suffixes = (suffix,) if suffix.isascii() and suffix[1:].isalnum() and suffix not in _WRITTEN else _PROMPTS
    if "**" in pattern:
        head = os.path.normpath(os.path.join(folder, pattern.partition("**")[0]))
        inside = f"{head}{os.sep}".startswith(folder + os.sep) and not glob.has_magic(head[len(folder) :])
        yield from _inside(head, suffixes) if inside else ()
        return
    for name in sorted(glob.iglob(pattern, root_dir=folder))[:MOST]:
        path = os.path.normpath(os.path.join(folder, name))
        if path.endswith(suffixes) and path.startswith(folder + os.sep) and os.path.isfile(path):
            yield path


def _inside(folder: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    seen = 0
    for number, (at, folders, names) in enumerate(os.walk(folder)):
        if number > MOST:
            return
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__pycache__", "node_modules")))
        for name in sorted(names):
            if not name.startswith(".") and name.endswith(suffixes):
                seen += 1
                if seen > MOST:
                    return
                yield os.path.join(at, name)


def settings(texts: Iterable[str], environ: Mapping[str, str]) -> list[str]:
    """The environment variables that are named, sorted; credentials are none, since a new key changes nothing."""
    known = {text for text in texts if text in environ and text not in _SHELLS}
    return sorted(known - _secrets({name: environ[name] for name in known}))


def _secrets(values: Mapping[str, str]) -> set[str]:
    if not values:
        return set()
    from .masking import credentials

    return {name for name, value in values.items() if credentials({name: value})}


def content(file: str) -> bytes:
    """What a file says, with its size; of a large one its size alone, of a `.env` no credentials."""
    size = os.path.getsize(file)
    if os.path.basename(file).startswith(".env"):
        return b"\n".join(_lines(Path(file).read_text("utf-8", "replace"))) if size <= _LARGE else b""
    return b"%d bytes\n" % size + (Path(file).read_bytes() if size <= _LARGE else b"")


def _lines(text: str) -> Iterator[bytes]:
    for line in text.splitlines():
        name, _, value = line.partition("=")
        name = name.strip().removeprefix("export ").strip()
        if not _secrets({name: value.strip().strip("'\"")}):
            yield line.strip().encode("utf-8", "backslashreplace")
