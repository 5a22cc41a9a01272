"""GitHub Actions: commands that no text can forge, and the summary of the step."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brute.eval import Case, Failure, Report
from brute.eval.arguments import Place
from brute.eval.reporters.actions import MOST, Actions
from brute.eval.reporters.markdown import markdown
from brute.eval.reporters.outlet import Outlet
from tests.eval.reporters.sample import ATTEMPTS, HOSTILE, PLACES, REPORT, attempt, told_to, transcript
from tests.support.golden import same_as_golden

GOLDEN = Path(__file__).parent / "golden"
ROOTED = {key: Place(f"/repo/{place.path}", place.line) for key, place in PLACES.items()}


def commands(report: Report = REPORT, places: dict[tuple[str, str], Place] = ROOTED, **environ: str) -> list[str]:
    """The lines that are written to standard output, when the runner heeds commands again."""
    stream = io.StringIO()
    told_to(Actions(Outlet(stream), places, PLACES, {"GITHUB_WORKSPACE": "/repo", **environ}), report)
    stop, _, go, *lines = stream.getvalue().splitlines()
    assert stop == f"::stop-commands::{go.strip(':')}"
    return lines


def test_a_run_with_everything_in_it() -> None:
    """The commands on the sample, hostile text included, are the golden ones."""
    same_as_golden("\n".join(commands()) + "\n", GOLDEN / "actions.txt")


def test_what_is_printed_while_the_run_goes_on_is_no_command() -> None:
    """A model can have a tool print what it likes: the runner waits for a word that is another in each run."""
    words = set()
    for _ in range(2):
        stream = io.StringIO()
        actions = Actions(Outlet(stream), {}, {}, {})
        for _ in range(2):  # two suites
            actions.started([], 1, "")
        stream.write("::error::forged")
        actions.finished(REPORT)
        stop, forged, go, *rest = stream.getvalue().splitlines()
        assert (forged, go) == ("::error::forged", f"::{stop.removeprefix('::stop-commands::')}::")
        assert all(line.startswith("::error ") for line in rest)
        words.add(go)
        assert len(go) >= 36
    assert len(words) == 2


def test_a_run_in_which_all_passed_has_none() -> None:
    """Nor has one in which nothing ran."""
    assert commands(Report(attempts=ATTEMPTS[2:3])) == commands(Report()) == []


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from([*"\r\n:%,;#[]e \u2028\x85\x0b", "::error::", "##[error]", "%0A"]), max_size=20).map(
        "".join
    )
)
def test_no_text_makes_another_command(text: str) -> None:
    """One line a case, whose properties are those that are meant."""
    case = Case(f"a{text}", said="?")
    made = attempt(case, "failed", Failure("check", text), seen=transcript(text), suite=text)
    (line,) = commands(Report(attempts=(made,)), {(text, case.name): Place(f"/repo/a{text}.py", 3)})
    _, about, message = line.split("::", 2)
    keys = [each.partition("=")[0] for each in about.removeprefix("error ").split(",")]
    assert keys == ["file", "line", "title"]
    assert "##[" not in line
    assert "\n" not in message
    assert line.isprintable()


def test_a_message_is_read_as_it_was_meant() -> None:
    """Percent signs are not taken for escapes, and each failure has a line of its own."""
    made = attempt(
        Case("a", said="?"), "failed", Failure("check", "100% sure"), Failure("check", "b"), seen=transcript("")
    )
    assert commands(Report(attempts=(made,)), {}) == ["::error title=failed%3A a::100%25 sure%0Ab"]


@pytest.mark.parametrize(
    ("path", "root", "at"),
    [
        ("/repo/evals/a.py", "/repo", "file=evals/a.py,line=3,"),
        ("/elsewhere/a.py", "/repo", ""),
        ("/repo/a.py", "", ""),
    ],
)
def test_the_path_is_from_the_root_of_the_repository(path: str, root: str, at: str) -> None:
    """A file that lies elsewhere has no line that could be annotated."""
    lines = commands(Report(attempts=ATTEMPTS[4:5]), {("", "raises"): Place(path, 3)}, GITHUB_WORKSPACE=root)
    assert lines == [f"::error {at}title=failed%3A raises::the turn raised KeyError: 'id'"]


def test_of_many_the_first_are_annotated() -> None:
    """As many as GitHub shows, and how many there are besides."""
    made = [attempt(Case(f"c{n}", said="?"), "failed", Failure("check", "no")) for n in range(30)]
    lines = commands(Report(attempts=tuple(made)))
    assert len(lines) == MOST
    assert lines[-1] == "::error title=brute eval::21 more cases did not pass"


def test_a_run_that_was_not_finished_says_so() -> None:
    """Once, and not for each case."""
    cut = Report(attempts=ATTEMPTS[7:], interrupted=True)
    assert commands(cut) == ["::error title=brute eval::the run was interrupted"]
    capped = dataclasses.replace(cut, interrupted=False, stopped="reached the run's cap of $1")
    assert commands(capped) == ["::error title=brute eval::reached the run's cap of $1"]


def test_the_summary_is_added_to(tmp_path: Path) -> None:
    """What other steps' commands wrote stays."""
    path = tmp_path / "summary.md"
    path.write_text("before\n")
    commands(GITHUB_STEP_SUMMARY=str(path))
    assert path.read_text(encoding="utf-8") == "before\n" + "".join(markdown(REPORT, PLACES))


def test_a_summary_that_can_not_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Is said, and the commands are written all the same."""
    stream = io.StringIO()
    reporter = Actions(Outlet(stream), ROOTED, PLACES, {"GITHUB_STEP_SUMMARY": str(tmp_path)})
    told_to(reporter)
    assert "IsADirectoryError" in str(reporter.unwritten)
    assert capsys.readouterr().err.startswith("Error: the report could not be written: ")
    assert stream.getvalue().count("::error ") == 5


def test_hostile_text_is_inert() -> None:
    """Nothing that a runner of another maker would act on is left."""
    text = "\n".join(commands(Report(attempts=(attempt(Case("x", said="?"), "failed", Failure("check", HOSTILE)),))))
    assert "##vso[" not in text
    assert text.isprintable()
