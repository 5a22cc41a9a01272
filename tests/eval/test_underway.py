"""An attempt on its way: what is watched from the agent's building on, and how a turn ends that was told to stop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import brute
from brute import Message
from brute.eval import Attempt, Budget, Case, leaving, when
from brute.eval.executors.trail import TellingRunner
from brute.eval.runner import Runner
from tests.support import agents
from tests.support.agents import Live, asks, attempt, build, makes, tool


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaving, "GRACE", 0.05)


def loses(live: Live) -> Callable[[], Any]:
    """Agents with a tool that calls the other one in a task of its own, and waits for what nobody will tell it once that raises."""
    kept: list[Any] = []

    async def spawn() -> str:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()

        async def go() -> None:
            answer.set_result(await live.tool.call({}))

        async def told() -> None:
            # Looked at, so that the loop does not complain of it.
            await asyncio.wait([task := asyncio.create_task(go())])
            task.exception()

        loop.call_soon(lambda: kept.append(asyncio.create_task(told())))
        return str(await answer)

    return makes(asks("spawn"), "done", tools=[tool(spawn), live.tool])


SPAWNS = {"spawn": when().passes_through()}


@pytest.mark.parametrize(
    ("case", "unstubbed", "status", "kinds"),
    [
        (Case("a", said="x", budget=Budget(tool_calls=1)), "run", "failed", ["budget.tool_calls"]),
        (Case("a", said="x", stubs=SPAWNS), "refuse", "error", ["error.unstubbed"]),
        (Case("a", said="x", stubs={"search": lambda text: text}), "run", "error", ["error.stub"]),
    ],
    ids=["budget", "refused", "stub"],
)
@pytest.mark.parametrize("isolated", [False, True])
def test_a_turn_whose_stop_is_lost_in_a_task_ends_of_it_and_not_of_its_deadline(
    case: Case, unstubbed: str, status: str, kinds: list[str], isolated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within the grace, and with the stop's own verdict alone."""
    if isolated:
        monkeypatch.setattr(agents, "Runner", lambda *given, **named: telling(*given, **named))
    live = Live()
    # The deadline would be longer than any test may take.
    made = attempt(loses(live), case, unstubbed=unstubbed, deadline=500.0)
    assert (made.status, [failure.kind for failure in made.verdict.failures], live.ran) == (status, kinds, [])


def telling(*given: Any, **named: Any) -> Runner:
    """A runner as a worker process has it."""
    made = TellingRunner(*given, **named)
    made.tell = lambda said: None
    return made


def test_a_turn_that_ends_by_itself_after_a_stop_is_not_cut() -> None:
    """The limit goes with the turn, and the next attempt has its own."""
    made = attempt(makes(asks("search"), "done", tools=[Live().tool]), Case("a", said="x", budget=Budget(tool_calls=0)))
    assert made.verdict.sentences == ["spent 1 tool call, budget 0"]


class Worker:
    """A task that an agent starts while it is built, and that calls a tool for whoever asks it."""

    def __init__(self, live: Live) -> None:
        self.live = live

    async def build(self) -> brute.Agent:
        """The agent, whose tool asks the task."""
        waiting: asyncio.Queue[Any] = asyncio.Queue()

        async def work() -> None:
            while True:
                answer = await waiting.get()
                try:
                    answer.set_result(await self.live.tool.call({"path": "/"}))
                except BaseException as error:
                    answer.set_exception(RuntimeError(str(error)))

        async def enqueue() -> str:
            answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            await waiting.put(answer)
            return str(await answer)

        self.task = asyncio.create_task(work())
        return build([asks("enqueue"), "done"], tools=[tool(enqueue), self.live.tool])


def worked(case: Case, **options: Any) -> tuple[Attempt, Live]:
    """An attempt with such a worker."""
    live = Live("rm")
    return attempt(Worker(live).build, case, **options), live


def test_a_task_that_was_started_while_the_agent_was_built_is_watched_in_its_turn() -> None:
    """Stubbed, forbidden, refused."""
    made, live = worked(Case("a", said="x", stubs={"rm": "S"}, never=["rm"]))
    assert ([failure.kind for failure in made.verdict.failures], live.ran) == (["call.forbidden"], [])
    made, live = worked(Case("a", said="x", stubs={"rm": "S"}))
    assert (made.status, made.transcript.names, live.ran) == ("passed", ["enqueue", "rm"], [])
    made, live = worked(Case("a", said="x", stubs={"enqueue": when().passes_through()}), unstubbed="refuse")
    assert ([failure.kind for failure in made.verdict.failures], live.ran) == (["error.unstubbed"], [])


@pytest.mark.parametrize("swallows", [False, True])
@pytest.mark.parametrize(
    ("options", "kind", "sentence"),
    [
        (
            {"case": Case("a", said="x", stubs={"search": "S"})}, "error.stub",
            "the stub for search can't be served: it was called while the agent was built, before its turn; it was not run",
        ),
        (
            {"unstubbed": "refuse"}, "error.unstubbed",
            "search has no stub: it was called while the agent was built, before its turn; it was not run",
        ),
    ],
)  # fmt: skip
def test_a_tool_that_must_not_run_is_refused_while_the_agent_is_built(
    swallows: bool, options: dict[str, Any], kind: str, sentence: str
) -> None:
    """Also where the factory catches that and goes on."""
    live = Live()

    async def factory() -> brute.Agent:
        try:
            await live.tool.call({})
        except BaseException:
            if not swallows:
                raise
        return build(["done"], tools=[live.tool])

    made = attempt(factory, **options)
    assert [(failure.kind, failure.message) for failure in made.verdict.failures] == [(kind, sentence)]
    assert live.ran == []
    assert attempt(factory).passed
    assert live.ran == [{}]


def test_the_turn_of_another_agent_that_a_task_of_the_building_starts_is_not_taken_for_the_agents() -> None:
    """What it says is no reply."""

    class Laid(brute.eval.World):
        async def prepare(self, case: Case) -> Any:
            other.set()
            await asyncio.sleep(0)
            await said.wait()
            return case.said

    other, said = asyncio.Event(), asyncio.Event()
    kept: list[Any] = []

    async def talks() -> None:
        await other.wait()
        await build(["something else"]).astart("hi")
        said.set()

    async def factory() -> brute.Agent:
        kept.append(asyncio.create_task(talks()))
        return build([Message(role="assistant", content="mine")])

    made = attempt(factory, Case("a", said="x", mentions=["mine"]), world=Laid)
    assert (made.verdict.sentences, made.transcript.reply) == ([], "mine")
