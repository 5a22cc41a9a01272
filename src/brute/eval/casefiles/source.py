"""Cases as Python: the source of an eval file, for a person to go on with."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...messages import Message, ToolCall, Usage
from ..answers import InTurn
from ..budget import Budget
from ..case import Case
from ..rules import Rule
from . import spelling
from .fields import NOT_IN_FILES
from .forms import NOT
from .writing import data_of

WIDTH = 110


def source_of(cases: Sequence[Case], comments: Iterable[str] = (), agent: str | None = None) -> str:
    """The source of an eval file with the cases; `UsageError` names what of them no file can hold."""
    for case in cases:
        data_of(case)
    written = _list([_called("Case", case, first="name") for case in cases])
    body = f"CASES = {written}\n"
    if agent is not None:
        body = f"AGENT = {text(agent)}\n{body}"
    return "".join(f"# {line}\n" for line in comments) + _imports(body) + body


def _imports(body: str) -> str:
    ours = [name for name in ("Budget", "Case", "in_turn", *spelling.WORDS) if re.search(rf"\b{name}\(", body)]
    runtime = [name for name in ("Message", "ToolCall", "Usage") if re.search(rf"\b{name}\(", body)]
    lines = ["import re\n\n"] if "re.compile(" in body else []
    lines += [f"from brute import {', '.join(runtime)}\n"] if runtime else []
    return "".join([*lines, f"from brute.eval import {', '.join(ours)}\n\n"])


def _called(kind: str, value: Any, first: str = "") -> str:
    """A value of ours as it is made: the fields that are not what they are anyway."""
    given: list[str] = []
    for field in dataclasses.fields(value):
        each = getattr(value, field.name)
        usual = field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
        if field.name == first:
            given.insert(0, spelled(each))
        elif field.name not in NOT_IN_FILES and (field.name == "said" or not _is(each, usual)):
            given.append(f"{field.name}={spelled(each)}")
    return _within(f"{kind}(", given, ")")


def _is(value: Any, usual: Any) -> bool:
    return bool(value is usual or value == usual or (isinstance(usual, tuple) and not value and value is not None))


def spelled(value: Any) -> str:
    """The value as Python writes it, over several lines where it is long.

    >>> print(spelled({"a": [1, None]}), spelled("it's"))
    {"a": [1, None]} "it's"
    """
    if isinstance(value, str):
        return text(value)
    if isinstance(value, (Budget, Message, ToolCall, Usage)):
        return _called(type(value).__name__, value)
    word = spelling.called(value, spelled)
    if word is not NOT:
        return _within(f"{word[0]}(", word[1], ")")
    if isinstance(value, Rule):
        return spelling.rule(value, spelled)
    if isinstance(value, Mapping):
        return _within("{", [f"{text(name)}: {spelled(each)}" for name, each in value.items()], "}")
    if isinstance(value, tuple):
        return _within("(", [spelled(each) for each in value], ",)" if len(value) == 1 else ")")
    if isinstance(value, list):
        return _list([spelled(each) for each in value])
    if isinstance(value, InTurn):
        return _within("in_turn(", [spelled(each) for each in value.answers], ")")
    if isinstance(value, re.Pattern):
        return _pattern(value)
    if isinstance(value, BaseException):
        return _within(f"{type(value).__name__}(", [spelled(each) for each in value.__reduce__()[1]], ")")
    if isinstance(value, type):
        return "type(None)" if value is type(None) else value.__name__
    return repr(value)


def _pattern(value: re.Pattern[str]) -> str:
    flags = [f"re.{letter}" for letter in "AIMSX" if value.flags & getattr(re, letter)]
    return _within("re.compile(", [text(value.pattern), *([" | ".join(flags)] if flags else [])], ")")


def text(value: str) -> str:
    """A text in double quotes, a line of it to a line where it is long."""
    told = repr(str.__str__(value))
    if told.startswith("'") and '"' not in told:
        told = f'"{told[1:-1]}"'
    lines = value.splitlines(keepends=True)
    if len(told) <= WIDTH or len(lines) < 2:
        return told
    return "(\n" + "".join(f"{_indented(text(line))}\n" for line in lines) + ")"


def _list(parts: Sequence[str]) -> str:
    return _within("[", parts, "]")


def _within(opened: str, parts: Sequence[str], closed: str) -> str:
    """The parts on one line where they fit, else each on lines of its own."""
    told = f"{opened}{', '.join(parts)}{closed}"
    if (len(told) <= WIDTH and "\n" not in told) or not parts:
        return told
    return f"{opened}\n" + "".join(f"{_indented(part)},\n" for part in parts) + closed.removeprefix(",")


def _indented(told: str) -> str:
    return "\n".join(f"    {line}" for line in told.split("\n"))
