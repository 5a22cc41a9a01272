"""Canned answers: what is served instead of a tool running."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import HookError, TurnStopped, literal
from ..hooks import ToolEvent, name_of
from ..leaves import being_cancelled, call_leaf
from ..tools import BadArguments
from . import globs, wording
from .answers import InTurn as InTurn
from .answers import in_turn as in_turn
from .answers import is_read_once
from .cassettes import scope
from .copying import wholly_copied
from .faulty import StubError as StubError
from .faulty import Unstubbed as Unstubbed
from .known import missing
from .rules import rules_of
from .ruling import Ruling
from .sealing import Sealed
from .whose import outside


class Stubs:
    """The stubs of one attempt: a subscriber to `before_tool` that answers in the tools' stead.

    Arguments that the tool's own schema refuses are answered as the tool would, so that a stub never makes a bad call good.
    """

    def __init__(self, stubs: Mapping[str, Any]) -> None:
        self.stubs = dict(stubs)
        self._turns: dict[str, _Turns] = {}
        self._rulings: dict[str, Ruling] = {}

    def install(self, agent: Any) -> None:
        """Have the calls of the agent answered; where no answer has to be waited for, in the very step of its event."""
        # Not of one that a world has put around the agent: it may await what it is handed, and know of no `inline`.
        if hasattr(type(agent), "on_all") and not any(map(_waits, self.stubs.values())):
            agent.on("before_tool", self.at_once, inline=True)
        else:
            agent.on("before_tool", self)

    def at_once(self, event: ToolEvent) -> None:
        """Answer the call where there is a stub for it, which must be a value."""
        key = self._key(event)
        if key is None:
            return
        try:
            _taken(event)
        except BadArguments as refused:
            _refuse(event, refused)
        else:
            event.answer(wholly_copied(self.stubs[key]))

    async def __call__(self, event: ToolEvent) -> None:
        """Answer the call where there is a stub for it."""
        key = self._key(event)
        if key is None:
            return
        stub = self.stubs[key]
        rules = rules_of(stub)
        if rules is not None:
            await self._ruled(event, key, self._rulings.setdefault(key, Ruling(rules)))
            return
        if isinstance(stub, InTurn):
            suits = functools.partial(_is_for, self.stubs, key)
            stub = self._turns.setdefault(key, _Turns(stub, suits)).answer_to(event)
        await _serve(event, stub)

    def _key(self, event: ToolEvent) -> str | None:
        """Under which name there is a stub for the call, if it wants an answer still."""
        if event.answered or event.denied is not None:
            return None
        return event.name if event.name in self.stubs else globs.meant(self.stubs, event.name)

    async def _ruled(self, event: ToolEvent, key: str, ruling: Ruling) -> None:
        try:
            _taken(event)
        except BadArguments as refused:
            _refuse(event, refused)
            return
        answer = ruling.answer_to(event, functools.partial(_is_for, self.stubs, key))
        if answer.after:
            import anyio

            await anyio.sleep(answer.after)
        if not answer.live:
            await _serve(event, answer.value)
        elif isinstance(event.tool, Sealed):
            event.tool.opened = True
            event.swap(event.tool.real)


class _Turns:
    """How far the answers of one `in_turn` have been served, batch by batch."""

    def __init__(self, stub: InTurn, suits: Callable[[str], bool]) -> None:
        self.answers = stub.answers
        self.suits = suits
        self._batch: Any = None
        self._before = 0
        self._served = 0

    def answer_to(self, event: ToolEvent) -> Any:
        """The answer for this call; its place in the batch decides, since calls of one batch are made at once."""
        place = self._place(event)
        self._served = max(self._served, place + 1)
        if place >= len(self.answers):
            raise StubError(wording.stub_spent(event.name, len(self.answers), place + 1))
        return self.answers[place]

    def _place(self, event: ToolEvent) -> int:
        last = event.env.messages[-1] if event.env is not None and event.env.messages else None
        calls = last.tool_calls if last is not None else ()
        if event.index >= len(calls) or calls[event.index] is not event.call:
            # Made by the agent's own code, which asks for one at a time.
            return self._served
        if last is not self._batch:
            self._batch, self._before = last, self._served
        return self._before + sum(self.suits(call.name) for call in calls[: event.index])


def _is_for(stubs: Mapping[str, Any], key: str, name: str) -> bool:
    """Whether calls to the tool of this name are served by the stub of this key."""
    return (name if name in stubs else globs.meant(stubs, name)) == key


def _waits(stub: Any) -> bool:
    """Whether its answer may have to be waited for."""
    return callable(stub) or isinstance(stub, InTurn) or rules_of(stub) is not None


def _refuse(event: ToolEvent, why: BadArguments) -> None:
    # With what it came of, which adapters look at, but for where it was raised: that holds all that runs here, the event too, which then
    # the collector alone could free.
    raised: BaseException | None = why
    while raised is not None and raised.__traceback__ is not None:
        raised.__traceback__ = None
        raised = raised.__cause__ or raised.__context__
    event.answer(why)


async def _serve(event: ToolEvent, stub: Any) -> None:
    try:
        arguments = _taken(event)
    except BadArguments as refused:
        _refuse(event, refused)
    else:
        event.answer(await _answer(event, stub, arguments))


async def _answer(event: ToolEvent, stub: Any, arguments: dict[str, Any]) -> Any:
    if isinstance(stub, type) and issubclass(stub, BaseException):
        try:
            return stub()
        except Exception as error:
            raise StubError(wording.stub_raised(event.name, stub.__name__, error)) from error
    if callable(stub):
        return await _called(event, stub, arguments)
    # What the agent does to one answer must not be in the next.
    return wholly_copied(stub)


async def _called(event: ToolEvent, stub: Any, arguments: dict[str, Any]) -> Any:
    try:
        inspect.signature(stub).bind(**arguments)
    except TypeError as error:
        raise StubError(wording.stub_unfit(event.name, name_of(stub), error)) from None
    except ValueError:  # a builtin without a signature
        pass
    taped = scope.current.set(None)
    try:
        with outside():
            answer = await call_leaf(stub, **arguments)
        if is_read_once(answer):
            raise TypeError(f"it answered an iterator, {literal(answer)}, of which a model would read nothing")
    except (TurnStopped, HookError, GeneratorExit):
        raise
    except BaseException as error:
        if being_cancelled():
            raise
        raise StubError(wording.stub_raised(event.name, name_of(stub), error)) from error
    else:
        return answer
    finally:
        scope.current.reset(taped)


def _taken(event: ToolEvent) -> dict[str, Any]:
    """The arguments as the real tool would get them; `BadArguments` where it would not take them."""
    # An agent that a tool runs may have fewer tools, and a pattern names some that nobody has.
    why = missing.get() or (event.lacking if event.tool is None else None)
    if why is not None:
        raise BadArguments(why)
    if event.arguments is None:
        raise BadArguments(f"the arguments are not a JSON object: {event.call.arguments}")
    return dict(event.arguments) if event.tool is None else event.tool.validated(event.arguments)
