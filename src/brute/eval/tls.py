"""The tax that an agent pays when it builds an HTTP client of its own in every attempt.

Nearly all of what such a client costs is its TLS context (about 26 ms of CPU to read the bundle of certificates, even for plain
http). Nobody sees it, since it hides in the time that the model seems to take; so the harness counts it and says so.
"""

from __future__ import annotations

import contextvars
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

counting: contextvars.ContextVar[bool] = contextvars.ContextVar("brute_tls_counting", default=False)
"""Whether the code that runs now belongs to an attempt."""


class Tax:
    """How many TLS contexts attempts made, and the seconds that it took."""

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
    """Count the TLS contexts that attempts make while this lasts."""
    tax, original = Tax(), ssl.create_default_context

    def counted(*args: Any, **named: Any) -> ssl.SSLContext:
        if not counting.get():
            return original(*args, **named)
        began = time.thread_time()
        try:
            return original(*args, **named)
        finally:
            tax.contexts += 1
            tax.seconds += time.thread_time() - began

    ssl.create_default_context = counted
    try:
        yield tax
    finally:
        if ssl.create_default_context is counted:
            ssl.create_default_context = original
