"""What went wrong with a model call, as one sentence that a report can show, and whether another try may help."""

from __future__ import annotations

import http
import json
import os
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, UsageError
from .answer import TooLong

if TYPE_CHECKING:
    from .answer import Answer

LONGEST = 200
"""How many characters of a provider's own words are shown."""

PASSING = frozenset({408, 409, 425, 429})
"""The statuses below 500 that another try may cure; from 500 on all may."""

_PHRASES = {401: "not authorised", 408: "request timed out", 429: "rate limited", 529: "overloaded"}
_SECRET = re.compile(r"\b(?:(?:sk|pk|rk|gsk|xai|hf)[-_][\w*.-]{5,}[\w*]|AIza[\w*-]{6,}|Bearer \S{6,})")
_UNSEEN = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+"
)


def trouble(error: Exception, answer: Answer | None, *, where: str, secrets: Iterable[str] = ()) -> Exception:
    """The error to raise for what the library raised: a `ModelError`, or a `UsageError` where our options are at fault.

    `answer` is what came over the wire, if anything did, and is judged first: a library that stumbles over it says
    less; `where` is the address that was asked.
    """
    from pydantic_ai.exceptions import (
        ModelAPIError,
        ModelConnectionError,
        ModelHTTPError,
        ModelTimeoutError,
        UnexpectedModelBehavior,
        UserError,
    )

    # What our own end of the wire refused, the clients wrap up as a broken connection. Any other may be that of a model asked before.
    ours = next((each for each in _chain(error) if isinstance(each, TooLong)), None)
    if ours is not None:
        return ours
    if answer is not None:
        check(answer, secrets)
    if isinstance(error, UserError):
        return UsageError(plain(str(error).split(" To try Pydantic AI")[0], secrets))
    if isinstance(error, ModelHTTPError):
        return refused(error, answer, secrets)
    if isinstance(error, (ModelTimeoutError, TimeoutError)):
        return ModelError("timed out", transient=True)
    if isinstance(error, ModelConnectionError):
        return _dropped(error, where, secrets)
    words = plain(str(error), secrets)
    if isinstance(error, UnexpectedModelBehavior):
        return ModelError(f"the answer was not understood: {_misfit(error.__cause__, secrets) or words}")
    return ModelError(
        words if isinstance(error, ModelAPIError) else f"the client raised {type(error).__name__}: {words}"
    )


def _misfit(error: BaseException | None, secrets: Iterable[str]) -> str:
    """Where in the answer the first thing stood that is not as the provider's API has it; empty where nobody says."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return ""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    # Names of classes in it are the library's, and not in the answer.
    place = ".".join(step for step in map(str, first["loc"]) if not step[:1].isupper())
    return plain(f"{place}: {_lowered(first['msg'])}", secrets)


def refused(error: Any, answer: Answer | None, secrets: Iterable[str]) -> ModelError:
    """The `ModelError` for an HTTP status: `529 overloaded`, `401 incorrect API key provided: ***`."""
    from pydantic_ai.exceptions import ModelQuotaExceededError

    status: int = error.status_code
    words = said(error.body) or (said(answer.data) if answer is not None else None)
    text = _lowered(plain(words, secrets)) if words else _phrase(status)
    passing = _passing(status)
    if isinstance(error, ModelQuotaExceededError):  # a 429 that waiting does not cure
        passing = False
    if error.provider_retry_hint is not None:
        passing = error.provider_retry_hint
    return ModelError(f"{status} {text}", status=status, transient=passing, retry_after=_asked(error))


def _asked(error: Any) -> float | None:
    """The seconds that the provider asked to wait; Python reads 1_0 as 10, which no header means."""
    headers = error.headers or {}
    if any("_" in str(headers.get(name, "")) for name in ("retry-after", "retry-after-ms")):
        return None
    seconds: float | None = error.retry_after
    return seconds


def _passing(status: int) -> bool:
    return status in PASSING or status >= 500


def said(body: Any) -> str | None:
    """The provider's own words in the body of an error, wherever that provider puts them."""
    if isinstance(body, list):
        return said(body[0]) if body else None
    if isinstance(body, dict):
        for name in ("error", "message", "detail", "msg"):
            words = said(body.get(name))
            if words:
                return words
        return None
    # A page of HTML is no sentence.
    return body if isinstance(body, str) and body.strip() and not body.lstrip().startswith("<") else None


def _phrase(status: int) -> str:
    try:
        return _PHRASES.get(status) or http.HTTPStatus(status).phrase.lower()
    except ValueError:
        return "server error" if status >= 500 else "refused"


def _dropped(error: Any, where: str, secrets: Iterable[str]) -> ModelError:
    cause = _lowered(plain(_cause(error), secrets))
    told = f"could not connect to {where}" if error.phase == "connect" else "connection dropped"
    return ModelError(f"{told}: {cause}", transient=True)


def _cause(error: BaseException) -> str:
    """The innermost words of a failed connection; the outer ones say no more than that it failed."""
    words = ""
    for inner in _chain(error):
        told = os.strerror(inner.errno) if isinstance(inner, OSError) and inner.errno else str(inner)
        words = told or words
    return words or type(error).__name__


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


ANSWERS = ("choices", "output", "content", "candidates", "promptFeedback", "message")
"""What a body that holds an answer has one of: OpenAI's chat and Responses APIs, Anthropic, Google, Cohere."""


def _holds(data: Any) -> bool:
    # A model may say nothing (an empty `content`), but of choices and candidates there is at least one.
    return isinstance(data, dict) and any(
        data[name] or name not in ("choices", "candidates") for name in ANSWERS if name in data
    )


def check(answer: Answer, secrets: Iterable[str] = ()) -> None:
    """Refuse a body that came with a status of success but holds no answer; a library may make a silence of it."""
    if answer.status >= 300 or _holds(answer.data):
        return
    text = answer.body.decode("utf-8", "replace")
    shown = json.dumps(plain(text, secrets), ensure_ascii=False)
    if not text.strip():
        raise ModelError("the answer was empty", status=answer.status, transient=True)
    if answer.data is None:
        raise ModelError(f"the answer was not JSON: {shown}", status=answer.status, transient=True)
    words = said(answer.data.get("error")) if isinstance(answer.data, dict) else None
    if words is None:
        raise ModelError(f"the answer held no message: {shown}", status=answer.status)
    code = answer.data["error"].get("code") if isinstance(answer.data["error"], dict) else None
    status = code if isinstance(code, int) and 400 <= code < 600 else answer.status
    raise ModelError(f"{status} {_lowered(plain(words, secrets))}", status=status, transient=_passing(status))


def plain(text: str, secrets: Iterable[str] = ()) -> str:
    """The text on one line, without what a terminal would obey, without keys, and clipped."""
    for secret in secrets:
        text = text.replace(secret, "***")
    text = " ".join(_SECRET.sub("***", _UNSEEN.sub(" ", text)).split())
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}... {len(text) - LONGEST:,} more characters"
    return text


def _lowered(text: str) -> str:
    """The text as the rest of a sentence: no capital that is only a beginning's, no full stop."""
    text = text.rstrip(". ")
    first = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if first[1:].islower() else text
