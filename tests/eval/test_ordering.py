"""The order of steps: what a cut-off turn says of it, what comes at once, and who called."""

from __future__ import annotations

from brute.eval import Call, Failure, any_order, optional, parallel
from brute.eval.grading import grade
from brute.eval.ordering import Walk
from brute.eval.steps import groups, is_plain, names
from tests.support.make import call, case, transcript

ERROR = Failure("error.model", "the model call failed: 529 overloaded")


def test_a_cut_off_turn_fails_only_where_no_later_step_could_mend_it() -> None:
    """An order that may still come is none that is wrong."""
    wanted = case(order=[any_order(["a", "b"]), optional("c"), "d"])
    for made, status in ((["b"], "error"), (["a", "b", "c"], "error"), (["c"], "failed"), (["a", "d"], "failed")):
        assert grade(wanted, transcript(*made, error=ERROR)).status == status


def test_what_comes_at_once_is_one_batch_of_one_agent() -> None:
    """An inner agent's batch is another, though it has the same number."""
    wanted = case(order=[parallel("a", "b")])
    assert grade(wanted, transcript(Call(name="b", iteration=3), Call(name="a", iteration=3))).passed
    assert not grade(wanted, transcript(Call(name="a"), Call(name="b", agent="inner agent"))).passed
    assert not grade(wanted, transcript(Call(name="a"), Call(name="b"), Call(name="a", iteration=2))).passed
    assert grade(wanted, transcript("a", "a", "b")).passed


def test_each_step_needs_a_call_that_got_there() -> None:
    """A denied one can break the order, and does not complete it."""
    wanted = case(order=["a", optional("b")])
    assert grade(wanted, transcript("a", call("b", "denied"))).passed
    assert not grade(wanted, transcript(call("a", "denied"), "b")).passed


def test_a_list_that_repeats_a_tool_in_a_row_counts_every_call() -> None:
    """As for plain names; steps that are grouped are none in a row."""
    assert grade(case(order=["a*", "a*"]), transcript("a1", "a2")).passed
    assert not grade(case(order=["a*", "a*"]), transcript("a1", "a2", "a1")).passed
    assert grade(case(order=["a*", "b"]), transcript("a1", "a2", "a1", "b")).passed


def test_steps_are_told_by_their_names() -> None:
    """In order, and as groups; a plain list has none but names."""
    order = ["a", optional("b"), parallel("c", optional("d")), any_order(["e", "f"])]
    assert list(names(order)) == ["a", "b", "c", "d", "e", "f"]
    assert [(group.names, group.loose, group.at_once) for group in groups(order)][2] == (
        ("c", "d"),
        (False, True),
        True,
    )
    assert is_plain(["a", "b"])
    assert not is_plain(["a*"])
    assert not is_plain([optional("a")])


def test_a_walk_with_all_steps_left_out_has_ended_at_once() -> None:
    """And is still alive."""
    walk = Walk(groups([optional("a")]))
    assert (walk.alive, walk.ended) == (True, True)
    assert not walk.through([Call(name="a")] * 3 + [Call(name="b")]).alive
