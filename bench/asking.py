"""How the benchmarks' agents ask the endpoint, and the same attempt in a bare loop: two requests, the tool's answer, the check."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any

import brute
from bench.work import NEWS, RATE, SAID, SEARCH, SYSTEM
from brute import Env, Message, ToolCall, Usage
from brute.middleware import SystemPrompt, ToolLoop, Tools

if TYPE_CHECKING:
    import aiohttp
    import openai

Completion = Callable[[Env], Awaitable[Message]]

MODEL = "fake"
TOOLS: Any = [
    {
        "type": "function",
        "function": {"name": SEARCH.name, "description": SEARCH.description, "parameters": SEARCH.parameters},
    }
]


def agent(completion: Any) -> brute.Agent:
    """A fresh agent on this completion."""
    return brute.agent().use(SystemPrompt, SYSTEM).use(ToolLoop).use(Tools, [SEARCH]).run(completion)


def sent(messages: Iterable[Message]) -> Any:
    """The conversation as the endpoint wants it."""
    found: list[dict[str, Any]] = []
    for message in messages:
        entry: dict[str, Any] = {"role": message.role, "content": message.content}
        if message.tool_calls:
            entry["tool_calls"] = [_call(call.id, call.name, call.arguments) for call in message.tool_calls]
        if message.role == "tool":
            entry["tool_call_id"] = message.tool_call_id
        found.append(entry)
    return found


def _call(id: str, name: str, arguments: Any) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def by_openai(client: openai.AsyncOpenAI) -> Completion:
    """A completion that asks through OpenAI's client."""

    async def completion(env: Env) -> Message:
        answer = await client.chat.completions.create(model=MODEL, messages=sent(env.messages), tools=TOOLS)
        said, used = answer.choices[0].message, answer.usage
        calls: list[Any] = list(said.tool_calls or ())
        return Message(
            role="assistant",
            content=said.content or "",
            tool_calls=tuple(
                ToolCall(id=call.id, name=call.function.name, arguments=call.function.arguments) for call in calls
            ),
            usage=used and Usage(input=used.prompt_tokens, output=used.completion_tokens),
        )

    return completion


def by_aiohttp(session: aiohttp.ClientSession, url: str) -> Completion:
    """A completion that asks through aiohttp."""

    async def completion(env: Env) -> Message:
        answer = await _posted(session, url, sent(env.messages))
        said, used = answer["choices"][0]["message"], answer["usage"]
        return Message(
            role="assistant",
            content=said["content"] or "",
            tool_calls=tuple(
                ToolCall(id=call["id"], name=call["function"]["name"], arguments=call["function"]["arguments"])
                for call in said.get("tool_calls") or ()
            ),
            usage=Usage(input=used["prompt_tokens"], output=used["completion_tokens"]),
        )

    return completion


async def _posted(session: aiohttp.ClientSession, url: str, messages: Any) -> Any:
    body = {"model": MODEL, "messages": messages, "tools": TOOLS}
    async with session.post(f"{url}/chat/completions", json=body) as response:
        response.raise_for_status()
        return await response.json()


def _begun() -> list[Any]:
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": SAID}]


def _check(asked: list[tuple[str, dict[str, Any]]], reply: str | None) -> None:
    assert any(name == "search" and RATE.search(arguments["query"]) for name, arguments in asked)
    assert "4.25" in (reply or "")


async def bare_openai(client: openai.AsyncOpenAI) -> None:
    """One attempt by hand through OpenAI's client."""
    messages, asked = _begun(), []
    while True:
        answer = await client.chat.completions.create(model=MODEL, messages=messages, tools=TOOLS)
        said = answer.choices[0].message
        calls: list[Any] = list(said.tool_calls or ())
        if not calls:
            return _check(asked, said.content)
        called = [_call(call.id, call.function.name, call.function.arguments) for call in calls]
        messages.append({"role": "assistant", "content": said.content, "tool_calls": called})
        for call in calls:
            asked.append((call.function.name, json.loads(call.function.arguments)))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": NEWS})


async def bare_aiohttp(session: aiohttp.ClientSession, url: str) -> None:
    """One attempt by hand through aiohttp."""
    messages, asked = _begun(), []
    while True:
        said = (await _posted(session, url, messages))["choices"][0]["message"]
        if not said.get("tool_calls"):
            return _check(asked, said["content"])
        messages.append(said)
        for call in said["tool_calls"]:
            asked.append((call["function"]["name"], json.loads(call["function"]["arguments"])))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": NEWS})


async def looped(one: Callable[[], Awaitable[None]], attempts: int, width: int) -> None:
    """The bare loop: `attempts` of `one`, `width` at a time."""
    left = iter(range(attempts))

    async def worker() -> None:
        for _ in left:
            await one()

    async with asyncio.TaskGroup() as group:
        for _ in range(min(width, attempts)):
            group.create_task(worker())
