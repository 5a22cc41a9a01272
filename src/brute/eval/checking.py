"""How a case's own check is run: its words become failures, and its crash an error."""

from __future__ import annotations

import dataclasses
import linecache
import os
import traceback
from typing import Any

from ..leaves import call_leaf
from ..loading import frames_of, is_users
from . import checkwording, grading, leaving, wording
from .case import Case
from .limits import Limit
from .transcript import Transcript
from .verdict import Failure
from .whose import outside


async def checked(case: Case, transcript: Transcript, deadline: float) -> list[Failure]:
    """What the check says, within `deadline` seconds; it stands in `transcript.failures` too.

    It may append there itself, return False, a sentence or a list of sentences, or raise `AssertionError` (or call `pytest.fail`);
    None and True add nothing. A crash is an error. What else it does to the transcript changes no verdict, for the other rows have been
    graded before, and no report: what stood in its fields stands there again.
    """
    seen = {name: _copied(getattr(transcript, name)) for name in _FIELDS}
    try:
        said = await leaving.limited(_asked(case, transcript), Limit(deadline), lambda: "the check")
    except (leaving.Overtime, leaving.LeftBehind):
        said = [Failure("error.check", checkwording.check_slow(case.name, deadline))]
    except leaving.Exited as exited:
        said = [_raised(case, exited.error)]
    own = transcript.failures
    if not isinstance(own, list):
        own = [Failure("error.check", checkwording.check_spoilt(case.name, own))]
    # What a check made of the rest is in no report: that is of the turn.
    for name, value in seen.items():
        setattr(transcript, name, value)
    transcript.failures = [*own, *said]
    found = list(grading.check(case, transcript))
    transcript.failures = [*found]
    return found


_FIELDS = tuple(field.name for field in dataclasses.fields(Transcript) if field.name != "failures")


def _copied(value: Any) -> Any:
    return value.copy() if type(value) in (list, dict) else value


async def _asked(case: Case, transcript: Transcript) -> list[Failure | str]:
    assert case.check is not None
    try:
        with outside():
            answer = await call_leaf(case.check, transcript)
    except Exception as error:
        return [_raised(case, error)]
    return _read(case, answer)


def _raised(case: Case, error: BaseException) -> Failure | str:
    """What an exception of the check's says: an assertion that failed is its verdict, and a crash is none."""
    outcome = _pytests(error)
    if isinstance(error, AssertionError) or outcome == "Failed":
        return checkwording.check_refuted(case.name, _where(case.check, error), error, _source(error))
    if outcome is not None:
        return Failure("error.check", checkwording.check_skipped(case.name, _where(case.check, error), outcome))
    return crashed(case, error)


def _source(error: BaseException) -> str:
    """The line of the check that raised, as it stands in its file."""
    frames = [each for each in traceback.walk_tb(error.__traceback__) if is_users(each[0].f_code.co_filename)]
    return linecache.getline(frames[-1][0].f_code.co_filename, frames[-1][1]).strip() if frames else ""


def _pytests(error: BaseException) -> str | None:
    """The name of the outcome that a function of pytest's (`fail`, `skip`, `raises`) raised, if one did; pytest need not be there."""
    kinds = type(error).__mro__
    if not any(kind.__module__ == "_pytest.outcomes" and kind.__name__ == "OutcomeException" for kind in kinds):
        return None
    return next((kind.__name__ for kind in kinds if kind.__name__ in ("XFailed", "Failed", "Skipped")), None)


def crashed(case: Case, error: BaseException) -> Failure:
    """The error that a check's own exception is."""
    return Failure("error.check", checkwording.check_crashed(case.name, error), detail="\n".join(frames_of(error)))


def _read(case: Case, answer: Any) -> list[Failure | str]:
    if answer is None or answer is True:
        return []
    if answer is False:
        return [
            Failure("check", checkwording.check_said_no(case.name, _where(case.check)), expected=True, actual=False)
        ]
    if isinstance(answer, (str, Failure)) and str(answer).strip():
        return [answer]
    if isinstance(answer, (list, tuple)) and all(
        isinstance(each, (str, Failure)) and str(each).strip() for each in answer
    ):
        return list(answer)
    return [Failure("error.check", checkwording.check_answered(case.name, answer), actual=wording.value(answer))]


def _where(check: Any, error: BaseException | None = None) -> str:
    """The file and line of the check, or of the assertion in it."""
    frames = frames_of(error, last=1) if error is not None else []
    if frames:
        return frames[0].rpartition(" in ")[0]
    code = getattr(check, "__code__", None) or getattr(getattr(type(check), "__call__", None), "__code__", None)  # noqa: B004
    return f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}" if code else type(check).__name__
