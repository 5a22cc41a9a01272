"""What is run under a limit ends in time, or is left behind."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from brute.eval import leaving
from brute.eval.leaving import Exited, LeftBehind, Limit, Overtime, limited


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaving, "GRACE", 0.05)


async def ends() -> str:
    """Ends by itself."""
    await anyio.lowlevel.checkpoint()
    return "ended"


async def swallows() -> None:
    """Never ends, whatever it is told."""
    while True:
        try:
            await anyio.sleep_forever()
        except BaseException:
            pass


def nowhere() -> str:
    """Where it is, for tests that do not ask."""
    return "nowhere"


def run(work: Callable[[], Any], seconds: float = 5.0, late: Callable[[], str] = nowhere) -> Any:
    """What the work comes to within so many seconds."""

    async def go() -> Any:
        return await limited(work(), Limit(seconds), late)

    return leaving.run(go())


def test_what_ends_in_time_answers() -> None:
    """And its limit calls nothing later."""
    assert run(ends) == "ended"


def test_what_takes_too_long_is_stopped_and_told_of_before() -> None:
    """`late` is called while it still runs."""
    said: list[str] = []

    async def waits() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            said.append("stopped")

    with pytest.raises(Overtime):
        run(waits, 0.01, late=lambda: str(said.append("late")))
    assert said == ["late", "stopped"]


def test_a_limit_made_shorter_on_the_way_holds() -> None:
    """And one that would be longer changes nothing."""

    async def go() -> tuple[bool, bool]:
        limit = Limit(100)
        shorter: list[bool] = []

        async def work() -> None:
            shorter.extend([limit.shorten(200), limit.shorten(0.01)])
            await anyio.sleep_forever()

        with pytest.raises(Overtime):
            await limited(work(), limit, nowhere)
        return shorter[0], shorter[1]

    assert anyio.run(go) == (False, True)


def test_what_catches_a_cancellation_or_two_is_cancelled_again() -> None:
    """An agent that tries again is told again."""
    tries: list[int] = []

    async def tries_again() -> None:
        while len(tries) < 3:
            try:
                await anyio.sleep_forever()
            except BaseException:
                tries.append(1)

    with pytest.raises(Overtime):
        run(tries_again, 0.01)


def test_a_cleaning_up_within_the_grace_is_let_finish() -> None:
    """A stopped turn may say goodbye."""
    said: list[str] = []

    async def polite() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.lowlevel.checkpoint()
                said.append("goodbye")

    with pytest.raises(Overtime):
        run(polite, 0.01)
    assert said == ["goodbye"]


def test_what_swallows_every_cancellation_is_left_behind_with_its_loop() -> None:
    """The loop is given up, without a word from the interpreter, and whoever asked goes on."""
    before = leaving.left_behind()
    with pytest.raises(LeftBehind):
        run(swallows, 0.01)
    gc.collect()
    assert leaving.left_behind() == before + 1


@pytest.mark.parametrize(
    "error",
    [SystemExit(1), KeyboardInterrupt(), asyncio.CancelledError(), GeneratorExit(), BaseException("odd")],
    ids=repr,
)
def test_what_would_take_the_loop_along_comes_out_as_exited(error: BaseException) -> None:
    """With the exception in it."""

    async def raises() -> None:
        raise error

    with pytest.raises(Exited) as exited:
        run(raises)
    assert type(exited.value.error) is type(error)


def test_an_exception_comes_out_as_it_is() -> None:
    """It is the caller's business."""

    async def raises() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        run(raises)


def test_a_parent_that_is_cancelled_waits_for_it_to_end() -> None:
    """A task group that is cancelled goes on cancelling its members, and must not break the wait off."""
    ended: list[str] = []

    async def cleans() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                for _ in range(5):
                    await anyio.lowlevel.checkpoint()
                ended.append("cleaned")

    async def go(work: Callable[[], Any]) -> list[str]:
        async with anyio.create_task_group() as group:
            group.start_soon(limited, work(), Limit(100), nowhere)
            await anyio.wait_all_tasks_blocked()
            group.cancel_scope.cancel()
        return list(ended)

    assert leaving.run(go(cleans)) == ["cleaned"]
    before = leaving.left_behind()
    leaving.run(go(swallows))
    assert leaving.left_behind() == before + 1


class TestTheLoop:
    """`run` makes a loop that nothing in it can keep open."""

    def test_a_background_task_that_ends_when_told_is_waited_for(self) -> None:
        """The loop closes when it has cleaned up."""
        said: list[str] = []

        async def background() -> None:
            try:
                await anyio.sleep_forever()
            finally:
                said.append("cleaned")

        async def main() -> Any:
            task = asyncio.create_task(background())
            await anyio.lowlevel.checkpoint()
            return task

        leaving.run(main())
        assert said == ["cleaned"]

    def test_a_background_task_that_does_not_is_given_up(self) -> None:
        """With its loop."""

        async def main() -> Any:
            task = asyncio.create_task(swallows())
            await anyio.lowlevel.checkpoint()
            return task

        assert not leaving.run(main()).done()

    def test_an_exit_in_a_background_task_ends_nothing(self) -> None:
        """Nor one at the very end."""

        async def exits() -> None:
            try:
                await anyio.sleep_forever()
            finally:
                raise SystemExit(3)

        async def main() -> str:
            async def at_once() -> None:
                raise SystemExit(3)

            first, last = asyncio.create_task(at_once()), asyncio.create_task(exits())
            await anyio.wait_all_tasks_blocked()
            kept.extend([first, last])
            return "done"

        kept: list[asyncio.Task[None]] = []
        assert leaving.run(main()) == "done"
        assert isinstance(kept[0].exception(), SystemExit)

    def test_an_exit_of_its_own_comes_out(self) -> None:
        """It is the caller's."""

        async def main() -> None:
            raise SystemExit(4)

        with pytest.raises(SystemExit):
            leaving.run(main())

    def test_threads_of_the_loops_own_pool_are_daemons(self) -> None:
        """So that one that hangs does not hold up the interpreter's exit."""

        async def main() -> tuple[bool, str]:
            with pytest.raises(KeyError):
                await asyncio.to_thread({}.__getitem__, "x")
            return await asyncio.to_thread(lambda: (threading.current_thread().daemon, "answer"))

        assert leaving.run(main()) == (True, "answer")
