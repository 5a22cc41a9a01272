"""The calls of CrewAI of which no tool hears."""

from __future__ import annotations

from typing import Any

from ...hooks import ToolEvent
from ...messages import Message, ToolCall
from ..foreign import Turn
from .crewai_tools import DONE, key_of, of


async def unheard(turn: Turn, messages: Any, offered: list[str]) -> None:
    """Tell of the calls that got to no tool: those that CrewAI answered out of its cache, refused, or has no tool for."""
    told = {
        each.get("tool_call_id"): each for each in messages if isinstance(each, dict) and each.get("role") == "tool"
    }
    for call in turn.waiting:
        done = of(turn, DONE, dict).get(key_of(call))
        answer = told.get(call.id)
        if call.name not in offered:
            await turn.refused(call, "no such tool", exists=False)
        elif done is not None and (answer is None or not str(answer["content"]).startswith(_REFUSALS)):
            await _again(turn, call, *done)
        elif answer is not None:
            await turn.refused(call, str(answer["content"]))


_REFUSALS = ("Error", "Tool execution blocked", "Tool '")
"""How the texts begin with which CrewAI answers for a tool that it did not run."""


async def _again(turn: Turn, asked: ToolCall, outcome: Any, result: Any) -> None:
    """Tell of a call that was answered as the same one was before."""
    iteration, place, call = turn.asked.take(asked, turn.iteration)
    event = ToolEvent(turn.env, call, iteration, place, None, asked.parsed(), agent=turn.agent)
    event.outcome, event.result = outcome, result
    await turn.emit("before_tool", event)
    event.outcome, event.result = outcome, result
    turn.asked.result(iteration, place, Message(role="tool", content=str(result), tool_call_id=call.id or None))
    await turn.emit("after_tool", event)
