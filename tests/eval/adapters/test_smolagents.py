"""The adapter for smolagents keeps the contract."""

from __future__ import annotations

import contextlib
import http.server
import inspect
import json
import threading
import warnings
from pathlib import Path
from typing import Any, ClassVar

import anyio
import pytest

pytest.importorskip("smolagents.agents", reason="smolagents is not installed here")

from mcp import StdioServerParameters
from smolagents import CodeAgent, LocalPythonExecutor, Model, Tool, ToolCallingAgent, ToolCollection, tool
from smolagents.local_python_executor import CodeOutput, PythonExecutor
from smolagents.models import ChatMessageStreamDelta, ChatMessageToolCallStreamDelta

from brute import Message, ToolCall
from brute.errors import UsageError
from brute.eval import Case
from brute.eval.adapters import adapt
from brute.eval.adapters.line import within
from brute.eval.foreign import Turn
from brute.hooks import Watch
from tests.eval.adapters.rows import ASKS, Rows, seen, tried
from tests.support.agents import report
from tests.support.frameworks import TOOLS, mcp_command, ran
from tests.support.frameworks.smolagents import Chatty, Scripted, Smolagents, Writes, clients, news


@pytest.fixture(autouse=True)
def _clean() -> Any:
    ran.clear()
    yield
    while clients:
        clients.pop().disconnect()


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = Smolagents()


@tool
def capital(country: str, century: int = 21) -> str:
    """Name a capital.

    Args:
        country: of which country
        century: and when
    """
    ran.append(("capital", country))
    return f"capital of {country}"


def coder(plan: Any, tools: Any = (capital,), **more: Any) -> Any:
    """An agent that writes code."""
    return news(Writes(plan), tools, CodeAgent, **more)


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("capital('Peru')", {"country": "Peru"}),
        ("capital(country='Peru')", {"country": "Peru"}),
        ("capital('Peru', century=18)", {"country": "Peru", "century": 18}),
        ("capital('Peru', 18)", {"country": "Peru", "century": 18}),
        ("capital({'country': 'Peru'})", {"country": "Peru"}),
        ("[capital(each) for each in ['Peru']][0]", {"country": "Peru"}),
        ("list(map(capital, ['Peru']))[0]", {"country": "Peru"}),
    ],
)
def test_a_call_from_code_is_a_call(code: str, given: Any, stubbed: bool) -> None:
    """By name and arguments, as it was called; what it answers goes on in the code."""
    agent = coder([f"x = {code}\nprint(x)", "final_answer(x)"])
    made = tried(agent, stubs={"capital": "Lima"} if stubbed else {})
    (call,) = made.transcript.calls
    answer = "Lima" if stubbed else "capital of Peru"
    assert (made.status, made.verdict.failures, made.transcript.reply) == ("passed", (), answer)
    assert (call.name, call.arguments, call.executed, call.iteration) == ("capital", given, given, 1)
    assert (call.result, call.outcome, bool(ran)) == (answer, "stubbed" if stubbed else "ran", not stubbed)
    assert (made.transcript.iterations, made.transcript.tokens) == (2, 24)


@pytest.mark.parametrize(
    "code", ["capital()", "capital(land='Peru')", "capital('Peru', 1, 2)", "capital('a', country='b')"]
)
def test_a_stub_never_makes_a_bad_call_from_code_good(code: str) -> None:
    """The code reads an error, as it would of the tool's."""
    plan = [
        f"try:\n    print(capital(country='Chile'))\n    {code}\nexcept TypeError as error:\n    print('refused', error)",
        "final_answer('done')",
    ]
    for stubs in ({}, {"capital": "Lima"}):
        agent = coder(plan)
        made = tried(agent, stubs=stubs)
        first, second = made.transcript.calls
        assert (made.status, made.transcript.reply, first.error) == ("passed", "done", None)
        assert (second.result, second.error is not None) == (None, True)
        assert "refused" in str(Smolagents().results(agent))


def test_code_can_not_catch_what_stops_the_turn() -> None:
    """No further call is made."""
    agent = coder(["while True:\n    try:\n        capital('Peru')\n    except:\n        pass", "final_answer('done')"])
    made = tried(agent, stubs={"capital": lambda country: 1 / 0})
    assert (made.status, made.verdict.failures[0].kind, len(made.transcript.calls), ran) == (
        "error",
        "error.stub",
        1,
        [],
    )


def test_code_that_starts_threads_is_seen_and_stubbed() -> None:
    """A tool that generated code has belongs to the turn, on whatever thread."""
    code = (
        "from concurrent.futures import ThreadPoolExecutor\nfrom threading import Thread\n"
        "with ThreadPoolExecutor() as pool:\n    found = list(pool.map(capital, ['Peru', 'Chile']))\n"
        "one = Thread(target=capital, args=('Cuba',))\none.start()\none.join()\nfinal_answer(found)"
    )
    made = tried(coder([code], additional_authorized_imports=["*"]), stubs={"capital": "Lima"})
    assert (made.status, made.verdict.failures, made.transcript.reply, ran) == ("passed", (), '["Lima", "Lima"]', [])
    assert seen(made) == [("capital", None, "stubbed")] * 3


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_a_function_that_code_may_call_besides_tools_is_seen_and_stubbed(stubbed: bool) -> None:
    """As a tool is."""

    def shout(word: str, times: int = 1) -> str:
        ran.append(("shout", word))
        return word.upper() * times

    agent = coder(["final_answer(shout('hi', times=2))"])
    agent.python_executor = LocalPythonExecutor([], additional_functions={"shout": shout})
    made = tried(agent, stubs={"shout": "canned"} if stubbed else {})
    (call,) = made.transcript.calls
    assert (made.status, call.name, call.arguments) == ("passed", "shout", {"word": "hi", "times": 2})
    assert (made.transcript.reply, bool(ran)) == (("canned", False) if stubbed else ("HIHI", True))


def test_a_stub_never_makes_a_bad_call_of_such_a_function_good() -> None:
    """The code reads an error."""

    def shout(word: str) -> str:
        return word.upper()

    agent = coder(["try:\n    shout(words='hi')\nexcept TypeError:\n    final_answer('refused')"])
    agent.python_executor = LocalPythonExecutor([], additional_functions={"shout": shout})
    made = tried(agent, stubs={"shout": "canned"})
    (call,) = made.transcript.calls
    assert (made.transcript.reply, call.result, call.error is not None) == ("refused", None, True)


def test_code_that_runs_elsewhere_can_not_be_told() -> None:
    """Its tools are copies there, which nobody sees."""

    class Elsewhere(PythonExecutor):
        """Runs code, one knows not where."""

        def send_tools(self, tools: Any) -> None:
            """Take them away."""

        def send_variables(self, variables: Any) -> None:
            """Take them away."""

        def __call__(self, code_action: str) -> Any:
            ran.append(("elsewhere", code_action))
            return CodeOutput(output="done", logs="", is_final_answer=True)

    def agent() -> Any:
        made = coder(["capital('Peru')"])
        made.python_executor = Elsewhere()
        return made

    made = tried(agent(), stubs={"capital": "Lima"})
    assert (made.status, "capital" in made.verdict.failures[0].message, ran) == ("error", True, [])
    made = tried(agent(), never=["capital"])
    assert (made.status, "cannot tell" in made.verdict.failures[0].message) == ("error", True)


@pytest.mark.parametrize("kind", [ToolCallingAgent, CodeAgent])
@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_a_managed_agent_is_seen_and_stubbed(kind: Any, stubbed: bool) -> None:
    """With its own calls, and as a call itself."""
    inner = news(Scripted([ASKS, "found"]), TOOLS, name="inner", description="Knows.")
    model = (
        Writes(["final_answer(inner('rates', additional_args={}))"])
        if kind is CodeAgent
        else Scripted([[("inner", {"task": "rates", "additional_args": {}})], "done"])
    )
    made = tried(news(model, [], kind, managed_agents=[inner]), stubs={"search": "canned"} if stubbed else {})
    assert (made.status, made.verdict.failures) == ("passed", ())
    assert seen(made) == [("inner", None, "ran"), ("search", "inner", "stubbed" if stubbed else "ran")]
    assert (made.transcript.calls[0].arguments, bool(ran)) == ({"task": "rates", "additional_args": {}}, not stubbed)
    assert "found" in str(made.transcript.calls[0].result)
    assert made.transcript.iterations == (3 if kind is CodeAgent else 4)


@pytest.mark.parametrize("kind", [ToolCallingAgent, CodeAgent])
def test_a_managed_agent_can_be_stubbed_itself(kind: Any) -> None:
    """Then it does not run."""
    model = Scripted([ASKS, "found"])
    inner = news(model, TOOLS, name="inner", description="Knows.")
    outer = (
        Writes(["final_answer(inner(task='rates'))"])
        if kind is CodeAgent
        else Scripted([[("inner", {"task": "rates", "additional_args": {}})], "4.25%"])
    )
    made = tried(news(outer, [], kind, managed_agents=[inner]), stubs={"inner": "4.25%"})
    assert (made.status, seen(made), made.transcript.reply) == ("passed", [("inner", None, "stubbed")], "4.25%")
    assert (model.shown, ran) == ([], [])


def test_an_agent_that_a_managed_agent_manages_is_seen() -> None:
    """To whatever depth; calls of a manager that writes code among them."""
    deep = coder(["final_answer(capital('Peru'))"], name="deep", description="Knows.")
    middle = news(
        Scripted([[("deep", {"task": "x", "additional_args": {}})], "up"]),
        [],
        name="middle",
        description="Asks.",
        managed_agents=[deep],
    )
    made = tried(coder(["final_answer(middle('x'))"], [], managed_agents=[middle]), stubs={"capital": "Lima"})
    assert (made.status, made.verdict.failures, ran) == ("passed", (), [])
    assert seen(made) == [("middle", None, "ran"), ("deep", "middle", "ran"), ("capital", "deep", "stubbed")]


@pytest.mark.parametrize("stub", ["Lima", None, 7], ids=repr)
def test_what_a_decorated_function_answers_is_shown_as_the_framework_shows_it(stub: Any) -> None:
    """Its results are made texts, a stub's too."""

    @tool
    def real(country: str) -> str:
        """Name a capital.

        Args:
            country: of which country
        """
        return stub  # type: ignore[no-any-return]

    shown = []
    for given, stubs in ((capital, {"capital": stub}), (real, {})):
        agent = news(Scripted([[(given.name, {"country": "Peru"})], "done"]), [given])
        made = tried(agent, stubs=stubs)
        shown.append((made.status, [told.replace("real", "capital") for told in Smolagents().results(agent)]))
    assert shown[0] == shown[1]
    assert ran == []


def test_a_tool_that_calls_another_is_seen_and_stubbed() -> None:
    """Though the agent has it not."""

    @tool
    def both(country: str) -> str:
        """Call another tool.

        Args:
            country: of which country
        """
        return f"both: {capital(country)}"

    made = tried(news(Scripted([[("both", {"country": "Peru"})], "done"]), [both]), stubs={"capital": "Lima"})
    assert (made.status, made.verdict.failures, ran) == ("passed", (), [])
    assert {call.name: (call.outcome, call.result) for call in made.transcript.calls} == {
        "both": ("ran", "both: Lima"),
        "capital": ("stubbed", "Lima"),
    }


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_a_tool_with_a_call_of_its_own_is_one_call(stubbed: bool) -> None:
    """What it does before its body, and what it loads at first, is not done under a stub."""

    class Loads(Tool):
        """A tool that takes its time at first."""

        name, description, output_type = "loads", "Load.", "string"
        inputs: ClassVar = {"word": {"type": "string", "description": "a word"}}

        def setup(self) -> None:
            """Load."""
            ran.append(("setup", ""))
            super().setup()

        def __call__(self, *given: Any, **named: Any) -> Any:
            ran.append(("call", ""))
            return super().__call__(*given, **named)

        def forward(self, word: str) -> str:
            """Answer."""
            return f"loaded {word}"

    one = Loads()
    plan = [[("loads", {"word": "x"})], [("loads", {"word": "y"})], "done"]
    made = tried(news(Scripted(plan), [one]), stubs={"loads": "canned"} if stubbed else {})
    assert (made.status, seen(made)) == ("passed", [("loads", None, "stubbed" if stubbed else "ran")] * 2)
    assert ran == ([] if stubbed else [("call", ""), ("setup", ""), ("call", "")])
    assert one.is_initialized is not stubbed


def test_an_answer_that_is_handed_over_by_a_tool_of_the_users_is_a_call() -> None:
    """And it can be stubbed."""

    @tool
    def final_answer(answer: str) -> str:
        """Answer.

        Args:
            answer: the answer
        """
        ran.append(("final_answer", answer))
        return answer.upper()

    made = tried(news(Scripted(["done"]), [final_answer]))
    assert (made.transcript.reply, seen(made)) == ("DONE", [("final_answer", None, "ran")])
    ran.clear()
    made = tried(news(Scripted(["done"]), [final_answer]), stubs={"final_answer": "canned"})
    assert (made.transcript.reply, seen(made), ran) == ("canned", [("final_answer", None, "stubbed")], [])


class Streams(Scripted):
    """A model that answers bit by bit."""

    def generate_stream(self, messages: Any, *given: Any, **named: Any) -> Any:
        """The next step."""
        made = Scripted.generate(self, messages)
        for place, asked in enumerate(made.tool_calls or ()):
            yield ChatMessageStreamDelta(
                tool_calls=[
                    ChatMessageToolCallStreamDelta(index=place, id=asked.id, type="function", function=asked.function)
                ]
            )
        yield ChatMessageStreamDelta(content="", token_usage=made.token_usage)


def test_an_agent_that_streams_is_seen_and_stubbed() -> None:
    """Its requests count once each."""
    made = tried(news(Streams([ASKS, "done"]), TOOLS, stream_outputs=True), stubs={"search": "canned"})
    assert (made.status, made.verdict.failures, made.transcript.reply, ran) == ("passed", (), "done", [])
    assert (seen(made), made.transcript.iterations, made.transcript.tokens) == ([("search", None, "stubbed")], 2, 24)


def test_an_inner_agent_whose_steps_are_taken_one_by_one_is_seen() -> None:
    """Who takes them is not in its turn."""
    inner = news(Scripted([ASKS, "found"]), TOOLS, name="inner", description="Knows.")

    @tool
    def ask(question: str) -> str:
        """Ask.

        Args:
            question: what
        """
        steps = []
        for step in inner.run(question, stream=True):
            capital("Peru")
            steps.append(step)
        return str(steps[-1].output)

    made = tried(news(Scripted([[("ask", {"question": "rates"})], "done"]), [ask]), stubs={"search": "canned"})
    assert (made.status, made.verdict.failures) == ("passed", ())
    assert {(call.name, call.agent) for call in made.transcript.calls} == {
        ("ask", None),
        ("search", "inner"),
        ("capital", None),
    }
    assert made.transcript.iterations == 4


def test_a_model_that_asks_another_is_asked_once() -> None:
    """What it asks in its turn is a part of that."""

    class Falls(Model):
        """A model that has another to fall back on."""

        def __init__(self) -> None:
            super().__init__(model_id="falls")
            self.first, self.second = Scripted(["down"]), Scripted(["done"])

        def generate(self, *given: Any, **named: Any) -> Any:
            """Ask the first, then the second."""
            try:
                return self.first.generate(*given, **named)
            except ConnectionError:
                return self.second.generate(*given, **named)

    made = tried(news(Falls(), TOOLS))
    assert (made.status, made.transcript.iterations, made.transcript.tokens, made.transcript.reply) == (
        "passed",
        1,
        12,
        "done",
    )


def test_a_model_that_can_not_be_heard_is_refused() -> None:
    """Before anything is asked."""
    model = Scripted(["done"])
    model.generate = lambda *given, **named: None  # type: ignore[method-assign]
    with pytest.raises(UsageError, match="nothing could be seen of what it is asked"):
        adapt(news(model, TOOLS))


def test_calls_that_a_model_writes_as_text_are_seen_and_stubbed() -> None:
    """As older models do."""

    class Texts(Scripted):
        """A model without calls of its own."""

        def played(self, step: Any, said: int) -> dict[str, Any]:
            """The call as text."""
            name, given = step[0] if isinstance(step, list) else ("final_answer", {"answer": step})
            return {"content": f"Action:\n{json.dumps({'name': name, 'arguments': given})}"}

    made = tried(news(Texts([ASKS, "done"]), TOOLS), stubs={"search": "canned"})
    assert (made.status, seen(made), made.transcript.reply, ran) == (
        "passed",
        [("search", None, "stubbed")],
        "done",
        [],
    )


def test_the_steps_that_an_agent_may_take_end_as_in_the_framework() -> None:
    """The model is asked for an answer, which is a request like any other; and so is one for a plan."""
    agent = news(Scripted([ASKS, "never said"]), TOOLS, max_steps=1, planning_interval=1)
    agent.model.played = lambda step, said: (
        Scripted.played(agent.model, step, said) if len(agent.model.shown) == 2 else {"content": "so far"}
    )
    made = tried(agent, stubs={"search": "canned"})
    assert (made.transcript.reply, made.transcript.iterations, made.transcript.names) == ("so far", 3, ["search"])


def test_checks_of_the_answer_that_the_user_made_are_made() -> None:
    """A bad answer is asked for again."""
    checked: list[str] = []

    def check(answer: Any, memory: Any, agent: Any = None) -> bool:
        checked.append(answer)
        return len(checked) > 1

    made = tried(
        news(Scripted([[("final_answer", {"answer": "bad"})], "never", "done"]), [], final_answer_checks=[check])
    )
    assert (made.transcript.reply, made.transcript.iterations, checked) == ("done", 2, ["bad", "done"])


def test_a_conversation_with_calls_in_it_is_handed_over() -> None:
    """As an agent remembers it."""
    asked = ToolCall(name="search", arguments={"query": "x"}, id="c1")
    talk = [
        Message(role="user", content="rates?"),
        Message(role="assistant", content="", tool_calls=(asked,)),
        Message(role="tool", content="4.25%", tool_call_id="c1"),
        Message(role="assistant", content="4.25%"),
    ]
    agent = news(Scripted(["done"]), TOOLS)
    made = tried(agent, conversation=talk, said="sure?")
    told = [text for _, text in Smolagents().history(agent)[1:]]
    assert (made.status, told[0], told[-2:]) == ("passed", "rates?", ["4.25%", "sure?"])
    assert ("'search'" in told[1], "4.25%" in told[2]) == (True, True)


@pytest.mark.parametrize("kind", [ToolCallingAgent, CodeAgent])
def test_a_thread_that_is_left_in_a_tool_stops_where_it_comes_out(kind: Any) -> None:
    """No other tool runs, and no model is asked."""
    go, over = threading.Event(), threading.Event()

    @tool
    def waits(country: str) -> str:
        """Wait.

        Args:
            country: for whom
        """
        go.wait(30)
        return "at last"

    class Tells(kind):  # type: ignore[misc]
        """An agent that says when it is done."""

        def run(self, *given: Any, **named: Any) -> Any:
            """Run."""
            try:
                return super().run(*given, **named)
            finally:
                over.set()

    code = "try:\n    waits('x')\nexcept:\n    pass\ncapital('Peru')"
    model = (
        Writes([code] * 9)
        if kind is CodeAgent
        else Scripted([[("waits", {"country": "x"})]] + [[("capital", {"country": "x"})]] * 9)
    )
    made = tried(news(model, [waits, capital], Tells), deadline=0.3)
    assert (made.status, made.left_behind) == ("failed", True)
    assert made.verdict.failures[0].message == "stopped after 0.3 seconds; still in tool waits"
    assert made.transcript.notes[-1] == "left behind, still running: tool waits"
    go.set()
    assert over.wait(10)
    assert (ran, len(model.shown)) == ([], 1)


def test_a_thread_that_comes_out_of_its_tool_in_time_is_not_left_behind() -> None:
    """It is interrupted."""

    @tool
    def naps(country: str) -> str:
        """Sleep a little.

        Args:
            country: where
        """
        threading.Event().wait(0.6)
        return "awake"

    agent = news(Scripted([[("naps", {"country": "x"})]] * 9), [naps])
    made = tried(agent, deadline=0.3)
    assert (made.status, made.left_behind, len(agent.model.shown)) == ("failed", False, 1)


def test_a_stub_that_hangs_leaves_nothing_behind() -> None:
    """It runs on the loop, where it can be cancelled, and whoever waits for it with it."""

    async def hangs(query: str) -> str:
        await anyio.sleep_forever()
        return "never"

    agent = news(Scripted([ASKS] * 9), TOOLS)
    made = tried(agent, stubs={"search": hangs}, deadline=0.3)
    assert (made.status, made.left_behind, len(agent.model.shown)) == ("failed", False, 1)


def test_tools_of_a_servers_collection_are_seen_and_stubbed_in_code(tmp_path: Path) -> None:
    """As they are by an agent that calls them."""
    command = mcp_command(tmp_path / "notes")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        opened = ToolCollection.from_mcp(
            StdioServerParameters(command=command[0], args=command[1:]), trust_remote_code=True
        )
        with opened as found:
            plan = ["final_answer(search(query='bank'))"]
            real = tried(coder(plan, found.tools))
            made = tried(coder(plan, found.tools), stubs={"search": "canned"})
            plan = ["try:\n    search('bank')\nexcept ValueError:\n    final_answer('refused')"]
            bad = [tried(coder(plan, found.tools), stubs=stubs) for stubs in ({}, {"search": "canned"})]
    assert [(each.status, each.transcript.reply) for each in (real, made)] == [
        ("passed", "live bank"),
        ("passed", "canned"),
    ]
    assert [(each.transcript.reply, each.transcript.calls[0].result) for each in bad] == [("refused", None)] * 2
    assert (tmp_path / "notes").read_text() == "bank\n"


def test_an_agent_that_is_built_in_the_turn_is_seen() -> None:
    """Its model and its tools with it; what they spend is spent."""

    class Other(Model):
        """A model of a class of its own."""

        def generate(self, messages: Any, *given: Any, **named: Any) -> Any:
            """The next step."""
            return Scripted([[("lookup", {"word": "x"})], "found"]).generate(messages)

    @tool
    def ask(question: str) -> str:
        """Ask.

        Args:
            question: what
        """
        return str(news(Other(model_id="other"), TOOLS, name="inner").run(question))

    made = tried(news(Scripted([[("ask", {"question": "rates"})], "done"]), [ask]))
    assert (made.status, seen(made)) == ("passed", [("ask", None, "ran"), ("lookup", "inner", "ran")])
    assert (made.transcript.iterations, made.transcript.tokens) == (4, 48)


def test_an_agent_built_in_the_turn_that_can_not_be_heard_stops_it() -> None:
    """Whoever catches what is raised."""

    @tool
    def ask(question: str) -> str:
        """Ask.

        Args:
            question: what
        """
        model = Scripted(["found"])
        model.generate = model.generate  # type: ignore[method-assign]
        return str(news(model, TOOLS, name="inner").run(question))

    made = tried(news(Scripted([[("ask", {"question": "rates"})], "done"]), [ask]))
    assert (made.status, "nothing could be seen" in made.verdict.failures[0].message) == ("error", True)


def test_attempts_that_share_a_managed_agent_are_refused() -> None:
    """Its memory would be theirs together."""
    inner = news(Scripted([[("lookup", {"word": "x"})], "found"]), TOOLS, name="inner", description="Knows.")
    waiting = threading.Barrier(2)

    @tool
    def meets(word: str) -> str:
        """Wait for another attempt.

        Args:
            word: a word
        """
        waiting.wait(0.5)
        return word

    async def build() -> Any:
        return news(Scripted([[("meets", {"word": "x"})], "done"]), [meets], managed_agents=[inner])

    made = report(build, [Case("one", said="hello"), Case("two", said="hello")], jobs=2)
    failures = [failure.message for each in made.attempts for failure in each.verdict.failures]
    assert len(failures) == 1
    assert "'inner' is in the turn of another attempt" in failures[0]


takes_executors = pytest.mark.skipif(
    "executor" not in inspect.signature(CodeAgent.__init__).parameters,
    reason="this smolagents makes its executors itself",
)


@takes_executors
def test_attempts_that_share_an_executor_are_refused() -> None:
    """Its state and its tools would be theirs together."""
    executor, waiting = LocalPythonExecutor([]), threading.Barrier(2)

    @tool
    def meets(word: str) -> str:
        """Wait for another attempt.

        Args:
            word: a word
        """
        with contextlib.suppress(threading.BrokenBarrierError):
            waiting.wait(0.5)
        return word

    async def build() -> Any:
        return coder(["meets('x')\nfinal_answer(capital('Peru'))"], [meets, capital], executor=executor)

    cases = [Case(name, said="hello", stubs={"capital": name}) for name in ("one", "two")]
    made = report(build, cases, jobs=2)
    failures = [failure.message for each in made.attempts for failure in each.verdict.failures]
    assert len(failures) == 1
    assert "the executor of 'CodeAgent' is in the turn of another attempt" in failures[0]
    assert [(each.case.name, each.transcript.reply) for each in made.attempts if each.status == "passed"] == [
        (each.case.name, each.case.name) for each in made.attempts if not each.verdict.failures
    ]
    waiting.reset()
    assert [each.status for each in report(build, cases, jobs=1).attempts] == ["passed"] * 2


@takes_executors
@pytest.mark.parametrize("inside", [True, False], ids=["in another turn", "outside"])
def test_a_run_that_takes_the_executor_of_a_turn_is_refused(inside: bool) -> None:
    """Be it of an agent that was built in another turn, or of one that is in none."""
    executor, told = LocalPythonExecutor([]), []
    plan = ["final_answer(capital('Peru'))"]

    @tool
    def takes(word: str) -> str:
        """Run another agent.

        Args:
            word: a word
        """
        return str(coder(plan, executor=executor).run(word))

    @tool
    def meets(word: str) -> str:
        """Run another agent elsewhere.

        Args:
            word: a word
        """

        def go() -> None:
            try:
                if inside:
                    told.append(tried(news(Scripted([[("takes", {"word": "x"})], "done"]), [takes])).status)
                else:
                    coder(plan, executor=executor).run("hello")
            except BaseException as error:
                told.append(str(error))

        thread = threading.Thread(target=go)
        thread.start()
        thread.join(30)
        return word

    agent = coder(["meets('x')\nfinal_answer(capital('Peru'))"], [meets, capital], executor=executor)
    made = tried(agent, stubs={"capital": "Lima"})
    if inside:
        assert (told, made.status, made.transcript.reply, ran) == (["error"], "passed", "Lima", [])
    else:
        assert (made.status, "was shared with the turn of another attempt" in told[0], ran) == ("error", True, [])
        assert coder(plan, executor=executor).run("hello") == "capital of Peru"


@pytest.mark.parametrize("code", ["def kept(word):\n    return capital(word)", "kept = capital"])
def test_what_generated_code_left_in_the_state_calls_the_tools_of_whoever_runs_the_agent(code: str) -> None:
    """No turn that is over."""
    agent = coder([f"{code}\nfinal_answer(kept('Peru'))", "final_answer(kept('Chile'))"])
    agent.model.played = lambda step, said: Writes.played(agent.model, agent.model.plan[len(agent.model.shown) - 1], 0)
    agent.model.plan.append(agent.model.plan[-1])
    assert tried(agent, stubs={"capital": "Lima"}).transcript.reply == "Lima"
    assert (agent.run("again", reset=False), ran) == ("capital of Chile", [("capital", "Chile")])
    made = tried(agent, stubs={"capital": "Santiago"})
    assert (made.transcript.reply, seen(made), len(ran)) == ("Santiago", [("capital", None, "stubbed")], 1)


@pytest.mark.parametrize(
    ("answer", "kind"), [(b"<html>a gateway</html>", "text/html"), (b'{"choices": null}', "application/json")]
)
def test_an_answer_that_can_not_be_read_is_the_providers(answer: bytes, kind: str) -> None:
    """And no failure of the agent's."""

    class Gateway(http.server.BaseHTTPRequestHandler):
        """Answers with something that is no completion."""

        def log_message(self, *given: Any) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            """Answer."""
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gateway) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        made = tried(news(Chatty("m", api_base=url, api_key="none"), TOOLS))
        server.shutdown()
    (failure,) = made.verdict.failures
    assert (made.status, failure.kind) == ("error", "error.model")
    assert "smolagents can't read what the provider answered: " in failure.message


def test_a_slip_in_a_model_of_the_users_is_the_agents() -> None:
    """Though it is of the same type."""

    class Slips(Scripted):
        """A model that is not right."""

        def generate(self, *given: Any, **named: Any) -> Any:
            """Slip."""
            return self.nothing.there  # type: ignore[attr-defined]

    made = tried(news(Slips(["done"]), TOOLS))
    assert (made.status, "AttributeError" in made.verdict.failures[0].message) == ("failed", True)


def test_calls_of_one_id_of_which_the_framework_runs_one_are_an_error_where_they_are_stubbed() -> None:
    """Nobody knows what became of the other."""

    class Repeats(Scripted):
        """A model that uses an id twice."""

        def played(self, step: Any, said: int) -> dict[str, Any]:
            """The calls, of one id."""
            made = super().played(step, said)
            for each in made["tool_calls"]:
                each.id = "same"
            return made

    plan = [[("search", {"query": "a"}), ("search", {"query": "b"})], "done"]
    made = tried(news(Repeats(plan), TOOLS), stubs={"search": "canned"})
    assert (made.status, made.verdict.failures[0].kind, ran) == ("error", "error.stub", [])


def test_outside_a_turn_nothing_changes() -> None:
    """Tools run, models answer, streams stream."""
    tried(news(Scripted(["hi"]), []))
    agent = coder(["final_answer(capital('Peru'))"])
    assert agent.run("hello") == "capital of Peru"
    assert [*agent.run("hello", stream=True)][-1].output == "capital of Peru"
    assert news(Streams([ASKS, "done"]), TOOLS, stream_outputs=True).run("hello") == "done"
    assert capital("Peru") == "capital of Peru"
    assert [name for name, _ in ran] == ["capital", "capital", "search", "capital"]


def test_a_tool_that_is_called_in_another_frameworks_turn_is_a_mere_function() -> None:
    """It may be the body of a tool of that framework's, which is the call."""
    adapt(news(Scripted(["done"]), TOOLS))
    watch, heard = Watch(), list[Any]()
    watch.last.on("before_tool", heard.append)

    @tool
    def search(query: str) -> str:
        """Search.

        Args:
            query: what
        """
        return f"{query} found"

    with within(Turn(watch)):
        assert search(query="rates") == "rates found"
    assert heard == []
