"""How the attempts of all selected items are made: together, under one number, and no longer than pytest waits for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.eval.pytesting.conftest import GREEN, GREY, RED, Run, logged

LOG = Path(".brute", "runs.db")

MEETING = """
import asyncio
import pathlib

import brute
from brute.eval import Budget, Case

HERE = pathlib.Path("here")
MOST = pathlib.Path("most")


def agent():
    async def model(env):
        # Each waits until the wanted number has been there at the same time, in whichever files they stand.
        mine = HERE / str(id(env))
        mine.touch()
        MOST.write_text(str(max(len(list(HERE.iterdir())), int(MOST.read_text()))))
        while int(MOST.read_text()) < int(pathlib.Path("wanted").read_text()):
            await asyncio.sleep(0)
        mine.unlink()
        return "hello"

    return brute.agent().run(model)


AGENT = agent
CASES = [Case(f"case {n}", said="x", runs=2, budget=Budget(seconds=60)) for n in range(3)]
"""


@pytest.mark.parametrize(("jobs", "most"), [("4", 4), ("12", 12), ("1", 1)])
def test_all_attempts_of_all_files_overlap_under_one_number(run: Run, folder: Path, jobs: str, most: int) -> None:
    """Two files of three cases of two attempts are twelve attempts."""
    (folder / "here").mkdir()
    (folder / "most").write_text("0")
    (folder / "wanted").write_text(jobs)
    run("--brute-jobs", jobs, eval_a=MEETING, eval_b=MEETING).assert_outcomes(passed=6)
    assert int((folder / "most").read_text()) == most


def test_one_run_of_the_log_has_them_all(run: Run, folder: Path) -> None:
    """As `brute eval` would write it, each suite under the name of its file."""
    run(eval_green=GREEN, eval_red=RED, test_a="def test_a(): pass").assert_outcomes(passed=4, failed=1)
    assert logged(folder / LOG) == [("finished", {"passed": 3, "failed": 2})]


@pytest.mark.parametrize("where", ["none", "other.db"])
def test_the_log_may_be_another_or_none(run: Run, folder: Path, where: str) -> None:
    """As the option says."""
    run("--brute-log", where, eval_green=GREEN)
    assert not (folder / LOG).exists()
    assert (folder / "other.db").exists() == (where == "other.db")


def test_a_suite_that_wants_no_log_has_none(run: Run, folder: Path) -> None:
    """Its own word counts, as everywhere."""
    text = "from brute.eval import Case, Suite\nS = Suite('agent.py', [Case('a', said='x')], log=None)\n"
    run(eval_a=text).assert_outcomes(passed=1)
    assert not (folder / LOG).exists()


def test_runs(run: Run, folder: Path) -> None:
    """So many attempts of every case, in one item."""
    run("--brute-runs", "3", eval_green=GREEN).assert_outcomes(passed=2)
    assert logged(folder / LOG) == [("finished", {"passed": 6})]


def test_isolate(run: Run) -> None:
    """An agent that ends its process costs its own case alone."""
    text = (
        "import os\nimport brute\nfrom brute.eval import Case\n"
        "def agent(): return brute.agent().run(lambda env: os._exit(3) if env.messages[-1].content == 'die' else 'hi')\n"
        "AGENT = agent\nCASES = [Case('dies', said='die'), Case('lives', said='x')]\n"
    )
    result = run("--brute-isolate", apart=True, eval_a=text)
    result.assert_outcomes(passed=1, failed=1)
    assert "the turn ended its process with exit code 3" in result.stdout.str()


class TestStoppingEarly:
    """Under -x and --maxfail."""

    ENDLESS = """
import anyio
import brute
from brute.eval import Case


def agent():
    async def model(env):
        if env.messages[-1].content == "wait":
            await anyio.sleep_forever()
        return "hello"

    return brute.agent().run(model)


AGENT = agent
"""

    def test_x_ends_what_stands_behind_the_first_failure(self, run: Run, folder: Path) -> None:
        """It is cancelled, also in another file; what stands before the failure is finished first."""
        red = (
            self.ENDLESS
            + "CASES = [Case('one', said='x'), Case('red', said='x', mentions=['4.5']), Case('waits', said='wait')]\n"
        )
        result = run("-x", eval_a=red, eval_b=self.ENDLESS + "CASES = [Case('waits', said='wait')]\n")
        result.assert_outcomes(passed=1, failed=1)
        assert "stopping after 1 failures" in result.stdout.str()
        assert logged(folder / LOG) == [("stopped", {"passed": 1, "failed": 1, "cancelled": 2})]

    def test_a_failure_that_comes_first_waits_for_what_stands_before_it(self, run: Run, folder: Path) -> None:
        """pytest stops at the first failure in its own order, as everywhere."""
        text = self.ENDLESS + (
            "import pathlib\n"
            "async def late(t):\n"
            "    while not pathlib.Path('failed').exists(): await anyio.sleep(0)\n"
            "CASES = [Case('late', said='x', check=late), Case('red', said='x', check=lambda t: pathlib.Path('failed').touch() or False)]\n"
        )
        run("-x", "-v", eval_a=text).assert_outcomes(passed=1, failed=1)

    def test_what_ended_behind_it_is_told_beside_the_sum(self, run: Run) -> None:
        """The sum is of all that was made, and pytest counts what it came to."""
        text = self.ENDLESS + (
            "begun = anyio.Event()\n"
            "async def first(t): await begun.wait(); return False\n"
            "async def third(t): begun.set()\n"
            "CASES = [Case('red', said='x', check=first), Case('green', said='x'), Case('third', said='x', check=third)]\n"
        )
        # The third begins when the second has ended.
        result = run("-x", "--brute-jobs", "2", eval_a=text)
        result.assert_outcomes(failed=1)
        result.stdout.re_match_lines([r"note: [12] cases? of these ended before pytest stopped, and stood behind"])

    def test_an_attempt_that_nobody_will_ask_for_is_not_begun(self, run: Run, folder: Path) -> None:
        """It would only cost."""
        text = (
            self.ENDLESS
            + "CASES = [Case('red', said='x', mentions=['4.5']), *[Case(f'{n}', said='x') for n in range(20)]]\n"
        )
        result = run("-x", "--brute-jobs", "1", eval_a=text)
        result.assert_outcomes(failed=1)
        assert "stood behind" not in result.stdout.str()
        assert logged(folder / LOG) == [("stopped", {"failed": 1, "cancelled": 20})]

    def test_maxfail_counts_errors_and_failures_of_tests_too(self, run: Run, folder: Path) -> None:
        """As pytest counts."""
        (folder / "a_test.py").write_text("def test_a(): assert False\n")
        rest = GREEN.replace("rates?", "x")
        result = run("--maxfail=3", eval_b=GREY, eval_c=RED, eval_d=rest)
        result.assert_outcomes(passed=1, failed=2, errors=1)

    def test_an_expected_failure_ends_nothing(self, run: Run) -> None:
        """It is none to pytest."""
        text = GREEN + "import pytest\n@Case('known', said='x')\n@pytest.mark.xfail\ndef one(t): return False\n"
        run("-x", eval_a=text, eval_b=GREEN).assert_outcomes(passed=4, xfailed=1)

    def test_what_was_cancelled_is_made_when_it_is_asked_for_after_all(self, run: Run, folder: Path) -> None:
        """By a plugin that turned the failure into something else."""
        (folder / "conftest.py").write_text(
            "import pytest\n"
            "@pytest.hookimpl(wrapper=True, trylast=True)\n"
            "def pytest_runtest_makereport(item, call):\n"
            "    report = yield\n"
            "    report.outcome = 'passed'\n"
            "    return report\n"
        )
        run("-x", "--brute-jobs", "1", eval_a=RED, eval_b=GREEN).assert_outcomes(passed=4)


class TestWhatCouldNotBeRun:
    """An error of each item that it is about, and of no other."""

    def test_an_agent_that_builds_nothing(self, run: Run, folder: Path) -> None:
        """It is found at the first build, and the other file's cases are graded."""
        text = "from brute.eval import Case\ndef AGENT(): return None\nCASES = [Case('a', said='x'), Case('b', said='x')]\n"
        result = run(eval_a=text, eval_b=GREEN)
        result.assert_outcomes(passed=2, errors=2)
        assert "AGENT built nothing: the function returned None, and must return the agent" in result.stdout.str()

    def test_it_alone_is_no_run_of_the_log(self, run: Run, folder: Path) -> None:
        """Nothing ran."""
        run(eval_a="from brute.eval import Case\ndef AGENT(): return None\nCASES = [Case('a', said='x')]\n")
        assert logged(folder / LOG) == []

    def test_a_cap_of_the_suite(self, run: Run) -> None:
        """What it did not reach is an error that says so, never a pass; and is not made a second time."""
        text = (
            "import brute\nfrom brute import Message, Usage\nfrom brute.eval import Case, Suite\n"
            "def agent(): return brute.agent().run(lambda env: Message(role='assistant', content='hi', usage=Usage(input=9, output=9)))\n"
            "S = Suite(agent, [Case('a', said='x'), Case('b', said='x')], max_tokens=10, jobs=1)\n"
        )
        result = run(eval_a=text)
        assert result.parseoutcomes()["errors"] >= 1
        assert "not finished: reached the run's cap of 10 tokens (spent 18)" in result.stdout.str()
        assert result.ret == 1

    @pytest.mark.parametrize(
        ("tasks", "sentence"),
        [
            # asyncio tells an agent of its own alone, and it fails its own case.
            ("asyncio.all_tasks()", "the turn raised CancelledError"),
            (
                "[each for each in gc.get_objects() if isinstance(each, asyncio.Task)]",
                "not finished: an agent cancelled every task of the loop, the run's own too",
            ),
        ],
        ids=["its own", "all"],
    )
    def test_an_agent_that_cancels_the_whole_run(self, run: Run, tasks: str, sentence: str) -> None:
        """What was finished by then is reported; the rest is an error."""
        text = (
            "import asyncio, gc, brute\nfrom brute.eval import Case\n"
            "def agent():\n"
            "    async def model(env):\n"
            "        if env.messages[-1].content == 'end':\n"
            f"            for task in {tasks}: task.cancel()\n"
            "            await asyncio.sleep(0)\n"
            "        return 'hi'\n"
            "    return brute.agent().run(model)\n"
            "AGENT = agent\nCASES = [Case('a', said='x'), Case('ends', said='end'), Case('b', said='x')]\n"
        )
        result = run("--brute-jobs", "1", eval_a=text)
        assert result.ret == 1
        assert "passed" in result.parseoutcomes()
        assert sentence in result.stdout.str()

    def test_a_model_that_can_not_be_fetched(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        """Before anything is run."""
        from brute.completion import embedded
        from brute.errors import ModelError

        def fetch_all() -> None:
            raise ModelError("there is no network")

        monkeypatch.setattr(embedded, "fetch_all", fetch_all)
        result = run(eval_green=GREEN)
        result.assert_outcomes(errors=2)
        assert "could not be graded: there is no network" in result.stdout.str()


class TestInterruption:
    """Ctrl-C."""

    KILLED = TestStoppingEarly.ENDLESS.replace("import anyio", "import anyio, os, signal").replace(
        '        return "hello"',
        "        if env.messages[-1].content == 'kill':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "            await anyio.sleep_forever()\n"
        '        return "hello"',
    )

    def test_what_was_finished_is_reported_and_nothing_else_runs(self, run: Run, folder: Path) -> None:
        """Also what stands behind a case that was not finished; the session ends as interrupted."""
        text = self.KILLED + (
            "CASES = [Case('waits', said='wait'), Case('one', said='x'), Case('two', said='x', mentions=['4.5']), "
            "Case('kills', said='kill'), Case('last', said='x')]\n"
        )
        (folder / "deeper").mkdir()
        (folder / "deeper" / "eval_b.py").write_text(GREEN.replace("agent.py", "../agent.py"))
        result = run(
            "--brute-jobs", "2", "deeper", "eval_a.py", "test_a.py", apart=True, eval_a=text,
            test_a="def test_a(): raise AssertionError",
        )  # fmt: skip
        result.assert_outcomes(passed=3, failed=1)
        assert result.ret == pytest.ExitCode.INTERRUPTED
        assert "KeyboardInterrupt" in result.stdout.str()
        assert "test_a.py" not in result.stdout.str()
        assert logged(folder / LOG) == [("interrupted", {"passed": 3, "failed": 1, "cancelled": 3})]

    def test_the_first_item_may_be_one_that_was_finished(self, run: Run) -> None:
        """It was set up when Ctrl-C came, and is set up anew."""
        text = self.KILLED + "CASES = [Case('one', said='x'), Case('kills', said='kill')]\n"
        run("--brute-jobs", "1", apart=True, eval_a=text).assert_outcomes(passed=1)
