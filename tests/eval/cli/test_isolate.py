"""`brute eval --isolate`: the same report, whatever an agent does to its process."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

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
    assert "failed     eval_exits.py: exits: the turn ended its process with exit code 7; in the model call" in lines
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
