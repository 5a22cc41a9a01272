"""The adapter for LlamaIndex keeps the contract."""

from __future__ import annotations

import pytest

pytest.importorskip("llama_index.core", reason="llama-index is not installed here")

from tests.eval.adapters.rows import Rows
from tests.support.frameworks import ran
from tests.support.frameworks.llama_index import LlamaIndex

# The framework's own, of what it finds on its agents.
pytestmark = pytest.mark.filterwarnings(
    "ignore::pydantic.PydanticDeprecatedSince20",
    "ignore::pydantic.PydanticDeprecatedSince211",
    "ignore:ServiceManager is deprecated",
)


@pytest.fixture(autouse=True)
def _clean() -> None:
    ran.clear()


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = LlamaIndex()
