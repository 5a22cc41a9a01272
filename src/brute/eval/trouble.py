"""Whose fault it is that a turn came to grief: the agent's, or that of something that it can't help."""

from __future__ import annotations

import math
import re
import socket
import ssl
from collections.abc import Iterator
from typing import Any

from ..errors import HookError, MissingExtra, ModelError, Unsaid, UsageError
from ..loading import frames_of
from . import stopwording, wording
from .faulty import ReplayError
from .grading import overrun
from .leaving import Exited
from .observer import Observer
from .signals import Blocked
from .stubs import StubError, Unstubbed
from .verdict import Failure

_PROVIDERS = {
    "aiohttp", "anthropic", "boto3", "botocore", "cohere", "google", "groq", "httpcore", "httpcore2", "httpx", "httpx2",
    "litellm", "mistralai", "ollama", "openai", "requests", "urllib3",
}  # fmt: skip
"""The packages whose exceptions, raised in a model call, are the provider's or the network's trouble."""

PASSING = frozenset({408, 409, 425, 429})
"""The statuses below 500 that another try may cure; from 500 on all may."""

_BROKE = re.compile("Connect|Timeout|RemoteProtocol|NetworkError|ReadError|WriteError")
"""What the exceptions of a connection that broke are called."""
_NETWORK = (ConnectionError, TimeoutError, socket.gaierror, ssl.SSLError)
"""The exceptions of the standard library that are the network's trouble, and not a file that the agent did not find."""


def root_cause(observer: Observer, error: BaseException | None = None) -> Failure | None:
    """What came to grief in a turn that ended with `error`, or by itself: the first thing that the agent can't help, or `error`.

    A stub that broke, a subscriber that raised, and a model that failed count also where the agent caught them and went on.
    """
    if observer.fault is not None:
        return _faulty(observer.fault)
    failed = observer.model_error
    if isinstance(failed, Unsaid):
        return Failure("error.build", wording.agent_unfit(failed), detail=_frames(failed))
    if failed is not None and is_trouble(failed):
        return Failure(
            "error.model", wording.model_failed(failed), actual=passing(failed), detail=_frames(error or failed)
        )
    if error is None or overrun(observer.transcript):
        return None
    if isinstance(error, Exited):
        error = error.error
    error = _single(error)
    if isinstance(error, (StubError, HookError)):
        return _faulty(error)
    if isinstance(error, Blocked):
        return Failure("turn.deadline", stopwording.blocked(error), detail=_frames(error))
    if isinstance(error, UsageError):
        return Failure("error.build", wording.agent_unfit(error), detail=_frames(error))
    return Failure("turn.raised", wording.raised(error), actual=type(error).__name__, detail=_frames(error))


def held_up(observer: Observer, deadline: float) -> Failure | None:
    """What a turn that came to its deadline waited for in vain, where that is the provider: a try after one that failed, or a call's place."""
    for event, _ in observer.asking.values():
        if event.queued is None and not event.retries:
            continue
        queued = None if event.queued is None else observer.clock() - event.queued
        last = event.retries[-1] if event.retries else None
        return Failure("error.model", stopwording.held_up(deadline, queued, last), actual=_facts(None, None))
    return None


def _faulty(error: BaseException) -> Failure:
    """The error that a stub's or a subscriber's exception is."""
    if isinstance(error, Unstubbed):
        return Failure("error.unstubbed", str(error))
    if isinstance(error, ReplayError):
        return Failure("error.replay", str(error))
    kind = "error.stub" if isinstance(error, StubError) else "error.hook"
    return Failure(kind, wording.clipped(wording.visible(str(error)), 400), detail=_frames(error.__cause__))


def is_trouble(error: BaseException) -> bool:
    """Whether what a model call raised is the provider's, the network's or the set-up's, rather than a slip in the agent's code."""
    return any(
        isinstance(each, (ModelError, MissingExtra, UsageError, *_NETWORK))
        or _theirs(each)
        or isinstance(getattr(each, "status_code", None), int)
        for each in chain(error)
    )


def passing(error: BaseException) -> dict[str, Any] | None:
    """Why a model call that failed may work another time, as facts for machines; None where it may not.

    The innermost that knows decides: a `ModelError` says so itself, an HTTP status tells, and so does a connection that broke.
    """
    for each in chain(error):
        if isinstance(each, ModelError):
            return _facts(each.status, each.retry_after) if each.transient else None
        status = getattr(each, "status_code", None)
        if isinstance(status, int):
            return _facts(status, _asked(each)) if status in PASSING or status >= 500 else None
        if isinstance(each, (ConnectionError, TimeoutError, socket.gaierror)) or (
            _theirs(each) and _BROKE.search(type(each).__name__)
        ):
            return _facts(None, None)
    return None


def _facts(status: int | None, retry_after: float | None) -> dict[str, Any]:
    return {"transient": True, "status": status, "retry_after": retry_after}


def _asked(error: BaseException) -> float | None:
    """The seconds that a provider's `Retry-After` asks for."""
    try:
        told = error.response.headers["retry-after"]  # type: ignore[attr-defined]
        # Python reads 1_0 as 10, which no header means.
        seconds = math.nan if "_" in str(told) else float(told)
    except Exception:
        return None
    return seconds if 0 <= seconds < math.inf else None


def _theirs(error: BaseException) -> bool:
    module = type(error).__module__
    # The one package that is both a provider's and a framework's.
    return module.split(".")[0] in _PROVIDERS and not module.startswith("google.adk")


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """The exception, what it came from, and the members of groups, each once."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        waiting += [
            each.__cause__ or each.__context__,
            *(each.exceptions if isinstance(each, BaseExceptionGroup) else ()),
        ]


def _single(error: BaseException) -> BaseException:
    """The one exception in a group of one: task groups wrap what their children raise."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _frames(error: BaseException | None) -> str:
    return "" if error is None else "\n".join(frames_of(error))
