"""What a case may say in a file, field by field: how each is read, written and described. One row for each argument of `Case`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from ...errors import UsageError
from ...messages import ROLES, Message, ToolCall, Usage
from .. import casecheck
from ..budget import Budget
from . import values
from .nodes import Node, known, listed, mapping, text


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One argument of a case: `read` makes its value of a node, `write` makes data of the value, `schema` describes that."""

    about: str
    read: Callable[[Node], Any]
    write: Callable[[Any], Any]
    schema: Mapping[str, Any]


def _said(node: Node) -> str | None:
    return None if node.value is None else text(node, "said must be a text or null")


def _names(node: Node) -> list[str]:
    return [text(each, "never takes tool names") for each in listed(node, "never takes a list of tool names")]


def _judge(node: Node) -> str | list[str]:
    what = "judge takes a rubric, a text, or a list of those"
    return [text(each, what) for each in node.value] if isinstance(node.value, list) else text(node, what)


def _put_list(value: Any) -> list[Any]:
    return [values.put_data(each) for each in value]


def _flag(field: str) -> Callable[[Node], bool]:
    def read(node: Node) -> bool:
        if not isinstance(node.value, bool):
            # What older YAML took for true is a text here, wherever it stands.
            meant = {"yes": "true", "on": "true", "no": "false", "off": "false"}.get(str(node.value).lower())
            node.refuse(f"{field} must be true or false, got {node.told}{f'; write {meant}' if meant else ''}")
        return node.value

    return read


def _plainly(node: Node) -> Any:
    return values.data(node)


def _budget(node: Node) -> Budget:
    entries = mapping(node, "budget takes a mapping, such as {iterations: 3}")
    known(node, (field.name for field in dataclasses.fields(Budget)), "budget")
    for name, entry in entries.items():
        try:
            Budget(**{name: values.data(entry.value)})
        except UsageError as error:
            entry.value.refuse(str(error).replace("Budget: ", "budget: ").replace("None", "null"))
    return Budget(**{name: entry.value.value for name, entry in entries.items()})


def _put_budget(budget: Budget) -> dict[str, Any]:
    return {name: limit for name, limit in dataclasses.asdict(budget).items() if limit is not None}


def _named(read: Callable[[Node], Any], what: str) -> Callable[[Node], dict[str, Any]]:
    """What reads a mapping of names to values of one kind."""
    return lambda node: {values.unescaped(name): read(entry.value) for name, entry in mapping(node, what).items()}


def _put_named(put: Callable[[Any], Any]) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    return lambda value: {
        "$" + name if name.startswith("$") else name: values.naming(name, put, each) for name, each in value.items()
    }


# --- the conversation


def _message(node: Node) -> Message:
    entries = mapping(node, "a message is a mapping, such as {user: hello}")
    if len(entries) == 1 and next(iter(entries)) in ROLES:
        role, entry = next(iter(entries.items()))
        return Message(role=role, content=text(entry.value, f"what the {role} said must be a text"))  # type: ignore[arg-type]
    return _made(Message, node, "a message", tool_calls=_tool_calls, usage=lambda each: _made(Usage, each, "usage"))  # type: ignore[no-any-return]


def _tool_calls(node: Node) -> tuple[ToolCall, ...]:
    calls = listed(node, "tool_calls takes a list of {name: ..., arguments: ..., id: ...}")
    return tuple(_made(ToolCall, each, "a tool call") for each in calls)


def _made(kind: Any, node: Node, what: str, **read: Callable[[Node], Any]) -> Any:
    """A value of a dataclass, of a mapping with its fields."""
    entries = mapping(node, f"{what} is a mapping")
    known(node, (field.name for field in dataclasses.fields(kind)), what)
    given = {name: read.get(name, _plainly)(entry.value) for name, entry in entries.items()}
    try:
        return kind(**given)
    except UsageError as error:
        node.refuse(str(error))


def _put_message(message: Message) -> dict[str, Any]:
    given = _put_made(message)
    if given.keys() <= {"role", "content"}:
        return {message.role: values.put_data(message.content)}
    for name in ("tool_calls", "usage"):
        if name in given:
            given[name] = (
                _put_made(message.usage) if name == "usage" else [_put_made(each) for each in message.tool_calls]
            )
    return {name: values.naming(name, values.put_data, value) for name, value in given.items()}


def _put_made(value: Any) -> dict[str, Any]:
    """The fields of a value that are not what they are anyway; none of them is a form."""
    fields = dataclasses.fields(value)
    return {field.name: getattr(value, field.name) for field in fields if getattr(value, field.name) != field.default}


# --- the table

_TEXT = {"type": "string"}
_WORD = {"type": "string", "minLength": 1}
_TOOLS = {"type": "array", "items": _WORD}
_COUNT = {"type": "integer", "minimum": 1}
_CALL = {"$ref": "#/definitions/call"}
_MESSAGES = {"type": "array", "items": {"$ref": "#/definitions/message"}}


def _mapping_of(inner: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": inner}


FIELDS: dict[str, Field] = {
    "name": Field(
        about="What the case is called; no two of a file are called the same.",
        read=lambda node: text(node, "a case's name must be a text"),
        write=values.put_data,
        schema=_WORD,
    ),
    "said": Field(
        about="The prompt handed to the agent; null: nothing is said, the world delivers.",
        read=_said,
        write=values.put_data,
        schema={"type": ["string", "null"]},
    ),
    "conversation": Field(
        about="Earlier messages.",
        read=lambda node: [_message(each) for each in listed(node, "conversation takes a list of messages")],
        write=lambda value: [_put_message(each) for each in value],
        schema=_MESSAGES,
    ),
    "files": Field(
        about="Path -> content, laid out before the turn inside the world's folder.",
        read=_named(values.content, "files takes a mapping of paths to contents"),
        write=_put_named(values.putting("file")),
        schema=_mapping_of({"$ref": "#/definitions/file"}),
    ),
    "stubs": Field(
        about="Tool name -> what is served instead of the tool running.",
        read=_named(values.stub, "stubs takes a mapping of tool names to what is served"),
        write=_put_named(values.put_stub),
        schema=_mapping_of({"$ref": "#/definitions/stub"}),
    ),
    "runs": Field(
        about="How many attempts are made; every one must pass.",
        read=_plainly,
        write=values.put_data,
        schema={**_COUNT, "maximum": casecheck.MOST_RUNS},
    ),
    "calls": Field(
        about="Tool name -> arguments that it was called with: a mapping, null for any, or a list of those for as many different calls.",
        read=values.calls,
        write=values.put_calls,
        schema={"$ref": "#/definitions/calls"},
    ),
    "never": Field(
        about="None of these tools was called.", read=_names, write=_put_list, schema=_TOOLS
    ),
    "order": Field(
        about="The calls to these tools, others left out, were exactly these.",
        read=lambda node: [values.step(each) for each in listed(node, "order takes a list of tool names")],
        write=lambda value: [values.putting("step")(each) for each in value],
        schema={"type": "array", "items": {"$ref": "#/definitions/step"}, "minItems": 1},
    ),
    "mentions": Field(
        about="Every word is in the reply; of a list in the list, any.",
        read=lambda node: [values.word(each) for each in listed(node, "mentions takes a list of words")],
        write=lambda value: [values.put_word(each) for each in value],
        schema={"type": "array", "items": {"$ref": "#/definitions/word"}},
    ),
    "silent": Field(
        about="The turn answered nothing.", read=_flag("silent"), write=bool, schema={"type": "boolean"}
    ),
    "absent": Field(
        about="The reply says that there is nothing.", read=_flag("absent"), write=bool, schema={"type": "boolean"}
    ),
    "absence": Field(
        about="The pattern that says so, instead of the built-in reading.",
        read=values.absence,
        write=values.putting("absence"),
        schema={"$ref": "#/definitions/absence"},
    ),
    "judge": Field(
        about="A rubric, or several, each of which the judge of the run finds met.",
        read=_judge,
        write=lambda value: value[0] if len(value) == 1 else list(value),
        schema={"anyOf": [_WORD, {"type": "array", "items": _WORD}]},
    ),
    "budget": Field(
        about="What may be spent; a field left out is not limited.",
        read=_budget,
        write=_put_budget,
        schema={
            "type": "object",
            "properties": {
                # null: not limited, as where it is left out
                "iterations": {**_COUNT, "type": ["integer", "null"]},
                "tool_calls": {"type": ["integer", "null"], "minimum": 0},
                "tokens": {**_COUNT, "type": ["integer", "null"]},
                "seconds": {"type": ["number", "null"], "exclusiveMinimum": 0},
            },
            "additionalProperties": False,
        },
    ),
}  # fmt: skip
"""Every field that a file may have, in the order in which they are written."""

NOT_IN_FILES = {
    "check": "is a function, which a file can't hold; load the cases in an eval file, and put it over one: case(check)"
}
"""The arguments of `Case` that no file has, each with the reason."""
