"""What a stub may be, and the answers that it gives in turn."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
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
        read_once = _held(answer, is_read_once)
        if read_once is not None:
            return (
                f"{literal(read_once)} is an iterator, which is at its end once it was read; "
                "give a list, or in_turn(*answers) for one answer after the other"
            )
        if _held(answer, lambda each: isinstance(each, InTurn)) is not None:
            return f"in_turn stands inside {literal(answer)}, and must be the stub itself: in_turn(a, b, ...)"
    return ""


def is_read_once(value: Any) -> bool:
    """Whether a value is at its end once somebody has read it."""
    return isinstance(value, (Iterator, AsyncIterator, Awaitable)) and not callable(value)


def _held(value: Any, suits: Callable[[Any], bool], depth: int = 0) -> Any:
    """The value, or the first inside it, that suits; None where none does."""
    if suits(value):
        return value
    inner: Iterable[Any] = (
        value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple, set)) else ()
    )
    found = (_held(each, suits, depth + 1) for each in inner) if depth < 50 else ()
    return next((each for each in found if each is not None), None)
