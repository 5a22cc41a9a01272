"""A home-made loop reports its calls, and they can be stubbed; what it does not report is not taken for not done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import pytest

from brute import Message, UsageError
from brute.eval import Attempt, Budget, Case, Job, World, in_turn, trace
from brute.eval.adapters.plain import Plain
from brute.eval.building import Builder
from brute.eval.runner import Runner
from tests.support.agents import attempt, report
from tests.support.naming import steady

ran: list[Any] = []


@pytest.fixture(autouse=True)
def _none_ran() -> None:
    ran.clear()


async def search(query: str = "") -> str:
    """The real tool."""
    ran.append(query)
    return f"live {query}"


async def agent(said: str) -> str:
    """Asks a tool, and answers with what that says."""
    async with trace.model_call("tiny") as request:
        request.used(input=10, output=2)
    async with trace.tool_call("search", {"query": said}, id="c1") as call:
        found = await call.run(search)
    async with trace.model_call("tiny") as request:
        request.used(input=12, output=3)
    return f"it says {found}"


def tried(function: Any, **more: Any) -> Attempt:
    """An attempt of the function at a case."""
    options = {"said": "rates", **more}
    return attempt(function, Case("case", **options))


def sentences(made: Attempt) -> list[str]:
    """What the verdict says."""
    return [failure.message for failure in made.verdict.failures]


def test_what_is_reported_is_seen() -> None:
    """Calls, tokens, iterations, the model, the reply."""
    made = tried(agent, calls={"search": {"query": "rates"}}, mentions=["live rates"], budget=Budget(tokens=27))
    seen = made.transcript
    (call,) = seen.calls
    assert (made.status, seen.tokens, seen.iterations, seen.requests[0].model) == ("passed", 27, 2, "tiny")
    assert (call.id, call.outcome, call.result, call.iteration, call.agent) == ("c1", "ran", "live rates", 1, None)
    assert ran == ["rates"]


@pytest.mark.parametrize("stub", ["canned", None, False, "", lambda query: query.upper()], ids=steady)
def test_a_stub_is_served_and_the_tool_does_not_run(stub: Any) -> None:
    """Whatever the stub is."""
    made = tried(agent, stubs={"search": stub})
    told = "RATES" if callable(stub) else str(stub)
    assert (made.status, made.transcript.calls[0].outcome, made.transcript.reply, ran) == (
        "passed",
        "stubbed",
        f"it says {told}",
        [],
    )


def test_a_stub_that_raises_does_so_as_the_tool_would() -> None:
    """The agent may catch it; where it does not, it is the agent's failure."""

    async def forgiving(said: str) -> str:
        try:
            return await agent(said)
        except TimeoutError as error:
            return f"sorry, {error}"

    assert tried(forgiving, stubs={"search": TimeoutError("slow")}).transcript.reply == "sorry, slow"
    made = tried(agent, stubs={"search": KeyError("id")})
    assert (made.status, sentences(made)) == ("failed", ["the turn raised KeyError: 'id'"])


def test_answers_in_turn_are_served_call_by_call() -> None:
    """In the order of the calls."""

    async def twice(said: str) -> str:
        async with trace.tool_call("search") as one:
            await one.run(search)
        async with trace.tool_call("search") as other:
            await other.run(search)
        return f"{one.result} {other.result}"

    assert tried(twice, stubs={"search": in_turn("a", "b")}).transcript.reply == "a b"


def test_who_looks_at_answered_itself_may_run_the_tool_itself() -> None:
    """And is caught where it sets a result of its own for a stubbed call."""

    def looks(minds: bool) -> Callable[[str], Any]:
        async def loop(said: str) -> str:
            async with trace.tool_call("search") as call:
                if not (minds and call.answered):
                    call.result = await search(said)
            return str(call.result)

        return loop

    assert tried(looks(True)).transcript.calls[0].result == "live rates"
    assert tried(looks(True), stubs={"search": "canned"}).transcript.reply == "canned"
    made = tried(looks(False), stubs={"search": "canned"})
    assert (made.status, sentences(made)) == (
        "error",
        ["the stub for search was not taken: the agent set another result, so that it may have run the tool"],
    )


def test_a_function_that_reports_nothing_is_not_taken_for_one_that_does_nothing() -> None:
    """What a case asks of it can't be told."""

    async def silent(said: str) -> str:
        return await search(said)

    assert tried(silent).status == "passed"
    for asked in (
        {"never": ["search"]},
        {"order": ["search"]},
        {"budget": Budget(tool_calls=0)},
        {"budget": Budget(tokens=9)},
    ):
        made = tried(silent, **asked)
        assert (made.status, sentences(made)[0].startswith("cannot tell")) == ("error", True)
    made = tried(silent, calls={"search": {}})
    assert (made.status, sentences(made)) == (
        "error",
        ["cannot tell whether search was called: the adapter can't see it"],
    )


def test_a_stub_that_nobody_asked_for_is_an_error() -> None:
    """Since the tool may have run unreported, or have another name."""

    async def silent(said: str) -> str:
        return await search(said)

    made = tried(silent, stubs={"search": "canned"})
    assert (made.status, "the agent does not name its tools; it called no tools" in sentences(made)[0]) == (
        "error",
        True,
    )
    made = tried(agent, stubs={"serch": "canned"})
    assert (made.status, '(did you mean "search"?)' in sentences(made)[0]) == ("error", True)


def test_a_marked_function_promises_to_report() -> None:
    """So that no call is no call, and its tools are known beforehand."""

    @trace.agent(tools=["search"])
    async def quiet(question: str) -> str:
        return f"no idea: {question}"

    made = tried(quiet, never=["search"], stubs={"search": 1}, budget=Budget(tool_calls=0))
    assert (made.status, made.transcript.tools, made.transcript.reply) == ("passed", ["search"], "no idea: rates")
    made = tried(quiet, stubs={"serch": 1})
    assert (made.status, made.transcript.requests, 'did you mean "search"' in sentences(made)[0]) == ("error", [], True)
    assert tried(quiet, budget=Budget(tokens=5)).status == "error"


def test_tools_are_named_by_texts() -> None:
    """A slip is refused where it is made."""
    with pytest.raises(UsageError, match="tools are names, got 3"):
        trace.agent(tools=[3])  # type: ignore[list-item]


def test_one_that_takes_messages_is_handed_the_conversation() -> None:
    """In the words of chat endpoints."""
    got: list[Any] = []

    async def chats(messages: list[dict[str, Any]]) -> str:
        got.extend(messages)
        return "fine"

    talk = [Message(role="user", content="hi"), Message(role="assistant", content="hello")]
    assert tried(chats, conversation=talk).status == "passed"
    assert got == [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "hello"},
        {"role": "user", "content": "rates"},
    ]
    made = tried(agent, conversation=talk)
    assert (made.status, "can't be handed a conversation" in sentences(made)[0]) == ("error", True)


def test_a_budget_stops_the_turn_at_the_next_report() -> None:
    """Even where the loop catches everything that is an Exception."""

    async def endless(said: str) -> str:
        while True:
            try:
                async with trace.tool_call("search") as call:
                    await call.run(search)
            except Exception:
                pass

    made = tried(endless, budget=Budget(tool_calls=2))
    assert (made.status, len(ran), sentences(made)) == ("failed", 2, ["spent 3 tool calls, budget 2"])


def test_a_failed_model_call_is_no_failure_of_the_agent() -> None:
    """It is an error, with what the provider said."""

    async def down(said: str) -> str:
        async with trace.model_call():
            raise ConnectionError("reset by peer")

    made = tried(down)
    assert (made.status, sentences(made)) == ("error", ["the model call failed: ConnectionError: reset by peer"])


def test_what_a_model_said_may_be_told_too() -> None:
    """Then calls stand in the order in which it asked for them."""

    async def loop(said: str) -> str:
        async with trace.model_call() as request:
            request.said(calls=[("search", {"query": "a"}), ("search", {"query": "b"})])

        async def one(query: str) -> None:
            async with trace.tool_call("search", {"query": query}) as call:
                await call.run(search)

        await one("b")
        await one("a")
        return "done"

    seen = tried(loop).transcript
    assert [(call.arguments, call.iteration, call.result) for call in seen.calls] == [
        ({"query": "a"}, 1, "live a"),
        ({"query": "b"}, 1, "live b"),
    ]
    assert [message.role for message in seen.messages] == ["user", "assistant", "tool", "tool", "assistant"]


def test_outside_an_attempt_the_tool_runs() -> None:
    """The agent that ships pays nothing."""
    assert (anyio.run(agent, "x"), ran) == ("it says live x", ["x"])


def test_attempts_share_nothing() -> None:
    """Fifty at once, each with its own stub."""
    cases = [
        Case(f"case {n}", said=f"q{n}", stubs={"search": f"canned {n}"}, mentions=[f"canned {n}"]) for n in range(50)
    ]
    made = report(agent, cases, jobs=50)
    assert ({each.status for each in made.attempts}, ran) == ({"passed"}, [])


def test_a_sync_function_is_an_agent_too() -> None:
    """It runs on a thread."""

    def plain(said: str) -> str:
        return f"you said {said}"

    assert tried(plain).transcript.reply == "you said rates"


def test_a_file_may_hold_such_an_agent(tmp_path: Any) -> None:
    """The path of the file is enough."""
    path = tmp_path / "agent.py"
    path.write_text("async def agent(said):\n    return said.upper()\n")
    assert tried(str(path)).transcript.reply == "RATES"


@pytest.mark.parametrize("swallows", [False, True])
@pytest.mark.parametrize("more", [{"stubs": {"search": "S"}}, {"never": ["search"]}, {}])
def test_a_call_that_is_run_without_telling_of_it_is_refused(more: dict[str, Any], swallows: bool) -> None:
    """Outside of `async with` nobody would see it; outside of an attempt it runs."""

    @trace.agent(tools=["search"])
    async def forgets(said: str) -> str:
        try:
            return str(await trace.tool_call("search", {"query": said}).run(search))
        except BaseException:
            if not swallows:
                raise
            return "nothing"

    made = tried(forgets, **more)
    sentence = (
        'trace.tool_call("search") is run outside of its `async with`, so that nobody sees the call; it was not run'
    )
    assert (made.status, sentences(made), ran) == ("error", [sentence], [])
    assert anyio.run(forgets, "rates") == "live rates"


def test_where_no_call_can_be_seen_nothing_was_seen_to_be_kept_from_running() -> None:
    """A plain function that reports nothing; one that reports can be told that."""

    async def silent(said: str) -> str:
        ran.append(said)
        return "done"

    made = attempt(silent, Case("case", said="x"), unstubbed="refuse")
    sentence = 'cannot tell whether what has no stub was not run (unstubbed="refuse"): the adapter can\'t see the calls'
    assert [(each.kind, each.message) for each in made.verdict.failures] == [("error.blind", sentence)]
    assert attempt(silent, Case("case", said="x")).passed
    assert attempt(trace.agent(tools=[])(silent), Case("case", said="x"), unstubbed="refuse").passed


def test_stubs_for_an_agent_of_which_no_call_can_be_seen_are_an_error() -> None:
    """Also where the names of its tools are known."""

    class Blind(Plain):
        @property
        def tools(self) -> list[str] | None:
            return ["search"]

    async def silent(said: str) -> str:
        return "done"

    runner = Runner(Builder(lambda: silent), Blind, World, deadline=5.0, unstubbed="run")
    made = anyio.run(runner.attempt, Job(Case("case", said="x", stubs={"search": "S"})))
    assert [each.kind for each in made.verdict.failures] == ["error.blind"]


@pytest.mark.parametrize("asks", [lambda seen: not seen.called("rm"), lambda seen: not seen.before("a", "b")])
def test_a_check_that_asks_for_calls_that_can_not_be_seen_is_an_error(asks: Any) -> None:
    """And not answered with no."""

    async def silent(said: str) -> str:
        return "done"

    assert [each.kind for each in tried(silent, check=asks).verdict.failures] == ["error.check"]
