"""Tools: what an agent lets its model do, each with the JSON schema that says how to ask for it.

Schemas and validation come from pydantic, which is imported when a schema or a check of arguments is first needed, or when an
agent is told to be ready (`Agent.ready`): it takes a tenth of a second and more, which is no turn's time.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, overload

from . import overriding
from .errors import UsageError, literal
from .hooks import watching
from .leaves import call_leaf, is_generator
from .schemas import misfits
from .signature import Function, model_of, names_here, resolved, schema_of


class BadArguments(Exception):
    """Arguments that a tool's signature refuses; the text is for the model to read."""


class Tool:
    """One thing that the model may ask for: a name, a description, a JSON schema of its arguments, and a function.

    `function` is called with the arguments as keywords and may be sync (it runs on a worker thread) or async. Raises
    `UsageError` for a blank name or a function that can't be called.

    >>> tool = Tool(name="add", description="Add.", parameters={"type": "object"}, function=lambda a, b: a + b)
    >>> tool.name
    'add'
    """

    __slots__ = ("_annotations", "_fit", "_model", "_near", "_parameters", "description", "function", "name")

    def __init__(
        self, *, name: str, description: str = "", parameters: Mapping[str, Any] | None = None, function: Function
    ) -> None:
        if not isinstance(name, str) or not name.strip():
            raise UsageError(f"a tool's name must be a text that is not blank, got {literal(name)}")
        if not callable(function):
            raise UsageError(f"the function of tool {name} must be callable, got {literal(function)}")
        if parameters is not None and not isinstance(parameters, Mapping):
            raise UsageError(
                f"the parameters of tool {name} must be a JSON schema (a mapping), got {literal(parameters)}"
            )
        _refuse_unfit(name, function)
        self.name = name
        self.description = description
        self.function = function
        self._parameters = dict(parameters) if parameters is not None else None
        self._model: Any = None
        # The names of the arguments that were last seen to fit the function's signature.
        self._fit: tuple[str, ...] | None = None
        self._near = names_here(function) if parameters is None else {}
        self._annotations: dict[str, Any] | None = None

    def __init_subclass__(cls, *, watched: bool = True) -> None:
        # Its own way of being called is called by the agent's own code too; `watched=False` is for the harness, whose tools can't be.
        if watched and cls.call is not Tool.call:
            overriding.guard(cls)

    def __repr__(self) -> str:
        return f"Tool({self.name!r})"

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments: the one given, or the one that the function's signature says."""
        if self._parameters is None:
            self._parameters = schema_of(self.name, self._signature_model())
        return self._parameters

    @property
    def by_signature(self) -> bool:
        """Whether the function's signature says what the arguments must be, which takes pydantic."""
        return self._parameters is None or _made_by_tool(self)

    def resolve(self) -> dict[str, Any]:
        """The annotations of the function, texts read; `UsageError` for one that names what there is not.

        Costs no pydantic, and no tool whose arguments nobody could check is offered to a model.
        """
        if self._annotations is None:
            self._annotations = resolved(self.name, self.function, self._near) if self.by_signature else {}
        return self._annotations

    async def call(self, arguments: Mapping[str, Any]) -> Any:
        """What the function answers to these arguments; `BadArguments` where the signature refuses them."""
        if watching.get() is not None:
            from .calling import beside, is_dispatched

            if not is_dispatched(self) and not overriding.is_above(self, Tool):
                return await beside(self, arguments)
        return await call_leaf(self.function, **self.validated(arguments))

    def validated(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the function will get them: coerced to the annotated types where the signature is typed."""
        if self._parameters is not None and self._model is None and not _made_by_tool(self):
            return self._fitting(arguments)
        from pydantic import ValidationError

        model = self._signature_model()
        try:
            made = model.model_validate(dict(arguments))
        except ValidationError as error:
            told = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in error.errors())
            raise BadArguments(told) from None
        fields = type(made).model_fields
        # Only what was asked for is handed on: the function's own defaults are the function's business.
        named = {
            field.alias or name: getattr(made, name) for name, field in fields.items() if name in made.model_fields_set
        }
        return {**named, **(made.model_extra or {})}

    def _fitting(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments, where neither the schema nor the function's own signature refuses them."""
        wrong = misfits(self._parameters or {}, arguments)
        if wrong:
            raise BadArguments("; ".join(wrong))
        names = tuple(arguments)
        if names == self._fit:
            return dict(arguments)
        try:
            inspect.signature(self.function).bind(**arguments)
            self._fit = names
        except TypeError as error:
            raise BadArguments(str(error)) from None
        except ValueError:  # a builtin without a signature
            pass
        return dict(arguments)

    def _signature_model(self) -> Any:
        if self._model is None:
            self._model = model_of(self.name, self.function, self.resolve())
        return self._model


class _SignatureTool(Tool):
    """A tool made by `@tool`, whose schema and validation both come from its function's signature."""

    __slots__ = ()


def _made_by_tool(tool: Tool) -> bool:
    return isinstance(tool, _SignatureTool)


@overload
def tool(function: Function, /) -> Tool: ...
@overload
def tool(*, name: str | None = None, description: str | None = None) -> Callable[[Function], Tool]: ...
def tool(function: Function | None = None, /, *, name: str | None = None, description: str | None = None) -> Any:
    """A tool made of a typed function: name, description and JSON schema come from its signature and docstring.

    >>> @tool
    ... async def search(query: str, limit: int = 3) -> str:
    ...     '''Search the news.
    ...
    ...     Args:
    ...         query: what to look for
    ...     '''
    >>> search.name, search.description, search.parameters["required"]
    ('search', 'Search the news.', ['query'])
    >>> search.parameters["properties"]["query"]
    {'description': 'what to look for', 'type': 'string'}
    """
    if function is None:
        return lambda f: tool_of(f, name=name, description=description)
    return tool_of(function, name=name, description=description)


def tool_of(thing: Any, *, name: str | None = None, description: str | None = None) -> Tool:
    """The tool that `thing` is or can be made into: a `Tool` as it is, a function by its signature."""
    if isinstance(thing, Tool):
        return thing
    if not callable(thing):
        raise UsageError(f"a tool must be a Tool or a function, got {literal(thing)}")
    called: str = name or getattr(thing, "__name__", None) or type(thing).__name__
    try:
        parameters = inspect.signature(thing).parameters.values()
    except ValueError:
        raise UsageError(
            f"the tool {called} has no signature to read; write Tool(name=, parameters=, function=)"
        ) from None
    for place, parameter in enumerate(parameters):
        if place == 0:
            _refuse_self(called, parameter.name)
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            raise UsageError(
                f"the tool {called} is called with keywords, so it can't take *{parameter.name.lstrip('*')} by position"
            )
    first = re.split(r"\n\s*\n", inspect.getdoc(thing) or "", maxsplit=1)[0]
    told = description if description is not None else " ".join(first.split())
    return _SignatureTool(name=called, description=told, function=thing)


def _refuse_unfit(name: str, function: Any) -> None:
    """Refuse a function that gives a model nothing to read, or that asks it for what it can't give."""
    if is_generator(function):
        raise UsageError(
            f"the tool {name} is a generator function, of which a model would read nothing; return a text or a list"
        )
    if isinstance(function, types.FunctionType):
        code = function.__code__
        for first in code.co_varnames[: min(code.co_argcount, 1)]:
            _refuse_self(name, first)


def _refuse_self(name: str, parameter: str) -> None:
    if parameter in ("self", "cls"):
        raise UsageError(
            f"the tool {name} is a method, and no model can give its {parameter}; "
            f"make the tool of the bound method: tool(thing.{name})"
        )


class ToolList(list[Tool]):
    """Tools of which no two have one name."""


def tools_of(things: Iterable[Any]) -> ToolList:
    """The tools that `things` are; two of one name are refused."""
    if isinstance(things, ToolList):
        return things
    listed = isinstance(things, (list, tuple))
    if not listed and (isinstance(things, (str, Mapping, Iterator)) or not isinstance(things, Iterable)):
        # A generator would be empty the second time, and the agent would be without tools.
        raise UsageError(f"tools come as a list, got {literal(things)}; write [...]")
    tools = ToolList()
    for made in map(tool_of, things):
        if any(made.name == other.name for other in tools):
            raise UsageError(f'two tools are called "{made.name}"')
        tools.append(made)
    return tools
