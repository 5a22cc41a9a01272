"""The threads and tasks that an agent starts by itself: what runs on them belongs to the turn that started them.

What the harness knows of a turn is kept in context variables, which a thread of the agent's own does not inherit: an agent that is started there
would be neither seen nor stubbed. So while a run lasts, a new thread, and what is handed to a pool of threads, takes along those of the
harness, and none of the user's. So do those that the case's own code starts, a stub: they are in no turn.
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
from . import daemons, sparing, tls
from .cassettes import scope
from .whose import cases_own, current

CARRIED: list[contextvars.ContextVar[Any]] = [
    watching,
    current,
    cases_own,
    turn_env,
    leaves.abandoned,
    tls.counting,
    sparing.apart,
    *scope.CARRIED,
]
"""What is taken along."""


def carry(*variables: contextvars.ContextVar[Any]) -> None:
    """Have these taken along as well: what an adapter finds its turn by, where its framework hands that on in the context alone."""
    CARRIED.extend(each for each in variables if each not in CARRIED)


_pooling: contextvars.ContextVar[bool] = contextvars.ContextVar("brute_pooling", default=False)
"""Whether a thread that is started here is one of a pool, which is handed something in a turn."""

_Pool = concurrent.futures.ThreadPoolExecutor
_lasting = 0


@contextlib.contextmanager
def followed() -> Iterator[None]:
    """A while in which threads belong to the turn that starts them; runs may overlap."""
    global _lasting
    if _lasting == 0:
        _taken.enter_context(_replaced(threading.Thread, "start", _following_start))
        _taken.enter_context(_replaced(_Pool, "submit", _following_submit))
        for owner, name, made in sparing.PLACES:
            _taken.enter_context(_replaced(owner, name, made))
    _lasting += 1
    try:
        yield
    finally:
        _lasting -= 1
        if _lasting == 0:
            _taken.close()


_taken = contextlib.ExitStack()


@contextlib.contextmanager
def _replaced(owner: Any, name: str, made: Callable[[Any], Any]) -> Iterator[None]:
    # Made anew around what stands there now: somebody (OpenTelemetry) may have put a wrapper around the last one, which then had to stay.
    before = getattr(owner, name)
    ours = made(before)
    setattr(owner, name, ours)
    try:
        yield
    finally:
        if getattr(owner, name) is ours:
            setattr(owner, name, before)


def _following_start(start: Callable[[threading.Thread], None]) -> Callable[[threading.Thread], None]:
    @functools.wraps(start)
    def following(thread: threading.Thread) -> None:
        # Our own threads belong to nobody, and carry for each call what belongs to it.
        if _pooling.get():
            thread.daemon = True  # the interpreter waits for it all the same, unless it is left behind
            _pooling.set(False)  # of which the thread must know nothing
        elif _is_ours() and not isinstance(thread, leaves.Worker):
            run = thread.run

            def carrying() -> None:
                # A thread that holds itself is freed by the collector, and not at once.
                vars(thread).pop("run", None)
                run()

            thread.run = _carrying(carrying)  # type: ignore[method-assign]
        start(thread)

    return following


def _following_submit(submit: Any) -> Any:
    @functools.wraps(submit)
    def following(pool: _Pool, function: Callable[..., Any], /, *args: Any, **named: Any) -> Any:
        if not _is_ours():
            return submit(pool, function, *args, **named)
        function = functools.partial(_within, _values(), function)
        # The threads of a pool outlive the turn that they are started in.
        token, pooling = watching.set(None), _pooling.set(True)
        try:
            future = submit(pool, function, *args, **named)
        finally:
            _pooling.reset(pooling)
            watching.reset(token)
        daemons.pooled(future, pool)
        return future

    return following


def _is_ours() -> bool:
    """Whether what runs here is a turn's, or the case's own."""
    return watching.get() is not None or cases_own.get()


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
