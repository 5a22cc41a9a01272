"""The adapter for Haystack keeps the contract."""

from __future__ import annotations

import pytest

pytest.importorskip("haystack", reason="haystack is not installed here")

from tests.eval.adapters.rows import Rows
from tests.support.frameworks import ran
from tests.support.frameworks.haystack import Haystack


@pytest.fixture(autouse=True)
def _clean() -> None:
    ran.clear()


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = Haystack()
