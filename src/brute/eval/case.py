"""One situation plus what must be true afterwards."""

from __future__ import annotations

import dataclasses
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..messages import Message
from . import casecheck, steps
from .arguments import note, refuse_unknown, shown, signature_of
from .budget import Budget
from .callwishes import Wanted
from .matching import Wish
from .steps import Parallel
from .wishes import AnyOrder, Optional

if TYPE_CHECKING:
    from .transcript import Transcript

Asked = Mapping[str, Any] | Wish | Wanted | None
Step = str | Optional | AnyOrder | Parallel
Word = str | re.Pattern[str]
Check = Callable[["Transcript"], Any]


UNLIMITED = Budget()
"""That of a case which is given none."""


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """One situation plus what must be true afterwards.

    Inputs: `said` is the prompt handed to the agent; `stubs` maps a tool's name to what is served instead of the tool
    running (a value, a function of the arguments, an exception to raise, or `in_turn(...)`); `files` (path -> text or bytes)
    and `conversation` (earlier messages) are laid out before the turn; `runs` is the number of attempts, of which every one
    must pass.

    Expectations: `calls`, `never`, `order`, `mentions`, `silent`, `absent` (read by `absence`, a pattern, where given), `budget`,
    `judge`, a rubric or several that a model of the user's choice is asked about, and the `check`, a function of the transcript. `docs/expectations.md` has their rules. A case without any still demands a reply.

    Raises `UsageError` for whatever could not be meant, naming the argument, the value and what is allowed.

    >>> case = Case("greets", said="hello", mentions=["hello"])
    >>> case.name, case.runs
    ('greets', 1)
    """

    name: str
    _: dataclasses.KW_ONLY
    said: str | None = None
    stubs: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    files: Mapping[str, str | bytes] = dataclasses.field(default_factory=dict)
    conversation: Sequence[Message] = ()
    runs: int = 1
    calls: Mapping[str, Asked | Sequence[Asked]] = dataclasses.field(default_factory=dict)
    never: Sequence[str] = ()
    order: Sequence[Step] | None = None
    mentions: Sequence[Word | tuple[Word, ...]] = ()
    silent: bool = False
    absent: bool = False
    absence: str | re.Pattern[str] | None = None
    judge: str | Sequence[str] = ()
    budget: Budget = UNLIMITED
    check: Check | None = None

    if not TYPE_CHECKING:

        def __new__(cls, *args: Any, **given: Any) -> Case:
            """Refuse arguments that there are not, before the dataclass would with a sentence of its own."""
            refuse_unknown(
                f"case {shown(args[0])}" if args else "Case", given, (f.name for f in dataclasses.fields(cls))
            )
            if not args and "name" not in given:
                raise UsageError('a case needs a name: Case("what it does well", said=...)')
            if "said" not in given:
                raise UsageError(
                    f"case {shown([*args, given.get('name')][0])} needs said=, the prompt handed to the agent"
                )
            if len(args) > 1:
                raise UsageError(f"case {shown(args[0])} takes all but its name by name, got {shown(args[1])}")
            return object.__new__(cls)

        def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
            """What a copy is made with."""
            return (self.name,), {"said": self.said}

    def __post_init__(self) -> None:
        for field, value in casecheck.checked(self).items():
            object.__setattr__(self, field, value)
        note(self, sys._getframe(2))

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        """What a copy is made with, since `__new__` wants to see a name and what was said."""
        return (self.name,), {"said": self.said}

    def __call__(self, check: Check) -> Case:
        """The same case with `check`, so that `@Case(...)` stands over `def f(transcript)`."""
        if self.check is not None:
            raise UsageError(f"case {shown(self.name)} has a check already")
        made = dataclasses.replace(self, check=check)
        note(made, sys._getframe(1), getattr(check, "__name__", type(check).__name__))
        return made

    def __str__(self) -> str:
        return self.name

    @staticmethod
    def load(path: str | os.PathLike[str]) -> list[Case]:
        """The cases of a file: `.yaml`, `.json` or `.jsonl` (docs/casefiles.md), looked for beside the calling file, then in the working folder.

        Raises `UsageError` for what can't be meant, with the line and the column.
        """
        from .casefiles.reading import load

        return load(path, sys._getframe(1).f_globals.get("__file__"))

    @staticmethod
    def dump(cases: Iterable[Case], path: str | os.PathLike[str]) -> None:
        """Write the cases to a file, which `load` reads back as the same; `UsageError` names what no file can hold, such as a check."""
        from .casefiles.writing import dump

        dump(cases, path)

    def wanted(self, tool: str) -> tuple[Any, ...]:
        """The calls to `tool` that this case wants: one wish for each, an empty dict for any arguments."""
        wanted = self.calls[tool]
        if isinstance(wanted, (list, tuple)):
            return tuple({} if one is None else one for one in wanted)
        return ({} if wanted is None else wanted,)

    def asked(self, rows: Iterable[str]) -> list[str]:
        """Those rows of the table of expectations that are to be graded: a reply is demanded by all, and a check may be there."""
        return [row for row in rows if row in _OF_ALL or getattr(self, row) not in _NOT_ASKED]

    @property
    def tools(self) -> list[str]:
        """The tools that `stubs`, `calls` and `order` name, each once."""
        return list(dict.fromkeys([*self.stubs, *self.calls, *steps.names(self.order or ())]))


_OF_ALL = ("mentions", "check", "budget")
_NOT_ASKED: tuple[Any, ...] = (None, False, {}, ())

if not TYPE_CHECKING:
    Case.__new__.__signature__ = signature_of(Case, "said")
