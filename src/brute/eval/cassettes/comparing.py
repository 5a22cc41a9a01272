"""What of a request counts when it is looked for among the recorded ones, and where two of them first differ."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..masking import masked_value

OVERLOOKED = frozenset(
    (
        "client_request_id", "metadata", "prompt_cache_key", "prompt_cache_retention", "safety_identifier", "service_tier", "store",
        "user",
    )
)  # fmt: skip
"""The fields at the top of a request's body that a provider does not answer by: whose request it is, and how it is billed."""

_LINKS = frozenset(("call_id", "callId", "item_id", "previous_response_id", "tool_call_id", "tool_use_id"))
_OPAQUE = frozenset(
    (
        "args", "arguments", "input", "input_schema", "json_schema", "parameters", "parametersJsonSchema", "parameters_json_schema",
        "properties", "response", "responseSchema", "response_schema", "schema",
    )
)  # fmt: skip
"""What belongs to the agent's tools: an id in there is theirs, and counts."""

_DAY = "<the day of the run>"
_CLOCK = re.compile(r"[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?")


def content(asked: Any) -> Any:
    """What counts of a request: with secrets masked, ids by where they first stand, and without what no provider looks at."""
    found = masked_value(asked)
    if isinstance(found, dict) and isinstance(found.get("body"), dict):
        found["body"] = {name: value for name, value in found["body"].items() if name not in OVERLOOKED}
    return _linked(found, {}, ())


def arguments(given: Any) -> Any:
    """What counts of a tool's arguments: with secrets masked; none, null, {} and "" are one, and a null argument is none."""
    found = masked_value(given)
    if not found:
        return {}
    return {name: value for name, value in found.items() if value is not None} if isinstance(found, dict) else found


def key(content: Any) -> str:
    """A text that is the same for what agrees: 1 and 1.0, and whatever the order of the keys."""
    return json.dumps(_evened(content), sort_keys=True)


def undated(text: str, day: datetime.date) -> str:
    """The text with that day's date, however it is written, and the time behind it as no particular one.

    >>> undated('Today is Friday, 6 March 2026 (2026-03-06T10:15:00Z).', datetime.date(2026, 3, 6))
    'Today is <the day of the run> (<the day of the run>).'
    """
    for form in _forms(day):
        text = re.sub(f"(?<![0-9]){re.escape(form)}(?:{_CLOCK.pattern})?(?![0-9])", _DAY, text)
    return text


def _forms(day: datetime.date) -> Iterator[str]:
    """The ways in which programs write a date, the longest first."""
    month, short = day.strftime("%B"), day.strftime("%b")
    plain = [f"{day.day} {name} {day.year}" for name in (month, short)]
    plain += [f"{name} {number}, {day.year}" for name in (month, short) for number in (day.strftime("%d"), day.day)]
    plain += [f"{day.strftime('%d')} {name} {day.year}" for name in (month, short)]
    for weekday in (day.strftime("%A"), day.strftime("%a")):
        yield from (f"{weekday}, {form}" for form in plain)
        yield from (f"{weekday} {form}" for form in plain)
    yield from plain
    yield from (day.strftime(form) for form in ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y"))


def _evened(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(name): _evened(each) for name, each in value.items()}
    return [_evened(each) for each in value] if isinstance(value, (list, tuple)) else value


def _linked(value: Any, ids: dict[str, str], above: tuple[str, ...]) -> Any:
    """The value with the ids that link calls to their results numbered in the order in which they first stand."""
    if isinstance(value, list):
        return [_linked(each, ids, above) for each in value]
    if not isinstance(value, dict):
        return value
    made: dict[Any, Any] = {}
    for name in sorted(value, key=str):
        each = value[name]
        if isinstance(each, str) and (name in _LINKS or (name == "id" and _is_message(value))):
            made[name] = ids.setdefault(each, f"id {len(ids) + 1}")
        elif name in _OPAQUE and isinstance(each, dict):
            made[name] = each
        else:
            made[name] = _linked(each, ids, (*above, name))
    return made


def _is_message(value: Mapping[str, Any]) -> bool:
    """Whether what has an id is a message or a call, and not a thing of the agent's."""
    return bool(value.keys() & {"role", "type", "function"}) or (
        "name" in value and bool(value.keys() & {"args", "arguments", "input", "response"})
    )


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Each single value in a request with its path, such as `messages[1].content`."""
    if isinstance(value, Mapping) and value:
        for name in sorted(value, key=str):
            yield from leaves(value[name], f"{path}.{name}" if path else str(name))
    elif isinstance(value, list) and value:
        for index, each in enumerate(value):
            yield from leaves(each, f"{path}[{index}]")
    else:
        yield path, value


MISSING: Any = object()
"""What stands on the side of a difference that has nothing."""


def difference(recorded: Any, now: Any, path: str = "") -> tuple[str, Any, Any] | None:
    """Where two requests first differ, and what stands there on each side; None where they agree."""
    if isinstance(recorded, Mapping) and isinstance(now, Mapping):
        names = sorted({*recorded, *now}, key=lambda name: (name == "tools", str(name)))
        pairs = [(f"{path}.{n}" if path else str(n), recorded.get(n, MISSING), now.get(n, MISSING)) for n in names]
    elif isinstance(recorded, list) and isinstance(now, list):
        longest = max(len(recorded), len(now))
        pairs = [
            (f"{path}[{n}]", *(side[n] if n < len(side) else MISSING for side in (recorded, now)))
            for n in range(longest)
        ]
    else:
        same = recorded is not MISSING and now is not MISSING and key(recorded) == key(now)
        return None if same else (path, recorded, now)
    return next((found for at, one, other in pairs if (found := difference(one, other, at))), None)


def likeness(one: Any, other: Any) -> float:
    """How much of two requests agrees, from 0 to 1."""
    first, second = dict(leaves(one)), dict(leaves(other))
    common = sum(name in second and key(value) == key(second[name]) for name, value in first.items())
    return common / max(len(first), len(second), 1)
