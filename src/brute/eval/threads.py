"""The threads that an agent starts by itself: what runs on them belongs to the turn that started them.

What the harness knows of a turn is kept in context variables, which a thread of the agent's own does not inherit: an agent that is started there
would be neither seen nor stubbed. So while a run lasts, a new thread, and what is handed to a pool of threads, takes along those of the
harness, and none of the user's.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import contextvars
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

from .. import leaves
from ..agent import turn_env
from ..hooks import watching
from . import tls
from .cassettes import scope

CARRIED: tuple[contextvars.ContextVar[Any], ...] = (watching, turn_env, leaves.abandoned, tls.counting, *scope.CARRIED)

_Pool = concurrent.futures.ThreadPoolExecutor
_lasting = 0
_start = threading.Thread.start
_submit: Any = _Pool.submit


@contextlib.contextmanager
def followed() -> Iterator[None]:
    """A while in which threads belong to the turn that starts them; runs may overlap."""
    global _lasting, _start, _submit
    if _lasting == 0:
        _start, _submit = threading.Thread.start, _Pool.submit
        threading.Thread.start = _following_start  # type: ignore[method-assign, assignment]
        _Pool.submit = _following_submit  # type: ignore[method-assign, assignment]
    _lasting += 1
    try:
        yield
    finally:
        _lasting -= 1
        if _lasting == 0:
            # Where somebody has put a wrapper of their own around ours meanwhile, ours has to stay.
            if threading.Thread.start is _following_start:
                threading.Thread.start = _start  # type: ignore[method-assign]
            if _Pool.submit is _following_submit:
                _Pool.submit = _submit  # type: ignore[method-assign]


def _following_start(thread: threading.Thread) -> None:
    # Our own threads belong to nobody, and carry for each call what belongs to it.
    if watching.get() is not None and not isinstance(thread, leaves.Worker):
        run = thread.run

        def carrying() -> None:
            del thread.run  # a thread that holds itself is freed by the collector, and not at once
            run()

        thread.run = _carrying(carrying)  # type: ignore[method-assign]
    _start(thread)


def _following_submit(pool: _Pool, function: Callable[..., Any], /, *args: Any, **named: Any) -> Any:
    if watching.get() is None:
        return _submit(pool, function, *args, **named)
    function = functools.partial(_within, _values(), function)
    # The threads of a pool outlive the turn that they are started in.
    token = watching.set(None)
    try:
        return _submit(pool, function, *args, **named)
    finally:
        watching.reset(token)


def _values() -> list[tuple[contextvars.ContextVar[Any], Any]]:
    return [(variable, variable.get()) for variable in CARRIED]


def _carrying(function: Callable[[], None]) -> Callable[[], None]:
    return functools.partial(_within, _values(), function)


def _within(
    values: list[tuple[contextvars.ContextVar[Any], Any]], function: Callable[..., Any], /, *args: Any, **named: Any
) -> Any:
    """What the function answers where these variables have these values."""
    tokens = [(variable, variable.set(value)) for variable, value in values]
    try:
        return function(*args, **named)
    finally:
        for variable, token in tokens:
            variable.reset(token)
