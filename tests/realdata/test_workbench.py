"""2,935 runs of five models on office tasks: our verdict is the judge's, on every one."""

from __future__ import annotations

from typing import Any

from brute.eval import Call, Case, only
from tests.realdata import judged, rows
from tests.support.make import transcript


def same(wanted: Any) -> Any:
    """A predicate: the same value, without regard to case, as the judge compares them."""
    return lambda got: str(got).lower() == str(wanted).lower()


def arguments(call: dict[str, Any]) -> dict[str, Any]:
    """By name, and by place where there is none."""
    return {**{str(at): value for at, value in enumerate(call["pos"])}, **call["args"]}


def test_every_run_gets_the_judges_verdict() -> None:
    """A case that wants exactly the expected calls, and no other to a tool that changes something."""
    runs = rows("workbench_runs.jsonl.gz")
    changing = {call["name"] for run in runs for call in run["expected"]} | {"project_management.delete_task"}
    agreed = passed = 0
    for run in runs:
        wanted: dict[str, list[Any]] = {}
        for call in run["expected"]:
            wanted.setdefault(call["name"], []).append({name: same(value) for name, value in arguments(call).items()})
        of = Case("a", said=run["query"], calls=only(wanted, among=changing))
        made = transcript(*(Call(name=call["name"], arguments=arguments(call)) for call in run["calls"]))
        verdict = judged(of, made)
        agreed += verdict.passed == run["exact_match_of_side_effect_calls"]
        passed += verdict.passed
    assert (agreed, passed) == (2935, 738)
