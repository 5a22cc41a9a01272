"""What a tape takes down: a request until its answer is there, and messages as plain data."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...messages import Message
from ...tapping import Live, Messages
from . import values
from .cassette import Entry
from .exchange import Answer
from .scope import passing
from .spread import is_spread

if TYPE_CHECKING:
    from .tape import Tape


class Taking:
    """A request that goes out and is recorded, until its answer is there."""

    def __init__(self, tape: Tape, entry: Entry) -> None:
        self._tape = tape
        self._entry = entry
        self._over = False

    def answered(self, answer: Answer) -> None:
        """The answer is there, whole or as far as it came."""
        if self._over:
            return
        self._over = True
        told = answer.told()
        if is_spread(told.get("lines", ())):
            self._tape.refused = "a secret is spread over the events of a stream, where it can't be masked"
        self._entry["answered"] = told
        if answer.raised is not None:
            self._entry["raised"] = dict(answer.raised)

    def failed(self, error: BaseException) -> None:
        """There is no answer; what was only given up is as if never asked."""
        if self._over:
            return
        self._over = True
        if isinstance(error, Exception):
            self._entry["raised"] = values.raised(error)
        else:
            self._tape.dropped(self._entry)


@contextlib.contextmanager
def going_out(plan: Taking | None) -> Iterator[None]:
    """While a request that is known goes out; where it fails, its plan is told."""
    token = passing.set(True)
    try:
        yield
    except BaseException as error:
        if plan is not None:
            plan.failed(error)
        raise
    finally:
        passing.reset(token)


class Several:
    """Several messages as plain data."""

    def told(self, answer: Any) -> Any:
        """Each of them."""
        return [Messages().told(each) for each in answer]

    def heard(self, data: Any) -> list[Message]:
        """Each of them."""
        if not data:
            raise ValueError("an answer without a message")
        return [Messages().heard(each) for each in data]


def as_messages(answer: Any, there: list[Message]) -> list[Message]:
    """What a completion answered and has not put into the conversation itself."""
    if isinstance(answer, str):
        return [Message(role="assistant", content=answer)]
    known = bool(there) and there[-1] is answer
    return [answer] if isinstance(answer, Message) and not known else []


def where(asked: Any) -> str:
    """What a request is to, in a word."""
    return str(asked.get("path") or asked.get("model") or "a completion")


async def quietly(live: Live) -> Any:
    """What a model of ours answers, whose own requests are no others'."""
    with going_out(None):
        return await live()
