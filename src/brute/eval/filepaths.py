"""The paths of the files that a case lays out: all of them below the world's folder, on whatever system."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath, PureWindowsPath

from .arguments import shown


def wrong(paths: Iterable[str]) -> str | None:
    """What is wrong with the first of the paths that can't be laid out, in words; None where all can."""
    places: dict[tuple[str, ...], str] = {}
    for path in paths:
        parts = below(path)
        if parts is None:
            return f"must stay inside the world's folder; {shown(path)} does not"
        if not parts or path[-1] in "/\\" or "\0" in path:
            return f"takes the paths of files; {shown(path)} is none"
        other = next((known for known in places if known[: len(parts)] == parts or parts[: len(known)] == known), None)
        if other is not None:
            return f"can't hold both {shown(places[other])} and {shown(path)}: one is where the other has to be"
        places[parts] = path
    return None


def below(path: str) -> tuple[str, ...] | None:
    """The parts of the path below the folder, or None where it leads out of it.

    >>> below("a/./b.txt"), below("a/../../b"), below("C:/b")
    (('a', 'b.txt'), None, None)
    """
    if PurePosixPath(path).is_absolute() or PureWindowsPath(path).drive or PureWindowsPath(path).root:
        return None
    parts: list[str] = []
    for part in path.replace("\\", "/").split("/"):
        if part == ".." and not parts:
            return None
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return tuple(parts)
