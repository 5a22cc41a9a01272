"""Every sentence there is, in one file that a reviewer reads top to bottom; and what all of them have in common."""

from __future__ import annotations

import inspect
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dirty_equals import IsStr

from brute import ModelError
from brute.eval import (
    callwording,
    checkwording,
    countwording,
    judgewording,
    remarks,
    rulewording,
    stopwording,
    unreached,
    wording,
)
from brute.eval.grading import EXPECTATIONS, grade
from brute.eval.judgement import Judgement, Vote
from brute.eval.rules import when
from tests.eval.rows import ROWS as FIRST
from tests.eval.rows_of_calls import MORE
from tests.support.golden import same_as_golden
from tests.support.make import call, case, transcript

ROWS = sorted([*FIRST, *MORE], key=lambda each: list(EXPECTATIONS).index(each.row))

LONG = RuntimeError("\x1b[31mboom\n" + "x" * 1000)

OTHERS: list[tuple[Callable[..., str], Any]] = [
    (wording.given_otherwise, (["said", "stubs", "the world"],)),
    (wording.masked_since, ()),
    (stopwording.ended_the_nursery, ("tool shell",)),
    (wording.unclear_seconds, (0.75, 1.6, 1)),
    (wording.unclear_seconds, (1.5, 1.7, 1, True)),
    (stopwording.held_up, (600, 12.34, None)),
    (stopwording.held_up, (8, None, "429 slow down; waited 0.5 s")),
    (stopwording.held_up, (8, 7.04, "429 slow down; waited 0.5 s")),
    (stopwording.deadline, (600, "tool shell")),
    (stopwording.deadline, (0.5, "the model call")),
    (stopwording.deadline, (1, "the agent's own code")),
    (stopwording.process_ended, (3, "tool shell")),
    (stopwording.process_ended, (0, "the model call")),
    (stopwording.process_ended, (-11, "tool shell")),
    (stopwording.process_ended, (-9, "the agent's own code")),
    (stopwording.process_ended, (-250, "tool shell")),
    (stopwording.process_ended, (None, "tool shell")),
    (stopwording.process_ended_in, ("the agent could not be built", 3)),
    (stopwording.process_ended_in, ('the check "patches the test" broke', -6)),
    (stopwording.out_of_memory, (2048, "tool shell")),
    (stopwording.flooded, (64,)),
    (stopwording.left_running, (["sleep 1000"],)),
    (stopwording.left_running, (["sleep 1000", "python -m \x1b[31mserver"],)),
    (wording.raised, (KeyError("id"),)),
    (wording.raised, (ValueError(),)),
    (wording.raised, (LONG,)),
    (wording.model_failed, (ModelError("529 overloaded", status=529),)),
    (wording.model_failed, (ConnectionError("reset by peer"),)),
    (stopwording.blocked, (RuntimeError("blocked the event loop for 5 seconds"),)),
    (wording.agent_unfit, (ValueError("MaxIterations takes a whole number of at least 1, got 0"),)),
    (stopwording.broke, ("the world broke in prepare", KeyError("id"))),
    (stopwording.too_slow, ("the world broke in prepare", 10)),
    (stopwording.odd_world, (7,)),
    (stopwording.odd_world, (object(),)),
    (stopwording.same_world, ()),
    (stopwording.odd_input, ({"said": "hello"},)),
    (stopwording.odd_published, (None,)),
    (stopwording.spoilt_world, ()),
    (checkwording.check_refuted, ("patches the test", "cases.py:41", AssertionError())),
    (checkwording.check_refuted, ("patches the test", "cases.py:41", AssertionError("no\nfile was written"))),
    (checkwording.check_refuted, ("patches the test", "cases.py:41", AssertionError(), "assert patched")),
    (checkwording.check_skipped, ("patches the test", "cases.py:41", "Skipped")),
    (checkwording.check_skipped, ("patches the test", "cases.py:41", "XFailed")),
    (checkwording.check_slow, ("patches the test", 600)),
    (checkwording.check_spoilt, ("patches the test", None)),
    (checkwording.check_said_no, ("patches the test", "cases.py:41")),
    (checkwording.check_crashed, ("patches the test", KeyError("id"))),
    (checkwording.check_answered, ("patches the test", 7)),
    (wording.left_behind, (["tool shell", "tool shell", "the model call"],)),
    (wording.unstubbed, ("shell",)),
    (wording.unknown_stub, ("serch", ["search", "fetch"])),
    (wording.unknown_stub, ("zzz", [])),
    (unreached.unheard_stub, ("serch", ["search", "fetch"])),
    (unreached.unheard_stub, ("zzz", [])),
    (unreached.ran_beside, ("search",)),
    (unreached.out_of_context, ("search",)),
    (unreached.shared_executor, ()),
    (unreached.out_of_reach, ("web_search", True)),
    (unreached.out_of_reach, ("web_search", False)),
    (unreached.unanswered, ("search",)),
    (unreached.not_frozen, ("web_search",)),
    (unreached.asked_elsewhere, ()),
    (unreached.not_started, ("CLINotFoundError: Claude Code not found at: /claude",)),
    (unreached.not_followed, ("KeyError: 'id'",)),
    (wording.unserved_stub, ("search",)),
    (wording.unhooked, ("search",)),
    (wording.not_graded, ("order", KeyError("id"))),
    (
        wording.too_slow_a_search,
        ("mentions", re.compile("(a+)+$"), RuntimeError("blocked the event loop for 5 seconds")),
    ),
    (wording.too_slow_a_search, ("calls", len, RuntimeError("blocked the event loop for 5 seconds"))),
    (judgewording.summed, (Judgement(rubric="is kind", votes=[Vote(met=True, reason="it\nsays sorry")]),)),
    (judgewording.summed, (Judgement(rubric="is kind", votes=[Vote(met=False, reason="it does not")], of=3),)),
    (judgewording.failed, (ModelError("529 overloaded", status=529),)),
    (judgewording.failed, (LONG,)),
    (judgewording.too_slow, (600,)),
    (judgewording.no_judge, ("says \x1b[31msorry",)),
    (judgewording.reused, (1,)),
    (rulewording.no_rule, ("search", {"query": "gold"}, [when(query=re.compile("bank")).returns(1)], [])),
    (rulewording.no_rule, ("search", None, [when(a=1).returns(1), when(b=2).returns(2)], [])),
    (rulewording.no_rule, ("search", {"a": 1, "b": 3}, [when(c=1).returns(1), when(a=1, b=2).returns(2)], [])),
    (rulewording.no_rule, ("search", {"a": 1}, [when().returns(1)], [(when().returns(1).times(1), 1)])),
    (rulewording.broke, ("search", when(limit=len).returns(1), TypeError("no len"))),
    (rulewording.fault, ("timeout", "search", 3, 7)),
    (remarks.not_finished, (remarks.INTERRUPTED,)),
    (remarks.took_the_run, ("agent.py:12 in leave", "os._exit", 0)),
    (remarks.took_the_run, ("agent.py:12 in leave", "os.execv", 0)),
    (remarks.took_the_run, ("agent.py:12 in leave", "os._exit", 0, "--brute-isolate")),
    (remarks.cap_of_cost, (1, 1.0)),
    (remarks.cap_of_cost, (0.5, 0.5004)),
    (remarks.cap_of_tokens, (1_000_000, 1_000_345)),
    (remarks.cap_of_seconds, (3600,)),
    (remarks.cap_blind, ("cost", 1, 1200)),
    (remarks.tried, ("the model call failed: 529 overloaded; waited 2 s",)),
    (remarks.given_up, ("the model call failed: 529 overloaded; asked to wait 90 s, longer than 60 s",)),
    (remarks.made_again, (1, 1)),
    (remarks.made_again, (3, 5)),
    (remarks.narrowed, ("openai", 1, 8)),
    (remarks.narrowed, ("http://localhost:11434/v1", 12, 1)),
    (remarks.replayed, (1, 1)),
    (remarks.replayed, (12, 0)),
    (remarks.not_recorded_in_a_lost_process, ()),
    (remarks.lagged, (1, 0.1234, "agent.py:12 in crunch", ['tool crunch of "a"'])),
    (remarks.lagged, (1200, 12.3, "", [])),
    (remarks.not_counted, (1.4999,)),
    (remarks.blocking, (1.04, "agent.py:12 in crunch", ['tool crunch of "a"', 'tool crunch of "b"'])),
    (remarks.blocking, (61.2, "", [])),
    (remarks.in_tool, ("tools search, fetch", "asks\n twice")),
    (remarks.kept_in_part, ("the result of tool search", 10_000_000)),
    (remarks.stands_still, (612.4,)),
    (unreached.too_early, ("search", True)),
    (unreached.too_early, ("search", False)),
    (unreached.never_entered, ("search",)),
    (unreached.blind_to_calls, (True,)),
    (unreached.blind_to_calls, (False,)),
]

PIECES = {"no_tool", "not_there", "told", "exception", "votes"}
"""What sentences are made of, and is none itself."""


def sentences() -> dict[str, Callable[..., str]]:
    """The functions that give a sentence."""
    return {
        name: function
        for module in (
            callwording,
            checkwording,
            countwording,
            judgewording,
            rulewording,
            stopwording,
            wording,
            unreached,
            remarks,
        )
        for name, function in vars(module).items()
        if inspect.isfunction(function)
        and function.__module__ == module.__name__
        and name[0] != "_"
        and name not in PIECES
    }


def test_all_sentences_together(request: pytest.FixtureRequest) -> None:
    """A changed sentence is a changed line of this file."""
    parts = []
    for row in dict.fromkeys(row.row for row in ROWS):
        parts.append(f"\n# {row}\n\n")
        parts += [f"{each.about} ({each.kind})\n    {each.sentence}\n" for each in ROWS if each.row == row]
    parts.append("\n# what the runner says\n\n")
    parts += [f"{function.__name__}\n    {function(*given)}\n" for function, given in OTHERS]
    same_as_golden("".join(parts).lstrip(), Path(__file__).parent / "golden" / "sentences.txt")


def test_no_sentence_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each function of the module gives a line of that file."""
    said = {function.__name__ for function, _ in OTHERS}

    def noted(name: str, function: Callable[..., str]) -> Callable[..., str]:
        def note(*args: Any, **named: Any) -> str:
            said.add(name)
            return function(*args, **named)

        return note

    known = sentences()
    for name, function in known.items():
        monkeypatch.setattr(inspect.getmodule(function), name, noted(name, function))
    for row in ROWS:
        grade(row.case, row.wrong)
    stubs = {name for name in known if name.startswith("stub_")}  # tests/eval/test_stubs.py has them word for word
    assert said == set(known) - stubs


@pytest.mark.parametrize(("function", "given"), OTHERS, ids=lambda each: getattr(each, "__name__", ""))
def test_a_sentence_is_one_inert_line_without_a_full_stop(function: Callable[..., str], given: Any) -> None:
    """Past tense, lower case, no full stop, nothing that a terminal or a log would obey."""
    sentence = function(*given)
    assert sentence.isprintable()
    assert not sentence.endswith(".")
    assert sentence[0].islower() or sentence[0] == '"'


@pytest.mark.parametrize(
    ("thing", "shown"),
    [
        ("x" * 121, '"' + "x" * 120 + '"... 1 more character'),
        ({"a": "x" * 10}, '{"a": "xxxxxxxxxx"}'),
        ({"a": "x" * 1000}, '{"a": "' + "x" * 113 + "... 889 more characters"),
        ([1] * 41, "[" + "1, " * 39 + "1,... 3 more characters"),
        ([None, True, 1.5, "é"], '[null, true, 1.5, "é"]'),
        ({1: {2, 3}}, '{"1": [2, 3]}'),
        (b"\xff", '"\\\\xff"'),
        (float("nan"), '"nan"'),
        ((), "[]"),
        (object(), '"<object object>"'),
        ([[[]]], "[[[]]]"),
    ],
    ids=lambda each: str(each)[:12],
)
def test_a_value_is_shown_as_json_and_clipped_with_the_amount_left_out(thing: Any, shown: str) -> None:
    """At 120 characters."""
    assert wording.value(thing) == shown


def test_a_value_of_any_size_is_shown_at_once() -> None:
    """Ten megabytes cost no more than what is shown of them, and the amount left out is no untruth."""
    sizes = ["x" * 10_000_000, ["x" * 10_000_000] * 3, [1] * 3_000_000, {str(n): n for n in range(300_000)}]
    began = time.process_time()
    shown = [wording.value(each) for each in sizes]
    assert time.process_time() - began < 0.5
    assert [each.rpartition("... ")[2] for each in shown] == [
        "9,999,880 more characters", "29,999,892 more characters", "more than 2,878 more characters", "more than 5,656 more characters",
    ]  # fmt: skip


def test_a_number_is_never_rounded_to_agreement() -> None:
    """As many digits as it takes, and none in powers of ten."""
    assert wording.overspent(180.04, 180, "seconds") == "spent 180.04 seconds, budget 180"
    assert wording.overspent(1234568, 1234567, "tokens") == "spent 1,234,568 tokens, budget 1,234,567"
    assert wording.overspent(0.3, 0.25, "seconds") == "spent 0.3 seconds, budget 0.25"
    assert wording.overspent(1, 0, "tool calls") == "spent 1 tool call, budget 0"


def test_matchers_are_shown_in_their_own_words() -> None:
    """Whatever they were last equal to, and without an address."""
    seen = IsStr(min_length=3)
    assert seen == "abcd"
    assert (
        wording.wishes({"a": seen, "b": IsStr, "c": {"d": [len]}})
        == 'a IsStr(min_length=3) and b of type IsStr and c {"d": [satisfying len]}'
    )
    assert re.fullmatch(r"a satisfying <lambda> \(line \d+\)", wording.wishes({"a": lambda x: x}))
    assert wording.wishes({"a": object()}) == "a <object object>"


def test_an_exception_whose_text_raises_is_shown_by_its_type() -> None:
    """A sentence on an error is no error."""

    class Odd(Exception):
        def __str__(self) -> str:
            raise RuntimeError("never mind")

    assert wording.raised(Odd()) == "the turn raised Odd: (its text can't be read)"


def test_of_many_calls_the_first_are_shown() -> None:
    """And the number of the rest."""
    made = [call("f", n=number) for number in range(1000)]
    (failure,) = grade(case(calls={"f": {"n": -1}}), transcript(*made)).failures
    assert failure.message == "called f 1,000 times, never with n -1; n was 0, 1, 2, 3, 4 and 995 more"
