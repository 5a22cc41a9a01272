"""Every sentence about the rules of stubs and the faults of a suite; the formula is that of `wording.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .nearness import differences, marked, named_of
from .rules import Rule
from .showing import plural, value, visible, wishes
from .wording import exception


def no_rule(
    tool: str, arguments: Mapping[str, Any] | None, rules: Sequence[Rule], fitting: Sequence[tuple[Rule, int]]
) -> str:
    """A call that no rule of the tool's stub is for, or none any more."""
    called = f"called {visible(tool)} with {value(arguments or {})}"
    if fitting:
        rule, count = fitting[0]
        return f"{called}; the rule for {_condition(rule)} was used up by {plural(count, 'call')}, and no other fits"
    if len(rules) == 1:
        return f"{called}, for which its stub has no rule; the only one is for {_near(rules[0], arguments)}"
    rule = min(rules, key=lambda one: _distance(one, arguments))
    return f"{called}, for which its stub has none of its {len(rules):,} rules; the nearest is for {_near(rule, arguments)}"


def broke(tool: str, rule: Rule, error: BaseException) -> str:
    """A predicate of a rule that raised: whether the rule is for the call can't be told, and no later one may serve it."""
    return f"the stub for {visible(tool)} has a rule for {_condition(rule)}, which raised {exception(error)}"


def _distance(rule: Rule, arguments: Mapping[str, Any] | None) -> float:
    """How much of what the rule is for differs, from 0 to 1."""
    return len(differences(rule.wish, arguments)) / max(1, len(named_of(rule.wish))) if named_of(rule.wish) else 1.0


def _near(rule: Rule, arguments: Mapping[str, Any] | None) -> str:
    told = _condition(rule)
    if arguments is None or not isinstance(rule.wish, Mapping) or len(rule.wish) < 2:
        return told
    return f"{told}: {marked(rule.wish, arguments)}"


def _condition(rule: Rule) -> str:
    return wishes(rule.wish)


def fault(kind: str, tool: str, number: int, seed: int) -> str:
    """The remark that a call was made to fail by the suite."""
    return f"fault: {kind} in call {number:,} ({visible(tool)}), by seed {seed}"
