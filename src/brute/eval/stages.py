"""The stages of an attempt beside its turn, and how one that came to grief in one of them is told."""

from __future__ import annotations

import dataclasses

from ..errors import UsageError
from ..loading import frames_of
from .trouble import passing
from .verdict import Failure


@dataclasses.dataclass(frozen=True, slots=True)
class Stage:
    """What is being done beside the turn: the kind of the error that it ends in when it breaks, what to say then, and its name."""

    kind: str
    broke: str
    name: str


MAKING = Stage("error.world", "the world could not be made", "the world's making")
BUILDING = Stage("error.build", "the agent could not be built", "the agent's building")
PREPARING = Stage("error.world", "the world broke in prepare", "the world's prepare")
STUBBING = Stage("error.stub", "the world broke in stub", "the world's stub")
CLOSING = Stage("error.world", "the world broke in close", "the world's close")


class Broken(Exception):
    """A step beside the turn that came to grief."""

    def __init__(self, kind: str, sentence: str, error: BaseException | None = None) -> None:
        super().__init__(sentence)
        # Of a model, whether it may be there another time.
        actual = passing(error) if kind == "error.model" and error is not None else None
        self.failure = Failure(
            kind, sentence, actual=actual, detail="" if error is None else "\n".join(frames_of(error))
        )


class Refused(Exception):
    """Bad input, found when the agent was first built: the whole run is refused, for the same would come of every attempt."""

    def __init__(self, error: UsageError) -> None:
        super().__init__(str(error))
        self.error = error
