"""Expectations of one case that contradict each other: no turn could meet them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from . import steps
from .arguments import shown
from .callwishes import Wanted
from .globs import suits

if TYPE_CHECKING:
    from .case import Case


def refuse(case: Case) -> None:
    """Refuse expectations that contradict each other: no reply could meet them, or the tool is wanted and forbidden."""
    name = f"case {shown(case.name)}"
    if case.silent and (case.absent or case.mentions):
        other = "absent" if case.absent else "mentions"
        raise UsageError(f"{name}: silent=True wants no reply and {other} wants one; leave one of them out")
    if case.absence is not None and not case.absent:
        raise UsageError(f"{name}: absence is read only with absent=True")
    wanted = [*(tool for tool in case.calls if _is_wanted(case.calls[tool])), *steps.names(case.order or ())]
    both = next(((tool, no) for tool in wanted for no in case.never if suits(no, tool)), None)
    if both:
        by = "" if both[0] == both[1] else f" as {shown(both[1])}"
        raise UsageError(f"{name}: {shown(both[0])} is both wanted and in never{by}")


def _is_wanted(arguments: Any) -> bool:
    """Whether a call is wanted at all, and not just so many at the most."""
    each = arguments if isinstance(arguments, (list, tuple)) else (arguments,)
    return any(not isinstance(one, Wanted) or one.at_least for one in each)
