"""The adapter for a home-made loop: a function of what was said or of the messages, which reports through `brute.eval.trace`."""

from __future__ import annotations

import json
from typing import Any

from ...calling import as_text
from ...errors import UsageError
from ...leaves import call_leaf
from ...messages import Message
from ..foreign import Turn
from ..frameworks import MARK, takes
from ..guarding import UNSEEN
from ..trace import REPORTED
from .base import Foreign

_ALL = ("calls", "order", "usage", "iterations")


class Plain(Foreign):
    """A function that is an agent. What it did not report was not seen."""

    def __init__(self, agent: Any) -> None:
        super().__init__(agent)
        declared: list[str] | None = getattr(agent, MARK, None)
        self.names = None if declared is None else list(declared)
        self._takes = takes(agent)
        if self._takes is None:
            raise UsageError("an agent that is a function takes one argument: `said`, the text, or `messages`, a list")
        self.blind = list(_ALL)

    async def play(self, turn: Turn) -> None:
        """Call the function, and take its answer for the reply."""
        turn.env.metadata[REPORTED] = reported = set() if self.names is None else {"calls", "order"}
        unseen: list[str] = []
        turn.env.metadata[UNSEEN] = unseen  # by another framework's agent that the function runs
        try:
            answer = await call_leaf(self.agent, self._input(turn.env.messages))
        finally:
            self.blind = [what for what in _ALL if what not in reported or what in unseen]
            self.blind += [what for what in unseen if what not in _ALL]
        turn.reply("" if answer is None else as_text(answer))

    def _input(self, messages: list[Message]) -> Any:
        if self._takes == "messages":
            return [as_chat(message) for message in messages]
        said = [message for message in messages if message.role == "user"]
        if len(messages) > 1 or len(said) != len(messages):
            raise UsageError(
                f"the agent takes only {self._takes}, so it can't be handed a conversation; let it take `messages`"
            )
        return said[0].content if said else ""


def as_chat(message: Message) -> dict[str, Any]:
    """A message as most providers' chat endpoints have it."""
    made: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        made["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _text(call.arguments)}}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        made["tool_call_id"] = message.tool_call_id
    return made


def _text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps({} if arguments is None else dict(arguments))
