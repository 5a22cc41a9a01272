"""Where a run comes from."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from brute.eval import Report, provenance
from brute.eval.logreading import Reading
from brute.eval.runlog import RunLog
from tests.eval.logged import attempts, recorded

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def git(*words: str) -> str:
    """What git says in the working folder."""
    who = {f"GIT_{name}_{what}": "x@example.org" for name in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True, env={**os.environ, **who}).stdout


def run(path: Path) -> tuple[str | None, bool | None]:
    """The commit of a run in the working folder, and whether files had been changed."""
    recording = RunLog(path / "runs.db").begin(["brute"])
    asyncio.run(recorded(recording, attempts(2)))
    assert recording._facts is not None
    recording._facts.wait(30)
    recording.end(Report())
    with Reading(path / "runs.db") as reading:
        found = reading.run(recording.id)
    return found.commit_id, found.dirty


def test_the_commit_is_known_and_whether_files_had_been_changed(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that git does not know yet counts as changed; a folder below the repository's is as good."""
    monkeypatch.chdir(tmp_path)
    log = tmp_path_factory.mktemp("log")
    assert run(log) == (None, None)
    git("init", "-q")
    assert run(log) == (None, None)
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "a.py").write_text("1")
    git("add", ".")
    git("commit", "-qm", "first")
    commit = git("rev-parse", "HEAD").strip()
    monkeypatch.chdir(tmp_path / "below")
    assert run(log) == (commit, False)
    (tmp_path / "b.py").write_text("2")
    assert run(log) == (commit, True)


def test_a_run_without_git_is_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its commit is not known."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run(tmp_path) == (None, None)


def test_ids_are_unlike_and_in_the_order_of_time() -> None:
    """Of a thousand runs in a second no two are alike, near enough."""
    ids = [provenance.of(["x"]).id for _ in range(100)]
    assert len(set(ids)) == 100
    assert provenance.of(["/usr/lib/brute/__main__.py", "eval", "a b.py"]).command == "brute eval 'a b.py'"


def test_a_command_line_may_hold_what_is_no_text(tmp_path: Path) -> None:
    """A path is bytes, and Python has those that are no text as half characters."""
    assert provenance.of(["brute", "eval", "a\udcff.py"]).command == r"brute eval 'a\udcff.py'"
    RunLog(tmp_path / "runs.db").begin(["a\udcff"]).close()


def test_a_process_that_is_there_is_alive() -> None:
    """And one that has gone is not."""
    done = subprocess.Popen(["true"])
    done.wait()
    assert provenance.alive(os.getpid())
    assert not provenance.alive(done.pid)
    assert not provenance.alive(0)
