"""The pytest plugin: eval files whose cases are pytest's own items, and the fixtures that run a case inside a test.

`_brute_pytest`, beside the package, is what pytest loads; it imports this when evals are asked for.
"""

from __future__ import annotations

from .outcomes import CaseFailed, CaseUngraded

__all__ = ["CaseFailed", "CaseUngraded"]
