"""`brute show`."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.eval.cli.conftest import Brute, Ended
from tests.eval.logged import attempt, attempts, run_of

PLACE = Path(".brute/runs.db")


def test_a_run_is_shown_by_what_it_came_to(brute: Brute) -> None:
    """How many cases passed, and the first sentence of each that did not."""
    run_of(attempts(8), PLACE)
    ended = brute("show", "last")
    assert ended.status == 0
    assert ended.out.splitlines()[3:] == [
        "note: a note",
        "4 of 8 cases passed, tokens 36",
        "error      case 3: error.model in 3",
        "error      case 7: error.model in 7",
        "failed     case 2: mentions in 2",
        "failed     case 6: mentions in 6",
        "2 failed, 4 passed, 2 errors",
    ]


def test_several_attempts_are_one_case(brute: Brute) -> None:
    """The worst of them counts, and how many there are of that."""
    import dataclasses

    case = dataclasses.replace(attempt(2).case, runs=4)
    run_of([dataclasses.replace(attempt(n), case=case, number=n + 1) for n in range(4)], PLACE, suite="eval_x.py")
    assert brute("show", "last").out.splitlines()[4:] == [
        "0 of 1 case passed (4 attempts), pass^4 0.00 (0 of 1 case), tokens 10",
        "failed     eval_x.py: case 2 (1 of 4 attempts): mentions in 2",
        "1 failed",
    ]
    assert brute("show", "last", "case 2").out.startswith("failed     eval_x.py: case 2, attempt 3 of 4\n")
    assert brute("show", "last", "eval_x.py: case 2", "1").out.startswith(
        "passed     eval_x.py: case 2, attempt 1 of 4\n"
    )
    ended = brute("show", "last", "case 2", "9")
    assert (ended.status, ended.err) == (2, 'Error: case "case 2" has no attempt 9 in this run\n')


def test_an_attempt_is_shown_as_a_person_reads_it(brute: Brute) -> None:
    """Found by its name, or by a part of it that no other has."""
    run_of(attempts(3), PLACE)
    told = brute("show", "last", "CASE 2").out
    assert told.splitlines() == [
        "failed     case 2",
        "    search (stubbed); iterations 2, tokens 3, seconds 0.2",
        "    - mentions in 2",
        "",
        "user",
        "    | say 2",
        "",
        "assistant (2 tokens)",
        '    call 1: search {"q": 2} stubbed',
        "",
        "assistant (1 token)  <- mentions",
        "    | reply 2",
    ]
    assert brute("show", "last", "case 2", "--full").out == told


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("nope",), "no run 'nope' in .brute/runs.db; `brute runs` lists them"),
        (("last", "case"), '3 cases of this run have "case" in their names: "case 0", "case 1", "case 2"'),
        (("last", "cas 2"), 'no case has "cas 2" in its name (did you mean "case 2"?)'),
    ],
)
def test_what_is_not_there_is_refused_with_the_nearest(words: tuple[str, ...], sentence: str, brute: Brute) -> None:
    """With exit status 2."""
    run_of(attempts(3), PLACE)
    ended = brute("show", *words)
    assert (ended.status, ended.out, ended.err) == (2, "", f"Error: {sentence}\n")


def test_what_of_a_damaged_log_can_be_read_is_shown(brute: Brute) -> None:
    """A transcript that is damaged is a sentence, and the others are still there."""
    run_of(attempts(3), PLACE)
    with sqlite3.connect(PLACE) as other:
        other.execute("UPDATE transcript SET body = x'00' WHERE id % 4294967296 = 2")
        other.execute("UPDATE attempt SET status = 'passed' WHERE id % 4294967296 = 3")
    other.close()
    ended = brute("show", "last", "case 1")
    assert ended.status == 3
    assert ended.err.startswith(
        "Error: a transcript in the run log .brute/runs.db can't be read: the transcript is damaged"
    )
    ended = brute("show", "last", "case 0")
    assert (ended.status, ended.out.split("\n")[0]) == (3, "passed     case 0")
    assert "Warning: a row is damaged, and its attempt is left out\n" in ended.err
    ended = brute("show", "last", "case 2")
    assert (ended.status, ended.out) == (2, "")


def test_a_damaged_log_never_ends_as_if_it_were_whole(brute: Brute) -> None:
    """What can be read is shown, the last line says that it is not all, and the exit status too."""
    for number, statement in enumerate(
        (
            "UPDATE attempt SET verdict = replace(verdict, 'mentions', 'mentionz')",
            "DELETE FROM attempt WHERE status = 'failed'",
            "UPDATE attempt SET status = 'passed' WHERE status = 'failed'",
        )
    ):
        place = Path(f"{number}.db")
        run_of([attempts(3)[n] for n in (0, 1, 1, 2)], place)
        with sqlite3.connect(place) as other:
            other.execute(statement)
        other.close()
        ended = brute("show", "last", "--log", str(place))
        assert ended.status == 3
        assert ended.last.startswith("the log is damaged, and not all of the run can be read: ")
        assert " that can be read passed" in ended.out
        assert ended.err.startswith("Warning: ")
        assert brute("export", "last", "--jsonl", "--log", str(place)).status == 3
        merged = brute("merge", str(place), "-o", f"m{number}.db")
        assert (merged.status, "could not be read from" in merged.err) == (3, True)
        assert brute("show", "last", "--log", f"m{number}.db").last.startswith("unfinished: ")


def test_a_log_whose_tables_are_damaged_is_no_log_without_runs(brute: Brute) -> None:
    """Every verb says so, and that it could not do what was asked."""
    run_of(attempts(3), Path("bad.db"))
    connection = sqlite3.connect("bad.db")
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.close()
    content = Path("bad.db").read_bytes()
    Path("bad.db").write_bytes(content[:4096].replace(b"exit_status", b"exit_statux") + content[4096:])
    for words in (("runs",), ("show", "last"), ("export", "last", "--jsonl"), ("grade", "last"), ("eval", "--resume")):
        ended = brute(*words, "--log", "bad.db")
        assert (ended.status, ended.out) == (3, "")
        assert ended.err.startswith("Error: the run log bad.db can't be read: it is damaged")
    assert brute("merge", "bad.db", "-o", "m.db").status == 3


def test_a_log_that_is_not_there_is_a_slip_of_the_command_line(brute: Brute) -> None:
    """As a database that is none of ours is: exit status 2."""
    with sqlite3.connect("other.db") as other:
        other.execute("CREATE TABLE run (number INTEGER)")
    other.close()
    for log, told in (
        ("nope.db", "there is no run log at nope.db"),
        ("other.db", "other.db is a database, but no run log"),
    ):
        for words in (
            ("runs",),
            ("show", "last"),
            ("export", "last", "--jsonl"),
            ("grade", "last"),
            ("eval", "--resume"),
        ):
            assert brute(*words, "--log", log) == Ended(2, "", f"Error: {told}\n")
        assert brute("merge", log, "-o", "m.db") == Ended(2, "", f"Error: {told}\n")
