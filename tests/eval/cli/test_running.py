"""What the command line does before its suites run."""

from __future__ import annotations

import sys
import types

import pytest

from brute.errors import ModelError
from brute.eval.cli.running import fetched_ahead


def test_without_an_embedded_model_there_is_nothing_to_fetch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever uses no embedded model does not import what fetches them."""
    monkeypatch.delitem(sys.modules, "brute.completion.embedded", raising=False)
    assert fetched_ahead()
    assert "brute.completion.embedded" not in sys.modules


def test_a_model_that_can_not_be_fetched_ends_the_run_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a network the run ends before it begins, ungraded, and says why."""

    def fetch_all() -> None:
        raise ModelError("smollm2 could not be fetched, which needs the network once\x1b[31m")

    stand_in = types.ModuleType("brute.completion.embedded")
    stand_in.__dict__["fetch_all"] = fetch_all
    monkeypatch.setitem(sys.modules, "brute.completion.embedded", stand_in)
    assert not fetched_ahead()
    assert capsys.readouterr().err == ("Error: smollm2 could not be fetched, which needs the network once\\u001b[31m\n")
