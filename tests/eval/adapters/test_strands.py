"""The adapter for Strands keeps the contract."""

from __future__ import annotations

import pytest

pytest.importorskip("strands.hooks", reason="strands-agents is not installed here")

from tests.eval.adapters.rows import Rows
from tests.support.frameworks.strands import Strands


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = Strands()
