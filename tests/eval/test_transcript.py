"""What one turn did, and the questions that a check asks of it."""

from __future__ import annotations

import re

import pytest

from brute import Usage, UsageError
from brute.eval import Request, Transcript
from tests.support.make import call, message, request, transcript


def test_names_counts_and_errors_stand_in_the_order_of_the_calls() -> None:
    """However the calls ended."""
    made = transcript("read", call("write", "denied"), call("read", "failed"))
    made.calls[2].error = "KeyError: 'id'"
    assert (made.names, made.counts, made.errors) == (
        ["read", "write", "read"],
        {"read": 2, "write": 1},
        ["KeyError: 'id'"],
    )


@pytest.mark.parametrize(
    ("messages", "reply"),
    [
        ([], ""),
        ([message("user", "hi")], ""),
        ([message("assistant", "hello")], "hello"),
        ([message("assistant", "I'll look", "search")], ""),
        ([message("assistant", "one"), message("tool", "x")], ""),
        ([message("assistant", "one"), message("user", "two")], ""),
    ],
)
def test_the_reply_is_the_last_message_if_the_assistant_wrote_it_and_asks_for_no_tool(
    messages: list, reply: str
) -> None:  # type: ignore[type-arg]
    """Edge case 15: a final message that asks for a tool is no reply."""
    assert Transcript(messages=messages).reply == reply


@pytest.mark.parametrize(
    ("requests", "tokens"),
    [([], 0), ([request(3), request(4)], 7), ([request(3), request()], None), ([Request(usage=Usage(input=3))], None)],
)
def test_tokens_that_were_not_reported_are_unknown_and_never_zero(requests: list[Request], tokens: int | None) -> None:
    """Seen in the original: unreported tokens were counted as 0."""
    assert transcript(requests=requests).tokens == tokens


def test_what_can_not_be_seen_is_unknown() -> None:
    """Also where nothing was reported, and where something was."""
    assert transcript(blind=["usage"]).tokens is None
    assert transcript(blind=["usage"], requests=[request(3)]).tokens is None
    assert transcript().usage is None
    assert transcript().cost is None


def test_usage_and_cost_are_added_up_field_by_field() -> None:
    """A field that one call did not report is unknown for all."""
    made = transcript(
        requests=[Request(usage=Usage(input=1, output=2, cost=0.5)), Request(usage=Usage(input=3, output=4, cost=0.25))]
    )
    assert made.usage == Usage(input=4, output=6, cost=0.75)
    assert made.cost == 0.75


def test_called_asks_for_a_name_and_arguments() -> None:
    """By the rules of matching one argument; an argument may be called name or self."""
    made = transcript(call("search", query="bank rate", name="x", self=1))
    assert made.called("search")
    assert made.called("search", query=re.compile("bank"), name="x", self=1)
    assert not made.called("search", query="rate")
    assert not made.called("fetch")


def test_called_does_not_take_a_predicate_that_raised_for_a_no() -> None:
    """`not called(...)` would pass for ever; where another call suits, it was called."""
    made = transcript(call("search", query=3), call("search", query="bank rate"))
    assert made.called("search", query=lambda given: given.startswith("bank"))
    told = 'whether "search" was called so can\'t be told: what it is asked by raised AttributeError: '
    with pytest.raises(UsageError, match=re.escape(told)):
        made.called("search", query=lambda given: given.startwith("bank"))
    assert not made.called("search", query=lambda given: given == "gold")


def test_before_compares_the_first_calls_of_two_tools_that_were_both_called() -> None:
    """A tool that was never called is before none."""
    made = transcript("read", "write", "read")
    assert made.before("read", "write")
    assert not made.before("write", "read")
    assert not made.before("read", "fetch")
    assert not made.before("fetch", "read")


def test_a_question_about_a_misspelt_tool_is_refused() -> None:
    """It would be answered False for ever, and a check that forbids would pass for ever."""
    made = transcript("read", tools=["search", "read"])
    assert not made.called("search")
    for ask in (
        lambda: made.called("serch"),
        lambda: made.before("read", "serch"),
        lambda: made.before("serch", "read"),
    ):
        with pytest.raises(UsageError, match=re.escape('the agent has no tool "serch" (did you mean "search"?)')):
            ask()
    assert not made.called("create_calendar_event")
    assert not transcript().called("serch")


def test_what_was_not_seen_is_no_answer() -> None:
    """A call that was seen was made; of others, and of an order, nobody knows."""
    made = transcript("read", blind=["calls", "order"])
    assert made.called("read")
    with pytest.raises(UsageError, match=r'^whether "write" was called can\'t be told'):
        made.called("write")
    for blind in ("calls", "order"):
        with pytest.raises(UsageError, match=r'^whether "read" was called before "write" can\'t be told'):
            transcript("read", "write", blind=[blind]).before("read", "write")


def test_a_cost_beyond_all_numbers_is_not_known() -> None:
    """Two that an agent made up: JSON has no word for their sum."""
    dear = Request(usage=Usage(input=1, output=1, cost=1e308))
    assert (Transcript(requests=[dear, dear]).cost, Transcript(requests=[dear]).cost) == (None, 1e308)
