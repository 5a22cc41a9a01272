"""Faults that a suite puts into its tools: seeded, recorded, and the same again."""

from __future__ import annotations

import json
from typing import Any

import pytest

import brute
from brute import UsageError
from brute.eval import Case, Faults, Suite, Transcript, when
from brute.eval.faults import HUGE, KINDS
from brute.eval.keying import Keys
from brute.hooks import UNSET
from tests.support.agents import Live, asks, attempt, makes, report


def struck(kind: str, stub: Any = None, **options: Any) -> Any:
    """The first call of an attempt in which all calls are struck so."""
    live = Live("search")
    stubs = {} if stub is None else {"search": stub}
    made = attempt(
        makes(asks(("search", {"query": "gold"})), "done", tools=[live.tool]),
        Case("a", said="x", stubs=stubs),
        faults=Faults(kind, share=1),
        **options,
    )
    assert live.ran == []
    assert made.transcript.calls[0].fault == kind
    assert made.transcript.notes == [f"fault: {kind} in call 1 (search), by seed 0"]
    return made.transcript.calls[0]


@pytest.mark.parametrize(
    ("kind", "stub", "result"),
    [
        ("timeout", "held", "TimeoutError: no answer within 30 seconds"),
        ("timeout", None, "TimeoutError: no answer within 30 seconds"),
        ("connection", {"a": 1}, "ConnectionError: connection reset by peer"),
        ("empty", "held", ""),
        ("empty", {"a": 1}, {}),
        ("empty", when().returns([1]), []),
        ("empty", None, ""),
        ("truncated", {"rate": 4.25, "on": "Thursday"}, '{"rate": 4.25, "'),
        ("truncated", "held", '{"result":'[:9]),
        ("truncated", None, '{"status": "ok"'[:15]),
        ("type", "held", 0),
        ("type", 4, "4 (?)"),
        ("type", None, 0),
    ],
    ids=lambda each: repr(each)[:30],
)  # fmt: skip
def test_what_comes_instead_of_the_answer(kind: str, stub: Any, result: Any) -> None:
    """Of a stub, what becomes of its answer; without one, the tool does not run."""
    call = struck(kind, stub)
    assert (call.error or call.result) == result
    if kind == "truncated":
        with pytest.raises(ValueError):
            json.loads(call.result)


def test_a_huge_output_is_made_of_the_answer() -> None:
    """A million characters of it."""
    assert struck("huge", "held").result.startswith("held\nheld\n")
    assert HUGE <= len(struck("huge", "held").result) < HUGE + 10
    assert len(struck("huge").result) >= HUGE


def test_the_same_seed_strikes_the_same_calls_again() -> None:
    """And another seed others; every kind comes, about as often as the share says."""
    calls = [
        (f"case {case}", attempt, "f", iteration, 0)
        for case in range(20)
        for attempt in (1, 2)
        for iteration in range(50)
    ]
    first = [Faults(share=0.25, seed=7).strikes(*call) for call in calls]
    assert first == [Faults(share=0.25, seed=7).strikes(*call) for call in calls]
    assert first != [Faults(share=0.25, seed=8).strikes(*call) for call in calls]
    assert set(first) == {*KINDS, None}
    assert 400 < sum(each is not None for each in first) < 600
    assert {Faults("empty", share=1, tools=["g", "h*"]).strikes("a", 1, name, 0, 0) for name in ("f", "g", "hi")} == {
        None,
        "empty",
    }


def test_a_run_can_be_made_again_exactly() -> None:
    """In each executor, attempt by attempt."""

    def faults(executor: str) -> list[list[str | None]]:
        replies = [asks("search", "search"), asks("search"), "done"]
        made = report(
            makes(*replies, tools=[Live("search").tool]),
            [Case(name, said="x", runs=3) for name in "ab"],
            faults=Faults(share=0.5, seed=3),
            executor=executor,
            log=None,
        )
        return [
            [call.fault for call in each.transcript.calls]
            for each in sorted(made.attempts, key=lambda each: (each.case.name, each.number))
        ]

    first = faults("local")
    assert first == faults("serial") == faults("local")
    assert len({tuple(each) for each in first}) > 2


def test_faults_leave_denied_and_unfit_calls_alone() -> None:
    """What never reaches a tool can't fail there; a failure that a stub wants stays its own."""

    @brute.tool
    def search(query: str) -> str:
        """Search."""
        return "live"

    asked = makes(asks(("search", {"page": 1}), ("nowhere", {})), "done", tools=[search])
    made = attempt(asked, Case("a", said="x", stubs={"search": "held"}), faults=Faults("timeout", share=1))
    assert [call.fault for call in made.transcript.calls] == [None, None]
    made = attempt(asked, Case("a", said="x"), faults=Faults("timeout", share=1))
    assert [call.fault for call in made.transcript.calls] == [None, None]
    denied = makes(
        asks("search"), "done", tools=[Live("search").tool], on={"before_tool": lambda event: event.deny("no")}
    )
    assert attempt(denied, faults=Faults(share=1)).transcript.calls[0].fault is None


def test_they_are_told_to_another_process_and_kept_in_the_transcript() -> None:
    """Both ways."""
    faults = Faults("timeout", "empty", share=0.5, seed=3, tools=["a*"])
    assert Faults.heard(json.loads(json.dumps(faults.told()))) == faults
    assert repr(faults) == "Faults('timeout', 'empty', share=0.5, seed=3, tools=['a*'])"
    assert eval(repr(faults)) == faults
    made = attempt(makes(asks("search"), "done", tools=[Live("search").tool]), faults=Faults("empty", share=1))
    assert Transcript.from_json(made.transcript.to_json()).calls[0].fault == "empty"


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Faults("timeuot"), 'Faults: kinds are timeout, connection, empty, truncated, type, huge; got "timeuot" (did you mean "timeout"?)'),
        (lambda: Faults(share=0), "Faults: share must be a number over 0 and up to 1, got 0"),
        (lambda: Faults(seed="a"), 'Faults: seed must be a whole number, got "a"'),  # type: ignore[arg-type]
        (lambda: Faults(tools="a"), 'Faults: tools must be a list of tool names, got "a"'),
        (lambda: Suite(lambda: None, [Case("a", said="x")], faults="timeout"), 'Suite: faults must be Faults, such as Faults("timeout"), got "timeout"'),  # type: ignore[arg-type]
    ],
    ids=["kind", "share", "seed", "tools", "suite"],
)  # fmt: skip
def test_what_could_not_be_meant_is_refused(make: Any, sentence: str) -> None:
    """In one sentence."""
    with pytest.raises(UsageError) as error:
        make()
    assert str(error.value) == sentence


def test_the_fault_of_a_model_without_a_tool_is_none() -> None:
    """What is told of an answer that there is not."""
    assert all(KINDS[kind](UNSET) is not UNSET for kind in KINDS)
    assert Keys([], None).source == ""
