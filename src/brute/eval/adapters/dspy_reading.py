"""What a model said to DSPy, as the adapter that asked it reads it: the text, the calls in it, and what it used."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import json
from collections.abc import Iterator, Mapping
from typing import Any

import dspy

from ...calling import as_text
from ...errors import ModelError
from ...messages import ToolCall, Usage, as_count
from . import dspy_parts as parts
from .base import price
from .patching import watch

reading_now: contextvars.ContextVar[Reading | None] = contextvars.ContextVar("brute_dspy_reading", default=None)
"""How what the model says here will be read; None where no adapter asked it."""


class Reading:
    """How an adapter reads what a model says: by the fields of a signature. `unfit`: calls that were asked for in a way that it refuses."""

    def __init__(self, adapter: Any, signature: Any, inputs: Mapping[str, Any]) -> None:
        self.adapter = adapter
        self.signature = signature
        given = [each for value in inputs.values() for each in (value if isinstance(value, list) else [value])]
        self.tools = [each.name for each in given if isinstance(each, dspy.Tool) and not parts.is_pseudo(each)]
        self.unfit: list[ToolCall] = []
        self._parsed: tuple[str, dict[str, Any]] | None = None

    def fields(self, text: str) -> tuple[dict[str, Any], bool]:
        """The fields that the text holds, and whether the adapter takes it."""
        self._parsed = None
        try:
            found = self.adapter.parse(self.signature, text)
            self._parsed = text, found
            return found, True
        except Exception:
            if "next_tool_name" not in self.signature.output_fields:
                return {}, False
        try:
            # A name that is no tool's is what it mostly was.
            loose = self.signature.with_updated_fields("next_tool_name", type_=str)
            return self.adapter.parse(loose, text), False
        except Exception:
            return {}, False

    def parsed(self, adapter: Any, signature: Any, text: Any) -> dict[str, Any] | None:
        """What the adapter made of this text when it was asked here, to be handed on once; None where it was not."""
        if self._parsed is None or adapter is not self.adapter or signature is not self.signature:
            return None
        made, fields = self._parsed
        if made != text:
            return None
        self._parsed = None
        return fields


def listen(kind: type) -> None:
    """Have adapters of this class read each text once in a turn, and not for the turn and then for themselves: that takes long, and a
    callback of the user's would hear of it twice.
    """
    watch(kind, "parse", lambda owner, plain: _once(plain))


def _once(plain: Any) -> Any:
    @functools.wraps(plain)
    def parse(self: Any, *given: Any, **named: Any) -> Any:
        here = reading_now.get()
        made = here.parsed(self, *given) if here is not None and len(given) == 2 and not named else None
        return plain(self, *given, **named) if made is None else made

    return parse


@contextlib.contextmanager
def read(adapter: Any, signature: Any, inputs: Any) -> Iterator[Reading]:
    """While this adapter asks by this signature."""
    reading = Reading(adapter, signature, inputs)
    token = reading_now.set(reading)
    try:
        yield reading
    finally:
        reading_now.reset(token)


def content(fields: Mapping[str, Any], text: str) -> str:
    """What a model said, without the marks between the fields."""
    if "next_tool_name" in fields:
        return as_text(fields.get("next_thought") or "")
    told = {name: value for name, value in fields.items() if name not in parts.ADDED}
    if any(isinstance(value, dspy.ToolCalls) for value in told.values()):
        return as_text(fields.get("next_thought") or "")
    return as_text(next(iter(told.values()))) if len(told) == 1 else text


def said(outputs: Any) -> tuple[str, list[ToolCall]]:
    """The text of the first of what a model said, and the calls that it asked for in the provider's own way."""
    first = outputs[0] if isinstance(outputs, list) and outputs else outputs
    if isinstance(first, str) or first is None:
        return first or "", []
    told = first.get if isinstance(first, Mapping) else functools.partial(getattr, first)
    return str(told("text", None) or ""), [_native(call) for call in told("tool_calls", None) or ()]


def _native(call: Any) -> ToolCall:
    one = _plain(call)
    function = _plain(one.get("function") or {})
    given = function.get("arguments", one.get("arguments", one.get("input", one.get("args"))))
    id = one.get("call_id") or one.get("id") or ""
    return ToolCall(id=str(id), name=str(function.get("name") or one.get("name")), arguments=given)


def _plain(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    return dict(value.model_dump()) if hasattr(value, "model_dump") else dict(getattr(value, "__dict__", None) or {})


def offered(named: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The names of the tools that the provider is told of: functions, and those that it runs itself."""
    functions: list[str] = []
    body = named.get("extra_body")
    told = [named, *([body] if isinstance(body, Mapping) else [])]
    hosted = ["web_search"] if any(each.get("web_search_options") is not None for each in told) else []
    for tool in [tool for each in told for tool in each.get("tools") or ()]:
        one = _plain(tool)
        function = _plain(one.get("function") or {})
        name = str(function.get("name") or one.get("name") or one.get("type") or json.dumps(one, default=str)[:40])
        (functions if function or one.keys() & {"parameters", "input_schema"} else hosted).append(name)
    return functions, hosted


def usage(told: list[dict[str, Any]], model: str | None) -> Usage | None:
    """What was used, all tries together; an answer out of DSPy's cache tells nothing."""
    counts = [_counts(each) for each in told]
    if not counts or not any(input or output for input, output, _, _ in counts):
        return None
    summed = [None if any(each is None for each in kind) else sum(kind) for kind in zip(*counts, strict=True)]
    input, output, read, written = summed
    return price(
        Usage(input=as_count(input), output=as_count(output), cache_read=as_count(read), cache_write=as_count(written)),
        model,
    )


def _counts(told: Mapping[str, Any]) -> tuple[Any, Any, Any, Any]:
    details = told.get("prompt_tokens_details") or told.get("input_tokens_details")
    details = _plain(details) if details else {}
    return (
        told.get("prompt_tokens", told.get("input_tokens")),
        told.get("completion_tokens", told.get("output_tokens")),
        details.get("cached_tokens", told.get("cache_read_input_tokens")),
        details.get("cache_creation_tokens", told.get("cache_creation_input_tokens")),
    )


def failed(error: BaseException) -> BaseException:
    """What is told of an exception: what an engine raised by mistake as it is, and what the provider did as its trouble."""
    if type(error).__name__ == "LMUnexpectedError":
        return error.__cause__ or error
    status = getattr(error, "status", None)
    if isinstance(error, _LMError) and (status is not None or type(error).__name__ in _TROUBLE):
        passing = status is None or status in (408, 409, 425, 429) or status >= 500
        told = ModelError(str(error), status=status, transient=passing, retry_after=getattr(error, "retry_after", None))
        told.__cause__ = error
        return told
    return error


_LMError: Any = getattr(dspy, "LMError", None) or getattr(
    __import__("dspy.utils.exceptions", fromlist=["LMError"]), "LMError", ()
)
_TROUBLE = {
    "LMTransportError",
    "LMTimeoutError",
    "LMRateLimitError",
    "LMServerError",
    "LMAuthError",
    "LMBillingError",
    "LMNotConfiguredError",
}
"""The exceptions of DSPy that are the provider's or the network's trouble."""
