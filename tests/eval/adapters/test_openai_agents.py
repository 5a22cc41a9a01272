"""The adapter for the OpenAI Agents SDK keeps the contract."""

from __future__ import annotations

import pytest

pytest.importorskip("agents", reason="openai-agents is not installed here")

from tests.eval.adapters.rows import Rows
from tests.support.frameworks.openai_agents import OpenAIAgents


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = OpenAIAgents()
