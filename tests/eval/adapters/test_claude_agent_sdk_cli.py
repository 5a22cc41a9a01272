"""The adapter for the Claude Agent SDK keeps the contract with the real CLI, on a model on loopback and on recorded answers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("claude_agent_sdk", reason="claude-agent-sdk is not installed here")

from claude_agent_sdk import ClaudeAgentOptions

from tests.eval.adapters.rows import Rows, row
from tests.support import anthropic_door as door
from tests.support.frameworks import ran
from tests.support.frameworks.claude_agent_sdk import names, server, sub_agents
from tests.support.frameworks.claude_cli import CLI, RealCLI, env
from tests.support.frameworks.claude_news import graded
from tests.support.recorded import Turn, complete_turns, turn_tools

pytestmark = [
    pytest.mark.skipif(not CLI.exists(), reason="this claude-agent-sdk brings no CLI"),
    pytest.mark.filterwarnings(
        # Of a run that was cancelled while it was being closed.
        "ignore:Unclosed <MemoryObject:ResourceWarning",
        "ignore:Exception ignored:pytest.PytestUnraisableExceptionWarning",
    ),
]


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = RealCLI()

    @row(2)
    def test_the_example_passes_the_eval_that_all_of_them_share(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Its file knows nothing of brute; a wrong stub turns it red."""
        graded(monkeypatch)

    @row(6)
    def test_the_deadline_leaves_nothing_running(self) -> None:
        """The turn is cancelled inside its tool; the CLI takes a while to begin."""
        made = self.tried(self.kit.agent([[("search", {"query": "hangs"})], "done"]), deadline=10.0)
        assert (made.status, made.left_behind) == ("failed", False)
        assert made.verdict.failures[0].message == "stopped after 10 seconds; still in tool search"

    @row(6)
    def test_what_the_agent_raises_has_its_own_type_and_words(self) -> None:
        """Nothing of the agent's own code runs in the CLI."""
        pytest.skip("nothing of the agent's own code runs in the CLI")

    @row(2)
    def test_the_real_client_on_recorded_answers_gives_what_was_recorded(self) -> None:
        """Calls, arguments, ids, tokens, model and final text, of each whole turn with Anthropic, streamed."""
        tried = 0
        for turn in complete_turns():
            if turn.exchanges[0].path.endswith("/messages"):
                left = list(turn.exchanges)
                made = self.tried(recorded(turn, left), said=turn.said[-1])
                self.same_as_recorded(made, turn, len(left))
                tried += 1
        assert tried

    @row(5)
    @pytest.mark.parametrize("shared", [False, True], ids=["fresh", "shared"])
    def test_fifty_attempts_at_once_share_nothing(self, shared: bool) -> None:
        """Fifty of these processes are more than most machines bear."""
        pytest.skip("fifty CLIs at once need more memory than a test may ask for")


def recorded(turn: Turn, left: list[Any]) -> ClaudeAgentOptions:
    """An agent whose model gives the recorded answers."""

    def answer(asked: dict[str, Any]) -> Any:
        whole = json.loads(left.pop(0).body)
        for block in whole["content"]:
            if block["type"] == "tool_use":
                block["name"] = f"mcp__news__{block['name']}"
        return whole

    made, tools = env(door.key(answer)), turn_tools(turn)
    return ClaudeAgentOptions(
        mcp_servers={"news": server(tools)} if tools else {},
        allowed_tools=names(tools),
        tools=[],
        setting_sources=[],
        model=turn.model,
        cwd=made["HOME"],
        env=made,
    )


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_a_sub_agent_is_seen_and_stubbed(stubbed: bool) -> None:
    """Its name stands on its calls, though the CLI runs it in the background."""
    plan: Any = [[("Task", {"description": "d", "prompt": "look", "subagent_type": "inner"})], "waiting", "done"]
    inner = [[("search", {"query": "bank"})], "found"]
    ran.clear()
    agent = RealCLI().options(plan, agents=sub_agents(), inner=inner, tools=["Task"])
    made = TestRows().tried(agent, stubs={"search": "canned"} if stubbed else {})
    assert (made.status, made.verdict.failures) == ("passed", ())
    assert [(call.name, call.agent, call.outcome) for call in made.transcript.calls] == [
        ("Task", None, "ran"),
        ("search", "inner", "stubbed" if stubbed else "ran"),
    ]
    assert ran == ([] if stubbed else [("search", "bank")])


@pytest.mark.parametrize(
    ("options", "status"),
    [({"stubs": {"Bash": "canned"}}, "error"), ({"unstubbed": "refuse"}, "error"), ({"never": ["Bash"]}, "failed")],
    ids=["stubbed", "refused", "forbidden"],
)
def test_a_tool_of_the_clis_own_never_runs_where_it_must_not(tmp_path: Path, options: Any, status: str) -> None:
    """Nor is it answered with what its model would take for a refusal."""
    mark = tmp_path / "mark"
    agent = RealCLI().options(
        [[("Bash", {"command": f"touch {mark}"})], "done"], tools=["Bash"], allowed_tools=["Bash"]
    )
    made = TestRows().tried(agent, **options)
    assert (made.status, "Bash" in made.verdict.failures[0].message) == (status, True)
    assert mark.exists() == (status == "failed")


def test_what_the_cli_runs_ends_with_the_turn(tmp_path: Path) -> None:
    """A command that would go on, at the deadline."""
    asleep = f"3{tmp_path.stat().st_ino}"
    agent = RealCLI().options(
        [[("Bash", {"command": f"echo a; sleep {asleep}; echo b"})], "done"], tools=["Bash"], allowed_tools=["Bash"]
    )
    made = TestRows().tried(agent, deadline=8.0)
    assert (made.verdict.failures[0].message, made.left_behind) == (
        "stopped after 8 seconds; still in tool Bash",
        False,
    )
    assert subprocess.run(["pgrep", "-f", f"^sleep {asleep}"], capture_output=True).stdout == b""
