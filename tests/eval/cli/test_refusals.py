"""What bad input gets: one sentence, exit status 2, no traceback of ours, and nothing has run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from brute.eval.cli import loads, looking
from tests.eval.cli.conftest import AGENT, Brute

CASE = 'from brute.eval import Budget, Case, Suite\nAGENT = "agent.py"\n'

FILES = {
    "raises": (
        'def go():\n    return {}["id"]\n\n\ngo()\n',
        "raises_eval.py raised KeyError: 'id' (raises_eval.py:2 in go)\n  | raises_eval.py:5 in <module>",
    ),
    "syntax": ("def (:\n", "syntax_eval.py, line 1 is not Python: invalid syntax"),
    "hostile": (
        'raise RuntimeError("\\x1b[2J\\n::error::forged")\n',
        "hostile_eval.py raised RuntimeError: \\u001b[2J ::error::forged (hostile_eval.py:1 in <module>)",
    ),
    "nothing": ("x = 1\n", "nothing_eval.py offers no suite; it must define a Suite, or CASES with AGENT"),
    "imports": (
        "import re as suites\n",
        "imports_eval.py offers no suite; it must define a Suite, or CASES with AGENT",
    ),
    "lower": (
        "cases = []\n",
        'lower_eval.py offers no suite; it must define a Suite, or CASES with AGENT (it defines "cases": did you mean "CASES"?)',
    ),
    "empty": (CASE + "CASES = []\n", "empty_eval.py: CASES is empty, and a suite that runs nothing would pass"),
    "text": (CASE + 'CASES = "x"\n', 'text_eval.py: CASES must be a list of Cases, got "x"'),
    "dict": (
        CASE + 'CASES = [{"said": "x"}]\n',
        "dict_eval.py: CASES must be a list of Cases, and CASES[0] is {'said': 'x'}",
    ),
    "twice": (CASE + 'CASES = [Case("x", said="y"), Case("x", said="z")]\n', 'twice_eval.py: two cases are called "x"'),
    "unworldly": (
        CASE + 'CASES = [Case("x", said="y")]\nWORLD = 3\n',
        "unworldly_eval.py: world must be a World, a World class or a function that makes one, got 3",
    ),
    "agentless": (
        'from brute.eval import Case\nCASES = [Case("x", said="y")]\nAGNT = "agent.py"\n',
        'agentless_eval.py has cases and no AGENT; add AGENT = "agent.py", or pass --agent (it defines "AGNT": did you mean "AGENT"?)',
    ),
    "lost_agent": (
        'from brute.eval import Case\nCASES = [Case("x", said="y")]\nAGENT = "agnt.py"\n',
        'lost_agent_eval.py: no such agent file: agnt.py (did you mean "agent.py"?); AGENT is a path from the folder of the eval file',
    ),
    "attribute": (
        'from brute.eval import Case\nCASES = [Case("x", said="y")]\nAGENT = "agent.py:agnt"\n',
        'agent.py defines no "agnt" (did you mean "agent"?)',
    ),
    "runs": (
        CASE + 'CASES = [\n    Case("x", said="y", runs=0)]\n',
        'runs_eval.py:4: case "x": runs must be a whole number >= 1, got 0',
    ),
    "budget": (
        CASE + "Budget(iteration=1)\n",
        (
            'budget_eval.py:3: Budget has no argument "iteration" (did you mean "iterations"?); '
            "it takes iterations, tool_calls, tokens, seconds"
        ),
    ),
    "suite": (
        CASE + "Suite(agent=3, cases=[])\n",
        "suite_eval.py:3: agent must be a path (agent.py, agent.py:name, package.module:name) or a function, got 3",
    ),
    "outside": (
        CASE + 'OUT = Case("out", said="x")\nSUITE = Suite(agent="agent.py", cases=[Case("in", said="x")])\n',
        'outside_eval.py: case "out" is in no suite of this file, and would not run',
    ),
    "hidden": (
        CASE + '@Case("one", said="x")\ndef check(t): ...\n@Case("two", said="x")\ndef check(t): ...\n',
        'hidden_eval.py:3: case "one" would not run: its function check is defined again; give each a name of its own, or keep the cases in a list, CASES',
    ),
    "exits": (
        "raise SystemExit(0)\n",
        (
            "exits_eval.py ended the process (exit status 0) while it was loaded; "
            'put what is to run only as a script under if __name__ == "__main__":'
        ),
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_cant_be_used(brute: Brute, folder: Path, name: str) -> None:
    """A file that can't be used is refused in one sentence, with the user's own frames, before anything runs."""
    text, sentence = FILES[name]
    (folder / f"{name}_eval.py").write_text(text, encoding="utf-8")
    ended = brute("eval", "eval_green.py", f"{name}_eval.py")
    assert (ended.status, ended.out, ended.err) == (2, "", f"Error: {sentence}\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nope.txt"], "no such file: nope.txt"),
        (["eval_gren.py"], 'no such file: eval_gren.py (did you mean "eval_green.py"?)'),
        (
            ["bare"],
            "bare holds no eval files; they are called eval_*.py or *_eval.py, and files of cases cases.yaml or *_cases.yaml (or .yml, .json, .jsonl)",
        ),
        (
            ["notes.txt"],
            "notes.txt is no Python file; an eval file ends in .py, a file of cases in .yaml, .yml, .json, .jsonl",
        ),
        (["eval_green.py", "--agent", "agnt.py"], "no such agent file: agnt.py"),
        (["eval_green.py", "--agent", "agent.py:agnt"], 'agent.py defines no "agnt" (did you mean "agent"?)'),
        (
            ["eval_green.py", "--agent", "agent"],
            "agent 'agent' is no path (agent.py, agent.py:name, package.module:name)",
        ),
        (
            ["eval_green.py", "--agent", "brute_no_module:agent"],
            "brute_no_module:agent: No module named 'brute_no_module'",
        ),
    ],
)
def test_a_command_line_that_cant_be_meant(brute: Brute, folder: Path, words: list[str], sentence: str) -> None:
    """A path or an agent that is not there is refused in one sentence."""
    (folder / "bare").mkdir()
    (folder / "notes.txt").write_text("x", encoding="utf-8")
    ended = brute("eval", *words)
    assert (ended.status, ended.out, ended.err) == (2, "", f"Error: {sentence}\n")


def test_every_broken_file_is_named(brute: Brute, folder: Path) -> None:
    """All files that can't be used are named at once, and none of the others has run."""
    for name in ("raises", "syntax", "nothing"):
        (folder / f"{name}_eval.py").write_text(FILES[name][0], encoding="utf-8")
    ended = brute("eval", ".", "nope.py")
    sentences = [FILES[name][1] for name in ("nothing", "raises", "syntax")]
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == "".join(f"Error: {sentence}\n" for sentence in ["no such file: nope.py", *sentences])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (AGENT.replace("def agent", "def agnt"), 'agent.py defines no "agent" (did you mean "agnt"?)'),
        (
            'import brute\nbrute.agent().on("befor_tool", print)\n',
            'agent.py:2: no event "befor_tool" (did you mean "before_tool"?); events are ',
        ),
        ("raise RuntimeError('no key')\n", "agent.py raised RuntimeError: no key (agent.py:1 in <module>)"),
    ],
)
def test_an_agent_file_that_cant_be_used(brute: Brute, folder: Path, text: str, sentence: str) -> None:
    """An agent file without `agent`, or one that raises, is refused before anything runs."""
    (folder / "agent.py").write_text(text, encoding="utf-8")
    ended = brute("eval", "eval_green.py")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"Error: {sentence}")
    assert "Traceback" not in ended.err


def test_an_agent_that_cant_be_built(brute: Brute, folder: Path) -> None:
    """Bad input that comes to light when the agent is built ends the run with its sentence; what ran before is reported."""
    broken = 'import brute\n\n\ndef agent():\n    return brute.agent().on("befor_tool", print)\n'
    (folder / "broken.py").write_text(broken, encoding="utf-8")
    (folder / "eval_red.py").write_text(
        (folder / "eval_red.py").read_text().replace("agent.py", "broken.py"), encoding="utf-8"
    )
    ended = brute("eval", "eval_red.py")
    assert ended.status == 2
    assert ended.err.startswith('Error: no event "befor_tool" (did you mean "before_tool"?); events are ')
    ended = brute("eval", "eval_green.py", "eval_red.py")
    assert ended.status == 2
    assert ended.last.startswith("2 passed in ")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["eval", "eval_green.py", "--rnus", "2"], "--runs"),
        (["eval", "eval_green.py", "--runs", "0"], "'--runs': 0 is not in the range 1<=x<=100000"),
        (["eval", "eval_green.py", "--runs", "1000000000"], "1000000000 is not in the range 1<=x<=100000"),
        (["eval", "eval_green.py", "--jobs", "0"], "'--jobs': 0 is not in the range x>=1"),
        (["eval", "eval_green.py", "--deadline", "0"], "'--deadline': 0.0 is not in the range x>0"),
        (["eval", "eval_green.py", "--deadline", "nan"], "nan is no number of seconds; it must be finite and above 0"),
        (["eval", "eval_green.py", "--deadline", "inf"], "inf is no number of seconds; it must be finite and above 0"),
        (["eval", "eval_green.py", "--max-cost", "nan"], "nan is no number of dollars; it must be finite and above 0"),
        (
            ["eval", "eval_green.py", "--max-seconds", "inf"],
            "inf is no number of seconds; it must be finite and above 0",
        ),
        (["eval", "eval_green.py", "--runs", "many"], "'--runs': 'many' is not a valid integer"),
        (["eval"], "Missing argument 'PATH...'"),
        (
            ["evl"],
            "No such command 'evl' (did you mean \"eval\"?); commands are eval, models, runs, show, export, grade, cases, merge, view.",
        ),
    ],
)
def test_options_that_cant_be_meant(brute: Brute, words: list[str], told: str) -> None:
    """An unknown option, verb or value is refused with what is allowed."""
    ended = brute(*words)
    assert (ended.status, ended.out) == (2, "")
    assert told in ended.err


@pytest.mark.skipif(os.name == "nt", reason="pipes in folders are POSIX's")
@pytest.mark.parametrize("path", ["eval_pipe.py", "."])
def test_a_pipe_is_no_eval_file(brute: Brute, folder: Path, path: str) -> None:
    """A pipe that nobody writes to is refused, by its own name or in a folder, and never waited for."""
    os.mkfifo(folder / "eval_pipe.py")
    ended = brute("eval", path)
    sentence = "eval_pipe.py is no regular file; an eval file is one that can be read twice"
    assert (ended.status, ended.out, ended.err) == (2, "", f"Error: {sentence}\n")


@pytest.mark.skipif(os.name == "nt", reason="elsewhere the working folder can't be removed")
def test_a_working_folder_that_is_gone(brute: Brute, folder: Path) -> None:
    """Whoever stands in a folder that was removed is told so."""
    (folder / "gone").mkdir()
    os.chdir(folder / "gone")
    (folder / "gone").rmdir()
    ended = brute("eval", str(folder / "eval_green.py"))
    assert (ended.status, ended.out, ended.err) == (2, "", "Error: the working folder is gone; change to another\n")


@pytest.mark.parametrize("isolate", [(), ("--isolate",)], ids=["here", "isolated"])
@pytest.mark.parametrize(
    ("name", "hang", "line"),
    [
        ("agent.py", "while True: pass", "agent.py:1 in <module>"),
        ("agent.py", "import time\ndef wait(): time.sleep(1000)\nwait()", "agent.py:2 in wait"),
        ("eval_green.py", "import time\ntime.sleep(1000)", "eval_green.py:2 in <module>"),
    ],
    ids=["spins", "waits", "the eval file"],
)
@pytest.mark.skipif(os.name != "posix", reason="alarms")
def test_a_file_that_hangs(
    name: str,
    hang: str,
    line: str,
    isolate: tuple[str, ...],
    folder: Path,
    brute: Brute,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is refused when its time is up, with the line where it hung."""
    monkeypatch.setattr(loads, "LEAST", 0.5)
    (folder / name).write_text(hang)
    ended = brute("eval", "eval_green.py", "--deadline", "0.5", *isolate)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == f"Error: {name} was not loaded after 0.5 seconds; it hung at {line}\n"


CATCHES = "import time\nwhile True:\n    try: time.sleep(9)\n    except BaseException: pass"


@pytest.mark.skipif(os.name != "posix", reason="alarms")
def test_a_file_that_hangs_and_catches_whatever_is_raised_in_it(folder: Path) -> None:
    """The process ends with the sentence; it can't go on."""
    (folder / "agent.py").write_text(CATCHES)
    code = "from brute.eval.cli.gathering import *; agents_refused(['agent.py:agent'], 0.2)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    told = "Error: agent.py was not loaded after 0.2 seconds; it hung at agent.py:3 in <module>\n"
    assert (done.returncode, done.stderr) == (2, told)


@pytest.mark.skipif(os.name != "posix", reason="alarms")
def test_such_a_file_in_another_process(folder: Path) -> None:
    """Tells as much, and this one goes on."""
    (folder / "agent.py").write_text(CATCHES)
    (folder / "ends.py").write_text("import os; os._exit(0)")
    told = ["agent.py was not loaded after 0.2 seconds; it hung at agent.py:3 in <module>"]
    assert looking.looked(["agent.py:agent"], 0.2) == told
    assert looking.looked(["ends.py:agent"], 5) == []


@pytest.mark.parametrize("text", ["import os; os._exit(0)", "import sys; sys.exit(0)"])
def test_a_file_that_ends_the_process(text: str, folder: Path, brute: Brute) -> None:
    """Its status is not ours."""
    (folder / "agent.py").write_text(text)
    ended = brute("eval", "eval_green.py")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("Error: agent.py ended the process (exit status 0) while it was loaded; ")


def test_memory_is_for_processes_of_their_own(brute: Brute) -> None:
    """Without them it would promise what nobody keeps."""
    ended = brute("eval", "eval_green.py", "--memory", "512")
    assert (ended.status, ended.out) == (2, "")
    assert "--memory needs --isolate" in ended.err
