"""The rules of a stub: under which condition what is served, how often, and how late."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from ..errors import UsageError
from . import wishcheck
from .answers import InTurn, wrong
from .arguments import shown
from .matching import Wish, matches_arguments


@dataclasses.dataclass(frozen=True, slots=True)
class Answer:
    """What is served for one call: a value, a function, an exception; or, `live`, what the tool itself says. `after` is in seconds."""

    value: Any = None
    live: bool = False
    after: float = 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a stub: for calls with such arguments, these answers one after the other, of which the last stands for all later calls.

    `most` is how many calls it serves; None: any number. Each method answers another rule, and changes nothing.
    """

    wish: Mapping[str, Any] | Wish
    answers: tuple[Answer, ...] = ()
    most: int | None = None

    def fits(self, arguments: Mapping[str, Any] | None) -> bool:
        """Whether the rule is for a call with these arguments."""
        return matches_arguments(self.wish, arguments)

    def answer(self, number: int) -> Answer:
        """What is served for the call of this number, from 0."""
        return self.answers[min(number, len(self.answers) - 1)]

    @property
    def opens(self) -> bool:
        """Whether it lets some call through to the tool."""
        return any(answer.live for answer in self.answers)

    def returns(self, value: Any) -> Rule:
        """Serve a value, or what a function of the arguments answers."""
        if _is_exception(value):
            raise UsageError(
                f"returns serves a value, got {shown(value)}; for an exception write .fails({shown(value)})"
            )
        return self._first("returns", Answer(value))

    def fails(self, error: BaseException | type[BaseException]) -> Rule:
        """Raise an exception, as the tool would: the model reads it as the tool's error."""
        if not _is_exception(error):
            raise UsageError(f"fails takes an exception, such as TimeoutError(), got {shown(error)}")
        return self._first("fails", Answer(error))

    def passes_through(self) -> Rule:
        """Let the real tool run."""
        return self._first("passes_through", Answer(live=True))

    def then(self, value: Any) -> Rule:
        """Serve this for the next call, and for all later ones: a value, a function, an exception."""
        if not self.answers:
            raise UsageError("then comes after what is served first: when(...).returns(...).then(...)")
        return self._with(Answer(value))

    def after(self, seconds: float) -> Rule:
        """Serve the last answer only after so many seconds, which are the turn's own."""
        right = (
            isinstance(seconds, (int, float))
            and not isinstance(seconds, bool)
            and seconds >= 0
            and math.isfinite(seconds)
        )
        if not right:
            raise UsageError(f"after takes a number of seconds >= 0, got {shown(seconds)}")
        if not self.answers:
            raise UsageError("after comes after what is served late: when(...).returns(...).after(...)")
        late = dataclasses.replace(self.answers[-1], after=float(seconds))
        return dataclasses.replace(self, answers=(*self.answers[:-1], late))

    def times(self, count: int) -> Rule:
        """Serve so many calls; later ones are for the rules below."""
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise UsageError(f"times takes a whole number >= 1, got {shown(count)}")
        return dataclasses.replace(self, most=count)

    def _first(self, method: str, answer: Answer) -> Rule:
        if self.answers:
            raise UsageError(
                f"{method} says what is served first, and {self!r} does already; for the next call write .then(...)"
            )
        return self._with(answer)

    def _with(self, answer: Answer) -> Rule:
        found = wrong(answer.value)
        if isinstance(answer.value, (InTurn, Rule)):
            found = f"{type(answer.value).__name__} stands inside a rule; write .returns(a).then(b)"
        if found:
            raise UsageError(f"a rule can't serve it: {found}")
        return dataclasses.replace(self, answers=(*self.answers, answer))

    def __repr__(self) -> str:
        return (
            f"when({'' if self.wish == {} else repr(self.wish)}){''.join(_told(n, each) for n, each in enumerate(self.answers))}"
            + ("" if self.most is None else f".times({self.most})")
        )


def _told(number: int, answer: Answer) -> str:
    late = f".after({answer.after:g})" if answer.after else ""
    if answer.live:
        return f".passes_through(){late}"
    method = "then" if number else "fails" if _is_exception(answer.value) else "returns"
    return f".{method}({answer.value!r}){late}"


def when(wish: Mapping[str, Any] | Wish | None = None, /, **arguments: Any) -> Rule:
    """The beginning of a rule: for calls whose arguments agree (by the rules of matching one argument); without any, for all calls.

    `wish` says the same for names that Python has no word for, and for `only(...)`.

    >>> when(query="bank").returns("held").then("raised").times(3)
    when({'query': 'bank'}).returns('held').then('raised').times(3)
    """
    if wish is not None and arguments:
        raise UsageError("when takes arguments by name, or one wish for all of them, not both")
    wanted = arguments if wish is None else wish
    if not isinstance(wanted, (Mapping, Wish)):
        hint = "; how often a rule serves is said by .times(n)" if hasattr(wanted, "at_least") else ""
        raise UsageError(f"when takes a dict of arguments, or a wish for all of them, got {shown(wanted)}{hint}")
    found = wishcheck.wrong_call(wanted, "when has") or (
        "takes no with_defaults: no case knows the tool's schema beforehand"
        if isinstance(wanted, Wish) and wanted.of_call
        else ""
    )
    if found:
        raise UsageError(f"when {found}")
    return Rule(wanted if isinstance(wanted, Wish) else dict(wanted))


def _is_exception(value: Any) -> bool:
    return isinstance(value, BaseException) or (isinstance(value, type) and issubclass(value, BaseException))


def rules_of(stub: Any) -> tuple[Rule, ...] | None:
    """The rules of a stub; None where it has none."""
    if isinstance(stub, Rule):
        return (stub,)
    if isinstance(stub, (list, tuple)) and stub and isinstance(stub[0], Rule):
        return tuple(stub)
    return None


def wrong_stub(stub: Any) -> str:
    """Why a stub could not be meant; an empty text where it can."""
    several = stub if isinstance(stub, (list, tuple)) else (stub,)
    if not any(isinstance(each, Rule) for each in several):
        return wrong(stub)
    for each in several:
        if not isinstance(each, Rule):
            return f"a list of rules holds nothing else; it has {shown(each)} among them"
        if not each.answers:
            return f"{each!r} does not say what is served; write {each!r}.returns(...)"
    return ""


def opens(stub: Any) -> bool:
    """Whether a stub lets some call through to the tool."""
    return any(rule.opens for rule in rules_of(stub) or ())
