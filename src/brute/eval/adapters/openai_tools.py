"""The tools of the OpenAI Agents SDK under watch: copies of them, made for one run, that ask the turn before they run."""

from __future__ import annotations

import contextvars
import copy
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from agents import FunctionTool

from ...messages import ToolCall
from ..foreign import Turn
from ..known import Known, served

hearing: contextvars.ContextVar[Any] = contextvars.ContextVar("brute_openai_agents", default=None)
"""The hooks of the run that goes on here."""


def watched(tool: Any, turn: Turn, agent: str | None) -> Any:
    """The tool, asked for through the turn. Guardrails, hooks, approval and the telling of errors stay the SDK's."""
    if not isinstance(tool, FunctionTool):
        return tool
    # Not by the tool's own copying, which would work out its schema again.
    made = object.__new__(type(tool))
    made.__dict__.update(tool.__dict__)
    invoker = made.on_invoke_tool
    inside = getattr(invoker, "_invoke_tool_impl", None)
    # Inside what tells the model of errors, so that a stub's exception is told as the tool's own.
    run = _through(turn, tool, inside or invoker, _check(invoker, tool.name), agent)
    if inside is None:
        made.on_invoke_tool = run
        return made
    made.on_invoke_tool = watching = copy.copy(invoker)
    watching._invoke_tool_impl = run  # type: ignore[attr-defined]
    watching._function_tool = made  # type: ignore[attr-defined]
    return made


def _through(turn: Turn, tool: FunctionTool, real: Any, check: Callable[[str], Any] | None, agent: str | None) -> Any:
    async def invoke(ctx: Any, input: str) -> Any:
        asked = ToolCall(id=ctx.tool_call_id or "", name=tool.name, arguments=input)

        async def run(arguments: dict[str, Any]) -> Any:
            changed = asked.parsed() is not None and arguments != asked.parsed()
            return await real(ctx, json.dumps(arguments) if changed else input)

        known = Known(
            tool.name, tool.params_json_schema, check=None if check is None else lambda arguments: check(input)
        )
        event = await turn.call(asked, run, tool=known, agent=agent)
        if check is not None and event.arguments is None:
            check(input)  # which raises what the SDK says of what is no JSON object
        return served(event)

    for name in ("__agents_prepare_arguments__",):
        if hasattr(real, name):
            setattr(invoke, name, getattr(real, name))
    return invoke


def _check(invoker: Any, name: str) -> Callable[[str], Any] | None:
    """The SDK's own check of a tool's arguments, given as JSON text; None where the tool has none."""
    prepare = getattr(getattr(invoker, "_invoke_tool_impl", None), "__agents_prepare_arguments__", None)
    if prepare is None:
        return None

    def check(input: str) -> Any:
        # What this answers names the function that checks, and raises where it refuses.
        prepared = prepare(input, name)
        return prepared.owner(input, name)

    return check


def hosted(output: Iterable[Any], offered: Sequence[str]) -> Iterator[tuple[ToolCall, Any]]:
    """The calls in an answer that no function of the agent's runs, each with what came of it as far as that is told.

    One that has a name of its own (a tool of a server that the provider asks) is called so, any other what the agent was `offered` it as.
    """
    for item in output:
        kind = getattr(item, "type", "")
        if not kind.endswith("_call") or kind == "function_call":
            continue
        kind = kind.removesuffix("_call")
        name = getattr(item, "name", None) or next((each for each in offered if each.startswith(kind)), kind)
        given = getattr(item, "arguments", None)
        result = getattr(item, "error", None) or getattr(item, "output", None)
        yield ToolCall(id=getattr(item, "id", "") or "", name=name, arguments=given), result


def functions(agent: Any) -> Iterator[Any]:
    """The functions of an agent's tools and handoffs, by which it comes to other agents."""
    for other in agent.handoffs:
        yield getattr(other, "on_invoke_handoff", other)
    for tool in agent.tools:
        inner = getattr(tool, "_agent_instance", None)
        if inner is not None:
            yield inner
        if isinstance(tool, FunctionTool):
            # The function that a tool was made of, or else what runs it.
            yield getattr(tool, "__wrapped__", None) or tool.on_invoke_tool
