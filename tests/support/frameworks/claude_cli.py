"""Agents of the Claude Agent SDK on the real CLI that its wheel brings, which asks a model on loopback."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import claude_agent_sdk
from claude_agent_sdk import ClaudeAgentOptions

from brute import Tool
from tests.support import anthropic_door as door
from tests.support.frameworks import TOOLS, Plan
from tests.support.frameworks.claude_agent_sdk import ClaudeAgentSDK, names, server

CLI = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"
SHOWN: dict[str, list[list[Any]]] = {}
_numbers = itertools.count(1)


def env(key: str) -> dict[str, str]:
    """What a CLI needs to ask on loopback, and to keep nothing where its user does."""
    home = tempfile.mkdtemp()
    return {
        "ANTHROPIC_BASE_URL": door.url(),
        "ANTHROPIC_API_KEY": key,
        "ANTHROPIC_AUTH_TOKEN": "",
        "CLAUDE_CODE_OAUTH_TOKEN": "",
        "HOME": home,
        "CLAUDE_CONFIG_DIR": f"{home}/.claude",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",
    }


def played(plan: Plan, server_of: Callable[[str], str], inner: Plan = ()) -> str:
    """The key of a model that plays a plan; of a sub-agent whose prompt says INNER, another."""
    shown: list[list[Any]] = []

    def answer(asked: dict[str, Any]) -> Any:
        inside = "INNER" in str(asked.get("system"))
        if not asked.get("tools") and not inside and "scripted" not in asked["model"]:
            return door.message([{"type": "text", "text": "beside"}], asked["model"])
        messages = [each for each in map(_cleaned, asked["messages"]) if each["role"] == "assistant" or each["content"]]
        shown.append(messages)
        said = 0
        for each in messages:
            spoke = each["role"] == "user" and any(block["type"] == "text" for block in each["content"])
            said = 0 if spoke else said + (each["role"] == "assistant")
        step = (inner if inside else plan)[said]
        if step in ("down", "raise"):
            return 400
        if isinstance(step, str):
            return door.message([{"type": "text", "text": step}], "scripted")
        blocks = [
            {"type": "tool_use", "id": f"toolu_{next(_numbers)}", "name": server_of(name), "input": given}
            for name, given in step
        ]
        return door.message(blocks, "scripted")

    made = door.key(answer)
    SHOWN[made] = shown
    return made


def _cleaned(message: dict[str, Any]) -> dict[str, Any]:
    """A message without what the CLI puts into it by itself."""
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return {
        **message,
        "content": [block for block in blocks if not str(block.get("text", "")).startswith("<system-reminder>")],
    }


class RealCLI(ClaudeAgentSDK):
    """Agents of the Claude Agent SDK."""

    def options(self, plan: Plan, has: Sequence[Any] = TOOLS, /, **more: Any) -> ClaudeAgentOptions:
        """An agent whose model plays the plan."""
        # What the CLI has by itself is called so by the model, too.
        own = dict(
            zip([each.name if isinstance(each, Tool) else each.__name__ for each in has], names(has), strict=True)
        )
        own |= {name.rpartition("__")[2]: name for name in more.get("allowed_tools", ())}
        made = env(played(plan, lambda name: own.get(name, name), more.pop("inner", ())))
        given: dict[str, Any] = {
            "mcp_servers": {"news": server(has)} if has else {},
            "allowed_tools": names(has),
            "tools": [],
            "setting_sources": [],
            "model": "scripted",
            "cwd": made["HOME"],
            "env": made,
            "system_prompt": "You are a news assistant.",
        }
        return ClaudeAgentOptions(**{**given, **more})

    def shown(self, agent: Any) -> list[list[Any]]:
        """What the model was shown, request by request."""
        return SHOWN[agent.env["ANTHROPIC_API_KEY"]]
