"""What a cassette says happened: an independent reading of the raw bodies, by none of the code under test."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import brute

from .cassettes import CASSETTES, Exchange, cassette, names, turns

Json = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Step:
    """One recorded answer: what was said, the calls with their arguments as JSON values, and the tokens by kind."""

    text: str
    calls: list[tuple[str, Json]]
    ids: list[str]
    usage: dict[str, int | None]
    model: str


@dataclasses.dataclass(frozen=True)
class Turn:
    """One recorded turn: what it began with, the tools it had, what they answered, and each answer of the model."""

    exchanges: list[Exchange]
    system: list[str]
    said: list[str]
    tools: dict[str, Json]
    results: list[list[str]]
    steps: list[Step]

    @property
    def model(self) -> str:
        """The name of the model that was asked."""
        first = self.exchanges[0]
        return str(first.request.get("model") or first.path.partition("models/")[2].partition(":")[0])

    @property
    def calls(self) -> list[tuple[str, Json]]:
        """Every call of the turn, in order."""
        return [call for step in self.steps for call in step.calls]

    def total(self, kind: str) -> int | None:
        """The tokens of one kind over the whole turn; None where one answer did not report them."""
        counts = [step.usage[kind] for step in self.steps]
        return None if None in counts else sum(count for count in counts if count is not None)


def recorded(exchanges: list[Exchange]) -> list[Turn]:
    """The turns that a cassette holds."""
    return [_turn(part) for part in turns(exchanges, lambda exchange: not step(exchange).calls)]


def _turn(exchanges: list[Exchange]) -> Turn:
    steps = [step(exchange) for exchange in exchanges]
    following: list[Exchange | None] = [*exchanges[1:], None]
    results = [_results(one, after.request if after else {}) for one, after in zip(steps, following, strict=True)]
    system, said = _opening(exchanges[0].request)
    tools: dict[str, Json] = {}
    for exchange in exchanges:
        tools |= _tools(exchange.request)
    return Turn(exchanges, system, said, tools, results, steps)


def step(exchange: Exchange) -> Step:
    """One recorded answer."""
    answer = exchange.answer
    if "candidates" in answer:
        return _gemini(answer)
    if "choices" in answer:
        return _chat(answer)
    return _responses(answer) if "output" in answer else _anthropic(answer)


def _chat(answer: Json) -> Step:
    message, usage = answer["choices"][0]["message"], answer["usage"]
    calls = message.get("tool_calls") or []
    details = usage.get("prompt_tokens_details") or {}
    return Step(
        text=message.get("content") or "",
        calls=[(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls],
        ids=[call["id"] for call in calls],
        usage={
            "input": usage["prompt_tokens"],
            "output": usage["completion_tokens"],
            "cache_read": details.get("cached_tokens"),
            "cache_write": details.get("cache_write_tokens"),
        },
        model=answer["model"],
    )


def _responses(answer: Json) -> Step:
    calls = [item for item in answer["output"] if item["type"] == "function_call"]
    said = [part for item in answer["output"] if item["type"] == "message" for part in item["content"]]
    usage = answer["usage"]
    return Step(
        text="".join(part["text"] for part in said),
        calls=[(call["name"], json.loads(call["arguments"])) for call in calls],
        ids=[call["call_id"] for call in calls],
        usage={
            "input": usage["input_tokens"],
            "output": usage["output_tokens"],
            "cache_read": usage["input_tokens_details"].get("cached_tokens"),
            "cache_write": usage["input_tokens_details"].get("cache_write_tokens"),
        },
        model=answer["model"],
    )


def _anthropic(answer: Json) -> Step:
    calls = [block for block in answer["content"] if block["type"] == "tool_use"]
    usage = answer["usage"]
    read, written = usage["cache_read_input_tokens"], usage["cache_creation_input_tokens"]
    return Step(
        text="".join(block["text"] for block in answer["content"] if block["type"] == "text"),
        calls=[(call["name"], call["input"]) for call in calls],
        ids=[call["id"] for call in calls],
        # Anthropic alone leaves cached tokens out of its input; Usage counts them in, as the others do.
        usage={
            "input": usage["input_tokens"] + read + written,
            "output": usage["output_tokens"],
            "cache_read": read,
            "cache_write": written,
        },
        model=answer["model"],
    )


def _gemini(answer: Json) -> Step:
    parts = answer["candidates"][0]["content"]["parts"]
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    usage = answer["usageMetadata"]
    return Step(
        text="".join(part.get("text", "") for part in parts if not part.get("thought")),
        calls=[(call["name"], call.get("args") or {}) for call in calls],
        ids=[call.get("id", "") for call in calls],
        usage={
            "input": usage["promptTokenCount"],
            # What the model thought is output too, and is paid for as such.
            "output": usage.get("candidatesTokenCount", 0) + usage.get("thoughtsTokenCount", 0),
            "cache_read": usage.get("cachedContentTokenCount"),
            "cache_write": None,
        },
        model=answer["modelVersion"],
    )


def _entries(request: Mapping[str, Any]) -> list[Json]:
    found: list[Json] = request.get("messages") or request.get("contents") or request.get("input") or []
    return found


def _opening(request: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The texts that the model was told, and those that the user said, before the turn."""
    system = [_text(request[name]) for name in ("instructions", "system", "systemInstruction") if request.get(name)]
    system += [_text(entry) for entry in _entries(request) if entry.get("role") == "system"]
    return system, [_text(entry) for entry in _entries(request) if entry.get("role") == "user"]


def _text(entry: Any) -> str:
    if isinstance(entry, str):
        return entry
    if isinstance(entry, list):
        return "".join(map(_text, entry))
    return _text(entry.get("text") or entry.get("content") or entry.get("parts") or "")


def _tools(request: Mapping[str, Any]) -> dict[str, Json]:
    """Each tool that the model was offered: its description, and the JSON schema of its arguments."""
    declared = [one for entry in request.get("tools") or () for one in entry.get("functionDeclarations") or [entry]]
    functions = [entry.get("function") or entry for entry in declared]
    return {
        tool["name"]: {
            "description": tool.get("description") or "",
            "parameters": tool.get("parameters")
            or tool.get("input_schema")
            or tool.get("parameters_json_schema")
            or {"type": "object", "properties": {}},
        }
        for tool in functions
    }


def _results(one: Step, request: Mapping[str, Any]) -> list[str]:
    """What the tools answered to one step's calls, in call order; an empty text where that was not recorded."""
    by_id, by_name = _answers(request)
    return [by_id.get(id) or (by_name.get(name) or [""])[-1] for id, (name, _) in zip(one.ids, one.calls, strict=True)]


def _answers(request: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, list[str]]]:
    by_id: dict[str, str] = {}
    by_name: dict[str, list[str]] = {}
    for entry in _entries(request):
        for block in [entry, *(entry.get("parts") or ()), *_blocks(entry)]:
            id = block.get("tool_call_id") or block.get("tool_use_id")
            if block.get("type") == "function_call_output":
                id = block["call_id"]
            if id:
                by_id[id] = _text(block.get("content") or block.get("output") or "")
            answered = block.get("functionResponse")
            if answered:
                by_name.setdefault(answered["name"], []).append(_returned(answered["response"]))
    return by_id, by_name


def _blocks(entry: Json) -> list[Json]:
    content = entry.get("content")
    return content if isinstance(content, list) else []


def _returned(response: Json) -> str:
    value = response.get("return_value", response)
    return value if isinstance(value, str) else json.dumps(value)


def complete_turns() -> Iterator[Turn]:
    """The recorded turns that end with what the model said, and not with a call that only the recorder answered."""
    if not CASSETTES.exists():
        pytest.skip(f"no recorded answers at {CASSETTES} (a clone without ../shared/cases)")
    for name in names():
        yield from (turn for turn in recorded(cassette(name)) if not turn.steps[-1].calls)


def turn_tools(turn: Turn) -> list[brute.Tool]:
    """The recorded tools, which answer what was recorded, call by call."""
    answers: dict[str, list[str]] = {}
    for one, results in zip(turn.steps, turn.results, strict=True):
        for (name, _), result in zip(one.calls, results, strict=True):
            answers.setdefault(name, []).append(result)
    return [
        brute.Tool(name=name, function=_answering(answers.get(name, [])), **told) for name, told in turn.tools.items()
    ]


def _answering(answers: list[str]) -> Any:
    left = iter(answers)

    async def function(**arguments: Any) -> str:
        return next(left)

    return function
