"""A suite refuses what could not be meant, and answers an exit status."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from brute import UsageError
from brute.eval import Case, Suite, World
from tests.support.agents import Quiet, makes, quiet, speaks

CASE = Case("a", said="x")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"agent": None}, "Suite needs an agent"),
        ({"cases": []}, "cases is empty"),
        ({"cases": CASE}, "cases must be a list of Cases"),
        ({"cases": [CASE, "b"]}, 'must hold Cases, got "b"'),
        ({"cases": [CASE, Case("a", said="other")]}, 'two cases are called "a"'),
        ({"world": 42}, "world must be a World"),
        ({"world": dict}, "must be a subclass of World, got dict"),
        ({"jobs": 0}, "jobs must be a whole number >= 1, got 0"),
        ({"jobs": True}, "jobs must be a whole number"),
        ({"jobs": 1.5}, "jobs must be a whole number"),
        ({"deadline": 0}, "deadline must be a number of seconds > 0, got 0"),
        ({"deadline": float("inf")}, "deadline must be"),
        ({"deadline": float("nan")}, "deadline must be"),
        ({"name": 3}, "Suite: name must be a text, got 3"),
        ({"out": 3}, "Suite: out must be a text stream, something with write\\(text\\), got 3"),
        ({"unstubbed": "forbid"}, 'unstubbed must be "run" or "refuse"'),
        ({"job": 3}, r'Suite has no argument "job" \(did you mean "jobs"\?\)'),
        ({"runs": 3}, r'Suite has no argument "runs"; it is one of the case: Case\(\.\.\., runs=\.\.\.\)'),
    ],
    ids=str,
)
def test_what_could_not_be_meant_is_refused_at_once(arguments: dict[str, Any], says: str) -> None:
    """With the argument, the value, and what is allowed."""
    with pytest.raises(UsageError, match=says):
        Suite(**{"agent": makes("x"), "cases": [CASE], **arguments})


def test_an_empty_suite_does_not_exit_0() -> None:
    """Seen in the original: a suite that ran nothing was green."""
    with pytest.raises(UsageError, match="a suite that runs nothing would pass"):
        Suite(makes("x"), [])
    assert quiet(makes("x"), [CASE]).configured(only=lambda case: False, reporter=Quiet()).run() == 1


def test_runs_0_does_not_vanish() -> None:
    """Seen in the original: a case of no runs was in no total."""
    with pytest.raises(UsageError, match="runs must be a whole number >= 1, got 0"):
        Case("a", said="x", runs=0)
    with pytest.raises(UsageError, match="runs must be a whole number >= 1, got 0"):
        quiet(makes("x"), [CASE]).configured(runs=0)


def test_the_plan_is_every_attempt_case_by_case() -> None:
    """Numbered from 1."""
    suite = Suite(makes("x"), [Case("a", said="x", runs=2), Case("b", said="y")])
    assert [(job.case.name, job.number) for job in suite.plan()] == [("a", 1), ("a", 2), ("b", 1)]


def test_run_answers_0_where_every_case_passed_and_else_1() -> None:
    """An error is no pass."""
    assert quiet(makes("done"), [CASE]).run() == 0
    assert quiet(makes(""), [CASE]).run() == 1
    assert quiet(lambda: 1 / 0, [CASE]).run() == 1


def test_a_case_passes_only_if_every_attempt_does() -> None:
    """Two times in three is not good enough."""
    said: list[int] = []

    def model(env: Any) -> str:
        said.append(1)
        return "" if len(said) == 2 else "done"

    suite = quiet(speaks(model), [Case("a", said="x", runs=3)], jobs=1)
    assert suite.run() == 1
    assert suite.report is not None
    assert [attempt.status for attempt in suite.report.attempts] == ["passed", "failed", "passed"]
    assert suite.report.cases[0].status == "failed"


def test_inside_a_loop_run_says_what_to_await() -> None:
    """And `arun` answers the same."""
    suite = quiet(makes("done"), [CASE])

    async def go() -> int:
        with pytest.raises(UsageError, match=r"await suite\.arun\(\)"):
            suite.run()
        return await suite.arun()

    assert asyncio.run(go()) == 0


def test_a_suite_can_be_run_again() -> None:
    """Each run has a report of its own."""
    suite = quiet(makes("done"), [CASE])
    suite.run()
    first = suite.report
    suite.run()
    assert suite.report is not first
    assert suite.report is not None
    assert suite.report.passed


def test_out_is_where_the_report_is_written() -> None:
    """Plain lines on a stream that is no terminal."""
    out = io.StringIO()
    assert Suite(makes("done"), [CASE], out=out).run() == 0
    assert "passed     a" in out.getvalue()


def test_a_configured_suite_is_a_copy() -> None:
    """As the command line asks; what is bad is refused there too."""
    suite = quiet(makes("done"), [CASE, Case("b", said="y")], deadline=5)
    other = suite.configured(
        runs=2, jobs=3, deadline=7, only=lambda case: case.name == "b", name="other", agent=makes("more")
    )
    assert [(job.case.name, job.number) for job in other.plan()] == [("b", 1), ("b", 2)]
    assert (other.jobs, other.deadline, other.name, suite.jobs, suite.deadline) == (3, 7, "other", 16, 5)
    assert len(suite.plan()) == 2
    with pytest.raises(UsageError, match="jobs must be"):
        suite.configured(jobs=0)


def test_the_agent_file_is_found_beside_the_file_that_makes_the_suite(tmp_path: Path) -> None:
    """Not in the working folder alone."""
    (tmp_path / "agent.py").write_text(
        "import brute\nfrom brute.testing import Script\nagent = brute.agent().run(Script(['hi']))\n"
    )
    made: dict[str, Any] = {"__file__": str(tmp_path / "eval_it.py"), "Suite": Suite, "Case": Case}
    exec("suite = Suite('agent.py', [Case('a', said='x')])", made)
    made["suite"].reporter = Quiet()
    assert made["suite"].run() == 0


# --- in a process of its own

PRELUDE = """
import asyncio, sys, threading
import anyio, brute
from brute.eval import Case, Suite, World
from tests.support.agents import asks, makes, tool

def hang():
    threading.Event().wait()

async def swallow():
    while True:
        try:
            await anyio.sleep_forever()
        except BaseException:
            pass

def ready():
    # For whoever waits to interrupt.
    print("ready", flush=True)
"""

ROOT = Path(__file__).parents[2]
Script = Callable[[str], subprocess.Popen[str]]


@pytest.fixture
def script(tmp_path: Path) -> Iterator[Script]:
    """A function that starts a script in a process of its own, where warnings are errors."""
    started: list[subprocess.Popen[str]] = []

    def start(body: str) -> subprocess.Popen[str]:
        path = tmp_path / "eval_it.py"
        path.write_text(PRELUDE + textwrap.dedent(body))
        command = [sys.executable, "-W", "error", str(path)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
        started.append(
            subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        )
        return started[-1]

    yield start
    for process in started:
        with process:
            process.kill()


@pytest.mark.parametrize("tool", ["hang", "swallow", "to_thread", "background"])
def test_a_script_ends_by_itself_and_silently_with_a_tool_that_never_does(script: Script, tool: str) -> None:
    """Whether it hangs a thread of ours, one of asyncio's, or the loop's own tasks."""
    process = script(f"""
        from brute.eval import leaving
        leaving.GRACE = 0.05
        kept = []

        async def to_thread():
            await asyncio.to_thread(hang)

        async def background():
            kept.append(asyncio.create_task(swallow()))
            await asyncio.to_thread(hang)

        tools = [tool(each) for each in (hang, swallow, to_thread, background)]
        make = makes(asks("{tool}"), "done", tools=tools)
        raise SystemExit(Suite(make, [Case("a", said="x"), Case("b", said="y")], deadline=0.05).run())
    """)
    out, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (1, "")
    assert f"still in tool {tool}" in out


@pytest.mark.skipif(os.name == "nt", reason="signals")
class TestCtrlC:
    """An interrupt keeps what was finished, and leaves nothing running."""

    BODY = """
        class Room(World):
            def prepare(self, case):
                self.folder
                return super().prepare(case)

            async def close(self):
                print("closed", self.folder.exists(), flush=True)
                super().close()

        def waits():
            ready()
            hang()

        async def factory(world):
            name = "waits" if done else "quick"
            done.append(1)
            return await makes(asks(name), "done", tools=[tool(waits), tool(swallowing), brute.Tool(name="quick", function=lambda: "x")])()

        async def swallowing():
            ready()
            await swallow()

        done = []
        raise SystemExit(Suite(factory, [Case(name, said="x") for name in "abc"], world=Room, jobs=1).run())
    """

    def test_what_was_finished_is_reported_and_the_worlds_are_closed(self, script: Script) -> None:
        """The exit is not 0, and a thread that hangs holds nothing up."""
        process = script(self.BODY)
        assert process.stdout is not None
        head = ""
        while not head.endswith("ready\n"):
            assert process.poll() is None, process.communicate()
            head += process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=10)
        assert (process.returncode, errors) == (130, "")
        assert "passed     a" in head
        assert out.count("closed True") == 1
        assert "1 of 3 cases passed" in out
        assert "interrupted after" in out

    def test_what_comes_to_grief_by_it_has_not_failed(self, script: Script) -> None:
        """A terminal's Ctrl-C goes to a tool's own processes too; an attempt that passes all the same is finished."""
        process = script("""
            import os, signal

            def factory():
                async def model(env):
                    if env.messages[-1].content == "build":
                        os.kill(os.getpid(), signal.SIGINT)
                        return "the build broke"
                    return "all is well"
                return brute.agent().run(model)

            cases = [Case("first", said="x", mentions=["well"]), Case("build", said="build", mentions=["well"])]
            raise SystemExit(Suite(factory, cases, jobs=1).run())
        """)
        out, errors = process.communicate(timeout=20)
        assert (process.returncode, errors) == (130, "")
        assert out.splitlines()[-1].startswith("interrupted after ")
        assert out.splitlines()[-1].endswith(": 1 passed, 1 cancelled")

    def test_a_second_one_ends_it_at_once(self, script: Script) -> None:
        """Also where a turn will not be stopped."""
        process = script(
            self.BODY.replace('"waits" if', '"swallowing" if').replace("async def close", "async def closes")
        )
        assert process.stdout is not None
        while process.stdout.readline() != "ready\n":
            assert process.poll() is None, process.communicate()
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.2)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=1.5)
        assert (process.returncode, errors) == (130, "")


def test_world_is_the_default() -> None:
    """A suite without a world has the one that keeps no state."""
    assert Suite(makes("x"), [CASE]).world is World


@pytest.mark.parametrize(
    ("more", "asks"), [("", False), ("absent=True", True), ("absent=True, absence='no results'", True)]
)
def test_the_reading_of_absence_is_imported_only_for_a_suite_that_asks(more: str, asks: bool) -> None:
    """Its patterns take longer to be made than all else; where attempts are processes, they are made before the first."""
    code = (
        "import sys, brute\nfrom brute.eval import Case, Suite\nfrom brute.testing import Script\n"
        f"made = Suite(lambda: brute.agent().run(Script(['No results.'])), [Case('a', said='x', {more})], log=None)\n"
        f"assert ('brute.eval.absence' in sys.modules) is {asks}\nmade.run()\n"
        f"assert (made.report.attempts[0].status, 'brute.eval.absence' in sys.modules) == ('passed', {asks})\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
