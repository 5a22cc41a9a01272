"""How a file of the user's is loaded: one that ends the process, or does not come to an end, is refused."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NoReturn

from ...errors import UsageError
from ...loading import frame_of, frames_of, shown_path, split_target
from ..ending import ended
from ..signals import Blocked, within
from .refusal import Refusal

LOADED = 60.0
"""Seconds that a file may take to be loaded."""

LEAST = 10.0
"""Seconds that it may take also where attempts have fewer: imports are slow the first time, and are made only once."""


def allowed(deadline: float | None) -> float:
    """The seconds that a file may take, where attempts have a `deadline` by the command line."""
    return LOADED if deadline is None else max(deadline, LEAST)


def refuse_at_once(sentence: str) -> NoReturn:
    """End the process with the sentence."""
    refusal = Refusal([sentence])
    refusal.show()
    ended(refusal.exit_code)


def loaded(
    load: Callable[[str], Any],
    path: str,
    seconds: float = LOADED,
    unstoppable: Callable[[str], NoReturn] = refuse_at_once,
) -> Any:
    """What `load(path)` answers; `UsageError` for a file that ends the process, whose exit status would be taken for ours, or that hangs.

    One that hangs and catches whatever is raised in it comes to `unstoppable`, with the sentence.
    """

    def hangs(frame: Any) -> NoReturn:
        unstoppable(_hangs(path, seconds, frame_of(frame)))

    try:
        with within(seconds, hangs):
            return load(path)
    except SystemExit as exit:
        raise UsageError(
            f"{path} ended the process (exit status {getattr(exit, 'asked', exit.code)}) while it was loaded; "
            'put what is to run only as a script under if __name__ == "__main__":'
        ) from None
    except Blocked as blocked:
        frames = frames_of(blocked, below=os.path.dirname(os.path.abspath(path)))
        raise UsageError(_hangs(path, seconds, frames[-1] if frames else "")) from None


def _hangs(path: str, seconds: float, at: str) -> str:
    file, _ = split_target(path)
    return f"{shown_path(file)} was not loaded after {seconds:g} seconds{f'; it hung at {at}' if at else ''}"
