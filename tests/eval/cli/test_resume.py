"""`brute eval --log`, `--resume` and `--shard`."""

from __future__ import annotations

import shlex
import signal
import subprocess
from pathlib import Path

import pytest

from brute.eval.logreading import Reading
from tests.eval.cli.conftest import Brute, command

PLACE = Path(".brute/runs.db")

SLOW = """
import os
from brute.eval import Case, Suite, World


class Room(World):
    def prepare(self, case):
        with open("made.txt", "a") as made:
            made.write(case.name + "\\n")
        if os.path.exists("stop_at") and open("stop_at").read() == case.name:
            os.kill(os.getpid(), {signal})
        return case.said


CASES = [Case(f"case {{n}}", said="rates?", mentions=["5.25" if n == 2 else "4.25"]) for n in range(6)]
SUITE = Suite(agent="agent.py", cases=CASES, world=Room, jobs=1)
"""


def made() -> list[str]:
    """The attempts that were made since one last asked."""
    path = Path("made.txt")
    names = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return names


def runs() -> int:
    """How many runs are in the log."""
    with Reading(PLACE) as reading:
        return len(reading.runs())


def test_a_run_is_in_the_log_unless_none_is_wanted(brute: Brute) -> None:
    """Several files are one run; another log may be named."""
    assert brute("eval", "eval_green.py", "eval_red.py").status == 1
    assert brute("eval", "eval_green.py", "--log", "none").status == 0
    assert brute("eval", "eval_green.py", "--log", "deep/x.db").status == 0
    with Reading(PLACE) as reading:
        [run] = reading.runs()
        assert (run.how, run.exit_status, run.planned, run.counts) == ("finished", 1, 4, {"passed": 3, "failed": 1})
        assert [each.attempt.suite for each in reading.written(run)] == ["eval_green.py"] * 2 + ["eval_red.py"] * 2
    assert Path("deep/x.db").exists()


def test_a_suite_may_name_its_log(brute: Brute, folder: Path) -> None:
    """Or that it wants none."""
    text = (folder / "eval_red.py").read_text()
    (folder / "eval_red.py").write_text(text.replace("jobs=1)", "jobs=1, log='own.db')"))
    brute("eval", "eval_red.py")
    (folder / "eval_red.py").write_text(text.replace("jobs=1)", "jobs=1, log=None)"))
    brute("eval", "eval_red.py")
    assert Path("own.db").exists()
    assert not PLACE.exists()


def test_a_log_that_can_not_be_written_costs_no_verdict(brute: Brute) -> None:
    """The sentence stands on standard error and in the report, and the exit status is the run's."""
    Path("x.db").write_text("nothing of the kind" * 100)
    ended = brute("eval", "eval_red.py", "--log", "x.db")
    assert ended.status == 1
    sentence = "the run log x.db can't be written: it is damaged, or no database at all (file is not a database)"
    assert ended.err == f"Warning: {sentence}\n"
    assert f"note: {sentence}\n" in ended.out
    assert ended.last.startswith("1 failed, 1 passed in ")


def test_what_is_refused_is_no_run(brute: Brute, folder: Path) -> None:
    """A slip that is found at the first build leaves nothing in the log."""
    (folder / "agent.py").write_text("def agent(needs):\n    pass\n")
    assert brute("eval", "eval_red.py").status == 2
    assert runs() == 0


@pytest.mark.parametrize("way", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_was_cut_off_is_gone_on_with(way: int, brute: Brute, folder: Path) -> None:
    """Only what is missing is made, and the end is that of a run that was never interrupted."""
    (folder / "eval_slow.py").write_text(SLOW.format(signal=int(way)))
    Path("stop_at").write_text("case 4")
    done = subprocess.run(command("eval", "eval_slow.py"), capture_output=True, timeout=60)
    Path("stop_at").unlink()
    assert done.returncode == (-9 if way == signal.SIGKILL else 130)
    assert made() == [f"case {n}" for n in range(5)]
    if way == signal.SIGINT:
        assert b"note: to go on with what is missing: brute eval --resume 20" in done.stdout
    ended = brute("eval", "--resume")
    left = made()
    # An attempt that was about to end may still have ended when Ctrl-C came.
    assert left in (["case 4", "case 5"], ["case 5"][: way == signal.SIGINT])
    with Reading(PLACE) as reading:
        [run] = reading.runs()
        assert (run.how, run.exit_status, run.counts) == ("finished", 1, {"passed": 5, "failed": 1})
    assert ended.err == f"going on with run {run.id}: {6 - len(left)} attempts done before\n"
    whole = brute("eval", "eval_slow.py", "--log", "other.db")
    assert ended.status == whole.status == 1
    assert ended.out.splitlines()[-3:-1] == whole.out.splitlines()[-3:-1]
    assert made() == [f"case {n}" for n in range(6)]


def test_what_has_changed_runs_again_and_is_named(brute: Brute, folder: Path) -> None:
    """A changed case alone, a changed agent everything."""
    file = folder / "eval_slow.py"
    file.write_text(SLOW.format(signal=9))
    brute("eval", "eval_slow.py")
    made()
    file.write_text(file.read_text().replace('"5.25" if n == 2', '"4.25" if n == 2'))
    ended = brute("eval", "eval_slow.py", "--resume", "last")
    assert '1 attempt made again, since the case changed: "case 2"' in ended.err
    assert ended.status == 0
    assert made() == ["case 2"]
    (folder / "agent.py").write_text((folder / "agent.py").read_text() + "\n# changed\n")
    ended = brute("eval", "eval_slow.py", "--resume=last")
    assert "6 attempts made again, since the agent changed" in ended.err
    assert len(made()) == 6
    assert brute("eval", "--resume", "last").err.endswith(": 6 attempts done before\n")
    assert made() == []
    file.write_text(file.read_text().replace("made.write(case.name", "made.write(case.name + ''"))
    assert "6 attempts made again, since the world changed" in brute("eval", "--resume", "last").err


REACHING = """
import os
from brute.eval import Case, Suite, World


class Room(World):
    def prepare(self, case):
        from rooms import SIZE
        return case.said


def limited(transcript):
    from limits import LIMIT
    return len(transcript.reply) < LIMIT * int(os.environ.get("BRUTE_TEST_TIMES", "1"))


CASES = [Case("limited", said="rates?", check=limited), Case("plain", said="rates?")]
SUITE = Suite(agent="agent.py", cases=CASES, world=Room)
"""


def test_what_is_imported_and_read_while_the_functions_run_is_seen(
    brute: Brute, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A verdict that would be another today is not taken over."""
    monkeypatch.delenv("BRUTE_TEST_TIMES", raising=False)
    (folder / "eval_reach.py").write_text(REACHING)
    (folder / "limits.py").write_text("LIMIT = 1000\n")
    (folder / "rooms.py").write_text("SIZE = 1\n")
    assert brute("eval", "eval_reach.py").status == 0
    (folder / "limits.py").write_text("LIMIT = 1\n")
    ended = brute("eval", "--resume", "last")
    assert (ended.status, '1 attempt made again, since the case changed: "limited"' in ended.err) == (1, True)
    monkeypatch.setenv("BRUTE_TEST_TIMES", "1000")
    ended = brute("eval", "--resume", "last")
    assert (ended.status, '1 attempt made again, since the case changed: "limited"' in ended.err) == (0, True)
    (folder / "rooms.py").write_text("SIZE = 22\n")
    assert "2 attempts made again, since the world changed" in brute("eval", "--resume", "last").err
    assert brute("eval", "--resume", "last").err.endswith(": 2 attempts done before\n")


def test_there_must_be_a_run_to_go_on_with(brute: Brute) -> None:
    """Each with a sentence of its own; a file after --resume is the file."""
    assert brute("eval", "--resume").err == f"Error: there is no run log at {PLACE}\n"
    brute("eval", "eval_green.py")
    for words in (("--resume",), ("--resume", "eval_green.py"), ("eval_green.py", "--resume")):
        ended = brute("eval", *words)
        assert (ended.status, ended.err) == (2, f"Error: no run in {PLACE} is unfinished; `brute runs` lists them\n")
    ended = brute("eval", "eval_green.py", "--resume", "nope")
    assert (ended.status, ended.err) == (2, f"Error: no run 'nope' in {PLACE}; `brute runs` lists them\n")
    ended = brute("eval", "eval_green.py", "--log", "none", "--resume", "last")
    assert (ended.status, ended.err) == (2, "Error: there is no log to resume a run from\n")
    assert runs() == 1


def test_shards_are_run_apart_and_merged_into_the_run_of_all(brute: Brute, folder: Path) -> None:
    """Every case once, and the merged run ends as the whole would."""
    (folder / "eval_slow.py").write_text(SLOW.format(signal=9))
    for number in (1, 2, 3):
        brute("eval", "eval_slow.py", "eval_green.py", "--shard", f"{number}/3", "--log", f"{number}.db")
    assert sorted(made()) == [f"case {n}" for n in range(6)]
    ended = brute("merge", "1.db", "2.db", "3.db", "-o", "all.db")
    assert "finished  8 attempts: 7 passed, 1 failed" in ended.out
    assert brute("grade", "last", "--log", "all.db", "eval_slow.py", "eval_green.py").status == 1


@pytest.mark.parametrize(
    ("shard", "status", "told"),
    [
        ("0/3", 2, "a shard is written as NUMBER/OF, such as 2/5 for the second of five; got '0/3'"),
        ("9/9", 5, "shard 9/9 has no case: there are fewer cases than shards"),
    ],
)
def test_a_shard_that_can_not_be_meant_is_refused(shard: str, status: int, told: str, brute: Brute) -> None:
    """One without a case is no pass."""
    ended = brute("eval", "eval_green.py", "--shard", shard)
    assert (ended.status, ended.err) == (status, f"Error: {told}\n")


def test_no_secret_gets_into_a_report_or_an_error(brute: Brute, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither by the environment nor by the shape of a key."""
    monkeypatch.setenv("SOME_API_KEY", "b4nk-0f-england")
    text = (folder / "agent.py").read_text()
    (folder / "agent.py").write_text(text.replace("Rates were", "b4nk-0f-england sk-abcdefghijklmnopqrstuvwx"))
    told = brute("eval", "eval_green.py", "eval_red.py")
    assert "***SOME_API_KEY*** sk-*** held" in told.out
    assert 'answered when it should have stayed silent: "***SOME_API_KEY*** sk-*** held at 4.25%."' in told.out
    assert "b4nk-0f-england" not in brute("show", "last", "stays silent").out
    assert brute("eval", "b4nk-0f-england.py").err == "Error: no such file: ***SOME_API_KEY***.py\n"


SPENDING = """
import brute


def agent():
    message = brute.Message(role="assistant", content="held", usage=brute.Usage(input=9, output=1))
    return brute.agent().run(lambda env: message)
"""

SPENT = """
from brute.eval import Case, Suite

CASES = [Case(f"case {n}", said=f"say {n}", mentions=["risen" if n == 1 else "held"]) for n in range(6)]
SUITE = Suite(agent="spending.py", cases=CASES, jobs=1)
"""


@pytest.fixture
def spent(folder: Path) -> Path:
    """An eval file of six cases, of which the second fails, and each of which takes ten tokens."""
    (folder / "spending.py").write_text(SPENDING)
    (folder / "eval_cap.py").write_text(SPENT)
    return folder / "eval_cap.py"


def statuses(place: Path = PLACE) -> str:
    """How the attempts of the last run ended, in the order of the plan, by their initials; then the run."""
    with Reading(place) as reading:
        run = reading.run("last")
        letters = "".join(
            each.attempt.status[0] for each in sorted(reading.written(run), key=lambda each: each.attempt.case.name)
        )
        return f"{letters} {run.how} {run.exit_status}"


IN_STEP = """
import asyncio
import pathlib

import brute


def agent():
    async def answer(env):
        number = int(env.messages[-1].content.removeprefix("say "))
        # The odd ones, of which some fail, end after the one before them; and what comes next not before it may.
        while number % 2 and not pathlib.Path(f"said {number - 1}").exists():
            await asyncio.sleep(0)
        while number > int(pathlib.Path("until").read_text()):
            await asyncio.sleep(0)
        pathlib.Path(f"said {number}").touch()
        return brute.Message(role="assistant", content="held", usage=brute.Usage(input=9, output=1))

    return brute.agent().run(answer)
"""


def test_a_resumed_run_has_the_flags_of_its_command_line(brute: Brute, spent: Path) -> None:
    """A flag that is given now wins."""
    (spent.parent / "spending.py").write_text(IN_STEP)
    until = spent.parent / "until"
    until.write_text("1")
    ended = brute("eval", "eval_cap.py", "-x", "--jobs", "2")
    assert (statuses(), ended.status) == ("pf stopped 1", 1)
    # The failed case is done, so that -x finds it failed at once no more: the rest is made, up to the next one.
    spent.write_text(SPENT.replace("n == 1 else", "n in (1, 3) else"))
    until.write_text("3")
    ended = brute("eval", "--resume")
    assert statuses() == "pfpf stopped 1"
    assert "up to 2 at a time" in ended.out
    until.write_text("5")
    assert "at a time" not in brute("eval", "--resume", "last", "--jobs", "1").out
    assert statuses() == "pfpfpp finished 1"


@pytest.mark.parametrize("own", [False, True])
def test_a_cap_of_the_run_counts_what_was_spent_before(own: bool, brute: Brute, spent: Path) -> None:
    """By all that was ever made of it; more is allowed by saying so now. The cap may be the suite's own."""
    text = SPENT.replace("jobs=1", "jobs=1, max_tokens=30") if own else SPENT
    spent.write_text(text)
    words = () if own else ("--max-tokens", "30")
    assert brute("eval", "eval_cap.py", *words).status == 1
    # The third took the last of it, and was stopped for that.
    assert statuses() == "pf stopped 1"
    ended = brute("eval", "--resume")
    assert statuses() == "pf stopped 1"
    assert "reached the run's cap of 30 tokens (spent 30)" in ended.out
    if own:
        spent.write_text(text.replace("max_tokens=30", "max_tokens=50"))
        brute("eval", "--resume")
    else:
        brute("eval", "--resume", "--max-tokens", "50")
    assert statuses() == "pfp stopped 1"


def test_what_is_selected_now_is_heeded_and_is_not_the_whole_run(brute: Brute, spent: Path) -> None:
    """`-k`, `--runs` and `--shard` given with --resume make that part alone; the run has its end when nothing is missing."""
    brute("eval", "eval_cap.py", "-x")
    assert statuses() == "pf stopped 1"
    ended = brute("eval", "--resume", "-k", "case 4")
    assert (ended.status, "1 case\n" in ended.out) == (0, True)
    assert statuses() == "pfp None None"
    assert "  unfinished  " in brute("runs").out
    assert brute("show", "last").last == "unfinished: 1 failed, 2 passed"
    assert brute("eval", "--resume", "--shard", "1/2").status in (0, 1)
    assert "None None" in statuses()
    assert brute("eval", "--resume").status == 1
    assert statuses() == "pfpppp finished 1"
    # A part of a run that failed elsewhere does not make it one that passed.
    assert brute("eval", "--resume", "last", "-k", "case 4").status == 0
    assert statuses() == "pfpppp finished 1"
    assert brute("eval", "--resume", "last", "--runs", "2", "-k", "case 5").status == 0
    with Reading(PLACE) as reading:
        assert reading.run("last").counts == {"passed": 6, "failed": 1}


def test_another_agent_that_is_given_now_makes_everything_again(brute: Brute, folder: Path) -> None:
    """And is the one that is evaluated."""
    (folder / "other.py").write_text((folder / "agent.py").read_text().replace("4.25", "5.25"))
    brute("eval", "eval_green.py")
    ended = brute("eval", "--resume", "last", "--agent", "other.py")
    assert "2 attempts made again, since the agent changed" in ended.err
    assert "held at 5.25%" in ended.out


def test_a_case_that_is_gone_counts_no_more(brute: Brute, spent: Path) -> None:
    """The end of a run is that of today's files."""
    brute("eval", "eval_cap.py")
    assert statuses() == "pfpppp finished 1"
    spent.write_text(SPENT.replace("range(6)", "[0, 2, 3]"))
    assert brute("eval", "--resume", "last").status == 0
    assert statuses() == "ppp finished 0"
    assert brute("show", "last").last == "3 passed"


def test_a_merged_run_that_lacks_a_shard_is_gone_on_with_as_the_whole(brute: Brute, spent: Path) -> None:
    """What is missing is made, what failed stays failed, and only then has the run an end."""
    for number in (1, 2, 3):
        brute("eval", "eval_cap.py", "--shard", f"{number}/3", "--log", f"{number}.db")
    failed = next(n for n in (1, 2, 3) if "f" in statuses(Path(f"{n}.db")).split()[0])
    there = [failed, failed % 3 + 1]
    ended = brute("merge", *(f"{n}.db" for n in there), "-o", "part.db")
    assert (ended.status, "is missing" in ended.err) == (0, True)
    assert "f" in statuses(Path("part.db")).split()[0]
    assert statuses(Path("part.db")).endswith(" None None")
    ended = brute("eval", "--resume", "last", "--shard", "1/3", "--log", "part.db")
    assert (ended.status, "another shard is a run of its own" in ended.err) == (2, True)
    assert brute("eval", "--resume", "--log", "part.db").status == 1
    assert sorted(statuses(Path("part.db")).split()[0]) == list("fppppp")
    assert statuses(Path("part.db")).endswith(" finished 1")
    with Reading("part.db") as reading:
        assert (reading.run("last").shard, reading.run("last").planned) == (None, 6)


def test_merged_shards_can_be_merged_with_the_one_that_was_missing(brute: Brute, spent: Path) -> None:
    """In any order."""
    for number in (1, 2, 3):
        brute("eval", "eval_cap.py", "--shard", f"{number}/3", "--log", f"{number}.db")
    brute("merge", "1.db", "3.db", "-o", "part.db")
    assert brute("merge", "part.db", "2.db", "-o", "all.db").status == 0
    assert statuses(Path("all.db")).endswith(" finished 1")
    assert brute("merge", "part.db", "1.db", "-o", "twice.db").err.count("is missing") == 1


def test_two_do_not_go_on_with_one_run(brute: Brute, folder: Path) -> None:
    """Neither with one that is still going on, nor with one that another goes on with."""
    (folder / "eval_slow.py").write_text(SLOW.format(signal=9))
    (folder / "eval_slow.py").write_text(
        (folder / "eval_slow.py")
        .read_text()
        .replace("os.kill(os.getpid(), 9)", "(print('here', flush=True), sys.stdin.read())")
        .replace("import os", "import os, sys")
    )
    Path("stop_at").write_text("case 2")
    words = ["eval", "eval_slow.py"]
    for again in (False, True):
        first = subprocess.Popen(command(*words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert first.stdout is not None
        while "here" not in (line := first.stdout.readline()):
            assert line
        with Reading(PLACE) as reading:
            run = reading.run("last")
        made()
        ended = brute("eval", "--resume", run.id)
        sentence = f"run {run.id} is still going on (process {first.pid}); wait for its end, or stop it"
        assert (ended.status, ended.err) == (2, f"Error: {sentence}\n")
        assert made() == []
        unnamed = brute("eval", "--resume")
        assert (unnamed.status, "is unfinished" in unnamed.err) == (2, True)
        # A kill -9 leaves the run to whoever comes next.
        first.kill()
        first.communicate()
        words = ["eval", "--resume"]
        assert again or statuses().startswith("pp")
    Path("stop_at").unlink()
    assert brute("eval", "--resume").status == 1
    assert statuses() == "ppfppp finished 1"


def test_the_hint_to_go_on_names_the_log(brute: Brute, folder: Path) -> None:
    """Unless it is where one looks anyway; and what it says works."""
    (folder / "eval_slow.py").write_text(SLOW.format(signal=int(signal.SIGINT)))
    Path("stop_at").write_text("case 4")
    words = command("eval", "eval_slow.py", "--log", "my runs.db")
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    Path("stop_at").unlink()
    [hint] = [line for line in done.stdout.splitlines() if "to go on with" in line]
    words = shlex.split(hint.partition("brute ")[2])
    assert words[-2:] == ["--log", "my runs.db"]
    assert brute(*words).status == 1
    assert statuses(Path("my runs.db")) == "ppfppp finished 1"


def test_a_secret_is_masked_before_it_is_cut_off(brute: Brute, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a sentence, in the lines of a reply, and in the log: no part of a key is left."""
    key = "s3cr3tkeyvalue0123456789abcdef"
    pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEbody1\nMIIEbody2\n-----END RSA PRIVATE KEY-----"
    monkeypatch.setenv("MY_API_KEY", key)
    (folder / "eval_secret.py").write_text(
        "import brute\nfrom brute.eval import Case\n\n\ndef AGENT():\n"
        f"    return brute.agent().run(lambda env: {'z' * 100 + key + chr(10) + pem!r})\n\n\n"
        "CASES = [Case('a', said='x', mentions=['zzzz'])]\n"
    )
    told = brute("eval", "eval_secret.py")
    shown = brute("show", "last", "a").out + brute("export", "last", "--jsonl").out
    assert 'the reply was "' + "z" * 100 + "***MY_API_KEY***" in told.out
    for text in (told.out, shown):
        assert "s3cr3t" not in text
        assert "MIIE" not in text
        assert "***MY_API_KEY***" in text
