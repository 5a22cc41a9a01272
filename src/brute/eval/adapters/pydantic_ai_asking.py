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
from ..foreign import Turn, current


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
        mine = turn.inner(None)
        async with mine.request(hosted=_beyond(given, named)) as event:
            response = await super().request(*given, **named)
            answered(event, response, set())
        await _told(mine, response)
        return response

    @contextlib.asynccontextmanager
    async def request_stream(self, *given: Any, **named: Any) -> AsyncIterator[Any]:
        """Ask it part by part."""
        turn = current.get()
        if turn is None:
            async with super().request_stream(*given, **named) as parts:
                yield parts
            return
        mine = turn.inner(None)
        async with mine.request(hosted=_beyond(given, named)) as event:
            async with super().request_stream(*given, **named) as parts:
                yield parts
                response = parts.get()
            answered(event, response, set())
        await _told(mine, response)


def _beyond(given: tuple[Any, ...], named: dict[str, Any]) -> list[str]:
    """The tools that the provider may run in a request."""
    asked = named.get("model_request_parameters", given[2] if len(given) > 2 else None)
    return [each.kind for each in getattr(asked, "native_tools", None) or ()]


async def _told(turn: Turn, response: ModelResponse) -> None:
    """Tell of what the provider ran."""
    for call, result in hosted(response):
        await turn.hosted(call, result)


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
