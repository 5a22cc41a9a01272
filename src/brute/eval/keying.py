"""The content keys of attempts: what has to be the same for a stored attempt to stand for a new one."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..loading import split_target
from . import sources
from .attempt import Job
from .building import Builder
from .case import Case
from .fingerprint import Prints, Unkeyable
from .showing import one_line

if TYPE_CHECKING:
    from .cassettes.deck import Deck

INPUTS = ("said", "stubs", "files", "conversation")
"""What of a case decides what the turn is, and not how it is graded."""

GRADING = 3
"""The number of the grading: it grows with every change that may flip a verdict, so that what was graded before runs again."""


class Keys:
    """The keys of a plan's attempts under an agent and a world, each made when it is first asked for.

    None stands for what can't be keyed, and counts as changed; `unkeyed` has a sentence for each such thing that was asked for.
    `settings` are the suite's own that a verdict may depend on, `deck` what it is replayed from, `judge` who judges, and its votes. With no
    builder there are no keys at all.
    """

    def __init__(
        self,
        plan: Sequence[Job],
        builder: Builder | None = None,
        world: Any = None,
        settings: tuple[Any, ...] = (),
        deck: Deck | None = None,
        judge: tuple[Any, int] = (None, 1),
    ) -> None:
        self.source = "" if builder is None else str(builder)
        self.unkeyed: list[str] = []
        self._plan = plan
        self._builder = builder
        self._world = world
        self.deck = deck
        self._base = repr((GRADING, sys.version_info[:2], settings)).encode()
        self.rest = {"grading": GRADING, "python": ".".join(map(str, sys.version_info[:2])), "settings": repr(settings)}
        self._judge = judge
        self._prints = Prints()
        self._cases: dict[int, bytes | None] = {}
        if builder is not None and any(job.case.judge for job in plan):
            self.rest["judge"] = (self.judge or b"").hex()

    @functools.cached_property
    def agent(self) -> bytes | None:
        """What the agent is."""
        builder = self._builder
        return None if builder is None else self._told("the agent", lambda: _agent(builder, self._prints))

    @functools.cached_property
    def world(self) -> bytes | None:
        """What the world is."""
        return None if self._builder is None else self._told("the world", lambda: self._prints.of(self._world))

    @functools.cached_property
    def judge(self) -> bytes | None:
        """Who judges, and by how many votes."""
        who, votes = self._judge
        return self._told("the judge", lambda: self._prints.of([_judge(who), votes]))

    def case(self, case: Case) -> bytes | None:
        """What the case is."""
        if self._builder is None:
            return None
        # The plan keeps the case, so that no other can come to have its id.
        if id(case) not in self._cases:
            self._cases[id(case)] = self._told(f'case "{one_line(case.name)}"', lambda: case_key(case, self._prints))
        return self._cases[id(case)]

    def inputs(self, case: Case) -> dict[str, str]:
        """What each input of the case is, as far as that can be told: expectations may change under it, and a transcript stays one of it."""
        return {} if self._builder is None else inputs_of(case, self._prints)

    def attempt(self, index: int) -> bytes | None:
        """The key of the attempt at this place in the plan."""
        job = self._plan[index]
        # Who judges is the business of those alone that are judged.
        judged = [self.judge] if job.case.judge and self._builder is not None else []
        # What it is replayed from, where it is.
        taped = [] if self.deck is None or not self.deck.replay else [self.deck.digest(job)]
        return _joined(self._base, self.agent, self.world, self.case(job.case), b"%d" % job.number, *taped, *judged)

    def _told(self, what: str, make: Callable[[], bytes]) -> bytes | None:
        why = f"{what} can't be compared with an earlier run's"
        try:
            return make()
        except Unkeyable as unknown:
            self.unkeyed.append(f"{why}: {unknown.what}")
        except Exception as error:  # An object of the user's may raise anything when it is looked at.
            self.unkeyed.append(f"{why}: {type(error).__name__}: {one_line(str(error))}")
        return None


def case_key(case: Case, prints: Prints | None = None) -> bytes:
    """What a case is: its inputs, its expectations, and its functions. How many runs it has is none of an attempt's business."""
    return (prints or Prints()).of([case.name, *_given(case)])


def inputs_of(case: Case, prints: Prints | None = None) -> dict[str, str]:
    """What each input of the case is, as far as that can be told."""
    prints = prints or Prints()
    found = {}
    for name in INPUTS:
        with contextlib.suppress(Exception):  # An object of the user's may raise anything when it is looked at.
            found[name] = prints.of(getattr(case, name)).hex()[:16]
    return found


_FIELDS = [
    (field.name, field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default)
    for field in dataclasses.fields(Case)
    if field.name not in ("name", "runs")
]


def _given(case: Case) -> Iterator[Any]:
    """The name and the value of each field that is not what it is anyway: a new field leaves the old keys as they are."""
    for name, usual in _FIELDS:
        value = getattr(case, name)
        if not (value is usual or (type(value) is type(usual) and value == usual)):
            yield name
            yield value


def _agent(builder: Builder, prints: Prints) -> bytes:
    """An agent file with what it is made of, and the name in it; or a factory with what its file says."""
    source = builder.source
    if isinstance(source, str):
        path, name = split_target(source)
        file = path if path.endswith(".py") else sources.origin(path)
        if file is None or not os.path.isfile(file):
            raise Unkeyable(f"the source of {source} can't be found")
        return hashlib.blake2b(
            sources.digest(file, beside=True, environ=prints.environ) + name.encode(), digest_size=16
        ).digest()
    code = getattr(source, "__code__", None)
    made = code.co_filename if code is not None else getattr(sys.modules.get(type(source).__module__), "__file__", None)
    content = b""
    if made and sources.is_users(made) and os.path.isfile(made):
        content = sources.digest(made, beside=True, environ=prints.environ)
    return hashlib.blake2b(prints.of(source) + content, digest_size=16).digest()


def _judge(judge: Any) -> Any:
    """A judge as far as it makes a difference to what it says; of a model, its name alone is the same as the model of that name."""
    from ..completion import model

    if not isinstance(judge, model.Model):
        return judge
    plain = not judge.settings and judge.base_url == model.Model(judge.name, api_key="").base_url
    return judge.name if plain else [judge.name, judge.base_url, judge.settings]


def _joined(*parts: bytes | None) -> bytes | None:
    found = hashlib.blake2b(digest_size=16)
    for part in parts:
        if part is None:
            return None
        found.update(b"%d:" % len(part) + part)
    return found.digest()
