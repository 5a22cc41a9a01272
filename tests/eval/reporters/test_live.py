"""The live report: what the terminal shows in the end, what it shows on the way, and its colours."""

from __future__ import annotations

import io

import pytest

from brute.eval import Report
from brute.eval.attempt import Job
from brute.eval.reporters.live import Live
from brute.eval.reporters.outlet import Outlet
from brute.eval.reporters.plain import Plain
from tests.eval.reporters.sample import ATTEMPTS, JAPANESE, PLACES, PLAN, REPORT, WIDE, told_to
from tests.support.screen import shown

console = pytest.importorskip("rich.console")


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def live(stream: Terminal, width: int = 72) -> Live:
    """A live reporter for a terminal of that width, whose clock stands still."""
    drawn = console.Console(
        file=Outlet(stream), width=width, force_terminal=True, color_system="standard", no_color=False,
        highlight=False, markup=False, emoji=False, legacy_windows=False, _environ={},
    )  # fmt: skip
    return Live(Outlet(stream), PLACES, console=drawn, clock=lambda: 12.0, refreshes=0)


def test_what_the_screen_holds_in_the_end() -> None:
    """When the run is over, the terminal holds what the plain report says, and no line of progress."""
    stream, plain = Terminal(), io.StringIO()
    told_to(live(stream, 72))
    told_to(Plain(Outlet(plain), lambda: 72, PLACES))
    assert shown(stream.getvalue()) == plain.getvalue()


def test_names_of_wide_characters_are_cut_where_the_line_ends() -> None:
    """The line of progress takes no more cells than there are."""
    stream = Terminal()
    reporter = live(stream, 60)
    reporter.started(PLAN[:1], 1, "")
    reporter.began(Job(WIDE.attempts[1].case, 1))
    reporter.attempted(ATTEMPTS[0])
    last = shown(stream.getvalue()).splitlines()[-1]
    reporter.close()
    before = "1/1 attempts, 1 passed, 0.0 s  "
    assert last == f"{before}{JAPANESE[: (60 - 1 - len(before)) // 2]}\u2026"


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (72, "2/8 attempts, 1 passed, 1 failed, 0.0 s  does not search for what it kn\u2026"),
        (40, "2/8 attempts, 1 passed, 1 failed, 0.0 s\u2026"),
        (20, "2/8 attempts, 1 pas\u2026"),
    ],
)
def test_the_line_of_progress_fits_the_terminal(width: int, line: str) -> None:
    """Under the attempts that ended stands one line, never wider than the terminal, with what is under way."""
    stream = Terminal()
    reporter = live(stream, width)
    reporter.started(PLAN, 4, "")
    for job in PLAN[:4]:
        reporter.began(job)
    for each in ATTEMPTS[:2]:
        reporter.attempted(each)
    last = shown(stream.getvalue()).splitlines()[-1]
    reporter.close()
    assert last == line


def test_colours_are_styles_and_never_come_from_outside() -> None:
    """A passed attempt is green and a failed one red; markup in a name is text."""
    stream = Terminal()
    told_to(live(stream))
    output = stream.getvalue()
    assert "\x1b[32mpassed" in output
    assert "\x1b[1;31mfailed" in output
    assert "\x1b[2J" not in output
    assert "[bold red]x[/]" in output


def test_a_run_that_ends_without_a_report_leaves_no_line() -> None:
    """Closing takes the line of progress away and gives the cursor back."""
    stream = Terminal()
    reporter = live(stream)
    reporter.started(PLAN, 4, "")
    reporter.began(PLAN[0])
    reporter.close()
    reporter.close()
    assert shown(stream.getvalue()) == "7 cases, 8 attempts, up to 4 at a time\n"
    assert stream.getvalue().rfind("\x1b[?25h") > stream.getvalue().rfind("\x1b[?25l")


def test_several_suites_share_one_line() -> None:
    """Where several suites run one after the other, the line of progress counts the attempts of all that have begun."""
    stream = Terminal()
    reporter = live(stream, 60)
    reporter.started(PLAN[:1], 1, "one")
    reporter.attempted(ATTEMPTS[0])
    reporter.started(PLAN[1:3], 1, "two")
    reporter.attempted(ATTEMPTS[1])
    last = shown(stream.getvalue()).splitlines()[-1]
    reporter.finished(Report(attempts=ATTEMPTS[:2]))
    assert last == "2/3 attempts, 1 passed, 1 failed, 0.0 s"


def test_an_attempt_that_ends_is_no_longer_under_way() -> None:
    """The names in the line are those of attempts that have begun and not ended."""
    stream = Terminal()
    reporter = live(stream, 100)
    reporter.started(PLAN, 4, "")
    reporter.began(Job(REPORT.attempts[2].case, 1))
    reporter.began(PLAN[4])
    reporter.attempted(ATTEMPTS[2])
    last = shown(stream.getvalue()).splitlines()[-1]
    reporter.close()
    assert last == "1/8 attempts, 1 passed, 0.0 s  raises"
