"""The tax that an agent pays when it builds an HTTP client of its own in every attempt.

Nearly all of what such a client costs is its TLS context (about 26 ms of CPU to read the bundle of certificates, even for plain
http). Nobody sees it, since it hides in the time that the model seems to take; so the harness counts it and says so.
"""

from __future__ import annotations

import contextvars
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

counting: contextvars.ContextVar[Tax | None] = contextvars.ContextVar("brute_tls_counting", default=None)
"""Where the contexts are counted that the code that runs now makes, where it belongs to an attempt."""

_lasting: list[Tax] = []
_original: Callable[..., ssl.SSLContext] | None = None


class Tax:
    """How many TLS contexts the attempts of a run made, and the CPU seconds that it took."""

    def __init__(self) -> None:
        self.contexts = 0
        self.seconds = 0.0

    def note(self, attempts: int) -> str | None:
        """The remark for the report, where most attempts make a context of their own."""
        if attempts < 3 or self.contexts < 0.8 * attempts:
            return None
        each = 1000 * self.seconds / self.contexts
        return (
            f"the agent makes a TLS context of its own in each attempt ({self.contexts} of them, {each:.0f} ms of CPU each): "
            "build the HTTP client once, outside the function that builds the agent"
        )


@contextmanager
def taxed() -> Iterator[Tax]:
    """Count the TLS contexts that attempts make while this lasts; runs may overlap."""
    global _original
    tax = Tax()
    if _original is None:
        _original, ssl.create_default_context = ssl.create_default_context, _counted
    if not _lasting and "load_verify_locations" not in vars(ssl.SSLContext):
        ssl.SSLContext.load_verify_locations = _loaded  # type: ignore[method-assign, assignment]
    _lasting.append(tax)
    try:
        yield tax
    finally:
        _lasting.remove(tax)
        # Where somebody has put a wrapper of their own around ours meanwhile, ours has to stay.
        if not _lasting and ssl.create_default_context is _counted:
            ssl.create_default_context, _original = _original, None
        if not _lasting and vars(ssl.SSLContext).get("load_verify_locations") is _loaded:
            del ssl.SSLContext.load_verify_locations


def _counted(*args: Any, **named: Any) -> ssl.SSLContext:
    assert _original is not None
    made: ssl.SSLContext = _taxed(_original, *args, **named)
    return made


def _loaded(context: ssl.SSLContext, *args: Any, **named: Any) -> None:
    # Some clients (httpx2) read the certificates into a context that they make by hand.
    _taxed(super(ssl.SSLContext, context).load_verify_locations, *args, **named)


def _taxed(make: Callable[..., Any], *args: Any, **named: Any) -> Any:
    tax = counting.get()
    if tax is None:
        return make(*args, **named)
    began = time.thread_time()
    token = counting.set(None)  # what is read inside of it is a part of it
    try:
        return make(*args, **named)
    finally:
        counting.reset(token)
        tax.contexts += 1
        tax.seconds += time.thread_time() - began
