"""What a program of DSPy is made of: its modules, its tools, and the fields that it takes and answers."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

import dspy

from ...calling import as_text
from ...errors import UsageError
from ...messages import Message
from ..reaching import named

ADDED = {"trajectory", "reasoning", "rationale", "history", "termination_reason"}
"""What DSPy's own modules answer beside the fields that they were asked for."""

_INSTEAD = "wrap it in a dspy.Module whose forward takes and answers one, or hand in a function of `said` that calls it"


def held(module: Any) -> list[Any]:
    """The tools that a module has of its own, the pseudo tools of DSPy's modules left out."""
    return [tool for tool in _tools(module) if not is_pseudo(tool)]


def names(module: Any) -> tuple[list[str], set[str]]:
    """The names of a module's tools, and those of its pseudo tools."""
    found: list[str] = []
    ends: set[str] = set()
    for tool in () if module is None else _tools(module):
        if is_pseudo(tool):
            ends.add(tool.name)
        else:
            found.append(tool.name)
    return found, ends


def has_tools(module: Any) -> bool:
    """Whether a module is an agent: it has tools, if only the pseudo tool by which it ends."""
    return bool(_tools(module))


def _tools(module: Any) -> list[Any]:
    # Asked at each call of a module and of a model, so that the most frequent things come first.
    kind, found = dspy.Tool, list[Any]()
    for value in object.__getattribute__(module, "__dict__").values():
        if value is None or type(value) in _NO_TOOLS:
            continue
        if isinstance(value, (list, tuple, dict)):
            found += [each for each in (value.values() if isinstance(value, dict) else value) if isinstance(each, kind)]
        elif isinstance(value, kind):
            found.append(value)
    return found


_NO_TOOLS = frozenset({str, bool, int, float, dspy.Predict})
"""The classes of most of what a module has beside its tools."""


def beyond(module: Any) -> list[str]:
    """The names of the tools that a module hands on as text, to an interpreter that runs them where nobody sees it."""
    code = getattr(dspy, "CodeAct", None)
    return [tool.name for tool in held(module)] if code and isinstance(module, code) else []


def bridged(module: Any) -> dict[str, Any]:
    """The functions and tools that the code of a `Flex` calls, by their names."""
    flex = getattr(dspy, "Flex", None)
    return dict(module._flex_ctx.context_names()) if flex and isinstance(module, flex) else {}


def is_pseudo(tool: Any) -> bool:
    """Whether it is none, but the way in which a model says that it is done (`finish`, `submit`)."""
    return str(getattr(tool.func, "__module__", "")).startswith("dspy.predict.")


def modules(program: Any) -> dict[int, tuple[Any, str]]:
    """The program, its modules, and those that the functions of their tools name, each with what it is called there."""
    found: dict[int, tuple[Any, str]] = {}
    waiting = [(program, type(program).__name__)]
    while waiting:
        each, called = waiting.pop(0)
        if id(each) in found:
            continue
        # All that are in it, however deep.
        for path, part in each.named_sub_modules():
            name = called if part is each else path.rpartition(".")[2]
            found.setdefault(id(part), (part, name))
            for tool in [*held(part), *bridged(part).values()]:
                function = tool.func if isinstance(tool, dspy.Tool) else tool
                waiting += [(thing, name) for name, thing in _names(function)]
                # Those that are named by a function that it calls, or held by what its method is one of.
                far = [thing for thing in named(function) if isinstance(thing, dspy.Module)]
                waiting += [(thing, type(thing).__name__) for thing in far]
    return found


def _names(function: Any) -> Iterator[tuple[str, Any]]:
    """The modules that a tool's function names, by those names."""
    function = inspect.unwrap(getattr(function, "__func__", function))
    code = getattr(function, "__code__", None)
    if code is None:
        return
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        # One that is not filled yet has no contents.
        thing = next((each for each in named(function, 0) if _is_in(cell, each)), None)
        if isinstance(thing, dspy.Module):
            yield name, thing
    for name in code.co_names:
        if isinstance(function.__globals__.get(name), dspy.Module):
            yield name, function.__globals__[name]


def _is_in(cell: Any, thing: Any) -> bool:
    try:
        return cell.cell_contents is thing
    except ValueError:
        return False


class Fields:
    """How `said` comes to a program and the reply from it: by the one input field and the one output field that it has.

    Raises `UsageError` where it has several. `history` is the field that takes earlier messages, if there is one.
    """

    def __init__(self, program: Any) -> None:
        self.kind = type(program).__name__
        signature: Any = getattr(program, "signature", None)
        if signature is None and isinstance(getattr(program, "predict", None), dspy.Predict):
            signature = program.predict.signature
        if hasattr(signature, "input_fields") and hasattr(signature, "output_fields"):
            inputs = {name: field.annotation for name, field in signature.input_fields.items()}
            self.output: str | None = self._only("output", list(signature.output_fields))
        else:
            inputs, self.output = dict(_parameters(program)), None
        self.history = next((name for name, kind in inputs.items() if kind is dspy.History), None)
        if self.history is None and isinstance(program, getattr(dspy, "ReActV2", ())):
            self.history = "history"
        self.input = self._only("input", [name for name in inputs if name != self.history])

    def _only(self, kind: str, names: Sequence[str]) -> str:
        if kind == "output" and len(names) > 1:
            names = [name for name in names if name not in ADDED]
        if len(names) == 1:
            return names[0]
        told = f"the {kind} fields {', '.join(names)}" if names else f"no {kind} field"
        raise UsageError(
            f"{self.kind} of DSPy has {told}, so that it can't be told which is for `said` and the reply; {_INSTEAD}"
        )

    def given(self, messages: Sequence[Message]) -> dict[str, Any]:
        """What the program is called with."""
        *earlier, last = messages or [Message(role="user")]
        given = {self.input: last.content}
        if self.history is not None:
            given[self.history] = dspy.History(messages=list(self._earlier(earlier)))
        elif earlier:
            raise UsageError(
                f"{self.kind} of DSPy has no field for earlier messages; give its signature one of the type dspy.History"
            )
        return given

    def _earlier(self, messages: Sequence[Message]) -> Iterator[dict[str, Any]]:
        """The conversation as DSPy has it: what was said and what was answered to it, together."""
        said: dict[str, Any] = {}
        for message in messages:
            field = {"user": self.input, "assistant": self.output or "answer"}.get(message.role)
            if field is None or message.tool_calls:
                raise UsageError(
                    "DSPy's history has what was said and what was answered, and no calls or other messages"
                )
            if field in said or (said and field == self.input):
                yield said
                said = {}
            said[field] = message.content
        if said:
            yield said

    def reply(self, answer: Any) -> str:
        """The reply in what the program answered."""
        if not isinstance(answer, dspy.Prediction):
            return as_text(answer)
        name = self.output or self._only("output", list(answer))
        return as_text(answer.get(name))


def _parameters(program: Any) -> Iterator[tuple[str, Any]]:
    """What a program that was written by hand must be given."""
    body = type(program).aforward if is_async(type(program)) else type(program).forward
    hints = inspect.get_annotations(body)
    for each in list(inspect.signature(body).parameters.values())[1:]:
        kind = hints.get(each.name)
        history = kind is dspy.History or (isinstance(kind, str) and kind.rpartition(".")[2] == "History")
        if each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL) and (each.default is each.empty or history):
            yield each.name, dspy.History if history else kind


def is_async(kind: type) -> bool:
    """Whether a program is to be awaited: its class has `aforward`, and none that is made of it has a `forward` of its own."""
    for base in kind.__mro__:
        if "aforward" in vars(base):
            return True
        if "forward" in vars(base):
            return False
    raise UsageError(f"{kind.__name__} of DSPy has neither `forward` nor `aforward`")
