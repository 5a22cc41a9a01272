"""What holds of every verdict, whatever the case and the transcript."""

from __future__ import annotations

import copy
import itertools
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from brute import Message, Usage, UsageError
from brute.eval import Budget, Call, Case, Request, Transcript
from brute.eval.grading import grade, ordered
from tests.support import strategies as some
from tests.support.make import transcript

ADDED: list[dict[str, Any]] = [
    {"never": ["fetch"]},
    {"calls": {"read": None}},
    {"calls": {"read": {"query": 1}}},
    {"order": ["search", "read"]},
    {"mentions": ["4.25"]},
    {"silent": True},
    {"absent": True},
    {"budget": Budget(iterations=1, tool_calls=1, tokens=1, seconds=1)},
]


def case_of(expectations: dict[str, Any]) -> Case:
    """A case, where these expectations don't contradict each other."""
    try:
        return Case("a", said="x", **expectations)
    except UsageError:
        assume(False)
        raise


@given(some.expectations, some.transcripts, st.sampled_from(ADDED))
@settings(max_examples=60, deadline=None)
def test_an_expectation_more_never_turns_a_failure_into_a_pass(
    wanted: dict[str, Any], made: Transcript, more: dict[str, Any]
) -> None:
    """But for the two that say what no reply means: with them, a blank reply is not "said nothing"."""
    assume(not (more.keys() & {"silent", "absent"}) or made.reply.strip())
    before, after = case_of(wanted), case_of({**wanted, **more, **_both(wanted, more)})
    if grade(after, made).passed:
        assert grade(before, made).passed


def _both(wanted: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """What both say of one argument, where both can be said."""
    joined: dict[str, Any] = {}
    for field in more.keys() & wanted.keys():
        one, other = wanted[field], more[field]
        if field == "calls":
            assume(not (one.keys() & other.keys()))
            joined[field] = {**one, **other}
        elif field in ("never", "mentions"):
            joined[field] = [*one, *other]
        elif field in ("silent", "absent"):
            joined[field] = one or other
        else:
            assume(one is None)
    return joined


@given(some.transcripts, some.tools, some.calls, st.data())
@settings(max_examples=60, deadline=None)
def test_a_forbidden_call_put_in_anywhere_fails(made: Transcript, tool: str, call: Call, data: st.DataObject) -> None:
    """However it ended, and whatever else went wrong."""
    forbids = Case("a", said="x", never=[tool])
    call.name = tool
    made.calls.insert(data.draw(st.integers(0, len(made.calls))), call)
    verdict = grade(forbids, made)
    assert verdict.status == "failed"
    assert "call.forbidden" in [failure.kind for failure in verdict.failures]


@given(some.expectations, some.transcripts)
@settings(max_examples=60, deadline=None)
def test_grading_is_pure(wanted: dict[str, Any], made: Transcript) -> None:
    """The same verdict twice, the transcript as it was, each sentence on one line, no slip of ours."""
    of, before = case_of(wanted), copy.deepcopy(made)
    verdict = grade(of, made)
    assert grade(of, made) == verdict
    assert made == before
    for failure in verdict.failures:
        assert failure is made.error or failure.kind == "check" or failure.message.isprintable()
        assert failure.kind != "error.harness"


@given(some.expectations, some.transcripts)
@settings(max_examples=60, deadline=None)
def test_a_transcript_from_json_is_graded_like_the_one_it_was_made_of(wanted: dict[str, Any], made: Transcript) -> None:
    """And is equal to it, and gives the same JSON."""
    data = made.to_json()
    back = Transcript.from_json(data)
    assert back == made
    assert back.to_json() == data
    of = case_of(wanted)
    assert grade(of, back).sentences == grade(of, made).sentences


@given(st.lists(some.tools, min_size=1, max_size=4), st.lists(some.tools, max_size=6))
@settings(max_examples=60, deadline=None)
def test_order_agrees_with_an_oracle(wanted: list[str], names: list[str]) -> None:
    """Three lines: leave out the others, drop repeats in a row unless the list has some, compare."""
    got = [name for name in names if name in wanted]
    if all(one != other for one, other in itertools.pairwise(wanted)):
        got = [name for at, name in enumerate(got) if at == 0 or got[at - 1] != name]
    assert (ordered(wanted, names) == wanted) == (got == wanted)
    assert grade(Case("a", said="x", order=wanted), transcript(*names)).passed == (got == wanted)


@given(some.transcripts)
@settings(max_examples=60, deadline=None)
def test_without_expectations_a_reply_is_still_demanded(made: Transcript) -> None:
    """A case without any passes only where something was said."""
    if grade(Case("a", said="x"), made).passed:
        assert made.reply.strip()


WORDS = ["bank", "rate", "held", "4.25", "yesterday"]
whole = st.builds(
    Transcript,
    said=st.just("x"),
    messages=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(
        lambda words: [Message(role="assistant", content=" ".join(words))]
    ),
    calls=st.lists(
        st.builds(
            Call,
            name=some.tools,
            arguments=some.arguments,
            outcome=st.sampled_from(["ran", "stubbed"]),
            iteration=st.just(1),
        ),
        max_size=5,
    ),
    requests=st.lists(
        st.builds(Request, usage=st.builds(Usage, input=st.integers(0, 9), output=st.integers(0, 9))),
        min_size=1,
        max_size=3,
    ),
    iterations=st.integers(0, 5),
    seconds=st.floats(0, 1000),
)
"""Turns in which nothing went wrong."""


@st.composite
def true_of(draw: st.DrawFn, made: Transcript) -> dict[str, Any]:
    """Expectations that a whole turn meets, each there or not."""
    names = list(dict.fromkeys(made.names))
    wanted: dict[str, Any] = {"calls": {}}
    for name in draw(st.lists(st.sampled_from(names), unique=True)) if names else ():
        given = [call.arguments or {} for call in made.calls if call.name == name]
        chosen = draw(st.lists(st.sampled_from(range(len(given))), min_size=1, unique=True))
        kept = [{key: value for key, value in given[at].items() if draw(st.booleans())} for at in chosen]
        wanted["calls"][name] = draw(st.permutations(kept))
    if draw(st.booleans()):
        wanted["never"] = [name for name in some.TOOLS if name not in names]
    if names and draw(st.booleans()):
        wanted["order"] = [name for name, _ in itertools.groupby(made.names)]
        assume(ordered(wanted["order"], made.names) == wanted["order"])
    words = made.reply.split()
    wanted["mentions"] = draw(st.lists(st.sampled_from(words), max_size=2))
    if draw(st.booleans()):
        wanted["budget"] = Budget(
            iterations=max(made.iterations, 1),
            tool_calls=len(made.calls),
            tokens=max(made.tokens or 0, 1),
            seconds=max(made.seconds or 0, 0.1),
        )
    return wanted


@given(whole, st.data())
@settings(max_examples=50, deadline=None)
def test_what_is_true_of_a_turn_passes(made: Transcript, data: st.DataObject) -> None:
    """However much of it is asked for, in whichever order the wishes stand."""
    assert grade(case_of(data.draw(true_of(made))), made).sentences == []


@given(
    whole,
    st.data(),
    st.sampled_from(
        ["calls", "arguments", "never", "order", "mentions", "silent", "iterations", "tool_calls", "tokens", "seconds"]
    ),
)
@settings(max_examples=100, deadline=None)
def test_one_thing_that_is_not_true_fails_alone(made: Transcript, data: st.DataObject, what: str) -> None:
    """Whatever else is asked for: one failure, of that kind."""
    wanted = data.draw(true_of(made))
    kind = _falsified(wanted, made, what)
    assert [failure.kind for failure in grade(case_of(wanted), made).failures] == [kind]


def _falsified(wanted: dict[str, Any], made: Transcript, what: str) -> str:
    """Ask for one thing more that is not true; the kind of failure that it is."""
    spent = {
        "iterations": made.iterations,
        "tool_calls": len(made.calls),
        "tokens": made.tokens or 0,
        "seconds": made.seconds or 0,
    }
    if what in spent:
        # A budget of nothing is no budget, but for tool calls.
        assume(spent[what] > (0 if what == "tool_calls" else 1))
        wanted["budget"] = Budget(**{what: spent[what] - 1})
        return f"budget.{what}"
    if what in ("calls", "arguments", "never", "order"):
        assume(made.names and (what != "order" or "order" not in wanted))
        name = made.names[-1]
    if what == "calls":
        missing = next((tool for tool in some.TOOLS if tool not in made.names), None)
        assume(missing is not None)
        wanted["calls"][missing] = None
        wanted["never"] = []
        return "call.missing"
    if what == "arguments":
        wanted["calls"][name] = [{"nowhere": 1}]
        return "call.arguments"
    if what == "never":
        wanted["calls"].pop(name, None)
        wanted.pop("order", None)
        wanted["never"] = [name]
        return "call.forbidden"
    if what == "order":
        wanted["order"] = [
            *(each for each, _ in itertools.groupby(made.names)),
            *(tool for tool in some.TOOLS if tool != name),
        ][:6]
        assume(ordered(wanted["order"], made.names) != wanted["order"])
        wanted["never"] = []
        return "order"
    if what == "mentions":
        wanted["mentions"] = [*wanted["mentions"], "nowhere"]
        return "mentions"
    wanted["mentions"], wanted["silent"] = [], True
    return "reply.unwanted"
