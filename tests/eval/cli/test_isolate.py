"""`brute eval --isolate`: the same report, whatever an agent does to its process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from brute.eval.cli.looking import looked
from tests.eval.cli.conftest import Brute, spawned

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups and signals are POSIX's")

AGENT = """
import os
import brute


def agent():
    async def answer(env):
        print("not for the report")
        if env.messages[0].content == "exit":
            os._exit(7)
        return brute.Message(role="assistant", content="done")
    return brute.agent().run(answer)
"""

EVAL = """
from brute.eval import Case

AGENT = "agent.py"
CASES = [Case("exits", said="exit"), Case("answers", said="x", runs=3)]
"""


def test_one_attempt_is_lost_and_said_to_be(folder: Path) -> None:
    """The others pass; what an agent prints is shown under the failure that it explains, and nowhere else."""
    (folder / "agent.py").write_text(AGENT)
    (folder / "eval_exits.py").write_text(EVAL)
    ended = spawned("eval", "--isolate", "eval_exits.py", "eval_green.py")
    assert (ended.status, ended.err) == (1, "")
    lines = ended.out.splitlines()
    assert (
        "failed     eval_exits.py: exits (eval_exits.py:5): the turn ended its process with exit code 7; in the model call"
        in lines
    )
    assert lines[-1].startswith("1 failed, 3 passed in ")
    shown = [number for number, line in enumerate(lines) if "not for the report" in line]
    assert all("exit code 7" in lines[number - 1] for number in shown)


def test_a_file_with_a_suite_that_a_function_made(folder: Path, brute: Brute) -> None:
    """It is found where it stands, and not where it was made."""
    (folder / "making.py").write_text(
        "from brute.eval import Case, Suite\n\ndef made():\n    return Suite('agent.py', [Case('answers', said='x')])\n"
    )
    (folder / "eval_made.py").write_text("from making import made\n\nSUITE = made()\n")
    ended = brute("eval", "--isolate", "eval_made.py")
    assert (ended.status, ended.err) == (0, "")


def test_what_can_not_be_sent_is_refused(folder: Path, brute: Brute) -> None:
    """With status 2, by name, before anything runs."""
    (folder / "eval_random.py").write_text(
        "import random\nfrom brute.eval import Case\n\nAGENT = 'agent.py'\nCASES = [Case('dice', said=str(random.random()))]\n"
    )
    ended = brute("eval", "--isolate", "eval_random.py")
    assert (ended.status, ended.out) == (2, "")
    assert 'case "dice" can\'t be sent to another process' in ended.err


def test_what_an_agent_file_does_while_it_loads_costs_its_attempts_alone(folder: Path, brute: Brute) -> None:
    """It is never loaded in the run's own process; another agent's attempts are as without it."""
    (folder / "leaves.py").write_text("import os\nos._exit(0)\n")
    (folder / "eval_leaves.py").write_text(
        "from brute.eval import Case\nAGENT = 'leaves.py'\nCASES = [Case('leaves', said='x')]\n"
    )
    ended = brute("eval", "--isolate", "eval_leaves.py", "eval_green.py")
    assert (ended.status, ended.err) == (3, "")
    told = "error      eval_leaves.py: leaves (eval_leaves.py:3): the agent could not be built: its process ended with exit code 0"
    assert told in ended.out.splitlines()
    assert ended.last.startswith("2 passed, 1 error in ")


def test_what_is_wrong_with_an_agent_file_is_told_before_anything_runs(folder: Path, brute: Brute) -> None:
    """As it is without --isolate: the same sentences, all of them, with the frames."""
    (folder / "agent.py").write_text("def go():\n    return {}['id']\n\n\ngo()\n")
    told = [brute("eval", "eval_green.py", *more) for more in ((), ("--isolate",))]
    assert told[0] == told[1]
    assert (told[0].status, told[0].out) == (2, "")
    assert "agent.py raised KeyError: 'id' (agent.py:2 in go)" in told[0].err


def test_the_embedded_models_of_agents_are_fetched_ahead(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though the agent was loaded in another process."""
    from brute.completion import embedded

    monkeypatch.setattr(embedded, "_asked_for", set[str]())
    (folder / "agent.py").write_text("from brute.completion import embedded\nembedded.ask_for('smollm2')\nagent = 1\n")
    assert looked(["agent.py:agent"], 20) == []
    assert embedded._asked_for == {"smollm2"}


def test_memory_from_the_command_line(folder: Path, brute: Brute) -> None:
    """So many megabytes, and no more."""
    (folder / "agent.py").write_text(
        "import brute\n\n\ndef agent():\n    return brute.agent().run(lambda env: str(len(bytearray(900_000_000))))\n"
    )
    ended = brute("eval", "--isolate", "--memory", "300", "eval_green.py", "-k", "answers")
    if sys.platform.startswith("linux"):
        assert ended.status == 1
        assert "asked for more memory than the 300 MB that this suite allows" in ended.out


KEY = "zlate81hdnakd9231"

LATE = f"""
import os
import brute

os.environ["LATE_API_KEY"] = "{KEY}"


def agent():
    async def answer(env):
        if env.messages[0].content == "dies":
            os.write(1, os.environ["LATE_API_KEY"].encode())
            os._exit(3)
        return brute.Message(role="assistant", content="the key is " + os.environ["LATE_API_KEY"])
    return brute.agent().run(answer)
"""

DIES_LOADING = f"""
import os

os.environ["LATE_API_KEY"] = "{KEY}"
os.write(2, os.environ["LATE_API_KEY"].encode())
os._exit(3)
"""

EVAL_LATE = """
from brute.eval import Case, Suite

SAYS = Suite("late.py", [Case("says", said="x", silent=True), Case("dies", said="dies")])
LOADS = Suite("dies_loading.py", [Case("loads", said="x")])
"""


@pytest.mark.parametrize("isolated", [["--isolate"], []])
def test_a_key_that_an_agent_file_loads_is_masked_everywhere(folder: Path, isolated: list[str]) -> None:
    """Only the worker ever saw it in its environment, and the run writes the log and the reports; also where the worker died of it."""
    (folder / "late.py").write_text(LATE)
    (folder / "dies_loading.py").write_text(DIES_LOADING if isolated else LATE)
    (folder / "eval_late.py").write_text(EVAL_LATE if isolated else EVAL_LATE.replace('said="dies"', 'said="x"'))
    files = ["--json", "a.json", "--junit", "a.xml", "--markdown", "a.md", "--html", "a.html"]
    run = spawned("eval", *isolated, *files, "eval_late.py")
    assert run.status == 1
    assert "***LATE_API_KEY***" in run.out
    told = [run.out, run.err, *((folder / name).read_text() for name in files[1::2])]
    for words in (["export", "last"], ["show", "last"], ["show", "last", "says"], ["show", "last", "dies"]):
        ended = spawned(*words)
        told += [ended.out, ended.err]
    assert [text for text in told if KEY in text] == []
    assert sum("***LATE_API_KEY***" in text for text in told) > 5
    if isolated:
        assert len([line for line in run.out.splitlines() if "***LATE_API_KEY***" in line]) >= 3
