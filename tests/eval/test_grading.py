"""The judgement: each row of the table of expectations passes a right turn, and says of a wrong one exactly what is wrong."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest

from brute.eval import Budget, Call, Failure, Transcript
from brute.eval.grading import EXPECTATIONS, grade, ordered
from brute.eval.verdict import KINDS
from tests.eval.rows import ROWS as FIRST
from tests.eval.rows import Row
from tests.eval.rows_of_calls import MORE
from tests.support.make import call, case, message, request, transcript

ROWS = sorted([*FIRST, *MORE], key=lambda each: list(EXPECTATIONS).index(each.row))


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_right_turn_passes(row: Row) -> None:
    """The turn that does what the case wants has nothing said of it."""
    assert grade(row.case, row.right).sentences == []


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_wrong_turn_fails_with_exactly_this_sentence(row: Row) -> None:
    """One failure, of this kind, in these words, on one line."""
    (failure,) = grade(row.case, row.wrong).failures
    assert (failure.kind, failure.message) == (row.kind, row.sentence)
    assert failure.message.isprintable()


def test_no_row_of_the_table_is_without_an_example() -> None:
    """Every expectation is here, and in the order of the table."""
    assert list(dict.fromkeys(row.row for row in ROWS)) == list(EXPECTATIONS)


def test_every_kind_that_grading_gives_is_here() -> None:
    """What the runner gives, and not grading, is the rest."""
    runners = {kind for kind in KINDS if kind.startswith(("turn.", "error.")) or kind == "cancelled"}
    graded = {"error.blind", "error.tool", "error.judge", "error.check"}
    assert {row.kind for row in ROWS} == (set(KINDS) - runners) | graded


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_grading_changes_nothing(row: Row) -> None:
    """The same twice, and the transcript is what it was."""
    before = copy.deepcopy(row.wrong)
    first, second = grade(row.case, row.wrong), grade(row.case, row.wrong)
    assert first == second
    assert repr(row.wrong) == repr(before)  # NaN is not equal to itself


class TestWhatIsHidden:
    """A root cause comes first and hides its shadows; what no later step could mend is graded all the same."""

    error = Failure("error.model", "the model call failed: 529 overloaded")

    def test_an_error_hides_what_a_later_step_could_have_mended(self) -> None:
        """The turn was cut off, so that nobody knows what it would have said and called."""
        wanting = case(calls={"search": {}}, mentions=["x"], budget=Budget(tokens=5))
        verdict = grade(wanting, transcript(reply=None, error=self.error, requests=[request()]))
        assert (verdict.status, verdict.sentences) == ("error", [self.error.message])

    def test_an_order_that_is_right_so_far_is_no_failure_of_a_broken_turn(self) -> None:
        """And one that is wrong already is."""
        wanted = case(order=["read", "write"])
        assert grade(wanted, transcript("read", error=self.error)).status == "error"
        assert grade(wanted, transcript("write", error=self.error)).status == "failed"

    @pytest.mark.parametrize(
        ("wanting", "kind"),
        [({"never": ["search"]}, "call.forbidden"), ({"budget": Budget(iterations=1)}, "budget.iterations")],
        ids=["never", "budget"],
    )
    def test_what_no_later_step_could_mend_fails_a_broken_turn(self, wanting: dict[str, Any], kind: str) -> None:
        """The error stands first, the failure makes the status."""
        verdict = grade(case(**wanting), transcript("search", iterations=2, error=self.error))
        assert [failure.kind for failure in verdict.failures] == ["error.model", kind]
        assert verdict.status == "failed"

    def test_a_spent_budget_hides_the_reply_that_did_not_come(self) -> None:
        """The turn was stopped: that it said nothing is no news."""
        verdict = grade(
            case(mentions=["x"], budget=Budget(iterations=1)),
            transcript(reply=None, iterations=2, stopped="budget.iterations"),
        )
        assert verdict.sentences == ["spent 2 iterations, budget 1"]

    def test_a_verdict_lists_every_failure_in_the_order_of_the_table(self) -> None:
        """None hides another that is not its shadow."""
        wanting = case(
            calls={"search": {}},
            never=["rm"],
            order=["read"],
            mentions=["x", "y"],
            budget=Budget(iterations=1, tool_calls=0),
        )
        verdict = grade(wanting, transcript("rm", iterations=2, failures=["and this"]))
        kinds = [failure.kind for failure in verdict.failures]
        assert kinds == [
            "call.missing", "call.forbidden", "order", "mentions", "mentions", "budget.iterations", "budget.tool_calls", "check",
        ]  # fmt: skip


class TestPairing:
    """Several calls to a tool are found by the best pairing, whatever the order."""

    def test_a_loose_wish_does_not_take_the_only_call_of_a_strict_one(self) -> None:
        """Edge case 3: greedy pairing fails although a pairing exists."""
        wanted = case(calls={"f": [{"a": 1}, {"a": 1, "b": 2}]})
        assert grade(wanted, transcript(call("f", a=1, b=2), call("f", a=1))).passed

    def test_equal_calls_are_two(self) -> None:
        """Edge case 1: equal calls collapse in a set."""
        wanted = case(calls={"f": [{"a": 1}, {"a": 1}]})
        assert grade(wanted, transcript(call("f", a=1), call("f", a=1))).passed
        assert not grade(wanted, transcript(call("f", a=1))).passed

    def test_a_failed_call_is_a_call(self) -> None:
        """The tool was called, and how it ended is there to be asked."""
        assert grade(case(calls={"f": {}}), transcript(call("f", "failed"), tools=["f"])).passed


@pytest.mark.parametrize("empty", [Call(name="f", arguments={}), Call(name="f", arguments=None, malformed="{")])
def test_no_arguments_meet_any_arguments(empty: Call) -> None:
    """Edge case 4: nothing wanted of the arguments is met by none, and by malformed ones."""
    for wanted in (None, {}, [None], [{}]):
        assert grade(case(calls={"f": wanted}), transcript(empty)).passed


HOSTILE = [
    transcript(call("f", x="\ud800\x00\x1b" * 100)),
    transcript(call("\x1b[31mrm\ud800" * 1000)),
    transcript(call("f", x=float("nan"), y=float("inf"), z=10**6000)),
    transcript(Call(name="f", arguments=None, malformed="[" * 10_000)),
    transcript(reply="\ud800" * 1000),
    transcript(reply="::error file=x::\x1b]0;y\x07\n" * 100),
    transcript(failures=[type("Odd", (), {"__str__": lambda self: 1 / 0})()]),
    transcript(failures=["\x00\ud800"]),
    transcript(messages=[message("system", "x")]),
    transcript(published=[{1, 2}, b"\xff", object(), {"a": {3: 4}}], reply=""),
    transcript(stopped="budget.", reply=None),
    transcript(stopped="budget.everything", reply=None),
]


def _nested(depth: int) -> Any:
    made: Any = []
    for _ in range(depth):
        made = [made]
    return made


def _circle() -> Any:
    made: list[Any] = []
    made += [made, made]
    return made


HOSTILE += [
    transcript(call("f", x=_nested(10_000))),
    transcript(call("f", x=_circle())),
    transcript(published=[_circle()], reply=""),
]

DEMANDING = [
    case(
        calls={"f": {"x": {"a": [re.compile("q")]}, "y": range(10**12), "z": 1, "w": lambda x: x > 1}}, never=["g"], order=["f", "g2"],
        mentions=["4.25", re.compile("q")], budget=Budget(iterations=5, tool_calls=5, tokens=5, seconds=5),
    ),
    case(silent=True, calls={"f": [{"x": _nested(40)}, {"x": str}]}),
    case(absent=True),
]  # fmt: skip


@pytest.mark.parametrize("of", DEMANDING, ids=["all", "silent", "absent"])
@pytest.mark.parametrize("made", HOSTILE, ids=range(len(HOSTILE)))
def test_grading_raises_for_no_transcript(made: Transcript, of: Any) -> None:
    """Whatever a model sends, each sentence is on one line and inert, none is long, and it is no slip of ours."""
    verdict = grade(of, made)
    assert verdict.failures
    for failure in verdict.failures:
        assert failure.message.isprintable()
        assert len(failure.message) < 3000
        assert failure.kind in KINDS
        assert failure.kind != "error.harness" or "budget of" in failure.message


def test_a_row_that_breaks_is_an_error_and_not_a_pass() -> None:
    """A slip of the harness costs one attempt its verdict, and no other."""
    broken = transcript(Call(name=None))  # type: ignore[arg-type]
    broken.messages = [None]  # type: ignore[list-item]
    verdict = grade(case(mentions=["x"]), broken)
    assert verdict.status == "error"
    assert verdict.sentences == [
        "mentions could not be graded: AttributeError: 'NoneType' object has no attribute 'role'"
    ]


class Alarm(BaseException):
    """What rings while a pattern searches."""


def endless(_: object) -> bool:
    """A predicate that the alarm breaks into."""
    raise Alarm("blocked the event loop for more than 5 seconds")


SLOW = "could not be graded: the function <function endless> blocked the event loop for more than 5 seconds"


def test_a_search_that_is_stopped_is_the_cases_slip() -> None:
    """It says which row and what was at work; what was found before and needs no search stands beside it."""
    wanting = case(calls={"g": {}, "f": {"x": endless}}, never=["h"], mentions=["y"])
    verdict = grade(wanting, transcript(call("f", x=1), "h"))
    assert [(each.kind, each.message) for each in verdict.failures[1:]] == [
        ("error.check", f"calls {SLOW}"),
        ("call.forbidden", "called h, which this case forbids (call 2 of 2: {})"),
    ]
    assert verdict.failures[0].kind == "call.missing"
    assert grade(case(calls={"f": {"x": endless}}), transcript(call("f", x=1))).status == "error"
    assert grade(case(calls={"f": {"x": bool}}), transcript(call("f", x=True))).passed


def test_what_stops_grading_otherwise_is_nobodys_slip(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing of the case's was at work, and for an interruption, it is not caught."""

    def rings(*_: object) -> Any:
        raise Alarm

    monkeypatch.setitem(EXPECTATIONS, "calls", rings)
    with pytest.raises(Alarm):
        grade(case(calls={"f": {}}), transcript())
    monkeypatch.undo()

    def interrupted(_: object) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grade(case(calls={"f": {"x": interrupted}}), transcript(call("f", x=1)))


def test_ordered_counts_repeats_in_a_row_once_unless_the_list_has_some() -> None:
    """The same rule for what is wanted and what is got."""
    assert ordered(["a", "b"], ["a", "a", "c", "a", "b"]) == ["a", "b"]
    assert ordered(["a", "a"], ["a", "b", "a"]) == ["a", "a"]
    assert ordered(["a", "b", "a"], ["a", "b", "b", "a"]) == ["a", "b", "a"]


def test_names_of_arguments_that_are_no_texts_break_nothing() -> None:
    """A framework, or a scripted model, may hand them on; they are a fact of the call."""
    odd: Any = {1: 2}
    seen = transcript(Call(name="search", arguments=odd))
    verdict = grade(case(calls={"search": {"query": "x"}}), seen)
    assert verdict.sentences == ['called search without query; arguments were {"1": 2}']
