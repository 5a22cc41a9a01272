"""Where cassettes lie, and under which names."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brute import UsageError
from brute.eval import Case
from brute.eval.cassettes.filing import folder, place, refuse_unwritable, slug, write
from tests.support.agents import speaks
from tests.support.taped import files, made


@given(st.text(max_size=300))
def test_a_name_is_one_file_on_every_system(name: str) -> None:
    """Small letters, digits and hyphens; not too long; never a reserved word alone."""
    told = slug(name)
    assert 0 < len(told) <= 60
    assert set(told) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


@pytest.mark.parametrize(
    ("one", "other"),
    [("Reads", "reads"), ("a b", "a-b"), ("é", "è"), ("x" * 300, "x" * 301), ("", " "), ("a\x00", "a")],
)
def test_two_names_never_share_a_file(one: str, other: str) -> None:
    """Though a file system may take them for the same."""
    assert slug(one) != slug(other)


def test_cassettes_lie_beside_the_file_of_the_suite() -> None:
    """In a folder named after it, and after the suite."""
    assert folder("/x/eval_a.py") == Path("/x/cassettes/eval_a")
    assert folder("/x/eval_a.py", "Nightly") == Path("/x/cassettes/eval_a", slug("Nightly"))
    assert folder("/x/eval_a.yaml") == Path("/x/cassettes/eval_a-yaml")
    assert folder(None) == Path.cwd() / "cassettes" / "suite"
    assert place(Path("/x"), "A case", 3).name == f"{slug('A case')}.3.json"


def test_a_hostile_case_name_stays_in_its_folder(tmp_path: Path) -> None:
    """It is no path."""
    for name in ("../../etc/passwd", "/etc/passwd", "C:\\x", "con", "a/b", "~", ".", ".."):
        made(tmp_path, speaks(lambda env: "hi"), Case(name, said="x"), record=True)
    assert {path.parent for path in files(tmp_path)} == {tmp_path / "cassettes" / "eval_x"}
    assert len(files(tmp_path)) == 8


def test_a_folder_that_can_t_be_written_is_refused_before_anything_is_spent(tmp_path: Path) -> None:
    """A file stands where the folder should."""
    (tmp_path / "cassettes").write_text("a file")
    asked: list[int] = []

    def model(env: object) -> str:
        asked.append(1)
        return "hi"

    with pytest.raises(UsageError, match=r"cassettes can't be written to .*: "):
        made(tmp_path, speaks(model), Case("x", said="x"), record=True)
    assert asked == []
    with pytest.raises(UsageError):
        refuse_unwritable(tmp_path / "cassettes" / "x")


@pytest.mark.skipif(os.name != "posix", reason="the bits are POSIX's")
def test_a_cassette_may_be_read_like_any_file_of_the_user_s(tmp_path: Path) -> None:
    """Not only by its owner, as scratch files are."""
    made(tmp_path, speaks(lambda env: "hi"), Case("x", said="x"), record=True)
    mask = os.umask(0o022)
    os.umask(mask)
    assert files(tmp_path)[0].stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_recording_that_can_t_be_written_is_an_error_of_the_attempt(tmp_path: Path) -> None:
    """Who asked for one must not take it for there."""
    case = Case("x", said="x")
    made(tmp_path, speaks(lambda env: "hi"), case, record=True)
    path = files(tmp_path)[0]
    path.unlink()
    path.mkdir()
    (path / "y").write_text("in the way")
    attempt = made(tmp_path, speaks(lambda env: "hi"), case, record=True)
    assert [each.kind for each in attempt.verdict.failures] == ["error.replay"]
    assert "the recording could not be written to " in attempt.verdict.sentences[0]


def test_what_a_killed_run_left_is_cleared_away_and_what_another_run_writes_is_not(tmp_path: Path) -> None:
    """Two runs may record the same attempt at the same moment."""
    old, young = tmp_path / ".x.json.a.part", tmp_path / ".x.json.b.part"
    for each in (old, young):
        each.write_text("half")
    os.utime(old, (time.time() - 3600,) * 2)
    write(tmp_path / "x.json", "whole")
    assert sorted(each.name for each in tmp_path.iterdir()) == [".x.json.b.part", "x.json"]
