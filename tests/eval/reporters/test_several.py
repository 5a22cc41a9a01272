"""Several reporters as one: what breaks one costs no other anything."""

from __future__ import annotations

import io
from typing import Any

import pytest

from brute.eval.reporters.outlet import Outlet
from brute.eval.reporters.plain import Plain
from brute.eval.reporters.several import Several
from tests.eval.reporters.sample import PLAN, REPORT, told_to
from tests.eval.reporters.test_live import Terminal, live


class Noted:
    """A reporter that notes what it was told."""

    def __init__(self, breaks: str = "") -> None:
        self.told: list[str] = []
        self.breaks = breaks

    def __getattr__(self, name: str) -> Any:
        if name not in ("started", "began", "attempted", "finished"):
            raise AttributeError(name)

        def tell(*about: Any) -> None:
            self.told.append(name)
            if name == self.breaks:
                raise RuntimeError(f"no {name}")

        return tell


def test_each_is_told_of_all() -> None:
    """In the order of the run."""
    first, second = Noted(), Noted()
    told_to(Several(first, second))
    assert first.told == second.told == ["started", *["began", "attempted"] * 8, "finished"]


@pytest.mark.parametrize("moment", ["started", "began", "attempted", "finished"])
def test_one_that_breaks_costs_no_other_its_report(moment: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is told of once, and the run does not end well."""
    stream, broken, last = io.StringIO(), Noted(moment), Noted()
    several = Several(broken, Plain(Outlet(stream)), last)
    told_to(several)
    assert stream.getvalue().endswith("in 4.2 s\n")
    assert last.told == broken.told
    assert several.unwritten == f"the reporter Noted broke: RuntimeError: no {moment}"
    assert capsys.readouterr().err == f"Error: the report could not be written: {several.unwritten}\n"


def test_what_one_of_them_could_not_write_is_known() -> None:
    """And nothing where all could."""
    outlet = Outlet(io.StringIO())
    outlet.unwritten = "a full disk"
    assert Several(Noted(), Plain(outlet)).unwritten == "a full disk"
    assert Several(Noted(), Plain(Outlet(io.StringIO()))).unwritten is None


def test_a_warning_goes_to_whoever_has_a_place_for_it() -> None:
    """A terminal draws it above its line; without one, the run says it on standard error."""
    stream = Terminal()
    several = Several(Noted(), live(stream))
    several.started(PLAN, 4, "")
    several.warned("blocked")
    several.close()
    assert "warning: blocked" in stream.getvalue()
    assert not hasattr(Several(Noted(), Plain(Outlet(io.StringIO()))), "warned")


def test_the_run_is_left_as_it_was() -> None:
    """Reporters only read."""
    before = repr(REPORT)
    told_to(Several(Noted()))
    assert repr(REPORT) == before
