"""The words of the language of cases as Python writes them: a wish, a step or a rule by the function that makes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..callwishes import Wanted, WithDefaults
from ..likeness import Near, SameText
from ..rules import Answer, Rule
from ..schemawish import Schema
from ..steps import Parallel
from ..wishes import AnyOf, AnyOrder, Only, Optional
from .forms import NOT
from .wanting import counted

Spell = Callable[[Any], str]
Call = tuple[str, list[str]]
"""What is called, and the arguments."""


def _optional(value: Optional, spell: Spell) -> Call:
    return "optional", [] if value.wish is object else [spell(value.wish)]


def _only(value: Only, spell: Spell) -> Call:
    among = [] if value.among is None else [f"among={spell(list(value.among))}"]
    return "only", [spell(value.named), *among]


def _near(value: Near, spell: Spell) -> Call:
    amount = spell(value.within) if value.percent is None else f"percent={spell(value.percent)}"
    return "near", [spell(value.number), amount]


def _call(value: Wanted, spell: Spell) -> Call:
    counts = {**counted(value), **({} if value.outcome is None else {"outcome": value.outcome})}
    wish = [] if value.wish == {} else [spell(value.wish)]
    return "call", [*wish, *(f"{name}={spell(each)}" for name, each in counts.items())]


_CALLS: dict[type, Callable[[Any, Spell], Call]] = {
    AnyOf: lambda value, spell: ("any_of", [*map(spell, value.options)]),
    Optional: _optional,
    AnyOrder: lambda value, spell: ("any_order", [spell(list(value.items))]),
    Only: _only,
    Near: _near,
    SameText: lambda value, spell: ("same_text", [spell(value.text)]),
    Schema: lambda value, spell: ("schema", [spell(value.schema)]),
    WithDefaults: lambda value, spell: ("with_defaults", [spell(value.wish)]),
    Wanted: _call,
    Parallel: lambda value, spell: ("parallel", [*map(spell, value.steps)]),
}

WORDS = ("any_of", "any_order", "call", "near", "only", "optional", "parallel", "same_text", "schema", "when", "with_defaults")  # fmt: skip
"""The functions that are called."""


def called(value: Any, spell: Spell) -> Any:
    """What makes the value, and its arguments; `NOT` for a value that is no word of the language's."""
    make = _CALLS.get(type(value))
    return NOT if make is None else make(value, spell)


def rule(value: Rule, spell: Spell) -> str:
    """A rule, method by method."""
    wish = "" if value.wish == {} else spell(value.wish)
    answers = "".join(_answer(number, each, spell) for number, each in enumerate(value.answers))
    return f"when({wish}){answers}{'' if value.most is None else f'.times({value.most})'}"


def _answer(number: int, answer: Answer, spell: Spell) -> str:
    late = f".after({spell(answer.after)})" if answer.after else ""
    if answer.live:
        return f".passes_through(){late}"
    raised = isinstance(answer.value, BaseException) or (
        isinstance(answer.value, type) and issubclass(answer.value, BaseException)
    )
    return f".{'then' if number else 'fails' if raised else 'returns'}({spell(answer.value)}){late}"
