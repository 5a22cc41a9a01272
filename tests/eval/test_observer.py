"""The observer sees what a turn did, as the model asked for it, and stops it where its budget is spent."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import anyio
import pytest

import brute
from brute import Message, ModelError, ToolCall, Usage
from brute.errors import HookError, TurnStopped
from brute.eval import Budget, Case
from brute.eval.copying import DEEPEST, copied
from brute.eval.observer import Observer
from brute.eval.transcript import Transcript
from brute.middleware import ToolLoop, Tools
from brute.testing import Script
from tests.support.agents import Clock, Live, asks, attempt, build, makes, speaks, tool


def test_calls_keep_the_order_asked_for_whichever_finishes_first() -> None:
    """The first of a batch waits for the second, and still stands first."""
    finished: list[str] = []

    async def go() -> Any:
        second = anyio.Event()

        async def slow() -> str:
            await second.wait()
            finished.append("slow")
            return "slow"

        async def quick() -> str:
            finished.append("quick")
            second.set()
            return "quick"

        return build([asks("slow", "quick"), asks("quick"), "done"], tools=[tool(slow), tool(quick)])

    made = attempt(go)
    assert finished == ["quick", "slow", "quick"]
    assert [(call.name, call.iteration, call.result) for call in made.transcript.calls] == [
        ("slow", 1, "slow"),
        ("quick", 1, "quick"),
        ("quick", 2, "quick"),
    ]


def test_a_tool_that_changes_its_arguments_in_place_changes_no_record() -> None:
    """The arguments asked for and executed are copies."""

    def delete(ids: list[int]) -> None:
        ids.clear()

    made = attempt(makes(asks(("delete", {"ids": [1, 2]})), "done", tools=[tool(delete)]))
    (call,) = made.transcript.calls
    assert (call.arguments, call.executed) == ({"ids": [1, 2]}, {"ids": [1, 2]})


def test_arguments_nested_without_end_do_not_break_the_copy() -> None:
    """Beyond a depth that no tool has, the value itself is kept."""
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    made = copied({"deep": deep})
    assert made is not None
    for _ in range(DEEPEST + 1):
        made = made["deep"] if isinstance(made, dict) else made[0]
    assert made[0] is not None
    assert copied(None) is None


def test_malformed_arguments_are_a_fact_of_the_call() -> None:
    """They are kept as text, and the tool does not run."""
    live = Live()
    made = attempt(makes(asks(("search", '{"query": ')), "done", tools=[live.tool]))
    (call,) = made.transcript.calls
    assert (call.arguments, call.malformed, call.outcome, live.ran) == (None, '{"query": ', "failed", [])


def test_every_try_is_kept_with_how_it_ended() -> None:
    """A call that raised, one that was denied, and one that ran are three calls."""
    tries: list[int] = []

    def flaky() -> str:
        tries.append(1)
        if len(tries) == 1:
            raise OSError("down")
        return "up"

    def deny_second(event: Any) -> None:
        if event.iteration == 2:
            event.deny("wait")

    make = makes(*[asks("flaky")] * 3, "done", tools=[tool(flaky)], on={"before_tool": deny_second})
    calls = attempt(make).transcript.calls
    assert [(call.outcome, call.error) for call in calls] == [
        ("failed", "OSError: down"),
        ("denied", "wait"),
        ("ran", None),
    ]


def test_a_call_by_the_agents_own_code_is_seen_and_counts() -> None:
    """A layer that dispatches by itself asks through the hooks too, and spends the budget."""

    class Dispatches:
        def __init__(self, app: Any) -> None:
            self.app = app

        async def __call__(self, env: Any) -> None:
            from brute.calling import called
            from brute.hooks import ToolEvent

            event = ToolEvent(env, ToolCall(name="search"), env.iteration, tool=live.tool, arguments={})
            await called(event, env.hooks, ["search"])
            await self.app(env)

    live = Live()
    make = makes("done", tools=[live.tool], layers=[Dispatches])
    assert [call.outcome for call in attempt(make).transcript.calls] == ["ran"]
    made = attempt(make, Case("a", said="x", budget=Budget(tool_calls=0)))
    assert (made.status, made.verdict.sentences, len(live.ran)) == ("failed", ["spent 1 tool call, budget 0"], 1)


def test_an_agent_that_starts_itself_again_in_a_tool_mixes_up_no_calls() -> None:
    """The inner turn has calls of the same iteration and place as the outer, and each keeps its own end."""

    async def factory() -> brute.Agent:
        async def outer() -> str:
            await made.astart("inner")
            return "outer done"

        async def inner() -> str:
            return "inner done"

        replies = [asks("outer"), asks("inner"), "inner reply", "outer reply"]
        made = build(replies, tools=[tool(outer), tool(inner)])
        return made

    transcript = attempt(factory).transcript
    assert [(call.name, call.outcome, call.result) for call in transcript.calls] == [
        ("outer", "ran", "outer done"),
        ("inner", "ran", "inner done"),
    ]
    assert (transcript.reply, transcript.iterations) == ("outer reply", 4)


def test_an_agent_inside_a_tool_is_seen_too() -> None:
    """Its model calls and its tool calls are the turn's doing, and are told apart; its conversation is its own."""
    live = Live()

    async def ask() -> str:
        return (await build([asks("search"), "sub"], tools=[live.tool]).astart("hi")).reply

    transcript = attempt(makes(asks("ask"), "done", tools=[tool(ask)])).transcript
    assert [(call.name, call.agent, call.result) for call in transcript.calls] == [
        ("ask", None, "sub"),
        ("search", "inner agent", "live"),
    ]
    assert (transcript.iterations, transcript.reply, len(live.ran)) == (4, "done", 1)


def test_an_inner_agents_tools_are_stubbed_and_forbidden_as_the_agents_own() -> None:
    """What a case forbids, and what it stubs, holds for the whole turn."""
    live = Live()

    async def ask() -> str:
        return (await build([asks("search"), "sub"], tools=[live.tool]).astart("hi")).reply

    make = makes(asks("ask"), "done", tools=[tool(ask), live.tool])
    stubbed = attempt(make, Case("a", said="x", stubs={"search": "canned"}))
    assert ([call.outcome for call in stubbed.transcript.calls], live.ran) == (["ran", "stubbed"], [])
    forbidden = attempt(make, Case("a", said="x", never=["search"], stubs={"search": "canned"}))
    assert forbidden.verdict.sentences == ["called search, which this case forbids (call 2 of 2: {})"]


def test_a_layer_that_starts_another_agent_spends_the_turns_budget() -> None:
    """A router that hands the conversation on hides nothing of what comes of it."""
    live = Live()

    class Routes:
        def __init__(self, app: Any) -> None:
            self.app = app

        async def __call__(self, env: Any) -> None:
            inner = build([asks("search"), "4.25"], tools=[live.tool])
            env.messages[:] = (await inner.astart(list(env.messages))).messages

    made = attempt(makes(layers=[Routes]), Case("a", said="x", mentions=["4.25"], budget=Budget(tool_calls=0)))
    assert (made.verdict.sentences, live.ran) == (["spent 1 tool call, budget 0"], [])


def test_a_model_that_is_down_behind_a_tool_is_no_absence() -> None:
    """The agent may take the tool's error for "there is nothing"; nobody can tell what it would have found."""

    async def ask() -> str:
        raise ModelError("529 overloaded")

    case = Case("a", said="x", absent=True)
    made = attempt(makes(asks("ask"), "I found no results.", tools=[tool(ask)]), case)
    assert (made.status, made.verdict.sentences) == ("error", ["the model call failed: 529 overloaded"])
    asked: list[int] = []

    async def again() -> str:
        asked.append(1)
        if len(asked) == 1:
            raise ModelError("529 overloaded")
        return "nothing"

    recovers = makes(asks("again"), asks("again"), "I found no results.", tools=[tool(again)])
    assert attempt(recovers, case).status == "passed"


class Dispatches:
    """A layer that runs tools by itself, without the hooks."""

    def __init__(self, app: Any, tools: Any) -> None:
        self.app = app
        self.tools = {each.name: each for each in tools}

    @staticmethod
    def declares_tools(tools: Any) -> Any:
        return tools

    async def __call__(self, env: Any) -> None:
        await self.app(env)
        for call in env.messages[-1].tool_calls:
            env.messages.tool(await self.tools[call.name].function(**call.parsed()), call.id)


@pytest.mark.parametrize("id", ["1", ""])
def test_a_tool_that_runs_outside_the_hooks_is_an_error_where_it_must_not_run(id: str) -> None:
    """A stub that could not be served never passes for one that was; without a stub the call counts as ran."""
    live = Live()
    call = Message(role="assistant", tool_calls=(ToolCall(id=id, name="search"),))

    def make() -> brute.Agent:
        return brute.agent().use(ToolLoop).use(Dispatches, [live.tool]).run(Script([call, "done"]))

    made = attempt(make, Case("a", said="x", stubs={"search": "canned"}))
    sentence = "search was answered outside the agent's hooks, where no stub can be served"
    assert (made.status, made.verdict.sentences) == ("error", [sentence])
    made = attempt(make, Case("a", said="x"))
    assert (made.status, [call.outcome for call in made.transcript.calls]) == ("passed", ["ran"])
    assert attempt(make, Case("a", said="x"), unstubbed="refuse").verdict.sentences == [sentence]


class Calls(Dispatches):
    """A layer that runs tools by itself, through the tools."""

    async def __call__(self, env: Any) -> None:
        await self.app(env)
        for call in env.messages[-1].tool_calls:
            env.messages.tool(await self.tools[call.name].call(call.parsed()), call.id)


def test_a_layer_that_calls_the_tools_that_were_asked_for_is_served_as_the_loop_is() -> None:
    """Each call is one call, with its result, and stubs answer it."""
    live = Live()
    call = Message(role="assistant", tool_calls=(ToolCall(id="1", name="search", arguments={"query": "q"}),))

    def make() -> brute.Agent:
        return brute.agent().use(ToolLoop).use(Calls, [live.tool]).run(Script([call, "done"]))

    for stubs, result, outcome in (({}, "live", "ran"), ({"search": "canned"}, "canned", "stubbed")):
        made = attempt(make, Case("a", said="x", stubs=stubs))
        assert made.passed
        (seen,) = made.transcript.calls
        assert (seen.id, seen.result, seen.outcome) == ("1", result, outcome)
    assert len(live.ran) == 1
    assert attempt(make, Case("a", said="x"), unstubbed="refuse").verdict.failures[0].kind == "error.unstubbed"


def test_a_completion_that_runs_tools_by_itself_is_seen_through_its_messages() -> None:
    """All the messages that it makes of one model call are read, not only the last."""

    async def loops(env: Any) -> None:
        env.messages.assistant("", [ToolCall(id="1", name="delete")])
        env.messages.tool("deleted", "1")
        env.messages.assistant("4.25")

    made = attempt(speaks(loops), Case("a", said="x", never=["delete"], mentions=["4.25"]))
    assert made.verdict.sentences == ["called delete, which this case forbids (call 1 of 1: {})"]


@pytest.mark.parametrize("raised", [KeyError("id"), HookError("broken")], ids=["error", "hook"])
@pytest.mark.parametrize("event", ["before_llm", "after_llm", "before_tool", "after_tool", "approve_tool"])
def test_a_subscriber_that_raises_is_told_of_although_a_layer_swallows_it(event: str, raised: Exception) -> None:
    """What was not seen because of it can't be graded."""

    class Swallows:
        def __init__(self, app: Any) -> None:
            self.app = app

        async def __call__(self, env: Any) -> None:
            try:
                await self.app(env)
            except Exception:
                env.messages.assistant("sorry: 4.25")

    def trips(event: Any) -> None:
        raise raised

    make = makes(asks("search"), "done", tools=[Live().tool], layers=[Swallows], on={event: trips})
    made = attempt(make, Case("a", said="x", mentions=["4.25"]))
    assert (made.status, [failure.kind for failure in made.verdict.failures]) == ("error", ["error.hook"])
    # Nor is the call that it kept from beginning what is wrong.
    made = attempt(make, Case("a", said="x", stubs={"search": "S"}), unstubbed="refuse")
    assert [failure.kind for failure in made.verdict.failures] == ["error.hook"]


class TestAHookThatWouldRunTheTool:
    """Whatever the agent's own subscribers do with the event, a stubbed tool does not run."""

    @staticmethod
    async def runs(event: Any) -> None:
        event.answer(await event.tool.call(event.arguments))

    @staticmethod
    async def reaches(event: Any) -> None:
        event.answer(event.tool.function(**event.arguments))

    @staticmethod
    def swaps(event: Any) -> None:
        event.tool = None

    @staticmethod
    def renames(event: Any) -> None:
        event.call = ToolCall(name="other")

    @pytest.mark.parametrize(
        ("subscriber", "kind"),
        [("runs", "error.stub"), ("reaches", "error.stub"), ("swaps", "error.hook"), ("renames", "error.hook")],
    )
    def test_it_stops_the_turn(self, subscriber: str, kind: str) -> None:
        """A cache that calls the tool by itself, and one that changes what the event is about."""
        live = Live()
        on = {"before_tool": getattr(self, subscriber)}
        make = makes(asks("search"), "done", tools=[live.tool], on=on)
        made = attempt(make, Case("a", said="x", stubs={"search": "canned"}))
        assert (live.ran, made.status, made.verdict.failures[0].kind) == ([], "error", kind)

    def test_without_a_stub_it_may(self) -> None:
        """The agent under test is the agent that ships: a cache of its own runs as it does there."""
        live = Live()
        make = makes(asks("search"), "done", tools=[live.tool], on={"before_tool": self.runs})
        assert (attempt(make).status, len(live.ran)) == ("passed", 1)

    def test_an_answer_taken_back_runs_nothing(self) -> None:
        """Whoever takes the stub's answer away gets no tool instead."""
        live = Live()

        class Late:
            def __init__(self, app: Any) -> None:
                self.app = app

            async def __call__(self, env: Any) -> None:
                def forget(event: Any) -> None:
                    event.result = brute.hooks.UNSET

                if env.iteration == 1:
                    env.hooks.on("approve_tool", forget)
                await self.app(env)

        make = makes(asks("search"), "done", tools=[live.tool], layers=[Late])
        made = attempt(make, Case("a", said="x", stubs={"search": "canned"}))
        assert (live.ran, made.status) == ([], "error")


def test_the_hooks_of_a_turn_cannot_be_changed() -> None:
    """What happens after that would go unseen."""

    def blinds(event: Any) -> None:
        event.env.hooks = brute.hooks.Registry()

    made = attempt(makes("done", on={"before_turn": blinds}))
    assert (made.status, made.verdict.failures[0].kind) == ("error", "error.hook")


def test_what_was_said_in_an_earlier_turn_is_no_reply() -> None:
    """A conversation that ends on the assistant's words, and a turn that adds none."""

    class Mute:
        def __init__(self, app: Any) -> None:
            self.app = app

        async def __call__(self, env: Any) -> None:
            pass

    earlier = [Message(role="user", content="hi"), Message(role="assistant", content="hello")]
    made = attempt(makes(layers=[Mute]), Case("a", said=None, conversation=earlier, mentions=["hello"]))
    assert (made.status, made.transcript.reply) == ("failed", "")
    assert attempt(makes("done"), Case("a", said=None, conversation=earlier)).transcript.reply == "done"


class TestBudgets:
    """Graded on what was spent, and enforced while the turn runs."""

    def test_iterations_stop_the_turn_before_the_call_too_many(self) -> None:
        """The model is not asked again."""
        asked: list[int] = []

        def model(env: Any) -> Message:
            asked.append(env.iteration)
            return asks("search")

        made = attempt(speaks(model, tools=[Live().tool]), Case("a", said="x", budget=Budget(iterations=2)))
        assert (made.verdict.sentences, asked) == (["spent 3 iterations, budget 2"], [1, 2])

    def test_a_budget_of_no_tool_calls_runs_no_tool_of_a_batch(self) -> None:
        """Asking spends it."""
        live = Live()
        made = attempt(
            makes(asks("search", "search"), tools=[live.tool]), Case("a", said="x", budget=Budget(tool_calls=0))
        )
        assert (made.status, live.ran, len(made.transcript.calls)) == ("failed", [], 2)

    def test_tokens_stop_the_turn(self) -> None:
        """Those of all calls together."""
        replies = [
            asks("search", usage=Usage(input=40, output=20)),
            asks("search", usage=Usage(input=40, output=20)),
            "done",
        ]
        live = Live()
        made = attempt(makes(*replies, tools=[live.tool]), Case("a", said="x", budget=Budget(tokens=100)))
        assert (made.verdict.sentences, len(live.ran)) == (["spent 120 tokens, budget 100"], 1)

    def test_an_agent_that_catches_the_stop_is_stopped_again_and_fails(self) -> None:
        """Swallowing the stop does not mend the budget."""
        asked: list[int] = []

        class Stubborn:
            def __init__(self, app: Any) -> None:
                self.app = app

            async def __call__(self, env: Any) -> None:
                for _ in range(5):
                    try:
                        await self.app(env)
                    except BaseException:
                        pass

        def model(env: Any) -> str:
            asked.append(1)
            return "done"

        made = attempt(speaks(model, layers=[Stubborn]), Case("a", said="x", budget=Budget(iterations=1)))
        assert (made.status, len(asked)) == ("failed", 1)

    def test_a_group_around_the_stop_is_still_the_budget(self) -> None:
        """Task groups of the agent's own wrap the stop in a group."""

        class Grouped:
            def __init__(self, app: Any) -> None:
                self.app = app

            async def __call__(self, env: Any) -> None:
                async with anyio.create_task_group() as group:
                    group.start_soon(self.app, env)

        make = makes(asks("search"), tools=[Live().tool], layers=[Grouped])
        made = attempt(make, Case("a", said="x", budget=Budget(tool_calls=0)))
        assert made.verdict.sentences == ["spent 1 tool call, budget 0"]

    def test_180_49_seconds_do_not_pass_a_budget_of_180(self) -> None:
        """Seen in the original: seconds were rounded before they were compared."""
        clock = Clock()

        def model(env: Any) -> str:
            clock.now += 180.49
            return "done"

        made = attempt(speaks(model), Case("a", said="x", budget=Budget(seconds=180)), clock=clock)
        assert made.verdict.sentences == ["spent 180.5 seconds, budget 180"]


class TestTokens:
    """Not reported is not zero, and no call's tokens are counted twice."""

    def test_unreported_tokens_are_not_counted_as_0(self) -> None:
        """One call of three that reports nothing leaves the sum unknown."""
        replies = [
            asks("search", usage=Usage(input=1, output=1)),
            asks("search"),
            Message(role="assistant", content="x"),
        ]
        made = attempt(makes(*replies, tools=[Live().tool]), Case("a", said="x", budget=Budget(tokens=1000)))
        assert (made.status, made.transcript.tokens) == ("error", None)
        assert made.verdict.sentences[0].startswith("cannot tell tokens spent")

    def test_a_previous_calls_tokens_are_not_counted_twice(self) -> None:
        """Each model call has its own usage: seen in the original, a silent call repeated the one before."""
        replies = [
            asks("search", usage=Usage(input=5, output=2)),
            Message(role="assistant", content="x", usage=Usage(input=1, output=1)),
        ]
        made = attempt(makes(*replies, tools=[Live().tool]))
        assert made.transcript.tokens == 9
        assert [request.usage and request.usage.total for request in made.transcript.requests] == [7, 2]

    def test_known_tokens_over_the_budget_fail_although_others_are_unknown(self) -> None:
        """What is known may be too much already."""
        replies = [asks("search"), asks("search", usage=Usage(input=99, output=2)), "done"]
        made = attempt(makes(*replies, tools=[Live().tool]), Case("a", said="x", budget=Budget(tokens=100)))
        assert (made.status, made.verdict.sentences) == ("failed", ["spent 101 tokens, budget 100"])


class TestTheModelsFailures:
    """A model that failed is no agent that failed, nor one that passed."""

    def test_an_agent_that_answers_without_its_model_does_not_pass(self) -> None:
        """It catches the failure and says something all the same."""

        class Apologises:
            def __init__(self, app: Any) -> None:
                self.app = app

            async def __call__(self, env: Any) -> None:
                try:
                    await self.app(env)
                except Exception:
                    env.messages.assistant("sorry, no results")

        make = makes(ModelError("529 overloaded"), layers=[Apologises])
        made = attempt(make, Case("a", said="x", absent=True))
        assert (made.status, made.verdict.sentences) == ("error", ["the model call failed: 529 overloaded"])

    def test_a_later_call_that_works_takes_it_back(self) -> None:
        """The agent tried again by itself."""

        class Retries:
            def __init__(self, app: Any) -> None:
                self.app = app

            async def __call__(self, env: Any) -> None:
                try:
                    await self.app(env)
                except Exception:
                    await self.app(env)

        made = attempt(makes(ModelError("529"), "done", layers=[Retries]))
        assert (made.status, made.transcript.iterations) == ("passed", 2)
        assert made.transcript.requests[0].error == "ModelError: 529"

    def test_a_call_that_began_before_the_failure_does_not(self) -> None:
        """Of two model calls at once, one failed: the other's success says nothing of it."""

        class Both:
            def __init__(self, app: Any) -> None:
                self.app = app

            async def __call__(self, env: Any) -> None:
                async with anyio.create_task_group() as group:
                    for _ in range(2):
                        group.start_soon(self.one, env)

            async def one(self, env: Any) -> None:
                try:
                    await self.app(env)
                except ModelError:
                    failed.set()

        failed = anyio.Event()
        asked: list[int] = []

        async def model(env: Any) -> str:
            asked.append(1)
            if len(asked) == 2:
                raise ModelError("500")
            await failed.wait()
            return "done"

        assert attempt(speaks(model, layers=[Both])).verdict.sentences == ["the model call failed: 500"]

    def test_a_model_call_that_the_agent_gave_up_on_did_not_fail(self) -> None:
        """A timeout of the agent's own is the agent's behaviour."""

        class Impatient:
            def __init__(self, app: Any) -> None:
                self.app = app

            async def __call__(self, env: Any) -> None:
                with anyio.move_on_after(0.01):
                    await self.app(env)
                env.messages.assistant("never mind")

        async def model(env: Any) -> None:
            await anyio.sleep_forever()

        made = attempt(speaks(model, layers=[Impatient]))
        assert (made.status, made.transcript.requests[0].error) == ("passed", "stopped before the model answered")


class TestAfterTheTurn:
    """What an agent leaves running is not the turn's any more."""

    def test_a_background_task_neither_fills_the_record_nor_runs_tools(self) -> None:
        """Once the turn is over, a call or a model call in the background is stopped."""
        live = Live()
        seen: list[BaseException] = []
        release = threading.Event()

        async def factory() -> brute.Agent:
            async def later(env: Any) -> None:
                await asyncio.to_thread(release.wait)
                event = brute.hooks.LlmEvent(env, 1)
                # What subscribes may stop it when it is called, or when it is awaited.
                for again in (lambda: env.hooks.emit("before_llm", event), lambda: made.astart("more")):
                    try:
                        await again()
                    except BaseException as error:
                        seen.append(error)
                done.set()

            async def leave(**_: Any) -> str:
                tasks.append(asyncio.create_task(later(envs[0])))
                return "left"

            made = brute.agent().use(ToolLoop).use(Tools, [tool(leave), live.tool])
            made.run(brute.testing.Script([asks("leave"), "done", asks("search"), "more"]))
            envs: list[Any] = []
            made.hooks.on("before_turn", lambda event: envs.append(event.env), inline=True)
            return made

        tasks: list[Any] = []
        done = asyncio.Event()

        async def check(transcript: Transcript) -> None:
            release.set()
            await done.wait()

        made = attempt(factory, Case("a", said="x", stubs={"search": "canned"}, check=check))
        assert (made.status, made.transcript.names, made.transcript.iterations, live.ran) == (
            "passed",
            ["leave"],
            2,
            [],
        )
        assert [type(error) for error in seen] == [TurnStopped, TurnStopped]

    def test_the_record_is_sealed_once(self) -> None:
        """The seconds of a sealed transcript stand."""
        clock = Clock()
        observer = Observer(Transcript(), Budget(), clock)
        observer.turn_began(brute.hooks.TurnEvent(brute.Env([], brute.hooks.Registry())))
        clock.now += 3
        observer.seal()
        clock.now += 4
        observer.seal()
        assert observer.transcript.seconds == pytest.approx(3)


def test_where_a_turn_is_names_the_open_tools() -> None:
    """Several at once are all named, each once."""
    observer = Observer(Transcript(), Budget())
    assert observer.where == "the agent's own code"
    env = brute.Env([], brute.hooks.Registry())
    events = [
        brute.hooks.ToolEvent(env, ToolCall(name=name), 1, index)
        for index, name in enumerate(["read", "read", "write"])
    ]
    observer.call_began(events[0])
    assert observer.where == "tool read"
    for event in events[1:]:
        observer.call_began(event)
    assert observer.where == "tools read, write"
    for event in events:
        observer.call_ended(event)
    observer.request_began(brute.hooks.LlmEvent(env, 1))
    assert observer.where == "the model call"


def test_a_call_that_the_budget_stops_in_its_middle_did_run() -> None:
    """It is not one that was denied: what it did until then is done."""

    async def research() -> str:
        begun.append(1)
        return str((await build(["inner"]).astart("inner")).reply)

    begun: list[int] = []
    made = attempt(
        makes(asks("research"), "done", tools=[tool(research)]), Case("a", said="x", budget=Budget(iterations=1))
    )
    (call,) = made.transcript.calls
    assert (begun, call.outcome, call.error) == ([1], "failed", "the budget of 1 iterations is spent")
