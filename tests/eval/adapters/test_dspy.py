"""The adapter for DSPy keeps the contract."""

from __future__ import annotations

import pytest

pytest.importorskip("dspy.primitives", reason="dspy is not installed here")

import ast
import contextlib
import io
import json
from collections.abc import Callable
from typing import Any

import dspy

from brute import Message
from brute.errors import UsageError
from brute.eval import Budget, Case, in_turn, trace
from brute.eval.adapters import adapt
from tests.eval.adapters.rows import ASKS, Rows, row, seen, tried
from tests.support.agents import attempt, report
from tests.support.cassettes import Fault, serve
from tests.support.frameworks import TOOLS, ran
from tests.support.frameworks.dspy import DSPy, Scripted, asked, fields, news
from tests.support.newsroom import Newsroom

pytestmark = [
    pytest.mark.filterwarnings("ignore:Implementing custom LMs:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Passing OpenAI-style message:DeprecationWarning"),
    # What LiteLLM and Pydantic, of which older ones are made, have with each other.
    pytest.mark.filterwarnings("ignore:Items? .*ReadOnly:UserWarning"),
]


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    ran.clear()
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or its import would reach for the network


class TestRows(Rows):
    """The rows that every adapter passes. `ReAct` asks for one tool at a time, for one that ends it, and then for the answer."""

    kit = DSPy()

    @row(1)
    def test_calls_stand_as_asked_whichever_ends_first(self) -> None:
        """One after the other."""
        plan = [[("search", {"query": "a"}), ("search", {"query": "b"})], [("lookup", {"word": "c"})], "done"]
        seen = self.tried(self.kit.agent(plan)).transcript
        assert [(call.name, call.arguments, call.iteration, call.result) for call in seen.calls] == [
            ("search", {"query": "a"}, 1, "live a"),
            ("search", {"query": "b"}, 2, "live b"),
            ("lookup", {"word": "c"}, 3, "looked up c"),
        ]
        assert len({call.id for call in seen.calls}) == 3

    @row(1)
    def test_a_call_to_an_unknown_tool_is_seen(self) -> None:
        """DSPy refuses it, asks once more for JSON, and gives up."""
        made = self.tried(self.kit.agent([[("serch", {"query": "bank"})], "done"]), never=["fetch"])
        calls = made.transcript.calls
        assert [(call.name, call.arguments, call.outcome) for call in calls] == [
            ("serch", {"query": "bank"}, "failed")
        ] * len(calls)
        assert (made.status, bool(calls), ran) == ("failed", True, [])
        assert "the turn raised AdapterParseError" in made.verdict.failures[0].message
        assert self.tried(self.kit.agent([[("serch", {})], "done"]), never=["serch"]).status != "passed"

    @row(2)
    def test_tokens_iterations_model_and_reply_are_seen(self) -> None:
        """Request by request: the call, the end, the answer."""
        made = self.tried(self.kit.agent([ASKS, "done"]), budget=Budget(tokens=36, iterations=3, tool_calls=1))
        seen = made.transcript
        assert (made.status, seen.iterations, seen.tokens, seen.reply) == ("passed", 3, 36, "done")
        used = [
            (each.iteration, each.usage.input, each.usage.output, each.model) for each in seen.requests if each.usage
        ]
        assert used == [(number, 10, 2, "scripted") for number in (1, 2, 3)]

    @row(2)
    def test_the_conversation_is_seen(self) -> None:
        """What was said, asked, answered, and said at last, after it was said that nothing more is asked."""
        seen = self.tried(self.kit.agent([ASKS, "done"])).transcript
        told = [(message.role, message.content) for message in seen.messages if message.role != "system"]
        asked = [("user", "hello"), ("assistant", ""), ("tool", "live bank")]
        assert told == [*asked, ("assistant", ""), ("assistant", "done")]
        assert seen.messages[-3].tool_call_id == seen.calls[0].id

    @row(3)
    @pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
    def test_an_agent_inside_a_tool_is_seen_and_stubbed(self, stubbed: bool) -> None:
        """What the tool's function calls it stands on its calls."""
        agent = self.kit.inner([[("ask", {"question": "rates"})], "done"], [ASKS, "found"])
        made = self.tried(agent, stubs={"search": "canned"} if stubbed else {})
        assert (made.status, made.verdict.failures) == ("passed", ())
        assert [(call.name, call.agent, call.outcome) for call in made.transcript.calls] == [
            ("ask", None, "ran"),
            ("search", "inner", "stubbed" if stubbed else "ran"),
        ]
        assert ran == ([] if stubbed else [("search", "bank")])
        assert (made.transcript.iterations, made.transcript.reply) == (6, "done")

    @row(6)
    @pytest.mark.parametrize(
        ("budget", "sentence", "live"),
        [
            (Budget(tool_calls=1), "spent 2 tool calls, budget 1", [("search", "a")]),
            (Budget(tokens=11), "spent 12 tokens, budget 11", []),
            (Budget(iterations=1), "spent 2 iterations, budget 1", [("search", "a")]),
        ],
        ids=["tool_calls", "tokens", "iterations"],
    )
    def test_a_spent_budget_stops_the_turn_at_the_next_hook(self, budget: Budget, sentence: str, live: Any) -> None:
        """What it does not allow is not done."""
        made = self.tried(
            self.kit.agent([[("search", {"query": "a"}), ("lookup", {"word": "b"})], "done"]), budget=budget
        )
        assert (made.status, made.verdict.failures[0].message, ran) == ("failed", sentence, live)


def program(forward: Callable[..., Any], **parts: Any) -> Any:
    """A program that was written by hand."""
    name = "aforward" if forward.__name__ == "aforward" else "forward"
    made = type("Program", (dspy.Module,), {name: forward})()
    for part, value in parts.items():
        setattr(made, part, value)
    return made


def look(word: str) -> str:
    """Look a word up."""
    ran.append(("look", word))
    if word == "raise":
        raise OSError("down")
    return f"looked up {word}"


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
@pytest.mark.parametrize("given", [{"word": "bank"}, {"word": "raise"}, {"w": 1}, {}], ids=str)
def test_a_program_that_blocks_is_seen_and_stubbed(given: Any, stubbed: bool) -> None:
    """On a thread of its own, where its tools run as well."""

    def forward(self: Any, question: str) -> Any:
        return self.react(question=question)

    agent = program(forward, react=news(Scripted([[("look", given)], "done"]), [look], "question -> answer"))
    made = tried(agent, stubs={"look": "canned"} if stubbed else {})
    (call,) = made.transcript.calls
    fits, breaks = "word" in given, given.get("word") == "raise"
    assert (made.status, made.transcript.reply, call.arguments) == ("passed", "done", given)
    assert ran == ([("look", given["word"])] if fits and not stubbed else [])
    if fits:
        assert call.outcome == ("stubbed" if stubbed else "failed" if breaks else "ran")
        assert call.result == ("canned" if stubbed else None if breaks else "looked up bank")
    else:
        assert (call.result, call.error is not None) == (None, True)
    shown = asked(agent.react).shown[-1][-1]["content"]
    assert "src/brute" not in shown
    if given == {}:
        assert "look() missing 1 required positional argument: 'word'" in shown


@pytest.mark.parametrize("convert", [False, True])
def test_an_async_tool_of_a_program_that_blocks_is_as_dspy_has_it(convert: bool) -> None:
    """Refused, unless it was said that it may be converted."""

    async def later(word: str) -> str:
        ran.append(("later", word))
        return f"later {word}"

    def forward(self: Any, question: str) -> Any:
        with dspy.context(allow_tool_async_sync_conversion=convert):
            return self.react(question=question)

    plan = [[("later", {"word": "x"})], "done"]
    made = tried(program(forward, react=news(Scripted(plan), [later], "question -> answer")))
    (call,) = made.transcript.calls
    assert (call.outcome, ran) == (("ran", [("later", "x")]) if convert else ("failed", []))
    made = tried(program(forward, react=news(Scripted(plan), [later], "question -> answer")), stubs={"later": "canned"})
    assert (made.transcript.calls[0].outcome, made.transcript.calls[0].result) == ("stubbed", "canned")


def test_what_the_model_is_shown_has_no_line_of_ours() -> None:
    """Though DSPy shows it the traceback of what a tool raised."""
    agent = news(Scripted([[("breaks", {"query": "x"})], "done"]), TOOLS)
    tried(agent)
    shown = asked(agent).shown[-1][-1]["content"]
    assert ("Traceback" in shown or "OSError" in shown, "src/brute" in shown, "brute/eval" in shown) == (
        True,
        False,
        False,
    )


@pytest.mark.parametrize("how", ["list", "dict", "tools", "names"])
def test_a_call_that_executes_itself_is_seen_and_stubbed(how: str) -> None:
    """By `ToolCall.execute`, whatever it is given to find the tool in."""
    if not hasattr(dspy.ToolCalls.ToolCall, "execute"):
        pytest.skip("an older version")
    tool = dspy.Tool(look)

    def forward(self: Any, question: str) -> Any:
        call = dspy.ToolCalls.ToolCall(name="look", args={"word": question})
        given = {"list": [self.tool], "dict": {"look": look}, "tools": {"look": self.tool}, "names": None}[how]
        return str(call.execute(given) if given else call.execute())

    made = tried(program(forward, tool=tool), stubs={"look": "canned"})
    assert (made.status, made.transcript.reply, seen(made), ran) == (
        "passed",
        "canned",
        [("look", None, "stubbed")],
        [],
    )
    made = tried(program(forward, tool=tool))
    assert (made.transcript.reply, seen(made), ran) == ("looked up hello", [("look", None, "ran")], [("look", "hello")])


def test_what_a_program_calls_in_threads_is_seen_and_stubbed() -> None:
    """By `dspy.Parallel`, whose threads have no context of the turn's."""

    def forward(self: Any, question: str) -> Any:
        pairs = [(self.react, {"question": word}) for word in ("a", "b", "c")]
        done = dspy.Parallel(num_threads=3, disable_progress_bar=True)(pairs)
        return " ".join(each.answer for each in done)

    react = news(Scripted([[("look", {"word": "x"})], "done"]), [look], "question -> answer")
    case = Case("case", said="hello", stubs={"look": "canned"}, budget=Budget(tokens=108))
    (made,) = report(program(forward, react=react), [case]).attempts
    assert (made.status, made.verdict.failures, made.transcript.reply) == ("passed", (), "done done done")
    assert (seen(made), ran, made.transcript.tokens) == ([("look", None, "stubbed")] * 3, [], 108)


def test_a_second_agent_of_a_program_is_an_inner_one() -> None:
    """It is called what the program calls it."""

    async def aforward(self: Any, question: str) -> Any:
        found = await self.reader.acall(question=question)
        return await self.writer.acall(question=found.answer)

    reader = news(Scripted([[("look", {"word": "a"})], "found"]), [look], "question -> answer")
    writer = news(Scripted([[("look", {"word": "b"})], "written"]), [look], "question -> answer")
    made = tried(program(aforward, reader=reader, writer=writer), stubs={"look": "canned"})
    assert (made.status, made.transcript.reply, made.transcript.iterations) == ("passed", "written", 6)
    assert (seen(made), ran) == ([("look", None, "stubbed"), ("look", "writer", "stubbed")], [])


@pytest.mark.parametrize(
    ("signature", "told"),
    [
        ("question, context -> answer", "input fields question, context"),
        ("question -> answer, why", "output fields answer, why"),
    ],
)
def test_a_program_of_several_fields_is_refused(signature: str, told: str) -> None:
    """With what to hand in instead."""
    with pytest.raises(UsageError, match=rf"ReAct of DSPy has the {told}.* hand in a function of `said`"):
        tried(news(Scripted(["hi"]), [], signature))


def test_what_a_program_answers_in_several_fields_is_an_error() -> None:
    """Where that was not known before."""

    def forward(self: Any, question: str) -> Any:
        return dspy.Prediction(answer="yes", why="so")

    made = tried(program(forward))
    assert (made.status, made.verdict.failures[0].kind) == ("error", "error.build")
    assert "the output fields answer, why" in made.verdict.failures[0].message


def test_a_conversation_needs_a_field() -> None:
    """Or it is an error, since the program could not know of it."""
    talk = [Message(role="user", content="hi"), Message(role="assistant", content="hello")]
    made = tried(news(Scripted(["hi"]), [], "question -> answer"), conversation=talk)
    assert (made.status, "dspy.History" in made.verdict.failures[0].message) == ("error", True)


def test_what_runs_as_text_in_an_interpreter_is_an_error_where_it_is_stubbed() -> None:
    """And nobody can tell whether it was called."""
    if not hasattr(dspy, "LocalInterpreter"):
        pytest.skip("an older version, whose only interpreter is Deno's")
    with pytest.warns(DeprecationWarning, match="CodeAct"):
        made = dspy.CodeAct("question -> answer", tools=[look], interpreter_factory=dspy.LocalInterpreter)
    made.set_lm(Scripted(["hi"]))
    found = tried(made, stubs={"look": "canned"})
    assert (found.status, ran) == ("error", []), found.verdict
    assert "look" in found.verdict.failures[0].message
    assert adapt(made).blind == ["calls"]  # type: ignore[attr-defined]


class Texts:
    """An interpreter that runs text in this process, and calls the functions that it is handed."""

    def __init__(self) -> None:
        self.tools: dict[str, Any] = {}
        self.held: dict[str, Any] = {"ran": ran, "__name__": "sandbox"}

    def start(self) -> None:
        """Nothing has to be done."""

    def shutdown(self) -> None:
        """Nothing has to be done."""

    def execute(self, code: str, variables: Any = None) -> Any:
        """What its last line is, or what it prints."""
        self.held |= {**self.tools, **(variables or {})}
        *lines, last = ast.parse(code).body
        if not isinstance(last, ast.Expr) or "print(" in code:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(code, "sandbox", "exec"), self.held)
            return printed.getvalue()
        exec(compile(ast.Module(lines, []), "sandbox", "exec"), self.held)
        return eval(compile(ast.Expression(last.value), "sandbox", "eval"), self.held)


class Coder(Scripted):
    """A model that writes code."""

    def step(self, done: int, acting: bool) -> str:
        """Code that calls the tool, and then the answer."""
        code = fields(generated_code="```python\nprint(look('bank'))\n```", finished="True")
        return code if len(self.shown) == 1 else fields(reasoning="", answer="done")


@pytest.mark.parametrize("how", ["called", "forward", "in a tool"])
def test_what_runs_as_text_can_not_be_told_where_it_was_made_in_the_turn_either(how: str) -> None:
    """Nor is it run where it must not: whether the module is called as one is, or its `forward` is, or a tool does it."""
    if not hasattr(dspy, "LocalInterpreter"):
        pytest.skip("an older version, whose only interpreter is Deno's")

    def code(question: str) -> Any:
        with pytest.warns(DeprecationWarning, match="CodeAct"):
            act = dspy.CodeAct("question -> answer", tools=[look], interpreter_factory=Texts)
        act.set_lm(Coder([]))
        return act.forward(question=question) if how == "forward" else act(question=question)

    def ask(question: str) -> str:
        """Ask."""
        return str(code(question).answer)

    def made() -> Any:
        if how == "in a tool":
            return news(Scripted([[("ask", {"question": "x"})], "done"]), [ask], "question -> answer")
        return program(lambda self, question: code(question))

    plain = tried(made())
    assert (plain.status, ran, plain.transcript.blind) == ("passed", [("look", "bank")], ["calls"])
    found = tried(made(), never=["look"])
    assert (found.status, "cannot tell" in found.verdict.failures[0].message) == ("error", True)
    ran.clear()
    for found in (tried(made(), stubs={"look": "canned"}), tried(made(), unstubbed="refuse")):
        told = found.verdict.failures[0].message
        assert (found.status, "look" in told or how == "in a tool", ran) == ("error", True, []), told


FLEX = """
class Program(dspy.Module):
    def __init__(self):
        super().__init__()

    def forward(self, question):
        return dspy.Prediction(answer=look(word=question))
"""


@pytest.mark.parametrize("kind", ["function", "tool"])
@pytest.mark.parametrize("late", [False, True], ids=["found", "made in the turn"])
def test_what_the_code_of_a_flex_calls_is_seen_and_stubbed(kind: str, late: bool) -> None:
    """Be it a tool, or a function that is none."""
    if not hasattr(dspy, "Flex"):
        pytest.skip("an older version")

    def flex() -> Any:
        tool = look if kind == "function" else dspy.Tool(look)
        made = dspy.Flex("question -> answer", tools=[tool], interpreter_factory=Texts)
        made._bind_code(FLEX)
        return made

    def made() -> Any:
        return program(lambda self, question: flex()(question=question)) if late else flex()

    plain = tried(made())
    assert (plain.transcript.reply, seen(plain), ran) == (
        "looked up hello",
        [("look", None, "ran")],
        [("look", "hello")],
    )
    ran.clear()
    stubbed = tried(made(), stubs={"look": "canned"})
    assert (stubbed.status, stubbed.transcript.reply, seen(stubbed)) == (
        "passed",
        "canned",
        [("look", None, "stubbed")],
    )
    refused = tried(made(), unstubbed="refuse")
    assert (refused.status, refused.verdict.failures[0].kind, ran) == ("error", "error.unstubbed", [])
    assert tried(made(), never=["look"]).status == "failed"
    if not late:
        wrong = tried(made(), stubs={"lok": "canned"})
        assert 'did you mean "look"' in wrong.verdict.failures[0].message


@pytest.mark.parametrize("given", ["word=question, more=1", "question"], ids=["wrong", "by place"])
def test_a_function_of_a_flex_refuses_under_a_stub_what_it_refuses(given: str) -> None:
    """As Python does."""
    if not hasattr(dspy, "Flex"):
        pytest.skip("an older version")
    made = dspy.Flex("question -> answer", tools=[look], interpreter_factory=Texts)
    made._bind_code(FLEX.replace("word=question", given))
    found = tried(made, stubs={"look": "canned"})
    assert (found.status == "passed", "canned" in found.transcript.reply, ran) == (False, False, [])


def test_what_the_provider_runs_can_not_be_told() -> None:
    """DSPy hands on nothing of it."""
    made = tried(DSPy().hosted(), never=["search"])
    assert (made.status, "cannot tell" in made.verdict.failures[0].message) == ("error", True)
    assert adapt(DSPy().agent(["hi"])).blind == []  # type: ignore[attr-defined]
    for settings in ({"web_search_options": {}}, {"tools": [{"type": "web_search"}]}):
        made = tried(news(Scripted(["done"], extra_body=settings), TOOLS), never=["web_search"])
        assert (made.status, "cannot tell" in made.verdict.failures[0].message) == ("error", True)


class Own(Scripted):
    """A model that is asked in a way of its own."""

    def __call__(self, prompt: Any = None, messages: Any = None, **named: Any) -> Any:
        return [self.forward(prompt, messages).choices[0].message.content]

    async def acall(self, prompt: Any = None, messages: Any = None, **named: Any) -> Any:
        return self(prompt, messages)


def test_a_model_that_is_asked_in_its_own_way_is_heard() -> None:
    """What it used is then not known, and so is no 0."""
    made = tried(news(Own([[("look", {"word": "x"})], "done"]), [look]), budget=Budget(tokens=1000))
    assert (made.transcript.iterations, made.transcript.tokens, made.status) == (3, None, "error")
    assert "cannot tell" in made.verdict.failures[0].message
    made = tried(news(Own([[("look", {"word": "x"})], "done"]), [look]), budget=Budget(iterations=2))
    assert (made.status, made.verdict.failures[0].message) == ("failed", "spent 3 iterations, budget 2")


def test_what_a_model_says_is_read_once_and_what_the_program_makes_of_it_is_not_on_the_record() -> None:
    """As where nobody watches: an adapter of the user's own reads each text once, and may change what it has read."""
    read: list[str] = []

    class Other(dspy.ChatAdapter):
        def parse(self, signature: Any, completion: str) -> Any:
            read.append(completion)
            return super().parse(signature, completion)

        def _call_postprocess(self, *given: Any, **named: Any) -> Any:
            values = super()._call_postprocess(*given, **named)
            for value in values:
                if value.get("next_tool_args"):
                    value["next_tool_args"]["word"] = "other"
            return values

    async def aforward(self: Any, question: str) -> Any:
        with dspy.context(adapter=Other()):
            return await self.react.acall(question=question)

    agent = program(
        aforward, react=news(Scripted([[("look", {"word": "bank"})], "done"]), [look], "question -> answer")
    )
    made = tried(agent, calls={"look": {"word": "bank"}})
    (call,) = made.transcript.calls
    assert (made.status, made.transcript.reply, len(read), made.transcript.iterations) == ("passed", "done", 3, 3)
    assert (call.arguments, call.executed, ran) == ({"word": "bank"}, {"word": "other"}, [("look", "other")])
    (asked_for,) = [each for message in made.transcript.messages for each in message.tool_calls]
    assert asked_for.parsed() == {"word": "bank"}


def test_an_adapter_that_asks_a_second_model_asks_it_once() -> None:
    """To read what the first said: two requests, as where nobody watches."""
    first, second = Scripted(["done"]), Scripted(["done"])
    try:
        adapter = dspy.TwoStepAdapter(second)
    except ValueError:
        pytest.skip("an older version, which takes only models of LiteLLM's")

    def forward(self: Any, question: str) -> Any:
        with dspy.context(adapter=adapter):
            return self.answer(question=question)

    predict = dspy.Predict("question -> answer")
    predict.set_lm(first)
    made = tried(program(forward, answer=predict), budget=Budget(iterations=2, tokens=24))
    assert (made.status, made.transcript.reply, made.transcript.tokens) == ("passed", "done", 24)
    assert (len(first.shown), len(second.shown)) == (1, 1)


def test_the_users_own_tracking_of_usage_goes_on() -> None:
    """And their record of what was asked holds nothing more than it did."""

    async def aforward(self: Any, question: str) -> Any:
        with dspy.context(track_usage=True):
            made = await self.react.acall(question=question)
        self.used = made.get_lm_usage()
        return made

    real = Loopless("tiny")
    agent = program(aforward, react=news(real, [look], "question -> answer"))
    made = tried(agent)
    assert (made.transcript.reply, made.transcript.tokens) == ("done", 24)
    assert all(type(each).__name__ != "_Witness" for each in dspy.settings.caller_modules or ())


class Loopless(Scripted):
    """A model that ends at once."""

    def __init__(self, name: str) -> None:
        super().__init__(["done"])


def test_calls_in_a_batch_have_the_providers_ids() -> None:
    """Of `ReActV2`, whose `submit` is no call, and which answers for an unknown tool by itself."""
    if not hasattr(dspy, "ReActV2"):
        pytest.skip("an older version")
    steps = [
        [("look", {"word": "a"}), ("nothing", {}), ("look", {"word": "b"})],
        [("submit", {"answer": "done"})],
    ]

    class Native(Scripted):
        def step(self, done: int, acting: bool) -> str:
            calls = [{"name": name, "args": given} for name, given in steps[len(self.shown) - 1]]
            return fields(next_thought="hm", tool_calls=json.dumps({"tool_calls": calls}))

    agent = dspy.ReActV2("question -> answer", tools=[look])
    agent.set_lm(Native([]))
    made = tried(agent, stubs={"look": in_turn("one", "two")})
    assert (made.status, made.transcript.reply, made.transcript.iterations) == ("passed", "done", 2)
    assert [(call.name, call.outcome, call.result) for call in made.transcript.calls] == [
        ("look", "stubbed", "one"),
        ("nothing", "failed", None),
        ("look", "stubbed", "two"),
    ]
    assert ran == []
    assert len({call.id for call in made.transcript.calls}) == 3


def test_a_servers_own_check_of_arguments_is_kept_under_a_stub() -> None:
    """By what the server says that it needs."""

    async def run(**given: Any) -> str:
        return "live"

    tool = dspy.Tool(
        run,
        name="look",
        desc="Look.",
        args={"word": {"type": "string"}},
        arg_types={"word": str},
        arg_desc={"word": "It. (Required)"},
    )
    made = tried(news(Scripted([[("look", {})], "done"]), [tool]), stubs={"look": "canned"})
    (call,) = made.transcript.calls
    assert (call.result, call.error is not None) == (None, True)


def test_a_providers_trouble_is_an_error() -> None:
    """By the real client; and it is tried again as the client does."""
    with serve(*[Fault(status=400, body='{"error": {"message": "no such model"}}')] * 4, closes=True) as server:
        model = dspy.LM("openai/tiny", api_base=server.url + "/v1", api_key="none", cache=False, num_retries=0)
        made = tried(news(model, [look], "question -> answer"))
    assert (made.status, made.verdict.failures[0].kind, "no such model" in made.verdict.failures[0].message) == (
        "error",
        "error.model",
        True,
    )


def test_an_answer_out_of_the_frameworks_cache_costs_nothing_that_is_known() -> None:
    """So a budget of tokens can't be told, and is not kept for free."""
    with Newsroom() as room:
        model = dspy.LM("openai/tiny", api_base=room.url, api_key="none", cache=True)
        agent = news(model, [look], "question -> answer")
        said = f"how many minutes are there? {room.url}"
        first = tried(agent, said=said, budget=Budget(tokens=100))
        again = tried(agent, said=said, budget=Budget(tokens=100))
    assert (first.status, first.transcript.tokens) == ("passed", 74)
    assert (again.status, again.transcript.tokens, again.transcript.iterations) == ("error", None, 2)


class Asked(Scripted):
    """A model that is asked in a way of its own."""

    def __call__(self, prompt: Any = None, messages: Any = None, **named: Any) -> Any:
        """Ask it."""
        return [self.forward(prompt, messages, **named).choices[0].message.content]


def test_a_model_that_is_asked_in_its_own_way_beside_the_modules_is_heard() -> None:
    """Also where no module of DSPy's asks it."""

    class Asks(dspy.Module):
        """Asks by itself."""

        def forward(self, question: str) -> Any:
            """Ask."""
            asked = [{"role": "system", "content": ""}, {"role": "user", "content": question}]
            return dspy.Prediction(answer=str(Asked(["hi"])(messages=asked)))

    made = tried(Asks(), budget=Budget(tokens=100))
    assert made.transcript.iterations == 1
    assert "cannot tell tokens spent" in made.verdict.failures[0].message


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_a_program_that_another_kind_of_agent_runs_is_seen_and_stubbed(stubbed: bool) -> None:
    """Its turn is no program's."""
    program = news(Scripted([[("lookup", {"word": "x"})], "done"]), TOOLS, "question -> answer")
    adapt(program)  # as a suite of this process did before

    @trace.agent(tools=["lookup"])
    async def agent(said: str) -> str:
        return str((await program.acall(question=said)).answer)

    made = attempt(agent, Case("case", said="hello", stubs={"lookup": "canned"} if stubbed else {}), deadline=30)
    assert (made.status, made.verdict.failures, made.transcript.reply) == ("passed", (), "done")
    assert [(call.name, call.result) for call in made.transcript.calls] == [
        ("lookup", "canned" if stubbed else "looked up x")
    ]
    assert ran == ([] if stubbed else [("lookup", "x")])
