"""Today's expectations on stored transcripts."""

from __future__ import annotations

import asyncio
import dataclasses
import io
import sqlite3
from pathlib import Path

import pytest

from brute import agent
from brute.eval import Attempt, Case, Failure, Report, Suite, Transcript, Verdict, World, wording
from brute.eval.keying import Keys
from brute.eval.logreading import Reading
from brute.eval.regrading import regrade
from brute.testing import Script
from tests.eval.logged import attempt, run_of
from tests.support.make import call, message, transcript


def graded(path: Path, *cases: Case, suite: str = "") -> Report:
    """The report of the last run under these cases."""
    with Reading(path) as reading:
        return asyncio.run(regrade(reading, reading.run("last"), [(suite, case) for case in cases]))


def stored(path: Path, *made: Attempt, suite: str = "") -> None:
    """A run of these attempts."""
    run_of([dataclasses.replace(each, suite=suite) for each in made], path, suite)


def made(name: str, seen: Transcript, *failures: Failure, number: int = 1) -> Attempt:
    """An attempt with this transcript."""
    verdict = Verdict(failures)
    return Attempt(Case(name, said="?", runs=number), number, verdict.status, verdict, seen)


def test_an_attempt_is_graded_by_what_is_expected_today(tmp_path: Path) -> None:
    """What passed may fail, what failed may pass, and the log stays as it is."""
    path = tmp_path / "runs.db"
    stored(
        path,
        made("says it", transcript(reply="4.25")),
        made("searches", transcript(call("search", "stubbed", q=1)), Failure("call.missing", "never called fetch")),
    )
    report = graded(
        path, Case("says it", said="?", mentions=["5"]), Case("searches", said="?", calls={"search": {"q": 1}})
    )
    assert [each.status for each in report.attempts] == ["failed", "passed"]
    assert report.attempts[0].verdict.sentences == ['never said "5" as a word of its own; the reply was "4.25"']
    with Reading(path) as reading:
        assert [each.attempt.status for each in reading.written(reading.run("last"))] == ["passed", "failed"]


def test_a_check_is_called_with_the_stored_transcript(tmp_path: Path) -> None:
    """Sync or async; what an earlier check said is gone, and a crash is an error."""
    path = tmp_path / "runs.db"
    seen = transcript(reply="ab", failures=[Failure("check", "the old check")])
    stored(path, *(made(f"case {n}", seen, Failure("check", "the old check")) for n in range(3)))

    async def brief(transcript: Transcript) -> bool:
        return len(transcript.reply) < 3

    cases = [
        Case("case 0", said="?", check=brief),
        Case("case 1", said="?", check=lambda seen: f"said {seen.reply}"),
        Case("case 2", said="?", check=lambda seen: 1 / 0),
    ]
    report = graded(path, *cases)
    assert [each.status for each in report.attempts] == ["passed", "failed", "error"]
    assert report.attempts[1].verdict.sentences == ["said ab"]


def test_what_is_wrong_beside_the_expectations_stays_wrong(tmp_path: Path) -> None:
    """An agent that was not built, a model that was down and a harness that broke do not pass by expecting silence."""
    path = tmp_path / "runs.db"
    down = Failure("error.model", "the model call failed: 529")
    stored(
        path,
        made(
            "unbuilt",
            Transcript(error=Failure("error.build", "could not be built")),
            Failure("error.build", "could not be built"),
        ),
        made("down", transcript(reply="", error=down), down),
        made("broken", Transcript(), Failure("error.harness", "the harness broke")),
    )
    report = graded(path, *(Case(name, said="?", silent=True) for name in ("unbuilt", "down", "broken")))
    assert [each.status for each in report.attempts] == ["error"] * 3
    assert report.exit_status == 3


def test_an_attempt_that_was_never_made_is_not_passed(tmp_path: Path) -> None:
    """A run that was killed half way can't be graded green, and cases that no file offers any more are told."""
    path = tmp_path / "runs.db"
    stored(path, made("a", transcript()), made("gone", transcript()))
    report = graded(path, Case("a", said="?", runs=2), Case("new", said="?"))
    assert [each.status for each in report.attempts] == ["passed", "cancelled", "cancelled"]
    assert report.exit_status == 3
    assert report.notes[-1] == '1 case of the run not graded, since no file offers them: "gone"'


def test_a_transcript_that_can_not_be_read_is_not_passed(tmp_path: Path) -> None:
    """Whatever its verdict was."""
    path = tmp_path / "runs.db"
    stored(path, made("a", transcript()), made("b", transcript()))
    with sqlite3.connect(path) as other:
        other.execute("UPDATE transcript SET body = x'00' WHERE id % 4294967296 = 1")
    other.close()
    report = graded(path, Case("a", said="?", silent=True), Case("b", said="?"))
    assert [each.status for each in report.attempts] == ["error", "passed"]
    assert report.attempts[0].verdict.sentences[0].startswith("the transcript can't be read")


def test_a_case_is_known_under_another_name_of_its_suite(tmp_path: Path) -> None:
    """Files may be graded alone that ran with others, unless two suites have a case of that name."""
    path = tmp_path / "runs.db"
    stored(path, made("a", transcript()), suite="eval_x.py")
    assert graded(path, Case("a", said="?")).passed
    with Reading(path) as reading:
        run = reading.run("last")
        cases = [("one", Case("a", said="?")), ("two", Case("a", said="?"))]
        assert [each.status for each in asyncio.run(regrade(reading, run, cases)).attempts] == ["cancelled"] * 2


def test_a_name_with_a_secret_is_known_again(tmp_path: Path) -> None:
    """Names are masked in the log."""
    path = tmp_path / "runs.db"
    name = "uses sk-abcdefghijklmnopqrstuvwx"
    stored(path, made(name, transcript()))
    assert graded(path, Case(name, said="?")).passed
    assert attempt(0).passed


def kept(path: Path, *cases: Case, world: object = World) -> list[bytes | None]:
    """A run of a suite of these cases in the log, as it writes it; answers the key of its world."""
    suite = Suite(lambda: agent().run(Script(["Rates were held."])), cases, world=world, log=path, out=io.StringIO())
    suite.run()
    return [Keys([], suite.builder, suite.world).world]


GIVEN = {
    "said": Case("a", said="other", mentions=["held"]),
    "stubs": Case("a", said="rates?", stubs={"search": "other"}, mentions=["held"]),
    "files": Case("a", said="rates?", files={"a.txt": "other"}, mentions=["held"]),
    "conversation": Case("a", said="rates?", conversation=[message("user", "other")], mentions=["held"]),
}


@pytest.mark.parametrize("what", GIVEN)
def test_a_case_that_is_given_something_else_today_is_not_graded(what: str, tmp_path: Path) -> None:
    """Its transcript is that of another situation: it counts as an error that says so, and a note names the case."""
    path = tmp_path / "runs.db"
    same = Case("b", said="rates?", mentions=["held"])
    kept(path, Case("a", said="rates?", mentions=["held"]), same)
    report = graded(path, GIVEN[what], dataclasses.replace(same, mentions=["rates", "held"]))
    assert [each.status for each in report.attempts] == ["error", "passed"]
    assert report.attempts[0].verdict.sentences == [
        f"cannot tell: what the case is given has changed since its turn ({what})"
    ]
    assert report.notes == ('1 case given something else today than in the run: "a"',)
    assert report.exit_status == 3


def test_a_world_that_is_another_today_is_something_else_that_is_given(tmp_path: Path) -> None:
    """As far as its suite tells what it is."""

    class Room(World):
        pass

    case = Case("a", said="rates?", mentions=["held"])
    [was] = kept(tmp_path / "runs.db", case)
    [now] = kept(tmp_path / "other.db", case, world=Room)
    for worlds, status in (({"": was}, "passed"), ({"": now}, "error"), ({"": None}, "passed"), ({}, "passed")):
        with Reading(tmp_path / "runs.db") as reading:
            report = asyncio.run(regrade(reading, reading.run("last"), [("", case)], worlds=worlds))
        assert report.attempts[0].status == status


def test_a_verdict_is_never_another_because_a_secret_is_masked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was told by a key that can't be read any more is an error, whichever way it went; the rest is graded as ever."""
    path = tmp_path / "runs.db"
    leaky = "the key is ghp_AbCdEfGh12345678IjKlMnOp"
    stored(
        path,
        made("leaks", transcript(reply=leaky), Failure("check", "it leaks")),
        made("shows", transcript(reply=leaky)),
        made("fine", transcript(reply=leaky)),
        made("clean", transcript(reply="no key"), Failure("mentions", "x")),
    )
    report = graded(
        path,
        Case("leaks", said="?", check=lambda seen: "ghp_Ab" not in seen.reply),
        Case("shows", said="?", check=lambda seen: "ghp_Ab" in seen.reply),
        Case("fine", said="?", mentions=["key"]),
        Case("clean", said="?", mentions=["key"]),
    )
    assert [each.status for each in report.attempts] == ["error", "error", "passed", "passed"]
    assert report.attempts[0].verdict.sentences == report.attempts[1].verdict.sentences == [wording.masked_since()]
    assert report.notes[-1] == "secrets are masked in 3 transcripts: what is expected of them can't be seen there"


def test_half_a_character_is_graded_as_it_was(tmp_path: Path) -> None:
    """What a model's broken escape makes is no text, and must not become another one."""
    path = tmp_path / "runs.db"
    seen = transcript(call("search", "ran", q="a\ud83d"), reply="b\ud800c")
    stored(path, made("half", seen))
    report = graded(
        path,
        Case("half", said="?", calls={"search": {"q": "a\ud83d"}}, check=lambda seen: len(seen.reply) == 3),
    )
    assert [each.status for each in report.attempts] == ["passed"]
