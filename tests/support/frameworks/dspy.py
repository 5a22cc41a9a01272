"""Programs of DSPy, around a scripted model."""

from __future__ import annotations

import contextlib
import copy
import json
import re
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, ClassVar

import anyio
import dspy
from dspy.utils.callback import BaseCallback
from pydantic import BaseModel

from brute import Tool
from tests.support.frameworks import TOOLS, Kit, Plan, in_bare_thread, raising

FIELD = re.compile(r"\[\[ ## (\w+) ## \]\]\n(.*?)(?=\n*\[\[ ## |\Z)", re.S)


class Rate(BaseModel):
    """Some structured output."""

    city: str
    rate: float


def fields(**told: Any) -> str:
    """What a model says in the form that DSPy asks for."""
    return "\n\n".join([*(f"[[ ## {name} ## ]]\n{value}" for name, value in told.items()), "[[ ## completed ## ]]"])


class Scripted(dspy.BaseLM):
    """A model that plays a plan, and remembers what it was shown. The calls of a step are asked for one after the other."""

    def __init__(self, plan: Plan, **settings: Any) -> None:
        super().__init__("scripted/scripted", cache=False, **settings)
        self.plan = plan
        self.shown: list[Any] = []

    def forward(self, prompt: Any = None, messages: Any = None, **named: Any) -> Any:
        """The next step."""
        self.shown.append(copy.deepcopy(messages))
        system, last = messages[0]["content"], messages[-1]["content"]
        text = self.step(len(re.findall(r"\[\[ ## observation_\d+ ## \]\]", last)), "`next_tool_name`" in system)
        said = SimpleNamespace(content=text, tool_calls=None)
        usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
        return SimpleNamespace(
            choices=[SimpleNamespace(message=said, finish_reason="stop")], usage=usage, model="scripted"
        )

    async def aforward(self, prompt: Any = None, messages: Any = None, **named: Any) -> Any:
        """The next step."""
        return self.forward(prompt, messages, **named)

    def step(self, done: int, acting: bool) -> str:
        """What is said after so many calls."""
        calls = [call for step in self.plan if not isinstance(step, str) for call in step]
        text = next((step for step in self.plan if isinstance(step, str)), "")
        if not acting:
            return fields(reasoning="", answer=text)
        if done < len(calls):
            name, given = calls[done]
            return fields(next_thought="", next_tool_name=name, next_tool_args=json.dumps(given))
        raising(text)
        return fields(next_thought="", next_tool_name="finish", next_tool_args="{}")


def news(model: Any, tools: Sequence[Any], signature: Any = "question, history: dspy.History -> answer") -> Any:
    """An agent."""
    made = dspy.ReAct(signature, tools=list(tools))
    made.set_lm(model)
    return made


def asked(program: Any) -> Scripted:
    """Its model."""
    model: Scripted = program.react.lm
    return model


class Loop(dspy.Module):
    """A loop that was written by hand, in which the provider's own way to ask for tools is used."""

    def __init__(self, model: Any, tools: Sequence[Any]) -> None:
        super().__init__()
        self.model = model
        self.tools = list(tools)

    async def aforward(self, question: str) -> Any:
        """Ask, and run the tools, until there is an answer."""
        by_name = {tool.name: tool for tool in self.tools}
        messages: list[Any] = [{"role": "user", "content": question}]
        offered = [tool.format_as_litellm_function_call() for tool in self.tools]
        while True:
            (said,) = await self.model.acall(messages=messages, tools=offered)
            text, calls = (said, []) if isinstance(said, str) else (said["text"], said.get("tool_calls") or [])
            if not calls:
                return dspy.Prediction(answer=text)
            calls = [call if isinstance(call, dict) else call.model_dump() for call in calls]
            messages.append({"role": "assistant", "content": text, "tool_calls": calls})
            for call in calls:
                name, given = call["function"]["name"], json.loads(call["function"]["arguments"])
                told = await by_name[name].acall(**given)
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": str(told)})


def declared(one: Tool) -> Any:
    """A tool with a schema of its own."""

    async def run(**given: Any) -> Any:
        return await one.function(**given)

    schema = one.parameters.get("properties", {})
    return dspy.Tool(
        run, name=one.name, desc=one.description or one.name, args=schema, arg_types=dict.fromkeys(schema, Any)
    )


class Hears(BaseCallback):
    """A user's own callback."""

    def __init__(self, heard: list[Any]) -> None:
        self.heard = heard
        self.running: dict[str, str] = {}

    def on_tool_start(self, call_id: str, instance: Any, inputs: Any) -> None:
        """Note the call."""
        if instance.name != "finish":
            self.running[call_id] = instance.name
            self.heard.append(("before", instance.name))

    def on_tool_end(self, call_id: str, outputs: Any, exception: Any = None) -> None:
        """Note its end."""
        if call_id in self.running:
            self.heard.append(("after", self.running.pop(call_id)))


class Heard(dspy.Module):
    """A program with callbacks."""

    def __init__(self, react: Any, heard: list[Any]) -> None:
        super().__init__()
        self.react, self.heard = react, heard

    async def aforward(self, question: str) -> Any:
        """Run it."""
        with dspy.context(callbacks=[Hears(self.heard)]):
            return await self.react.acall(question=question)


class Served(dspy.Module):
    """A program whose tools are a server's."""

    def __init__(self, model: Any, command: list[str]) -> None:
        super().__init__()
        self.model, self.command = model, command

    async def aforward(self, question: str) -> Any:
        """Connect, and run an agent with the tools that there are."""
        from mcp import ClientSession, StdioServerParameters, stdio_client

        async with contextlib.AsyncExitStack() as stack:
            where = StdioServerParameters(command=self.command[0], args=self.command[1:])
            session = await stack.enter_async_context(
                ClientSession(*await stack.enter_async_context(stdio_client(where)))
            )
            await session.initialize()
            tools = [dspy.Tool.from_mcp_tool(session, tool) for tool in (await session.list_tools()).tools]
            return await news(self.model, tools, "question -> answer").acall(question=question)


class DSPy(Kit):
    """Programs of DSPy."""

    name = "dspy"
    example = "dspy"
    spends: ClassVar = {74, 111}
    why: ClassVar = {"handoff": "dspy has no handoffs; a program runs one module after the other, or one in a tool"}

    def agent(self, plan: Plan, tools: Sequence[Callable[..., Any]] = TOOLS, **more: Any) -> Any:
        """An agent."""
        made = news(Scripted(plan), tools)
        return made if more.get("hooks") is None else Heard(made, more["hooks"])

    async def run(self, agent: Any, said: str) -> Any:
        """As its user would."""
        return (await agent.acall(question=said, history=dspy.History(messages=[]))).answer

    def results(self, agent: Any) -> list[Any]:
        """The results of the calls, without what DSPy shows of the program's own lines where one raised."""
        found = FIELD.findall(asked(agent).shown[-1][-1]["content"])
        calls = [call for step in asked(agent).plan if not isinstance(step, str) for call in step]
        told = [value for name, value in found if name.startswith("observation_")][: len(calls)]
        assert not any("src/brute" in value for value in told)
        return [re.sub(r"(?m)^  .*\n", "", value) for value in told]

    def history(self, agent: Any) -> list[tuple[str, str]]:
        """The texts of the last request, whose fields are those of the agent."""
        said = {"user": "question", "assistant": "answer"}
        return [
            (
                message["role"],
                dict(FIELD.findall(message["content"]))[said[message["role"]]].partition("\n\nRespond with")[0].strip(),
            )
            for message in asked(agent).shown[-1][1:]
        ]

    def state(self, agent: Any) -> Any:
        """The tools, their functions, and all that is no record of what was asked."""
        kept = {name: value for name, value in vars(agent).items() if name not in ("history", "react", "extract")}
        return kept, {name: id(tool.func) for name, tool in agent.tools.items()}, dict(vars(dspy.settings))

    def structured(self) -> Any:
        """Output by a model."""
        model = Scripted(['{"city": "London", "rate": 4.25}'])
        return news(model, [], dspy.Signature("question -> answer: Rate", custom_types={"Rate": Rate}))

    def inner(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs."""
        inner_agent = {"inner": news(Scripted(inner), TOOLS)}
        inner = inner_agent["inner"]

        async def ask(question: str) -> str:
            """Ask the other agent."""
            return str((await inner.acall(question=question, history=dspy.History(messages=[]))).answer)

        return news(Scripted(plan), [ask])

    def lost(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs in a bare thread."""
        inner_agent = news(Scripted(inner), TOOLS)

        async def run(question: str) -> str:
            return str((await inner_agent.acall(question=question, history=dspy.History(messages=[]))).answer)

        def ask(question: str) -> str:
            """Ask the other agent."""
            return str(in_bare_thread(lambda: anyio.run(run, question)))

        return news(Scripted(plan), [ask])

    def mcp(self, plan: Plan, command: list[str]) -> Any:
        """A server."""
        return Served(Scripted(plan), command)

    def hosted(self) -> Any:
        """A tool of the provider's, as OpenAI is told of it."""
        return news(Scripted(["done"], tools=[{"type": "web_search"}]), TOOLS)

    talks: ClassVar = {"/chat/completions": ""}

    def real(self, model: str, url: str, path: str, tools: Sequence[Tool]) -> Any:
        """An agent of the real client."""
        where = dspy.LM(f"openai/{model}", api_base=url, api_key="none", cache=False)
        return Loop(where, [declared(tool) for tool in tools])
