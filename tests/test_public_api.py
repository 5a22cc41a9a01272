"""The names that users write, frozen: to take one away, or to rename it, is a change that this test must show."""

from __future__ import annotations

import dataclasses

import brute
import brute.eval
import brute.middleware
from brute.eval import Attempt, Budget, Call, Case, Failure, Report, Request, Transcript, Verdict
from brute.eval.transcript import OUTCOMES
from brute.eval.verdict import KINDS, STATUSES
from brute.hooks import EVENTS


def fields(value: type) -> list[str]:
    """The names of a dataclass's fields."""
    return [field.name for field in dataclasses.fields(value)]  # type: ignore[arg-type]


def test_the_runtime() -> None:
    """What `brute` offers."""
    assert sorted(brute.__all__) == [
        "Agent", "BruteError", "EVENTS", "Env", "HookError", "Local", "Message", "Messages", "MissingExtra", "Model",
        "ModelError", "Tool", "ToolCall", "Usage", "UsageError", "agent", "load_agent", "tool",
    ]  # fmt: skip
    assert sorted(brute.middleware.__all__) == ["MaxIterations", "SystemPrompt", "ToolLoop", "Tools"]


def test_the_harness() -> None:
    """What `brute.eval` offers."""
    assert sorted(brute.eval.__all__) == [
        "Attempt", "Budget", "Call", "Case", "Failure", "Faults", "Job", "Report", "Request", "Suite", "Transcript", "Verdict", "World",
        "any_of", "any_order", "call", "in_turn", "near", "only", "optional", "parallel", "same_text", "schema", "when", "with_defaults",
    ]  # fmt: skip


def test_every_name_is_there() -> None:
    """A list of names is worth what it names."""
    for module in (brute.eval, brute.middleware):
        for name in module.__all__:
            assert getattr(module, name) is not None
    for name in set(brute.__all__) - {"Model", "Local"}:
        assert getattr(brute, name) is not None


def test_the_events() -> None:
    """In the order of a turn."""
    assert list(EVENTS) == [
        "before_turn", "after_turn", "before_llm", "after_llm", "before_tool", "approve_tool", "after_tool",
    ]  # fmt: skip


def test_statuses_and_outcomes() -> None:
    """Of an attempt, and of a call."""
    assert STATUSES == ("passed", "failed", "error", "cancelled")
    assert OUTCOMES == ("ran", "stubbed", "denied", "failed")


def test_the_kinds_of_failure() -> None:
    """For machines; messages may improve."""
    assert list(KINDS) == [
        "turn.raised", "turn.deadline", "turn.crashed", "turn.memory", "turn.output", "turn.left", "call.missing", "call.arguments", "call.unwanted", "call.forbidden", "order", "mentions",
        "reply.missing", "reply.unwanted", "absent", "budget.iterations", "budget.tool_calls", "budget.tokens",
        "budget.seconds", "judge", "check", "error.build", "error.world", "error.stub", "error.unstubbed", "error.tool", "error.replay", "error.model",
        "error.hook", "error.judge", "error.check", "error.blind", "error.harness", "cancelled",
    ]  # fmt: skip


def test_what_a_user_writes() -> None:
    """The arguments of a case and a budget."""
    assert [name for name in fields(Case) if name != "_"] == [
        "name", "said", "stubs", "files", "conversation", "runs", "calls", "never", "order", "mentions", "silent", "absent",
        "absence", "judge", "budget", "check",
    ]  # fmt: skip
    assert fields(Budget) == ["iterations", "tool_calls", "tokens", "seconds"]


def test_what_a_run_leaves() -> None:
    """The fields of what a log and a report hold."""
    assert fields(Attempt) == [
        "case",
        "number",
        "status",
        "verdict",
        "transcript",
        "suite",
        "left_behind",
        "earlier",
        "judged",
    ]
    assert fields(Verdict) == ["failures"]
    assert fields(Failure) == ["kind", "message", "expected", "actual", "detail"]
    assert fields(Report) == ["attempts", "seconds", "interrupted", "stopped", "notes"]
    assert fields(Request) == ["iteration", "usage", "model", "retries", "error", "started", "ended"]
    assert fields(Call) == [
        "name", "arguments", "executed", "result", "outcome", "id", "iteration", "error", "malformed", "agent", "fault", "started",
        "ended",
    ]  # fmt: skip
    assert fields(Transcript) == [
        "said", "messages", "calls", "requests", "iterations", "seconds", "published", "failures", "error", "stopped",
        "stale", "tools", "defaults", "blind", "notes", "judgements", "held", "unclear", "replayed",
    ]  # fmt: skip
