"""The adapter for the Claude Agent SDK keeps the contract, its CLI played in this process."""

from __future__ import annotations

import pytest

pytest.importorskip("claude_agent_sdk", reason="claude-agent-sdk is not installed here")

from tests.eval.adapters.rows import Rows
from tests.support.frameworks.claude_agent_sdk import ClaudeAgentSDK


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = ClaudeAgentSDK()
