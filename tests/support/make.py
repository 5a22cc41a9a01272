"""Values with one word each: what a test says is what matters to it, the rest is made up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from brute import Message, ToolCall, Usage
from brute.eval import Attempt, Call, Case, Failure, Request, Transcript, Verdict

Asked = str | tuple[str, Mapping[str, Any] | str | None]


def message(role: Any, content: str = "", *calls: Asked, **more: Any) -> Message:
    """A message; calls are names, or names with arguments."""
    made = (asked(call, number) for number, call in enumerate(calls, 1))
    return Message(role=role, content=content, tool_calls=tuple(made), **more)


def asked(call: Asked, number: int = 1) -> ToolCall:
    """A tool call as a model asks for it."""
    name, arguments = (call, {}) if isinstance(call, str) else call
    return ToolCall(id=f"call_{number}", name=name, arguments=arguments)


def call(name: str, outcome: Any = "ran", /, *, malformed: str | None = None, **arguments: Any) -> Call:
    """A call of a transcript, with these arguments."""
    return Call(name=name, arguments=None if malformed is not None else arguments, malformed=malformed, outcome=outcome)


def transcript(*calls: Call | str, reply: str | None = "done", **fields: Any) -> Transcript:
    """A transcript of a turn that made these calls and gave this reply (None: it ended on a tool result)."""
    made = [call(each) if isinstance(each, str) else each for each in calls]
    last = [message("tool", "result")] if reply is None else [message("assistant", reply)]
    known: dict[str, Any] = {
        "said": "hello",
        "messages": [message("user", "hello"), *last],
        "iterations": 1,
        "seconds": 0.5,
    }
    return Transcript(**{**known, "calls": made, **fields})


def case(name: str = "a case", said: str | None = "hello", **expectations: Any) -> Case:
    """A case that expects this."""
    return Case(name, said=said, **expectations)


def request(tokens: int | None = None, **fields: Any) -> Request:
    """A model call that used so many tokens; None where it reported none."""
    return Request(usage=None if tokens is None else Usage(input=tokens, output=0), **fields)


def attempt(of: Case | None = None, number: int = 1, *kinds: str, **fields: Any) -> Attempt:
    """An attempt with failures of these kinds."""
    verdict = Verdict(tuple(Failure(kind, f"about {kind}") for kind in kinds))
    made = fields.pop("transcript", None) or transcript()
    return Attempt(of or case(), number, verdict.status, verdict, made, **fields)
