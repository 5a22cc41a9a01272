"""The adapter for the Claude Agent SDK keeps the contract with the real CLI, on a model on loopback."""

from __future__ import annotations

import pytest

pytest.importorskip("claude_agent_sdk", reason="claude-agent-sdk is not installed here")

from tests.eval.adapters.rows import Rows
from tests.support.frameworks.claude_cli import CLI, RealCLI

pytestmark = pytest.mark.skipif(not CLI.exists(), reason="this claude-agent-sdk brings no CLI")


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = RealCLI()
