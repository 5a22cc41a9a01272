"""How a call ended, as a case asks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .transcript import Call


def reached(call: Call, tools: Sequence[str] | None) -> bool:
    """Whether the call got as far as the tool or its stub."""
    exists = tools is None or call.name in tools or call.outcome in ("ran", "stubbed")
    return exists and call.outcome != "denied"


def ended(call: Call, outcome: str | None, tools: Sequence[str] | None) -> bool:
    """Whether the call ended as wanted (`callwishes.ENDINGS`); None: it got as far as the tool or its stub.

    >>> ended(Call(name="f", outcome="stubbed"), "ran", ["f"]), ended(Call(name="f", outcome="failed"), "ran", ["f"])
    (True, False)
    """
    if outcome == "asked":
        return True
    if outcome == "denied":
        return call.outcome == "denied"
    # A stub that raised failed as the tool would have.
    failed = call.outcome == "failed" or (call.outcome == "stubbed" and call.error is not None)
    return (outcome is None or failed == (outcome == "failed")) and reached(call, tools)


def asked(call: Call) -> Mapping[str, Any] | str:
    """The arguments of a call as the model asked for them, its own text where that is malformed."""
    return (call.malformed or "") if call.arguments is None else call.arguments
