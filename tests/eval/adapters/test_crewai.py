"""The adapter for CrewAI keeps the contract."""

from __future__ import annotations

import pytest

pytest.importorskip("crewai.agent", reason="crewai is not installed here")

from tests.eval.adapters.rows import Rows
from tests.support.frameworks.crewai import CrewAI


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = CrewAI()
