"""Transcripts as JSON, both ways."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import UsageError
from ..messages import Message, ToolCall, Usage
from .judgement import Judgement, Vote
from .matching import Wish
from .verdict import Failure

if TYPE_CHECKING:
    from .transcript import Transcript

SCHEMA = 1
"""The number of the transcript's JSON form; it grows when a field changes its meaning. New fields may come without."""

_DEEP = 100
_T = TypeVar("_T")


def plain(value: Any) -> Any:
    """The value as JSON has it; what JSON has no word for (sets, bytes, objects, NaN) becomes a list or a text.

    Whatever a tool handed out is taken: what goes round in a circle or deeper than 100 becomes "...".

    >>> plain({"when": {2, 1}, 3: b"x", "rate": float("nan")})
    {'when': [1, 2], '3': 'x', 'rate': 'nan'}
    """
    return _plain(value, ())


def _plain(value: Any, above: tuple[int, ...]) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, int):
        # More digits than Python writes in decimals.
        return int(value) if value.bit_length() < 10_000 else hex(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if id(value) in above or len(above) > _DEEP:
        return "..."
    above = (*above, id(value))
    if isinstance(value, Mapping) and not isinstance(value, Wish):
        return {_plain(_text(key), ()): _plain(each, above) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each, above) for each in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(each, above) for each in value), key=repr)
    return _object(value, above)


def _object(value: Any, above: tuple[int, ...]) -> Any:
    """A thing that is none of JSON's: by its fields where it has some that can be read, else by its text."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, Wish):
        return _text(value)
    try:
        if not isinstance(value, type) and dataclasses.is_dataclass(value):
            return {field.name: _plain(getattr(value, field.name), above) for field in dataclasses.fields(value)}
        if not isinstance(value, type) and hasattr(value, "model_dump"):
            return _plain(value.model_dump(mode="json"), above)
    except (Exception, SystemExit):
        pass
    return _plain(_text(value), ())


def _text(value: Any) -> str:
    try:
        # An address would make a difference where there is none.
        return re.sub(r" at 0x[0-9a-fA-F]+", "", value if isinstance(value, str) else str(value))
    except (Exception, SystemExit):
        return f"<{type(value).__name__}>"


def transcript_to_json(transcript: Transcript) -> dict[str, Any]:
    """The transcript's fields, in order, under its schema number."""
    return {"schema": SCHEMA, **plain(transcript)}


def transcript_from_json(data: Mapping[str, Any]) -> Transcript:
    """The transcript that `data` stands for; raises `UsageError` for what is none, or of a schema that is not known."""
    from .transcript import Call, Request, Transcript

    if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
        schema = data.get("schema") if isinstance(data, Mapping) else None
        raise UsageError(f"a transcript of schema {schema!r} can't be read; this version knows schema {SCHEMA}")
    made = _made(Transcript, data)
    made.messages = [message_from_json(each) for each in made.messages]  # type: ignore[arg-type]
    made.calls = [_made(Call, each) for each in made.calls]  # type: ignore[arg-type]
    made.requests = [_made(Request, each) for each in made.requests]  # type: ignore[arg-type]
    for request in made.requests:
        request.usage = usage_from_json(request.usage)  # type: ignore[arg-type]
    made.judgements = [_judgement(each) for each in made.judgements]  # type: ignore[arg-type]
    made.failures = [each if isinstance(each, str) else _made(Failure, each) for each in made.failures]  # type: ignore[arg-type]
    made.error = _made(Failure, made.error) if made.error is not None else None  # type: ignore[arg-type]
    return made


def _judgement(data: Mapping[str, Any]) -> Judgement:
    judgement = _made(Judgement, data)
    judgement.votes = [_made(Vote, each) for each in judgement.votes]  # type: ignore[arg-type]
    for vote in judgement.votes:
        vote.usage = usage_from_json(vote.usage)  # type: ignore[arg-type]
    return judgement


def message_from_json(data: Mapping[str, Any]) -> Message:
    """The message that `data` stands for."""
    calls = tuple(_made(ToolCall, call) for call in data.get("tool_calls", ()))
    return _made(Message, {**data, "tool_calls": calls, "usage": usage_from_json(data.get("usage"))})


def usage_from_json(data: Mapping[str, Any] | None) -> Usage | None:
    """The usage that `data` stands for; None where there is none."""
    return None if data is None else _made(Usage, data)


def _made(of: type[_T], data: Mapping[str, Any]) -> _T:
    """The value of a dataclass; a field of a later version is left out."""
    try:
        return of(**{field.name: data[field.name] for field in dataclasses.fields(of) if field.name in data})  # type: ignore[arg-type]
    except (TypeError, KeyError) as error:
        raise UsageError(f"this is no {of.__name__} in JSON: {error}") from None
