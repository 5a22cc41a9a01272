"""The pytest plugin, as far as a pytest knows of it that is asked for no evals: its options, and what imports the rest.

Every pytest of every project that has `brute-eval` installed imports this module, so it stands beside the package `brute`, which it imports
only when evals are asked for (docs/pytest.md).
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from brute.eval.pytesting.evaluating import Aevaluate, Evaluate


def _number(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number >= 1, got {text!r}")
    return int(text)


def _model(text: str) -> str:
    """The name of a model, as it could be asked."""
    from brute.completion.providers import parted
    from brute.errors import UsageError

    try:
        parted(text)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, and the setting that stands for the first of them."""
    parser.addini(
        "brute_evals", "Collect eval files (eval_*.py, *_eval.py), as --brute does.", type="bool", default=False
    )
    group = parser.getgroup("brute", "evals of agents")
    group.addoption("--brute", action="store_true", help="Collect eval files (eval_*.py, *_eval.py).")
    group.addoption("--brute-jobs", type=_number, metavar="N", help="Make at most N attempts at a time, of all cases.")
    group.addoption("--brute-runs", type=_number, metavar="N", help="Make N attempts of every case; each must pass.")
    group.addoption(
        "--brute-isolate", action="store_true", help="Make every attempt in a process that may crash or hang alone."
    )
    group.addoption(
        "--brute-judge", type=_model, metavar="PROVIDER:MODEL", help="Ask this model about the rubrics of cases."
    )
    group.addoption("--brute-votes", type=_number, metavar="N", help="Ask the judge N times; more than half decide.")
    group.addoption("--brute-log", metavar="PATH", help="Write the run to this log; `none` for none.  [.brute/runs.db]")


def pytest_configure(config: pytest.Config) -> None:
    """The marker of all cases, and the rest of the plugin where evals are asked for."""
    config.addinivalue_line("markers", "brute: a case of an eval file; the plugin of brute-eval sets it")
    if config.getoption("brute") or config.getini("brute_evals"):
        from brute.eval.pytesting.evals import Evals

        config.pluginmanager.register(Evals(config), "brute-evals")


@pytest.fixture
def evaluate(request: pytest.FixtureRequest) -> Evaluate:
    """One case, run inside this test: `evaluate(case, agent="agent.py")`; the test fails with what is wrong with it."""
    from brute.eval.pytesting.evaluating import Evaluate

    return Evaluate(request)


@pytest.fixture
def aevaluate(request: pytest.FixtureRequest) -> Aevaluate:
    """The same in an async test: `await aevaluate(case, agent="agent.py")`."""
    from brute.eval.pytesting.evaluating import Aevaluate

    return Aevaluate(request)
