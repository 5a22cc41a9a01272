"""The executor `local` keeps the contract."""

from __future__ import annotations

from tests.eval.executors.contract import Contract


class TestLocal(Contract):
    """Every test of the contract."""

    executor = "local"
