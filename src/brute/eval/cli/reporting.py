"""Which reports a command writes besides the one on standard output, and what they know of the cases."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ...loading import shown_path
from ..arguments import Made, Place, shown
from ..case import Case
from .keeping import NO_LOG, place
from .refusal import Refusal, working_folder

if TYPE_CHECKING:
    from ..reporters.protocol import Reporter
    from ..suite import Suite

_KINDS = {
    "junit": "JUnit XML, for a CI server",
    "json": "JSON, the whole of it",
    "markdown": "Markdown, for a pull request; on GitHub Actions a summary and annotations too",
    "html": "one HTML page",
}
_Command = TypeVar("_Command", bound=Callable[..., Any])


def report_options(command: _Command) -> _Command:
    """The options for reports in files."""
    for kind, what in reversed(_KINDS.items()):
        command = click.option(f"--{kind}", metavar="PATH", help=f"Write the report as {what}.")(command)
    return command


_BEGINS = {"junit": b"<?xml", "json": b'{"format"', "markdown": b"## brute eval", "html": b"<!doctype html"}
"""What reports begin with, by their kinds."""


def _is_no_report(path: str, begins: bytes) -> bool:
    """Whether a file stands there that is none of ours: an eval file, or notes, where a value was forgotten or a name is wrong."""
    if not os.path.isfile(path):  # a pipe would be waited for
        return False
    try:
        with open(path, "rb") as file:
            return not (file.read(len(begins)) or begins).startswith(begins)
    except OSError:  # there is none, or none that may be read; the writing will say what is wrong with it
        return False


def _refuse_place(kind: str, path: str) -> None:
    """Refuse a path at which nothing can be written, while nothing is paid for yet."""
    above = os.path.dirname(os.path.realpath(path))
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    why = (
        "is no folder"
        if not os.path.isdir(above)
        else ""
        if os.access(above, os.W_OK)
        else "is a folder that is not for you to write to"
    )
    if why and not os.path.exists(path):
        raise Refusal([f"--{kind} can't write {shown(path)}: {shown(shown_path(above))} {why}"])


@dataclasses.dataclass(frozen=True, slots=True)
class Files:
    """Where reports are to be written, by their kinds."""

    paths: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @classmethod
    def of(cls, settings: dict[str, Any]) -> Files:
        """What the settings of a command line say, and no longer hold; a path that no report can be written to is refused."""
        given = {kind: settings.pop(kind) for kind in _KINDS}
        paths = {kind: path for kind, path in given.items() if path is not None}
        taken: dict[str, str] = {}
        for kind, path in paths.items():
            if not path or os.path.isdir(path):
                raise Refusal([f"--{kind} must be the path of a file to write, got {shown(path)}"])
            _refuse_place(kind, path)
            if _is_no_report(path, _BEGINS[kind]):
                told = f"--{kind} would take the place of {shown(path)}, which is no earlier report"
                raise Refusal([f"{told}; name another file, or take that one away"])
            # By another name too: through a link.
            other = taken.setdefault(os.path.realpath(path), kind)
            if other != kind:
                raise Refusal([f"--{other} and --{kind} can't write to the same file: {shown(path)}"])
        return cls(paths)

    def refuse(self, log: str | None) -> None:
        """Refuse a report that would take the log's place."""
        for kind, path in self.paths.items():
            if log is not None and os.path.realpath(path) == os.path.realpath(log):
                raise Refusal([f"--log and --{kind} can't write to the same file: {shown(path)}"])

    def clear(self) -> None:
        """Take away what an earlier run left there: of a run that never begins, no server may take that for its report."""
        from ..reporters.filed import take_away

        for path in self.paths.values():
            take_away(path)


def held(here: str, files: Files, log: str | None, suites: Sequence[Suite]) -> tuple[Files, str | None]:
    """The reports' places and the log's, from the folder that the command was given in: a file that was loaded may have left it."""
    if working_folder() == here:
        return files, log
    own = place(suites, None)  # chosen before the usual one could be taken for one that a suite names
    for suite in suites:
        if suite.log is not None and own is not None:
            suite.log = os.path.join(here, own)
    paths = {kind: os.path.join(here, path) for kind, path in files.paths.items()}
    return Files(paths), log if log in (None, NO_LOG) else os.path.join(here, str(log))


def reporters(files: Files, suites: Sequence[Suite]) -> Iterator[Reporter]:
    """Those that a command reports to: the terminal's, then one for each file."""
    from ..reporters.terminal import terminal

    places = _placed(suites)
    near = nearby(suites)
    if "markdown" in files.paths and os.environ.get("GITHUB_ACTIONS") == "true":
        from ..reporters.actions import Actions
        from ..reporters.outlet import Outlet

        # Before the terminal's, so that what went wrong is what a log ends with.
        yield Actions(Outlet(sys.stdout), places, near, os.environ)
    yield terminal(places=near)
    if files.paths:
        from ..reporters.filed import Filed

        for kind, path in files.paths.items():
            yield Filed(path, _writer(kind), near)


def nearby(suites: Sequence[Suite]) -> dict[tuple[str, str], Place]:
    """Where the cases were made, as paths from the working folder; to be asked before an agent may change that."""
    return {key: Place(shown_path(place.path), place.line) for key, place in _placed(suites).items()}


def _placed(suites: Sequence[Suite]) -> dict[tuple[str, str], Place]:
    return {(suite.name, name): place for suite in suites for name, place in suite.places.items()}


def _writer(kind: str) -> Any:
    """What writes a kind of report: the function of that name in the module of that name."""
    import importlib

    return getattr(importlib.import_module(f"..reporters.{kind}", __package__), kind)


def placed(cases: Sequence[Case], noted: Sequence[Made]) -> dict[str, Place]:
    """Where each case was made, by its name, as far as that was noted while its file was loaded."""
    # A copy is made by the standard library; what it is a copy of was made before, in the file, under the same name.
    made = [one for one in noted if isinstance(one.thing, Case) and _of_a_file(one)]
    itself = {id(one.thing): Place(one.path, one.line) for one in made}
    named: dict[str, Place] = {}
    for one in made:
        named.setdefault(one.thing.name, Place(one.path, one.line))
    found = {case.name: itself.get(id(case)) or named.get(case.name) for case in cases}
    return {name: place for name, place in found.items() if place is not None}


def _of_a_file(made: Made) -> bool:
    return os.path.isfile(made.path) and made.scope.get("__name__") not in ("dataclasses", "copy", "brute.eval.case")
