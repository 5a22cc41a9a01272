"""The adapter for CrewAI keeps the contract."""

from __future__ import annotations

import pytest

pytest.importorskip("crewai.agent", reason="crewai is not installed here")

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from crewai import Crew, Process, Task
from crewai import hooks as hooking
from crewai.agents.agent_builder.base_agent import BaseAgent
from crewai.telemetry import Telemetry
from crewai.tools import BaseTool, tool
from crewai.utilities.internal_instructor import InternalInstructor

from brute import Message
from brute.errors import UsageError
from brute.eval import Budget, Case, in_turn, trace
from brute.eval.adapters import adapt
from tests.eval.adapters.rows import ASKS, Rows, row, seen, tried
from tests.support.agents import attempt, report
from tests.support.frameworks import TOOLS, mcp_command, ran
from tests.support.frameworks.crewai import CrewAI, Rate, Scripted, crew, news, scripted

pytestmark = [
    # What CrewAI has with itself.
    pytest.mark.filterwarnings("ignore:.*deprecated:DeprecationWarning"),
]


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = CrewAI()

    @row(3)
    @pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
    def test_tools_of_an_mcp_server_are_seen_and_stubbed(self, stubbed: bool, tmp_path: Path) -> None:
        """By names that CrewAI makes of the server's command."""
        notes = tmp_path / "notes"
        made = self.tried(self.kit.mcp([ASKS, "done"], mcp_command(notes)))
        (call,) = made.transcript.calls
        assert (made.status, notes.exists(), call.arguments, call.outcome) == ("passed", True, {"query": "bank"}, "ran")
        notes.unlink()
        if stubbed:
            made = self.tried(self.kit.mcp([ASKS, "done"], mcp_command(notes)), stubs={call.name: "canned"})
            assert (made.status, made.transcript.calls[0].result, notes.exists()) == ("passed", "canned", False)
            made = self.tried(self.kit.mcp([ASKS, "done"], mcp_command(notes)), stubs={f"{call.name}s": "canned"})
            assert (made.status, f'did you mean "{call.name}"' in made.verdict.failures[0].message) == ("error", True)
            assert not notes.exists()


@pytest.fixture(autouse=True)
def _clean() -> None:
    ran.clear()


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_the_agents_of_a_crew_are_seen_and_stubbed(stubbed: bool) -> None:
    """The first is the turn's own, and the others are called by their role; what was said stands where the tasks ask for it."""
    one, two = news(scripted([ASKS, "found"]), TOOLS), news(scripted([ASKS, "done"]), TOOLS, role="writer")
    made = tried(crew(one, two), stubs={"search": "canned"} if stubbed else {}, budget=Budget(tokens=48))
    outcome = "stubbed" if stubbed else "ran"
    assert (made.status, made.verdict.failures, made.transcript.reply) == ("passed", (), "done")
    assert seen(made) == [("search", None, outcome), ("search", "writer", outcome)]
    assert (made.transcript.tokens, made.transcript.iterations) == (48, 4)
    # Older ones answer the same call again out of a cache.
    assert ran in ([[]] if stubbed else [[("search", "bank")], [("search", "bank")] * 2])
    assert "Answer hello" in one.llm.shown[0][-1]["content"]


def test_a_crew_that_answers_bit_by_bit_is_seen_and_stubbed() -> None:
    """Its stream is read to its end."""
    made = tried(crew(news(scripted([ASKS, "done"]), TOOLS), stream=True), stubs={"search": "canned"})
    assert (made.status, made.verdict.failures, made.transcript.reply) == ("passed", (), "done")
    assert (seen(made), ran) == ([("search", None, "stubbed")], [])


def test_many_crews_at_once_share_nothing() -> None:
    """Each has its own stub, and its own words in its tasks."""

    async def build() -> Any:
        return crew(news(scripted([ASKS, "done"]), TOOLS))

    def check(number: int) -> Any:
        return lambda seen: [call.result for call in seen.calls] == [f"canned {number}"]

    cases = [Case(f"case {n}", said=f"said {n}", stubs={"search": f"canned {n}"}, check=check(n)) for n in range(20)]
    made = report(build, cases, jobs=20, deadline=120)
    assert {(each.status, each.verdict.failures) for each in made.attempts} == {("passed", ())}
    assert ran == []


def test_tasks_side_by_side_are_seen_and_stubbed() -> None:
    """In threads of CrewAI's own."""
    agents = [news(scripted([ASKS, f"found {n}"]), TOOLS, role=f"reader {n}") for n in range(3)]
    last = news(scripted([ASKS, "done"]), TOOLS, role="writer")
    tasks = [
        Task(description="Answer {said}", expected_output="text", agent=each, async_execution=each is not last)
        for each in [*agents, last]
    ]
    made = tried(Crew(agents=[*agents, last], tasks=tasks), stubs={"search": "canned"}, budget=Budget(tokens=96))
    assert (made.status, made.verdict.failures, made.transcript.reply, ran) == ("passed", (), "done", [])
    assert [call.outcome for call in made.transcript.calls] == ["stubbed"] * 4
    assert (made.transcript.tokens, len({call.agent for call in made.transcript.calls})) == (96, 4)


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_whom_an_agent_delegates_to_is_seen_and_stubbed(stubbed: bool) -> None:
    """The tool by which it does so is a call."""
    ask = ("ask_question_to_coworker", {"question": "rates?", "context": "none", "coworker": "writer"})
    one = news(scripted([[ask], "done"]), [], allow_delegation=True)
    two = news(scripted([ASKS, "found"]), TOOLS, role="writer")
    task = Task(description="Answer {said}", expected_output="text", agent=one)
    made = tried(Crew(agents=[one, two], tasks=[task]), stubs={"search": "canned"} if stubbed else {})
    assert (made.status, made.verdict.failures, made.transcript.reply) == ("passed", (), "done")
    assert seen(made) == [
        ("ask_question_to_coworker", None, "ran"),
        ("search", "writer", "stubbed" if stubbed else "ran"),
    ]
    assert ran == ([] if stubbed else [("search", "bank")])


def test_a_delegation_can_be_stubbed_itself() -> None:
    """Then the coworker is not asked."""
    ask = ("ask_question_to_coworker", {"question": "rates?", "context": "none", "coworker": "writer"})
    one = news(scripted([[ask], "done"]), [], allow_delegation=True)
    two = news(scripted([ASKS, "found"]), TOOLS, role="writer")
    task = Task(description="Answer {said}", expected_output="text", agent=one)
    made = tried(Crew(agents=[one, two], tasks=[task]), stubs={"ask_question_to_coworker": "4.25%"})
    assert (made.status, seen(made), two.llm.shown, ran) == (
        "passed",
        [("ask_question_to_coworker", None, "stubbed")],
        [],
        [],
    )


def test_a_managed_crew_is_seen_and_stubbed() -> None:
    """The manager is the turn's own agent."""
    ask = ("delegate_work_to_coworker", {"task": "rates?", "context": "none", "coworker": "writer"})
    two = news(scripted([ASKS, "found"]), TOOLS, role="writer")
    task = Task(description="Answer {said}", expected_output="text")
    managed = Crew(agents=[two], tasks=[task], process=Process.hierarchical, manager_llm=scripted([[ask], "done"]))
    made = tried(managed, stubs={"search": "canned"})
    assert (made.status, made.verdict.failures, made.transcript.reply, ran) == ("passed", (), "done", [])
    assert seen(made) == [("delegate_work_to_coworker", None, "ran"), ("search", "writer", "stubbed")]


@pytest.mark.parametrize(
    ("said", "told"), [("Answer", "ask for nothing in braces"), ("{said} and {topic}", "ask for {said}, {topic}")]
)
def test_a_crew_that_asks_for_more_or_less_than_one_thing_is_refused(said: str, told: str) -> None:
    """With what to hand in instead."""
    with pytest.raises(UsageError) as raised:
        tried(crew(news(scripted(["hi"]), []), said=said))
    assert told in str(raised.value)
    assert "hand in a function of `said`" in str(raised.value)


def test_a_crew_takes_no_conversation() -> None:
    """So one is an error."""
    talk = [Message(role="user", content="hi"), Message(role="assistant", content="hello")]
    made = tried(crew(news(scripted(["hi"]), [])), conversation=talk)
    assert (made.status, "takes no conversation" in made.verdict.failures[0].message) == ("error", True)


def test_an_agent_object_is_refused() -> None:
    """A run leaves something behind on it."""
    from brute.eval import Suite

    with pytest.raises(UsageError, match="attempts would share that"):
        Suite(news(scripted(["hi"]), []), [Case("case", said="hello")])


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_calls_in_the_text_are_seen_and_stubbed(stubbed: bool) -> None:
    """Where a model has no means of its own for them."""
    step = 'Thought: look\nAction: lookup\nAction Input: {"word": "bank"}'
    model = scripted([step, "Thought: now I know\nFinal Answer: done"], native=False)
    made = tried(news(model, TOOLS), stubs={"lookup": "canned"} if stubbed else {})
    (call,) = made.transcript.calls
    assert (made.status, made.verdict.failures, made.transcript.reply) == ("passed", (), "done")
    assert (call.name, call.arguments, call.result, bool(call.id)) == (
        "lookup",
        {"word": "bank"},
        "canned" if stubbed else "looked up bank",
        True,
    )
    assert ran == ([] if stubbed else [("lookup", "bank")])


class Written(BaseTool):
    """A tool that was written as a class."""

    name: str = "Look it up"
    description: str = "Look."

    def _run(self, word: str) -> str:
        ran.append(("written", word))
        return f"looked up {word}"


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_a_tool_that_was_written_as_a_class_is_seen_and_stubbed(stubbed: bool) -> None:
    """By the name that the model is told."""
    made = tried(
        news(scripted([[("look_it_up", {"word": "bank"})], "done"]), [Written()]),
        stubs={"look_it_up": "canned"} if stubbed else {},
    )
    assert (made.status, seen(made)) == ("passed", [("look_it_up", None, "stubbed" if stubbed else "ran")])
    assert ran == ([] if stubbed else [("written", "bank")])


class Odd(Written):
    """One that is run in a way of its own."""

    def run(self, *args: Any, **given: Any) -> Any:
        return self._run(**given)


def test_a_tool_that_is_run_in_its_own_way_does_not_run_under_a_stub() -> None:
    """Whatever its class makes of it."""
    made = tried(news(scripted([[("look_it_up", {"word": "bank"})], "done"]), [Odd()]), stubs={"look_it_up": "canned"})
    assert (made.status, seen(made), ran) == ("passed", [("look_it_up", None, "stubbed")], [])


def test_a_tool_that_may_be_used_so_often_is_refused_after_that() -> None:
    """And its uses are counted on the tool itself."""
    one = tool("lookup")(TOOLS[1])
    one.max_usage_count = 1
    plan = [[("lookup", {"word": "a"})], [("lookup", {"word": "b"})], "done"]
    made = tried(news(scripted(plan), [one]), stubs={"lookup": "canned"})
    assert (made.status, [call.result for call in made.transcript.calls], ran) == ("passed", ["canned", None], [])
    assert "usage limit" in str(made.transcript.calls[1].error)
    assert one.current_usage_count == 1


@pytest.mark.parametrize("stubs", [{}, {"search": "canned"}], ids=["real", "stubbed"])
def test_a_hook_of_the_users_that_forbids_a_call_has_its_way(stubs: Any) -> None:
    """The tool does not run, and no stub is served."""

    def no(call: Any) -> bool:
        return False

    hooking.register_before_tool_call_hook(no)
    try:
        made = tried(news(scripted([ASKS, "done"]), TOOLS), stubs=stubs, never=["lookup"])
    finally:
        hooking.unregister_before_tool_call_hook(no)
    (call,) = made.transcript.calls
    assert (made.status, made.transcript.reply, ran) == ("passed", "done", [])
    assert (call.result, "blocked by hook" in str(call.error)) == (None, True)


@pytest.mark.parametrize(
    "settings",
    [
        {"tools": [{"type": "web_search"}]},
        {"tools": [{"google_search": {}}]},
        {"web_search_options": {}},
        {"extra_body": {"tools": [{"type": "web_search"}]}},
        {"extra_body": {"web_search_options": {}}},
    ],
    ids=str,
)
def test_what_the_provider_runs_can_not_be_told(settings: dict[str, Any]) -> None:
    """CrewAI hands on nothing of it."""
    agent = news(scripted(["done"], additional_params=settings), TOOLS)
    made = tried(agent, never=["search"])
    assert (made.status, "cannot tell" in made.verdict.failures[0].message) == ("error", True)
    assert tried(agent, unstubbed="refuse").status == "error"
    assert adapt(CrewAI().agent(["hi"])).blind == []  # type: ignore[attr-defined]


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_a_call_that_the_framework_answers_out_of_its_cache_is_seen(stubbed: bool) -> None:
    """As what it was the first time."""
    one = tool("lookup")(TOOLS[1])
    one.cache_function = lambda given, result: True
    plan = [[("lookup", {"word": "a"})], [("lookup", {"word": "a"})], "done"]
    agent = news(scripted(plan), [one], cache=True)
    made = tried(crew(agent, cache=True), stubs={"lookup": in_turn("one", "two")} if stubbed else {}, never=["search"])
    told, outcome = ("one", "stubbed") if stubbed else ("looked up a", "ran")
    assert (made.status, made.verdict.failures) == ("passed", ())
    assert [(call.outcome, call.result) for call in made.transcript.calls] == [(outcome, told)] * 2
    assert ran == ([] if stubbed else [("lookup", "a")])
    assert [message["content"] for message in agent.llm.shown[-1] if message["role"] == "tool"] == [told] * 2
    # What was served is forgotten with the turn.
    assert agent.tools_handler.cache._cache == {}


def test_a_run_that_can_not_be_ended_is_left_behind() -> None:
    """One that blocks in its model is marked, and holds up nobody."""
    held = threading.Event()

    class Blocks(Scripted):
        def call(self, messages: Any, *args: Any, **named: Any) -> Any:
            held.wait(20)
            return "late"

    made = tried(news(Blocks(model="scripted", plan=[]), []), deadline=0.5)
    held.set()
    assert (made.status, made.left_behind) == ("failed", True)


def test_nothing_leaves_for_the_servers_of_its_makers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its telemetry, its traces and its question for a newer version are off in a turn, and after it as they were."""
    names = ("CREWAI_DISABLE_TELEMETRY", "CREWAI_TRACING_ENABLED", "CREWAI_DISABLE_VERSION_CHECK")
    monkeypatch.setenv(names[0], "false")
    monkeypatch.delenv(names[1])
    told: list[Any] = []

    @tool("look")
    def look(word: str) -> str:
        """Look."""
        told.append(([os.environ.get(name) for name in names], Telemetry()._is_telemetry_disabled()))
        return word

    assert tried(news(scripted([[("look", {"word": "x"})], "done"]), [look])).status == "passed"
    assert told == [(["true", "false", "true"], True)]
    assert [os.environ.get(name) for name in names[:2]] == ["false", None]


def test_a_crew_with_an_agent_that_is_not_crewais_is_refused() -> None:
    """Of what such an agent does nobody hears."""
    made: dict[str, Any] = dict.fromkeys(BaseAgent.__abstractmethods__, lambda self, *given, **named: None)
    stranger = type("Stranger", (BaseAgent,), {**made, "__module__": __name__})
    other = stranger(role="other", goal="Tell.", backstory="None.", llm=scripted(["hi"]))
    task = Task(description="Answer {said}", expected_output="text", agent=other)
    with pytest.raises(UsageError, match="other is of Stranger, of whose run nothing can be seen or stubbed"):
        tried(Crew(agents=[other], tasks=[task]))

    def ask(question: str) -> str:
        """Ask the crew."""
        return str(within.kickoff(inputs={"said": question}))

    within = Crew(agents=[other], tasks=[task])
    with pytest.raises(UsageError, match="other is of Stranger"):
        tried(news(scripted(["hi"]), [ask]))


def test_structured_output_that_another_client_asks_for_is_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of which no tokens are known."""

    class Client:
        """What stands for the client."""

        def __init__(self, *given: Any, **named: Any) -> None:
            self.chat = self.completions = self

        def create(self, *given: Any, **named: Any) -> Any:
            """Answer."""
            return Rate(city="London", rate=4.25)

    monkeypatch.setattr(InternalInstructor, "_create_instructor_client", Client)
    one = news(scripted([ASKS, "It is 4.25 in London."]), TOOLS)
    task = Task(description="Answer {said}", expected_output="text", agent=one, output_json=Rate)
    crew = Crew(agents=[one], tasks=[task])
    made = tried(crew, stubs={"search": "canned"}, budget=Budget(tokens=1000))
    assert made.transcript.iterations == 3
    assert json.loads(made.transcript.reply) == {"city": "London", "rate": 4.25}
    assert [failure.message for failure in made.verdict.failures] == [
        "cannot tell tokens spent: the model reported no usage on 1 of 3 calls"
    ]
    assert tried(news(scripted(["hi"]), [])).status == "passed"


def test_runs_that_block_do_not_keep_the_process_from_ending() -> None:
    """Wherever CrewAI has put them."""
    made = subprocess.run(
        [sys.executable, "-c", ENDS],
        cwd=Path(__file__).parents[3],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=100,
    )
    left, told = made.stdout.split()[-2:]
    assert (left, made.returncode) == ("4", 0)
    assert time.time() - float(told) < 20


ENDS = """
import itertools, time
from brute.eval import Case
from tests.support.agents import report
from tests.support.frameworks.crewai import Scripted, crew, news

class Blocks(Scripted):
    def call(self, *given, **named):
        time.sleep(60)

def wait(word: str) -> str:
    "Wait."
    time.sleep(60)

def lookup(word: str) -> str:
    "Look."
    return word

PLAN = [[("wait", {"word": "x"}), ("wait", {"word": "y"})], "done"]
STEPS = [[("lookup", {"word": str(n)})] for n in range(3)] + ["done"]
made = iter([
    crew(news(Blocks(model="scripted"), [])),
    crew(news(Blocks(model="scripted"), [], max_execution_time=90)),
    crew(news(Scripted(model="scripted", plan=PLAN), [wait])),
    crew(news(Scripted(model="scripted", plan=STEPS), [lookup], max_rpm=1)),
])
cases = [Case(f"case {n}", said="hello") for n in range(4)]
attempts = report(lambda: next(made), cases, jobs=4, deadline=4).attempts
print(sum(each.left_behind for each in attempts), time.time(), flush=True)
"""


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_an_agent_that_another_kind_of_agent_runs_is_seen_and_stubbed(stubbed: bool) -> None:
    """Its turn is no crew's."""
    inner = news(scripted([ASKS, "found"]), TOOLS)
    adapt(inner)  # as a suite of this process did before

    @trace.agent(tools=["search"])
    async def agent(said: str) -> str:
        return str((await inner.kickoff_async(said)).raw)

    made = attempt(agent, Case("case", said="hello", stubs={"search": "canned"} if stubbed else {}), deadline=30)
    assert (made.status, made.verdict.failures, made.transcript.reply) == ("passed", (), "found")
    assert seen(made) == [("search", None, "stubbed" if stubbed else "ran")]
    assert CrewAI().results(inner) == (["canned"] if stubbed else ["live bank"])
    assert ran == ([] if stubbed else [("search", "bank")])


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside"])
def test_a_task_that_asks_for_somebodys_word_stops_the_turn_for_it(
    beside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is asked on the terminal."""
    monkeypatch.setattr("builtins.input", lambda *given: ran.append(("input", given)) or "")
    one = news(scripted([ASKS, "done"]), TOOLS)
    one.max_retry_limit = 2
    task = Task(
        description="Answer {said}", expected_output="text", agent=one, human_input=True, async_execution=beside
    )
    made = tried(Crew(agents=[one], tasks=[task]), stubs={"search": "canned"})
    assert (made.status, made.transcript.stopped, made.transcript.error, made.left_behind) == (
        "passed",
        "approval",
        None,
        False,
    )
    assert (seen(made), made.transcript.iterations, ran) == ([("search", None, "stubbed")], 2, [])


def test_a_tool_of_a_class_that_is_made_in_the_turn_is_seen() -> None:
    """Though it is run in a way of its own."""

    def ask(question: str) -> str:
        """Ask another."""
        kind: Any = type("Late", (Written,), {"run": lambda self, **given: self._run(**given), "__module__": __name__})
        other = news(scripted([[("look_it_up", {"word": "bank"})], "found"]), [kind()], role="other")
        return str(other.kickoff(question).raw)

    made = tried(news(scripted([[("ask", {"question": "rates"})], "done"]), [ask]), never=["look_it_up"])
    assert seen(made) == [("ask", None, "ran"), ("look_it_up", "other", "ran")]
    assert (made.status, ran) == ("failed", [("written", "bank")])


@pytest.mark.parametrize("case", [{"unstubbed": "refuse"}, {"budget": Budget(tool_calls=1)}], ids=["refuse", "budget"])
def test_a_task_beside_others_that_stops_the_turn_ends_it(case: dict[str, Any]) -> None:
    """The crew does not wait for it for ever."""
    plan = [[("lookup", {"word": "a"}), ("lookup", {"word": "b"})], "found"]
    first, last = news(scripted(plan), TOOLS, role="reader"), news(scripted(["done"]), [], role="writer")
    tasks = [
        Task(description="Answer {said}", expected_output="text", agent=each, async_execution=each is first)
        for each in (first, last)
    ]
    made = tried(Crew(agents=[first, last], tasks=tasks), **case)
    assert (made.status, made.left_behind, ran) == ("error" if "unstubbed" in case else "failed", False, [])


class Runs(Scripted):
    """A model that runs the tools by itself, as those of the providers do where they are handed the functions."""

    def call(self, messages: Any, *given: Any, **named: Any) -> Any:
        if any("by itself" in str(message["content"]) for message in messages):
            return super().call([{"role": "user", "content": "x"}, {"role": "assistant", "content": "x"}])
        return self.tool.run(question="x")  # type: ignore[attr-defined]


def test_what_a_tool_asks_that_the_model_runs_is_a_request_of_its_own() -> None:
    """The tool's, and not a part of the model's."""

    @tool("ask")
    def ask(question: str) -> str:
        """Ask the model."""
        return str(model.call([{"role": "user", "content": "by itself"}]))

    model = Runs(model="scripted", plan=["", "done"])
    model.__dict__["tool"] = ask
    made = tried(news(model, [ask]))
    assert (made.status, made.transcript.reply, seen(made)) == ("passed", "done", [("ask", None, "ran")])
    assert made.transcript.iterations == 2


def test_a_tool_that_may_be_used_once_is_used_once_by_tasks_side_by_side() -> None:
    """Its uses are counted on the tool itself, and before it runs."""
    began = threading.Barrier(2)

    class Meets(Scripted):
        def call(self, messages: Any, *given: Any, **named: Any) -> Any:
            if not self.shown:
                began.wait(20)
            return super().call(messages, *given, **named)

    @tool("lookup")
    def one(word: str) -> str:
        """Look a word up."""
        ran.append(("lookup", word))
        time.sleep(0.5)
        return word

    one.max_usage_count = 1
    plan = [[("lookup", {"word": "x"})], "done"]
    agents = [news(Meets(model="scripted", plan=plan), [one], role=f"reader {n}") for n in range(2)]
    last = news(scripted(["done"]), [], role="writer")
    tasks = [
        Task(description="Answer {said}", expected_output="text", agent=each, async_execution=each is not last)
        for each in [*agents, last]
    ]
    made = tried(Crew(agents=[*agents, last], tasks=tasks))
    assert (made.status, sorted(call.outcome for call in made.transcript.calls)) == ("passed", ["failed", "ran"])
    assert (len(ran), one.current_usage_count) == (1, 1)
