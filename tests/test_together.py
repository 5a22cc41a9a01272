"""Several things at once, and what comes out when one of them raises."""

from __future__ import annotations

import asyncio

import anyio
import pytest

from brute.together import together


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize(
    "error", [KeyError("x"), SystemExit(1), BaseException("odd"), asyncio.CancelledError()], ids=repr
)
def test_an_exception_comes_out_as_it_went_in(count: int, error: BaseException) -> None:
    """Bare, and the same alone and in company."""

    async def raises() -> None:
        raise error

    async def go() -> BaseException:
        try:
            await together([raises, *[anyio.sleep_forever] * (count - 1)])
        except BaseException as raised:
            return raised
        raise AssertionError("nothing was raised")

    assert anyio.run(go) is error


def test_the_first_that_raises_cancels_the_others() -> None:
    """Which clean up before it comes out."""
    cleaned: list[str] = []

    async def go() -> None:
        started = anyio.Event()

        async def waits() -> None:
            try:
                started.set()
                await anyio.sleep_forever()
            finally:
                cleaned.append("waits")

        async def raises() -> None:
            await started.wait()
            raise KeyError("x")

        await together([waits, raises])

    with pytest.raises(KeyError):
        anyio.run(go)
    assert cleaned == ["waits"]


@pytest.mark.parametrize("count", [1, 2])
def test_a_cancellation_from_outside_goes_through(count: int) -> None:
    """It is no exception of their own."""

    async def go() -> bool:
        with anyio.CancelScope() as scope:

            async def cancels() -> None:
                scope.cancel()
                await anyio.sleep_forever()

            await together([cancels, *[anyio.sleep_forever] * (count - 1)])
        return scope.cancelled_caught

    assert anyio.run(go) is True


def test_all_of_them_run_at_once() -> None:
    """Each waits for the other."""

    async def go() -> list[int]:
        events = [anyio.Event(), anyio.Event()]
        done: list[int] = []

        async def meet(mine: int) -> None:
            events[mine].set()
            await events[1 - mine].wait()
            done.append(mine)

        await together([lambda: meet(0), lambda: meet(1)])
        await together([])
        return sorted(done)

    assert anyio.run(go) == [0, 1]
