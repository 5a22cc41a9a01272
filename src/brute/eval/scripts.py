"""How a script ends that runs a suite and catches nothing: with a sentence and the status that the command line would have.

Python itself would end with a traceback through our code, and with status 1, which says that a case failed.
"""

from __future__ import annotations

import sys
import types

from ..errors import UsageError
from .reporters.inert import inert

_STATUS: dict[type[BaseException], int] = {UsageError: 2, KeyboardInterrupt: 130}

_MARK = "__brute_expected__"


def expected(error: BaseException) -> None:
    """Let this exception end the script with its sentence, where nobody catches it. Whoever has a hook of his own keeps it."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _ended
    setattr(error, _MARK, True)


def _ended(kind: type[BaseException], error: BaseException, traceback: types.TracebackType | None) -> None:
    if not hasattr(error, _MARK):
        sys.__excepthook__(kind, error, traceback)
        return
    sys.stdout.flush()
    if isinstance(error, UsageError):
        print(f"Error: {inert(str(error))}", file=sys.stderr)  # noqa: T201
    # Python heeds it here, and ends with this status.
    raise SystemExit(next(status for known, status in _STATUS.items() if isinstance(error, known)))
