"""The model calls of Microsoft's Agent Framework under watch, in one piece or as they come."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Sequence
from typing import Any

import agent_framework as af

from ...hooks import LlmEvent
from ...messages import Message, Usage, as_count
from ..foreign import Turn
from . import agent_framework_tools as tools
from .base import price, tool_offered


class Asking:
    """One model call: what it is asked with, and, once it is over, the response."""

    def __init__(self, turn: Turn, messages: Sequence[Any], options: Any, model: Any) -> None:
        self.turn = turn
        self.messages = messages
        self.options = options
        self.model = options.get("model") or model
        self.response: Any = None

    async def whole(self, ask: Any) -> Any:
        """The response, in one piece."""
        event = await self._begin()
        try:
            self.response = await ask()
        except BaseException as error:
            await self.turn.said(event, error=error)
            raise
        await self._end(event)
        return self.response

    async def parts(self, ask: Any) -> AsyncGenerator[Any, None]:
        """The response as it comes."""
        event = await self._begin()
        try:
            stream = ask()
            if not isinstance(stream, af.ResponseStream):
                stream = await stream
            async for update in stream:
                yield update
            self.response = await stream.get_final_response()
        except BaseException as error:
            await self.turn.said(event, error=error)
            raise
        await self._end(event)

    async def _begin(self) -> LlmEvent:
        given = self.options.get("tools") or ()
        offered, hosted = [], []
        for tool in given:
            if isinstance(tool, af.FunctionTool):
                offered.append(tool.name)
            else:
                hosted.append(tools.hosted(tool))
        if self.turn.waiting:
            await _answers(self.turn, self.messages, offered)
        return await self.turn.asks(map(tool_offered, offered), hosted=hosted, names=[*offered, *hosted])

    async def _end(self, event: LlmEvent) -> None:
        response = self.response
        event.model = response.model or self.model
        event.usage = _usage(response.usage_details, event.model)
        text, calls, ran = tools.parts_of(response.messages)
        event.message = Message(role="assistant", content=text, tool_calls=calls, usage=event.usage, model=event.model)
        await self.turn.said(event)
        for call in ran:
            await self.turn.hosted(call)


async def _answers(turn: Turn, messages: Iterable[Any], offered: list[str]) -> None:
    """What was answered to calls of which no tool has heard: by the framework, or by middleware of the user's."""
    contents = [content for message in messages for content in message.contents]
    answers = {content.call_id: content for content in contents if content.type == "function_result"}
    for call in turn.waiting:
        answer = answers.get(call.id)
        told = "no such tool" if answer is None else str(answer.result)
        if call.name not in offered:
            await turn.refused(call, told, exists=False)
        elif answer is not None and answer.exception:
            await turn.refused(call, told)
        elif answer is not None:
            turn.asked.answered(call, told)


def _usage(used: Any, model: str | None) -> Usage | None:
    if not used:
        return None
    input, output = used.get("input_token_count"), used.get("output_token_count")
    if not input and not output:
        return None
    made = Usage(
        input=as_count(input),
        output=as_count(output),
        cache_read=as_count(used.get("cache_read_input_token_count")),
        cache_write=as_count(used.get("cache_creation_input_token_count")),
    )
    return price(made, model)
