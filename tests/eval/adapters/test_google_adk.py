"""The adapter for Google ADK keeps the contract."""

from __future__ import annotations

import pytest

pytest.importorskip("google.adk", reason="google-adk is not installed here")

from tests.eval.adapters.rows import Rows
from tests.support.frameworks.google_adk import GoogleADK


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = GoogleADK()
