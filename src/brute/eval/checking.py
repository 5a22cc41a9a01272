"""How a case's own check is run: its words become failures, and its crash an error."""

from __future__ import annotations

import os
from typing import Any

from ..leaves import call_leaf
from ..loading import frames_of
from . import wording
from .case import Case
from .transcript import Transcript
from .verdict import Failure


async def run_check(case: Case, transcript: Transcript) -> None:
    """Run the check, and append what it said to `transcript.failures`; a crash is appended as an error.

    It may append there itself, return False, a sentence or a list of sentences, or raise `AssertionError`; None and True
    add nothing.
    """
    assert case.check is not None
    try:
        answer = await call_leaf(case.check, transcript)
    except AssertionError as error:
        told = str(error).strip() or f"the check {wording.quote(case.name)} failed its assertion ({_where(case.check, error)})"
        transcript.failures.append(Failure("check", told))
    except Exception as error:
        transcript.failures.append(crashed(case, error))
    else:
        transcript.failures += _read(case, answer)


def crashed(case: Case, error: BaseException) -> Failure:
    """The error that a check's own exception is."""
    return Failure("error.check", wording.check_crashed(case.name, error), detail="\n".join(frames_of(error)))


def _read(case: Case, answer: Any) -> list[Failure | str]:
    if answer is None or answer is True:
        return []
    if answer is False:
        return [Failure("check", wording.check_said_no(case.name, _where(case.check)), expected=True, actual=False)]
    if isinstance(answer, (str, Failure)) and str(answer).strip():
        return [answer]
    if isinstance(answer, (list, tuple)) and all(isinstance(each, (str, Failure)) and str(each).strip() for each in answer):
        return list(answer)
    return [Failure("error.check", wording.check_answered(case.name, answer), actual=wording.value(answer))]


def _where(check: Any, error: BaseException | None = None) -> str:
    """The file and line of the check, or of the assertion in it."""
    frames = frames_of(error, last=1) if error is not None else []
    if frames:
        return frames[0].rpartition(" in ")[0]
    code = getattr(check, "__code__", None) or getattr(getattr(type(check), "__call__", None), "__code__", None)  # noqa: B004
    return f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}" if code else type(check).__name__
