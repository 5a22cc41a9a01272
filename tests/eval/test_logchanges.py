"""What differs between what two runs were made of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from brute.eval import Case, Suite, World
from brute.eval.logchanges import Changes, changes
from brute.eval.logreading import Reading
from tests.eval.logged import attempts, database, run_of

AGENT = "import brute\n\n\nasync def answer(env):\n    return {!r}\n\n\nagent = brute.agent().run(answer)\n"


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    """An agent file."""
    path = tmp_path / "agent.py"
    path.write_text(AGENT.format("hello"))
    return path


def ran(agent: Path, *cases: Case, **more: object) -> None:
    """One run of these cases, into the log beside the agent."""
    suite = Suite(agent=str(agent), cases=list(cases), log=str(agent.parent / "runs.db"), out=None, **more)  # type: ignore[arg-type]
    suite.run()


def between(agent: Path) -> Changes:
    """What changed between the two runs in the log."""
    with Reading(agent.parent / "runs.db") as reading:
        one, other = reading.runs()
        found = changes(reading, one, other)
        assert reading.notes == []
        return found


def test_two_runs_of_the_same(agent: Path) -> None:
    """Nothing."""
    for _ in range(2):
        ran(agent, Case("greets", said="hi"))
    assert between(agent) == Changes([], [])


def test_another_agent(agent: Path) -> None:
    """Is said to be another."""
    ran(agent, Case("greets", said="hi"))
    agent.write_text(AGENT.format("good morning"))
    ran(agent, Case("greets", said="hi"))
    assert between(agent) == Changes(["the agent is another"], [])


def test_another_world_and_other_settings(agent: Path) -> None:
    """So are they."""

    class Room(World):
        """A world of its own."""

    ran(agent, Case("greets", said="hi"))
    ran(agent, Case("greets", said="hi"), world=Room, unstubbed="refuse")
    assert between(agent).sentences == ["the world is another", "a setting is another"]


def test_what_of_a_case_is_another(agent: Path) -> None:
    """Its inputs by name; what it expects where nothing else explains it; how often it runs, which changes no attempt."""
    ran(agent, Case("a", said="x"), Case("b", said="x"), Case("c", said="x"), Case("d", said="x"), Case("e", said="x"))
    ran(agent, Case("a", said="y"), Case("b", said="x", mentions=["hello"]), Case("c", said="x", runs=2), Case("d", said="x", files={"f": "1"}), Case("e", said="x"))  # fmt: skip
    found = between(agent)
    with Reading(agent.parent / "runs.db") as reading:
        numbers = {each.cased: each.attempt.case.name for run in reading.runs() for each in reading.written(run)}
    assert {(numbers[one], numbers[other]): what for one, other, what in found.cases} == {
        ("a", "a"): ["said"],
        ("b", "b"): ["what it expects"],
        ("c", "c"): ["runs"],
        ("d", "d"): ["files"],
    }


def test_the_command_the_commit_and_the_versions(agent: Path) -> None:
    """With what they were and what they are."""
    for _ in range(2):
        ran(agent, Case("greets", said="hi"))
    with database(agent.parent / "runs.db") as connection:
        values = ("brute eval b.py", "0123456789abcdef", 1, '{"brute": "9.9"}')
        connection.execute(
            "UPDATE run SET command = ?, commit_id = ?, dirty = ?, versions = ? WHERE number = 2", values
        )
        connection.execute(
            'UPDATE run SET command = \'a\', commit_id = NULL, versions = \'{"brute": "1", "anyio": "4"}\' WHERE number = 1'
        )
    assert between(agent).sentences == [
        "the command line: a -> brute eval b.py",
        "the commit: unknown -> 01234567 with changes",
        "anyio: 4 -> none",
        "brute: 1 -> 9.9",
    ]


def test_what_has_no_key_can_not_be_compared(tmp_path: Path) -> None:
    """That is not the same as being the same."""
    path = tmp_path / "runs.db"
    for _ in range(2):
        run_of(attempts(2), path)
    with Reading(path) as reading:
        assert changes(reading, *reading.runs()).sentences == [
            "the agent can't be compared",
            "the world can't be compared",
        ]


def test_a_damaged_log_is_said_to_be_so(agent: Path) -> None:
    """And nothing is made up."""
    for _ in range(2):
        ran(agent, Case("greets", said="hi"))
    path = agent.parent / "runs.db"
    with database(path) as connection:
        connection.execute("UPDATE part SET settings = '[' WHERE run = 2")
    with Reading(path) as reading:
        assert changes(reading, *reading.runs()) == Changes([], [])
        assert [re.sub(r".*/", "", note) for note in reading.notes] == ["runs.db is damaged"]
