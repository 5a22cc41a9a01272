"""The sentences about a case's own check. The formula is that of `wording`."""

from __future__ import annotations

from typing import Any

from .showing import one_line, quote, value, visible
from .showing import seconds as in_seconds
from .wording import exception, told


def check_said(sentence: object) -> str:
    """What the case's own check said, on one line."""
    try:
        return one_line(str(sentence), 1000) or "the check said that something is wrong, and not what"
    except Exception:
        return f"the check said something that can't be read ({type(sentence).__name__})"


def check_said_no(name: str, where: str) -> str:
    """The case's own check returned False and no words."""
    return f"the check {quote(name)} returned False ({visible(where)})"


def check_crashed(name: str, error: BaseException) -> str:
    """The case's own check raised something else than an AssertionError."""
    return f"the check {quote(name)} raised {exception(error)}"


def check_refuted(name: str, where: str, error: BaseException, source: str = "") -> str:
    """An assertion failed in the case's check: its own words, or without any what stands at its place."""
    words = told(error, 1000) or visible(source)
    return f"the check {quote(name)} failed its assertion ({visible(where)}){f': {words}' if words else ''}"


def check_skipped(name: str, where: str, outcome: str) -> str:
    """The case's own check wanted to be skipped, which is neither yes nor no."""
    called = "pytest.xfail" if outcome == "XFailed" else "pytest.skip"
    return f"the check {quote(name)} called {called} ({visible(where)}), and so graded nothing; mark the case, or return what is wrong"


def check_slow(name: str, seconds: float) -> str:
    """The case's own check did not end."""
    return f"the check {quote(name)} did not end within {in_seconds(seconds)}"


def check_spoilt(name: str, failures: Any) -> str:
    """The case's own check put something else in the place of the transcript's list of failures."""
    return f"the check {quote(name)} made transcript.failures {value(failures)}; append sentences to it"


def check_answered(name: str, answer: Any) -> str:
    """The case's own check returned something that says neither yes nor no."""
    return f"the check {quote(name)} returned {value(answer)}; it may return None, True, False, a sentence or a list of sentences"
