"""The model calls of DSPy under watch: every LM that is asked in a turn, and every adapter that asks one."""

from __future__ import annotations

import contextlib
import contextvars
import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import dspy
from dspy.utils.usage_tracker import UsageTracker

from ...hooks import LlmEvent
from ...messages import Message, ToolCall
from ..bridging import wait
from ..copying import plainly_copied
from ..foreign import Turn
from . import dspy_parts as parts
from . import dspy_reading as reading
from .base import hosts, tool_offered

Here = Callable[[], Turn | None]
_asking: contextvars.ContextVar[Any] = contextvars.ContextVar("brute_dspy_asking", default=None)
module: contextvars.ContextVar[Any] = contextvars.ContextVar("brute_dspy_module", default=None)
"""The module with tools that runs here."""

COUNT = "brute.dspy.calls"
"""Where the env's metadata counts the calls, for ids that DSPy does not make."""

BEYOND = "brute.dspy.beyond"
"""Where it holds the tools that run where nobody sees it."""


def watch_every_model(here: Here) -> None:
    """Hear each LM and each adapter in a turn, which `here()` tells."""
    hear_all(here)
    blocking, asynchronous = dspy.Adapter.__call__, dspy.Adapter.acall

    def call(self: Any, lm: Any, lm_kwargs: Any, signature: Any, demos: Any, inputs: Any) -> Any:
        turn = here()
        if turn is None:
            return blocking(self, lm, lm_kwargs, signature, demos, inputs)
        hear(type(lm), here)
        reading.listen(type(self))
        with reading.read(self, signature, inputs) as read:
            try:
                return blocking(self, lm, lm_kwargs, signature, demos, inputs)
            except Exception as error:
                for each in read.unfit:
                    wait(turn.refused(each, str(error), exists=False))
                raise

    async def acall(self: Any, lm: Any, lm_kwargs: Any, signature: Any, demos: Any, inputs: Any) -> Any:
        turn = here()
        if turn is None:
            return await asynchronous(self, lm, lm_kwargs, signature, demos, inputs)
        hear(type(lm), here)
        reading.listen(type(self))
        with reading.read(self, signature, inputs) as read:
            try:
                return await asynchronous(self, lm, lm_kwargs, signature, demos, inputs)
            except Exception as error:
                for each in read.unfit:
                    await turn.refused(each, str(error), exists=False)
                raise

    dspy.Adapter.__call__ = functools.wraps(blocking)(call)
    dspy.Adapter.acall = functools.wraps(asynchronous)(acall)


def hear_all(here: Here) -> None:
    """Hear the models of all classes that there are by now: one may ask in a way of its own."""
    waiting: list[Any] = [dspy.BaseLM]
    while waiting:
        kind = waiting.pop()
        hear(kind, here)
        waiting += kind.__subclasses__()


def hear(kind: Any, here: Here) -> None:
    """Hear the models of this class, and so those made of it that ask in no way of their own."""
    for name in ("__call__", "acall"):
        if hasattr(getattr(kind, name, None), "brute_hears"):
            continue  # as nearly always
        owner = next((base for base in kind.__mro__ if name in vars(base)), None)
        plain = None if owner is None else vars(owner)[name]
        if owner is None or not callable(plain):
            continue
        made = _heard(plain, here) if name == "__call__" else _heard_async(plain, here)
        made.brute_hears = True
        setattr(owner, name, made)


def _heard(plain: Any, here: Here) -> Any:
    @functools.wraps(plain)
    def call(self: Any, *args: Any, **named: Any) -> Any:
        turn = None if _asking.get() is self else here()
        if turn is None:
            return plain(self, *args, **named)
        asking = Asking(turn, self, named)
        event = wait(asking.begin())
        try:
            with asking.listening():
                outputs = plain(self, *args, **named)
        except BaseException as error:
            wait(turn.said(event, error=reading.failed(error)))
            raise
        asking.end(event, outputs)
        wait(turn.said(event))
        return outputs

    return call


def _heard_async(plain: Any, here: Here) -> Any:
    @functools.wraps(plain)
    async def acall(self: Any, *args: Any, **named: Any) -> Any:
        turn = None if _asking.get() is self else here()
        if turn is None:
            return await plain(self, *args, **named)
        asking = Asking(turn, self, named)
        event = await asking.begin()
        try:
            with asking.listening():
                outputs = await plain(self, *args, **named)
        except BaseException as error:
            await turn.said(event, error=reading.failed(error))
            raise
        asking.end(event, outputs)
        await turn.said(event)
        return outputs

    return acall


class _Meter(UsageTracker):
    """What a model call used, told to the user's own tracker too."""

    def __init__(self, outer: Any) -> None:
        super().__init__()
        self.outer = outer
        self.told: list[dict[str, Any]] = []

    def add_usage(self, lm: str, usage_entry: Any) -> None:
        self.told.append(self._flatten_usage_entry(usage_entry) if usage_entry else {})
        if self.outer is not None:
            self.outer.add_usage(lm, usage_entry)


class _Witness:
    """What stands among the modules that call an LM, each of which is told in its history what came of it."""

    def __init__(self) -> None:
        self.history: list[dict[str, Any]] = []


class Asking:
    """One model call."""

    def __init__(self, turn: Turn, lm: Any, named: Mapping[str, Any]) -> None:
        self.turn = turn
        self.lm = lm
        self.named = {**(getattr(lm, "kwargs", None) or {}), **named}
        self.meter = _Meter(dspy.settings.usage_tracker)
        self.witness = _Witness()
        self.read = reading.reading_now.get()
        self.tools, self.skipped = parts.names(module.get())

    async def begin(self) -> LlmEvent:
        """Tell that the model is asked."""
        functions, hosted = reading.offered(self.named)
        functions = [name for name in functions if name not in self.skipped]
        offered = list(dict.fromkeys([*(self.read.tools if self.read is not None else ()), *self.tools, *functions]))
        await unheard(self.turn, offered)
        hosts(self.turn, hosted)
        hosted = [*hosted, *self.turn.root.env.metadata.get(BEYOND, ())]
        return await self.turn.asks(map(tool_offered, offered), hosted=hosted, names=[*offered, *hosted])

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """While the model is asked."""
        modules = [*(dspy.settings.caller_modules or ()), self.witness]
        token = _asking.set(self.lm)
        try:
            with dspy.settings.context(usage_tracker=self.meter, caller_modules=modules):
                yield
        finally:
            _asking.reset(token)

    def end(self, event: LlmEvent, outputs: Any) -> None:
        """Note what the model said."""
        entry = self.witness.history[-1] if self.witness.history else {}
        own = str(self.lm.model) if hasattr(self.lm, "model") else None
        event.model = entry.get("response_model") or (own and own.partition("/")[2]) or own
        told = self.meter.told
        if not told and entry and not getattr(entry.get("response"), "cache_hit", False):
            told = [entry.get("usage") or {}]  # older ones tell it in the history alone
        event.usage = reading.usage(told, event.model)
        text, native = reading.said(outputs)
        content, calls = self._read(text, native)
        event.message = Message(
            role="assistant", content=content, tool_calls=calls, usage=event.usage, model=event.model
        )

    def _read(self, text: str, native: list[ToolCall]) -> tuple[str, tuple[ToolCall, ...]]:
        read, skipped = self.read, self.skipped
        if read is None or native:
            return text, tuple(
                self._call(call.name, call.arguments, call.id) for call in native if call.name not in skipped
            )
        fields, fits = read.fields(text)
        asked: list[Any] = [
            call for value in fields.values() if isinstance(value, dspy.ToolCalls) for call in value.tool_calls
        ]
        named = [(call.name, call.args, getattr(call, "id", None)) for call in asked]
        if "next_tool_name" in fields:
            named.append((fields["next_tool_name"], fields.get("next_tool_args"), None))
        # The fields go to the program too, which may change what is in them.
        calls = tuple(self._call(name, plainly_copied(given), id) for name, given, id in named if name not in skipped)
        if not fits:
            read.unfit += calls
        return reading.content(fields, text), calls

    def _call(self, name: str, given: Any, id: str | None) -> ToolCall:
        seen = self.turn.root.env.metadata
        seen[COUNT] = seen.get(COUNT, 0) + 1
        return ToolCall(id=id or f"call_{seen[COUNT]}", name=str(name), arguments=given)


async def unheard(turn: Turn, offered: list[str]) -> None:
    """Tell of the calls to tools that there are not: the module that has the others answered them by itself."""
    for call in turn.waiting:
        if call.name not in offered:
            await turn.refused(call, "no such tool", exists=False)
