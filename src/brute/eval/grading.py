"""The judgement: what is wrong with an attempt, from its case and its transcript alone.

One function a row of the table of expectations, in the table's order, listed in `EXPECTATIONS`. They are pure: same
case and transcript, same verdict. A row that could not be seen is an error and never a pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from . import checkwording, judgewording, wording
from .calling import calls, never
from .case import Case
from .ordering import order
from .ordering import ordered as ordered
from .searching import SEARCHING, at_work
from .spending import budget
from .spending import known_tokens as known_tokens
from .spending import overrun as overrun
from .transcript import Transcript
from .verdict import Failure, Verdict
from .words import is_blank, says

_PASSED = Verdict()

Row = Callable[[Case, Transcript], Iterator[Failure]]


def grade(case: Case, transcript: Transcript) -> Verdict:
    """The verdict on one attempt.

    A turn that did not end by itself is graded for what no later step could mend; the root cause comes first and hides
    its shadows. The check has been run before: its sentences are in `transcript.failures`. It raises for no transcript.
    """
    # A spent budget stops the turn too, but is a row of the table, and stands in its place there.
    root, stopped = [] if transcript.error is None else [transcript.error], False
    found: list[Failure] = []
    # What a turn that was cut short might still have mended is not graded.
    rows = UNMENDABLE if root or overrun(transcript) else EXPECTATIONS
    for name in case.asked(rows):
        # Where one of the case's patterns was stopped, no other is tried; what needs none is graded still.
        if not (stopped and name in SEARCHING):
            stopped = not _graded(name, case, transcript, found) or stopped
    if root:
        # What could not be seen of a turn that went wrong is a shadow of what went wrong.
        found = [*root, *(failure for failure in found if failure.kind != "error.blind")]
    return Verdict(tuple(found)) if found else _PASSED


def _graded(name: str, case: Case, transcript: Transcript, found: list[Failure]) -> bool:
    """Add what the row finds to `found`; False where the alarm had to stop what it searches with."""
    try:
        found.extend(EXPECTATIONS[name](case, transcript))  # what it finds before it breaks is kept
    except Exception as error:
        # Never a pass, and never the end of the run: the other cases have verdicts of their own.
        found.append(Failure("error.harness", wording.not_graded(name, error)))
    except BaseException as error:
        slow = None if isinstance(error, (KeyboardInterrupt, SystemExit)) else at_work(error)
        if slow is None:
            raise
        found.append(Failure("error.check", wording.too_slow_a_search(name, slow, error)))
        return False
    return True


def mentions(case: Case, transcript: Transcript) -> Iterator[Failure]:
    """Every word is in the reply; a turn that is to answer, and gave no reply, said nothing."""
    reply = transcript.reply
    if "messages" in transcript.blind:
        if not case.silent and not case.absent:
            yield Failure("error.blind", wording.blind("what the reply was"))
    elif is_blank(reply):
        # Where the reply is to say that there is nothing, that row says so.
        if not case.silent and not case.absent:
            sentence = wording.said_nothing(_ending(transcript), transcript.iterations, transcript.stopped)
            yield Failure("reply.missing", sentence, expected="a reply", actual=reply)
    else:
        for word in case.mentions:
            if not says(reply, word):
                yield Failure("mentions", wording.not_said(word, reply), expected=word, actual=reply)


def _ending(transcript: Transcript) -> str:
    if not transcript.messages:
        return "without a message"
    if transcript.stale:
        return "with nothing added to its conversation"
    last = transcript.messages[-1]
    if last.role == "assistant":
        return (
            "on a request for " + wording.listed([call.name for call in last.tool_calls])
            if last.tool_calls
            else "on a blank reply"
        )
    return {"tool": "on a tool result", "user": "on what the user said", "system": "on the system prompt"}[last.role]


def silent(case: Case, transcript: Transcript) -> Iterator[Failure]:
    """The turn answered nothing: a blank reply, nothing published, and not because it was cut off."""
    if not case.silent:
        return
    if "messages" in transcript.blind:
        yield Failure("error.blind", wording.blind("whether the turn stayed silent"))
    elif not is_blank(transcript.reply):
        yield Failure(
            "reply.unwanted", wording.not_silent(transcript.reply), expected="no reply", actual=transcript.reply
        )
    elif transcript.stopped:
        sentence = wording.cut_silent(transcript.stopped, transcript.iterations)
        yield Failure("reply.missing", sentence, expected="silence by choice", actual=transcript.stopped)
    if transcript.published:
        sentence = wording.published(transcript.published)
        yield Failure("reply.unwanted", sentence, expected="nothing published", actual=transcript.published)


def absent(case: Case, transcript: Transcript) -> Iterator[Failure]:
    """The reply says that there is nothing."""
    if not case.absent:
        return
    if "messages" in transcript.blind:
        yield Failure("error.blind", wording.blind("whether the reply said that there is nothing"))
    elif not _says_nothing_found(case, transcript.reply):
        yield Failure(
            "absent", wording.not_absent(transcript.reply), expected="a word of absence", actual=transcript.reply
        )


def _says_nothing_found(case: Case, reply: str) -> bool:
    # Few cases ask, and its patterns take longer to be made than all else that a run imports.
    from .absence import says_nothing_found

    return says_nothing_found(reply, case.absence)  # type: ignore[arg-type]


def judge(case: Case, transcript: Transcript) -> Iterator[Failure]:
    """Every rubric is met, as the judge said when the turn was over; one of which nothing was said is no pass."""
    if case.judge and "messages" in transcript.blind:
        yield Failure("error.blind", wording.blind("what the reply was"))
        return
    for rubric in case.judge:
        found = next((each for each in transcript.judgements if each.is_of(rubric)), None)
        if found is None:
            yield Failure("error.judge", judgewording.unjudged(rubric), expected=rubric)
        elif found.met is None:
            yield Failure(
                "error.judge", judgewording.undecided(found), expected=rubric, detail=judgewording.votes(found)
            )
        elif not found.met:
            yield Failure(
                "judge",
                judgewording.not_met(found),
                expected=rubric,
                actual=found.told(False),
                detail=judgewording.votes(found) if len(found.votes) > 1 else "",
            )


def check(case: Case, transcript: Transcript) -> Iterator[Failure]:
    """What the case's own check said."""
    for said in transcript.failures:
        if isinstance(said, Failure):
            yield said
        else:
            sentence = checkwording.check_said(said)
            whole = str(said) if isinstance(said, str) and said.strip() != sentence else ""
            yield Failure("check", sentence, detail=whole)


EXPECTATIONS: dict[str, Row] = {
    "calls": calls,
    "never": never,
    "order": order,
    "mentions": mentions,
    "silent": silent,
    "absent": absent,
    "budget": budget,
    "judge": judge,
    "check": check,
}
"""One function a row of the table of expectations, in the table's order."""

UNMENDABLE = ("calls", "never", "order", "budget", "check")
"""The rows in which no later step of the turn could have mended what went wrong."""
