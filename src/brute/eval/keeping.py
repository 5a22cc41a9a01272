"""What the run of one suite keeps in a log, and what it finds done there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .attempt import Attempt, Job
from .caps import Spent
from .keying import Keys
from .logpart import Part
from .report import Report
from .resuming import Done, Resumption, done, named
from .runlog import Recording, RunLog

if TYPE_CHECKING:
    from .suite import Suite


def _settings(suite: Suite) -> tuple[Any, ...]:
    """What of the suite's own settings an attempt depends on; one that is not set leaves the old keys as they are."""
    settings: tuple[Any, ...] = (suite.unstubbed,)
    if suite.faults is not None:
        settings += (suite.faults.told(),)
    for word, asked in (("record", suite.record), ("replay", suite.replay)):
        if asked:
            settings += ((word, *sorted(asked)),)
    return settings


class Log:
    """The log of a command that runs several suites as one run; `earlier` is the run that it goes on with, `say` takes what to tell of that."""

    def __init__(
        self,
        recording: Recording,
        earlier: Resumption | None = None,
        say: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self.recording = recording
        self.earlier = earlier
        self.say = say

    def part(self, suite: Suite, plan: Sequence[Job]) -> tuple[Part, Done]:
        """Where the suite's attempts go, and what of its plan is done."""
        keys = Keys(plan, suite.builder, suite.world, _settings(suite), suite.deck(), (suite.judge, suite.votes))
        if self.earlier is not None:
            _ = self.earlier.noted  # before the part is written anew
        found = Done({}) if self.earlier is None else done(self.earlier, suite.name, plan, keys)
        for note in found.notes:
            self.say(f"{suite.name}: {note}" if suite.name else note)
        return self.recording.part(suite.name, plan, keys, stale=found.stale), found


class Keeping:
    """One run of a suite, as far as the log is concerned: nothing is done where there is none.

    `done` holds the attempts that need not be made, by their places in the plan; `writes` says that there is a log.
    """

    def __init__(self, suite: Suite, plan: Sequence[Job]) -> None:
        self.done: dict[int, Attempt] = {}
        self._part: Part | None = None
        self._own: Recording | None = None
        self._log: Log | None = None
        self._suite = suite
        self.writes = suite.log is not None
        if suite.log is None:
            return
        log = suite.log
        if not isinstance(log, Log):
            self._own = RunLog(log).begin()
            log = Log(self._own)
        self._log = log
        self._part, found = log.part(suite, plan)
        self.done = found.attempts

    async def wrote(self, index: int, attempt: Attempt) -> Attempt:
        """The attempt as it is to be kept, once it is on the disk."""
        return attempt if self._part is None else await self._part.wrote(index, attempt)

    def spent(self, exactly: bool) -> Spent:
        """What this suite had spent before the run was gone on with; `exactly`, since there is a cap on it."""
        earlier = self._log.earlier if self._log is not None else None
        return Spent() if earlier is None else earlier.spent(exactly).get(named(self._suite.name), Spent())

    @property
    def notes(self) -> tuple[str, ...]:
        """What the report is to say about the log."""
        return () if self._part is None else self._part.recording.notes

    def end(self, report: Report, spent: Spent, refused: bool = False) -> None:
        """Note how the run ended; one that was refused never was. The run of several suites is ended by whoever began it."""
        if self._part is not None and not refused:
            self._part.note(spent)
        if self._own is None:
            return
        if refused and not self.done:
            self._own.forget()
        else:
            self._own.end(report)
