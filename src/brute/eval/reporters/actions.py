"""The report for GitHub Actions: the summary of the step, and an annotation at the line of each case that did not pass."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence

from ..arguments import Place
from ..attempt import Attempt, Job
from ..report import CaseResult, Report
from ..wording import exception, plural
from .headline import first_line, foremost
from .hidden import notes, placed
from .inert import inert
from .lines import named
from .markdown import markdown
from .outlet import Outlet, complain
from .placing import Places

MOST = 10
"""How many annotations of a step GitHub shows."""


class Actions:
    """A reporter that writes workflow commands to `outlet`, and Markdown to the file that `environ` names for the summary.

    `places` are whole paths, `near` what a person is shown for them. Every text in a command is inert and escaped, and stands on its line.
    What agents and tools print while the run goes on is no command, whatever a model has them print: the runner is told to wait for a word
    that nobody can know.
    """

    def __init__(self, outlet: Outlet, places: Places, near: Places, environ: Mapping[str, str]) -> None:
        self._outlet = outlet
        self._places = places
        self._near = near
        self._root = environ.get("GITHUB_WORKSPACE", "")
        self._summary = environ.get("GITHUB_STEP_SUMMARY", "")
        self._unwritten: str | None = None
        self._word: str | None = None

    @property
    def unwritten(self) -> str | None:
        """Why the report could not be written, if so."""
        return self._unwritten or self._outlet.unwritten

    def started(self, plan: Sequence[Job], jobs: int, suite: str) -> None:
        """Have the runner heed no command until the end."""
        if self._word is None:
            self._word = secrets.token_hex(16)
            self._outlet.write(f"::stop-commands::{self._word}\n")

    def began(self, job: Job) -> None:
        """Nothing: what is to be annotated is known at the end."""

    def attempted(self, attempt: Attempt) -> None:
        """Nothing: what is to be annotated is known at the end."""

    def finished(self, report: Report) -> None:
        """Annotate, and add to the summary."""
        again = [f"::{self._word}::"] if self._word is not None else []
        # On a line of its own, whatever was printed last.
        self._outlet.write("".join(f"\n{line}" for line in [*again, *self._commands(report)]) + "\n")
        if self._summary:
            try:
                with open(self._summary, "a", encoding="utf-8", errors="backslashreplace") as file:
                    file.writelines(markdown(report, self._near))
            except Exception as error:
                self._unwritten = inert(f"{self._summary}: {exception(error)}", 1000)
                complain(self._unwritten)

    def _commands(self, report: Report) -> Iterator[str]:
        attempts = tuple(each for each in report.attempts if each.status in ("failed", "error"))
        wrong = [result for result in Report(attempts).cases if result.status in ("failed", "error")]
        if report.stopped or report.interrupted:
            yield _error("brute eval", notes(report)[-1] if report.stopped else "the run was interrupted", {})
        few = MOST - 1 if len(wrong) > MOST else MOST
        annotated = Report(tuple(attempt for one in wrong[:few] for attempt in one.attempts))
        for result, place in placed(annotated, self._places):
            yield _error(f"{result.status}: {named(result.suite, result.case.name)}", _said(result), self._at(place))
        if len(wrong) > few:
            yield _error("brute eval", f"{plural(len(wrong) - few, 'more case')} did not pass", {})

    def _at(self, place: Place | None) -> dict[str, str]:
        """The file from the root of the repository, and the line; nothing where it lies elsewhere."""
        if place is None or not self._root:
            return {}
        path = os.path.relpath(os.path.realpath(place.path), os.path.realpath(self._root))
        return {} if path.startswith("..") else {"file": path.replace(os.sep, "/"), "line": str(place.line)}


def _said(result: CaseResult) -> str:
    told = [first_line(failure) for each in result.attempts for failure in foremost(each)]
    told = list(dict.fromkeys(told))
    return "\n".join([*told[:5], *([f"and {plural(len(told) - 5, 'more failure')}"] if len(told) > 5 else [])])


def _error(title: str, message: str, at: Mapping[str, str]) -> str:
    """An annotation. Everything in it is escaped as the runner wants it, the lines of the message too."""
    about = ",".join(f"{key}={_property(value)}" for key, value in {**at, "title": title}.items())
    return f"::error {about}::{_data(message)}"


def _data(text: str) -> str:
    lines = (inert(line, 1000).replace("%", "%25") for line in text.split("\n"))
    return "%0A".join(lines)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
