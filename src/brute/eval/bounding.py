"""The bounds of a record: a tool may answer hundreds of megabytes, and what is kept of that is copied, masked, sent, compressed and graded.

What the agent and its model get is never cut, and is graded by what came of it.
"""

from __future__ import annotations

import dataclasses
import itertools
import operator
from collections.abc import Iterable, Mapping
from typing import Any

from ..messages import Message
from . import remarks
from .copying import DEEPEST, plainly_copied
from .transcript import Transcript

MOST = 10_000_000
"""How many characters of a tool's result, and of a message, a transcript keeps."""

_text = operator.attrgetter("content")


class Bound:
    """What keeps one transcript within bounds, and notes there what is kept in part."""

    __slots__ = ("_transcript",)

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript

    def result(self, tool: str, value: Any) -> Any:
        """What is kept of a result: a copy, as far as it is made of dicts and lists; its beginning where it is too large."""
        if value is None or (type(value) is str and len(value) <= MOST):
            return value
        if _size(value, MOST) <= MOST:
            return plainly_copied(value)
        self._note(remarks.kept_in_part(f"the result of tool {tool}", MOST))
        return _Room(MOST).beginning(value)

    def messages(self, messages: list[Message]) -> list[Message]:
        """What is kept of the messages, each within its bounds."""
        # Nearly always all of it, which is seen without a step of Python's for each.
        whole = max(map(len, map(_text, messages)), default=0) <= MOST
        return messages if whole else [self.message(each) for each in messages]

    def message(self, message: Message) -> Message:
        """What is kept of a message: all of it, or the beginning of its text."""
        if len(message.content) <= MOST:
            return message
        self._note(remarks.kept_in_part(f"a message of the role {message.role}", MOST))
        return dataclasses.replace(message, content=message.content[:MOST])

    def _note(self, sentence: str) -> None:
        if sentence not in self._transcript.notes:
            self._transcript.notes.append(sentence)


def _size(value: Any, most: int, above: tuple[int, ...] = ()) -> int:
    """About how many characters the value is as a text, counted until there are more than `most`."""
    if isinstance(value, (str, bytes)):
        return len(value)
    parts = _parts(value)
    if parts is None or id(value) in above or len(above) > DEEPEST:
        return 1
    size = 1
    above = (*above, id(value))
    for part in itertools.chain.from_iterable(parts.items()) if isinstance(parts, Mapping) else parts:
        # Most parts are texts, for which a call would cost more than all the rest.
        size += len(part) if type(part) is str else _size(part, most - size, above)
        if size > most:
            break
    return size


def _parts(value: Any) -> Mapping[Any, Any] | Iterable[Any] | None:
    """What a value is made of, as its JSON will have it; None where it is one thing."""
    if isinstance(value, (dict, list, tuple, set, frozenset)):
        return value
    if isinstance(value, type):
        return None
    try:
        if dataclasses.is_dataclass(value):
            return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return dict(vars(value)) if hasattr(value, "model_dump") else None
    except Exception:  # of a thing that only looks like one
        return None


class _Room:
    """The characters that are still kept of a value."""

    def __init__(self, most: int) -> None:
        self.left = most

    def beginning(self, value: Any, above: tuple[int, ...] = ()) -> Any:
        """As much of the value as there is room for."""
        if isinstance(value, (str, bytes)):
            kept = value[: max(self.left, 0)]
            self.left -= len(kept)
            return kept
        self.left -= 1
        parts = _parts(value)
        if parts is None:
            return value
        if id(value) in above or len(above) > DEEPEST:
            return "..."
        above = (*above, id(value))
        if isinstance(parts, Mapping):
            return {
                self.beginning(key, above) if isinstance(key, str) else key: self.beginning(each, above)
                for key, each in itertools.takewhile(self._is_left, parts.items())
            }
        return [self.beginning(each, above) for each in itertools.takewhile(self._is_left, parts)]

    def _is_left(self, _: Any) -> bool:
        return self.left > 0
