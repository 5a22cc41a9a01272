"""The calls of LlamaIndex's tools under watch: the turn is asked before a tool runs, and what it answers becomes what the framework makes of it."""

from __future__ import annotations

import asyncio
import contextvars
import copy
import functools
import json
from collections.abc import Callable
from typing import Any

from llama_index.core.tools import FunctionTool, ToolMetadata, ToolOutput

from ...calling import as_text, inside, working
from ...messages import ToolCall
from ...schemas import misfits
from ...tools import BadArguments
from ..bridging import wait
from ..foreign import Turn
from ..known import Known, served
from .signatures import unfit

through: contextvars.ContextVar[tuple[Any, ...]] = contextvars.ContextVar("brute_llama_through", default=())
"""The tools whose own code runs here, after the turn was asked."""

AGENT = "brute.llama_index.agent"
"""Where an env's metadata says whose calls the turn's are, if not the first agent's."""

TASKS = "brute.llama_index.tasks"
"""Where it has the tasks in which steps and tools run."""

CUT = "brute.llama_index.cut"
"""Where it names a tool that was cancelled while it ran."""

_HANDS_OVER = "llama_index.core.agent.workflow.multi_agent_workflow"
_OUTPUT = "llama_index.core.program.function_program"


class Fitting(Known):
    """A tool of LlamaIndex, which checks nothing but whether its function takes the arguments: the schema is the harness's to keep."""

    __slots__ = ("beside", "real")

    def __init__(self, tool: Any, beside: dict[str, Any]) -> None:
        super().__init__(tool.metadata.get_name())
        self.real, self.beside = tool, beside

    def validated(self, arguments: Any) -> dict[str, Any]:
        """The arguments as they came; `BadArguments` where the function or the schema refuses them."""
        self.taken(arguments)
        wrong = [] if _fits(self.real.metadata, arguments) else misfits(schema_of(self.real), arguments)
        if wrong:
            raise BadArguments("; ".join(wrong))
        return dict(arguments)

    def taken(self, arguments: Any) -> None:
        """Raise `BadArguments` where the function would not take the arguments."""
        if isinstance(self.real, FunctionTool):
            given = {
                **getattr(self.real, "_field_defaults", {}),
                **self.real.partial_params,
                **arguments,
                **self.beside,
            }
            error = unfit(self.real.real_fn, given)
            if error is not None:
                raise BadArguments(str(error)) from error


class Calling:
    """One call of a tool: as the model asked for it, and what the framework hands over beside that."""

    def __init__(self, turn: Turn, tool: Any, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        self.turn, self.tool = turn, tool
        by_place = zip(schema_of(tool).get("properties", {}), given, strict=False) if given else ()
        arguments = {**dict(by_place), **named}
        context = getattr(tool, "ctx_param_name", None)
        self.beside: dict[str, Any] = {str(context): arguments.pop(context)} if context in arguments else {}
        self.given, self.positional = arguments, bool(given)
        self.known = Fitting(tool, self.beside)
        self.asked = ToolCall(name=tool.metadata.get_name(), arguments=dict(arguments))
        self.agent = turn.env.metadata.get(AGENT)

    async def run(self, plain: Callable[..., Any]) -> Any:
        """What the tool answers, in async code."""
        started(self.turn)
        ran: list[Any] = []

        async def body(arguments: dict[str, Any]) -> Any:
            with self._body(plain):
                self.known.taken(arguments)
                positional, named = self._arguments(arguments)
                ran.append(await plain(*positional, **named))
            return value_of(ran[0])

        event = await self.turn.call(self.asked, body, tool=self.known, agent=self.agent)
        if ran and event.outcome == "ran":
            return ran[0]
        if isinstance(self.tool, FunctionTool):
            return await _ACALL.__get__(self._stand_in(event))(**self.given, **self.beside)
        return self._output(event)

    def run_blocking(self, plain: Callable[..., Any]) -> Any:
        """What the tool answers, in blocking code."""
        event = wait(self.turn.begin(self.asked, tool=self.known, agent=self.agent))
        if event.outcome is not None:
            wait(self.turn.end(event))
        else:
            try:
                with working(event), self._body(plain):
                    self.known.taken(event.arguments or {})
                    positional, named = self._arguments(event.arguments or {})
                    answer = plain(*positional, **named)
            except Exception as error:
                wait(self.turn.end(event, error=error))
            except BaseException as error:
                wait(self.turn.end(event, error=error))
                raise
            else:
                wait(self.turn.end(event, value_of(answer)))
                return answer
        if isinstance(self.tool, FunctionTool):
            return _CALL.__get__(self._stand_in(event))(**self.given, **self.beside)
        return self._output(event)

    def _arguments(self, arguments: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        # A tool that is no function may take its one input only by place.
        if self.positional and arguments == self.given:
            return list(arguments.values()), self.beside
        return [], {**arguments, **self.beside}

    def _body(self, plain: Any) -> _Body:
        # What the framework's own call of a function runs is the user's, who may call the tool again.
        ends = getattr(plain, "__func__", None) in (_CALL, _ACALL)
        return _Body(self.turn, self.tool, () if ends else (self.tool, getattr(self.tool, "base_tool", None)))

    def _stand_in(self, event: Any) -> Any:
        """A tool that answers what is served, or raises it: callbacks, and what is made of the result, stay the framework's."""

        def function(**given: Any) -> Any:
            return served(event)

        async def async_function(**given: Any) -> Any:
            return served(event)

        made = copy.copy(self.tool)
        made._fn, made._async_fn = function, async_function
        return made

    def _output(self, event: Any) -> Any:
        answer = served(event)
        if isinstance(answer, ToolOutput):
            return answer
        return ToolOutput(
            content=as_text(answer), tool_name=self.asked.name, raw_input={"input": self.given}, raw_output=answer
        )


class _Body:
    """Held around a tool's own code."""

    def __init__(self, turn: Turn, tool: Any, leads: tuple[Any, ...]) -> None:
        self.turn, self.tool, self.leads = turn, tool, leads

    def __enter__(self) -> None:
        hearing = inside.get()
        if hearing is not None and is_handoff(self.tool):
            hearing.steered = "control"
        elif hearing is not None and getattr(self.tool, "requires_context", False):
            hearing.steered = "state"
        self.token = through.set(self.leads)

    def __exit__(self, kind: type[BaseException] | None, *error: Any) -> None:
        through.reset(self.token)
        if kind is asyncio.CancelledError:
            self.turn.root.env.metadata[CUT] = self.tool.metadata.get_name()


def started(turn: Turn) -> None:
    """Note the task that runs here, so that it can be ended with the turn."""
    tasks = turn.root.env.metadata.get(TASKS)
    if tasks is not None:
        tasks.add(asyncio.current_task())


def is_handoff(tool: Any) -> bool:
    """Whether the tool is the one by which an agent hands over to another."""
    return isinstance(tool, FunctionTool) and tool.real_fn.__module__ == _HANDS_OVER


def is_output(tool: Any) -> bool:
    """Whether the tool is none, but what a model hands structured output over by."""
    return isinstance(tool, FunctionTool) and getattr(tool.real_fn, "__module__", "") == _OUTPUT


def schema_of(tool: Any) -> dict[str, Any]:
    """The JSON schema of a tool's arguments."""
    metadata = tool.metadata
    if type(metadata) is ToolMetadata and metadata.fn_schema is not None:
        return _schema(metadata.fn_schema)
    made: dict[str, Any] = metadata.get_parameters_dict()
    return made


def _fits(metadata: Any, arguments: Any) -> bool:
    """Whether the arguments fit beyond doubt, by the model that the schema would be made of, which takes longer than all else."""
    if type(metadata) is not ToolMetadata or metadata.fn_schema is None:
        return False
    try:
        metadata.fn_schema.model_validate_json(json.dumps(arguments), strict=True)
    except Exception:  # the user's own validators may raise anything
        return False
    return True


@functools.lru_cache(maxsize=256)
def _schema(fn_schema: Any) -> dict[str, Any]:
    made: dict[str, Any] = ToolMetadata(description="", fn_schema=fn_schema).get_parameters_dict()
    return made


def value_of(output: Any) -> Any:
    """What a tool answered: what its function returned where that is plain, else its text."""
    if not isinstance(output, ToolOutput):
        return output
    raw = output.raw_output
    plain = raw is None or isinstance(raw, str | int | float | bool | list | dict)
    return raw if plain else output.content


_CALL: Any = vars(FunctionTool)["call"]
_ACALL: Any = vars(FunctionTool)["acall"]
