"""The cassettes of a suite: which attempts are recorded or replayed, where their files are, and what is written when one has ended."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..attempt import Job
from ..faulty import ReplayError
from ..masking import masked
from ..spending import lost_seconds
from ..transcript import Transcript
from ..verdict import Failure, Verdict
from . import cassette, filing, wording
from .cassette import Cassette
from .sides import BOTH, Sides
from .tape import Tape


@dataclasses.dataclass(frozen=True, slots=True)
class Deck:
    """The cassettes of one suite, in one folder; `record` and `replay` are the sides that are, of which one is empty."""

    folder: Path
    record: Sides = frozenset()
    replay: Sides = frozenset()

    def place(self, job: Job) -> Path:
        """The file of an attempt's cassette."""
        return filing.place(self.folder, job.case.name, job.number)

    def shown(self, job: Job) -> str:
        """The same, as it looks from the working folder."""
        return _shown(self.place(job))

    def open(self) -> None:
        """Refuse a folder that can't be written to, before anything is spent."""
        if self.record:
            filing.refuse_unwritable(self.folder)

    def tape(self, job: Job) -> Tape:
        """The tape of an attempt; raises `ReplayError` where what is to be replayed can't be."""
        if self.record:
            return Tape(Cassette(job.case.name, job.number, self.record, datetime.date.today()))
        return Tape(recorded=self.recorded(job), frozen=self.replay)

    def recorded(self, job: Job) -> Cassette:
        """The cassette of an attempt that is to be replayed; raises `ReplayError` where it can't be."""
        found = cassette.read(self.place(job), self.shown(job))
        if (found.case, found.attempt) != (masked(job.case.name), job.number):
            raise ReplayError(wording.another_case(self.shown(job), str(found.case)))
        if not self.replay <= found.sides:
            raise ReplayError(wording.no_side(self.shown(job), found.sides, self.replay))
        return found

    def ended(self, job: Job, tape: Tape, verdict: Verdict, transcript: Transcript) -> Verdict:
        """Note on the transcript what came of it, having written what is to be kept; the verdict, with what went wrong in that."""
        if tape.made is None:
            return verdict
        why = tape.refused or _unkept(verdict, transcript)
        if why is not None:
            transcript.notes.append(wording.not_recorded(why))
            return verdict
        tape.made.seconds = transcript.seconds
        tape.made.held = min(lost_seconds(transcript), transcript.seconds or 0.0)
        try:
            tape.made.write(self.place(job))
        except (OSError, ValueError) as error:
            told = wording.unwritten(self.shown(job), getattr(error, "strerror", None) or str(error))
            return Verdict((*verdict.failures, Failure("error.replay", told)))
        transcript.notes.append(wording.written(self.shown(job)))
        return verdict

    def digest(self, job: Job) -> bytes:
        """What an attempt depends on here beside all else: what it is replayed from."""
        if not self.replay:
            return b""
        try:
            return hashlib.blake2b(self.place(job).read_bytes(), digest_size=16).digest()
        except OSError:
            return b"none"

    def told(self) -> dict[str, Any]:
        """The deck as plain data, for another process."""
        return {"folder": str(self.folder), "record": sorted(self.record), "replay": sorted(self.replay)}

    @classmethod
    def heard(cls, told: Mapping[str, Any]) -> Deck:
        """The deck that `told` gave this for."""
        return cls(Path(told["folder"]), frozenset(told["record"]), frozenset(told["replay"]))


def replayed(tape: Tape, transcript: Transcript) -> None:
    """Note on a transcript that it was replayed, and what the turn took: what it did when it was recorded, or more where a side was live."""
    recorded = tape.recorded
    if recorded is None:
        return
    transcript.replayed = sorted(tape.frozen)
    transcript.notes.append(wording.replayed(tape.frozen, recorded.day.isoformat(), tape.opened))
    if transcript.seconds is None or recorded.seconds is None:
        return
    least, most = recorded.seconds - recorded.held, recorded.seconds
    stopped = transcript.stopped == "budget.seconds" or transcript.error is not None
    if tape.frozen != BOTH or stopped:
        least = max(least, transcript.seconds - lost_seconds(transcript))
        most = max(most, transcript.seconds)
    # While it is replayed the turn waits for nothing, so what others take of that time is none of its own.
    transcript.seconds, transcript.unclear = most, min(transcript.unclear, most - least)
    transcript.held = most - least - transcript.unclear


def _unkept(verdict: Verdict, transcript: Transcript) -> str | None:
    """Why an attempt is no use as a recording; None where it is."""
    # A judge is asked only afterwards.
    errors = [each.kind for each in verdict.errors if each.kind != "error.judge"]
    if errors:
        return f"the attempt could not be graded ({errors[0]})"
    slow = transcript.stopped == "budget.seconds" or any(each.kind == "turn.deadline" for each in verdict.failures)
    return "the attempt was stopped by the clock, which no recording holds" if slow else None


def _shown(path: Path) -> str:
    try:
        near = os.path.relpath(path)
    except (ValueError, OSError):  # another drive, or no working folder any more
        return str(path)
    return str(path) if near.startswith(os.pardir) else near
