"""A stub is served in the tool's stead, whatever it is, and is never silently live."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import anyio
import pytest

import brute
from brute import Message, Tool, ToolCall, UsageError
from brute.env import Env
from brute.eval import Budget, Case, World, in_turn, when
from brute.eval.stubs import Stubs
from brute.hooks import Registry, ToolEvent
from brute.tools import BadArguments
from tests.support.agents import Live, asks, attempt, attempts, build, makes, tool


def stubbed(stub: Any, *replies: Any, world: Any = None, **more: Any) -> tuple[Any, Live]:
    """One attempt by an agent that calls `search`, which has the stub, and the live tool."""
    live = Live()
    made = attempt(
        makes(*(replies or (asks("search"), "done")), tools=[live.tool]),
        Case("a", said="x", stubs={"search": stub}, **more),
        **({} if world is None else {"world": world}),
    )
    return made, live


def told(made: Any) -> list[str]:
    """What the model read of its tools' answers."""
    return [message.content for message in made.transcript.messages if message.role == "tool"]


@pytest.mark.parametrize("stub", [None, False, "", 0, 0.0, [], {}, (), b"", frozenset()], ids=repr)
def test_a_nil_stub_does_not_run_the_tool(stub: Any) -> None:
    """None, False and what else is falsy are answers: seen in the original, a nil stub ran the tool."""
    made, live = stubbed(stub)
    (call,) = made.transcript.calls
    assert (made.status, live.ran, call.outcome, call.result) == ("passed", [], "stubbed", stub)


@pytest.mark.parametrize("stub", [TimeoutError("slow"), TimeoutError], ids=["instance", "class"])
def test_an_exception_as_a_stub_is_the_tools_own(stub: Any) -> None:
    """The model reads the exception as it would the tool's, and the turn goes on."""
    made, live = stubbed(stub)
    (call,) = made.transcript.calls
    assert (made.status, live.ran, call.outcome) == ("passed", [], "stubbed")
    assert told(made)[0].startswith("error: TimeoutError")
    assert call.error is not None
    assert call.error.startswith("TimeoutError")


def test_an_exception_class_that_needs_arguments_is_the_stubs_fault() -> None:
    """A class that can't be raised as it is can't be a stub either."""
    made, live = stubbed(UnicodeDecodeError)
    assert (made.status, made.verdict.failures[0].kind, live.ran) == ("error", "error.stub", [])


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_function_is_called_with_the_arguments_as_keywords(is_async: bool) -> None:
    """A function answers for the tool, be it sync or async."""

    def sync(query: str, limit: int = 3) -> list[Any]:
        return [query, limit]

    async def later(query: str, limit: int = 3) -> list[Any]:
        return [query, limit]

    made, _ = stubbed(later if is_async else sync, asks(("search", {"query": "bank"})), "done")
    assert made.transcript.calls[0].result == ["bank", 3]


def test_a_function_gets_the_arguments_as_the_tool_would() -> None:
    """A typed tool gets its arguments in the types of its signature, and so does its stub."""
    live = []

    @brute.tool
    def search(limit: int, query: str = "all") -> str:
        live.append(limit)
        return "live"

    case = Case("a", said="x", stubs={"search": lambda limit: limit + 1})
    made = attempt(makes(asks(("search", {"limit": "5"})), "done", tools=[search]), case)
    assert (made.transcript.calls[0].result, live) == (6, [])


def test_a_raising_stub_is_not_shown_to_the_model_as_a_tool_error() -> None:
    """A slip in a stub is the case's: seen in the original, the model read it and was graded for it."""

    def stub() -> None:
        raise KeyError("slip")

    made, live = stubbed(stub)
    assert (made.status, live.ran, told(made)) == ("error", [], [])
    assert made.verdict.failures[0].kind == "error.stub"
    assert "raised KeyError: 'slip'" in made.verdict.sentences[0]
    assert "test_stubs.py" in made.verdict.failures[0].detail


@pytest.mark.parametrize("raised", [SystemExit(3), KeyboardInterrupt(), StopIteration(), anyio.EndOfStream()], ids=repr)
def test_whatever_a_stub_raises_is_its_own_fault(raised: BaseException) -> None:
    """An exit in a stub neither ends the run nor blames the agent."""

    def stub() -> None:
        raise raised

    made, live = stubbed(stub)
    assert (made.verdict.failures[0].kind, made.status, live.ran) == ("error.stub", "error", [])


def test_a_raising_stub_counts_although_the_agent_catches_everything() -> None:
    """An agent that swallows the stop goes on without its stub, and what it then says proves nothing."""

    class Swallows:
        def __init__(self, app: Any) -> None:
            self.app = app

        async def __call__(self, env: Any) -> None:
            try:
                await self.app(env)
            except BaseException:
                env.messages.assistant("all is well")

    live = Live()
    case = Case("a", said="x", stubs={"search": lambda: 1 / 0}, mentions=["well"])
    made = attempt(makes(asks("search"), "done", tools=[live.tool], layers=[Swallows]), case)
    assert (made.status, made.verdict.failures[0].kind, live.ran) == ("error", "error.stub", [])


def test_a_function_with_other_parameters_is_the_stubs_fault() -> None:
    """A stub that can't take what the tool takes is an error, not a tool that failed."""
    made, live = stubbed(lambda text: text, asks(("search", {"query": "bank"})), "done")
    assert (made.status, made.verdict.failures[0].kind, live.ran) == ("error", "error.stub", [])
    assert "can't be called with what the tool was asked" in made.verdict.sentences[0]


def test_a_stub_never_makes_a_bad_call_good() -> None:
    """Arguments that the tool's schema refuses are refused with a stub too."""
    live = Live(parameters={"type": "object", "required": ["query"]})
    case = Case("a", said="x", stubs={"search": "canned"})
    made = attempt(makes(asks("search"), asks(("search", "{bad")), "done", tools=[live.tool]), case)
    assert told(made) == ["error: missing query", "error: the arguments are not a JSON object: {bad"]
    assert live.ran == []


def test_what_the_agent_does_to_one_answer_is_not_in_the_next() -> None:
    """A list as a stub is served anew each time: attempts share nothing."""

    def spoil(event: Any) -> None:
        event.result.append("spoilt")

    live = Live()
    make = makes(asks("search"), asks("search"), "done", tools=[live.tool], on={"after_tool": spoil})
    case = Case("a", said="x", stubs={"search": ["fresh"]})
    for made in attempts(make, [case, case]):
        assert [call.result for call in made.transcript.calls] == [["fresh"], ["fresh"]]
        # What the model reads is what the agent made of it.
        assert told(made) == ['["fresh", "spoilt"]', '["fresh", "spoilt"]']


class TestInTurn:
    """Answers for successive calls."""

    def test_each_call_gets_the_next_answer_and_each_attempt_begins_anew(self) -> None:
        """Values, functions and exceptions may stand in a row."""
        live = Live()
        case = Case("a", said="x", stubs={"search": in_turn("one", lambda: "two", ValueError("three"))})
        make = makes(asks("search"), asks("search"), asks("search"), "done", tools=[live.tool])
        for made in attempts(make, [case, case]):
            assert told(made) == ["one", "two", "error: ValueError: three"]

    def test_a_call_too_many_is_an_error(self) -> None:
        """An answer that is missing is not made up, and the tool does not run."""
        made, live = stubbed(in_turn("one"), asks("search"), asks("search"), "done")
        assert (made.status, live.ran) == ("error", [])
        assert made.verdict.sentences == ["the stub for search has 1 answer in turn; call 2 found none left"]

    def test_calls_of_one_batch_are_served_as_asked_whichever_comes_first(self) -> None:
        """The second call of a batch gets the second answer, also where a subscriber holds up the first."""
        second = threading.Event()

        def hold(event: Any) -> None:
            # On a thread of its own: the first call waits for the second.
            if event.index == 0:
                second.wait()
            second.set()

        live = Live()
        make = makes(asks("search", "search"), asks("search"), "done", tools=[live.tool], on={"before_tool": hold})
        made = attempt(make, Case("a", said="x", stubs={"search": in_turn("one", "two", "three")}))
        assert told(made) == ["one", "two", "three"]

    def test_calls_of_the_agents_own_code_are_served_one_after_the_other(self) -> None:
        """A call that no message asks for takes the next answer."""
        stubs = Stubs({"search": in_turn("one", "two")})
        events = [ToolEvent(Env([], Registry()), brute.ToolCall(name="search"), 1, arguments={}) for _ in range(2)]
        for event in events:
            anyio.run(stubs, event)
        assert [event.result for event in events] == ["one", "two"]

    @pytest.mark.parametrize("answers", [(), (in_turn("a"),)], ids=["none", "nested"])
    def test_what_could_not_be_meant_is_refused(self, answers: tuple[Any, ...]) -> None:
        """No answers, and turns within turns."""
        with pytest.raises(UsageError, match="in_turn"):
            in_turn(*answers)


class TestTheAgentsOwnSubscribers:
    """The agent's hooks are part of the agent that ships: they come before the stubs."""

    def test_one_that_answers_first_is_heard(self) -> None:
        """A cache of the agent's answers, and neither stub nor tool is asked."""
        live = Live()
        make = makes(
            asks("search"), "done", tools=[live.tool], on={"before_tool": lambda event: event.answer("cached")}
        )
        made = attempt(make, Case("a", said="x", stubs={"search": "canned"}))
        assert (told(made), live.ran, made.status) == (["cached"], [], "passed")

    def test_one_that_denies_first_is_heard(self) -> None:
        """A denied call is not served, and is in the transcript as denied."""
        live = Live()
        make = makes(asks("search"), "done", tools=[live.tool], on={"before_tool": lambda event: event.deny("no")})
        made = attempt(make, Case("a", said="x", stubs={"search": "canned"}))
        (call,) = made.transcript.calls
        assert (told(made), call.outcome, call.executed, live.ran) == (["denied: no"], "denied", None, [])

    def test_an_approval_policy_is_asked_for_stubbed_calls_too(self) -> None:
        """Seen in the original: approval was never exercised under eval, though the agent that ships has it."""
        live = Live()
        make = makes(
            asks("search"), "done", tools=[live.tool], on={"approve_tool": lambda event: event.deny("not you")}
        )
        made = attempt(make, Case("a", said="x", stubs={"search": "canned"}, calls={"search": None}))
        assert (told(made), made.transcript.calls[0].outcome, live.ran) == (["denied: not you"], "denied", [])

    def test_rewritten_arguments_reach_the_stub_and_the_asked_for_ones_are_kept(self) -> None:
        """The transcript holds both sides of a rewrite, nested values included."""

        def rewrite(event: Any) -> None:
            event.arguments["filter"]["year"] = 2026

        live = Live()
        asked = asks(("search", {"filter": {"year": 1999}}))
        make = makes(asked, "done", tools=[live.tool], on={"before_tool": rewrite})
        made = attempt(make, Case("a", said="x", stubs={"search": lambda **asked: asked["filter"]}))
        (call,) = made.transcript.calls
        assert (call.arguments, call.executed) == ({"filter": {"year": 1999}}, {"filter": {"year": 2026}})
        assert call.result == {"year": 2026}


class TestTheGuard:
    """The last to be asked before a tool runs."""

    def test_stale_event_names_stub_nothing_and_still_no_real_tool_runs(self) -> None:
        """Seen in the original: a world written for event names that had gone stubbed nothing, and real tools ran."""

        class Stale(World):
            def stub(self, agent: Any, stubs: Any) -> None:
                agent.on("tool_start", Stubs(stubs))

        live = Live()
        make = makes(asks("search"), "done", tools=[live.tool])
        made = attempt(make, Case("a", said="x", stubs={"search": "canned"}), world=Stale)
        assert (made.status, live.ran) == ("error", [])
        assert made.verdict.sentences[0].startswith('the world broke in stub: UsageError: no event "tool_start"')

    def test_a_world_that_forgets_to_stub_never_lets_the_tool_run(self) -> None:
        """An override of `stub` that does nothing is an error at the first call."""

        class Forgetful(World):
            def stub(self, agent: Any, stubs: Any) -> None:
                pass

        live = Live()
        make = makes(asks("search"), "done", tools=[live.tool])
        made = attempt(make, Case("a", said="x", stubs={"search": "canned"}), world=Forgetful)
        assert (made.status, made.verdict.failures[0].kind, live.ran) == ("error", "error.stub", [])

    def test_a_stub_for_no_tool_is_an_error_before_anything_is_spent(self) -> None:
        """It names the nearest tool."""
        live = Live()
        made = attempt(makes("done", tools=[live.tool]), Case("a", said="x", stubs={"serch": "canned"}))
        assert (made.status, made.verdict.failures[0].kind, made.transcript.iterations) == ("error", "error.stub", 0)
        assert '(did you mean "search"?)' in made.verdict.sentences[0]

    def test_refuse_stops_at_a_call_without_a_stub(self) -> None:
        """An error that names the tool, which did not run."""
        live, other = Live(), Live("read")
        make = makes(asks("search", "read"), "done", tools=[live.tool, other.tool])
        made = attempt(make, Case("a", said="x", stubs={"search": "canned"}), unstubbed="refuse")
        assert (made.status, made.verdict.failures[0].kind, other.ran) == ("error", "error.unstubbed", [])
        assert "read" in made.verdict.sentences[0]

    def test_refuse_leaves_a_forbidden_call_a_failure(self) -> None:
        """What the case forbids was done, whether or not it would have been let through."""
        live = Live()
        make = makes(asks("search"), "done", tools=[live.tool])
        made = attempt(make, Case("a", said="x", never=["search"]), unstubbed="refuse")
        assert (made.status, live.ran) == ("failed", [])
        assert [failure.kind for failure in made.verdict.failures] == ["error.unstubbed", "call.forbidden"]

    def test_refuse_lets_a_name_that_is_no_tool_pass(self) -> None:
        """Nothing would run: the model is told, and goes on."""
        made = attempt(makes(asks("serch"), "done", tools=[Live().tool]), unstubbed="refuse")
        assert made.status == "passed"

    def test_refuse_lets_a_call_pass_that_the_agent_answers_itself(self) -> None:
        """No tool runs there either."""
        live = Live()
        make = makes(
            asks("search"), "done", tools=[live.tool], on={"before_tool": lambda event: event.answer("cached")}
        )
        assert (attempt(make, unstubbed="refuse").status, live.ran) == ("passed", [])

    def test_no_call_of_a_batch_runs_where_the_batch_breaks_the_budget(self) -> None:
        """A budget of no tool calls is spent by asking."""
        live = Live()
        make = makes(asks("search", "search"), "done", tools=[live.tool])
        made = attempt(make, Case("a", said="x", budget=Budget(tool_calls=0)))
        assert (made.status, live.ran, made.verdict.sentences) == ("failed", [], ["spent 2 tool calls, budget 0"])


@pytest.mark.parametrize(
    ("arguments", "told_to_the_model"),
    [
        ({"query": 3}, "error: query must be of type string, got 3"),
        ({"query": "x", "page": 2}, "error: got an unexpected keyword argument 'page'"),
    ],
)
def test_a_stub_never_makes_a_bad_call_good_where_the_schema_was_written_by_hand(
    arguments: dict[str, Any], told_to_the_model: str
) -> None:
    """The schema that was given refuses, and so does the function's own signature."""

    async def search(query: str) -> str:
        return query

    schema = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    by_hand = Tool(name="search", parameters=schema, function=search)
    asked = Message(role="assistant", tool_calls=(ToolCall(id="1", name="search", arguments=arguments),))
    for stubs in ({}, {"search": "canned"}):
        assert told(attempt(makes(asked, "done", tools=[by_hand]), Case("a", said="x", stubs=stubs))) == [
            told_to_the_model
        ]


class TestWhereTheyAreInstalled:
    """What need not be waited for is answered in the step of its event, and is answered just as all else."""

    @staticmethod
    def installed(stubs: dict[str, Any]) -> dict[str, Any]:
        """How these stubs ask to be called."""
        asked: dict[str, Any] = {}

        class Agent:
            def on(self, event: str, subscriber: Any, *, inline: bool = False) -> None:
                asked.update(event=event, subscriber=subscriber, inline=inline)

            def on_all(self) -> None: ...

        Stubs(stubs).install(Agent())
        return asked

    @pytest.mark.parametrize("stub", ["text", None, {"a": [1]}, TimeoutError("slow")], ids=repr)
    def test_values_are_served_in_place(self, stub: Any) -> None:
        """Nothing of theirs can wait."""
        asked = self.installed({"search": stub, "mail_*": "sent"})
        assert (asked["event"], asked["inline"]) == ("before_tool", True)

    @pytest.mark.parametrize(
        "stub",
        [lambda: "x", TimeoutError, in_turn("x"), when(query="x").returns("y"), [when().returns("y")]],
        ids=["function", "class", "turns", "rule", "rules"],
    )
    def test_one_that_may_wait_is_awaited(self, stub: Any) -> None:
        """A function, several answers, a rule: one of them is enough."""
        assert self.installed({"search": "text", "fetch": stub})["inline"] is False

    def test_a_list_is_each_calls_own(self) -> None:
        """What the agent does to one answer is not in the next."""
        kept: dict[str, Any] = {"search": [1]}
        asked = self.installed(kept)
        events = [ToolEvent(Env([], Registry()), ToolCall(name="search"), 1, arguments={}) for _ in range(2)]
        for event in events:
            asked["subscriber"](event)
            event.result.append(2)
        assert ([event.result for event in events], kept["search"]) == ([[1, 2], [1, 2]], [1])

    def test_one_that_was_answered_or_denied_is_left_alone(self) -> None:
        """Somebody was first."""
        subscriber = self.installed({"search": "stub"})["subscriber"]
        answered, denied = (ToolEvent(Env([], Registry()), ToolCall(name="search"), 1, arguments={}) for _ in range(2))
        answered.answer(None)
        denied.deny("no")
        for event in (answered, denied):
            subscriber(event)
        assert (answered.result, denied.answered) == (None, False)

    def test_what_a_world_puts_around_the_agent_may_await_it(self) -> None:
        """It need not know that some are called in place, and passes on what it was given."""

        class Around:
            def __init__(self, agent: Any) -> None:
                self.agent = agent

            def on(self, event: str, subscriber: Any) -> None:
                async def late(payload: Any) -> None:
                    await anyio.lowlevel.checkpoint()
                    await subscriber(payload)

                self.agent.on(event, late)

        class Wrapping(World):
            def stub(self, agent: Any, stubs: Any) -> None:
                super().stub(Around(agent), stubs)

        made, live = stubbed("canned", world=Wrapping)
        assert (made.status, live.ran, told(made)) == ("passed", [], ["canned"])


def test_a_call_whose_arguments_were_refused_is_freed_at_once() -> None:
    """The exception that refuses them holds nothing that holds it."""
    event = ToolEvent(
        Env([], Registry(), None), ToolCall(name="search"), 1, tool=Tool(name="search", function=lambda text: text)
    )
    event.arguments = {}
    gone = weakref.ref(event)
    gc.collect()
    gc.disable()
    try:
        Stubs({"search": "canned"}).at_once(event)
        assert isinstance(event.error, BadArguments)
        del event
        assert gone() is None
    finally:
        gc.enable()


def test_what_refused_the_arguments_is_told_with_what_it_came_of() -> None:
    """An adapter may have to raise that, as the framework would."""
    cause = TypeError("text is missing")

    class Strict(Tool, watched=False):
        def validated(self, arguments: Any) -> dict[str, Any]:
            raise BadArguments("text is missing") from cause

    tool = Strict(name="search", function=lambda text: text)
    event = ToolEvent(Env([], Registry()), ToolCall(name="search"), 1, tool=tool, arguments={})
    Stubs({"search": "canned"}).at_once(event)
    assert event.error is not None
    assert (event.error.__cause__, event.error.__traceback__) == (cause, None)


def test_stubs_that_answer_in_turn_are_freed_at_once() -> None:
    """How far each has come holds nothing that holds it."""
    stubs = Stubs({"search": in_turn("one")})
    gone = weakref.ref(stubs)
    event = ToolEvent(Env([], Registry(), None), ToolCall(name="search"), 1, arguments={})
    gc.collect()
    gc.disable()
    try:
        anyio.run(stubs, event)
        assert event.result == "one"
        del stubs
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "stub",
    ["canned", lambda **named: "canned", in_turn("canned"), when().returns("canned")],
    ids=["value", "function", "turns", "rule"],
)
def test_a_tool_that_the_agent_which_asks_does_not_have_is_not_served(stub: Any) -> None:
    """Another agent of the turn may have it, or a pattern mean it: the model is told what it would be told."""
    live = Live()

    async def ask() -> str:
        inner = await build([asks("search"), "done"]).astart("x")
        return str(inner.messages[-2].content)

    made = attempt(
        makes(asks("ask"), "done", tools=[tool(ask), live.tool]), Case("a", said="x", stubs={"search": stub})
    )
    assert (told(made), live.ran) == (['error: there is no tool "search"; tools are none'], [])
    made = attempt(makes(asks("searching"), "done", tools=[live.tool]), Case("a", said="x", stubs={"search*": stub}))
    assert told(made) == ['error: there is no tool "searching" (did you mean "search"?); tools are search']
    assert [call.error for call in made.transcript.calls] == [f"BadArguments: {told(made)[0].removeprefix('error: ')}"]


def test_one_that_the_agents_own_code_puts_in_its_place_is_served() -> None:
    """A hook that makes up for a name that the model got wrong has the last word on which tool it is."""
    live = Live()

    def factory() -> Any:
        def mend(event: ToolEvent) -> None:
            event.swap(live.tool)

        agent = build([asks("searching"), "done"], [live.tool])
        agent.on("before_tool", mend)
        return agent

    made = attempt(factory, Case("a", said="x", stubs={"search*": "canned"}))
    assert (told(made), live.ran) == (["canned"], [])
