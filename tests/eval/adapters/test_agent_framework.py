"""The adapter for Microsoft's Agent Framework keeps the contract."""

from __future__ import annotations

import pytest

pytest.importorskip("agent_framework", reason="agent-framework is not installed here")

from tests.eval.adapters.rows import Rows
from tests.support.frameworks.agent_framework import AgentFramework


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = AgentFramework()
