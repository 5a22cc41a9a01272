"""Where a case wakes up."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..messages import Message
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
    _turns: tuple[Any, Any] | None = None
    """The loop in which attempts take turns in the one world that they share, and the lock by which they do."""
    _taken = False
    """Whether a factory has handed it out before: an attempt has it to itself."""

    def __new__(cls, *args: Any, **named: Any) -> World:
        """Give the world its attributes."""
        # Here and not in __init__, so that a subclass may forget to call it.
        world = super().__new__(cls)
        world.published, world.inbox, world._folder = [], [], None
        return world

    def _turn(self) -> Any:
        """What an attempt holds while it is in this world, of all the suites that share it; in one loop, or in one after the other."""
        import asyncio

        loop, turns = asyncio.get_running_loop(), self._turns
        if turns is not None and turns[0] is not loop and turns[0].is_running() and turns[1].locked():
            raise UsageError("two threads run suites in one world at once; give each of them a world of its own")
        if turns is None or turns[0] is not loop:
            turns = self._turns = loop, asyncio.Lock()
        return turns[1]

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
        said = [] if case.said is None else [Message(role="user", content=case.said)]
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
            agent.on("before_tool", Stubs(stubs))

    def publish(self, thing: Any) -> None:
        """Record something that the turn sent outward."""
        self.published.append(thing)

    def close(self) -> Any:
        """Take down what `prepare` laid out."""
        if self._folder is not None:
            import shutil

            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
