"""The adapter for pydantic-ai keeps the contract."""

from __future__ import annotations

import pytest

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed here")

from tests.eval.adapters.rows import Rows
from tests.support.frameworks.pydantic_ai import PydanticAI


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = PydanticAI()
