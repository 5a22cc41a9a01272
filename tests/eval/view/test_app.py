"""The application of the view: its pages, and what it tells of a log."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from brute import Usage
from brute.eval import Attempt, Case, Failure, Report, Verdict
from brute.eval.logreading import Reading
from brute.eval.runlog import RunLog
from brute.eval.spent import Spent
from brute.eval.view.app import application
from tests.eval.logged import attempt, attempts, database, recorded, run_of
from tests.eval.reporters.sample import HOSTILE, transcript
from tests.eval.reporters.test_html import EVIL, Blocks

pytest.importorskip("starlette")
from starlette.testclient import TestClient


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A log of two runs."""
    made = tmp_path / "runs.db"
    run_of(attempts(8), made)
    run_of(attempts(4), made)
    return made


def get(path: Path, at: str) -> Any:
    """What the application answers."""
    made: Any = application(str(path))
    return TestClient(made, base_url="http://127.0.0.1").get(at)


def data(path: Path, at: str) -> Any:
    """What it tells."""
    answer = get(path, f"/data/{at}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    return answer.json()


@pytest.mark.parametrize("at", ["/", "/run/1", "/compare/1/2"])
def test_a_page_runs_its_own_script_and_reaches_its_own_server(at: str, path: Path) -> None:
    """And nothing else: no script but the one with this hash, no connection but to where it came from."""
    answer = get(path, at)
    found = Blocks()
    found.feed(answer.text)
    rules = dict(rule.strip().split(" ", 1) for rule in answer.headers["content-security-policy"].split(";"))
    (meta,) = [about["content"] for tag, about in found.tags if "http-equiv" in about]
    assert answer.headers["content-security-policy"] == f"{meta}; frame-ancestors 'none'"
    for name, tag in (("script-src", "script"), ("style-src", "style")):
        both = zip(found.tags, found.texts, strict=True)
        (text,) = [text for (other, about), text in both if other == tag and "type" not in about]
        assert rules.pop(name) == f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
    assert rules == {
        "default-src": "'none'", "img-src": "data:", "connect-src": "'self'", "base-uri": "'none'", "form-action": "'none'",
        "require-trusted-types-for": "'script'", "trusted-types": "'none'", "frame-ancestors": "'none'",
    }  # fmt: skip
    assert not [about for _, about in found.tags if "src" in about or about.get("href", "data:,") != "data:,"]


def test_the_runs_are_listed_the_last_one_first(path: Path) -> None:
    """With what `brute runs` says of each."""
    told = data(path, "runs")
    assert [run["number"] for run in told["runs"]] == [2, 1]
    first = told["runs"][1]
    assert (first["command"], first["state"], first["going"], first["made"], first["seconds"]) == (
        "brute eval x.py", "finished", False, "8 attempts: 4 passed, 2 failed, 2 errors", 1.5,
    )  # fmt: skip
    assert (told["earlier"], told["troubles"]) == (0, [])


def test_a_run_is_told_slice_by_slice(path: Path) -> None:
    """Its attempts without their transcripts, and the cases that they are of."""
    told = data(path, "run/1?most=3")
    assert [each["name"] for each in told["cases"]] == ["case 0", "case 1", "case 2"]
    assert [row[3] for row in told["attempts"]] == ["passed", "passed", "failed"]
    assert told["attempts"][2][4:] == [3, True, 0, False, ["mentions in 2"], None]
    assert (told["more"], told["run"]["told"], told["run"]["planned"], told["run"]["notes"]) == (True, 8, 8, ["a note"])
    rest = data(path, f"run/1?after={told['after']}")
    assert ([row[3] for row in rest["attempts"]], rest["more"]) == (
        ["error", "passed", "passed", "failed", "error"],
        False,
    )
    assert data(path, f"run/1?after={rest['after']}")["attempts"] == []


def test_what_a_judge_and_earlier_tries_used_is_part_of_what_was_spent(tmp_path: Path) -> None:
    """As in every other report; of what was tried before, not all is known."""
    judged = Spent(calls=1, tokens=1005, cost=0.5)
    made = [
        attempt(1, judged=judged),
        attempt(2, earlier=Usage(input=6, output=4)),
        attempt(3, judged=Spent(1, 1, 1, 0, 0.0)),
    ]
    path = tmp_path / "runs.db"
    run_of(made, path)
    rows = [row[4:8] + row[9:] for row in data(path, "run/1")["attempts"]]
    assert rows == [
        [1007, True, 0.5, False, [1, 0, 1005, 0.5]],
        [13, False, 0, False, None],
        [4, False, 0, False, [1, 1, 0, 0.0]],
    ]
    for row, each in zip(rows, made, strict=True):
        (tokens, silent), (cost, unpriced) = Report((each,)).tokens, Report((each,)).cost
        assert row[:4] == [tokens, not silent, cost, not unpriced]


def test_one_attempt_is_told_in_full(path: Path) -> None:
    """And of the others nothing."""
    id = data(path, "run/1?most=3")["attempts"][2][0]
    told = data(path, f"attempt/{id}")
    assert [step["what"] for step in told["steps"]] == ["said", "said", "call", "said", "end"]
    assert told["failures"][0]["message"] == "mentions in 2"
    assert "reply 3" not in json.dumps(told)


def test_what_is_said_of_the_transcripts(path: Path) -> None:
    """Behind those that are known already."""
    told = data(path, "run/1/gist")
    assert [row[1:] for row in told["gists"]][:2] == [[0.25, ["search"], "reply 0"], [0.25, ["search"], "reply 1"]]
    assert not told["more"]
    assert data(path, f"run/1/gist?after={told['gists'][6][0]}")["gists"] == told["gists"][7:]


def test_two_runs_are_compared_by_what_they_were_made_of(path: Path) -> None:
    """What they came to, the page knows."""
    assert data(path, "compare/1/2")["changes"] == ["the agent can't be compared", "the world can't be compared"]


@pytest.mark.parametrize(
    "at",
    ["/data/", "/data", "/data/run/x", "/data/run/-1", "/data/run/1e3", f"/run/{'9' * 5000}", "/run/\u0663", "/run/1/", "/run/last", "/runs.db", "/../runs.db", "/..%2fruns.db", "/%2e%2e/runs.db", "/run/..%2f..%2fetc%2fpasswd", "/data/run/1/gist/%2e%2e%2f%2e%2e", "/static/page.css", "/data/attempt/1'--", "//etc/passwd"],
)  # fmt: skip
def test_there_is_nothing_else(at: str, path: Path) -> None:
    """No file of the disk has an address here."""
    answer = get(path, at)
    assert (answer.status_code, answer.text) == (404, "there is nothing at this address\n")


@pytest.mark.parametrize(
    ("at", "sentence"),
    [
        ("run/3", "there is no run 3 in "),
        ("run/0", "there is no run 0 in "),
        ("run/99999999999999999999999", "there is no run 4611686018427387904 in "),
        ("run/7/gist", "there is no run 7 in "),
        ("compare/1/9", "there is no run 9 in "),
        ("attempt/17", "there is no run 0 in "),
        ("attempt/4294967999", "this attempt was made again since, or was never in the log"),
    ],
)
def test_what_is_not_in_the_log_is_said_in_a_sentence(at: str, sentence: str, path: Path) -> None:
    """With a status of its own."""
    answer = get(path, f"/data/{at}")
    assert answer.status_code == 404
    assert answer.json()["error"].startswith(sentence)


@pytest.mark.parametrize("query", ["after=-1", "after=x", "after=99999999999999999999999999", "most=0", "most=-7", "after=", "after=1e3", "run=2", "most=999999999", "after=\u0663"])  # fmt: skip
def test_a_query_that_means_nothing_is_no_harm(query: str, path: Path) -> None:
    """It is left out, or as much as is possible."""
    told = data(path, f"run/1?{query}")
    assert told["run"]["number"] == 1
    assert len(told["attempts"]) in (8, 0 if query == f"after={10**26 - 1}" else 1)


def test_a_log_that_goes_away_is_said_to_be_gone(path: Path) -> None:
    """While the server runs on: it may come again."""
    kept = path.with_suffix(".kept")
    shutil.move(path, kept)
    answer = get(path, "/data/runs")
    assert (answer.status_code, answer.json()) == (503, {"error": f"there is no run log at {path}"})
    shutil.move(kept, path)
    assert data(path, "runs")["runs"]


def test_damage_is_said(path: Path) -> None:
    """And no verdict becomes another: what can't be read is not told."""
    with database(path) as connection:
        connection.execute("UPDATE attempt SET status = 'passed' WHERE id % 4294967296 = 3")
        connection.execute("UPDATE transcript SET body = x'00' WHERE id % 4294967296 = 1")
        connection.execute("UPDATE run SET counts = '[]' WHERE number = 2")
    told = data(path, "run/1")
    assert [row[2:4] for row in told["attempts"]].count([1, "failed"]) == 1
    assert told["troubles"] == ["a row is damaged, and its attempt is left out"]
    assert len(told["attempts"]) == told["run"]["told"] - 1
    assert len(data(path, "run/1/gist")["troubles"]) == 1
    assert "can't be read" in json.dumps(data(path, f"attempt/{told['attempts'][0][0]}")["notes"])
    assert data(path, "runs")["runs"][0]["state"] == "damaged"


def test_hostile_text_is_data_that_does_nothing(tmp_path: Path) -> None:
    """In names, sentences, replies, command lines, ids: nothing that acts in a terminal, and no byte of it is HTML."""
    for text in (HOSTILE, EVIL):
        path = tmp_path / f"{len(text)}.db"
        case = Case(f"a {text}", said=text)
        run_of(
            [Attempt(case, 1, "failed", Verdict((Failure(text, text, text, text, text),)), transcript(text), text)],
            path,
        )
        with database(path) as connection:
            connection.execute(
                "UPDATE run SET command = ?, id = ?, shard = ?, commit_id = ?", [text.replace("\ud800", "")] * 4
            )
        id = data(path, "run/1")["attempts"][0][0]
        for at in ("runs", "run/1", "run/1/gist", f"attempt/{id}", "compare/1/1"):
            answer = get(path, f"/data/{at}")
            assert answer.headers["content-type"] == "application/json"
            assert re.sub(r"[\x20-\x7e]", "", answer.text) == ""
            assert "\\u001b" not in answer.text.replace("\\\\u001b", "")
        assert EVIL.split("\u2028")[0][:30] not in get(path, "/run/1").text


def test_secrets_are_masked_on_their_way_out_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was no secret when the run was written may be one now."""
    path = tmp_path / "runs.db"
    secret = "k-" + "9z" * 20
    case = Case(f"case {secret}", said=secret)
    failed = Failure("check", f"said {secret}", secret, secret, secret)
    run_of([Attempt(case, 1, "failed", Verdict((failed,)), transcript(secret), secret)], path)
    with database(path) as connection:
        connection.execute("UPDATE run SET command = ?, notes = ?", (f"brute {secret}", json.dumps([secret])))
    monkeypatch.setenv("MY_API_KEY", secret)
    id = data(path, "run/1")["attempts"][0][0]
    for at in ("runs", "run/1", "run/1/gist", f"attempt/{id}", "compare/1/1"):
        assert "9z9z" not in get(path, f"/data/{at}").text, at


def test_numbers_that_are_none_break_nothing(tmp_path: Path) -> None:
    """An agent may report any cost, and a log may hold any time."""
    path = tmp_path / "runs.db"
    run_of(attempts(2), path)
    with database(path) as connection:
        connection.execute("UPDATE run SET started = 9e999, seconds = -9e999, beat = 9e999")
    assert (data(path, "runs")["runs"][0]["began"], data(path, "runs")["runs"][0]["seconds"]) == ("?", None)


def test_nothing_is_written(path: Path) -> None:
    """Whatever is asked for, the log is afterwards byte for byte what it was; so it is in a folder that nobody can write to."""
    with database(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = path.read_bytes()
    for at in ("/", "/data/runs", "/data/run/1", "/data/run/1/gist", "/data/attempt/4294967297", "/data/compare/1/2"):
        assert get(path, at).status_code == 200
    assert path.read_bytes() == before
    with Reading(path) as reading, pytest.raises(sqlite3.OperationalError, match="readonly"):
        reading.connection.execute("DELETE FROM attempt")


def test_a_run_that_goes_on_is_told_as_it_comes(tmp_path: Path) -> None:
    """Also while its writer still has it open, and what was made again is said to be."""
    path = tmp_path / "runs.db"
    recording = RunLog(path).begin(["brute", "eval", "x.py"])
    told = data(path, "run/1")
    assert (told["run"]["state"], told["run"]["going"], told["attempts"], told["run"]["told"]) == (
        "running",
        True,
        [],
        0,
    )
    for number in range(3):
        asyncio.run(recorded(recording, [attempt(number)], suite=f"s{number}"))
        told = data(path, f"run/1?after={told['after']}")
        assert [row[2] for row in told["attempts"]] == [1]
        assert [each["name"] for each in told["cases"]] == [f"case {number}"]
    recording.close()
    assert data(path, "run/1")["run"]["state"] == "unfinished"
    with database(path) as connection:
        connection.execute("UPDATE attempt SET stale = 1 WHERE cased = 1")
    assert (data(path, "run/1")["run"]["replaced"], len(data(path, "run/1")["attempts"])) == (1, 2)
