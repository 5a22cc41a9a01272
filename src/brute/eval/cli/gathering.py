"""The suites of a command line: everything that is wrong with it is found before anything runs."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NoReturn

from ...errors import UsageError
from ...loading import load_target
from ..building import Builder
from ..casefiles import ENDINGS, noting
from ..suite import Suite
from .finding import found
from .loads import LOADED, loaded, refuse_at_once
from .offers import offered
from .refusal import Refusal, load_sentence, sentence, working_folder

Offer = tuple[str, str, Suite]
"""A file, the name in it, and the suite that it names."""


def agent_from_here(agent: str | None) -> str | None:
    """The agent that the command line names, as a path from the root: it is meant from the working folder."""
    if agent is None:
        return None
    try:
        return str(Builder(agent))
    except UsageError as error:
        raise Refusal([sentence(error)]) from error


def gathered(
    paths: Sequence[str], agent: str | None, seconds: float = LOADED, *, isolated: bool = False
) -> list[Suite]:
    """The suites of all files, named apart where there are several; `Refusal` lists every file that can't be used.

    A file is loaded within so many `seconds`. An agent's file is loaded in another process where its attempts are (`isolated`: all of
    them), so that this one never runs what is in it.
    """
    here = working_folder()
    if not here:
        raise Refusal(["the working folder is gone; change to another"])
    # As `python -m brute` has it: package.module:factory is looked for in the working folder too.
    if here not in sys.path:
        sys.path.insert(0, here)
    files, refused = found(paths)
    # Before any of them is loaded, for one may change the working folder.
    places = [os.path.abspath(file) for file in files]
    named = {os.path.realpath(path) for path in paths}
    made: dict[str, list[Offer]] = {}
    with noting() as read:
        # Eval files first: a file of cases in a folder that one of them loads is none of its own.
        for file, at in sorted(zip(files, places, strict=True), key=lambda each: each[0].endswith(ENDINGS)):
            if os.path.realpath(at) in set(read) - named:
                continue
            try:
                made[file] = [(file, name, suite) for name, suite in offered(file, agent, at, seconds)]
            except UsageError as error:
                refused.append(load_sentence(error, at))
    offers = [offer for file in files for offer in made.get(file, ())]
    apart: dict[bool, list[str]] = {True: [], False: []}
    for _, _, suite in offers:
        source = suite.builder.source if agent is None else agent
        if isinstance(source, str):
            apart[isolated or suite.executor == "process"].append(source)
    refused += agents_refused(apart[False], seconds)
    if apart[True]:
        from .looking import looked

        refused += looked(apart[True], seconds)
    if refused:
        raise Refusal(refused)
    return _named_apart(offers)


def agents_refused(
    sources: Sequence[str], seconds: float, unstoppable: Callable[[str], NoReturn] = refuse_at_once
) -> list[str]:
    """A sentence for each agent file or module that can't be loaded, once each; `unstoppable` gets that of one that can't be stopped."""
    refused = []
    for source in dict.fromkeys(sources):
        try:
            loaded(load_target, source, seconds, unstoppable)
        except UsageError as error:
            refused.append(load_sentence(error, source))
    return refused


def _named_apart(offers: Sequence[Offer]) -> list[Suite]:
    """The suites, each under a name of its own where there are several, so that no case is taken for another's."""
    if len(offers) == 1:
        return [offers[0][2]]
    names = _apart([suite.name or file for file, _, suite in offers], [f"{file}:{name}" for file, name, _ in offers])
    return [suite.configured(name=name) for name, (_, _, suite) in zip(names, offers, strict=True)]


def _apart(names: Sequence[str], longer: Sequence[str]) -> list[str]:
    """The names, and the longer ones in place of those that there are several of."""
    counts = Counter(names)
    return [name if counts[name] == 1 else long for name, long in zip(names, longer, strict=True)]
