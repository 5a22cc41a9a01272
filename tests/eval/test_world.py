"""A world is where a case wakes up: laid out before the turn, asked what it saw, and taken down after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from brute import Message
from brute.eval import Case, World
from tests.support.agents import attempt, attempts, makes, report, speaks


def test_the_default_world_says_what_was_said_after_the_conversation() -> None:
    """Earlier messages come first."""
    earlier = [Message(role="user", content="hi"), Message(role="assistant", content="hello")]
    heard: list[str] = []

    def model(env: Any) -> str:
        heard.extend(message.content for message in env.messages)
        return "done"

    attempt(speaks(model), Case("a", said="and?", conversation=earlier))
    assert heard == ["hi", "hello", "and?"]


def test_files_are_laid_out_as_they_are_and_gone_after_the_attempt() -> None:
    """Text as UTF-8 without translation, bytes as they are, folders as needed."""
    files = {"a.txt": "é\r\n\n", "b/c/d.bin": b"\x00\xff", "ünï/ç.md": "ß"}
    seen: dict[str, bytes] = {}
    where: list[Path] = []

    async def factory(world: World) -> Any:
        where.append(world.folder)
        return await makes("done")()

    def check(transcript: Any) -> None:
        pass

    class Looks(World):
        def stub(self, agent: Any, stubs: Any) -> None:
            seen.update(
                {str(p.relative_to(self.folder)): p.read_bytes() for p in self.folder.rglob("*") if p.is_file()}
            )

    assert attempt(factory, Case("a", said="x", files=files), world=Looks).status == "passed"
    assert seen == {"a.txt": "é\r\n\n".encode(), "b/c/d.bin": b"\x00\xff", "ünï/ç.md": "ß".encode()}
    assert not where[0].exists()


def test_a_folder_is_made_only_when_it_is_asked_for() -> None:
    """An attempt without files touches no disk."""
    world = World()
    world.prepare(Case("a", said="x"))
    assert world._folder is None
    world.close()


def test_files_that_cannot_be_written_are_the_worlds_error() -> None:
    """A name too long for the disk."""
    made = attempt(makes("done"), Case("a", said="x", files={"a" * 5000: "1"}))
    assert (made.status, made.verdict.failures[0].kind) == ("error", "error.world")


def test_a_subclass_may_forget_to_call_init() -> None:
    """The attributes are there all the same."""

    class Room(World):
        def __init__(self, name: str = "lobby") -> None:
            self.name = name

    room = Room()
    room.publish("hello")
    assert (room.published, room.inbox, room.name) == (["hello"], [], "lobby")
    assert Room().published == []


def test_a_room_delivers_another_way_and_records_what_was_sent() -> None:
    """`prepare` answers None, and the turn starts with nothing."""

    class Room(World):
        async def prepare(self, case: Case) -> None:
            await anyio.lowlevel.checkpoint()
            self.inbox.append(case.said)

        async def close(self) -> None:
            closed.append(len(self.published))

    closed: list[int] = []

    async def factory(world: Room) -> Any:
        def model(env: Any) -> str:
            world.publish(f"re: {world.inbox[0]}")
            return ""

        return await speaks(model)()

    made = attempt(factory, Case("a", said="hello", silent=True), world=Room)
    assert made.transcript.published == ["re: hello"]
    assert (made.status, made.verdict.failures[0].kind, closed) == ("failed", "reply.unwanted", [1])


def test_one_world_for_all_attempts_is_shared_in_turns_and_each_sees_its_own() -> None:
    """Seen in the original: attempts shared one world, side by side. Here they take turns in it."""

    class Room(World):
        def prepare(self, case: Case) -> Any:
            inside.append(1)
            assert len(inside) == 1
            return super().prepare(case)

        def close(self) -> None:
            inside.clear()

    inside: list[int] = []
    room = Room()

    async def factory(world: Room) -> Any:
        assert world is room

        async def model(env: Any) -> str:
            await anyio.lowlevel.checkpoint()
            world.publish(env.messages[-1].content)
            return "done"

        return await speaks(model)()

    made = report(factory, [Case(name, said=name) for name in "abc"], world=room, jobs=8)
    assert [attempt.transcript.published for attempt in made.attempts] == [["a"], ["b"], ["c"]]
    assert (room.published, made.passed) == (["a", "b", "c"], True)


def test_a_world_class_makes_one_for_each_attempt() -> None:
    """Nothing carries from one attempt to the next."""
    worlds: list[World] = []

    class Room(World):
        def prepare(self, case: Case) -> Any:
            worlds.append(self)
            assert self.published == []
            self.publish("was here")
            return super().prepare(case)

    assert report(makes_fresh(), [Case("a", said="x", runs=3)], world=Room).passed
    assert len(set(map(id, worlds))) == 3


def makes_fresh() -> Any:
    """A factory of agents that answer."""
    return speaks(lambda env: "done")


@pytest.mark.parametrize("step", ["prepare", "stub", "close"])
@pytest.mark.parametrize("raised", [KeyError("x"), SystemExit(1), KeyboardInterrupt(), BaseException("odd")], ids=repr)
def test_a_world_that_breaks_is_an_error_and_costs_no_other_case(step: str, raised: BaseException) -> None:
    """Whatever it raises, whichever method raises it."""

    class Breaks(World):
        pass

    def broken(self: World, *args: Any) -> None:
        if broken_first:
            broken_first.pop()
            raise raised

    broken_first = [1]
    setattr(Breaks, step, broken)
    first, second = attempts(makes_fresh(), [Case("a", said="x"), Case("b", said="y")], world=Breaks)
    assert (first.status, first.verdict.failures[0].kind) == (
        "error",
        "error.stub" if step == "stub" else "error.world",
    )
    assert f"the world broke in {step}: {type(raised).__name__}" in first.verdict.sentences[0]
    assert second.status == "passed"


def test_close_is_called_whatever_happened() -> None:
    """After a turn that raised, an agent that did not build, and a prepare that broke."""
    closed: list[str] = []

    class Room(World):
        def prepare(self, case: Case) -> Any:
            if case.said == "prepare":
                raise OSError("full")
            return super().prepare(case)

        def close(self) -> None:
            closed.append("closed")

    def model(env: Any) -> str:
        raise KeyError("turn")

    attempts(speaks(model), [Case("a", said="turn"), Case("b", said="prepare")], world=Room)
    attempt(lambda: 1 / 0, Case("a", said="x"), world=Room)
    assert closed == ["closed"] * 3


@pytest.mark.parametrize("made", [42, ["hi"], {"role": "user"}], ids=repr)
def test_a_prepare_that_answers_what_no_turn_starts_with_is_the_worlds_error(made: Any) -> None:
    """Not the agent's, which would only choke on it."""

    class Odd(World):
        def prepare(self, case: Case) -> Any:
            return made

    found = attempt(makes("done"), world=Odd)
    assert (found.status, found.verdict.failures[0].kind) == ("error", "error.world")
    assert "the world's prepare answered" in found.verdict.sentences[0]


def test_a_prepare_that_is_put_on_a_default_world_is_looked_at_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """On one of them by its factory, or on all by a test of the user's."""

    def one() -> World:
        world = World()
        world.prepare = lambda case: 42  # type: ignore[method-assign,assignment]
        return world

    says = ["the world's prepare answered 42; a turn starts with a text, a Message, a list of Messages or None"]
    assert attempt(makes("done"), world=one).verdict.sentences == says
    monkeypatch.setattr(World, "prepare", lambda self, case: 42)
    assert attempt(makes("done")).verdict.sentences == says


@pytest.mark.parametrize(
    "world", [lambda: 42, lambda: None, lambda: World, lambda: 1 / 0], ids=["number", "none", "class", "raises"]
)
def test_a_world_that_cannot_be_made_is_an_error(world: Any) -> None:
    """A factory of worlds must make one."""
    found = attempt(makes("done"), world=world)
    assert (found.status, found.verdict.failures[0].kind) == ("error", "error.world")


def test_a_factory_that_hands_out_one_world_twice_is_refused() -> None:
    """Attempts would share it, and what one left in it would speak for the next."""
    room = World()
    first, second = attempts(makes("done", "done"), [Case("a", said="x"), Case("b", said="x")], world=lambda: room)
    assert (first.status, second.status) == ("passed", "error")
    (error,) = second.verdict.failures
    assert error.kind == "error.world"
    assert error.message == (
        "the function that makes the world handed out the same one twice, so that attempts would share it; "
        "make it inside the function, or write world=World() for one in which attempts take turns"
    )


def test_published_must_stay_a_list() -> None:
    """A world that replaces it says nothing of what was sent, and silence could not be told."""

    class Odd(World):
        def prepare(self, case: Case) -> Any:
            self.published = None  # type: ignore[assignment]
            return super().prepare(case)

    found = attempt(makes(""), Case("a", said="x", silent=True), world=Odd)
    assert (found.status, found.verdict.failures[0].kind) == ("error", "error.world")
