"""What every adapter does, whatever framework is behind it: each adapter's tests run these rows on agents of its own.

A test module subclasses `Contract` as `TestContract` and says how its framework builds an agent: `make(plan, tools)`
gives a subject whose model plays `plan`, a list of steps. A step is a text (the reply), or a list of calls, each
`(name, arguments)`, made in one batch. `tools` are sync or async functions. The first of a plan's steps answers what the turn
began with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import anyio
import pytest

from brute import HookError, Message
from brute.errors import TurnStopped
from brute.eval import Budget
from brute.eval.guarding import Guard
from brute.eval.observer import Observer
from brute.eval.stubs import StubError, Stubs, Unstubbed
from brute.eval.subject import Subject, keep_watch
from brute.eval.transcript import Transcript

Plan = Sequence[str | Sequence[tuple[str, dict[str, Any]]]]


def search(query: str = "") -> str:
    """Search the news."""
    ran.append(query)
    return f"live {query}"


def breaks(query: str = "") -> str:
    """A tool that does not work."""
    raise OSError("down")


ran: list[str] = []


class Contract:
    """The rows. `raises` is what a turn raises when a subscriber stops it; some frameworks wrap it."""

    def make(self, plan: Plan, tools: Sequence[Callable[..., Any]]) -> Subject:
        """A subject whose model plays the plan."""
        raise NotImplementedError

    def watched(
        self, plan: Plan, *, stubs: dict[str, Any] | None = None, refuse: bool = False, budget: Budget | None = None
    ) -> Any:
        """The subject, with an observer, stubs and guard, as the runner puts them on."""
        ran.clear()
        subject = self.make(plan, [search, breaks])
        observer = Observer(Transcript(), budget or Budget())
        keep_watch(subject, observer.watch_first(subject), first=True)
        if stubs:
            Stubs(stubs).install(subject)
        guard = Guard(stubs or {}, subject.tools, refuse)
        keep_watch(subject, [*observer.watch_last(), ("approve_tool", guard)], first=False)
        return subject, observer

    def turn(self, plan: Plan, input: Any = "hello", **more: Any) -> tuple[Transcript, BaseException | None]:
        """The transcript of a turn, and what it raised."""
        subject, observer = self.watched(plan, **more)
        error = None
        try:
            anyio.run(subject.start, input)
        except BaseException as raised:
            error = raised
        observer.seal()
        return observer.transcript, error

    def test_the_tools_are_known_by_name(self) -> None:
        """Or it is said that they are not known before the turn."""
        assert self.make(["hi"], [search, breaks]).tools in (["search", "breaks"], None)

    def test_a_reply_is_seen(self) -> None:
        """One model call, one reply."""
        made, error = self.turn(["hi there"])
        assert (error, made.reply, made.iterations, made.names) == (None, "hi there", 1, [])

    @pytest.mark.parametrize(
        "input", ["hello", Message(role="user", content="hello"), [Message(role="user", content="hello")]]
    )
    def test_a_turn_starts_with_a_text_a_message_or_a_conversation(self, input: Any) -> None:
        """Whatever the world's prepare answered."""
        made, error = self.turn(["hi"], input=input)
        assert (error, made.messages[0].content if made.messages else "hello") == (None, "hello")

    def test_a_call_is_seen_with_what_was_asked_and_what_came_of_it(self) -> None:
        """A tool that ran."""
        made, error = self.turn([[("search", {"query": "bank"})], "done"])
        (call,) = made.calls
        assert (error, call.name, call.arguments, call.outcome) == (None, "search", {"query": "bank"}, "ran")
        assert (call.result, ran, made.iterations, made.reply) == ("live bank", ["bank"], 2, "done")

    def test_calls_of_a_batch_stand_as_asked(self) -> None:
        """With their iteration."""
        made, _ = self.turn(
            [[("search", {"query": "a"}), ("search", {"query": "b"})], [("search", {"query": "c"})], "done"]
        )
        assert [(call.arguments, call.iteration) for call in made.calls] == [
            ({"query": "a"}, 1),
            ({"query": "b"}, 1),
            ({"query": "c"}, 2),
        ]

    def test_a_tool_that_raises_is_a_failed_call_and_the_turn_goes_on(self) -> None:
        """The model reads the error."""
        made, error = self.turn([[("breaks", {})], "sorry"])
        assert (error, made.calls[0].outcome, made.reply) == (None, "failed", "sorry")
        assert "down" in str(made.calls[0].error)

    @pytest.mark.parametrize("stub", ["canned", None, False, ""], ids=repr)
    def test_a_stub_is_served_and_the_tool_does_not_run(self, stub: Any) -> None:
        """Whatever the stub is."""
        made, error = self.turn([[("search", {"query": "bank"})], "done"], stubs={"search": stub})
        (call,) = made.calls
        assert (error, call.outcome, call.result, ran, made.reply) == (None, "stubbed", stub, [], "done")

    def test_an_exception_as_a_stub_reaches_the_model_as_the_tools(self) -> None:
        """The turn goes on."""
        made, error = self.turn([[("search", {})], "sorry"], stubs={"search": TimeoutError("slow")})
        assert (error, ran, made.reply) == (None, [], "sorry")

    def test_a_denied_call_does_not_run(self) -> None:
        """Denied by a subscriber, be it before the stubs or when it is to be approved."""
        for event in ("before_tool", "approve_tool"):
            subject, observer = self.watched([[("search", {})], "done"])
            subject.on(event, lambda payload: payload.deny("no"))
            anyio.run(subject.start, "hello")
            assert (observer.transcript.calls[0].outcome, ran) == ("denied", [])

    def test_a_stub_that_breaks_stops_the_turn(self) -> None:
        """It is never shown to the model, and the observer keeps it."""
        subject, observer = self.watched([[("search", {})], "done"], stubs={"search": lambda: 1 / 0})
        with pytest.raises(BaseException):
            anyio.run(subject.start, "hello")
        assert (isinstance(observer.fault, StubError), ran) == (True, [])

    def test_a_subscriber_that_raises_stops_the_turn(self) -> None:
        """And is never shown to the model either."""
        subject, observer = self.watched([[("search", {})], "done"])
        subject.on("before_tool", lambda payload: 1 / 0)
        with pytest.raises(BaseException):
            anyio.run(subject.start, "hello")
        assert (isinstance(observer.fault, HookError), ran) == (True, [])

    def test_a_call_that_must_have_a_stub_does_not_run(self) -> None:
        """The guard is asked last, and the tool never runs."""
        subject, observer = self.watched([[("search", {})], "done"], refuse=True)
        with pytest.raises(BaseException):
            anyio.run(subject.start, "hello")
        assert (isinstance(observer.fault, Unstubbed), ran) == (True, [])

    def test_a_spent_budget_stops_the_turn_before_anything_runs(self) -> None:
        """A batch that breaks it is not run."""
        made, error = self.turn([[("search", {}), ("search", {})], "done"], budget=Budget(tool_calls=1))
        assert (isinstance(error, BaseException), ran, made.stopped) == (True, [], "budget.tool_calls")

    def test_a_subscription_ends(self) -> None:
        """By the function that `on` answers."""
        heard: list[str] = []
        subject = self.make(["hi"], [search])
        end = subject.on("before_turn", lambda payload: heard.append("ended"))
        subject.on("after_turn", lambda payload: heard.append("heard"))
        end()
        end()
        anyio.run(subject.start, "hello")
        assert heard == ["heard"]

    def test_what_comes_after_the_turn_is_stopped(self) -> None:
        """A subject that is started again once its record is sealed does nothing."""
        subject, observer = self.watched([[("search", {})], "done"])
        observer.seal()
        with pytest.raises(BaseException) as raised:
            anyio.run(subject.start, "hello")
        assert (ran, isinstance(raised.value, (TurnStopped, Exception))) == ([], True)
