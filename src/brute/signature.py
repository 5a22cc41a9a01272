"""What a function's signature says of a tool: the types of its arguments, the check of what a model gives, the JSON schema."""

from __future__ import annotations

import inspect
import re
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from .errors import UsageError

Function = Callable[..., Any]


def names_here(function: Any) -> dict[str, Any]:
    """The locals that the annotations of a function name, where it was defined in a function that is still running.

    `from __future__ import annotations` makes texts of them, and a class of that function is in nobody's module.
    """
    code = getattr(function, "__code__", None)
    texts = [each for each in getattr(function, "__annotations__", {}).values() if isinstance(each, str)]
    if code is None or not texts or "<locals>" not in function.__qualname__:
        return {}
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and code not in frame.f_code.co_consts:
        frame = frame.f_back
    names = set(re.findall(r"[^\W\d]\w*", " ".join(texts)))
    # Only what is named: a frame's locals are held for as long as the tool is.
    return {} if frame is None else {name: thing for name, thing in frame.f_locals.items() if name in names}


def resolved(name: str, function: Function, near: Mapping[str, Any]) -> dict[str, Any]:
    """The annotation of each parameter, texts read; `UsageError` for one that names what there is not."""
    made = {}
    for parameter in inspect.signature(function).parameters.values():
        annotation = parameter.annotation
        if annotation is not parameter.empty and not isinstance(annotation, type):
            annotation = _read(name, function, parameter, near)
        made[parameter.name] = annotation
    return made


def _read(name: str, function: Any, parameter: inspect.Parameter, near: Mapping[str, Any]) -> Any:
    while not hasattr(function, "__globals__"):
        inner = getattr(function, "func", None) or getattr(function, "__func__", None)
        function = inner or getattr(type(function), "__call__", None)  # noqa: B004
        if inner is None:
            break
    known = getattr(inspect.unwrap(function), "__globals__", {})
    holder = types.SimpleNamespace(__annotations__={parameter.name: parameter.annotation})
    try:
        return typing.get_type_hints(holder, known, {**known, **near}, include_extras=True)[parameter.name]
    except Exception as error:
        told = parameter.annotation if isinstance(parameter.annotation, str) else str(parameter.annotation)
        raise UsageError(
            f"the tool {name} annotates {parameter.name} with {told}, which can't be read: {first_line(error)}"
        ) from error


def get_ready() -> None:
    """Import what reads signatures, of which pydantic keeps a part until the first model is made."""
    from pydantic import create_model

    create_model("Ready", text=(str, ...))


def model_of(name: str, function: Function, annotations: Mapping[str, Any]) -> Any:
    """The pydantic model of a function's arguments."""
    from pydantic import ConfigDict, Field, create_model

    signature = inspect.signature(function)
    told = _argument_docs(inspect.getdoc(function) or "")
    fields: dict[str, Any] = {}
    extra: Any = "forbid"
    for index, parameter in enumerate(signature.parameters.values()):
        if parameter.kind is parameter.VAR_KEYWORD:
            extra = "allow"
            continue
        annotation = Any if parameter.annotation is parameter.empty else annotations[parameter.name]
        default = ... if parameter.default is parameter.empty else parameter.default
        # Fields go by neutral names with an alias, so that an argument may be called `schema` or `_x`.
        fields[f"argument_{index}"] = (
            annotation,
            Field(default, alias=parameter.name, description=told.get(parameter.name)),
        )
    config = ConfigDict(extra=extra, arbitrary_types_allowed=True)
    try:
        return create_model(f"{name}_arguments", __config__=config, **fields)
    except Exception as error:
        raise UsageError(f"the signature of tool {name} can't be made a schema: {first_line(error)}") from error


def schema_of(name: str, model: Any) -> dict[str, Any]:
    """The JSON schema of a function's arguments."""
    try:
        schema: dict[str, Any] = model.model_json_schema(by_alias=True)
    except Exception as error:
        raise UsageError(f"the signature of tool {name} can't be made a schema: {first_line(error)}") from error
    schema.pop("title", None)
    for part in schema.get("properties", {}).values():
        part.pop("title", None)
    schema.setdefault("properties", {})
    return schema


def first_line(error: Exception) -> str:
    """The first line of what an exception says, or its type."""
    return str(error).strip().partition("\n")[0] or type(error).__name__


def _argument_docs(doc: str) -> dict[str, str]:
    """What a docstring says of each argument: `name: text` lines under `Args:`, or `:param name: text`."""
    found = dict(re.findall(r"^:param (?:\w+ )?(\w+):\s*(.+)$", doc, re.M))
    section = re.search(r"^(?:Args|Arguments|Parameters):[ \t]*\n((?:[ \t]+.*\n?|\n)+)", doc, re.M)
    if section:
        found |= dict(re.findall(r"^[ \t]+(\w+)(?: ?\([^)]*\))?:\s*(.+)$", section[1], re.M))
    return {name: text.strip() for name, text in found.items()}
