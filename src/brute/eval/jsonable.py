"""Transcripts as JSON, both ways."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..messages import Message, ToolCall, Usage
from .verdict import Failure

if TYPE_CHECKING:
    from .transcript import Transcript

SCHEMA = 1
"""The number of the transcript's JSON form; it grows when a field changes its meaning."""


def plain(value: Any) -> Any:
    """The value as JSON has it; what JSON has no word for (sets, bytes, objects, NaN) becomes a list or a text."""
    return _plain(value, 0)


def _plain(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if depth > 100:
        return "..."
    if isinstance(value, Mapping):
        return {_plain(str(key), depth): _plain(each, depth + 1) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each, depth + 1) for each in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(each, depth + 1) for each in value), key=repr)
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name), depth + 1) for field in dataclasses.fields(value)}
    if hasattr(value, "model_dump"):
        return _plain(value.model_dump(mode="json"), depth + 1)
    return str(value)


def transcript_to_json(transcript: Transcript) -> dict[str, Any]:
    """The transcript's fields, in order, under its schema number."""
    return {"schema": SCHEMA, **plain(transcript)}


def transcript_from_json(data: Mapping[str, Any]) -> Transcript:
    """The transcript that `data` stands for."""
    from .transcript import Call, Request, Transcript

    if data.get("schema") != SCHEMA:
        raise UsageError(f"a transcript of schema {data.get('schema')!r} can't be read; this version knows schema {SCHEMA}")
    fields = {name: data[name] for name in (field.name for field in dataclasses.fields(Transcript)) if name in data}
    fields["messages"] = [message_from_json(each) for each in data.get("messages", ())]
    fields["calls"] = [Call(**each) for each in data.get("calls", ())]
    fields["requests"] = [Request(**{**each, "usage": _usage(each.get("usage"))}) for each in data.get("requests", ())]
    fields["failures"] = [each if isinstance(each, str) else Failure(**each) for each in data.get("failures", ())]
    fields["error"] = Failure(**data["error"]) if data.get("error") else None
    return Transcript(**fields)


def message_from_json(data: Mapping[str, Any]) -> Message:
    """The message that `data` stands for."""
    calls = tuple(ToolCall(**call) for call in data.get("tool_calls", ()))
    return Message(**{**data, "tool_calls": calls, "usage": _usage(data.get("usage"))})


def _usage(data: Mapping[str, Any] | None) -> Usage | None:
    return None if data is None else Usage(**data)
