"""The sentences on a turn that was stopped or took its process along, and on what came to grief beside it: the world, the build, a step of ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .showing import both, clipped, ending, literal, plural, quote, visible
from .showing import seconds as in_seconds
from .wording import exception, told


def deadline(seconds: float, where: str) -> str:
    """The turn was stopped at the deadline."""
    return f"stopped after {in_seconds(seconds)}; still in {visible(where)}"


def held_up(deadline: float, queued: float | None, last: str | None) -> str:
    """The turn came to its deadline while its provider was in trouble: a call waited for its place, or for another try after the last trouble."""
    waited = (
        ""
        if queued is None
        else f", which waited {in_seconds(round(queued, 1))} for its place among the calls to the provider"
    )
    before = "" if last is None else f"; the try before failed: {clipped(visible(last), 400)}"
    return f"stopped after {in_seconds(deadline)}; still in the model call{waited}{before}"


def blocked(error: BaseException) -> str:
    """The turn blocked the event loop, so that no deadline could stop it."""
    return f"stopped at last: the turn {told(error)}"


def process_ended(status: int | None, where: str) -> str:
    """The turn took the process along that it ran in; `status` is an exit code, or the negative of a signal."""
    return f"the turn {'crashed' if (status or 0) < 0 else 'ended'} its process{ending(status)}; in {visible(where)}"


NURSERY_ENDED = "the process that its own came from was killed meanwhile"
"""Why an attempt was made again that may have had nothing to do with it."""


def ended_the_nursery(where: str) -> str:
    """The turn killed, twice, the process that starts those in which attempts are made."""
    return f"the turn killed the process that its own came from; in {visible(where)}"


def process_ended_in(what: str, status: int | None) -> str:
    """A step before or after the turn took the process along; `what` says which."""
    return f"{what}: its process ended{ending(status)}"


def out_of_memory(megabytes: int, where: str) -> str:
    """The turn asked for more memory than the suite allows, whether or not it went on."""
    return f"asked for more memory than the {megabytes:,} MB that this suite allows; in {visible(where)}"


def flooded(megabytes: int) -> str:
    """The attempt wrote more to its output than there is room for."""
    return f"wrote more than {megabytes:,} MB to standard output and standard error"


def left_running(commands: Sequence[str]) -> str:
    """The attempt left processes running; they were killed."""
    return f"left {plural(len(commands), 'process', 'es')} running, killed since: {both(map(quote, commands))}"


def broke(what: str, error: BaseException) -> str:
    """A step before or after the turn raised; `what` says which."""
    return f"{what}: {exception(error)}"


def too_slow(what: str, seconds: float) -> str:
    """A step before or after the turn did not end; `what` says which."""
    return f"{what}: not done after {in_seconds(seconds)}"


def odd_world(made: Any) -> str:
    """What a suite's world made is none."""
    return f"the world must be a World, got {literal(made)}"


def same_world() -> str:
    """What is to make a world for each attempt made one for several."""
    return (
        "the function that makes the world handed out the same one twice, so that attempts would share it; "
        "make it inside the function, or write world=World() for one in which attempts take turns"
    )


def odd_input(made: Any) -> str:
    """What a world's `prepare` answered is nothing that a turn can start with."""
    shown = literal(made)
    return f"the world's prepare answered {shown}; a turn starts with a text, a Message, a list of Messages or None"


def odd_published(published: Any) -> str:
    """A world's `published` is no list."""
    return f"the world's published must stay a list, got {literal(published)}"


def spoilt_world() -> str:
    """A world that attempts share is no longer fit for any."""
    return "the world is shared with an attempt that could not be stopped, and is still at work in it"
