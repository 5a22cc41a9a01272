"""The adapter for the Claude Agent SDK keeps the contract, its CLI played in this process."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("claude_agent_sdk", reason="claude-agent-sdk is not installed here")

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
)

from brute import Message, UsageError
from brute.eval import Budget, Case, in_turn
from brute.eval.adapters.claude_agent_sdk_lanes import Lane
from brute.eval.adapters.claude_agent_sdk_tools import Names
from tests.eval.adapters.rows import ASKS, Rows, row, seen, tried
from tests.support.claude_cli import SCRIPTS, Script
from tests.support.frameworks import TOOLS, Plan, ran
from tests.support.frameworks.claude_agent_sdk import HOME, ClaudeAgentSDK, news, server, sub_agents
from tests.support.frameworks.claude_news import graded
from tests.support.taped import files, made


@pytest.fixture(autouse=True)
def _clean() -> None:
    ran.clear()


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = ClaudeAgentSDK()

    @row(2)
    def test_the_example_passes_the_eval_that_all_of_them_share(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """On the real CLI. Its file knows nothing of brute; a wrong stub turns it red."""
        graded(monkeypatch)


def of(plan: Plan, inner: Plan = (), has: Any = TOOLS, *, script: Any = None, **more: Any) -> ClaudeAgentOptions:
    """An agent."""
    return news(Script(plan, inner, **(script or {})), has, **more)


BASH: Plan = [[("Bash", {"command": "date"})], "done"]
TASK: Plan = [[("Task", {"description": "d", "prompt": "look", "subagent_type": "inner"})], "done"]


def bash(**more: Any) -> ClaudeAgentOptions:
    """An agent that runs a command."""
    return of(BASH, has=[], tools=["Bash"], allowed_tools=["Bash"], **more)


def test_a_tool_of_the_clis_own_is_seen() -> None:
    """With what the model was told of it."""
    made = tried(bash(), calls={"Bash": {"command": "date"}})
    assert (made.status, seen(made)) == ("passed", [("Bash", None, "ran")])
    assert (made.transcript.calls[0].result, ran) == ("the CLI ran Bash", [("Bash", {"command": "date"})])
    assert tried(bash(), never=["Bash"]).verdict.failures[0].kind == "call.forbidden"


def test_a_stub_for_a_tool_of_the_clis_own_is_an_error_before_the_model_is_asked() -> None:
    """All that could be done in its stead is to refuse it, which is not what the tool answers."""
    agent = bash()
    made = tried(agent, stubs={"Bash": "canned"})
    assert (made.status, ran, SCRIPTS[str(agent.cli_path)].shown) == ("error", [], [])
    assert made.verdict.failures[0].message == (
        "the stub for Bash can't reach it: the model's provider runs it, or the framework does so past its hooks"
    )


def test_a_tool_of_the_clis_own_that_must_have_a_stub_does_not_run() -> None:
    """The CLI is ended, and has no answer to go on with."""
    agent = bash()
    made = tried(agent, unstubbed="refuse")
    script = SCRIPTS[str(agent.cli_path)]
    assert (made.status, ran, len(script.shown), script.ended[-1]) == ("error", [], 1, "terminated")
    assert "Bash" in made.verdict.failures[0].message


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_a_sub_agent_is_seen_and_stubbed(stubbed: bool) -> None:
    """Its name stands on its calls; that it is started is a call too."""
    agent = of(TASK, [ASKS, "found"], agents=sub_agents(), allowed_tools=["Task", "mcp__news__search"])
    made = tried(agent, stubs={"search": "canned"} if stubbed else {})
    outcome = "stubbed" if stubbed else "ran"
    assert (made.status, made.verdict.failures) == ("passed", ())
    assert seen(made) == [("Task", None, "ran"), ("search", "inner", outcome)]
    assert (ran, made.transcript.iterations) == ([] if stubbed else [("search", "bank")], 4)
    assert made.transcript.reply == "done"


def test_the_tokens_of_a_sub_agent_can_not_be_told() -> None:
    """The CLI does not say what they came to, so a budget of tokens is no pass."""
    made = tried(of(TASK, [ASKS, "found"], agents=sub_agents()), budget=Budget(tokens=1000))
    assert (made.status, "cannot tell tokens spent" in made.verdict.failures[0].message) == ("error", True)


def test_a_sub_agents_command_does_not_run_where_it_must_not() -> None:
    """As the agent's own."""
    agent = of(TASK, BASH, agents=sub_agents(), tools=["Bash"], allowed_tools=["Bash", "Task"])
    made = tried(agent, never=["Bash"], unstubbed="run")
    assert (seen(made)[-1], made.status) == (("Bash", "inner", "ran"), "failed")
    ran.clear()
    made = tried(agent, stubs={"Bash": "canned"})
    assert (made.status, ran) == ("error", [])


def test_calls_that_say_not_which_they_are_are_known_by_their_arguments() -> None:
    """As older CLIs make them."""
    plan: Plan = [[("search", {"query": "a"}), ("search", {"query": "b"})], "done"]
    made = tried(of(plan, script={"signs": False}), stubs={"search": lambda query: f"found {query}"})
    assert [(call.arguments, call.result) for call in made.transcript.calls] == [
        ({"query": "a"}, "found a"),
        ({"query": "b"}, "found b"),
    ]
    made = tried(of(TASK, [ASKS, "found"], script={"signs": False}, agents=sub_agents()), stubs={"search": "canned"})
    assert seen(made)[-1] == ("search", "inner", "stubbed")


def test_a_cli_that_does_not_stream_is_followed_all_the_same() -> None:
    """But for its tokens."""
    plan: Plan = [[("search", {"query": "a"}), ("lookup", {"word": "b"})], "done"]
    made = tried(of(plan, script={"streams": False}), stubs={"search": "canned"})
    assert (made.status, seen(made)) == ("passed", [("search", None, "stubbed"), ("lookup", None, "ran")])
    assert (made.transcript.reply, made.transcript.iterations, made.transcript.tokens) == ("done", 2, None)
    made = tried(of(plan, script={"streams": False}), budget=Budget(tokens=1000))
    assert (made.status, "cannot tell tokens spent" in made.verdict.failures[0].message) == ("error", True)


@pytest.mark.parametrize("stubs", [{}, {"search": "canned"}], ids=["real", "stubbed"])
@pytest.mark.parametrize("way", ["hook", "permission"])
def test_what_the_user_forbids_does_not_run(way: str, stubs: Any) -> None:
    """Nor is a stub served for it."""

    async def hook(given: Any, id: Any, context: Any) -> Any:
        decided = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "not today"}
        return {"hookSpecificOutput": decided}

    async def ask(name: str, given: Any, context: Any) -> Any:
        return PermissionResultDeny(message="not today")

    more: dict[str, Any] = {"hooks": {"PreToolUse": [HookMatcher(hooks=[hook])]}} if way == "hook" else {}
    agent = of([ASKS, "done"], **(more or {"can_use_tool": ask, "allowed_tools": []}))
    made = tried(agent, stubs=stubs, never=["lookup"])
    (call,) = made.transcript.calls
    assert (made.status, made.transcript.reply, ran, call.result) == ("passed", "done", [], None)
    assert (call.outcome, call.error) == ("failed", "not today")


def test_a_call_that_is_refused_takes_no_answer_of_a_stub() -> None:
    """The next one gets the first."""
    denied: list[str] = []

    async def hook(given: Any, id: Any, context: Any) -> Any:
        if denied:
            return {}
        denied.append(id)
        decided = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "not today"}
        return {"hookSpecificOutput": decided}

    agent = of([ASKS, ASKS, ASKS, "done"], hooks={"PreToolUse": [HookMatcher(hooks=[hook])]})
    made = tried(agent, stubs={"search": in_turn("one", "two")}, unstubbed="refuse")
    assert (made.status, ran) == ("passed", [])
    assert [call.result for call in made.transcript.calls] == [None, "one", "two"]
    assert [call.outcome for call in made.transcript.calls] == ["failed", "stubbed", "stubbed"]


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_who_approves_of_calls_is_asked(stubbed: bool) -> None:
    """For real calls, and for those that are stubbed."""
    asked: list[str] = []

    async def ask(name: str, given: Any, context: Any) -> Any:
        asked.append(name)
        return PermissionResultAllow()

    agent = of([ASKS, "done"], can_use_tool=ask, allowed_tools=[])
    made = tried(agent, stubs={"search": "canned"} if stubbed else {})
    assert (made.status, asked) == ("passed", ["mcp__news__search"])
    assert seen(made) == [("search", None, "stubbed" if stubbed else "ran")]


def test_a_client_is_an_agent() -> None:
    """One that is not connected; it is left so, and attempts may share it."""
    client = ClaudeSDKClient(of([ASKS, "done"]))
    for _ in range(2):
        made = tried(client, stubs={"search": "canned"})
        assert (made.status, seen(made), ran) == ("passed", [("search", None, "stubbed")], [])
        assert (made.transcript.reply, client._query) == ("done", None)
    client._query = object()  # type: ignore[assignment]
    with pytest.raises(UsageError, match="is connected already"):
        tried(client)


def test_a_client_whose_run_fails_is_failed() -> None:
    """In the words of the CLI, for a client raises nothing by itself."""
    made = tried(ClaudeSDKClient(of(["down"])))
    assert (made.status, made.verdict.failures[0].kind) == ("error", "error.model")
    assert "Connection refused" in made.verdict.failures[0].message


def test_tools_of_two_servers_that_are_called_alike_keep_their_whole_names() -> None:
    """So that a stub means one of them."""
    agent = of([[("mcp__more__search", {"query": "bank"})], "done"])
    both = {**agent.mcp_servers, "more": server([TOOLS[0]])}  # type: ignore[dict-item]
    agent = dataclasses.replace(agent, mcp_servers=both, allowed_tools=["mcp__more__search"])
    made = tried(agent, stubs={"mcp__more__search": "canned"})
    assert (made.status, seen(made), ran) == ("passed", [("mcp__more__search", None, "stubbed")], [])
    assert "stubs nothing" in tried(agent, stubs={"search": "canned"}).verdict.failures[0].message


def test_names() -> None:
    """A server's tool by its own name, as long as nothing else is called so."""
    names = Names(["a.b", "a"])
    names.learn(["mcp__a_b__x", "mcp__a__b__y", "mcp__far__z", "Read", "mcp__a__Read"], ["far"])
    assert names.all() == ["x", "b__y", "z", "Read", "mcp__a__Read"]
    assert names.unanswered() == ["z", "Read"]
    assert (names("mcp__a_b__x"), names("unknown")) == ("x", "unknown")


def test_a_stub_may_be_a_whole_result() -> None:
    """As the SDK's tools answer it."""
    content = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    agent = of([ASKS, "done"])
    tried(agent, stubs={"search": {"content": content, "is_error": True}})
    assert ClaudeAgentSDK().results(agent) == [(content, True)]


def test_a_model_that_is_to_be_frozen_is_not_asked(tmp_path: Path) -> None:
    """The CLI asks it in a process of its own, which is not started."""

    async def build() -> Any:
        return agent

    agent = of([ASKS, "done"])
    made(tmp_path, build, Case("a turn", said="hello"), record="tools")
    assert len(files(tmp_path)) == 1
    script = SCRIPTS[str(agent.cli_path)]
    script.commands.clear()
    for replay in (True, "model"):
        again = made(tmp_path, build, Case("a turn", said="hello"), replay=replay)
        assert (again.status, script.commands) == ("error", [])
        assert again.verdict.failures[0].kind == "error.replay"


def test_a_conversation_leaves_no_session_behind() -> None:
    """And none is handed to an agent that goes on with one of its own."""
    talk = [Message(role="user", content="hi"), Message(role="assistant", content="hello")]
    assert tried(of(["fine"]), conversation=talk).status == "passed"
    assert list(Path(HOME).rglob("*.jsonl")) == []
    made = tried(of(["fine"], resume="mine"), conversation=talk)
    assert (made.status, "a session of its own" in made.verdict.failures[0].message) == ("error", True)


def test_what_can_not_be_followed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never a pass."""

    async def adds(self: Lane, message: Any) -> None:
        raise KeyError("content")

    monkeypatch.setattr(Lane, "adds", adds)
    made = tried(of([ASKS, "done"]))
    assert (made.status, ran, made.verdict.failures[0].message) == (
        "error",
        [],
        "cannot tell what the agent did: what the framework told of it was not understood (KeyError: 'content')",
    )


def test_a_cli_that_is_stopped_is_ended() -> None:
    """By the deadline, and by a spent budget."""
    for case in ({"deadline": 0.5}, {"budget": Budget(tool_calls=0)}):
        agent = of([[("search", {"query": "hangs"})], "done"])
        assert tried(agent, **case).status == "failed"  # type: ignore[arg-type]
        assert SCRIPTS[str(agent.cli_path)].ended[-1] == "terminated"


@pytest.mark.parametrize("kind", [ClaudeAgentOptions, ClaudeSDKClient])
def test_a_cli_that_has_answered_and_does_not_end_is_ended(kind: Any) -> None:
    """A command in the background neither holds up the attempt nor outlives it."""
    agent = of(BASH, has=[], script={"lingers": True}, tools=["Bash"], allowed_tools=["Bash"])
    made = tried(agent if kind is ClaudeAgentOptions else ClaudeSDKClient(agent), deadline=8.0)
    assert (made.status, made.transcript.reply, made.left_behind) == ("passed", "done", False)
    assert SCRIPTS[str(agent.cli_path)].ended[-1] == "terminated"


SERVER = """
import json, os, sys
open(sys.argv[1], "w").write(str(os.getpid()))
if len(sys.argv) > 2:
    import signal, time
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(60)
STRING = {"type": "object", "properties": {"result": {"type": "string"}}, "required": ["result"]}
TOOL = {"name": "secret", "inputSchema": {"type": "object"}, "outputSchema": STRING}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    text = os.environ["SECRET"] + os.environ["OWN"]
    answer = {
        "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "n", "version": "1"}},
        "tools/list": {"tools": [TOOL]},
        "tools/call": {"content": [{"type": "text", "text": text}], "structuredContent": {"result": text}},
    }[asked["method"]]
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
"""


def is_alive(pid: int) -> bool:
    """Whether a process still runs."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_server_that_says_nothing_is_ended_with_the_turn(tmp_path: Path) -> None:
    """One that was started here, though it does not listen to SIGTERM."""
    (tmp_path / "server.py").write_text(SERVER)
    config = {"command": sys.executable, "args": [str(tmp_path / "server.py"), str(tmp_path / "pid"), "silent"]}
    made = tried(of(["done"], has=[], mcp_servers={"notes": config}), deadline=3.0)
    assert (made.status, made.left_behind) == ("failed", False)
    assert not is_alive(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("kind", [ClaudeAgentOptions, ClaudeSDKClient])
@pytest.mark.parametrize("path", ["/nowhere/claude", shutil.which("false")], ids=["missing", "broken"])
def test_a_cli_that_can_not_be_started_is_an_error(path: str, kind: Any) -> None:
    """Nothing was asked of the agent, so that nothing can be graded."""
    options = ClaudeAgentOptions(cli_path=path)
    made = tried(options if kind is ClaudeAgentOptions else ClaudeSDKClient(options))
    (failure,) = made.verdict.failures
    assert (made.status, failure.kind) == ("error", "error.build")
    assert failure.message.startswith("the agent could not run: the framework's own program could not be started (")


@pytest.mark.parametrize(
    ("stubs", "result", "shown"),
    [
        ({}, {"result": "a+a"}, '{"result":"a+a"}'),
        ({"secret": "canned"}, "canned", '{"result":"canned"}'),
        ({"secret": {"result": "canned"}}, {"result": "canned"}, '{"result":"canned"}'),
        ({"secret": [1]}, [1], [{"type": "text", "text": "[1]"}]),
    ],
    ids=["real", "value", "whole", "unfit"],
)
def test_a_server_over_stdio_is_as_the_cli_would_have_it(tmp_path: Path, stubs: Any, result: Any, shown: Any) -> None:
    """It has the environment of the options, and of its structured output the model is shown no less where there is a stub."""
    (tmp_path / "server.py").write_text(SERVER)
    config = {
        "command": sys.executable,
        "args": [str(tmp_path / "server.py"), str(tmp_path / "pid")],
        "env": {"OWN": "+${SECRET}"},
    }
    plan: Plan = [[("secret", {})], "done"]
    env = {"CLAUDE_CONFIG_DIR": f"{HOME}/.claude", "SECRET": "a"}
    agent = of(plan, has=[], mcp_servers={"notes": config}, allowed_tools=["mcp__notes__secret"], env=env)
    made = tried(agent, stubs=stubs)
    (call,) = made.transcript.calls
    assert (made.status, call.outcome, call.result) == ("passed", "stubbed" if stubs else "ran", result)
    assert SCRIPTS[str(agent.cli_path)].shown[-1][-1]["content"][0]["content"] == shown
    assert not is_alive(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("content", [["a"], [1], [{"title": "a"}], [{"type": "article"}]], ids=repr)
def test_a_stub_that_only_has_something_called_content_is_a_value(content: Any) -> None:
    """The model is shown it as any other, and not as a result that no CLI could read."""
    agent = of([ASKS, "done"])
    made = tried(agent, stubs={"search": {"content": content, "total": 1}})
    assert (made.status, made.transcript.reply) == ("passed", "done")
    ((shown, failed),) = ClaudeAgentSDK().results(agent)
    assert (json.loads(shown[0]["text"]), failed) == ({"content": content, "total": 1}, False)
