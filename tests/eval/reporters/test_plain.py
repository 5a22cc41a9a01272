"""The plain report: golden outputs, and streams that can't take it."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path
from typing import Any

import pytest

from brute.eval import Case, Failure, Report
from brute.eval.reporters.outlet import Outlet
from brute.eval.reporters.plain import Plain
from tests.eval.reporters.sample import ATTEMPTS, HOSTILE, KNOWS, PLACES, REPORT, attempt, told_to, transcript
from tests.support.golden import same_as_golden

GOLDEN = Path(__file__).parent / "golden"


def plain(report: Report = REPORT) -> str:
    """What the plain reporter writes about a run."""
    stream = io.StringIO()
    told_to(Plain(Outlet(stream), places=PLACES), report)
    return stream.getvalue()


def test_a_run_with_everything_in_it() -> None:
    """The whole plain report on the sample, hostile text included, is the golden one."""
    same_as_golden(plain(), GOLDEN / "plain.txt")


def test_an_interrupted_run() -> None:
    """An interrupted run says so in its last line, and its unfinished cases are listed."""
    same_as_golden(plain(dataclasses.replace(REPORT, interrupted=True)), GOLDEN / "plain_interrupted.txt")


def test_a_run_in_which_all_passed() -> None:
    """A run in which all passed lists nothing that failed."""
    report = Report(attempts=(attempt(KNOWS, "passed", seen=transcript("60")),), seconds=0.5)
    same_as_golden(plain(report), GOLDEN / "plain_passed.txt")


@pytest.mark.parametrize(
    ("report", "last"),
    [
        (Report(), "nothing ran: no case was selected"),
        (Report(interrupted=True, seconds=1.5), "interrupted after 1.5 s: no attempt had ended"),
        (Report(attempts=ATTEMPTS[:1], seconds=2, stopped="stopped at the first failed case (x)"), "1 passed in 2.0 s"),
        (Report(attempts=ATTEMPTS[5:7], seconds=2), "2 errors in 2.0 s"),
        (REPORT, "3 failed, 1 passed, 2 errors, 1 cancelled in 4.2 s"),
    ],
)
def test_the_last_line_says_how_it_went(report: Report, last: str) -> None:
    """The last line counts the cases by status, or says that there is nothing to count."""
    assert plain(report).splitlines()[-1] == last


def test_a_stopped_run_says_why() -> None:
    """A run that stopped itself says at what."""
    report = Report(attempts=ATTEMPTS[:2], stopped="stopped at the first failed case (x)")
    assert "\nstopped at the first failed case (x)\n" in plain(report)


def test_nothing_from_outside_acts() -> None:
    """No escape, control byte, bidi override or surrogate is left, and no line can be taken for a CI command."""
    text = plain()
    assert all(character.isprintable() for character in text.replace("\n", ""))
    for line in text.splitlines():
        assert not line.lstrip().startswith("::")
        assert "##vso[" not in line
        assert "##[" not in line
    assert "\\u001b[2J" in text
    assert "[bold red]x[/]" in text


def test_a_huge_reply_is_cheap_and_short() -> None:
    """Ten megabytes of hostile text cost a page: they are clipped before they are escaped."""
    huge = HOSTILE * (10_000_000 // len(HOSTILE))
    case = Case("huge", said="?")
    report = Report(attempts=(attempt(case, "failed", Failure("check", huge, detail=huge), seen=transcript(huge)),))
    text = plain(report)
    assert len(text) < 50_000
    assert "more characters" in text


def test_a_million_lines_are_a_page() -> None:
    """A reply of very many lines shows the first of them and how much was left out."""
    report = Report(attempts=(attempt(KNOWS, "failed", Failure("check", "no"), seen=transcript("a\n" * 1_000_000)),))
    text = plain(report)
    assert text.count("| a\n") == 24
    assert "| ... 1,999,951 more characters\n" in text


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_stream_that_cant_encode_a_character(encoding: str) -> None:
    """A character that the stream has no byte for is written as an escape."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    told_to(Plain(Outlet(stream)), Report(attempts=(attempt(KNOWS, "passed", seen=transcript("caf\u00e9 \u2713")),)))
    assert b"\\u2713" in raw.getvalue()
    assert b"1 passed" in raw.getvalue()


class Gone(io.StringIO):
    """A stream whose reader has gone after the first line."""

    def write(self, text: str) -> int:
        """Take one text, and then no more."""
        if self.getvalue():
            raise BrokenPipeError
        return super().write(text)


def test_a_reader_that_has_gone() -> None:
    """A closed pipe does not break the run: what is left goes nowhere."""
    stream = Gone()
    told_to(Plain(Outlet(stream)))
    assert stream.getvalue().count("\n") == 1


def test_a_closed_stream() -> None:
    """A stream that was closed in this process does not break the run either."""
    stream = io.StringIO()
    stream.close()
    told_to(Plain(Outlet(stream)))


class Unprintable:
    """A thing that can't be made a text."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_a_value_that_cant_be_shown() -> None:
    """A sentence that raises when it is made a text costs its own lines, and the report goes on to its last line."""
    broken = attempt(KNOWS, "failed", Failure("check", Unprintable()))  # type: ignore[arg-type]
    text = plain(Report(attempts=(broken,), seconds=1))
    assert "failed     does not search for what it knows\n" in text
    assert "(the rest could not be shown: RuntimeError: no words)" in text
    assert text.endswith("1 failed in 1.0 s\n")


class Full(io.StringIO):
    """A stream on a full disk."""

    def write(self, text: str) -> int:
        """Take nothing."""
        raise OSError(28, "No space left on device")


class Bytes(io.StringIO):
    """A stream of bytes, as `open(path, "wb")` is."""

    def write(self, text: str) -> int:
        """Take no text."""
        raise TypeError("a bytes-like object is required, not 'str'")


@pytest.mark.parametrize(
    ("stream", "why"),
    [
        (Full(), "OSError: [Errno 28] No space left on device"),
        (Bytes(), "TypeError: a bytes-like object is required, not 'str'"),
        (None, "standard output is closed"),
    ],
)
def test_a_report_that_went_nowhere(capsys: pytest.CaptureFixture[str], stream: Any, why: str) -> None:
    """Standard error says so, once, and the reporter knows of it; a reader that had enough is no such thing."""
    reporter = Plain(Outlet(stream))
    told_to(reporter)
    assert (reporter.unwritten, capsys.readouterr().err) == (why, f"Error: the report could not be written: {why}\n")
    gone = Plain(Outlet(Gone()))
    told_to(gone)
    assert (gone.unwritten, capsys.readouterr().err) == (None, "")


def test_the_summary_names_what_a_failed_case_did_wrong() -> None:
    """And not what besides could not be seen."""
    blind = Failure("error.blind", "cannot tell tokens spent")
    wrong = Failure("budget.seconds", "spent 2 seconds, budget 1")
    for failures, said in (((blind, wrong), wrong), ((blind,), blind)):
        status = "failed" if wrong in failures else "error"
        report = Report(attempts=(attempt(KNOWS, status, *failures, seen=transcript("60")),), seconds=0.5)
        (line,) = [line for line in plain(report).splitlines() if line.startswith(status) and ": " in line]
        assert line.endswith(said.message)
