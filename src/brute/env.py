"""What flows through the middleware of one turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .messages import Message, Messages

if TYPE_CHECKING:
    from .hooks import LlmEvent, Registry
    from .tools import Tool


class Env:
    """What flows through the middleware of one turn: the conversation, and what the layers tell each other.

    `messages` is the conversation so far; `tools` are the tools that the model may ask for, put there by the
    layer that dispatches them; `iteration` counts the passes of the loop from 1; `metadata` is the layers' own
    dict; `hooks` is where events are fired; `request` is the model call under way, where a completion
    records its retries (`env.request.retries.append(sentence)`), else None; `stopped` says which layer ended the turn
    before the model was done, so that a turn that was cut off is not taken for one that had nothing to say; `outer` is the env
    of the turn in which another agent started this one, else None.
    """

    __slots__ = ("_hooks", "iteration", "messages", "metadata", "outer", "request", "stopped", "tools")

    def __init__(self, messages: list[Message], hooks: Registry, outer: Env | None = None) -> None:
        self.messages = Messages(messages)
        self._hooks = hooks
        self.outer = outer
        self.tools: list[Tool] = []
        self.iteration = 1
        self.metadata: dict[str, Any] = {}
        self.request: LlmEvent | None = None
        self.stopped: str | None = None

    @property
    def hooks(self) -> Registry:
        """Where events are fired; it can't be changed, or what happens would go unseen."""
        return self._hooks

    @property
    def reply(self) -> str:
        """The text of the last message, if the assistant wrote it and it asks for no tool; else an empty text."""
        return self.messages.reply
