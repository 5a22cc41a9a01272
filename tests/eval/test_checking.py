"""A case's own check says what it likes in the ways that it may, and can't talk a verdict round."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from brute.eval import Attempt, Budget, Case, Failure, Transcript, leaving
from brute.eval.claims import claimed, turn_of
from brute.eval.foreign import Turn
from brute.hooks import Watch
from tests.support.agents import Live, asks, attempt, attempts, build, makes


def checked(check: Callable[[Transcript], Any], reply: str = "done", **more: Any) -> Attempt:
    """One attempt by an agent that gives the reply, with the check."""
    options = {name: more.pop(name) for name in ("deadline",) if name in more}
    return attempt(makes(reply), Case("a", said="x", check=check, **more), **options)


where: contextvars.ContextVar[str] = contextvars.ContextVar("where", default="nowhere")


def _documented(transcript: Transcript) -> None:
    if "right" not in transcript.reply:
        transcript.failures.append("gave the wrong answer")


def test_the_documented_check_block_is_not_graded_upside_down() -> None:
    """Seen in the original: a check that appends a failure unless all is well passed the wrong turn and failed the right one."""
    assert checked(_documented, "right").status == "passed"
    made = checked(_documented, "wrong")
    assert (made.status, made.verdict.sentences) == ("failed", ["gave the wrong answer"])


def test_checks_and_wishes_may_use_a_tool_that_another_attempt_has() -> None:
    """They are the case's own code: neither are they refused it, nor does the other turn end."""
    thing, turn, live = object(), Turn(Watch()), Live()

    def unused(value: Any) -> bool:
        return turn_of(thing, "search") is None

    case = Case("a", said="x", calls={"search": {"query": unused}}, check=unused)
    with claimed(turn, [thing]):
        made = attempt(makes(asks(("search", {"query": "y"})), "done", tools=[live.tool]), case)
    assert (made.status, made.verdict.failures, turn.stop) == ("passed", (), None)


def test_a_wish_sees_the_context_of_the_run_and_changes_it_for_no_other() -> None:
    """Not for the check, nor for the attempts behind it, whose verdicts would hang on the order in which they are made."""
    seen: list[str] = []

    def wish(value: Any) -> bool:
        seen.append(where.get())
        where.set("a wish")
        return True

    def check(transcript: Transcript) -> None:
        seen.append(where.get())

    token = where.set("the run")
    case = Case("a", said="x", calls={"search": {"query": wish}}, check=check)
    made = attempts(lambda: build([asks(("search", {"query": "y"})), "done"], [Live().tool]), [case, case])
    where.reset(token)
    assert [each.status for each in made] == ["passed"] * 2
    assert seen == ["the run"] * 4


@pytest.mark.parametrize("answer", [None, True], ids=repr)
def test_none_and_true_add_nothing(answer: Any) -> None:
    """The check is content."""
    assert checked(lambda transcript: answer).status == "passed"


def test_false_says_no_and_names_the_place() -> None:
    """A check without words is named by its case and its line."""
    (sentence,) = checked(lambda transcript: False).verdict.sentences
    assert sentence.startswith('the check "a" returned False (test_checking.py:')


@pytest.mark.parametrize(
    ("answer", "sentences"),
    [("too rude", ["too rude"]), (["one", "two"], ["one", "two"]), ([], []), (Failure("check", "own"), ["own"])],
    ids=["sentence", "list", "empty list", "failure"],
)
def test_words_are_failures(answer: Any, sentences: list[str]) -> None:
    """A sentence, or a list of them."""
    assert checked(lambda transcript: answer).verdict.sentences == sentences


@pytest.mark.parametrize("answer", [0, 1, "", "  ", {}, ["a", None], 3.5, object], ids=repr)
def test_an_odd_answer_is_an_error_and_never_a_pass(answer: Any) -> None:
    """It says neither yes nor no."""
    made = checked(lambda transcript: answer)
    assert (made.status, made.verdict.failures[0].kind) == ("error", "error.check")


def test_an_assertion_is_a_failure_that_names_its_place_and_its_words() -> None:
    """So that it is understood by who does not know the check."""

    def worded(transcript: Transcript) -> None:
        raise AssertionError("never patched\nthe test")

    def wordless(transcript: Transcript) -> None:
        raise AssertionError

    class Unreadable:
        def __str__(self) -> str:
            raise RuntimeError

    def unreadable(transcript: Transcript) -> None:
        raise AssertionError(Unreadable())

    for check, words in (
        (worded, ": never patched the test"),
        (wordless, ": raise AssertionError"),
        (unreadable, ": (its text can't be read)"),
    ):
        made = checked(check)
        assert (made.status, made.verdict.failures[0].kind) == ("failed", "check")
        place = f"test_checking.py:{check.__code__.co_firstlineno + 1}"
        assert made.verdict.sentences == [f'the check "a" failed its assertion (tests/eval/{place}){words}'], words


def test_an_assertion_without_words_shows_what_stands_there() -> None:
    """A reader of the report does not have the file at hand."""

    def check(transcript: Transcript) -> None:
        assert transcript.counts.get("read", 0) == 5

    def deep(transcript: Transcript) -> None:
        check(transcript)

    for each in (check, deep):
        (sentence,) = checked(each).verdict.sentences
        # pytest, which rewrites the assertions of its tests, has words for each.
        assert "): assert 0 == 5" in sentence
    scope: dict[str, Any] = {}
    exec(compile("def unknown(transcript):\n    assert transcript.counts == 5\n", "nowhere.py", "exec"), scope)
    assert checked(scope["unknown"]).verdict.sentences == ['the check "a" failed its assertion (nowhere.py:2)']


def test_what_a_check_does_to_the_transcript_is_in_no_report() -> None:
    """That is of the turn."""

    def check(transcript: Transcript) -> str:
        transcript.messages.append(3)  # type: ignore[arg-type]
        transcript.calls = None  # type: ignore[assignment]
        transcript.iterations, transcript.seconds = -5, float("nan")
        transcript.notes.append("forged")
        return "broken"

    made = checked(check)
    assert made.verdict.sentences == ["broken"]
    seen = made.transcript
    assert (seen.calls, seen.iterations, seen.notes, seen.messages[-1].content) == ([], 1, [], "done")
    assert (seen.seconds or -1) > 0


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_what_pytest_offers_for_failing_is_a_failure_and_for_skipping_an_error(is_async: bool) -> None:
    """Its outcomes are no `Exception`s."""

    def expects(transcript: Transcript) -> None:
        with pytest.raises(KeyError):
            len(transcript.calls)

    for function, status, words in (
        (lambda transcript: pytest.fail("wrote no file"), "failed", ": wrote no file"),
        (expects, "failed", ": DID NOT RAISE KeyError"),
        (lambda transcript: pytest.skip("not today"), "error", "called pytest.skip ("),
        (lambda transcript: pytest.xfail("not yet"), "error", "called pytest.xfail ("),
    ):

        async def later(transcript: Transcript, function: Any = function) -> Any:
            return function(transcript)

        made = checked(later if is_async else function)
        assert (made.status, words in made.verdict.sentences[0]) == (status, True), made.verdict.sentences
        assert "test_checking.py:" in made.verdict.sentences[0]


@pytest.mark.parametrize(
    "error",
    [KeyError("x"), SystemExit(0), KeyboardInterrupt(), StopIteration(), GeneratorExit(), BaseException("odd")],
    ids=repr,
)
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_any_other_exception_is_an_error_and_costs_no_other_case(error: BaseException, is_async: bool) -> None:
    """The check crashed, so that nobody knows what it would have said."""

    def sync(transcript: Transcript) -> None:
        raise error

    async def later(transcript: Transcript) -> None:
        raise error

    cases = [Case("a", said="x", check=later if is_async else sync), Case("b", said="y")]
    made, after = attempts(makes("done"), cases)
    assert (made.status, made.verdict.failures[0].kind, after.status) == ("error", "error.check", "passed")


@pytest.mark.parametrize("kind", ["sync", "async", "swallowing"])
def test_a_check_that_hangs_is_an_error(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the deadline too, and no more."""
    monkeypatch.setattr(leaving, "GRACE", 0.05)
    event = threading.Event()

    async def waits(transcript: Transcript) -> None:
        await anyio.sleep_forever()

    async def swallows(transcript: Transcript) -> None:
        while True:
            try:
                await anyio.sleep_forever()
            except BaseException:
                pass

    made = checked(
        {"sync": lambda transcript: event.wait(), "async": waits, "swallowing": swallows}[kind], deadline=0.05
    )
    event.set()
    assert (made.status, made.verdict.sentences) == ("error", ['the check "a" did not end within 0.05 seconds'])
    assert made.left_behind is (kind != "async")


def test_a_check_that_edits_the_transcript_changes_no_other_row() -> None:
    """The rest has been graded before the check was asked."""

    def forge(transcript: Transcript) -> None:
        transcript.calls.clear()
        transcript.messages.clear()
        transcript.iterations = 0
        transcript.error = None

    live = Live()
    case = Case("a", said="x", never=["search"], mentions=["word"], budget=Budget(iterations=5), check=forge)
    made = attempt(makes(asks("search"), "done", tools=[live.tool]), case)
    assert [failure.kind for failure in made.verdict.failures] == ["call.forbidden", "mentions"]


def test_a_check_that_puts_something_else_in_the_place_of_the_failures_is_an_error() -> None:
    """None of its words can be told then."""

    def spoil(transcript: Transcript) -> None:
        transcript.failures = None  # type: ignore[assignment]

    made = checked(spoil)
    assert (made.status, made.verdict.failures[0].kind) == ("error", "error.check")


def test_the_checks_words_stand_last_and_in_the_transcript() -> None:
    """After every row of the table."""
    made = checked(lambda transcript: "mine", mentions=["word"])
    assert [failure.kind for failure in made.verdict.failures] == ["mentions", "check"]
    assert [str(failure) for failure in made.transcript.failures] == ["mine"]


def test_no_check_is_asked_about_a_turn_that_did_not_end_by_itself() -> None:
    """Neither after an exception nor after a spent budget."""
    asked: list[Transcript] = []
    attempt(makes(KeyError("id")), Case("a", said="x", check=asked.append))
    attempt(
        makes(asks("search"), tools=[Live().tool]), Case("a", said="x", budget=Budget(tool_calls=0), check=asked.append)
    )
    assert asked == []
