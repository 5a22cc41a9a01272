"""An agent that ends the process, or a file that does, under pytest."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import GREEN, Run, logged

LOG = Path(".brute", "runs.db")

LEAVES = """
import os
import brute
from brute.eval import Case


async def model(env):
    if env.messages[-1].content == "leave":
        os._exit(0)
    return "hi"


def on_a_thread(env):
    if env.messages[-1].content == "leave":
        os._exit(0)
    return "hi"


def agent():
    return brute.agent().run(MODEL)


AGENT = agent
CASES = [Case("one", said="x"), Case("leaves", said="leave"), Case("last", said="x")]
"""


@pytest.mark.parametrize("model", ["model", "on_a_thread"])
def test_what_was_finished_is_reported_and_the_session_ends_as_interrupted(run: Run, folder: Path, model: str) -> None:
    """In a sentence that says who ended it, and not with the status that it chose."""
    result = run("--brute-jobs", "1", apart=True, eval_a=LEAVES.replace("MODEL", model), test_a="def test_a(): pass")
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "called os._exit (exit status 0), which ends the run" in result.stdout.str()
    assert "eval_a.py:" in result.stdout.str()
    assert "with --brute-isolate it costs its own attempt alone" in result.stdout.str()
    assert logged(folder / LOG) == [("interrupted", {"passed": 1, "cancelled": 2})]


def test_a_file_that_ends_the_process_is_refused(run: Run) -> None:
    """It is an error of its collection, and costs no other file anything."""
    result = run("--continue-on-collection-errors", apart=True, eval_a="import os\nos._exit(0)\n", eval_b=GREEN)
    result.assert_outcomes(passed=2, errors=1)
    assert "eval_a.py ended the process (exit status 0) while it was loaded" in result.stdout.str()


@pytest.mark.parametrize("model", ["model", "on_a_thread"])
def test_an_agent_of_a_fixtures_case_ends_the_session_too(run: Run, model: str) -> None:
    """Never as if the test had passed."""
    text = LEAVES.replace("MODEL", model) + "def test_a(evaluate): evaluate(CASES[1], agent)\ndef test_b(): pass\n"
    result = run(brute=False, apart=True, test_a=text)
    result.assert_outcomes()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "called os._exit (exit status 0), which ends the run" in result.stdout.str()
    assert 'with executor="process" it costs its own attempt alone' in result.stdout.str()


ASYNC = """
import asyncio
import pytest
from brute.eval import Suite


@pytest.fixture
def anyio_backend():
    return "asyncio"


async def swallows(env):
    try:
        os._exit(0)
    except BaseException:
        return "hi"


def swallowing():
    return brute.agent().run(swallows)


@pytest.mark.anyio
async def test_a(aevaluate):
    CALLED


@pytest.mark.anyio
async def test_b(aevaluate):
    pass
"""


@pytest.mark.parametrize(
    ("model", "called"),
    [
        ("model", "await aevaluate(CASES[1], agent)"),
        ("on_a_thread", "await aevaluate(CASES[1], agent)"),
        ("model", "await aevaluate(CASES[1], swallowing)"),
        ("model", "await asyncio.gather(aevaluate(CASES[1], agent), aevaluate(CASES[0], agent))"),
        ("model", "await asyncio.gather(aevaluate(CASES[0], agent), aevaluate(CASES[1], agent, deadline=60))"),
    ],
    ids=["on the loop", "on a thread", "swallowed", "beside another", "beside one before it"],
)
def test_an_agent_of_an_async_tests_case_ends_the_session_too(run: Run, model: str, called: str) -> None:
    """Wherever it does, and whatever it makes of what it is told instead; and the remedy named is one that such a test has."""
    result = run(
        "-p", "anyio", brute=False, apart=True, test_a=LEAVES.replace("MODEL", model) + ASYNC.replace("CALLED", called)
    )
    result.assert_outcomes()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "called os._exit (exit status 0), which ends the run" in result.stdout.str()
    assert 'with executor="process" it costs its own attempt alone' in result.stdout.str()


def test_an_async_test_that_is_cancelled_is_not_taken_for_one_whose_agent_left(run: Run) -> None:
    """Its own cancellation goes on as such."""
    text = LEAVES.replace("MODEL", "forever") + ASYNC.replace(
        "CALLED",
        "task = asyncio.ensure_future(aevaluate(CASES[0], agent))\n"
        "    await there.wait()\n"
        "    task.cancel()\n"
        "    with pytest.raises(asyncio.CancelledError): await task",
    )
    text += "there = asyncio.Event()\nasync def forever(env):\n    there.set()\n    await asyncio.Event().wait()\n"
    run("-p", "anyio", brute=False, test_a=text).assert_outcomes(passed=2)


def test_a_case_is_where_it_was_made(run: Run, folder: Path) -> None:
    """Also one without a check."""
    (folder / "conftest.py").write_text(
        "def pytest_collection_modifyitems(items):\n    for item in items: print(item.name, 'at', item.reportinfo()[1])\n"
    )
    text = GREEN + "@Case('checked', said='x')\ndef one(t): pass\n"
    result = run("--collect-only", "-s", eval_a=text)
    told = [line for line in result.outlines if " at " in line]
    assert told == ["answers at 4", "says the rate at 4", "checked at 5"]
