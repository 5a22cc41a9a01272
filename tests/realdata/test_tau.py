"""124 conversations of a model with a customer: the actions that the task wants, among the calls that were made."""

from __future__ import annotations

from typing import Any

from brute import Message, ToolCall
from brute.eval import Call, Case
from tests.realdata import exactly, judged, rows
from tests.support.make import transcript


def messages(trajectory: list[dict[str, Any]]) -> list[Message]:
    """An OpenAI chat as a conversation."""
    made = []
    for each in trajectory:
        calls = tuple(
            ToolCall(id=call["id"], name=call["function"]["name"], arguments=call["function"]["arguments"])
            for call in each.get("tool_calls") or ()
        )
        made.append(
            Message(
                role=each["role"],
                content=each.get("content") or "",
                tool_calls=calls,
                tool_call_id=each.get("tool_call_id"),
            )
        )
    return made


def test_every_run_gets_the_judges_verdict() -> None:
    """Wanted actions found among the calls, each with its result."""
    runs, expected = rows("tau_airline_runs.json.gz"), rows("tau_airline_expected.json")
    agreed = 0
    for run, said in zip(runs, expected, strict=True):
        log = messages(run["traj"])
        results = {message.tool_call_id: message.content for message in log if message.role == "tool"}
        calls = [
            Call(name=call.name, id=call.id, arguments=call.parsed(), result=results.get(call.id))
            for message in log
            for call in message.tool_calls
        ]
        assert len(calls) == said["n_calls"]
        assert all(call.arguments is not None for call in calls)
        wanted: dict[str, list[Any]] = {}
        for action in run["info"]["task"]["actions"]:
            # The judge wants equal arguments; of a dict, ours would take more than was asked for.
            wanted.setdefault(action["name"], []).append(
                {name: exactly(each) for name, each in action["kwargs"].items()}
            )
        verdict = judged(Case("a", said=run["info"]["task"]["instruction"], calls=wanted), transcript(*calls))
        agreed += verdict.passed == said["exact_subset_of_expected_actions"]
    assert agreed == len(runs) == 124
