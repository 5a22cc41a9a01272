"""What holds of every verdict, whatever the case and the transcript."""

from __future__ import annotations

import copy
import itertools
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from brute import UsageError
from brute.eval import Budget, Call, Case, Transcript
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
