"""Attempts as rows of the run log, and rows as attempts; everything is masked on its way in.

A row carries a checksum of its own, since SQLite keeps none: damage on the disk must never turn a verdict into another.
"""

from __future__ import annotations

import dataclasses
import json
import zlib
from collections.abc import Callable
from typing import Any

from ..messages import Message, ToolCall, Usage
from .attempt import Attempt
from .jsonable import SCHEMA, plain
from .judgement import Judgement, Vote
from .masking import masked_json
from .spent import Spent
from .transcript import Call, Request, Transcript
from .verdict import STATUSES, Failure, Verdict

LEVEL = 1
"""How hard transcripts are compressed: level 6 saves another 7 % of their bytes, and costs a third more time."""

# What every transcript begins with, so that even a short one is small. It is part of the tables' form: another text, another schema.
_FAMILIAR = (
    b'"error":"failed":true,"stopped":"notes":["outcome":"denied","model":"retries":[],"cost":0.0,"arguments":{},"executed":{"path":'
    b'"published":["said":"tools":["iteration":2,"seconds":"iterations":2,"usage":{"input":10,"output":1},"started":0.0,"ended":0.0'
    b'"tool_call_id":"call_1"},{"role":"tool","content":"},{"role":"assistant","tool_calls":[{"name":"search","arguments":{"query":"'
    b'"calls":[{"name":"executed":{"query":"result":"outcome":"stubbed","id":"call_1"}],"requests":[{"usage":{"input":'
    b'{"schema":1,"said":"messages":[{"role":"system","content":"},{"role":"user","content":"'
)

Row = tuple[Any, ...]


class Damaged(ValueError):
    """A row that is not what was written."""


def _given(kind: type[Any]) -> Callable[[Any], dict[str, Any]]:
    """What gives a value's fields, as far as they are not what they are anyway."""
    pairs = []
    for field in dataclasses.fields(kind):
        usual = field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
        pairs.append((field.name, usual, type(usual)))

    def given(value: Any) -> dict[str, Any]:
        kept = {}
        for name, usual, of in pairs:
            each = getattr(value, name)
            # By type too: False is no 0, and a tool's empty text is a result.
            if each is not usual and (each != usual or type(each) is not of):
                kept[name] = each
        return kept

    return given


_FIELDS: dict[type[Any], Callable[[Any], dict[str, Any]]] = {
    kind: _given(kind) for kind in (Transcript, Call, Request, Message, ToolCall, Usage, Failure, Judgement, Vote)
}


def _known(value: Any) -> Any:
    given = _FIELDS.get(type(value))
    return given(value) if given is not None else plain(value)


# Without a list of what is above each value: what goes round in a circle is found out by its depth.
_encoder = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":"), default=_known
)

_ascii_encoder = json.JSONEncoder(allow_nan=False, check_circular=False, separators=(",", ":"), default=_known)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def text_of(transcript: Transcript) -> str:
    """The transcript as JSON, without the fields that are what they are anyway; `Transcript.from_json` reads it."""
    try:
        data = {"schema": SCHEMA, **_FIELDS[Transcript](transcript)}
        text = _encoder.encode(data)
        if not _is_unicode(text):
            # Half a character, as a model's broken escape makes it: JSON has a word for that, and UTF-8 has none.
            text = _ascii_encoder.encode(data)
    except (TypeError, ValueError, RecursionError):
        # A tool handed out something that JSON has no word for: then it takes the longer way.
        return _encoder.encode(transcript.to_json())
    return text


def packed(transcript: Transcript) -> tuple[bytes, bool]:
    """The transcript masked and compressed, and whether anything in it was masked."""
    written = text_of(transcript)
    hidden = masked_json(written)
    text = hidden.encode()
    # zlib's own memory, of which it clears a quarter of a megabyte by default, costs more than a short text does.
    window, memory = (13, 6) if len(text) < 2**13 else (15, 8)
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, window, memory, zlib.Z_DEFAULT_STRATEGY, _FAMILIAR)
    return packer.compress(text) + packer.flush(), hidden != written


def unpacked_text(body: bytes) -> str:
    """The JSON of a transcript; raises `Damaged`."""
    try:
        unpacker = zlib.decompressobj(15, _FAMILIAR)
        return (unpacker.decompress(body) + unpacker.flush()).decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise Damaged(f"the transcript is damaged: {error}") from error


def unpacked(body: bytes) -> Transcript:
    """The transcript; raises `Damaged`."""
    try:
        data = json.loads(unpacked_text(body))
        return _made(data) if data["schema"] == SCHEMA else Transcript.from_json(data)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise error if isinstance(error, Damaged) else Damaged(f"the transcript is damaged: {error}") from error


def _made(data: dict[str, Any]) -> Transcript:
    """The transcript of JSON of our own; what is not is left to `Transcript.from_json`, which takes three times as long."""
    given = {name: each for name, each in data.items() if name != "schema"}
    try:
        given["messages"] = [Message(**_messaged(each)) for each in data.get("messages", ())]
        given["calls"] = [Call(**each) for each in data.get("calls", ())]
        given["requests"] = [Request(**_used(each)) for each in data.get("requests", ())]
        if "failures" in data or "error" in data or "judgements" in data:
            return Transcript.from_json(data)
        return Transcript(**given)
    except TypeError:
        return Transcript.from_json(data)


def _used(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "usage": Usage(**data["usage"])} if data.get("usage") is not None else data


def _messaged(data: dict[str, Any]) -> dict[str, Any]:
    calls = data.get("tool_calls")
    return _used({**data, "tool_calls": tuple(ToolCall(**call) for call in calls)} if calls else data)


def attempt_row(attempt: Attempt, place: int, key: bytes | None) -> Row:
    """(number, status, key, tokens, cost, left behind, verdict, place, earlier): the attempt but for its case and its transcript."""
    transcript, verdict = attempt.transcript, None
    if attempt.verdict.failures:
        verdict = masked_json(
            json.dumps([plain(failure) for failure in attempt.verdict.failures], separators=(",", ":"))
        )
    tokens, cost = _number(transcript.tokens), _number(transcript.cost)
    return attempt.number, attempt.status, key, tokens, cost, int(attempt.left_behind), verdict, place, _beside(attempt)


def _beside(attempt: Attempt) -> str | None:
    """What was used beside the turn: by earlier tries, and by a judge, which stands among it as `judged`."""
    if attempt.earlier is None and attempt.judged is None:
        return None
    used = {} if attempt.earlier is None else _FIELDS[Usage](attempt.earlier)
    judged = {} if attempt.judged is None else {"judged": dataclasses.astuple(attempt.judged)}
    tried = {} if attempt.earlier is None or used else {"input": None}
    return json.dumps({**used, **tried, **judged}, separators=(",", ":"))


def sealed(id: int, cased: int, row: Row) -> Row:
    """The row under its id and the number of its case, with its checksum."""
    whole = (id, cased, *row)
    return (*whole, _sum(whole))


def transcript_row(id: int, body: bytes, hidden: bool) -> Row:
    """(id, body, masked, sum): a transcript that can't be taken for that of another attempt."""
    return id, body, int(hidden), body_sum(id, body)


def body_sum(id: int, body: bytes) -> int:
    """The checksum of a transcript under its id."""
    return zlib.crc32(body, id & 0xFFFFFFFF)


def verdict_of(verdict: str | None) -> Verdict:
    """The verdict that stands in a row."""
    if verdict is None:
        return _PASSED
    known = [field.name for field in dataclasses.fields(Failure)]
    return Verdict(
        tuple(Failure(**{name: each[name] for name in known if name in each}) for each in json.loads(verdict))
    )


_PASSED = Verdict()


def earlier_of(earlier: str | None) -> Usage | None:
    """What earlier tries used, as it stands in a row."""
    used = {} if earlier is None else json.loads(earlier)
    used.pop("judged", None)
    return Usage(**used) if used or earlier == "{}" else None


def judged_of(earlier: str | None) -> Spent | None:
    """What a judge used, as it stands in the same column of a row."""
    told = None if earlier is None else json.loads(earlier).get("judged")
    return None if told is None else Spent(*told)


def intact(row: Row) -> None:
    """Refuse a row that is not what was written; raises `Damaged`."""
    whole = _sum(row[:-1]) == row[-1]
    if not whole and row[-2] is None:
        # Rows of the first schema had no word for earlier tries, and their checksums know of neither those nor the id.
        whole = _sum(row[1:-2]) == row[-1]
    if row[3] not in STATUSES or not whole or (row[3] == "passed") != (row[8] is None):
        raise Damaged("an attempt's row is damaged")


def _sum(row: Row) -> int:
    return zlib.crc32(repr(row).encode("utf-8", "backslashreplace"))


def _number(value: float | None) -> float | None:
    """A number as SQLite can hold it; an agent may report any."""
    return value if value is None or isinstance(value, float) or -(2**63) <= value < 2**63 else float(value)
