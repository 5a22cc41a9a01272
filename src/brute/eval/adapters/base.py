"""What the adapters of all frameworks have in common."""

from __future__ import annotations

import dataclasses
import functools
import importlib
from collections.abc import Collection, Iterable
from typing import Any

from ...agent import messages_of
from ...messages import Usage, as_cost
from ..foreign import Turn
from ..guarding import UNSEEN
from ..known import Known
from ..transcript import CALLS_OF
from .watched import Watched


class Foreign(Watched):
    """An agent that is not brute's, as the harness sees it: a subclass says in `play` how its framework runs a turn.

    `names` are the names of its tools, None where they are not known before the turn.
    """

    def __init__(self, agent: Any) -> None:
        super().__init__(agent)
        self.names: list[str] | None = None

    @property
    def tools(self) -> list[str] | None:
        """The names of the agent's tools, as far as they are known now."""
        return self.names

    async def ready(self) -> None:
        """Nothing has to be done before the first model call."""

    async def start(self, input: Any) -> None:
        """Run one turn to its end."""
        turn = Turn(self.watch, messages_of(input))
        turn.env.metadata[UNSEEN] = self.blind
        await turn.run(self.play)

    async def play(self, turn: Turn) -> None:
        """Run the framework's agent on `turn.env.messages`, its hooks telling the turn what happens."""
        raise NotImplementedError


@functools.lru_cache(maxsize=1024)
def tool_offered(name: str) -> Known:
    """A tool that a model is offered; the same for all turns, since nothing but its name is asked for."""
    return Known(name)


@functools.lru_cache(maxsize=1024)
def tool_accepting(name: str) -> Known:
    """A tool that is called, of which the framework has checked the arguments already; the same for all turns, too."""
    return Known(name, check=_taken)


def _taken(arguments: dict[str, Any]) -> None:
    """Refuse nothing: what the framework took is taken."""


def hosts(turn: Turn, names: Collection[str]) -> None:
    """Note that tools may run where nobody sees it (`names`, which may be none), of which the framework hands on nothing."""
    unseen = turn.root.env.metadata.get(UNSEEN) if names else None
    if unseen is not None and "calls" not in unseen:
        unseen.append("calls")


def hides(turn: Turn, names: Iterable[str]) -> None:
    """Note that the provider may run these tools, of which the framework hands on nothing; all other calls are seen."""
    unseen = turn.root.env.metadata.get(UNSEEN)
    if unseen is not None:
        unseen += [each for name in names if (each := f"{CALLS_OF}{name}") not in unseen]


_UNPRICED: set[tuple[str, str | None]] = set()
"""The models that the price list does not know: looking takes longer than all else that is done for a model call."""


def price(usage: Usage, model: str | None, provider: str | None = None) -> Usage:
    """The usage with what it cost in US dollars, where that can be known."""
    if model is None or usage.input is None or usage.output is None:
        return usage
    prices = _prices()
    if prices is None or (model, provider) in _UNPRICED:
        return usage
    counted = prices.Usage(
        input_tokens=usage.input,
        output_tokens=usage.output,
        cache_read_tokens=usage.cache_read,
        cache_write_tokens=usage.cache_write,
    )
    try:
        cost = float(prices.calc_price(counted, model, provider_id=provider).total_price)
    except (LookupError, ValueError, AssertionError):
        _UNPRICED.add((model, provider))
        return usage
    return dataclasses.replace(usage, cost=as_cost(cost))


@functools.cache
def _prices() -> Any:
    """The price list, where it is installed."""
    try:
        return importlib.import_module("genai_prices")
    except ImportError:
        return None
