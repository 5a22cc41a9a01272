"""Lines fitted to a terminal: whole outputs at 80 columns and at 200, and nothing broken that need not be."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import pytest

from brute.eval import Report
from brute.eval.reporters.lines import Line, text_of
from brute.eval.reporters.outlet import Outlet
from brute.eval.reporters.plain import Plain
from brute.eval.reporters.terminal import terminal
from brute.eval.reporters.wrapping import fitted
from tests.eval.reporters.sample import EMOJI, JAPANESE, PLACES, REPORT, WIDE, told_to
from tests.eval.reporters.test_live import Terminal, live
from tests.support.golden import same_as_golden
from tests.support.screen import cells, shown

GOLDEN = Path(__file__).parent / "golden"
REPORTS = {"all": REPORT, "wide": WIDE}
every_width = pytest.mark.parametrize("width", [80, 200])
every_report = pytest.mark.parametrize("name", REPORTS)


def drawn(report: Report, width: int) -> str:
    """What the live reporter sends to a terminal."""
    stream = Terminal()
    told_to(live(stream, width), report)
    return stream.getvalue()


def plain(report: Report, width: int | None) -> str:
    """What the plain reporter writes."""
    stream = io.StringIO()
    told_to(Plain(Outlet(stream), lambda: width, PLACES), report)
    return stream.getvalue()


def one(text: str, width: int) -> list[str]:
    """One line, fitted."""
    return [text_of(line) for line in fitted([((text, ""),)], width)]


@every_report
@every_width
def test_the_report_on_a_terminal(name: str, width: int) -> None:
    """The whole report, on a terminal of that width."""
    same_as_golden(shown(drawn(REPORTS[name], width)), GOLDEN / f"{name}_{width}.txt")


@every_report
def test_the_report_in_colours(name: str) -> None:
    """What is sent, with the escapes that make the colours to be read as such."""
    stream = Terminal()
    reporter = live(stream, 80)
    for each in REPORTS[name].attempts:  # without `started` there is no line of progress, which moves the cursor
        reporter.attempted(each)
    reporter.finished(REPORTS[name])
    same_as_golden(stream.getvalue().replace("\x1b", "\N{SYMBOL FOR ESCAPE}"), GOLDEN / f"{name}_80_colours.txt")


@every_report
@every_width
def test_without_colours_a_terminal_shows_the_same(name: str, width: int) -> None:
    """NO_COLOR changes the colours, and not where a line ends."""
    assert plain(REPORTS[name], width) == shown(drawn(REPORTS[name], width))


@every_report
def test_what_is_piped_is_whole(name: str) -> None:
    """In a file, a pipe or a CI log each line is one line."""
    same_as_golden(plain(REPORTS[name], None), GOLDEN / ("plain.txt" if name == "all" else "wide.txt"))


class Sized(Terminal):
    """A terminal, as the operating system tells how wide it is."""

    def fileno(self) -> int:
        """A number that is no file's."""
        return 1_000_000


@pytest.mark.parametrize(
    ("environ", "whole"),
    [
        ({"CI": "true"}, True),
        ({"GITHUB_ACTIONS": "true"}, True),
        ({"CI": "true", "NO_COLOR": "1"}, True),
        ({"NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
def test_a_ci_log_is_whole_even_where_it_is_a_terminal(
    environ: dict[str, str], whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its viewer breaks lines by itself; a terminal without colours can't."""
    monkeypatch.setattr(os, "get_terminal_size", lambda number: os.terminal_size((80, 24)))
    stream = Sized()
    told_to(terminal(stream, environ), WIDE)
    assert stream.getvalue() == plain(WIDE, None if whole else 80)


def test_a_terminal_that_does_not_say_how_wide_it_is_gets_whole_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some say 0, some have no number, and of some the system knows nothing."""
    monkeypatch.setattr(os, "get_terminal_size", lambda number: os.terminal_size((0, 0)))
    assert Outlet(Sized()).width() is None
    monkeypatch.undo()
    assert [Outlet(stream).width() for stream in (Sized(), Terminal(), io.StringIO(), None)] == [None] * 4


@every_report
@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    """Characters of two cells and of none counted right."""
    assert [line for line in shown(drawn(REPORTS[name], width)).splitlines() if cells(line) > width] == []


@every_report
@every_width
def test_no_word_is_broken_that_need_not_be(name: str, width: int) -> None:
    """Every word of the whole report that fits beside a label is whole on the terminal, and nothing is cut."""
    whole, fit = plain(REPORTS[name], None), plain(REPORTS[name], width)
    assert [word for word in set(whole.split()) - set(fit.split()) if cells(word) <= width - 18] == []
    assert re.sub(r"[\s|]", "", whole) == re.sub(r"[\s|]", "", fit)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("    - one two three four five", ["    - one two three four", "      five"]),
        ("      | one two three four five", ["      | one two three four", "      | five"]),
        ("    | one two three four five", ["    | one two three four", "    | five"]),
        ("failed     one two three four five", ["failed     one two three four", "           five"]),
        (
            "    > call 12   | one two three four five",
            ["    > call 12   | one two three four", "                | five"],
        ),
        ("note: one two three four five six", ["note: one two three four", "five six"]),
        ("    |   indented, as it was said", ["    |   indented, as it", "    | was said"]),
        ("    | aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bb", ["    | aaaaaaaaaaaaaaaaaaaa", "    | aaaaaaaaaa bb"]),
        (f"    | {JAPANESE[:13]}", [f"    | {JAPANESE[:10]}", f"    | {JAPANESE[10:13]}"]),
        ("    | short", ["    | short"]),
        ("", [""]),
    ],
)
def test_what_is_left_stands_under_its_text(text: str, lines: list[str]) -> None:
    """A bar goes on; a bullet, a status and an indent are left free."""
    room = 38 if " call " in text else 31 if text.startswith("failed") else 28 if text.startswith("      |") else 26
    assert one(text, room) == lines


def test_where_there_is_no_room_beside_a_label_nothing_is_left_free() -> None:
    """On a terminal of few columns the text goes on at the edge."""
    assert one("    > assistant | one two three four five six", 24) == [
        "    > assistant | one",
        "two three four five six",
    ]


def test_styles_stay_with_their_text() -> None:
    """A line in several styles is broken as one."""
    line: Line = (("failed     ", "bold red"), ("one two", "bold"), (" three four five", ""))
    first, second = fitted([line], 33)
    assert first == (("failed     ", "bold red"), ("one two", "bold"), (" three four", ""))
    assert second == (("           ", "dim"), ("five", ""))


def test_a_secret_is_masked_before_it_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """In two lines it could not be found."""
    secret = "sk-proj-" + "aB3" * 30
    report = Report(attempts=(*WIDE.attempts,), notes=(f"the key was {secret} all along",))
    for text in (shown(drawn(report, 40)), plain(report, 40)):
        assert "note: the key was sk-proj-***" in text
        assert "aB3aB3" not in text


def test_what_the_terminal_cant_encode_is_counted_as_it_will_be_written() -> None:
    """An escape takes more room than the character that it stands for."""
    raw = io.BytesIO()
    reporter = Plain(Outlet(io.TextIOWrapper(raw, encoding="ascii")), lambda: 80)
    told_to(reporter, WIDE)
    lines = raw.getvalue().decode("ascii").splitlines()
    assert max(map(len, lines)) <= 80
    assert EMOJI[0].encode("ascii", "backslashreplace").decode() in lines[1]
