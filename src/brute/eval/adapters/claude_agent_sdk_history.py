"""A conversation handed over to the Claude CLI as its own: a session that it resumes."""

from __future__ import annotations

import dataclasses
import datetime
import json
import os
import re
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ...errors import UsageError
from ...messages import Message


class History:
    """A session on disk that holds what was said before; to be used in a `with`, which answers the agent's options with it."""

    def __init__(self, options: Any, messages: list[Message]) -> None:
        self.options = options
        self.messages = messages
        self.path: Path | None = None

    def __enter__(self) -> Any:
        if not self.messages:
            return self.options
        if self.options.resume or self.options.continue_conversation or getattr(self.options, "session_id", None):
            raise UsageError("the agent goes on with a session of its own, so it can't be handed a conversation")
        id, cwd = str(uuid.uuid4()), os.path.realpath(self.options.cwd or os.getcwd())
        self.path = _config(self.options.env) / "projects" / _key(cwd) / f"{id}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(entry, ensure_ascii=False) for entry in entries(self.messages, id, cwd, self.options.model)]
        self.path.write_text("\n".join([*lines, ""]), encoding="utf-8")
        changed = {"resume": id, **({"session_store": None} if hasattr(self.options, "session_store") else {})}
        return dataclasses.replace(self.options, **changed)

    def __exit__(self, *raised: object) -> None:
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def _config(env: dict[str, str]) -> Path:
    """Where the CLI keeps its sessions."""
    named = env.get("CLAUDE_CONFIG_DIR") or os.environ.get("CLAUDE_CONFIG_DIR")
    return Path(named) if named else Path(env.get("HOME") or Path.home()) / ".claude"


def _key(folder: str) -> str:
    """What the CLI calls a folder."""
    try:
        from claude_agent_sdk import project_key_for_directory
    except ImportError:  # of an older one
        return re.sub(r"[^a-zA-Z0-9]", "-", folder)
    return str(project_key_for_directory(folder))


def entries(messages: Iterable[Message], id: str, cwd: str, model: str | None) -> Iterator[dict[str, Any]]:
    """The lines of the session."""
    above = None
    for message in messages:
        made = str(uuid.uuid4())
        yield {
            "type": "assistant" if message.role == "assistant" else "user",
            "uuid": made,
            "parentUuid": above,
            "sessionId": id,
            "cwd": cwd,
            "isSidechain": False,
            "userType": "external",
            "version": "2.0.0",
            "gitBranch": "",
            "timestamp": datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "message": as_message(message, model),
        }
        above = made


def as_message(message: Message, model: str | None) -> dict[str, Any]:
    """A message as Anthropic's API has it."""
    if message.role == "tool":
        told: dict[str, Any] = {
            "type": "tool_result",
            "tool_use_id": message.tool_call_id or "",
            "content": message.content,
        }
        return {"role": "user", "content": [{**told, "is_error": True} if message.failed else told]}
    if message.role != "assistant":
        return {"role": "user", "content": message.content}
    blocks: list[dict[str, Any]] = [{"type": "text", "text": message.content}] if message.content else []
    for call in message.tool_calls:
        given = call.parsed()
        if given is None:
            raise UsageError(f"the arguments of {call.name} in the conversation are no JSON object")
        blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": given})
    return {
        "id": f"msg_{uuid.uuid4().hex}",
        "type": "message",
        "role": "assistant",
        "model": model or "claude",
        "content": blocks,
        "stop_reason": "tool_use" if message.tool_calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }
