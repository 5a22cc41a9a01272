"""The sentences about what a judge said, and about why it said nothing that counts."""

from __future__ import annotations

from ..errors import ModelError
from .judgement import Judgement
from .showing import one_line, plural, quote, seconds
from .wording import exception, told

REASON = 400
"""How many characters of a reason a sentence shows."""


def not_met(judgement: Judgement) -> str:
    """The judge found that the turn does not meet a rubric."""
    votes = f"{judgement.count(False):,} of {plural(len(judgement.votes), 'vote')}"
    return f"did not meet {quote(judgement.rubric)} ({votes}): {one_line(judgement.told(False), REASON)}"


def undecided(judgement: Judgement) -> str:
    """Neither side has more than half of the votes, for one reason or another."""
    why = judgement.error
    if why is not None:
        why = one_line(why, REASON) or "the judge could not be asked"
    elif judgement.count(None) == len(judgement.votes):
        why = f"the judge's answer can't be read: {quote(judgement.told(None))}"
    return f"could not judge {quote(judgement.rubric)}: {why or _tied(judgement)}"


def _tied(judgement: Judgement) -> str:
    odd = judgement.count(None)
    counts = (
        f"{judgement.count(True):,} of {plural(judgement.of, 'vote')} for it, {judgement.count(False):,} against it"
    )
    return counts + (f", {odd:,} that can't be read" if odd else "")


def unjudged(rubric: str) -> str:
    """A rubric of which nothing is known: no judge was asked, or the stored transcript has no judgement of it."""
    return f"could not judge {quote(rubric)}: the transcript has no judgement of it, and only a run asks a judge"


def votes(judgement: Judgement) -> str:
    """Every vote in full, a line each."""
    return "\n".join(f"{_SIDES[vote.met]}: {one_line(vote.reason, 2000)}" for vote in judgement.votes)


_SIDES = {True: "met", False: "not met", None: "can't be read"}


def summed(judgement: Judgement) -> str:
    """A judgement in passing: what it came to, by how many votes, and why."""
    met, count = judgement.met, len(judgement.votes)
    if met is None:
        return undecided(judgement)
    by = f"{judgement.count(met):,} of {plural(count, 'vote')}"
    return f"judged {quote(judgement.rubric)} {_SIDES[met]} ({by}): {one_line(judgement.told(met), REASON)}"


# --- why the judge could not be asked to the end


def failed(error: BaseException) -> str:
    """Asking the judge raised something."""
    if isinstance(error, ModelError):
        return f"the judge's model call failed: {told(error)}"
    return f"the judge raised {exception(error)}"


def too_slow(deadline: float) -> str:
    """The judge did not answer in time."""
    return f"the judge did not answer within {seconds(deadline)}"


CUT = "a cap of the whole run was reached while the judge was asked"
"""Why a judgement was not ended in a run that was to be."""


# --- what a run says


def no_judge(name: str) -> str:
    """A case asks for a judge in a run that has none."""
    return (
        f"case {quote(name)} asks for a judge, and the run has none; "
        'name one: --judge provider:model, or Suite(judge="provider:model")'
    )


def reused(attempts: int) -> str:
    """A run that is graded again takes the judgements that were made while it ran."""
    return f"judgements of {plural(attempts, 'attempt')} are those of the run: no judge was asked again"
