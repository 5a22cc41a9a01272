"""The adapter for LangChain and LangGraph keeps the contract."""

from __future__ import annotations

import pytest

pytest.importorskip("langgraph", reason="langgraph is not installed here")

from tests.eval.adapters.rows import Rows
from tests.support.frameworks.langgraph import LangGraph


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = LangGraph()
