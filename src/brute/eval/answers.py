"""What a stub may be, and the answers that it gives in turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import UsageError, literal
from ..leaves import is_generator


class InTurn:
    """Answers for successive calls of one tool; each attempt begins with the first."""

    def __init__(self, answers: tuple[Any, ...]) -> None:
        self.answers = answers

    def __repr__(self) -> str:
        return f"in_turn({', '.join(map(repr, self.answers))})"


def in_turn(*answers: Any) -> InTurn:
    """A stub that serves `answers` one after the other: values, functions or exceptions, each for one call.

    Calls of one batch are served in the order in which the model asked for them, whichever is made first. A call for which
    no answer is left is an error that says so. Raises `UsageError` without any answer, and for an `in_turn` in an `in_turn`.

    >>> in_turn("first", TimeoutError("slow"))
    in_turn('first', TimeoutError('slow'))
    """
    if not answers:
        raise UsageError("in_turn needs at least one answer")
    if any(isinstance(answer, InTurn) for answer in answers):
        raise UsageError("in_turn takes answers, each for one call; it can't hold another in_turn")
    return InTurn(answers)


def wrong(stub: Any) -> str:
    """Why nothing that a model could read would come of a stub; an empty text where something does."""
    for answer in stub.answers if isinstance(stub, InTurn) else (stub,):
        if is_generator(answer):
            return f"{literal(answer)} is a generator function, of which a model would read nothing; return a text or a list"
        if _holds_turns(answer):
            return f"in_turn stands inside {literal(answer)}, and must be the stub itself: in_turn(a, b, ...)"
    return ""


def _holds_turns(value: Any, depth: int = 0) -> bool:
    if isinstance(value, InTurn):
        return True
    inner: Iterable[Any] = (
        value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple, set)) else ()
    )
    return depth < 50 and any(_holds_turns(each, depth + 1) for each in inner)
