"""The example's agent on the real CLI: a few rules stand in for its model, as those of `newsroom` do."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from brute.loading import load_file
from tests.support import anthropic_door as door
from tests.support.agents import report
from tests.support.frameworks.claude_cli import env
from tests.support.newsroom import reply


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """The assistant's next message."""
    said = reply([each for message in asked["messages"] for each in _chat(message)])
    blocks: list[dict[str, Any]] = [{"type": "text", "text": said["content"]}] if said["content"] else []
    for call in said.get("tool_calls", ()):
        given = json.loads(call["function"]["arguments"])
        blocks.append({"type": "tool_use", "id": call["id"], "name": "mcp__news__search", "input": given})
    return door.message(blocks, asked["model"], input_tokens=30, output_tokens=7)


def _chat(message: dict[str, Any]) -> list[dict[str, Any]]:
    """A message of Anthropic's as one of OpenAI's."""
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    results = [
        {"role": "tool", "content": [{"text": part["text"]} for part in block["content"]]}
        for block in blocks
        if block["type"] == "tool_result"
    ]
    texts = [
        block["text"]
        for block in blocks
        if block["type"] == "text" and not block["text"].startswith("<system-reminder>")
    ]
    return results or ([{"role": message["role"], "content": "".join(texts)}] if texts else [])


def graded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The example passes the eval that all of them share, and a wrong stub turns it red."""
    folder = Path(__file__).parents[3] / "examples" / "frameworks"
    file = folder / "claude_agent_sdk" / "agent.py"
    text = file.read_text()
    assert "brute" not in text
    assert 18 <= len(text.splitlines()) <= 40
    for name, value in {**env(door.key(answer)), "NEWS_MODEL": "tiny"}.items():
        monkeypatch.setenv(name, value)
    cases = load_file(folder / "eval_news.py").CASES
    made = report(str(file), cases, unstubbed="refuse", deadline=60)
    assert [(each.case.name, each.verdict.failures) for each in made.attempts if each.verdict.failures] == []
    assert {request.model for each in made.attempts for request in each.transcript.requests} == {"tiny"}
    assert {each.transcript.tokens for each in made.attempts} == {37, 74, 111}
    wrong = report(str(file), [dataclasses.replace(cases[0], stubs={"search": "It rose."})], deadline=60)
    assert [each.status for each in wrong.attempts] == ["failed"]
