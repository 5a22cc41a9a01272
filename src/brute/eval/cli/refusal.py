"""Bad input, as the command line tells of it: a sentence each, no traceback of ours, and an exit status of its own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import IO, Any

import click

from ...errors import UsageError
from ...loading import LoadError, frames_of
from ..masking import masked
from ..report import EMPTY, UNGRADED, USAGE
from ..reporters.inert import inert, phrase


class Refusal(click.ClickException):
    """What can't be done, in one sentence for each reason."""

    exit_code = USAGE

    def __init__(self, sentences: Sequence[str]) -> None:
        super().__init__("\n".join(sentences))
        self.sentences = tuple(sentences)

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the sentences to standard error."""
        for sentence in self.sentences:
            click.echo(f"Error: {masked(sentence)}", file=file, err=file is None)


class NothingSelected(Refusal):
    """A choice of cases that no case meets: not the same as a run in which all passed."""

    exit_code = EMPTY


class Undone(Refusal):
    """What was asked for rightly and could not be done: the network was down, the disk full, the log damaged."""

    exit_code = UNGRADED


def working_folder() -> str:
    """The working folder; an empty text where it has been removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def sentence(error: UsageError) -> str:
    """A refusal as a sentence on one line, with a path at its beginning as it looks from the working folder."""
    return phrase(str(error).removeprefix(working_folder() + os.sep), 1000)


def load_sentence(error: UsageError, path: str) -> str:
    """Why a file could not be loaded: the sentence, and the place in the user's own code that led to it."""
    frames = (
        error.frames if isinstance(error, LoadError) else frames_of(error, below=os.path.dirname(os.path.abspath(path)))
    )
    if isinstance(error, LoadError):
        # The sentence names the last frame already.
        frames = frames[:-1]
        return "\n".join([sentence(error), *(f"  | {inert(frame)}" for frame in frames)])
    place = inert(frames[-1].rpartition(" in ")[0]) + ": " if frames else ""
    return place + sentence(error)
