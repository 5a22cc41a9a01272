"""One attempt, whatever the agent does in it, ends in a verdict, and never in another's."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import anyio
import pytest

import brute
from brute import ModelError, UsageError
from brute.errors import TurnStopped
from brute.eval import Budget, Case, World, leaving, runner
from brute.testing import Script
from tests.support.agents import Clock, Live, asks, attempt, attempts, makes, speaks, tool

ANSWERS = Case("answers", said="hello")


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaving, "GRACE", 0.05)
    monkeypatch.setattr(runner, "CLOSE", 0.1)


@pytest.fixture
def hanging() -> Iterator[threading.Event]:
    """What a thread may hang on until the test is over."""
    event = threading.Event()
    yield event
    event.set()


def raising(error: BaseException) -> Any:
    """A completion that raises."""

    async def model(env: Any) -> str:
        raise error

    return model


class TestATurnThatRaises:
    """The agent's own exceptions are its failures; nothing of them reaches another attempt."""

    @pytest.mark.parametrize(
        "error",
        [
            KeyError("id"),
            SystemExit(0),
            KeyboardInterrupt(),
            GeneratorExit(),
            asyncio.CancelledError(),
            ExceptionGroup("several", [KeyError("a"), ValueError("b")]),
            BaseExceptionGroup("worse", [SystemExit(1), KeyError("a")]),
            TurnStopped("of its own"),
            BaseException("bare"),
        ],
        ids=lambda error: type(error).__name__,
    )
    @pytest.mark.parametrize("is_async", [True, False], ids=["async", "sync"])
    def test_whatever_it_raises_fails_it_and_the_next_attempt_is_made(
        self, error: BaseException, is_async: bool
    ) -> None:
        """Exits, interrupts and cancellations that nobody asked for are exceptions like any other."""

        def sync(env: Any) -> str:
            raise error

        first = [1]

        async def factory() -> Any:
            model = (raising(error) if is_async else sync) if first else (lambda env: "done")
            first.clear()
            return await speaks(model)()

        made, after = attempts(factory, [ANSWERS, Case("b", said="x")])
        assert (made.status, made.verdict.failures[0].kind, after.status) == ("failed", "turn.raised", "passed")
        assert made.verdict.sentences[0].startswith(f"the turn raised {type(error).__name__}")

    def test_a_group_of_one_is_the_one(self) -> None:
        """Task groups wrap what their children raise."""
        made = attempt(speaks(raising(ExceptionGroup("one", [ExceptionGroup("in one", [KeyError("id")])]))))
        assert made.verdict.sentences == ["the turn raised KeyError: 'id'"]

    def test_the_detail_holds_the_users_own_frames(self) -> None:
        """And no others."""
        detail = attempt(speaks(raising(KeyError("id")))).verdict.failures[0].detail
        assert "test_runner.py" in detail
        assert "src/brute" not in detail

    @pytest.mark.parametrize("count", [1, 2], ids=["alone", "in a batch"])
    def test_a_tool_that_cancels_itself_fails_the_turn(self, count: int) -> None:
        """The same alone and in a batch of calls."""

        async def cancels() -> None:
            raise asyncio.CancelledError

        made = attempt(makes(asks(*["cancels"] * count), "done", tools=[tool(cancels)]))
        assert (made.status, made.verdict.sentences) == ("failed", ["the turn raised CancelledError"])

    def test_a_task_of_the_agents_own_that_exits_does_not_end_the_run(self) -> None:
        """An exit in a task goes through the loop; whoever awaits the task is told, and the run goes on."""

        async def starts() -> str:
            async def exits() -> None:
                raise SystemExit(3)

            task = asyncio.create_task(exits())
            try:
                await task
            except BaseException as caught:
                return f"caught {type(caught).__name__}"
            return "nothing"

        made, after = attempts(makes(asks("starts"), "done", tools=[tool(starts)]), [ANSWERS, Case("b", said="x")])
        assert made.transcript.calls[0].result == "caught SystemExit"
        assert (made.status, after.status) == ("passed", "passed")

    def test_never_counts_also_where_the_turn_raised_later(self) -> None:
        """What no later step could mend is a failure beside the error."""
        make = makes(asks("search"), ModelError("529 overloaded"), tools=[Live().tool])
        made = attempt(make, Case("a", said="x", never=["search"], mentions=["word"]))
        assert made.status == "failed"
        assert [failure.kind for failure in made.verdict.failures] == ["error.model", "call.forbidden"]

    def test_an_agent_that_is_not_whole_is_an_error(self) -> None:
        """One without a completion could not run."""
        made = attempt(lambda: brute.agent())
        assert (made.status, made.verdict.failures[0].kind) == ("error", "error.build")


class TestTime:
    """A turn that takes too long is stopped, and says where it was."""

    def test_a_turn_that_waits_is_stopped_at_the_deadline(self) -> None:
        """A failure that says what the turn was in the middle of."""
        made = attempt(speaks(lambda env: anyio.sleep_forever()), deadline=0.05)
        assert (made.status, made.left_behind) == ("failed", False)
        assert made.verdict.sentences == ["stopped after 0.05 seconds; still in the model call"]

    @pytest.mark.parametrize("catches", [BaseException, asyncio.CancelledError], ids=["everything", "the cancellation"])
    def test_a_turn_that_swallows_its_cancellation_ends_all_the_same(self, catches: type[BaseException]) -> None:
        """However often it is told."""

        async def swallow() -> None:
            while True:
                try:
                    await anyio.sleep_forever()
                except catches:
                    pass

        made, after = attempts(
            makes(asks("swallow"), "done", tools=[tool(swallow)]), [ANSWERS, Case("b", said="x")], deadline=0.05
        )
        assert made.verdict.sentences == ["stopped after 0.05 seconds; still in tool swallow"]
        assert after.verdict.sentences == made.verdict.sentences

    def test_a_sync_tool_that_hangs_is_left_behind_and_marked(self, hanging: threading.Event) -> None:
        """Python can't end a thread, so that the attempt ends without it."""

        def hang() -> None:
            hanging.wait()

        made = attempt(makes(asks("hang"), "done", tools=[tool(hang)]), deadline=0.05)
        assert (made.status, made.left_behind) == ("failed", True)
        assert made.verdict.sentences == ["stopped after 0.05 seconds; still in tool hang"]
        assert made.transcript.notes[0].startswith("left behind, still running: ")

    def test_a_budget_of_seconds_stops_the_turn(self, hanging: threading.Event) -> None:
        """It fails by its budget, and not by the deadline."""

        def hang() -> None:
            hanging.wait()

        made = attempt(makes(asks("hang"), tools=[tool(hang)]), Case("a", said="x", budget=Budget(seconds=0.05)))
        assert [failure.kind for failure in made.verdict.failures] == ["budget.seconds"]
        assert made.verdict.sentences[0].endswith("seconds, budget 0.05")

    def test_a_budget_beyond_the_deadline_is_stopped_by_the_deadline(self) -> None:
        """The shorter of the two."""
        case = Case("a", said="x", budget=Budget(seconds=100))
        made = attempt(speaks(lambda env: anyio.sleep_forever()), case, deadline=0.05)
        assert made.verdict.failures[0].kind == "turn.deadline"

    def test_a_turn_cut_by_its_budget_after_a_cap_of_its_own_is_not_graded_as_a_whole(self) -> None:
        """The stop is the budget's, whatever the agent said of itself before."""

        class Caps:
            def __init__(self, app: Any) -> None:
                self.app = app

            async def __call__(self, env: Any) -> None:
                env.stopped = "Caps"
                await anyio.sleep_forever()

        made = attempt(makes("done", layers=[Caps]), Case("a", said="x", budget=Budget(seconds=0.02)))
        assert [failure.kind for failure in made.verdict.failures] == ["budget.seconds"]

    def test_the_seconds_count_from_the_turn_and_not_from_the_building(self) -> None:
        """What the harness and the factory take is not the agent's to spend."""
        clock = Clock()

        async def factory() -> Any:
            clock.now += 100
            return await speaks(lambda env: "done")()

        made = attempt(factory, Case("a", said="x", budget=Budget(seconds=1)), clock=clock)
        assert (made.status, made.transcript.seconds) == ("passed", 0.0)

    def test_a_model_that_kept_failing_until_the_deadline_is_an_error(self) -> None:
        """An agent that tries for ever is no failure of the agent's where the provider was down."""

        class Tries:
            def __init__(self, app: Any) -> None:
                self.app = app

            async def __call__(self, env: Any) -> None:
                try:
                    await self.app(env)
                except ModelError:
                    await anyio.sleep_forever()

        made = attempt(makes(ModelError("529 overloaded"), layers=[Tries]), deadline=0.05)
        assert (made.status, made.verdict.sentences) == ("error", ["the model call failed: 529 overloaded"])

    def test_a_turn_left_behind_runs_no_tool_later(self) -> None:
        """Its hooks still hold the guard: what comes too late is stopped."""
        live = Live()
        go_on = threading.Event()
        ended = threading.Event()

        async def late() -> str:
            try:
                await anyio.sleep_forever()
            except BaseException:
                try:
                    await made_agent[0].astart("again")
                finally:
                    ended.set()
            return "late"

        made_agent: list[Any] = []

        async def factory() -> Any:
            made_agent.append(await makes(asks("late"), asks("search"), "done", tools=[tool(late), live.tool])())
            return made_agent[0]

        made = attempt(factory, deadline=0.05)
        go_on.set()
        assert (made.status, live.ran, ended.is_set()) == ("failed", [], True)


class TestBeforeTheTurn:
    """What breaks or hangs before the turn is an error, for there was nothing to grade."""

    def test_a_factory_that_raises(self) -> None:
        """It says what it raised, with the user's own frames."""
        made = attempt(lambda: {}["key"])
        assert (made.status, made.verdict.sentences) == ("error", ["the agent could not be built: KeyError: 'key'"])
        assert "test_runner.py" in made.verdict.failures[0].detail

    @pytest.mark.parametrize(
        "error", [SystemExit(2), KeyboardInterrupt(), asyncio.CancelledError(), StopIteration()], ids=repr
    )
    def test_a_factory_that_exits_ends_nothing_else(self, error: BaseException) -> None:
        """Neither the run nor the next attempt."""
        first = [1]

        def factory() -> Any:
            if first:
                first.clear()
                raise error
            return brute.agent().run(Script(["done"]))

        made, after = attempts(factory, [ANSWERS, Case("b", said="x")])
        assert (made.status, made.verdict.failures[0].kind, after.status) == ("error", "error.build", "passed")

    def test_a_factory_that_hangs(self, hanging: threading.Event) -> None:
        """Sync, on a thread that is left behind."""
        made = attempt(lambda: hanging.wait(), deadline=0.05)
        assert (made.status, made.left_behind) == ("error", True)
        assert made.verdict.sentences == ["the agent could not be built: not done after 0.05 seconds"]

    def test_a_factory_that_swallows_its_cancellation(self) -> None:
        """Async, and it will not be stopped."""

        async def factory() -> Any:
            while True:
                try:
                    await anyio.sleep_forever()
                except BaseException:
                    pass

        made = attempt(factory, deadline=0.05)
        assert (made.status, made.verdict.failures[0].kind) == ("error", "error.build")

    @pytest.mark.parametrize("step", ["prepare", "stub"])
    def test_a_world_that_hangs(self, step: str) -> None:
        """The deadline holds for it too."""

        class Hangs(World):
            pass

        async def hang(self: World, *args: Any) -> None:
            await anyio.sleep_forever()

        setattr(Hangs, step, hang)
        made = attempt(makes("done"), world=Hangs, deadline=0.3)
        assert made.verdict.sentences == [f"the world broke in {step}: not done after 0.3 seconds"]

    def test_a_world_whose_making_hangs(self, hanging: threading.Event) -> None:
        """A factory of worlds is under the deadline too."""
        made = attempt(makes("done"), world=lambda: hanging.wait(), deadline=0.05)
        assert made.verdict.sentences == ["the world could not be made: not done after 0.05 seconds"]

    def test_bad_input_at_the_first_build_is_raised(self) -> None:
        """The same would come of every attempt."""
        with pytest.raises(UsageError, match="must be a brute agent"):
            attempt(lambda: 42)

    def test_bad_input_at_a_later_build_is_that_attempts_error(self) -> None:
        """What was made before keeps its result."""
        kept = brute.agent().run(Script(["one", "two"]))
        first, second = attempts(lambda: kept, [ANSWERS, Case("b", said="x")])
        assert (first.status, second.status) == ("passed", "error")
        assert "handed out the same agent twice" in second.verdict.sentences[0]

    def test_a_model_that_cannot_get_ready_is_the_models_error(self) -> None:
        """Importing a client or loading a model happens before the turn."""

        class Unready:
            async def ready(self) -> None:
                raise ModelError("no such file: model.gguf")

            def __call__(self, env: Any) -> str:
                return "done"

        made = attempt(lambda: brute.agent().run(Unready()))
        assert (made.status, made.verdict.failures[0].kind) == ("error", "error.model")


class TestAfterTheTurn:
    """Closing and checking can break and hang too, and cost no result."""

    @pytest.mark.parametrize("stubborn", [False, True], ids=["waits", "swallows"])
    def test_a_close_that_hangs(self, stubborn: bool) -> None:
        """The attempt is an error, since the next may find what this one left."""

        class Hangs(World):
            async def close(self) -> None:
                while True:
                    try:
                        await anyio.sleep_forever()
                    except BaseException:
                        if not stubborn:
                            raise

        made = attempt(makes("done"), world=Hangs)
        assert made.verdict.sentences == ["the world broke in close: not done after 0.1 seconds"]

    def test_a_close_that_breaks_hides_no_earlier_cause(self) -> None:
        """The turn's own exception comes first."""

        class Breaks(World):
            def close(self) -> None:
                raise OSError("busy")

        made = attempt(speaks(raising(KeyError("id"))), world=Breaks)
        assert made.verdict.sentences == ["the turn raised KeyError: 'id'"]

    def test_a_world_shared_with_an_attempt_left_behind_is_used_no_more(self, hanging: threading.Event) -> None:
        """What still runs in it would be graded as the next attempt's doing."""

        def hang() -> None:
            hanging.wait()

        first, second = attempts(
            makes(asks("hang"), tools=[tool(hang)]), [ANSWERS, Case("b", said="x")], world=World(), deadline=0.05
        )
        assert (first.status, second.status, second.verdict.failures[0].kind) == ("failed", "error", "error.world")

    def test_grading_that_breaks_keeps_the_transcript(self) -> None:
        """An error of ours, and what the turn did is still there."""
        made = attempt(speaks(lambda env: "done"), _broken_case())
        assert (made.status, made.transcript.reply) == ("error", "done")


def _broken_case() -> Case:
    """A case whose grading raises, as no case should."""
    case = Case("a", said="x", mentions=["word"])
    object.__setattr__(case, "mentions", 42)
    return case


def test_one_agent_and_one_world_are_never_shared_by_attempts_that_leak_stubs() -> None:
    """Seen in the original: stubs of earlier cases answered in later ones."""
    live = Live()
    make = makes(asks("search"), "done", tools=[live.tool])
    stubbed, free = attempts(make, [Case("a", said="x", stubs={"search": "canned"}), Case("b", said="y")])
    assert [made.transcript.calls[0].result for made in (stubbed, free)] == ["canned", "live"]
    assert len(live.ran) == 1


def test_a_shallow_copy_of_one_agent_is_refused() -> None:
    """It shares the hooks, and with them the stubs of the attempt before."""
    import copy

    base = brute.agent().run(lambda env: "done")
    first, second = attempts(lambda: copy.copy(base), [ANSWERS, Case("b", said="x")])
    assert (first.status, second.status) == ("passed", "error")


def test_two_attempts_interleaved_step_by_step_keep_their_own_records() -> None:
    """Each has its own calls, messages, world and stubs."""
    from brute.eval import Job
    from brute.eval.adapters import adapt
    from brute.eval.building import Builder
    from brute.eval.runner import Runner

    async def go() -> list[Any]:
        turns = [anyio.Event() for _ in range(6)]

        async def factory() -> Any:
            async def model(env: Any) -> Any:
                mine = env.messages[0].content
                step = steps[mine].pop(0)
                await turns[step].wait()
                turns[step + 1].set() if step < 5 else None
                return asks(("search", {"query": mine})) if env.iteration < 3 else mine

            return await speaks(model, tools=[Live().tool])()

        steps = {"one": [0, 2, 4], "two": [1, 3, 5]}
        turns[0].set()
        made = Runner(Builder(factory), adapt, World, deadline=5, unstubbed="run")
        found: list[Any] = []

        async def one(name: str) -> None:
            found.append(await made.attempt(Job(Case(name, said=name, stubs={"search": name}))))

        async with anyio.create_task_group() as group:
            group.start_soon(one, "one")
            group.start_soon(one, "two")
        return found

    for made in anyio.run(go):
        name = made.case.name
        assert (made.transcript.reply, made.transcript.names) == (name, ["search", "search"])
        assert [(call.arguments["query"], call.result) for call in made.transcript.calls] == [(name, name)] * 2
