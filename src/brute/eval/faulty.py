"""What ends a turn for a fault of its stubs."""

from __future__ import annotations

from ..errors import TurnStopped


class StubError(TurnStopped):
    """A fault of a stub, which is the case's and not the agent's: the turn ends, and the attempt is an error."""


class Unstubbed(StubError):
    """A call to a tool that has no stub, where the suite refuses to run it."""


class ReplayError(StubError):
    """What a replay lacks: a recording, or the answer in it. The attempt is an error, and nothing is asked for real."""
