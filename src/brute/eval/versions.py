"""The versions that this project's extras ask for, beside those that are installed."""

from __future__ import annotations

import functools
import re

_ASKED = re.compile(
    r"(?P<package>[\w.-]+)(?:\[[^\]]*\])?\s*(?P<range>[^;]*);.*extra\s*==\s*['\"](?P<extra>[\w.-]+)['\"]"
)


@functools.cache
def too_old(extra: str) -> str | None:
    """What is installed of an extra's packages in a version that is older than the oldest supported one; None where nothing is.

    Only what is installed counts: what is missing says so by itself. Newer versions than the newest that is known are let through.
    """
    from importlib import metadata  # with what it brings along, as much as half of ours

    try:
        asked = metadata.requires("brute-eval") or ()
    except metadata.PackageNotFoundError:  # run from its source
        return None
    for package, floor in _floors(asked, extra):
        try:
            found = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
        if _release(found) < _release(floor):
            return f"{package} {found} is installed, and {floor} is the oldest that is supported: pip install -U 'brute-eval[{extra}]'"
    return None


def _floors(asked: list[str] | tuple[str, ...], extra: str) -> list[tuple[str, str]]:
    """The packages of the extra, each with the oldest version that it may have."""
    parts = [part for part in map(_ASKED.match, asked) if part is not None and part["extra"] == extra]
    floors = [(part["package"], re.search(r">=\s*([\d.]+)", part["range"])) for part in parts]
    return [(package, floor[1]) for package, floor in floors if floor is not None]


def _release(version: str) -> tuple[int, ...]:
    """The numbers of a version, without zeros at their end, so that 2.0 is 2."""
    numbers = [int(number) for number in re.findall(r"\d+", re.split(r"[^\d.]", version)[0])]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
