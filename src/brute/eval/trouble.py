"""Whose fault it is that a turn raised: the agent's, or that of something that it can't help."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import HookError, MissingExtra, ModelError, UsageError
from ..loading import frames_of
from . import wording
from .observer import Observer
from .stubs import StubError
from .verdict import Failure

_PROVIDERS = {
    "aiohttp", "anthropic", "boto3", "botocore", "cohere", "google", "groq", "httpcore", "httpcore2", "httpx", "httpx2",
    "litellm", "mistralai", "ollama", "openai", "requests", "urllib3",
}  # fmt: skip
"""The packages whose exceptions, raised in a model call, are the provider's or the network's trouble."""


class Unstubbed(StubError):
    """A call to a tool that has no stub, where the suite refuses to run it."""


class Exited(Exception):
    """An agent's attempt to end the whole process."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


def blame(error: BaseException, observer: Observer) -> Failure:
    """The failure or error that an exception out of the turn is."""
    if isinstance(error, Exited):
        error = error.error
    error = _single(error)
    if isinstance(error, Unstubbed):
        return Failure("error.unstubbed", str(error))
    if isinstance(error, StubError):
        return Failure("error.stub", wording.visible(str(error)), detail=_frames(error.__cause__))
    if isinstance(error, HookError):
        return Failure("error.hook", wording.clipped(wording.visible(str(error)), 400), detail=_frames(error.__cause__))
    if observer.model_error is not None and observer.model_error in _chain(error) and is_trouble(observer.model_error):
        return Failure("error.model", wording.model_failed(observer.model_error), detail=_frames(error))
    return Failure("turn.raised", wording.raised(error), actual=type(error).__name__, detail=_frames(error))


def is_trouble(error: BaseException) -> bool:
    """Whether what a model call raised is the provider's, the network's or the set-up's, rather than a slip in the agent's code."""
    return any(
        isinstance(each, (ModelError, MissingExtra, UsageError, OSError))
        or type(each).__module__.split(".")[0] in _PROVIDERS
        or isinstance(getattr(each, "status_code", None), int)
        for each in _chain(error)
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The exception and what it came from, each once."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _single(error: BaseException) -> BaseException:
    """The one exception in a group of one: task groups wrap what their children raise."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _frames(error: BaseException | None) -> str:
    return "" if error is None else "\n".join(frames_of(error))
