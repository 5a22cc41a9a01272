"""The rules of stubs: when what is served, how often, how late; what no rule fits; and the tool itself, where a rule says so."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

import brute
from brute import UsageError
from brute.eval import Call, Case, call, in_turn, only, when
from brute.eval.rules import rules_of
from tests.support.agents import Live, asks, attempt, makes


def served(stubs: Any, *calls: Any, tools: Any = None, **options: Any) -> Any:
    """The attempt of a turn that makes these calls, one batch each, with these stubs."""
    batches = [asks(*each) if isinstance(each, list) else asks(each) for each in calls]
    of = Case("a", said="x", stubs=stubs, **options.pop("expectations", {}))
    return attempt(makes(*batches, "done", tools=tools or [Live("search").tool]), of, **options)


def results(made: Any) -> list[Any]:
    """What each call came to."""
    return [call.error or call.result for call in made.transcript.calls]


BANK = ("search", {"query": "bank rate"})
GOLD = ("search", {"query": "gold"})


def test_rules_are_tried_in_order() -> None:
    """The first that fits serves the call."""
    rules = [
        when(query=re.compile("bank")).returns("held"),
        when(query="gold").returns("up"),
        when().returns("nothing"),
    ]
    made = served({"search": rules}, GOLD, BANK, ("search", {"query": "x"}), ("search", {}))
    assert results(made) == ["up", "held", "nothing", "nothing"]
    assert [call.outcome for call in made.transcript.calls] == ["stubbed"] * 4


def test_one_rule_needs_no_list() -> None:
    """And a function in it is called with the arguments."""
    made = served({"search": when(query=str).returns(lambda query: query.upper())}, GOLD)
    assert results(made) == ["GOLD"]


def test_then_serves_the_next_call_and_the_last_stands_for_all_later_ones() -> None:
    """A failure first, and then an answer: each attempt begins anew."""
    rule = when().fails(TimeoutError("slow")).then("first").then("second")
    for _ in range(2):
        assert results(served({"search": rule}, GOLD, GOLD, GOLD, GOLD)) == [
            "TimeoutError: slow", "first", "second", "second",
        ]  # fmt: skip


def test_calls_of_one_batch_are_served_in_the_order_asked_for() -> None:
    """Whatever rule each of them is for."""
    rules = [when(query="gold").returns("g1").then("g2"), when().returns("o1").then("o2")]
    made = served({"search": rules}, [GOLD, BANK, GOLD, BANK], GOLD)
    assert results(made) == ["g1", "o1", "g2", "o2", "g2"]


def test_times_hands_later_calls_to_the_rules_below() -> None:
    """A rule that is used up is passed over."""
    made = served({"search": [when().returns("once").times(1), when().returns("later")]}, GOLD, GOLD, GOLD)
    assert results(made) == ["once", "later", "later"]


def test_a_failure_is_the_tools_own() -> None:
    """The model reads it and goes on; a call wanted as failed is met by it."""
    from brute.eval import call

    wanting = {"calls": {"search": [call(outcome="failed"), call(outcome="ran")]}}
    made = served({"search": when().fails(ConnectionError).then("ok")}, GOLD, GOLD, expectations=wanting)
    assert (made.status, results(made)) == ("passed", ["ConnectionError", "ok"])


def test_after_takes_the_turns_own_time() -> None:
    """An hour is longer than the deadline, and the attempt says what it was in."""
    made = served({"search": when().returns("late").after(3600)}, GOLD, deadline=0.05)
    assert made.verdict.sentences == ["stopped after 0.05 seconds; still in tool search"]
    assert results(served({"search": when().returns("soon").after(0.0001)}, GOLD)) == ["soon"]


def test_a_call_that_no_rule_fits_ends_the_turn() -> None:
    """It is an error that shows the nearest rule, and no tool runs."""
    live = Live("search")
    rules = [when(query="gold", limit=3).returns("up"), when(page=1, kind="x", of="y").returns("z")]
    made = served({"search": rules}, ("search", {"query": "gold", "limit": 5}), tools=[live.tool])
    assert (made.status, live.ran) == ("error", [])
    assert made.verdict.sentences == [
        (
            'called search with {"query": "gold", "limit": 5}, for which its stub has none of its 2 rules; '
            'the nearest is for query "gold" and limit 3: {"query": "gold", "limit": 5 (wanted 3)}'
        )
    ]
    assert made.verdict.failures[0].kind == "error.stub"


def test_the_only_rule_is_named_where_it_does_not_fit() -> None:
    """As what it is for."""
    made = served({"search": when(query=re.compile("bank")).returns("held")}, GOLD)
    assert made.verdict.sentences == [
        'called search with {"query": "gold"}, for which its stub has no rule; the only one is for query matching /bank/'
    ]


def test_a_rule_that_is_used_up_is_named() -> None:
    """Where no other fits."""
    made = served({"search": when(query="gold").returns("up").times(2)}, GOLD, GOLD, GOLD)
    assert made.verdict.sentences == [
        'called search with {"query": "gold"}; the rule for query "gold" was used up by 2 calls, and no other fits'
    ]


def test_passing_through_runs_the_real_tool_and_no_other_call_does() -> None:
    """Also where the suite refuses tools without a stub."""
    for unstubbed in ("run", "refuse"):
        live = Live("search")
        rules = [when(query="gold").passes_through(), when().returns("held")]
        made = served({"search": rules}, BANK, GOLD, [GOLD, BANK], tools=[live.tool], unstubbed=unstubbed)
        assert results(made) == ["held", "live", "live", "held"]
        assert [call.outcome for call in made.transcript.calls] == ["stubbed", "ran", "ran", "stubbed"]
        assert live.ran == [{"query": "gold"}] * 2


def test_a_tool_that_may_be_passed_through_stays_sealed_where_no_stub_is_served() -> None:
    """A world that forgets its stubs runs no tool."""

    class Forgetful(brute.eval.World):
        def stub(self, agent: Any, stubs: Any) -> None:
            """Forget them."""

    live = Live("search")
    made = served({"search": when().passes_through()}, GOLD, tools=[live.tool], world=Forgetful)
    assert (made.status, live.ran) == ("error", [])


def test_a_stub_is_for_all_tools_that_its_name_means() -> None:
    """A name of its own comes first; what is served in turn is served to all of them together."""
    tools = [Live(name).tool for name in ("mail_send", "mail_read", "mail_list", "web")]
    stubs = {"mail_*": in_turn("one", "two"), "mail_list": "listed", "w?b": when().returns("page")}
    made = served(stubs, ["mail_send", "mail_list", "mail_read"], "web", tools=tools)
    assert results(made) == ["one", "listed", "two", "page"]


def test_a_glob_that_means_no_tool_stubs_nothing() -> None:
    """That is an error before anything is spent."""
    made = served({"mail_sned*": "x"}, "mail_send", tools=[Live("mail_send").tool])
    assert made.verdict.sentences == [
        'the stub for "mail_sned*" stubs nothing: the agent has no such tool (did you mean "mail_send"?); its tools are mail_send'
    ]


def test_arguments_that_the_tool_refuses_use_up_no_rule() -> None:
    """The model is told, as by the tool."""

    @brute.tool
    def search(query: str) -> str:
        """Search."""
        return "live"

    made = served({"search": when(query="gold").returns("up")}, ("search", {"page": 1}), GOLD, tools=[search])
    assert made.status == "passed"
    assert made.transcript.calls[1].result == "up"
    assert "query" in str(made.transcript.calls[0].error)


REFUSED: list[tuple[Any, str]] = [
    (lambda: when({"a": 1}, b=2), "when takes arguments by name, or one wish for all of them, not both"),
    (lambda: when("x"), 'when takes a dict of arguments, or a wish for all of them, got "x"'),
    (lambda: when(call(times=1)), "when takes a dict of arguments, or a wish for all of them, got call(times=1); how often a rule serves is said by .times(n)"),
    (lambda: when(a=list[int]), "when takes plain types, since no value is a list[int]; when has for a list[int]; write list"),
    (lambda: when().returns(KeyError("a")), "returns serves a value, got KeyError('a'); for an exception write .fails(KeyError('a'))"),
    (lambda: when().fails("a"), 'fails takes an exception, such as TimeoutError(), got "a"'),
    (lambda: when().then(1), "then comes after what is served first: when(...).returns(...).then(...)"),
    (lambda: when().after(1), "after comes after what is served late: when(...).returns(...).after(...)"),
    (lambda: when().returns(1).after(-1), "after takes a number of seconds >= 0, got -1"),
    (lambda: when().returns(1).times(0), "times takes a whole number >= 1, got 0"),
    (lambda: when().returns(1).returns(2), "returns says what is served first, and when().returns(1) does already; for the next call write .then(...)"),
    (lambda: when().returns(in_turn(1)), "a rule can't serve it: InTurn stands inside a rule; write .returns(a).then(b)"),
    (lambda: Case("a", said="x", stubs={"f": when(a=1)}), "case \"a\": stubs can't serve what f has: when({'a': 1}) does not say what is served; write when({'a': 1}).returns(...)"),
    (lambda: Case("a", said="x", stubs={"f": [when().returns(1), 2]}), 'case "a": stubs can\'t serve what f has: a list of rules holds nothing else; it has 2 among them'),
]  # fmt: skip


@pytest.mark.parametrize(("make", "sentence"), REFUSED, ids=lambda each: each[:40] if isinstance(each, str) else "")
def test_what_could_not_be_meant_is_refused_when_it_is_made(make: Any, sentence: str) -> None:
    """In one sentence."""
    with pytest.raises(UsageError) as error:
        make()
    assert str(error.value) == sentence


def test_a_rule_shows_itself_as_it_is_written_and_changes_nothing() -> None:
    """Each method answers another."""
    first = when(query="x")
    rule = first.returns("a").after(2).then("b").times(3)
    assert repr(rule) == "when({'query': 'x'}).returns('a').after(2).then('b').times(3)"
    assert repr(first) == "when({'query': 'x'})"
    assert repr(when().fails(KeyError("x"))) == "when().fails(KeyError('x'))"
    assert repr(when(only({})).passes_through()) == "when(only({})).passes_through()"
    assert rules_of("x") is rules_of([]) is rules_of(["x"]) is None


def test_other_stubs_are_what_they_were() -> None:
    """A list of anything else is a value."""
    made = served({"search": [1, 2]}, GOLD)
    assert results(made) == [[1, 2]]
    assert isinstance(made.transcript.calls[0], Call)


def test_a_predicate_that_raises_hands_the_call_to_no_later_rule() -> None:
    """Which might let it through to the tool; where the call fits without it, nothing was raised."""
    live = Live("search")
    odd = when(query=lambda query: query > 3)
    made = served({"search": [odd.returns(1), when().passes_through()]}, GOLD, tools=[live.tool])
    assert (made.status, live.ran, made.verdict.failures[0].kind) == ("error", [], "error.stub")
    assert "which raised TypeError: '>' not supported" in made.verdict.sentences[0]
    assert results(served({"search": [when(query="gold").returns(2), odd.returns(1)]}, GOLD)) == [2]
    exits = when(query=lambda query: sys.exit(0))
    made = served({"search": [exits.returns(1)]}, GOLD, tools=[live.tool])
    assert (made.status, live.ran, made.verdict.failures[0].kind) == ("error", [], "error.stub")


def test_a_rule_that_is_used_up_is_not_asked() -> None:
    """What its predicate would raise on later calls is no matter: it serves none of them."""
    fussy = when(query=lambda query: {"gold": True}[query]).returns(1).times(1)
    made = served({"search": [fussy, when().returns(2)]}, GOLD, ("search", {"query": "tin"}))
    assert results(made) == [1, 2]
