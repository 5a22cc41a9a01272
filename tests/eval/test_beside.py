"""Tools that the agent's own code calls, and agents that it starts on threads of its own, are seen, stubbed and forbidden too."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from brute import Env, Tool
from brute.calling import dispatched
from brute.errors import TurnStopped
from brute.eval import Budget, Case, call, when
from brute.eval.claims import claimed, turn_of
from brute.eval.foreign import Turn
from brute.eval.threads import followed
from brute.hooks import Watch, watching
from tests.support.agents import Live, asks, attempt, build, makes, report, tool


class Prefetch:
    """A layer that calls a tool by itself, before the model is asked."""

    def __init__(self, app: Any, wanted: Tool) -> None:
        self.app = app
        self.wanted = wanted

    async def __call__(self, env: Env) -> None:
        """Call it."""
        env.metadata["found"] = await self.wanted.call({"query": "x"})
        await self.app(env)


def prefetches(live: Live) -> Callable[[], Any]:
    """Agents with such a layer."""

    async def factory() -> Any:
        import brute
        from brute.middleware import ToolLoop, Tools
        from brute.testing import Script

        stack = brute.agent().use(ToolLoop).use(Tools, [live.tool])
        return stack.use(Prefetch, live.tool).run(Script(["done"]))

    return factory


class TestAToolThatTheAgentsOwnCodeCalls:
    """It is a call like any other, but that no model asked for it."""

    def test_it_is_seen(self) -> None:
        """By name, with its arguments and result."""
        live = Live()
        made = attempt(prefetches(live))
        (call,) = made.transcript.calls
        assert (call.name, call.arguments, call.result, call.outcome) == ("search", {"query": "x"}, "live", "ran")
        assert live.ran == [{"query": "x"}]

    def test_it_is_stubbed(self) -> None:
        """The real one does not run."""
        live = Live()
        made = attempt(prefetches(live), Case("a", said="x", stubs={"search": "stub"}))
        (call,) = made.transcript.calls
        assert (call.result, call.outcome, live.ran) == ("stub", "stubbed", [])

    def test_it_is_forbidden(self) -> None:
        """By `never`."""
        made = attempt(prefetches(Live()), Case("a", said="x", never=["search"]))
        assert made.verdict.sentences == ['called search, which this case forbids (call 1 of 1: {"query": "x"})']

    def test_it_is_refused_where_it_has_no_stub(self) -> None:
        """With `unstubbed="refuse"` nothing runs."""
        live = Live()
        made = attempt(prefetches(live), unstubbed="refuse")
        assert (made.status, made.verdict.failures[0].kind, live.ran) == ("error", "error.unstubbed", [])

    def test_it_counts(self) -> None:
        """Against the budget."""
        live = Live()
        made = attempt(prefetches(live), Case("a", said="x", budget=Budget(tool_calls=0)))
        assert (made.verdict.failures[0].kind, live.ran) == ("budget.tool_calls", [])

    def test_a_tool_inside_a_tool(self) -> None:
        """Of which only the outer one was asked for by the model."""
        live = Live()

        async def digest() -> str:
            return f"digest of {await live.tool.call({'query': 'inner'})}"

        made = attempt(makes(asks("digest"), "done", tools=[tool(digest)]), Case("a", said="x", stubs={}))
        assert [(call.name, call.result) for call in made.transcript.calls] == [
            ("digest", "digest of live"),
            ("search", "live"),
        ]

    def test_a_tool_that_calls_itself(self) -> None:
        """Each time is a call."""
        depth = 0

        async def again() -> str:
            nonlocal depth
            depth += 1
            return await made_of.call({}) if depth < 3 else "bottom"

        made_of = tool(again)
        made = attempt(makes(asks("again"), "done", tools=[made_of]))
        assert [call.result for call in made.transcript.calls] == ["bottom"] * 3

    def test_what_it_raises_is_the_agents_own_to_handle(self) -> None:
        """As it is where no eval looks on."""

        async def breaks(query: str) -> str:
            raise LookupError("no such thing")

        live = Live()
        live.tool = tool(breaks)
        made = attempt(prefetches(live))
        assert made.verdict.failures[0].message.startswith("the turn raised LookupError: no such thing")
        assert made.transcript.calls[0].outcome == "failed"

    def test_a_stub_may_call_the_real_tool(self) -> None:
        """It is the case's own code, which knows what it does."""
        live = Live()

        async def passes(query: str) -> Any:
            return await live.tool.call({"query": f"{query} for real"})

        made = attempt(
            makes(asks(("search", {"query": "q"})), "done", tools=[live.tool]),
            Case("a", said="x", stubs={"search": passes}),
        )
        assert made.passed
        assert (live.ran, len(made.transcript.calls)) == ([{"query": "q for real"}], 1)

    def test_outside_of_an_eval_nothing_is_different(self) -> None:
        """Nobody watches."""
        import anyio

        live = Live()
        assert anyio.run(live.tool.call, {"query": "x"}) == "live"
        assert dispatched.get() is None


def on_a_pool(work: Callable[[], Any]) -> Any:
    """What it answers on a thread of a pool."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def on_a_mapping_pool(work: Callable[[], Any]) -> Any:
    """What it answers on a thread of a pool that maps."""
    with ThreadPoolExecutor(2) as pool:
        return next(iter(pool.map(lambda _: work(), range(1))))


def on_a_thread(work: Callable[[], Any]) -> Any:
    """What it answers on a thread of its own."""
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(work()))
    thread.start()
    thread.join()
    return answers[0]


class OnASubclass(threading.Thread):
    """A thread with a `run` of its own."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__()
        self.work = work
        self.answer: Any = None

    def run(self) -> None:
        """Do it."""
        self.answer = self.work()


def on_a_subclass(work: Callable[[], Any]) -> Any:
    """What it answers there."""
    thread = OnASubclass(work)
    thread.start()
    thread.join()
    return thread.answer


WAYS = [on_a_pool, on_a_mapping_pool, on_a_thread, on_a_subclass]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
class TestAnAgentOnAThreadOfTheAgentsOwn:
    """It is an inner agent as one beside it is."""

    def _made(self, way: Callable[[Callable[[], Any]], Any], live: Live) -> Callable[[], Any]:
        def inner() -> Any:
            return build([asks(("search", {"query": "q"})), "inner done"], [live.tool]).start("inner").reply

        def research() -> str:
            return str(way(inner))

        return makes(asks("research"), "done", tools=[tool(research)])

    def test_it_is_seen(self, way: Any) -> None:
        """Its model calls count, too."""
        live = Live()
        told = report(self._made(way, live), [Case("a", said="x")])
        transcript = told.attempts[0].transcript
        assert [(call.name, call.agent) for call in transcript.calls] == [
            ("research", None),
            ("search", "inner agent"),
        ]
        assert transcript.iterations == 4
        assert len(live.ran) == 1

    def test_it_is_forbidden(self, way: Any) -> None:
        """A call there is a call."""
        told = report(self._made(way, Live()), [Case("a", said="x", never=["search"])])
        assert told.attempts[0].verdict.failures[0].kind == "call.forbidden"

    def test_it_runs_nothing_that_has_no_stub(self, way: Any) -> None:
        """With `unstubbed="refuse"`."""
        live = Live()
        told = report(self._made(way, live), [Case("a", said="x", stubs={}, never=[])], unstubbed="refuse")
        assert (told.attempts[0].status, live.ran) == ("error", [])


def test_what_runs_on_a_thread_after_the_turn_comes_to_no_real_tool() -> None:
    """It is held until the attempt is over."""
    live, go, over = Live(), threading.Event(), threading.Event()

    def later() -> None:
        go.wait(10)
        try:
            build([asks(("search", {"query": "q"})), "inner done"], [live.tool]).start("inner")
        except TurnStopped:
            over.set()

    async def starts() -> str:
        threading.Thread(target=later).start()
        return "started"

    told = report(makes(asks("starts"), "done", tools=[tool(starts)]), [Case("a", said="x")])
    go.set()
    assert over.wait(10)
    assert (told.passed, live.ran) == (True, [])


def test_a_pool_of_everyones_belongs_to_each_turn_in_turn() -> None:
    """And to nobody afterwards."""
    with ThreadPoolExecutor(1) as pool, followed():
        one, other = Watch(), Watch()
        seen = []
        for watch in (one, other, None):
            token = watching.set(watch)
            seen.append(pool.submit(watching.get).result())
            watching.reset(token)
    assert seen == [one, other, None]


@pytest.mark.parametrize("pooled", [False, True], ids=["thread", "pool"])
def test_a_thread_of_a_stub_is_in_no_turn_either(pooled: bool) -> None:
    """A stub may run the real tool wherever it likes: it is the case's own code."""
    thing, turn = object(), Turn(Watch())

    def stub(query: str = "") -> str:
        if pooled:
            with ThreadPoolExecutor(1) as pool:
                return repr(pool.submit(turn_of, thing, "search").result())
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append(turn_of(thing, "search")))
        thread.start()
        thread.join()
        return repr(found)

    live = Live()
    make = makes(asks("search"), "done", tools=[live.tool])
    with claimed(turn, [thing]):
        told = report(make, [Case("a", said="x", stubs={"search": stub})])
    (made,) = told.attempts
    assert (made.status, made.transcript.calls[0].result) == ("passed", "None" if pooled else "[None]")
    assert turn.stop is None


def test_threads_are_let_go_of_when_the_run_ends() -> None:
    """All is as it was, also where runs overlap."""
    before = threading.Thread.start, ThreadPoolExecutor.submit
    with followed():
        with followed():
            assert threading.Thread.start is not before[0]
        assert ThreadPoolExecutor.submit is not before[1]
    assert (threading.Thread.start, ThreadPoolExecutor.submit) == before


def test_somebody_elses_wrapper_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that wraps ours in the meantime is not undone."""
    before = threading.Thread.start
    with followed():
        ours = threading.Thread.start

        def theirs(thread: threading.Thread) -> None:
            ours(thread)

        monkeypatch.setattr(threading.Thread, "start", theirs)
    assert threading.Thread.start is theirs
    seen = []
    watch = Watch()
    with followed():  # another run, with theirs around the first one's: OpenTelemetry's stays for good
        token = watching.set(watch)
        thread = threading.Thread(target=lambda: seen.append(watching.get()))
        thread.start()
        watching.reset(token)
        thread.join()
    assert threading.Thread.start is theirs
    assert (seen, "run" in vars(thread)) == ([watch], False)
    monkeypatch.undo()
    threading.Thread.start = before  # type: ignore[method-assign]


def test_two_inner_agents_of_which_one_is_down() -> None:
    """What the other one said does not make it good, unless it was asked the same."""

    def down(env: Env) -> str:
        raise ConnectionError("refused")

    def made(first: str, second: str) -> Any:
        async def research() -> str:
            try:
                await build(down).astart(first)
            except ConnectionError:
                pass
            return str((await build(["nothing"]).astart(second)).reply)

        return attempt(makes(asks("research"), "No results found.", tools=[tool(research)]), Case("a", said="x"))

    assert made("look here", "look there").status == "error"
    assert made("look here", "look here").status == "passed"


class Own(Tool):
    """A tool with a way of its own to be called."""

    async def call(self, arguments: Any) -> Any:
        """Note it, and answer."""
        self.function(own=True)
        return "own"


class Above(Tool):
    """One that asks the way of all tools, too."""

    async def call(self, arguments: Any) -> Any:
        """Answer what that does."""
        return await super().call(arguments)


class Mixed:
    """A way of being called that stands beside the tool's class."""

    def call(self, arguments: Any) -> Any:
        """Answer without awaiting anything first."""
        return Above.call(self, arguments)  # type: ignore[arg-type]


class Below(Mixed, Above):
    """One that has it of both."""


@pytest.mark.parametrize("kind", [Own, Above, Below])
class TestAToolWhoseClassHasACallOfItsOwn:
    """It is behind the same door, whoever calls it, and is one call."""

    @staticmethod
    def makes(kind: type[Tool], first: str) -> tuple[Callable[[], Any], list[Any]]:
        """Agents that have one, and a tool that calls it."""
        ran: list[Any] = []
        own = kind(name="own", parameters={}, function=lambda **given: ran.append(given))

        async def direct() -> str:
            return str(await own.call({}))

        return makes(asks(first), asks(first), "done", tools=[own, tool(direct)]), ran

    @pytest.mark.parametrize("first", ["own", "direct"])
    def test_it_is_seen_once_each_time(self, kind: type[Tool], first: str) -> None:
        """And runs as it does elsewhere."""
        make, ran = self.makes(kind, first)
        made = attempt(make, Case("a", said="x", calls={"own": call(times=2)}))
        assert (made.verdict.sentences, len(ran)) == ([], 2)
        assert attempt(make, Case("a", said="x", never=["own"])).status == "failed"

    @pytest.mark.parametrize("first", ["own", "direct"])
    def test_it_is_stubbed_and_refused(self, kind: type[Tool], first: str) -> None:
        """It does not run."""
        make, ran = self.makes(kind, first)
        assert attempt(make, Case("a", said="x", stubs={"own": "S"}, calls={"own": call(times=2)})).passed
        stubs = {"direct": when().passes_through()}
        made = attempt(make, Case("a", said="x", stubs=stubs), unstubbed="refuse")
        assert ([failure.kind for failure in made.verdict.failures], ran) == (["error.unstubbed"], [])


class TestAToolThatASubscriberPutsInThePlaceOfAnother:
    """It is a call of its own, by its own name."""

    @staticmethod
    def makes(live: Live, event: str) -> Callable[[], Any]:
        """Agents with a subscriber that does so."""
        return makes(
            asks("other"), "done", tools=[live.tool, Live("other").tool], on={event: lambda each: each.swap(live.tool)}
        )

    @pytest.mark.parametrize("event", ["before_tool", "approve_tool"])
    def test_it_is_stubbed_and_forbidden(self, event: str) -> None:
        """As if the agent's code had called it."""
        live = Live("rm")
        make = self.makes(live, event)
        assert attempt(make, Case("a", said="x", stubs={"rm": "S"})).transcript.names == ["other", "rm"]
        assert live.ran == []
        made = attempt(make, Case("a", said="x", never=["rm"]))
        assert [failure.kind for failure in made.verdict.failures] == ["call.forbidden"]
        assert live.ran == [{}]
        made = attempt(make, Case("a", said="x", stubs={"other": when().passes_through()}), unstubbed="refuse")
        assert (made.status, live.ran) == ("error", [{}])
