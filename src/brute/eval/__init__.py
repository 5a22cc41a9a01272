"""The harness: cases in, real turns of a whole agent, verdicts and an exit status out.

```python
from brute.eval import Budget, Case, Suite

CASES = [Case("greets", said="hello", mentions=["hello"], budget=Budget(iterations=1))]

if __name__ == "__main__":
    raise SystemExit(Suite(agent="agent.py", cases=CASES).run())
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .attempt import Attempt, Job
    from .budget import Budget
    from .callwishes import call, with_defaults
    from .case import Case
    from .faults import Faults
    from .likeness import near, same_text
    from .report import Report
    from .rules import when
    from .schemawish import schema
    from .steps import parallel
    from .stubs import in_turn
    from .suite import Suite
    from .transcript import Call, Request, Transcript
    from .verdict import Failure, Verdict
    from .wishes import any_of, any_order, only, optional
    from .world import World

__all__ = [
    "Attempt",
    "Budget",
    "Call",
    "Case",
    "Failure",
    "Faults",
    "Job",
    "Report",
    "Request",
    "Suite",
    "Transcript",
    "Verdict",
    "World",
    "any_of",
    "any_order",
    "call",
    "in_turn",
    "near",
    "only",
    "optional",
    "parallel",
    "same_text",
    "schema",
    "when",
    "with_defaults",
]

_HOMES = {
    "Attempt": "attempt",
    "Job": "attempt",
    "Budget": "budget",
    "call": "callwishes",
    "with_defaults": "callwishes",
    "Case": "case",
    "Faults": "faults",
    "near": "likeness",
    "same_text": "likeness",
    "Report": "report",
    "when": "rules",
    "schema": "schemawish",
    "parallel": "steps",
    "in_turn": "stubs",
    "Suite": "suite",
    "Call": "transcript",
    "Request": "transcript",
    "Transcript": "transcript",
    "Failure": "verdict",
    "Verdict": "verdict",
    "any_of": "wishes",
    "any_order": "wishes",
    "only": "wishes",
    "optional": "wishes",
    "World": "world",
}
"""The module of each name, imported when the name is asked for: `brute --help` needs none of them."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    found = globals()[name] = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    return found


def __dir__() -> list[str]:
    return [*globals(), *_HOMES]
