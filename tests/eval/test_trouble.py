"""Whose fault a turn's end is."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from brute import HookError, MissingExtra, ModelError, UsageError
from brute.eval import Budget, Transcript
from brute.eval.leaving import Exited
from brute.eval.observer import Observer
from brute.eval.stubs import StubError, Unstubbed
from brute.eval.trouble import is_trouble, root_cause
from tests.support.agents import attempt, makes, speaks


def observer(model_error: BaseException | None = None, fault: BaseException | None = None) -> Observer:
    """An observer that has seen this."""
    made = Observer(Transcript(), Budget())
    made.fault = fault
    if model_error is not None:
        made._troubles["outer"] = model_error, 1
    return made


class FromOpenAI(Exception):
    """An exception as a provider's client has it."""


FromOpenAI.__module__ = "openai._exceptions"


class WithStatus(Exception):
    """An exception that carries an HTTP status."""

    status_code = 500


def caused(error: BaseException, by: BaseException) -> BaseException:
    """The error, raised from another."""
    error.__cause__ = by
    return error


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (ModelError("529 overloaded"), True),
        (ConnectionError("reset"), True),
        (TimeoutError(), True),
        (MissingExtra("Model", "models"), True),
        (UsageError("no key"), True),
        (FromOpenAI("rate limit"), True),
        (WithStatus(), True),
        (caused(RuntimeError("wrapped"), by=ConnectionError()), True),
        (ExceptionGroup("several", [KeyError("a"), ModelError("500")]), True),
        (KeyError("choices"), False),
        (ValueError("bad"), False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else str(value),
)
def test_what_a_model_call_raises_is_the_models_trouble_or_the_agents_slip(error: BaseException, trouble: bool) -> None:
    """The provider, the network and the set-up are no fault of the agent's; a KeyError in its own completion is."""
    assert is_trouble(error) is trouble
    made = attempt(makes(error))
    assert (made.status, made.verdict.failures[0].kind) == (
        ("error", "error.model") if trouble else ("failed", "turn.raised")
    )


def test_a_cause_that_goes_round_in_a_circle_ends() -> None:
    """As chains of exceptions may."""
    one, other = KeyError("one"), KeyError("other")
    one.__cause__, other.__cause__ = other, one
    assert is_trouble(one) is False


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (StubError("the stub broke"), "error.stub"),
        (Unstubbed("called it"), "error.unstubbed"),
        (HookError("a subscriber raised"), "error.hook"),
        (UsageError("no completion"), "error.build"),
        (Exited(SystemExit(3)), "turn.raised"),
        (Exited(BaseExceptionGroup("one", [StubError("inner")])), "error.stub"),
        (KeyError("id"), "turn.raised"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else str(value),
)
def test_each_kind_of_end_has_its_kind_of_failure(error: BaseException, kind: str) -> None:
    """Kinds are API."""
    found = root_cause(observer(), error)
    assert found is not None
    assert found.kind == kind


def test_a_fault_counts_although_the_turn_ended_by_itself() -> None:
    """The agent caught it."""
    found = root_cause(observer(fault=StubError("broke")))
    assert found is not None
    assert found.kind == "error.stub"
    assert root_cause(observer()) is None


def test_a_failed_model_comes_before_what_the_agent_made_of_it() -> None:
    """It raised something else in the end."""
    found = root_cause(observer(model_error=ModelError("500")), KeyError("id"))
    assert found is not None
    assert (found.kind, found.message) == ("error.model", "the model call failed: 500")


def test_a_spent_budget_is_the_rows_to_tell() -> None:
    """What the stop raised is no failure of its own."""
    seen = observer()
    seen.over("tokens")
    assert root_cause(seen, KeyError("raised while it was stopped")) is None


def test_a_subscriber_of_the_agents_own_that_raises_is_an_error() -> None:
    """It is never shown to the model as a tool result."""

    def slip(event: Any) -> None:
        raise KeyError("slip")

    for event in ("before_turn", "before_llm", "after_llm", "after_turn"):
        made = attempt(makes("done", on={event: slip}))
        assert (made.status, made.verdict.failures[0].kind) == ("error", "error.hook")
        assert "raised KeyError: 'slip'" in made.verdict.sentences[0]


def test_a_completion_that_fails_in_the_middle_of_a_group_is_the_models_trouble() -> None:
    """Task groups of the agent's own do not hide it."""

    async def model(env: Any) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(fail)

    async def fail() -> None:
        raise ConnectionError("reset by peer")

    made = attempt(speaks(model))
    assert (made.status, made.verdict.failures[0].kind) == ("error", "error.model")
