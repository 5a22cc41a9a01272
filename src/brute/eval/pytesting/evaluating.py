"""The fixtures that run one case inside an ordinary test."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from ...errors import UsageError
from ...leaves import in_loop
from .. import ending
from ..arguments import refuse_unknown, shown
from ..building import Builder
from ..case import Case
from ..report import CaseResult, Report
from ..suite import ARGUMENTS, OF_CASE, Suite
from .outcomes import ProcessLeft, judge

_APART = 'executor="process"'


class Evaluate:
    """What runs a case inside a test: `evaluate(case, agent="agent.py")`, with whatever else a `Suite` takes.

    It answers the report, whose attempts have the transcripts, and raises `CaseFailed` or `CaseUngraded` unless every attempt passed. An
    agent file is found beside the test. Nothing is written to a run log, unless `log` names one.
    """

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request

    def __call__(self, case: Case, agent: Any = None, **options: Any) -> Report:
        """Make every attempt of the case, and fail unless it passes."""
        __tracebackhide__ = True
        if in_loop():
            raise UsageError("evaluate() was called inside a running event loop; write: await aevaluate(...)")
        suite = _suite(self._request, case, agent, options)
        with ending.guarded(_APART):
            try:
                suite.run()
            except ending.Gone as gone:
                # pytest ends the session, and what the tests have set up.
                ending.spare()
                raise ProcessLeft(gone.sentence) from None
        return _judged(suite)


class Aevaluate(Evaluate):
    """The same inside a running loop: `await aevaluate(case, agent="agent.py")`."""

    async def __call__(self, case: Case, agent: Any = None, **options: Any) -> Report:  # type: ignore[override]
        """Make every attempt of the case, and fail unless it passes."""
        __tracebackhide__ = True
        suite = _suite(self._request, case, agent, options)
        with ending.guarded(_APART):
            await _guarded(suite)
        return _judged(suite)


async def _guarded(suite: Suite) -> None:
    """Run it on the test's own loop; `ProcessLeft` where code of the agent's wanted the process to end, whatever the agent made of that."""
    __tracebackhide__ = True
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    thread, over = threading.get_ident(), False

    def end() -> None:
        ending.spare()
        loop.call_soon_threadsafe(lambda: None if over or task is None else task.cancel())
        if threading.get_ident() == thread:
            # The loop is the test's, and goes on.
            raise ending.gone() or SystemExit

    try:
        with ending.under_way(end):
            await suite.arun()
    except asyncio.CancelledError:
        if ending.gone() is None or task is None:
            raise
        task.uncancel()
    finally:
        over = True
    gone = ending.gone()
    if gone is not None:
        raise ProcessLeft(gone.sentence) from None


def _suite(request: pytest.FixtureRequest, case: Case, agent: Any, options: dict[str, Any]) -> Suite:
    __tracebackhide__ = True
    try:
        suite = _made(request, case, agent, options)
    except UsageError as error:
        # Whose frames are ours, and say nothing to who wrote the test.
        raise error.with_traceback(None) from None
    # Where another process finds what the suite is made of.
    suite.home = vars(request.module)
    suite.reporter = _Silent()
    return suite


def _made(request: pytest.FixtureRequest, case: Case, agent: Any, options: dict[str, Any]) -> Suite:
    refuse_unknown("evaluate", options, [name for name in ARGUMENTS if name != "cases"], OF_CASE)
    if not isinstance(case, Case):
        raise UsageError(f"evaluate takes one case: evaluate(Case(...), agent=...); got {shown(case)}")
    if agent is None:
        raise UsageError('evaluate needs an agent: evaluate(case, agent="agent.py")')
    if isinstance(agent, str):
        agent = Builder(agent, str(request.path.parent)).source
    return Suite(agent, [case], **{"log": None, **options})


def _judged(suite: Suite) -> Report:
    __tracebackhide__ = True
    assert suite.report is not None
    report = suite.report
    judge(CaseResult(suite.cases[0], "", report.attempts))
    return report


class _Silent:
    """A reporter that says nothing: the test does."""

    def started(self, *told: Any) -> None:
        """Nothing."""

    def began(self, *told: Any) -> None:
        """Nothing."""

    def attempted(self, *told: Any) -> None:
        """Nothing."""

    def finished(self, *told: Any) -> None:
        """Nothing."""
