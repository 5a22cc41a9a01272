"""Where a case wakes up."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..messages import plain
from .case import Case
from .stubs import Stubs


class World:
    """Where a case wakes up: what is laid out before the turn, what it starts with, and what it sent outward.

    The default world keeps no state. Subclass it for an inbox, a queue or a chat room: `prepare` answers what the turn starts with
    (None when delivery happened another way, such as into `inbox`), and whatever the turn sends goes to `published`.
    Methods may be sync or async; `close` is called after the attempt, whatever happened.

    >>> class Room(World):
    ...     def prepare(self, case):
    ...         self.inbox.append(case.said)
    >>> room = Room()
    >>> room.prepare(Case("greets", said="hello")), room.inbox
    (None, ['hello'])
    """

    published: list[Any]
    inbox: list[Any]
    _folder: Path | None
    _spoilt = False
    """Whether an attempt was left behind that may still be at work in it, so that no suite may use it any more."""

    def __new__(cls, *args: Any, **named: Any) -> World:
        """Give the world its attributes."""
        # Here and not in __init__, so that a subclass may forget to call it.
        world = super().__new__(cls)
        world.published, world.inbox, world._folder = [], [], None
        return world

    @property
    def folder(self) -> Path:
        """A fresh folder of this attempt, made when it is first asked for and gone afterwards."""
        if self._folder is None:
            import tempfile  # only worlds with files need it, and what it brings along

            self._folder = Path(tempfile.mkdtemp(prefix="brute-world-"))
        return self._folder

    def prepare(self, case: Case) -> Any:
        """Lay out the case's files, and answer the conversation and what was said as the turn's beginning."""
        self.lay_out(case.files)
        said = [] if case.said is None else [plain("user", case.said)]
        return [*case.conversation, *said]

    def lay_out(self, files: Mapping[str, str | bytes]) -> None:
        """Write `files` (path -> text or bytes) into the folder."""
        for path, content in files.items():
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)

    def stub(self, agent: Any, stubs: Mapping[str, Any]) -> Any:
        """Install canned results on the agent's `before_tool`."""
        if stubs:
            Stubs(stubs).install(agent)

    def publish(self, thing: Any) -> None:
        """Record something that the turn sent outward."""
        self.published.append(thing)

    def close(self) -> Any:
        """Take down what `prepare` laid out."""
        if self._folder is not None:
            import shutil

            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


PREPARED = World.prepare
"""That of the default world, whatever stands in its place by now."""


class _Own:
    """What the harness keeps of one world: no part of a copy of it, and under no name that a subclass may have for something else."""

    def __init__(self, world: int = 0) -> None:
        self.world = world
        self.taken = False
        self.turns: tuple[Any, Any] | None = None

    def __reduce__(self) -> Any:
        return _Own, ()


def _own(world: World) -> _Own:
    found: _Own | None = vars(world).get("_World__own")
    if found is None or found.world != id(world):
        found = vars(world)["_World__own"] = _Own(id(world))
    return found


def take(world: World) -> bool:
    """Whether a factory hands the world out for the first time: an attempt has it to itself."""
    own = _own(world)
    first, own.taken = not own.taken, True
    return first


_within: contextvars.ContextVar[tuple[int, ...]] = contextvars.ContextVar("brute_within_worlds", default=())
"""The worlds that are shared and in which the attempts run that this code is a part of."""


@contextlib.asynccontextmanager
async def turn(world: World) -> AsyncGenerator[None]:
    """What an attempt holds while it is in a world that all share: of all suites, in one loop, or in one after the other."""
    if id(world) in _within.get():
        raise UsageError(
            "an attempt runs a suite in the world that it is in itself; give that suite a world of its own"
        )
    async with _lock(world):
        token = _within.set((*_within.get(), id(world)))
        try:
            yield
        finally:
            _within.reset(token)


def _lock(world: World) -> Any:
    import asyncio

    own, loop = _own(world), asyncio.get_running_loop()
    if own.turns is not None and own.turns[0] is not loop and own.turns[0].is_running() and own.turns[1].locked():
        raise UsageError("two threads run suites in one world at once; give each of them a world of its own")
    if own.turns is None or own.turns[0] is not loop:
        own.turns = loop, asyncio.Lock()
    return own.turns[1]
