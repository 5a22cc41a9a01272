"""`brute eval`: exit statuses, the choice of cases, and several files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.eval.cli.conftest import AGENT, EVAL, Brute


@pytest.mark.parametrize(
    ("words", "status", "last"),
    [
        (["eval_green.py"], 0, "2 passed in "),
        (["eval_red.py"], 1, "1 failed, 1 passed in "),
        (["eval_grey.py"], 3, "1 error in "),
        (["eval_grey.py", "eval_red.py"], 1, "1 failed, 1 passed, 1 error in "),
    ],
)
def test_the_exit_status_says_how_it_went(brute: Brute, words: list[str], status: int, last: str) -> None:
    """0 all passed; 1 a case failed; 3 none failed but one could not be graded; a failure outweighs an error."""
    ended = brute("eval", *words)
    assert (ended.status, ended.err) == (status, "")
    assert ended.last.startswith(last)


def test_what_failed_stands_last(brute: Brute) -> None:
    """The failed case and its first sentence stand right above the last line."""
    ended = brute("eval", "eval_red.py")
    assert ended.out.splitlines()[-2] == (
        'failed     stays silent (eval_red.py:4): answered when it should have stayed silent: "Rates were held at 4.25%."'
    )


def test_each_attempt_is_reported(brute: Brute) -> None:
    """An attempt is reported with its tools, what it spent and its reply."""
    lines = brute("eval", "eval_green.py", "--jobs", "1").out.splitlines()
    assert lines[0] == "2 cases"
    assert lines[1:4:2] == ["passed     answers", "    | Rates were held at 4.25%."]
    assert lines[2].startswith("    no tools; iterations 1, tokens ?, seconds ")


def test_a_folder_is_searched(brute: Brute, folder: Path) -> None:
    """A folder stands for its eval files and those below it, in order, without those in hidden folders and environments."""
    for place in (".hidden", "node_modules", "venv/lib", "deep/er"):
        (folder / place).mkdir(parents=True)
        (folder / place / "rates_eval.py").write_text((folder / "eval_green.py").read_text(), encoding="utf-8")
        (folder / place / "agent.py").write_text(AGENT, encoding="utf-8")
    (folder / "venv" / "pyvenv.cfg").write_text("", encoding="utf-8")
    (folder / "other.py").write_text("raise RuntimeError", encoding="utf-8")
    ended = brute("eval", ".", "eval_red.py")
    heads = [line for line in ended.out.splitlines() if "cases" in line and line.split(":")[0].endswith(".py")]
    assert [head.split(":")[0] for head in heads] == ["eval_green.py", "eval_red.py", "deep/er/rates_eval.py"]
    assert ended.last.startswith("1 failed, 5 passed, 1 error in ")


def test_several_files_are_told_apart(brute: Brute) -> None:
    """The cases of several files stand under the names of their files, in one report."""
    ended = brute("eval", "eval_green.py", "eval_red.py")
    assert "passed     eval_green.py: answers\n" in ended.out
    assert "failed     eval_red.py: stays silent (eval_red.py:4): answered when" in ended.out
    assert "\n3 of 4 cases passed, tokens unknown\n" in ended.out


def test_several_suites_of_a_file_are_told_apart(brute: Brute, folder: Path) -> None:
    """Suites that would have one name get that of their variable; a suite with a name of its own keeps it."""
    text = (folder / "eval_red.py").read_text().replace("jobs=1", "jobs=1, name=NAME")
    made = "".join(
        text.replace("SUITE", name).replace("NAME", own) for name, own in (("A", "None"), ("B", "None"), ("C", '"own"'))
    )
    (folder / "three.py").write_text(made, encoding="utf-8")
    out = brute("eval", "three.py").out
    assert [f"failed     {name}: stays silent (" in out for name in ("three.py:A", "three.py:B", "own")] == [True] * 3
    assert "\n3 of 6 cases passed" in out


def test_any_file_may_be_named(brute: Brute, folder: Path) -> None:
    """A file that is given by name may be called anything."""
    (folder / "rates.py").write_text((folder / "eval_green.py").read_text(), encoding="utf-8")
    assert brute("eval", "rates.py").status == 0


def test_cases_are_chosen_by_name(brute: Brute) -> None:
    """-k runs the cases whose name holds the text, whatever the letters' case; several: any of them."""
    assert brute("eval", "eval_green.py", "-k", "RATE").last.startswith("1 passed in ")
    assert brute("eval", "eval_green.py", "-k", "rate", "-k", "answers").last.startswith("2 passed in ")
    assert brute("eval", "eval_green.py", "eval_red.py", "-k", "silent").last.startswith("1 failed in ")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("anwsers", 'no case has "anwsers" in its name (did you mean "answers"?)'),
        ("the rat3", 'no case has "the rat3" in its name (did you mean "says the rate"?)'),
        ("zzz", 'no case has "zzz" in its name; cases are "answers", "says the rate"'),
    ],
)
def test_nothing_selected(brute: Brute, text: str, sentence: str) -> None:
    """A choice that no case meets is exit status 5 and never green, with the nearest name."""
    ended = brute("eval", "eval_green.py", "-k", text)
    assert (ended.status, ended.out, ended.err) == (5, "", f"Error: {sentence}\n")


def test_runs(brute: Brute) -> None:
    """--runs makes that many attempts of every case, and the summary has pass^k."""
    ended = brute("eval", "eval_red.py", "--runs", "3")
    assert "failed     stays silent, attempt 2 of 3\n" in ended.out
    assert "\n1 of 2 cases passed (6 attempts), pass^3 0.50 (1 of 2 cases), tokens unknown\n" in ended.out
    assert "\nfailed     stays silent (eval_red.py:4, 3 of 3 attempts): answered when" in ended.out


def test_runs_of_a_case_that_mentions(brute: Brute, folder: Path) -> None:
    """--runs and a decorated check leave every expectation of the case as it is."""
    text = EXPECTING.replace("WORD", "4.25")
    (folder / "all_eval.py").write_text(text, encoding="utf-8")
    assert brute("eval", "all_eval.py", "--runs", "2").last.startswith("2 passed in ")
    (folder / "all_eval.py").write_text(EXPECTING.replace("WORD", "5.75"), encoding="utf-8")
    assert brute("eval", "all_eval.py", "--runs", "2").last.startswith("2 failed in ")


EXPECTING = """
from brute.eval import Budget, Case

AGENT = "agent.py"
CASES = [Case("says", said="?", mentions=["WORD", ("held", "kept")], never=["x"], budget=Budget(iterations=1))]


@Case("says, checked", said="?", mentions=["WORD"])
def says(transcript):
    return transcript.iterations == 1
"""


SPENDING = """
import brute
from brute.eval import Case


def AGENT():
    usage = brute.Usage(input=8, output=2, cost=0.25)
    return brute.agent().run(lambda env: brute.Message(role="assistant", content="done", usage=usage))


CASES = [Case("first", said="x"), Case("second", said="x")]
"""


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--max-tokens", "25"], "reached the run's cap of 25 tokens (spent 30)"),
        (["--max-cost", "0.7"], "reached the run's cap of $0.7 (spent $0.8)"),
    ],
)
def test_caps_are_shared_by_all_suites(brute: Brute, folder: Path, words: list[str], sentence: str) -> None:
    """What one suite spent another can't; the rest is cancelled, says why, and the status is not 0."""
    for name in ("eval_a.py", "eval_b.py", "eval_c.py"):
        (folder / name).write_text(SPENDING, encoding="utf-8")
    ended = brute("eval", "eval_a.py", "eval_b.py", "eval_c.py", "--jobs", "1", *words)
    assert (ended.status, ended.err) == (3, "")
    assert f"cancelled  eval_c.py: second: not finished: {sentence}\n" in ended.out
    assert ended.last.startswith("2 passed, 4 cancelled in ")


def test_a_cap_on_seconds(brute: Brute, folder: Path) -> None:
    """--max-seconds ends a run that would wait for ever."""
    waiting = SPENDING.replace('lambda env: brute.Message(role="assistant", content="done", usage=usage)', "wait")
    waiting += "\n\nasync def wait(env):\n    import anyio\n\n    await anyio.sleep_forever()\n"
    (folder / "eval_a.py").write_text(waiting, encoding="utf-8")
    ended = brute("eval", "eval_a.py", "--max-seconds", "0.05")
    assert (ended.status, ended.last[:14]) == (3, "2 cancelled in")


def test_what_a_shared_cap_did_not_see_is_noted_once(brute: Brute) -> None:
    """For all suites together."""
    out = brute("eval", "eval_green.py", "eval_red.py", "--max-tokens", "100").out
    (note,) = [line for line in out.splitlines() if line.startswith("note: ")]
    assert note == "note: the cap did not see all: of 4 model calls, 4 did not tell tokens, and counted as none"


def test_jobs(brute: Brute) -> None:
    """--jobs is how many attempts run at a time at the most."""
    assert brute("eval", "eval_green.py", "--jobs", "1").out.startswith("2 cases\n")
    assert brute("eval", "eval_red.py", "--jobs", "2").out.startswith("2 cases, up to 2 at a time\n")


def test_deadline(brute: Brute, folder: Path) -> None:
    """--deadline stops an attempt that takes longer."""
    slow = "import anyio, brute\n\n\ndef agent():\n    async def wait(env):\n        await anyio.sleep_forever()\n    return brute.agent().run(wait)\n"
    (folder / "agent.py").write_text(slow, encoding="utf-8")
    ended = brute("eval", "eval_green.py", "-k", "answers", "--deadline", "0.5")
    assert ended.status == 1
    assert "stopped after 0.5 seconds; still in " in ended.out


@pytest.mark.parametrize("option", ["-x", "--fail-fast"])
def test_the_first_failed_case_stops_the_run(brute: Brute, option: str) -> None:
    """-x stops at the first failed case, also the files that would follow, and says what was left."""
    ended = brute("eval", "eval_red.py", "eval_green.py", option)
    assert ended.status == 1
    assert "\nnote: 1 suite not begun: eval_green.py\n" in ended.out
    assert "\nstopped at the first failed case (stays silent)\n" in ended.out
    assert ended.last.startswith("1 failed, 1 cancelled in ")


def test_an_error_does_not_stop_the_run(brute: Brute) -> None:
    """-x goes on past a case that could not be graded."""
    assert brute("eval", "eval_grey.py", "eval_green.py", "-x").last.startswith("2 passed, 1 error in ")


@pytest.mark.parametrize("target", ["other.py", "other.py:made"])
def test_another_agent(brute: Brute, folder: Path, target: str) -> None:
    """--agent evaluates another agent, whose path is meant from the working folder."""
    other = AGENT.replace("4.25%", "5%").replace("def agent", "def made") + "agent = made\n"
    (folder / "other.py").write_text(other, encoding="utf-8")
    (folder / "below").mkdir()
    (folder / "below" / "eval_it.py").write_text((folder / "eval_green.py").read_text(), encoding="utf-8")
    ended = brute("eval", "below", "eval_red.py", "--agent", target)
    assert ended.out.count("held at 5%.") == 6
    assert "4.25" not in ended.out


def test_an_agent_of_a_module(brute: Brute, folder: Path) -> None:
    """--agent package.module:factory finds a module in the working folder."""
    (folder / "brute_cli_shipped.py").write_text(AGENT, encoding="utf-8")
    assert brute("eval", "eval_green.py", "--agent", "brute_cli_shipped:agent").status == 0


def test_a_file_without_an_agent_takes_one_from_the_command_line(brute: Brute, folder: Path) -> None:
    """--agent stands for AGENT where a file has none."""
    (folder / "eval_bare.py").write_text(
        (folder / "eval_green.py").read_text().replace("AGENT =", "_ ="), encoding="utf-8"
    )
    assert brute("eval", "eval_bare.py", "--agent", "agent.py").status == 0


def test_a_decorated_case_runs(brute: Brute, folder: Path) -> None:
    """A case made with `@Case(...)` runs without standing in CASES, and once where it does."""
    decorated = '\n\n@Case("is checked", said="?")\ndef _(transcript):\n    return "the check ran"\n'
    for more in ("", "\nCASES.append(_)\n"):
        text = (folder / "eval_green.py").read_text()
        (folder / "more_eval.py").write_text(text + decorated + more, encoding="utf-8")
        ended = brute("eval", "more_eval.py")
        assert ended.last.startswith("1 failed, 2 passed in ")
        assert "    - the check ran\n" in ended.out


def test_a_world_of_the_file(brute: Brute, folder: Path) -> None:
    """WORLD is the world of the cases in CASES."""
    world = (
        "from brute.eval import World\n\n\nclass WORLD(World):\n    def prepare(self, case):\n"
        "        raise KeyError('room')\n"
    )
    text = (folder / "eval_green.py").read_text()
    (folder / "eval_world.py").write_text(text + world, encoding="utf-8")
    assert "the world broke in prepare: KeyError: 'room'" in brute("eval", "eval_world.py").out


CANCELS = """
import asyncio
import gc
import brute
from brute.eval import Case, Suite


def agent():
    async def answer(env):
        if env.messages[0].content == "tidy":
            for task in asyncio.all_tasks():
                task.cancel()
            await asyncio.sleep(0)
        if env.messages[0].content == "cancel":
            for task in gc.get_objects():
                if isinstance(task, asyncio.Task):
                    task.cancel()
        if env.messages[0].content == "stop":
            asyncio.get_running_loop().stop()
            await asyncio.sleep(0)
        return brute.Message(role="assistant", content="done")
    return brute.agent().run(answer)


def suite(said):
    return Suite(agent=agent, cases=[Case("first", said="x"), Case("breaks", said=said), Case("later", said="x")], jobs=1)


ONE = suite("SAID")
TWO = suite("x")
"""


def test_an_agent_that_cancels_all_tasks_that_it_is_told_of(brute: Brute, folder: Path) -> None:
    """Those of its own turn, as it would be in its own program: nobody pressed Ctrl-C, and no other case is ended."""
    (folder / "eval_tidies.py").write_text(CANCELS.replace("SAID", "tidy"), encoding="utf-8")
    ended = brute("eval", "eval_tidies.py")
    assert (ended.status, ended.err) == (1, "")
    assert "eval_tidies.py:ONE: breaks (eval_tidies.py:26): the turn raised CancelledError" in ended.out
    assert ended.last.startswith("1 failed, 5 passed in ")


def test_an_agent_that_cancels_every_task(brute: Brute, folder: Path) -> None:
    """Also the run's own, past what asyncio tells it of: what was finished is reported, and the run counts as interrupted."""
    (folder / "eval_cancels.py").write_text(CANCELS.replace("SAID", "cancel"), encoding="utf-8")
    ended = brute("eval", "eval_cancels.py")
    assert (ended.status, ended.err) == (130, "")
    assert "passed     eval_cancels.py:ONE: first\n" in ended.out
    note = "note: the run was cancelled from within: an agent cancelled every task of the loop, the run's own too\n"
    assert note in ended.out
    assert ended.last.endswith("1 passed, 2 cancelled")


def test_an_agent_that_stops_the_loop(brute: Brute, folder: Path) -> None:
    """The loop goes on: it is not the agent's to stop, and nobody's result is lost."""
    (folder / "eval_stops.py").write_text(CANCELS.replace("SAID", "stop"), encoding="utf-8")
    ended = brute("eval", "eval_stops.py")
    assert (ended.status, ended.err) == (0, "")
    assert ended.last.startswith("6 passed in ")


def test_an_eval_file_that_changes_the_working_folder(brute: Brute, folder: Path) -> None:
    """Neither it nor those after it are looked for in another place than they were named from."""
    (folder / "away").mkdir()
    (folder / "eval_away.py").write_text("import os\nos.chdir('away')\n" + EVAL, encoding="utf-8")
    ended = brute("eval", "eval_away.py", "eval_green.py")
    assert (ended.status, ended.err) == (0, "")
    assert ended.last.startswith("4 passed in ")


def test_a_deadline_beyond_any_timer(brute: Brute) -> None:
    """More seconds than the system's timer can count are no error."""
    assert brute("eval", "eval_green.py", "--deadline", "1e300").status == 0
