"""What is read from a log, whole and damaged."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from brute.errors import UsageError
from brute.eval.logreading import Reading
from brute.eval.logschema import LogError
from brute.eval.runlog import RunLog
from tests.eval.logged import attempts, run_of

PAGE = 4096


def test_a_run_is_found_by_its_id_and_by_either_end_of_it(tmp_path: Path) -> None:
    """Or as the last one; another name is refused with the nearest."""
    path = tmp_path / "runs.db"
    first, second = (run_of(attempts(1), path).id for _ in range(2))
    with Reading(path) as reading:
        assert reading.run(first).id == reading.run(first[-6:]).id == first
        assert reading.run("last").id == second
        with pytest.raises(UsageError, match=r"2 runs in .* are called 20"):
            reading.run("20")
        with pytest.raises(UsageError, match=f"no run '{first}x' in .*did you mean \"{first}\""):
            reading.run(f"{first}x")
        with pytest.raises(
            UsageError, match="a run is named by its id, the beginning or the end of one, or last; got ' '"
        ):
            reading.run(" ")


def test_a_log_that_is_not_there_or_empty(tmp_path: Path) -> None:
    """One sentence for each."""
    with pytest.raises(LogError, match=r"there is no run log at .*runs\.db"):
        Reading(tmp_path / "runs.db")
    with pytest.raises(LogError, match=f"there is no run log at {tmp_path}: it is a folder$"):
        Reading(tmp_path)
    (tmp_path / "runs.db").write_bytes(b"")
    with pytest.raises(LogError, match="is empty"):
        Reading(tmp_path / "runs.db")
    RunLog(tmp_path / "runs.db").begin().close()
    with pytest.raises(LogError, match=r": it is a folder; did you mean .*runs\.db\?$"):
        Reading(tmp_path)
    with Reading(tmp_path / "runs.db") as reading:
        assert reading.report(reading.run("last")).attempts == ()
    (tmp_path / "other.txt").write_text("notes " * 1000)
    with pytest.raises(LogError, match=r"other\.txt can't be read: it is damaged, or no database at all"):
        Reading(tmp_path / "other.txt")


def test_a_transcript_is_read_without_the_others(tmp_path: Path) -> None:
    """The verdicts touch no transcript, and one transcript no other."""
    path = tmp_path / "runs.db"
    made = attempts(30)
    run_of(made, path)
    with Reading(path) as reading:
        steps: list[str] = []
        reading.connection.set_trace_callback(steps.append)
        written = reading.written(reading.run("last"))
        assert [each.attempt.verdict.sentences for each in written] == [each.verdict.sentences for each in made]
        assert reading.transcript(written[7].id) == made[7].transcript
        reading.connection.set_trace_callback(None)
    assert [step for step in steps if "transcript" in step] == [
        f"SELECT body, sum FROM transcript WHERE id = {written[7].id}"
    ]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of 200 attempts."""
    path = tmp_path_factory.mktemp("whole") / "runs.db"
    run_of(attempts(200), path)
    return path


def survivors(path: Path) -> int:
    """How many attempts can be read of the damaged log, each of which is as it was; -1 where none can, with a sentence."""
    known = {each.case.name: each for each in attempts(200)}
    try:
        with Reading(path) as reading:
            kept = [each for run in reading.runs() for each in reading.stream(run)]
            notes = reading.notes
    except (LogError, UsageError) as error:
        return -1 if "\n" not in str(error) and str(path) in str(error) else 10**9
    for each in kept:
        was = known.get(each.attempt.case.name)
        if was is not None:
            assert each.attempt.verdict == was.verdict
            assert each.attempt.status == was.status
            assert each.attempt.transcript == was.transcript or each.attempt.transcript.notes
        else:
            assert "can't be read" in each.attempt.case.name
    unread = [each for each in kept if each.attempt.transcript.notes]
    assert notes or (len(kept) == 200 and not unread)
    return len(kept)


def test_one_damaged_page_costs_what_was_on_it(whole: Path, tmp_path: Path) -> None:
    """Zeros or noise on any page: what is read is what was written, and what is not is said."""
    pages = whole.stat().st_size // PAGE
    noise = random.Random(7)
    path = tmp_path / "runs.db"
    kept = []
    for page in range(pages):
        shutil.copy(whole, path)
        with path.open("r+b") as opened:
            opened.seek(page * PAGE)
            opened.write(bytes(PAGE) if page % 2 else noise.randbytes(PAGE))
        kept.append(survivors(path))
    # The pages at the beginning hold the tables themselves.
    assert kept[0] == -1
    assert max(kept) <= 200
    assert sum(count > 100 for count in kept) > 0.7 * pages


def test_a_few_flipped_bytes_never_make_another_verdict(whole: Path, tmp_path: Path) -> None:
    """SQLite has no checksums; the rows do."""
    noise = random.Random(8)
    path = tmp_path / "runs.db"
    for _ in range(25):
        content = bytearray(whole.read_bytes())
        for _ in range(20):
            content[noise.randrange(PAGE, len(content))] = noise.randrange(256)
        path.write_bytes(content)
        survivors(path)


def test_a_log_that_was_cut_off_is_read_as_far_as_it_goes(whole: Path, tmp_path: Path) -> None:
    """At any length, the header's own included."""
    noise = random.Random(9)
    size = whole.stat().st_size
    path = tmp_path / "runs.db"
    kept = {}
    for length in [0, 1, 99, 100, PAGE, *(noise.randrange(size) for _ in range(25)), size - 1]:
        path.write_bytes(whole.read_bytes()[:length])
        kept[length] = survivors(path)
    assert kept[0] == kept[99] == -1
    assert 150 < kept[size - 1] == max(kept.values())
    assert sum(count > 0 for count in kept.values()) > len(kept) / 2


def test_a_damaged_log_is_not_written_to_without_a_word(whole: Path, tmp_path: Path) -> None:
    """A run whose log is damaged says so and goes on."""
    path = tmp_path / "runs.db"
    content = bytearray(whole.read_bytes())
    content[100:PAGE] = bytes(PAGE - 100)
    path.write_bytes(content)
    told: list[str] = []
    recording = RunLog(path, warn=told.append).begin()
    assert recording.error is not None
    assert told == [f"the run log {path} can't be written: it is damaged (database disk image is malformed)"]
