"""Names of tools that stand for several: `mcp__mail__*`."""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

_T = TypeVar("_T")


def is_glob(name: str) -> bool:
    """Whether the name stands for several: it holds `*`, `?` or `[`.

    >>> is_glob("mcp__mail__*"), is_glob("search")
    (True, False)
    """
    return "*" in name or "?" in name or "[" in name


def suits(pattern: str, name: str) -> bool:
    """Whether a name is meant by a name in a case, letter by letter.

    >>> suits("mcp__mail__*", "mcp__mail__send"), suits("search", "Search")
    (True, False)
    """
    return pattern == name or (is_glob(pattern) and _compiled(pattern).match(name) is not None)


@functools.lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(pattern))


def meant(names: Iterable[str], name: str) -> str | None:
    """Which of the case's names means this tool: its own, else the first glob that suits it; None where none does.

    >>> meant(["mail_*", "mail_send"], "mail_send"), meant(["mail_*"], "search")
    ('mail_send', None)
    """
    found = None
    for each in names:
        if each == name:
            return each
        if found is None and suits(each, name):
            found = each
    return found


def served(stubs: Mapping[str, _T], name: str, otherwise: Any = None) -> _T | Any:
    """What the mapping has for a tool, under its own name or under the first glob that suits it."""
    if name in stubs:
        return stubs[name]
    found = meant(stubs, name)
    return otherwise if found is None else stubs[found]


def is_known(name: str, tools: Iterable[str]) -> bool:
    """Whether a name in a case means one of the tools."""
    return any(suits(name, tool) for tool in tools) if is_glob(name) else name in tools
