"""What the models of pydantic-ai answer, as a turn is told of it, and those that are asked without any agent (`pydantic_ai.direct`)."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import AsyncIterator, Iterator
from typing import Any

from pydantic_ai import direct
from pydantic_ai.messages import ModelResponse, NativeToolCallPart, NativeToolReturnPart
from pydantic_ai.models.wrapper import WrapperModel

from ...completion import translate
from ...completion.usage import used
from ...hooks import LlmEvent
from ...messages import Message, ToolCall
from ..foreign import current


def listen() -> None:
    """Put what is asked without an agent under watch: it is the request of an inner agent. Outside a turn nothing changes."""
    plain = direct._prepare_model

    def _prepare_model(*given: Any, **named: Any) -> Any:
        model = plain(*given, **named)
        return model if current.get() is None else Aside(model)

    direct._prepare_model = functools.wraps(plain)(_prepare_model)


class Aside(WrapperModel):
    """A model that tells the turn what it is asked."""

    async def request(self, *given: Any, **named: Any) -> ModelResponse:
        """Ask it."""
        turn = current.get()
        if turn is None:
            return await super().request(*given, **named)
        async with turn.inner(None).request() as event:
            response = await super().request(*given, **named)
            answered(event, response, set())
        return response

    @contextlib.asynccontextmanager
    async def request_stream(self, *given: Any, **named: Any) -> AsyncIterator[Any]:
        """Ask it part by part."""
        turn = current.get()
        if turn is None:
            async with super().request_stream(*given, **named) as parts:
                yield parts
            return
        async with turn.inner(None).request() as event, super().request_stream(*given, **named) as parts:
            yield parts
            answered(event, parts.get(), set())


def answered(event: LlmEvent, response: ModelResponse, output: set[str]) -> None:
    """Set what the model answered; `output` are the tools by which it gives its output, which are no calls."""
    event.message = _message(response, output)
    event.usage, event.model = event.message.usage, response.model_name


def _message(response: ModelResponse, output: set[str]) -> Message:
    made = translate.message(response, used(response, None))
    if not output:
        return made
    calls = tuple(call for call in made.tool_calls if call.name not in output)
    return dataclasses.replace(made, tool_calls=calls)


def call_of(part: Any) -> ToolCall:
    """The call that a part of a message asks for."""
    return ToolCall(id=part.tool_call_id, name=part.tool_name, arguments=part.args)


def hosted(response: ModelResponse) -> Iterator[tuple[ToolCall, Any]]:
    """The calls that the provider ran by itself, each with its result."""
    results = {part.tool_call_id: part.content for part in response.parts if isinstance(part, NativeToolReturnPart)}
    for part in response.parts:
        if isinstance(part, NativeToolCallPart):
            yield call_of(part), results.get(part.tool_call_id)
