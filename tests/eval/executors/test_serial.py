"""The executor `serial` keeps the contract."""

from __future__ import annotations

from tests.eval.executors.contract import Contract


class TestSerial(Contract):
    """Every test of the contract."""

    executor = "serial"
