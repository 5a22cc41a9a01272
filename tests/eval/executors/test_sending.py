"""A suite is told to another process by its file and the names in it; what can't be found there is refused by name."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from brute import UsageError
from brute.eval import Case, Suite, any_of, any_order, call, near, only, optional, parallel, with_defaults
from brute.eval.executors import receiving, sending
from brute.loading import load_file
from tests.eval.executors import sample
from tests.eval.executors.contract import run

posix = pytest.mark.skipif(os.name != "posix", reason="the executor `process` is POSIX's")

AGENT = "import brute\n\nagent = brute.agent().run(lambda env: 'hello')\n"
HEAD = """
import brute
from brute.eval import Case, Suite, World


def build():
    return brute.agent().run(lambda env: "hello")


class Room(World):
    pass


room = Room()
"""


def loaded(folder: Path, text: str) -> Any:
    """The names of a file that holds this below a head, beside an agent file."""
    (folder / "agent.py").write_text(AGENT)
    (folder / "suite.py").write_text(HEAD + text)
    return load_file(folder / "suite.py")


@pytest.mark.parametrize(
    "text",
    [
        "SUITE = Suite('agent.py', [Case('a', said='x')])",
        "SUITE = Suite(lambda: build(), [Case('a', said='x')], world=Room)",
        "SUITE = Suite(build, [Case('a', said='x', check=lambda t: None)], world=room)",
        "CASES = [Case('a', said='x')]\nmade = [Suite(build, CASES, world=Room)]\nSUITES = made",
        "CASES = {'a': Case('a', said='x')}\nSUITES = [Suite('agent.py', CASES.values(), world=room)]",
        "@Case('a', said='x', stubs={'b': ValueError('c')})\ndef a(t): pass\nSUITES = [Suite(build, [a])]",
        "import random\nCASES = [Case('a', said='x')]\nSUITE = Suite(build, CASES)\nother = [Case('a', said=str(random.random()))]",
    ],
)
def test_what_stands_at_the_top_level_can_be_sent(text: str, tmp_path: Path) -> None:
    """By itself, in a list or a dict, or in a suite that stands there."""
    module = loaded(tmp_path, text)
    suite = getattr(module, "SUITE", None) or module.SUITES[0]
    made = receiving.received(sending.order(suite))
    assert list(made.cases) == ["a"]
    assert str(made.builder).rpartition(".")[2] == str(suite.builder).rpartition(".")[2]
    assert getattr(made.world, "__name__", type(made.world).__name__) in ("World", "Room")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("def make():\n    return Suite(build, [Case('a', said='x')])\nSUITES = [make()]", 'case "a" can\'t be sent to another process: it is not there when'),
        ("SUITES = [Suite(lambda: build(), [Case('a', said='x')])]", "the agent <function"),
        ("SUITES = [Suite(build, [Case('a', said='x')], world=Room())]", "the world <"),
        ("import random\nSUITE = Suite(build, [Case('a', said=str(random.random()))])", "makes another case of this name"),
    ],
)  # fmt: skip
def test_what_can_not_be_found_again_is_refused_by_name(text: str, sentence: str, tmp_path: Path) -> None:
    """Before anything runs."""
    module = loaded(tmp_path, text)
    suite = getattr(module, "SUITE", None) or module.SUITES[0]
    with pytest.raises(UsageError, match=re.escape(sentence)):
        receiving.received(sending.order(suite))


@posix
def test_the_run_is_refused_with_the_same_words(tmp_path: Path) -> None:
    """Although it is another process that finds it out."""
    module = loaded(tmp_path, "import random\nSUITE = Suite(build, [Case('a', said=str(random.random()))])")
    with pytest.raises(UsageError, match=r"each time that .*suite\.py runs it makes another case of this name"):
        run(module.SUITE, "process")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_file_that_ends_the_process_is_refused(tmp_path: Path) -> None:
    """The run does not wait for a process that is gone."""
    ends = "import os, pathlib\nif 'nursery' in pathlib.Path('/proc/self/cmdline').read_text(): os._exit(3)\n"
    module = loaded(tmp_path, ends + "SUITE = Suite(build, [Case('a', said='x')])")
    with pytest.raises(UsageError, match="ended the process that loaded it"):
        run(module.SUITE, "process")


def test_a_suite_without_a_file_is_refused() -> None:
    """One that was typed into a REPL."""
    names: dict[str, Any] = {"Suite": Suite, "Case": Case, "build": sample.obedient}
    exec("suite = Suite(build, [Case('a', said='x')])", names)
    with pytest.raises(UsageError, match="a suite made outside a file"):
        sending.order(names["suite"])


def test_a_case_is_known_by_all_that_it_says() -> None:
    """But not by the number of its runs, which a command may change."""
    one = Case("a", said="x", stubs={"b": len}, mentions=[re.compile("c")])
    assert sending.fingerprint(one) == sending.fingerprint(
        Case("a", said="x", stubs={"b": len}, mentions=[re.compile("c")], runs=3)
    )
    for other in (
        Case("b", said="x", stubs={"b": len}, mentions=[re.compile("c")]),
        Case("a", said="x", stubs={"b": sum}, mentions=[re.compile("c")]),
        Case("a", said="x", stubs={"b": len}, mentions=[re.compile("d")]),
        Case("a", said="x", stubs={"b": len}, mentions=[re.compile("c")], check=len),
    ):
        assert sending.fingerprint(one) != sending.fingerprint(other)


def test_wishes_are_known_by_what_they_hold() -> None:
    """By their kind and their values, which are the same in another process."""
    calls: list[Any] = [
        {"t": {"a": 1}}, {"t": only({"a": 1})}, {"t": with_defaults({"a": 1})}, {"t": call({"a": 1}, times=2)}, {"t": call(outcome="ran")},
        only({"t": {"a": 1}}), {"t": {"a": any_of(1)}}, {"t": {"a": any_order([1])}}, {"t": {"a": near(1, 2)}},
    ]  # fmt: skip
    orders: list[Any] = [["a", "b"], [parallel("a", "b")], [any_order(["a", "b"])], ["a", optional("b")]]
    cases = [Case("a", said="x", calls=each) for each in calls] + [Case("a", said="x", order=each) for each in orders]
    assert len({sending.fingerprint(each) for each in cases}) == len(cases)
    one, other = (Case("a", said="x", calls={"t": {"a": any_of(lambda n: n, object())}}) for _ in range(2))
    assert sending.fingerprint(one) == sending.fingerprint(other)


RULED = """
from brute.eval import Faults, call, only, when
from brute.middleware import ToolLoop, Tools
from brute.testing import Script
from brute import Message, ToolCall


def search(query: str) -> str:
    return "live"


def asking():
    calls = [
        Message(role="assistant", tool_calls=(ToolCall(id=str(n), name="search", arguments={"query": str(n)}),)) for n in range(4)
    ]
    return brute.agent().use(ToolLoop).use(Tools, [search]).run(Script([*calls, "done"]))


RULES = [when(query="1").passes_through(), when().returns("held").then("later")]
CASES = [Case(name, said="x", stubs={"s*": RULES}, calls=only({"search": call(times=4)}), runs=3) for name in "ab"]
FAULTS = Faults("timeout", "empty", share=0.4, seed=5)


def main():
    import io, json
    for executor in ("process", "serial"):
        suite = Suite(asking, CASES, executor=executor, faults=FAULTS, log=None, out=io.StringIO())
        suite.run()
        made = sorted(suite.report.attempts, key=lambda each: (each.case.name, each.number))
        print(json.dumps([[each.status, [[c.fault, c.error or c.result] for c in each.transcript.calls]] for each in made]))


if __name__ == "__main__":
    main()
"""


@posix
def test_rules_and_faults_do_the_same_in_other_processes(tmp_path: Path) -> None:
    """Call by call."""
    loaded(tmp_path, "")
    script = tmp_path / "script.py"
    script.write_text(HEAD + RULED)
    ended = subprocess.run([sys.executable, "-W", "error", str(script)], capture_output=True, text=True, timeout=60)
    isolated, serial = ended.stdout.splitlines()
    assert isolated == serial
    assert all(word in serial for word in ("passed", "timeout", "empty", "live", "held", "later"))


@posix
def test_a_script_without_a_guard_is_refused(tmp_path: Path) -> None:
    """It would run itself in every worker, and those in theirs."""
    loaded(tmp_path, "")
    script = tmp_path / "script.py"
    script.write_text(HEAD + "raise SystemExit(Suite(build, [Case('a', said='x')], executor='process').run())\n")
    ended = subprocess.run([sys.executable, "-W", "error", str(script)], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1].endswith('put suite.run() under if __name__ == "__main__":')


@posix
def test_a_guarded_script_runs(tmp_path: Path) -> None:
    """Its suite is made under the guard, of what stands above."""
    loaded(tmp_path, "")
    script = tmp_path / "script.py"
    script.write_text(
        HEAD
        + "CASES = [Case('a', said='x')]\nif __name__ == '__main__':\n"
        + "    raise SystemExit(Suite(build, CASES, executor='process', world=Room).run())\n"
    )
    ended = subprocess.run([sys.executable, "-W", "error", str(script)], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")


@posix
def test_the_number_of_runs_and_the_agent_may_be_another_s(tmp_path: Path) -> None:
    """As the command line has it."""
    module = loaded(tmp_path, "SUITE = Suite(lambda: build(), [Case('a', said='x', mentions=['bye'])])")
    (tmp_path / "other.py").write_text(AGENT.replace("hello", "bye"))
    report, _ = run(module.SUITE, "process", agent=str(tmp_path / "other.py"), runs=3)
    assert [attempt.number for attempt in report.attempts] == [1, 2, 3]
    assert report.passed


@pytest.mark.parametrize("name", ["threads", "", None, "Process"])
def test_an_executor_that_there_is_not_is_refused(name: Any) -> None:
    """With those that there are."""
    with pytest.raises(UsageError, match="executor must be one of local, serial, process; got"):
        Suite(sample.obedient, [Case("a", said="x")], executor=name)


def test_memory_is_a_number_of_megabytes() -> None:
    """A whole one."""
    with pytest.raises(UsageError, match="memory must be a whole number >= 1, got 0"):
        Suite(sample.obedient, [Case("a", said="x")], memory=0)
