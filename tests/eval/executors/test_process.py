"""The executor `process` keeps the contract, and no attempt can take another along."""

from __future__ import annotations

import os

import pytest

from tests.eval.executors.contract import Contract

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups and signals are POSIX's")


class TestProcess(Contract):
    """Every test of the contract."""

    executor = "process"
