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
from .case import Case
from .report import Report
from .stubs import in_turn
from .suite import Suite
from .transcript import Call, Request, Transcript
from .verdict import Failure, Verdict
from .world import World

__all__ = [
    "Attempt",
    "Budget",
    "Call",
    "Case",
    "Failure",
    "Job",
    "Report",
    "Request",
    "Suite",
    "Transcript",
    "Verdict",
    "World",
    "in_turn",
]
