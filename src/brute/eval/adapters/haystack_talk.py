"""What an agent or a pipeline of Haystack is given at the start of a turn, and what of its output is the reply."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from haystack import Pipeline
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage
from haystack.dataclasses import ToolCall as Asked

from ...errors import UsageError
from ...messages import Message

_INSTEAD = "map them to one input by a SuperComponent, or evaluate the agent in it"


class Inputs:
    """Where an agent or a pipeline takes what was said: refuses those that need more than that."""

    def __init__(self, agent: Any) -> None:
        self.where: tuple[str, str] | None = None
        self.talk = True
        if isinstance(agent, Pipeline):
            self._find(agent)
        else:
            self._refuse_more(agent)

    def _find(self, pipeline: Any) -> None:
        needed = [
            (name, socket, about["type"])
            for name, sockets in pipeline.inputs().items()
            for socket, about in sockets.items()
            if about["is_mandatory"]
        ]
        told = " and ".join(f"{name}.{socket}" for name, socket, _ in needed) or "nothing"
        if len(needed) != 1:
            raise UsageError(f"a turn gives a Pipeline of Haystack one input, and this one needs {told}: {_INSTEAD}")
        ((name, socket, kind),) = needed
        self.talk = "ChatMessage" in str(kind)
        if not self.talk and kind is not Any and "str" not in str(kind):
            raise UsageError(
                f"a turn gives a Pipeline of Haystack messages or a text, and {told} is neither, but {kind}: {_INSTEAD}"
            )
        self.where = name, socket

    def _refuse_more(self, agent: Any) -> None:
        sockets = agent.__haystack_input__._sockets_dict
        more = [name for name, socket in sockets.items() if socket.is_mandatory and name != "messages"]
        if more:
            raise UsageError(
                f"a turn gives an Agent of Haystack its messages alone, and this one also needs {' and '.join(more)}: "
                "give what its prompts name a default (required_variables), or hand in a Pipeline that fills it"
            )

    def given(self, messages: Sequence[Message]) -> dict[str, Any]:
        """What a run is called with."""
        messages = list(messages) or [Message(role="user")]
        if self.talk:
            given: Any = as_messages(messages)
        elif len(messages) == 1:
            given = messages[0].content
        else:
            raise UsageError("this Pipeline of Haystack starts with what the user said, and takes no conversation")
        return {"messages": given} if self.where is None else {"data": {self.where[0]: {self.where[1]: given}}}


def as_messages(messages: Sequence[Message]) -> list[Any]:
    """The messages as Haystack has them."""
    asked: dict[str, Any] = {}
    made = []
    for message in messages:
        if message.role == "system":
            made.append(ChatMessage.from_system(message.content))
        elif message.role == "user":
            made.append(ChatMessage.from_user(message.content))
        elif message.role == "tool":
            origin = asked.get(message.tool_call_id or "") or Asked("unknown", {}, id=message.tool_call_id)
            made.append(ChatMessage.from_tool(message.content, origin, error=message.failed))
        else:
            calls = [_asked(call) for call in message.tool_calls]
            asked |= {call.id: call for call in calls}
            made.append(ChatMessage.from_assistant(message.content or None, tool_calls=calls))
    return made


def _asked(call: Any) -> Any:
    arguments = call.parsed()
    if arguments is None:
        raise UsageError(f"the arguments of {call.name} in the conversation are no JSON object")
    return Asked(call.name, arguments, id=call.id)


def reply_of(agent: Any, answer: Any) -> str:
    """What a run answered; of a pipeline, what its last component did."""
    if isinstance(agent, Agent):
        return _said(agent, answer)
    last = [name for name in answer if not agent.graph.out_degree(name)]
    replies = [name for name in last if {"last_message", "replies"} & answer[name].keys()]
    if len(replies) != 1:
        raise UsageError(
            f"cannot tell what the Pipeline of Haystack replied: {len(replies)} of its last components "
            f"({', '.join(last) or 'none'}) answered with a last_message or with replies, and it must be one"
        )
    return _said(agent.get_component(replies[0]), answer[replies[0]])


def _said(who: Any, answer: Any) -> str:
    if "last_message" not in answer:
        said = (answer.get("replies") or [""])[-1]
        return said if isinstance(said, str) else said.text or ""
    last = answer["last_message"]
    if not last.tool_call_results:
        return last.text or ""
    # An agent that ends with a tool answers with its result; one whose steps were used up has not answered. Older ones don't say.
    ends = [answer["exit_reason"]] if "exit_reason" in answer else getattr(who, "exit_conditions", ())
    batch = itertools.takewhile(lambda message: message.tool_call_results, reversed(answer.get("messages", [last])))
    results = [each for message in batch for each in message.tool_call_results]
    return next((str(each.result) for each in results if each.origin.tool_name in ends and not each.error), "")
