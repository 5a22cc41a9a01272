"""Transcripts that lie in a run log and not in memory."""

from __future__ import annotations

import collections
import dataclasses
import sqlite3
from typing import Any

from .logrows import Damaged, body_sum, unpacked
from .logschema import LogError, readable, unread
from .transcript import Transcript

KEPT = 8
"""How many of the transcripts that were looked at last a source keeps."""


class Source:
    """Where transcripts are read from, one by one: a run log."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._kept: collections.OrderedDict[int, Transcript] = collections.OrderedDict()

    def transcript(self, id: int) -> Transcript:
        """The transcript of the attempt with this id; raises `LogError` where it can't be read."""
        if id in self._kept:
            return self._kept[id]
        connection = readable(self.path)
        try:
            made = self._kept[id] = transcript(connection, self.path, id)
        finally:
            connection.close()
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return made


def transcript(connection: sqlite3.Connection, path: str, id: int) -> Transcript:
    """The transcript of the attempt with this id; raises `LogError` where it is not there, or damaged."""
    try:
        found = connection.execute("SELECT body, sum FROM transcript WHERE id = ?", (id,)).fetchone()
    except sqlite3.Error as error:
        raise unread(path, error) from error
    if found is None:
        raise LogError(f"a transcript is missing in the run log {path}")
    try:
        body, sum = found
        if sum not in (None, body_sum(id, body)):
            raise Damaged("the transcript is damaged")
        return unpacked(body)
    except (Damaged, ValueError, TypeError) as error:
        raise LogError(f"a transcript in the run log {path} can't be read: {error}") from error


class Stored(Transcript):
    """A transcript that is read from the log when somebody looks at it; its tokens and its cost are known without."""

    __slots__ = ("_cost", "_id", "_source", "_tokens")

    def __init__(self, source: Source, id: int, tokens: int | None, cost: float | None) -> None:
        self._source = source
        self._id = id
        self._tokens = tokens
        self._cost = cost

    def __getattr__(self, name: str) -> Any:
        # Only for a field that has no value of its own: all of them, unless somebody gave it one.
        if name in _FIELDS:
            return getattr(self._source.transcript(self._id), name)
        raise AttributeError(name)

    def __repr__(self) -> str:
        return f"<transcript {self._id} in {self._source.path}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Transcript):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _FIELDS)

    __hash__ = None  # type: ignore[assignment]

    @property
    def tokens(self) -> int | None:
        """Input and output tokens of all model calls, or None where one of them reported no usage."""
        return self._tokens

    @property
    def cost(self) -> float | None:
        """US dollars for all model calls, or None where the price of one of them is not known."""
        return self._cost

    def __reduce__(self) -> tuple[Any, ...]:
        return (Transcript.from_json, (self._source.transcript(self._id).to_json(),))


_FIELDS = frozenset(field.name for field in dataclasses.fields(Transcript))
