"""`brute export`."""

from __future__ import annotations

import json
from pathlib import Path

from brute.eval import Transcript
from tests.eval.cli.conftest import Brute
from tests.eval.logged import attempts, run_of

PLACE = Path(".brute/runs.db")


def test_a_run_is_written_as_lines_of_json(brute: Brute) -> None:
    """One for the run, then one for each attempt, with verdict and transcript."""
    made = attempts(6)
    recording = run_of(made, PLACE, suite="eval_x.py")
    ended = brute("export", recording.id, "--jsonl")
    run, *lines = map(json.loads, ended.out.splitlines())
    assert ended.status == 0
    assert ended.err == ""
    assert (run["kind"], run["format"], run["id"], run["planned"], run["how"]) == (
        "run",
        1,
        recording.id,
        6,
        "finished",
    )
    assert [(line["suite"], line["case"], line["number"], line["status"]) for line in lines] == [
        ("eval_x.py", each.case.name, 1, each.status) for each in made
    ]
    assert [Transcript.from_json(line["transcript"]) for line in lines] == [each.transcript for each in made]
    assert lines[2]["failures"][0]["message"] == "mentions in 2"


def test_the_format_has_to_be_named(brute: Brute) -> None:
    """Others may come."""
    run_of(attempts(1), PLACE)
    ended = brute("export", "last")
    assert ended.status == 2
    assert "--jsonl" in ended.err
