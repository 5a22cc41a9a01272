"""The adapter for Google ADK keeps the contract."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

with warnings.catch_warnings():
    # Of what ADK imports in its turn.
    warnings.simplefilter("ignore")
    pytest.importorskip("google.adk.runners", reason="google-adk is not installed here")
    from google.adk.agents import BaseAgent, LlmAgent
    from google.adk.apps.app import App, EventsCompactionConfig
    from google.adk.events import Event
    from google.adk.models import LlmRequest
    from google.adk.tools import FunctionTool, ToolContext
    from google.genai import types

    from tests.support.frameworks.google_adk import GoogleADK, Rate, Scripted

from brute import UsageError
from brute.eval import Budget, Case
from brute.eval.adapters.google_adk_tools import double as doubled
from tests.eval.adapters.rows import Rows, tried
from tests.support.agents import attempt
from tests.support.frameworks import TOOLS, ran, search
from tests.support.taped import made, unplugged
from tests.support.wire import wired

# ADK warns of its own parts, and of those that it is built on.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", r"ignore:\[EXPERIMENTAL\]:UserWarning")


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    # Or the import of LiteLLM, which the example has its model by, would reach for the network.
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = GoogleADK()


class Slotted(FunctionTool):
    """A tool of the user's own, of which a part is not in its `__dict__`."""

    __slots__ = ("more",)


class Copied(FunctionTool):
    """One that is copied in a way of its own."""

    def __copy__(self) -> Copied:
        made = Copied(self.func)
        made.more = self.more
        return made


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
@pytest.mark.parametrize("kind", [FunctionTool, Slotted, Copied])
def test_a_tool_that_is_made_in_another_way_is_seen_and_stubbed(kind: Any, stubbed: bool) -> None:
    """Its double has all that it has."""
    ran.clear()
    tool = kind(search)
    tool.more = "more"
    double = doubled(tool, None)
    assert (double.more, double.name, type(double).__mro__[1]) == ("more", "search", kind)

    async def build() -> Any:
        return LlmAgent(name="news", model=Scripted(plan=[[("search", {"query": "bank"})], "done"]), tools=[tool])

    tried = attempt(build, Case("case", said="hello", stubs={"search": "canned"} if stubbed else {}))
    (call,) = tried.transcript.calls
    assert (tried.status, call.outcome, bool(ran)) == ("passed", "stubbed" if stubbed else "ran", not stubbed)


@pytest.mark.filterwarnings("ignore")
def test_another_providers_model_behind_litellm_is_recorded_and_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By whatever library LiteLLM sends; and what that would fetch for itself is not fetched."""
    pytest.importorskip("litellm", reason="litellm is not installed here")
    from google.adk.models.lite_llm import LiteLlm

    ran.clear()
    asked = {"id": "call_9", "type": "function", "function": {"name": "search", "arguments": '{"query": "bank"}'}}
    replies = [answered({"content": None, "tool_calls": [asked]}), answered({"content": "Rates were held."})]

    def agent(url: str) -> Any:
        async def build() -> Any:
            model = LiteLlm(model="openai/gpt-4o", api_base=url + "/v1", api_key="none")
            return LlmAgent(name="news", model=model, tools=[search])

        return build

    case = Case("asks", said="rates?")
    with wired(*replies) as wire:
        one = made(tmp_path, agent(wire.url), case, record=True)
    tried = unplugged(monkeypatch)
    two = made(tmp_path, agent("http://127.0.0.1:9"), case, replay=True)
    assert (one.status, two.status, tried, ran) == ("passed", "passed", [], [("search", "bank")])
    assert one.transcript.reply == two.transcript.reply == "Rates were held."


def answered(message: dict[str, Any]) -> Any:
    """A chat's answer."""
    used = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "gpt-4o", "choices": [choice], "usage": used}
    return 200, {"content-type": "application/json"}, [json.dumps(body).encode()], False


def words(word: str) -> str:
    """Look a word up."""
    ran.append(("words", word))
    return f"{word} looked up"


KEPT = FunctionTool(words)


async def by_hand(word: str, tool_context: ToolContext) -> str:
    """Look a word up by the other tool.

    Args:
        word: the word
    """
    return str(await KEPT.run_async(args={"word": word}, tool_context=tool_context))


async def barely(word: str) -> str:
    """Look a word up by the other tool, which needs no context.

    Args:
        word: the word
    """
    return str(await KEPT.run_async(args={"word": word}, tool_context=None))  # type: ignore[arg-type]


class Custom(BaseAgent):
    """An agent of the user's own, which runs a tool that it holds."""

    held: Any = None

    async def _run_async_impl(self, ctx: Any) -> AsyncIterator[Event]:
        found = await (self.held or KEPT).run_async(args={"word": "x"}, tool_context=ToolContext(ctx))
        yield Event(author=self.name, content=types.Content(role="model", parts=[types.Part(text=str(found))]))


def direct(how: str) -> Any:
    """An agent whose own code runs a tool."""
    if how in ("tool", "barely"):
        asked = by_hand if how == "tool" else barely
        plan = [[(asked.__name__, {"word": "x"})], "done"]
        return LlmAgent(name="news", model=Scripted(plan=plan), tools=[asked, KEPT])
    return Custom(name="custom", held=FunctionTool(words) if how == "held" else None)


@pytest.mark.parametrize("how", ["tool", "barely", "named", "held"])
def test_a_tool_that_the_agents_own_code_runs_is_seen_and_stubbed(how: str) -> None:
    """Be it another tool's code, or that of an agent of the user's own."""
    ran.clear()
    made = tried(direct(how), never=["words"])
    assert (made.status, made.verdict.failures[0].kind, ran) == ("failed", "call.forbidden", [("words", "x")])
    made = tried(direct(how), stubs={"words": "canned"})
    call = made.transcript.calls[-1]
    assert (made.status, made.verdict.failures, len(ran)) == ("passed", (), 1)
    assert (call.name, call.arguments, call.result, call.outcome) == ("words", {"word": "x"}, "canned", "stubbed")
    assert KEPT.run_async.__self__ is KEPT  # nothing is left on the tool itself


def test_a_tool_that_calls_its_class_before_is_one_call() -> None:
    """What it does by `super()` is its own."""
    ran.clear()

    class Twice(FunctionTool):
        """A tool with something to do before its function runs."""

        async def run_async(self, *, args: Any, tool_context: Any) -> Any:
            """Run the function."""
            return await super().run_async(args=args, tool_context=tool_context)

    agent = LlmAgent(name="news", model=Scripted(plan=[[("words", {"word": "x"})], "done"]), tools=[Twice(words)])
    made = tried(agent)
    assert (made.status, made.transcript.names, ran) == ("passed", ["words"], [("words", "x")])


def test_the_tool_of_structured_output_is_no_call() -> None:
    """Where the agent has other tools, ADK has its model hand the output over by one."""
    output = {"city": "London", "rate": 4.25}
    plan = [[("search", {"query": "x"})], [("set_model_response", output)]]
    agent = LlmAgent(name="news", model=Scripted(plan=plan), tools=[*TOOLS], output_schema=Rate)
    made = tried(agent, stubs={"search": "canned"}, unstubbed="refuse")
    assert (made.status, made.verdict.failures, made.transcript.names) == ("passed", (), ["search"])
    assert json.loads(made.transcript.reply) == output


@pytest.mark.parametrize("stubs", [{}, {"words": "canned"}], ids=["real", "stubbed"])
def test_a_call_that_somebody_must_confirm_stops_the_turn(stubs: Any) -> None:
    """As ADK waits for the answer."""
    ran.clear()
    tool = FunctionTool(words, require_confirmation=True)
    agent = LlmAgent(name="news", model=Scripted(plan=[[("words", {"word": "x"})], "done"]), tools=[tool])
    made = tried(agent, stubs=stubs)
    assert (made.status, made.transcript.stopped, made.transcript.names, ran) == ("failed", "approval", ["words"], [])


def test_what_sums_up_the_events_of_an_app_is_a_request() -> None:
    """ADK asks its model for that past the plugins of the run."""
    agent = LlmAgent(name="news", model=Scripted(plan=["done"]))
    config = EventsCompactionConfig(compaction_interval=1, overlap_size=0)
    app = App(name="news", root_agent=agent, events_compaction_config=config)
    made = tried(app, budget=Budget(tokens=20))
    assert (made.status, made.transcript.iterations, made.transcript.reply) == ("failed", 2, "done")
    assert made.verdict.failures[0].message.startswith("spent 24 tokens, budget 20")
    assert tried(app, budget=Budget(tokens=24)).status == "passed"


def test_what_a_tool_asks_the_model_by_itself_is_an_inner_agents_request() -> None:
    """It counts among the turn's."""
    model = Scripted(plan=["asked"])

    async def ask(question: str) -> str:
        """Ask the model.

        Args:
            question: what
        """
        content = types.Content(role="user", parts=[types.Part(text=question)])
        async for each in model.generate_content_async(LlmRequest(contents=[content])):
            return str(each.content.parts[0].text)
        return ""

    agent = LlmAgent(name="news", model=Scripted(plan=[[("ask", {"question": "x"})], "done"]), tools=[ask])
    made = tried(agent)
    assert (made.status, made.transcript.iterations, made.transcript.tokens) == ("passed", 3, 36)
    assert (made.transcript.reply, made.transcript.calls[0].result) == ("done", "asked")


def test_an_app_of_a_workflow_is_no_agent() -> None:
    """And is refused with what can be done."""
    workflow = pytest.importorskip("google.adk.workflow")
    app = App(name="news", root_agent=workflow.Workflow(name="flow", edges=[(workflow.START, KEPT)]))
    told = "the root of the App is a Workflow, which is no agent; evaluate its agents, or a function of `said` that runs it"
    with pytest.raises(UsageError, match=re.escape(told)):
        tried(app)
