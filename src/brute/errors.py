"""Every error that `brute` raises on purpose, and what each of them means to whoever catches it."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterable
from typing import Any


class BruteError(Exception):
    """The root of what `brute` raises on purpose."""


class UsageError(BruteError, ValueError):
    """Bad input from the person who wrote the agent, the case or the command line: one sentence, exit status 2."""


class Unsaid(UsageError):
    """A completion answered nothing that could be a message: a slip in its code, and no trouble of a provider's."""


class MissingExtra(UsageError, ImportError):
    """An optional dependency that is not installed; the sentence names the extra and the command."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra {extra!r}: pip install 'brute-eval[{extra}]'")
        self.extra = extra


class HookError(BruteError):
    """A subscriber that raised: a fault of whoever subscribed, never shown to the model as a tool result."""


class ModelError(BruteError):
    """A model call that failed for a reason outside the agent: the provider, the network, the key.

    `status` is the HTTP status where there was one, `transient` says whether another try may help, and `hint`
    what the provider asked for (seconds, from `Retry-After`).
    """

    def __init__(
        self, message: str, *, status: int | None = None, transient: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.transient = transient
        self.retry_after = retry_after


class TurnStopped(BaseException):
    """The turn's end, asked for by a subscriber: passes through middleware that catches `Exception`."""


def literal(value: Any, size: int = 80) -> str:
    """A value of the user's program as a sentence shows it: as Python writes it, on one line, short, and without an address.

    >>> literal(object())
    '<object object>'
    """
    try:
        text = re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(repr(value).split()))
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= size else f"{text[:size]}..."


def nearest(name: Any, names: Iterable[str]) -> str | None:
    """The name among `names` that `name` is a near-certain slip for, or None."""
    text = str(name)
    return None if len(text) > 200 else _nearest(text, tuple(names))


@functools.lru_cache(maxsize=1024)
def _nearest(text: str, names: tuple[str, ...]) -> str | None:
    found = difflib.get_close_matches(text, names, n=1, cutoff=0.6)
    if found:
        return found[0]
    # Capitals make a name look far from one that differs in nothing else.
    folded = {each.casefold(): each for each in reversed(names)}
    found = difflib.get_close_matches(text.casefold(), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def did_you_mean(name: Any, names: Iterable[str]) -> str:
    """The hint `` (did you mean "x"?)`` for a near-certain slip, else an empty text."""
    near = nearest(name, names)
    return f' (did you mean "{near}"?)' if near else ""
