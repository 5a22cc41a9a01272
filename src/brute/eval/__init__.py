"""The harness: cases in, real turns of a whole agent, verdicts and an exit status out.

```python
from brute.eval import Budget, Case, Suite

CASES = [Case("greets", said="hello", mentions=["hello"], budget=Budget(iterations=1))]

if __name__ == "__main__":
    raise SystemExit(Suite(agent="agent.py", cases=CASES).run())
```
"""

from __future__ import annotations

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
