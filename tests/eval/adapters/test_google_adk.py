"""The adapter for Google ADK keeps the contract."""

from __future__ import annotations

import warnings

import pytest

with warnings.catch_warnings():
    # Of what ADK imports in its turn.
    warnings.simplefilter("ignore")
    pytest.importorskip("google.adk.runners", reason="google-adk is not installed here")
    from tests.support.frameworks.google_adk import GoogleADK

from tests.eval.adapters.rows import Rows

# ADK warns of its own parts, and of those that it is built on.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", r"ignore:\[EXPERIMENTAL\]:UserWarning")


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = GoogleADK()
