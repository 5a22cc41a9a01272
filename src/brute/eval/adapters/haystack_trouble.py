"""Why a model call of Haystack failed: by the provider's fault also where a generator hides that of those that it asks, or can't read what was answered."""

from __future__ import annotations

import contextlib
import contextvars
import traceback
from collections.abc import Iterator, Sequence

from ...errors import ModelError
from ..trouble import is_trouble

asking: contextvars.ContextVar[list[Exception] | None] = contextvars.ContextVar("brute_haystack_asking", default=None)
"""What the generators raised that the one that runs here has asked since one of them answered; None where none runs.

One that asks others is asked once.
"""

_GENERATORS = ("haystack.components.generators.", "haystack_integrations.components.generators.")
_UNREAD = (AssertionError, AttributeError, IndexError, KeyError, TypeError)


@contextlib.contextmanager
def among() -> Iterator[None]:
    """Held around a generator that may be asked by another."""
    raised = asking.get()
    try:
        yield
    except Exception as error:
        if raised is not None:
            raised.append(error)
        raise
    if raised is not None:
        raised.clear()


def cause(error: BaseException, raised: Sequence[Exception]) -> BaseException:
    """What to tell of a generator's exception: the provider's trouble, where it or what it has asked had any."""
    for each in (error, *reversed(raised)):
        if is_trouble(each):
            return each
        if _is_unread(each):
            told = ModelError(f"{type(each).__name__}: {each}")
            told.__cause__ = each
            return told
    return error


def _is_unread(error: BaseException) -> bool:
    """Whether a generator of Haystack's own came to grief over what its client handed it, as over a gateway's page."""
    if not isinstance(error, _UNREAD) or (isinstance(error, TypeError) and "argument" in str(error)):
        return False  # a call with arguments that there are not is the caller's slip
    frames = [frame.f_globals.get("__name__", "") for frame, _ in traceback.walk_tb(error.__traceback__)]
    return bool(frames) and str(frames[-1]).startswith(_GENERATORS)
