"""The values of cases, read from nodes and written as data: stubs, wishes, words, contents, place by place."""

from __future__ import annotations

import collections
import re
import types
from collections.abc import Callable
from typing import Any

from ..arguments import shown
from . import forms, patterns
from . import serving as serving
from . import wanting as wanting
from . import whens as whens
from .forms import NOT, Unwritable
from .nodes import Node, text

# --- read


def data(node: Node) -> Any:
    """A plain value, all the way down; a form inside of it is refused, for it would be served as it stands."""
    if isinstance(node.value, dict):
        for name, entry in node.value.items():
            if name[1:] in forms.FORMS and name.startswith("$") and not node.literal:
                entry.key.refuse(
                    f"{name} stands inside a value, and has to be the whole of it; write {shown('$' + name)} if it is meant as it is"
                )
        return {name if node.literal else unescaped(name): data(entry.value) for name, entry in node.value.items()}
    return [data(each) for each in node.value] if isinstance(node.value, list) else node.value


def stub(node: Node) -> Any:
    """What is served instead of a tool running."""
    made = forms.read(node, "stub", answer)
    return data(node) if made is NOT else made


def answer(node: Node) -> Any:
    """What is served for one call."""
    made = forms.read(node, "answer", data)
    return data(node) if made is NOT else made


def content(node: Node) -> str | bytes:
    """What stands in a file."""
    made = forms.read(node, "file", content)
    return text(node, "a file holds a text or {$base64: ...}") if made is NOT else made


def wish(node: Node) -> Any:
    """What an argument should be."""
    made = forms.read(node, "wish", wish)
    if made is not NOT:
        return made
    if isinstance(node.value, dict):
        return {name if node.literal else unescaped(name): wish(entry.value) for name, entry in node.value.items()}
    if isinstance(node.value, list):
        return [wish(each) for each in node.value]
    return text_or_pattern(node)


def call(node: Node) -> Any:
    """What one call should be: a mapping of arguments, null for any."""
    made = forms.read(node, "call", call)
    if made is not NOT:
        return made
    if node.value is not None and not isinstance(node.value, dict):
        node.refuse(f"a call takes a mapping of arguments, or null for any, got {node.told}")
    return None if node.value is None else wish(node)


def calls(node: Node) -> Any:
    """Tool by tool, what its calls should be."""
    made = forms.read(node, "calls", calls)
    if made is not NOT:
        return made
    if not isinstance(node.value, dict):
        hint = (
            " (each tool with a colon behind it, for a call with any arguments)" if isinstance(node.value, list) else ""
        )
        node.refuse(f"calls takes a mapping of tool names to arguments{hint}, got {node.told}")
    return {
        unescaped(tool): [call(each) for each in entry.value.value] if isinstance(entry.value.value, list) else call(entry.value)
        for tool, entry in node.value.items()
    }  # fmt: skip


def step(node: Node) -> Any:
    """One step of the order."""
    made = forms.read(node, "step", step)
    return text(node, "order takes tool names") if made is NOT else made


def word(node: Node, alone: bool = True) -> Any:
    """A word that is mentioned: a text, a pattern, or a list of which any will do."""
    made = forms.read(node, "word", word)
    if made is not NOT:
        return made
    if alone and isinstance(node.value, list):
        return tuple(word(each, alone=False) for each in node.value)
    told = text(node, "mentions takes words, patterns, and lists of which any will do")
    return told if node.literal else text_or_pattern(node)


def absence(node: Node) -> Any:
    """The pattern that says there is nothing."""
    made = forms.read(node, "absence", absence)
    return text_or_pattern(node) if made is NOT else made


def text_or_pattern(node: Node) -> Any:
    """A scalar; a text between slashes is the pattern that it says."""
    told = node.value if node.searched is None else node.searched
    if node.literal or not isinstance(told, str):
        return node.value
    try:
        found = patterns.read(told)
    except patterns.Bad as bad:
        node.refuse(str(bad))
    return node.value if found is None else found


def unescaped(name: str) -> str:
    """A key as it is meant: of two $ at its beginning, one is there to say that it is no form."""
    return name[1:] if name.startswith("$$") else name


# --- write

_MAPPINGS = (dict, types.MappingProxyType, collections.OrderedDict, collections.defaultdict)
"""The mappings that say no more than what they hold: of any other kind, a file would lose what it is."""


def put_data(value: Any) -> Any:
    """A plain value as it stands in a file; `Unwritable` for what it can't hold."""
    if type(value) in _MAPPINGS:
        return {_key(name): put_data(each) for name, each in value.items()}
    return [put_data(each) for each in value] if type(value) is list else _scalar(value)


def put_stub(value: Any) -> Any:
    """A stub."""
    told = forms.write(value, "stub", put_answer)
    return put_data(value) if told is NOT else told


def put_answer(value: Any) -> Any:
    """An answer of a stub."""
    told = forms.write(value, "answer", put_data)
    return put_data(value) if told is NOT else told


def put_wish(value: Any) -> Any:
    """What an argument should be."""
    told = forms.write(value, "wish", put_wish)
    if told is not NOT:
        return told
    if type(value) in _MAPPINGS:
        return {_key(name): put_wish(each) for name, each in value.items()}
    return [put_wish(each) for each in value] if type(value) in (list, tuple) else _searched(value)


def put_call(value: Any) -> Any:
    """What one call should be."""
    told = forms.write(value, "call", put_call)
    return told if told is not NOT else None if value is None else put_wish(value)


def put_calls(value: Any) -> Any:
    """Tool by tool, what its calls should be."""
    told = forms.write(value, "calls", put_calls)
    if told is not NOT:
        return told
    if type(value) not in _MAPPINGS:
        raise Unwritable(shown(value))
    return {
        _key(tool): naming(tool, lambda each: [put_call(one) for one in each] if isinstance(each, (list, tuple)) else put_call(each), wanted)
        for tool, wanted in value.items()
    }  # fmt: skip


def put_word(value: Any) -> Any:
    """A word that is mentioned."""
    told = forms.write(value, "word", put_word)
    if told is not NOT:
        return told
    return [put_word(each) for each in value] if isinstance(value, tuple) else _searched(value)


def putting(place: str) -> Callable[[Any], Any]:
    """What writes the values of a place that holds forms and scalars alone."""

    def put(value: Any) -> Any:
        told = forms.write(value, place, put)
        return _searched(value) if told is NOT else told

    return put


def naming(name: str, put: Callable[[Any], Any], value: Any) -> Any:
    """What `put` answers; what it can't write is told with the name that has it."""
    try:
        return put(value)
    except Unwritable as error:
        raise Unwritable(f"{name} has {error}") from None


def _key(name: Any) -> str:
    if not isinstance(name, str):
        raise Unwritable(f"the key {shown(name)}; keys are texts in a file")
    return "$" + str.__str__(name) if name.startswith("$") else str.__str__(name)


def _searched(value: Any) -> Any:
    """A scalar, or a pattern between slashes."""
    told = patterns.write(value) if isinstance(value, re.Pattern) and isinstance(value.pattern, str) else None
    return _scalar(value) if told is None else told


def _scalar(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and value - value == 0:
        return float(value)
    if callable(value) and not isinstance(value, type):
        raise Unwritable(f"the function {getattr(value, '__qualname__', shown(value))}")
    raise Unwritable(f"{'the number ' if isinstance(value, float) else ''}{shown(value)}")
