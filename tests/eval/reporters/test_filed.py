"""A report in a file: whole or not at all, and never another run's."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from brute.eval import Report
from brute.eval.arguments import Place
from brute.eval.reporters.filed import Filed
from brute.eval.reporters.placing import Places, located
from tests.eval.reporters.sample import PLAN, REPORT, told_to


def counted(report: Report, places: Places) -> Iterator[str]:
    """A report in two pieces."""
    yield f"{len(report.attempts)} \ud800 "
    yield f"{len(places)}\n"


def broken(report: Report, places: Places) -> Iterator[str]:
    """A report that breaks in the middle."""
    yield "half"
    raise KeyError("id")


def test_it_is_written_when_the_run_is_over(tmp_path: Path) -> None:
    """Into a folder that need not be there, in UTF-8 whatever the text."""
    path = tmp_path / "new" / "deep" / "report.txt"
    told_to(Filed(str(path), counted, {("", "a"): Place("x.py", 3)}))
    assert path.read_text(encoding="utf-8") == "8 \\ud800 1\n"
    assert [each.name for each in path.parent.iterdir()] == ["report.txt"]


def test_the_report_of_another_run_is_taken_away_when_this_one_begins(tmp_path: Path) -> None:
    """Or, if this one were killed, a server would take the old one for its."""
    path = tmp_path / "report.txt"
    path.write_text("all is well")
    reporter = Filed(str(path), counted, {})
    reporter.started(PLAN, 4, "")
    assert not path.exists()
    path.write_text("of a first suite of this run")
    reporter.started(PLAN, 4, "another suite")
    assert path.exists()


def test_what_a_link_leads_to_is_written(tmp_path: Path) -> None:
    """And the link stays one."""
    (tmp_path / "there").mkdir()
    (tmp_path / "link.txt").symlink_to(tmp_path / "there" / "report.txt")
    told_to(Filed(str(tmp_path / "link.txt"), counted, {}))
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "there" / "report.txt").read_text(encoding="utf-8") == "8 \\ud800 0\n"


def test_a_pipe_or_a_device_is_written_to_and_stays_what_it_is(tmp_path: Path) -> None:
    """Whoever reads from it gets the report; /dev/stdout as root is not replaced by a file."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(path.read_text(encoding="utf-8")), daemon=True)
    reader.start()
    told_to(Filed(str(path), counted, {}))
    reader.join(10)
    assert read == ["8 \\ud800 0\n"]
    assert path.is_fifo()
    assert [each.name for each in tmp_path.iterdir()] == ["pipe"]


def test_one_that_breaks_leaves_nothing_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Half a report is none, and a sentence says why there is none."""
    reporter = Filed(str(tmp_path / "report.txt"), broken, {})
    told_to(reporter)
    assert list(tmp_path.iterdir()) == []
    assert reporter.unwritten == f"{tmp_path}/report.txt: KeyError: 'id'"
    assert capsys.readouterr().err == f"Error: the report could not be written: {reporter.unwritten}\n"


def test_a_file_that_can_not_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder that is a file is said, and raises nothing."""
    (tmp_path / "file").write_text("x")
    reporter = Filed(str(tmp_path / "file" / "report.txt"), counted, {})
    told_to(reporter)
    place = str(tmp_path / "file" / "report.txt")
    assert reporter.unwritten in (f"{place}: File exists", f"{place}: Not a directory")
    assert capsys.readouterr().err.startswith("Error: the report could not be written: ")


def test_an_agent_may_change_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path is meant from where the command began."""
    monkeypatch.chdir(tmp_path)
    reporter = Filed("report.txt", counted, {})
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    reporter.finished(REPORT)
    assert (tmp_path / "report.txt").exists()


def test_a_place_in_a_word() -> None:
    """File and line, inert."""
    assert located(Place("evals/a\x1b.py", 12)) == "evals/a\\u001b.py:12"
