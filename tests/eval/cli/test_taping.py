"""`brute eval --record` and `--replay`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from brute.eval.logreading import Reading
from tests.eval.cli.conftest import Brute, command, spawned

AGENT = """
import os
import brute
from brute.middleware import ToolLoop, Tools


def note(name):
    with open(name, "a") as file:
        file.write("x")


@brute.tool
def search(query: str) -> str:
    "Search the news."
    note("ran.log")
    return f"news on {query}"


async def model(env):
    note("asked.log")
    last = env.messages[-1]
    if last.content == "stop":
        os.kill(os.getpid(), int(os.environ["SIGNAL"]))
    if last.role == "tool":
        return brute.Message(role="assistant", content=f"found {last.content}", usage=brute.Usage(input=5, output=1, cost=0.5))
    call = brute.ToolCall(id="c", name="search", arguments={"query": last.content})
    return brute.Message(role="assistant", tool_calls=[call], usage=brute.Usage(input=5, output=1, cost=0.5))


def agent():
    return brute.agent().use(ToolLoop).use(Tools, [search]).run(model)
"""

EVAL = """
from brute.eval import Case

AGENT = "agent.py"
CASES = [
    Case("finds the rate", said="rate", mentions=["rate"], runs=2),
    Case("never searches", said="bond", never=["search"]),
]
"""


@pytest.fixture(autouse=True)
def _files(folder: Path) -> None:
    (folder / "agent.py").write_text(AGENT)
    (folder / "eval_news.py").write_text(EVAL)


def count(name: str) -> int:
    """How often a tool ran, or the model was asked."""
    path = Path(name)
    return len(path.read_text()) if path.exists() else 0


def cassettes() -> list[str]:
    """The cassettes there are."""
    return sorted(str(path) for path in Path("cassettes").rglob("*") if path.is_file())


def test_a_recorded_run_is_replayed_free_of_charge_and_says_so(brute: Brute) -> None:
    """Which files were written, that it was a replay, and that nothing was paid; the same lines twice."""
    recorded = brute("eval", "eval_news.py", "--record")
    assert (recorded.status, len(cassettes())) == (1, 3)
    for path in cassettes():
        assert path.startswith("cassettes/eval_news/")
        assert f"    note: recorded in {path}" in recorded.out
    asked, ran = count("asked.log"), count("ran.log")
    replays = [brute("eval", "eval_news.py", "--replay", "--jobs", "1") for _ in range(2)]
    assert (count("asked.log"), count("ran.log")) == (asked, ran)
    for replay in replays:
        assert replay.status == 1
        assert "failed     never searches (eval_news.py:7): called search, which this case forbids" in replay.out
        assert replay.out.count("    note: replayed from the recording of ") == 3
        assert (
            "note: replayed 3 attempts from recordings; the tokens and the cost of their models are those of the "
            "recordings, and nothing was paid" in replay.out
        )
        assert "tokens 36, cost $3.00" in replay.out
    bodies = [[line for line in each.out.splitlines() if " in " not in line] for each in replays]
    assert bodies[0] == bodies[1]


def test_verdicts_of_two_replays_are_byte_identical(brute: Brute) -> None:
    """As a machine reads them."""
    brute("eval", "eval_news.py", "--record")
    told = []
    for name in ("one.json", "two.json"):
        brute("eval", "eval_news.py", "--replay", "--json", name)
        report = json.loads(Path(name).read_text())
        told.append(json.dumps([[attempt["failures"] for attempt in case["attempts"]] for case in report["cases"]]))
        assert report["cases"][0]["attempts"][0]["transcript"]["replayed"] == ["model", "tools"]
    assert told[0] == told[1]


def test_isolated_attempts_are_recorded_and_replayed_too(folder: Path) -> None:
    """In processes of their own, into the same files, readable by either."""
    assert spawned("eval", "eval_news.py", "--record", "--isolate").status == 1
    assert len(cassettes()) == 3
    asked, ran = count("asked.log"), count("ran.log")
    for words in (["--isolate"], ["--jobs", "64"]):
        ended = spawned("eval", "eval_news.py", "--replay", *words)
        assert (ended.status, ended.err) == (1, "")
        assert ended.out.count("    note: replayed from the recording of ") == 3
    assert (count("asked.log"), count("ran.log")) == (asked, ran)


def test_a_side_may_be_named(brute: Brute) -> None:
    """Behind an equals sign, or by a word of its own."""
    brute("eval", "eval_news.py", "--record")
    asked, ran = count("asked.log"), count("ran.log")
    assert brute("eval", "eval_news.py", "--replay=tools").status == 1
    assert (count("asked.log"), count("ran.log")) == (2 * asked, ran)
    assert brute("eval", "--replay", "model", "eval_news.py").status == 1
    assert (count("asked.log"), count("ran.log")) == (2 * asked, 2 * ran)
    assert brute("eval", "--replay", "eval_news.py").status == 1
    assert (count("asked.log"), count("ran.log")) == (2 * asked, 2 * ran)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["--record", "--replay"],
            "--record and --replay exclude each other; record what is real first, then replay it",
        ),
        (["--record=modle"], '--record takes model or tools, or nothing for both, got "modle" (did you mean "model"?)'),
        (["--replay=everything"], '--replay takes model or tools, or nothing for both, got "everything"'),
    ],
)
def test_what_can_t_be_meant_is_refused_in_one_sentence(words: list[str], told: str, brute: Brute) -> None:
    """With status 2, before anything runs."""
    ended = brute("eval", "eval_news.py", *words)
    assert (ended.status, ended.err.replace("'", '"'), count("asked.log")) == (2, f"Error: {told}\n", 0)


def test_a_missing_recording_is_an_error_of_that_case_alone(brute: Brute) -> None:
    """With the file that it was looked for in."""
    brute("eval", "eval_news.py", "--record", "-k", "finds")
    ended = brute("eval", "eval_news.py", "--replay")
    assert ended.status == 3
    assert (
        "error      never searches (eval_news.py:7): there is no recording of this attempt at cassettes/eval_news/never-searches-"
        in ended.out
    )
    assert ended.out.count("passed     finds the rate") == 2


def test_recording_overwrites_only_what_ran(brute: Brute) -> None:
    """The other cases' cassettes stay as they are."""
    brute("eval", "eval_news.py", "--record")
    before = {path: Path(path).stat().st_ino for path in cassettes()}
    brute("eval", "eval_news.py", "--record", "-k", "never")
    changed = [path for path in cassettes() if Path(path).stat().st_ino != before[path]]
    assert [Path(path).name.partition("-")[0] for path in changed] == ["never"]


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_killed_while_it_records_leaves_the_old_cassettes_whole(sent: int, folder: Path) -> None:
    """And those that were written already."""
    spawned("eval", "eval_news.py", "--record")
    before = {path: Path(path).read_bytes() for path in cassettes()}
    text = EVAL.replace('said="bond"', 'said="stop"')
    (folder / "eval_news.py").write_text(text)
    environ = {**os.environ, "SIGNAL": str(int(sent))}
    words = command("eval", "eval_news.py", "--record", "--jobs", "1")
    subprocess.run(words, env=environ, capture_output=True, timeout=60, check=False)
    after = {path: Path(path).read_bytes() for path in cassettes()}
    assert after.keys() == before.keys()
    for path, body in after.items():
        assert json.loads(body)["schema"] == 1
        assert "never" not in path or body == before[path]
    (folder / "eval_news.py").write_text(EVAL)
    assert spawned("eval", "eval_news.py", "--replay").status == 1


def test_a_live_run_is_not_gone_on_with_by_a_replay_nor_the_other_way_round(brute: Brute) -> None:
    """What a replay came to does not stand for what the agent does; nor does one from another recording."""
    brute("eval", "eval_news.py", "--record")
    asked = count("asked.log")
    brute("eval", "eval_news.py", "--replay")
    with Reading(".brute/runs.db") as reading:
        live, replayed = [run.id for run in sorted(reading.runs(), key=lambda run: run.number)]
    again = brute("eval", "eval_news.py", "--resume", replayed, "--replay")
    assert "made again" not in again.err + again.out
    again = brute("eval", "eval_news.py", "--resume", live, "--replay")
    assert "3 attempts made again, since a setting of the suite changed" in again.err + again.out
    path = Path(next(each for each in cassettes() if "never" in each))
    path.write_text(path.read_text().replace("bond", "bund"))
    again = brute("eval", "eval_news.py", "--resume", replayed, "--replay")
    assert "1 attempt made again, since its recording changed" in again.err + again.out
    assert count("asked.log") == asked


def test_two_suites_that_would_share_recordings_are_refused(brute: Brute, folder: Path) -> None:
    """Of one file: each lies under the name that it has there, unless both were given the same."""
    one = 'Suite(agent="agent.py", cases=[Case("a", said="x")]{name})'
    text = "from brute.eval import Case, Suite\nFIRST = {}\nSECOND = {}\n"
    (folder / "eval_two.py").write_text(text.format(one.format(name=""), one.format(name="")))
    assert brute("eval", "eval_two.py", "--record").status == 0
    assert len(cassettes()) == 2
    name = ', name="same"'
    (folder / "eval_two.py").write_text(text.format(one.format(name=name), one.format(name=name)))
    ended = brute("eval", "eval_two.py", "--record")
    assert ended.status == 2
    assert "would share the recording of case" in ended.err


def test_no_model_is_fetched_where_none_is_asked(brute: Brute, monkeypatch: pytest.MonkeyPatch) -> None:
    """A replay needs neither the network nor a key."""
    from brute.completion import embedded

    brute("eval", "eval_news.py", "--record")
    fetched: list[int] = []
    monkeypatch.setattr(embedded, "fetch_all", lambda: fetched.append(1))
    brute("eval", "eval_news.py", "--replay")
    assert fetched == []
    brute("eval", "eval_news.py", "--replay=tools")
    assert fetched == [1]


@pytest.mark.skipif(os.name != "posix", reason="process groups are POSIX's")
def test_an_attempt_whose_process_is_lost_is_not_recorded_and_says_so(folder: Path) -> None:
    """Under --isolate the process that would have written it is gone."""
    (folder / "agent.py").write_text(AGENT.replace("    last = env", "    os._exit(7)\n    last = env"))
    ended = spawned("eval", "eval_news.py", "--record", "--isolate", "-k", "never")
    assert ended.status == 1
    assert "    note: not recorded: its process was lost" in ended.out
    assert cassettes() == []


@pytest.mark.parametrize("more", [(), ("--isolate", "--jobs", "4")])
def test_a_judge_is_replayed_wherever_its_attempts_are_made(more: tuple[str, ...]) -> None:
    """It is asked by the run's own process, and its answers are in the cassette that a worker wrote."""
    Path("eval_judged.py").write_text(
        "import os, brute\nfrom brute.eval import Case, Suite\n"
        "def judge(env):\n    assert not os.environ.get('FROZEN')\n"
        '    return \'{"met": true, "reason": "it does"}\'\n'
        "SUITE = Suite('agent.py', [Case('a', said='rate', judge='says what it found', runs=2)], judge=judge)\n"
    )
    assert spawned("eval", "eval_judged.py", "--record", *more).status == 0
    frozen = spawned("eval", "eval_judged.py", "--replay", *more, environ={"FROZEN": "1"})
    assert (frozen.status, "the judge: 2 votes" in frozen.out) == (0, True)
