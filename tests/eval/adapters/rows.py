"""The contract of all adapters, row by row: a framework's test module subclasses `Rows` with a `Kit` of its own.

The rows are those of docs/frameworks.md, whose table is made of what these tests came to (`conftest.py`). What a framework has not, is skipped
with the reason, and stands in the table as such.
"""

from __future__ import annotations

import dataclasses
import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import anyio
import pytest

from brute import Message
from brute.eval import Attempt, Budget, Case, in_turn
from brute.eval.threads import followed
from brute.loading import load_file
from tests.eval.adapters.replays import Replays
from tests.support.agents import attempt, report
from tests.support.cassettes import serve
from tests.support.frameworks import Gate, Kit, gate, in_pool, in_thread, mcp_command, ran, search
from tests.support.newsroom import Newsroom
from tests.support.recorded import Turn, complete_turns, turn_tools

F = TypeVar("F", bound=Callable[..., Any])
ASKS = [("search", {"query": "bank"})]
STUBS = ["canned", "", None, False, 0, 4.25, [], {}, {"rate": 4.25}, ["a", "b"]]


def row(number: int) -> Callable[[F], F]:
    """Say which row of the contract a test belongs to."""

    def mark(test: F) -> F:
        test.row = number  # type: ignore[attr-defined]
        return test

    return mark


def _is_cut_off(turn: Turn) -> bool:
    """Whether the recorded turn's last answer ends where its tokens did."""
    return any(choice["finish_reason"] == "length" for choice in turn.exchanges[-1].answer.get("choices", ()))


def tried(agent: Any, unstubbed: str = "run", deadline: float = 30.0, **case: Any) -> Attempt:
    """An attempt of this agent."""

    async def build() -> Any:
        return agent

    return attempt(build, Case("case", **{"said": "hello", **case}), deadline=deadline, unstubbed=unstubbed)


def seen(made: Attempt) -> list[tuple[str, str | None, str]]:
    """The calls: name, whose, what became of them."""
    return [(call.name, call.agent, call.outcome) for call in made.transcript.calls]


class Rows(Replays):
    """The rows."""

    kit: Kit

    @pytest.fixture(autouse=True)
    def _clean(self) -> None:
        ran.clear()
        gate[:] = [Gate()]

    def has(self, thing: Any, what: str) -> Any:
        """The thing, or the test ends as one that this framework has no such thing for."""
        if thing is None:
            pytest.skip(self.kit.why.get(what, f"{self.kit.name} has no {what}"))
        return thing

    def tried(self, agent: Any, **case: Any) -> Attempt:
        """An attempt of this agent."""
        return tried(agent, **case)

    @row(1)
    @pytest.mark.parametrize(("tool", "given"), [("search", {"query": "bank"}), ("lookup", {"word": "bank"})])
    def test_a_call_is_seen_with_what_was_asked_and_what_came_of_it(self, tool: str, given: dict[str, Any]) -> None:
        """Of an async tool and of a sync one."""
        made = self.tried(self.kit.agent([[(tool, given)], "done"]))
        (call,) = made.transcript.calls
        answer = "live bank" if tool == "search" else "looked up bank"
        assert (made.status, made.transcript.reply, made.verdict.failures) == ("passed", "done", ())
        assert (call.name, call.arguments, call.executed, call.outcome) == (tool, given, given, "ran")
        assert (call.result, call.iteration, call.error, call.agent, bool(call.id)) == (answer, 1, None, None, True)
        assert ran == [(tool, "bank")]

    @row(1)
    def test_calls_stand_as_asked_whichever_ends_first(self) -> None:
        """The first waits for the second, where the framework runs them side by side."""
        plan = [[("search", {"query": "waits"}), ("search", {"query": "opens"})], [("lookup", {"word": "c"})], "done"]
        seen = self.tried(self.kit.agent(plan)).transcript
        assert [(call.name, call.arguments, call.iteration, call.result) for call in seen.calls] == [
            ("search", {"query": "waits"}, 1, "live waits"),
            ("search", {"query": "opens"}, 1, "live opens"),
            ("lookup", {"word": "c"}, 2, "looked up c"),
        ]
        assert len({call.id for call in seen.calls}) == 3

    @row(1)
    def test_a_call_with_arguments_that_the_tool_refuses_is_seen(self) -> None:
        """And the tool did not run."""
        seen = self.tried(self.kit.agent([[("search", {"wrong": 1})], "done"])).transcript
        assert [(call.name, call.arguments, call.outcome) for call in seen.calls] == [
            ("search", {"wrong": 1}, "failed")
        ]
        assert (seen.calls[0].error is not None, ran, seen.reply) == (True, [], "done")

    @row(1)
    def test_a_call_to_an_unknown_tool_is_seen(self) -> None:
        """However the framework takes it."""
        made = self.tried(self.kit.agent([[("serch", {"query": "bank"})], "done"]), never=["fetch"])
        (call,) = made.transcript.calls
        assert (call.name, call.arguments, ran) == ("serch", {"query": "bank"}, [])
        assert call.outcome == ("failed" if self.kit.goes_on else "denied")
        assert made.status == ("passed" if self.kit.goes_on else "failed")
        assert self.tried(self.kit.agent([[("serch", {})], "done"]), never=["serch"]).status != "passed"

    @row(1)
    def test_a_tool_that_raises_is_a_failed_call(self) -> None:
        """The turn goes on where the framework tells the model."""
        made = self.tried(self.kit.agent([[("breaks", {"query": "x"})], "sorry"]))
        (call,) = made.transcript.calls
        assert (call.outcome, "down" in str(call.error), ran) == ("failed", True, [("breaks", "x")])
        if self.kit.forgives:
            assert (made.status, made.transcript.reply) == ("passed", "sorry")
        else:
            assert (made.status, made.verdict.failures[0].message) == ("failed", "the turn raised OSError: down")

    @row(2)
    def test_tokens_iterations_model_and_reply_are_seen(self) -> None:
        """Request by request."""
        made = self.tried(self.kit.agent([ASKS, "done"]), budget=Budget(tokens=24, iterations=2, tool_calls=1))
        seen = made.transcript
        assert (made.status, seen.iterations, seen.tokens, seen.reply) == ("passed", 2, 24, "done")
        assert [
            (each.iteration, each.usage.input, each.usage.output, each.model) for each in seen.requests if each.usage
        ] == [
            (1, 10, 2, "scripted"),
            (2, 10, 2, "scripted"),
        ]

    @row(2)
    def test_the_conversation_is_seen(self) -> None:
        """What was said, asked, answered, and said at last."""
        seen = self.tried(self.kit.agent([ASKS, "done"])).transcript
        told = [(message.role, message.content) for message in seen.messages if message.role != "system"]
        assert told == [("user", "hello"), ("assistant", ""), ("tool", "live bank"), ("assistant", "done")]
        assert seen.messages[-2].tool_call_id == seen.calls[0].id

    @row(2)
    def test_structured_output_is_the_reply_as_json(self) -> None:
        """And no call to a tool."""
        agent = self.has(self.kit.structured(), "structured output")
        seen = self.tried(agent).transcript
        assert (seen.reply, seen.names) in [
            ('{"city": "London", "rate": 4.25}', []),
            ('{"city":"London","rate":4.25}', []),
        ]

    @row(3)
    @pytest.mark.parametrize("tool", ["search", "lookup"])
    @pytest.mark.parametrize("stub", STUBS, ids=repr)
    def test_a_stub_is_served_and_the_tool_does_not_run(self, tool: str, stub: Any) -> None:
        """Whatever it is; and the model is shown what it would be shown had the tool answered that."""
        given = {"query": "bank"} if tool == "search" else {"word": "bank"}
        agent = self.kit.agent([[(tool, given)], "done"])
        made = self.tried(agent, stubs={tool: stub})
        (call,) = made.transcript.calls
        assert (made.status, made.verdict.failures, ran) == ("passed", (), [])
        assert (call.outcome, call.result, call.executed) == ("stubbed", stub, given)
        assert self.kit.results(agent) == self.kit.results(self.real(tool, given, stub))

    def real(self, tool: str, given: Any, answer: Any) -> Any:
        """An agent whose real tool answered this, or raised it; its turn is over."""

        async def search(query: str) -> Any:
            """Search the news."""
            if isinstance(answer, Exception):
                raise answer
            return answer

        def lookup(word: str) -> Any:
            """Look a word up."""
            if isinstance(answer, Exception):
                raise answer
            return answer

        agent = self.kit.agent([[(tool, given)], "done"], [search, lookup])
        assert self.tried(agent).transcript.names == [tool]
        return agent

    @row(3)
    def test_a_stub_does_not_answer_a_call_to_a_tool_that_another_agent_has(self) -> None:
        """The agent that asks for it is told that there is no such tool, and so is the transcript."""
        agent = self.has(self.kit.inner([ASKS, "done"], ["found"]), "inner agents")
        made = self.tried(agent, stubs={"search": "canned"})
        (call,) = made.transcript.calls
        assert (call.result, ran) == (None, [])
        assert call.error is not None if self.kit.goes_on else made.status != "passed"

    @row(3)
    def test_a_stub_that_runs_an_agent_is_not_watched(self) -> None:
        """It is the case's own code: what it runs for real is no part of the turn, be it an agent of the same framework."""

        async def asks(query: str) -> str:
            await self.kit.run(self.kit.agent([[("lookup", {"word": query})], "found"]), "hello")
            return "found"

        plain = self.tried(self.kit.agent([ASKS, "done"]), stubs={"search": "found"})
        made = self.tried(self.kit.agent([ASKS, "done"]), stubs={"search": asks}, never=["lookup"])
        (call,) = made.transcript.calls
        assert (made.status, made.verdict.failures, ran) == ("passed", (), [("lookup", "bank")])
        assert (call.result, call.outcome) == ("found", "stubbed")
        assert made.transcript.iterations == plain.transcript.iterations

    @row(3)
    def test_a_function_as_a_stub_gets_the_arguments(self) -> None:
        """Be it sync or async."""

        async def later(query: str) -> str:
            return f"later {query}"

        for stub, told in ((lambda query: f"at once {query}", "at once bank"), (later, "later bank")):
            seen = self.tried(self.kit.agent([ASKS, "done"]), stubs={"search": stub}).transcript
            assert (seen.calls[0].result, seen.calls[0].outcome, ran) == (told, "stubbed", [])

    @row(3)
    @pytest.mark.parametrize("tool", ["search", "lookup"])
    def test_an_exception_as_a_stub_is_raised_as_the_tools_own(self, tool: str) -> None:
        """The model is shown what it would be shown of the tool's."""
        given = {"query": "bank"} if tool == "search" else {"word": "bank"}
        agent = self.kit.agent([[(tool, given)], "sorry"])
        made = self.tried(agent, stubs={tool: TimeoutError("slow")})
        assert (made.transcript.calls[0].outcome, made.transcript.calls[0].error, ran) == (
            "stubbed",
            "TimeoutError: slow",
            [],
        )
        if self.kit.forgives:
            assert (made.status, made.transcript.reply) == ("passed", "sorry")
            assert self.kit.results(agent) == self.kit.results(self.real(tool, given, TimeoutError("slow")))
        else:
            assert made.verdict.failures[0].message == "the turn raised TimeoutError: slow"

    @row(3)
    def test_answers_in_turn_go_by_the_order_asked_for(self) -> None:
        """Also to calls of one batch."""
        plan = [[("search", {"query": "a"}), ("search", {"query": "b"})], [("search", {"query": "c"})], "done"]
        made = self.tried(self.kit.agent(plan), stubs={"search": in_turn("one", "two", "three")})
        assert (made.status, [call.result for call in made.transcript.calls], ran) == (
            "passed",
            ["one", "two", "three"],
            [],
        )

    @row(3)
    def test_one_tool_is_stubbed_and_another_runs(self) -> None:
        """In one batch."""
        plan = [[("search", {"query": "a"}), ("lookup", {"word": "b"})], "done"]
        seen = self.tried(self.kit.agent(plan), stubs={"search": "canned"}).transcript
        assert [(call.outcome, call.result) for call in seen.calls] == [("stubbed", "canned"), ("ran", "looked up b")]
        assert ran == [("lookup", "b")]

    @row(3)
    @pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
    def test_tools_of_an_mcp_server_are_seen_and_stubbed(self, stubbed: bool, tmp_path: Path) -> None:
        """A real one, over stdio."""
        notes = tmp_path / "notes"
        agent = self.has(self.kit.mcp([ASKS, "done"], mcp_command(notes)), "MCP")
        made = self.tried(agent, stubs={"search": "canned"} if stubbed else {})
        (call,) = made.transcript.calls
        assert (made.status, made.verdict.failures, notes.exists()) == ("passed", (), not stubbed)
        assert (call.name, call.arguments, call.outcome) == (
            "search",
            {"query": "bank"},
            "stubbed" if stubbed else "ran",
        )
        assert ("canned" if stubbed else "live bank") in str(call.result)
        if stubbed:
            agent = self.kit.mcp([ASKS, "done"], mcp_command(notes))
            made = self.tried(agent, stubs={"serch": "canned"})
            assert (made.status, 'did you mean "search"' in made.verdict.failures[0].message) == ("error", True)
            assert not notes.exists()

    @row(3)
    @pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
    def test_an_agent_inside_a_tool_is_seen_and_stubbed(self, stubbed: bool) -> None:
        """Its name stands on its calls."""
        agent = self.has(self.kit.inner([[("ask", {"question": "rates"})], "done"], [ASKS, "found"]), "inner agent")
        made = self.tried(agent, stubs={"search": "canned"} if stubbed else {})
        assert (made.status, made.verdict.failures) == ("passed", ())
        assert [(call.name, call.agent, call.outcome) for call in made.transcript.calls] == [
            ("ask", None, "ran"),
            ("search", "inner", "stubbed" if stubbed else "ran"),
        ]
        assert ran == ([] if stubbed else [("search", "bank")])
        assert (made.transcript.iterations, made.transcript.reply) == (4, "done")

    @row(3)
    @pytest.mark.parametrize("apart", [in_pool, in_thread])
    @pytest.mark.parametrize("case", [{"stubs": {"search": "canned"}}, {"never": ["search"]}], ids=["stubbed", "never"])
    def test_an_agent_that_a_tool_builds_and_runs_on_a_thread_is_seen_and_stubbed(
        self, apart: Callable[[Callable[[], Any]], Any], case: dict[str, Any]
    ) -> None:
        """Nobody knew of it before the turn."""
        kit = self.kit

        def ask(question: str) -> str:
            """Ask the other agent.

            Args:
                question: what to ask
            """
            apart(lambda: anyio.run(kit.run, kit.agent([ASKS, "found"]), question))
            return "asked"

        with followed():  # as while a suite runs
            made = self.tried(kit.agent([[("ask", {"question": "rates"})], "done"], [ask, search]), **case)
        stubbed = "stubs" in case
        assert [(call.name, call.outcome) for call in made.transcript.calls] == [
            ("ask", "ran"),
            ("search", "stubbed" if stubbed else "ran"),
        ]
        assert (made.status, ran) == (("passed", []) if stubbed else ("failed", [("search", "bank")]))
        seen = made.transcript
        # DSPy asks once more for what an agent answers.
        asked = 6 if kit.name == "dspy" else 4
        assert (seen.iterations, seen.tokens, seen.reply) == (asked, 12 * asked, "done")

    @row(3)
    @pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
    def test_an_agent_that_is_handed_over_to_is_seen_and_stubbed(self, stubbed: bool) -> None:
        """Its name stands on its calls."""
        agent = self.has(self.kit.handoff([[self.kit.hands_over], "never said"], [ASKS, "done"]), "handoff")
        made = self.tried(agent, stubs={"search": "canned"} if stubbed else {})
        assert (made.status, made.verdict.failures) == ("passed", ())
        assert [(call.name, call.agent) for call in made.transcript.calls if call.name == "search"] == [
            ("search", "other")
        ]
        assert (made.transcript.calls[-1].outcome, ran, made.transcript.reply) == (
            "stubbed" if stubbed else "ran",
            [] if stubbed else [("search", "bank")],
            "done",
        )

    @row(4)
    def test_a_stub_for_a_tool_that_is_not_there_is_an_error_before_anything_is_spent(self) -> None:
        """With the nearest name."""
        made = self.tried(self.kit.agent([ASKS, "done"]), stubs={"serch": "canned"})
        assert (made.status, ran) == ("error", [])
        assert 'the stub for "serch" stubs nothing: the agent has no such tool (did you mean "search"?)' in (
            made.verdict.failures[0].message
        )

    @row(4)
    def test_a_tool_that_the_provider_runs_is_an_error_where_it_is_stubbed(self) -> None:
        """It names the tool, and nothing is asked of the model."""
        agent = self.has(self.kit.hosted(), "tool that the provider runs")
        made = self.tried(agent, stubs={self.kit.hosted_name: "canned"})
        assert (made.status, self.kit.hosted_name in made.verdict.failures[0].message) == ("error", True)
        made = self.tried(self.kit.hosted(), unstubbed="refuse")
        assert (made.status, self.kit.hosted_name in made.verdict.failures[0].message) == ("error", True)

    @row(4)
    def test_a_tool_that_the_provider_may_have_run_is_never_taken_for_not_called(self) -> None:
        """Where the framework hands on what it ran, `never` goes by that."""
        made = self.tried(self.has(self.kit.hosted(), "tool that the provider runs"), never=[self.kit.hosted_name])
        kinds = [each.kind for each in made.verdict.failures]
        if self.kit.tells_hosted:
            called = any(call.name == self.kit.hosted_name for call in made.transcript.calls)
            assert "error.blind" not in kinds
            assert (made.status == "passed") <= (not called)
        else:
            assert (made.status, kinds) == ("error", ["error.blind"])

    @row(4)
    def test_an_agent_that_is_run_outside_the_turns_context_is_an_error(self) -> None:
        """Nothing there can be seen, so no tool runs."""
        agent = self.has(self.kit.lost([[("ask", {"question": "rates"})], "done"], [ASKS, "found"]), "lost context")
        made = self.tried(agent, stubs={"search": "canned"})
        assert (made.status, ran, "without the turn's context" in made.verdict.failures[0].message) == (
            "error",
            [],
            True,
        )

    @row(4)
    def test_a_call_that_must_have_a_stub_does_not_run(self) -> None:
        """It ends the turn."""
        made = self.tried(self.kit.agent([ASKS, "done"]), unstubbed="refuse")
        assert (made.status, ran, "search" in made.verdict.failures[0].message) == ("error", [], True)

    @row(4)
    @pytest.mark.parametrize("stub", [lambda: 1 / 0, lambda query: 1 / 0], ids=["unfit", "breaks"])
    def test_a_stub_that_breaks_ends_the_turn(self, stub: Any) -> None:
        """It is never shown to the model."""
        made = self.tried(self.kit.agent([ASKS, "done"]), stubs={"search": stub})
        assert (made.status, ran, made.transcript.iterations) == ("error", [], 1)
        assert made.verdict.failures[0].kind == "error.stub"

    @row(4)
    def test_a_stub_never_makes_a_bad_call_good(self) -> None:
        """The call is marked, and answered as the tool would."""
        plan = [[("search", {"wrong": 1})], "done"]
        agent, real = self.kit.agent(plan), self.kit.agent(plan)
        made = self.tried(agent, stubs={"search": "canned"})
        (call,) = made.transcript.calls
        assert (call.error is not None, call.result, ran) == (True, None, [])
        self.tried(real)
        assert self.kit.results(agent) == self.kit.results(real)

    @row(5)
    @pytest.mark.parametrize("shared", [False, True], ids=["fresh", "shared"])
    def test_fifty_attempts_at_once_share_nothing(self, shared: bool) -> None:
        """Each has its own stub, and sees its own calls and messages alone."""
        one = self.kit.agent([ASKS, "done"])
        if shared and not self.kit.shares:
            pytest.skip(self.kit.why.get("shared", f"a run of {self.kit.name} changes the agent"))
        before = self.kit.state(one)

        async def fresh() -> Any:
            return self.kit.agent([ASKS, "done"])

        def check(number: int) -> Callable[[Any], Any]:
            return lambda seen: (
                [call.result for call in seen.calls] == [f"canned {number}"]
                and [message.content for message in seen.messages if message.role == "user"] == [f"said {number}"]
            )

        cases = [
            Case(f"case {n}", said=f"said {n}", stubs={"search": f"canned {n}"}, mentions=["done"], check=check(n))
            for n in range(50)
        ]
        made = report(one if shared else fresh, cases, jobs=50, deadline=120)
        assert {(each.status, each.verdict.failures) for each in made.attempts} == {("passed", ())}
        assert ran == []
        if shared:
            assert self.kit.state(one) == before

    @row(5)
    def test_the_agent_is_left_as_it_was_found(self) -> None:
        """And outside an attempt it runs its tools."""
        agent = self.kit.agent([ASKS, "done"])
        before = self.kit.state(agent)
        self.tried(agent, stubs={"search": "canned"})
        if self.kit.shares:
            assert self.kit.state(agent) == before
        self.tried(agent)
        assert ran == [("search", "bank")]

    @row(6)
    def test_a_conversation_is_handed_over_as_the_frameworks_own(self) -> None:
        """Oldest first."""
        talk = [Message(role="user", content="hi"), Message(role="assistant", content="hello, who are you?")]
        agent = self.kit.agent(["nice to meet you"])
        made = self.tried(agent, conversation=talk, said="Ann")
        assert (made.status, made.transcript.reply) == ("passed", "nice to meet you")
        assert [each for each in self.kit.history(agent) if each[0] != "system"] == [
            ("user", "hi"),
            ("assistant", "hello, who are you?"),
            ("user", "Ann"),
        ]

    @row(6)
    @pytest.mark.parametrize(
        ("budget", "sentence", "live"),
        [
            (Budget(tool_calls=1), "spent 2 tool calls, budget 1", []),
            (Budget(tokens=11), "spent 12 tokens, budget 11", []),
            (Budget(iterations=1), "spent 2 iterations, budget 1", [("search", "a"), ("lookup", "b")]),
        ],
        ids=["tool_calls", "tokens", "iterations"],
    )
    def test_a_spent_budget_stops_the_turn_at_the_next_hook(self, budget: Budget, sentence: str, live: Any) -> None:
        """What it does not allow is not done."""
        made = self.tried(
            self.kit.agent([[("search", {"query": "a"}), ("lookup", {"word": "b"})], "done"]), budget=budget
        )
        assert (made.status, made.verdict.failures[0].message, sorted(ran)) == ("failed", sentence, sorted(live))

    @row(6)
    def test_the_deadline_leaves_nothing_running(self) -> None:
        """The turn is cancelled inside its tool."""
        made = self.tried(self.kit.agent([[("search", {"query": "hangs"})], "done"]), deadline=0.3)
        assert made.verdict.failures[0].message == "stopped after 0.3 seconds; still in tool search"
        assert (made.status, made.left_behind) == ("failed", "deadline" in self.kit.why)
        if made.left_behind:
            pytest.skip(self.kit.why["deadline"])

    @row(6)
    def test_what_the_agent_raises_has_its_own_type_and_words(self) -> None:
        """Not those of the framework's wrapper."""
        made = self.tried(self.kit.agent(["raise"]))
        assert (made.status, made.verdict.failures[0].message) == ("failed", "the turn raised KeyError: 'plan'")

    @row(6)
    def test_a_model_that_is_down_is_an_error(self) -> None:
        """With what it said."""
        made = self.tried(self.kit.agent(["down"]))
        assert (made.status, made.verdict.failures[0].kind, "refused" in made.verdict.failures[0].message) == (
            "error",
            "error.model",
            True,
        )

    @row(7)
    @pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
    def test_the_users_own_hooks_still_fire(self, stubbed: bool) -> None:
        """For real calls, and for those that are stubbed."""
        heard: list[tuple[str, str]] = []
        agent = self.has(self.kit.agent([ASKS, "done"], hooks=heard), "hooks")
        made = self.tried(agent, stubs={"search": "canned"} if stubbed else {})
        assert made.status == "passed"
        assert heard == [("before", "search"), ("after", "search")]

    @row(2)
    @pytest.mark.filterwarnings(
        "ignore:The model 'claude:DeprecationWarning",
        "ignore:Inheritance class AiohttpClientSession:DeprecationWarning",
        # The clients' own connections, which nobody closes but the collector.
        "ignore:unclosed:ResourceWarning",
        "ignore:Exception ignored:pytest.PytestUnraisableExceptionWarning",
    )
    def test_the_real_client_on_recorded_answers_gives_what_was_recorded(self) -> None:
        """Calls, arguments, ids, tokens, model and final text, of each whole turn on a wire that the framework speaks."""
        tried = 0
        for turn in complete_turns():
            path = turn.exchanges[0].path
            wire = next((each for each in self.kit.talks if path.endswith(each)), None)
            if wire is None:
                continue
            with serve(*turn.exchanges, closes=True) as server:
                url = server.url + path.removesuffix(wire).partition("/models/")[0]
                made = self.tried(self.kit.real(turn.model, url, path, turn_tools(turn)), said=turn.said[-1])
            self.same_as_recorded(made, turn, server.left)
            tried += 1
        gc.collect()
        assert tried or not self.kit.talks

    def same_as_recorded(self, made: Attempt, turn: Turn, left: int) -> None:
        """The transcript holds what the cassette does."""
        seen, told = made.transcript, (turn.model, turn.exchanges[0].path, turn.said)
        ended = [self.kit.cut_off] if self.kit.cut_off and _is_cut_off(turn) else []
        assert (told, made.status, left) == (told, "failed" if ended else "passed", 0)
        assert (told, [failure.actual for failure in made.verdict.failures]) == (told, ended)
        assert (told, [(call.name, call.arguments) for call in seen.calls]) == (told, turn.calls)
        ids = [id for step in turn.steps for id in step.ids if id]
        assert (told, [call.id for call in seen.calls if call.id in ids]) == (told, ids)
        assert (told, [each.model for each in seen.requests]) == (
            told,
            [turn.model if self.kit.names_asked else step.model for step in turn.steps],
        )
        assert (told, seen.reply.strip()) == (told, turn.steps[-1].text.strip())
        for each, step in zip(seen.requests, turn.steps, strict=True):
            # A 0 in a recording stands for what was not reported.
            used = (None, None) if each.usage is None else (each.usage.input, each.usage.output)
            assert (told, used) == (told, (step.usage["input"] or None, step.usage["output"] or None))

    @row(2)
    @pytest.mark.filterwarnings(
        "ignore:unclosed:ResourceWarning", "ignore:Exception ignored:pytest.PytestUnraisableExceptionWarning"
    )
    def test_the_example_passes_the_eval_that_all_of_them_share(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Its file knows nothing of brute; a wrong stub turns it red."""
        folder = Path(__file__).parents[3] / "examples" / "frameworks"
        file = folder / self.kit.example / "agent.py"
        text = file.read_text()
        assert "brute" not in text
        assert 18 <= len(text.splitlines()) <= 40
        cases = load_file(folder / "eval_news.py").CASES
        with Newsroom() as room:
            for name, value in (("OPENAI_BASE_URL", room.url), ("OPENAI_API_KEY", "none"), ("NEWS_MODEL", "tiny")):
                monkeypatch.setenv(name, value)
            made = report(str(file), cases, unstubbed="refuse", deadline=60)
            assert [(each.case.name, each.verdict.failures) for each in made.attempts if each.verdict.failures] == []
            assert {request.model for each in made.attempts for request in each.transcript.requests} == {"tiny"}
            assert {each.transcript.tokens for each in made.attempts} == self.kit.spends
            wrong = report(str(file), [dataclasses.replace(cases[0], stubs={"search": "It rose."})], deadline=60)
            assert [each.status for each in wrong.attempts] == ["failed"]
        gc.collect()

    def test_the_agent_is_known_by_the_module_of_its_type(self) -> None:
        """So that no framework has to be imported to find out."""
        from brute.eval.frameworks import framework_of

        known = framework_of(self.kit.agent(["hi"], [search]))
        assert known is not None
        assert known.name == self.kit.name
