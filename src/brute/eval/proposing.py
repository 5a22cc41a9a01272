"""A case, proposed from what an attempt did: its stubs answer as the tools did, its expectations are what was seen.

It is for a person to review. Each expectation is kept only if the transcript that it was made from meets it, so that the case passes there.
"""

from __future__ import annotations

import ast
import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..calling import as_text
from ..errors import UsageError
from ..messages import Message
from . import showing
from .answers import in_turn
from .attempt import Attempt
from .case import Case
from .casefiles.serving import EXCEPTIONS
from .grading import grade
from .jsonable import plain
from .masking import MASK, masked, masked_value
from .transcript import Call, Transcript
from .words import is_blank, says

_NUMBER = re.compile(r"[0-9](?:[0-9.,:]*[0-9])?")
_MOST_WORDS = 5


@dataclasses.dataclass(frozen=True, slots=True)
class Proposal:
    """A case that was made from an attempt, and what its reviewer should know."""

    case: Case
    notes: tuple[str, ...] = ()


def propose(attempt: Attempt, name: str | None = None) -> Proposal:
    """The case that an attempt comes to; raises `UsageError` for one of which no case can be made that it would pass."""
    seen, of = attempt.transcript, attempt.case
    _check_whole(seen)
    drafted = _Draft(seen, name or masked(of.name))
    if not attempt.passed:
        failures = attempt.verdict.failures
        why = f": {showing.one_line(failures[0].message)}" if failures else ""
        drafted.notes.append(f"the attempt did not pass{why}; the expectations say what it did, and not what is right")
    drafted.fields |= {
        "said": None if seen.said is None else masked(seen.said),
        "conversation": _earlier(seen),
        "runs": of.runs,
    }
    drafted.fields["stubs"] = dict(_stubs(seen, drafted.notes))
    drafted.check_base()
    for tool, wanted in _calls(seen, drafted.notes):
        drafted.add("calls", {**drafted.fields.get("calls", {}), tool: wanted}, f"calls of {tool}")
    order = _order(seen)
    if order:
        drafted.add("order", order, "the order")
    for row, value in _said(seen):
        drafted.add(row, value, row)
    if of.budget != Case("of any", said=None).budget:
        drafted.add("budget", of.budget, "the budget")
    return Proposal(drafted.case(), tuple(drafted.notes))


class _Draft:
    """A case in the making."""

    def __init__(self, seen: Transcript, name: str) -> None:
        self.seen, self.name = seen, name
        self.fields: dict[str, Any] = {}
        self.notes: list[str] = []

    def case(self, **more: Any) -> Case:
        """The case as it is, with more in it."""
        return Case(self.name, **{**self.fields, **more})

    def check_base(self) -> None:
        """Refuse a turn that no case lets pass."""
        base = self.case(silent=_is_silent(self.seen))
        verdict = grade(base, _unchecked(self.seen))
        if not verdict.passed:
            raise UsageError(f"no case can be made of it: {showing.one_line(verdict.failures[0].message)}")

    def add(self, row: str, value: Any, called: str) -> None:
        """Take an expectation in, if the transcript meets it."""
        silent = {} if row == "silent" else {"silent": _is_silent(self.seen)}
        try:
            met = grade(self.case(**{**silent, row: value}), _unchecked(self.seen)).passed
        except UsageError:
            met = False
        if met:
            self.fields[row] = value
        else:
            self.notes.append(f"{called}: left out, since the attempt would not meet it")


def _unchecked(seen: Transcript) -> Transcript:
    """The transcript without what a check found, which is none of the proposal's."""
    fields = {field.name: getattr(seen, field.name) for field in dataclasses.fields(Transcript)}
    return Transcript(**{**fields, "failures": []})


def _check_whole(seen: Transcript) -> None:
    if seen.error is not None:
        raise UsageError(
            f"no case can be made of a turn that did not end by itself: {showing.one_line(seen.error.message)}"
        )
    if (seen.stopped or "").startswith("budget."):
        raise UsageError("no case can be made of a turn that was stopped for its budget")


def _earlier(seen: Transcript) -> list[Message]:
    """What stood in the conversation before the prompt; an agent says its system prompt by itself."""
    places = [at for at, each in enumerate(seen.messages) if each.role == "user" and each.content == seen.said]
    earlier = seen.messages[: places[-1]] if places else []
    return [
        message_of(masked_value(plain(dataclasses.replace(each, usage=None, model=None))))
        for each in earlier
        if each.role != "system"
    ]


def message_of(data: Mapping[str, Any]) -> Message:
    """The message that the data stands for."""
    from .jsonable import message_from_json

    return message_from_json(data)


# --- stubs


def _stubs(seen: Transcript, notes: list[str]) -> Iterator[tuple[str, Any]]:
    """For each tool of the agent that was called, what it answered: a value, or answers in turn."""
    for tool in dict.fromkeys(seen.names):
        made = [call for call in seen.calls if call.name == tool]
        if seen.tools is not None and tool not in seen.tools:
            if any(call.outcome in ("ran", "stubbed") for call in made):
                notes.append(f"{showing.visible(tool)} is a tool of an inner agent, and has no stub here")
            continue
        served = [call for call in made if call.outcome != "denied"]
        if len(served) < len(made):
            count = showing.plural(len(made) - len(served), "call")
            notes.append(f"{count} of {showing.visible(tool)} denied, and without an answer here")
        answers = [_answer(call, seen) for call in served]
        if len({_told(each) for each in answers}) == 1:
            yield tool, answers[0]
        elif answers:
            yield tool, in_turn(*answers)


def _told(answer: Any) -> str:
    return repr(answer) if isinstance(answer, BaseException) else json.dumps(answer)


def _answer(call: Call, seen: Transcript) -> Any:
    told = _message(call, seen)
    if call.outcome == "failed" or (call.outcome == "stubbed" and call.error is not None):
        said = told.content.removeprefix("error: ") if told is not None and told.failed else call.error or ""
        return _exception(masked(said))
    if call.result is None and told is not None and told.content != as_text(None):
        # Nobody saw what the tool answered, but the model read it.
        return masked(told.content)
    return masked_value(plain(call.result))


def _message(call: Call, seen: Transcript) -> Message | None:
    """What the model was told of a call."""
    if not call.id:
        return None
    return next((each for each in seen.messages if each.role == "tool" and each.tool_call_id == call.id), None)


def _exception(said: str) -> Exception:
    """An exception that says the same: of its own kind where that is one of Python's."""
    name, colon, words = said.partition(": ")
    kind = EXCEPTIONS.get(name)
    if kind is None or not (colon or name == said):
        return Exception(said)
    try:
        # A KeyError writes its key as Python does.
        return kind(*([ast.literal_eval(words)] if kind is KeyError and colon else [words] * bool(colon)))
    except (TypeError, ValueError, SyntaxError, MemoryError, RecursionError):
        return Exception(said)


# --- expectations


def _calls(seen: Transcript, notes: list[str]) -> Iterator[tuple[str, Any]]:
    reached = [call for call in seen.calls if _reached(call, seen)]
    for tool in dict.fromkeys(call.name for call in reached):
        wanted = [_wish(call, notes) for call in reached if call.name == tool]
        yield tool, wanted[0] if len(wanted) == 1 else wanted


def _reached(call: Call, seen: Transcript) -> bool:
    known = seen.tools is None or call.name in seen.tools or call.outcome in ("ran", "stubbed")
    return known and call.outcome != "denied"


def _wish(call: Call, notes: list[str]) -> dict[str, Any] | None:
    """The arguments of a call; one with a secret in it is left out, for nobody will say `***`."""
    arguments = masked_value(plain(call.arguments or {}))
    open = {name: value for name, value in arguments.items() if MASK not in json.dumps([name, value])}
    if len(open) < len(arguments):
        count = showing.plural(len(arguments) - len(open), "argument")
        notes.append(f"calls of {showing.visible(call.name)}: {count} left out, with a secret in it")
    return open or None


def _order(seen: Transcript) -> list[str]:
    """The tools in the order in which they were called; empty where there is none, or calls were made side by side."""
    reached = [call for call in seen.calls if _reached(call, seen)]
    together = len({call.iteration for call in reached}) < len(reached)
    if together or "order" in seen.blind or len({call.name for call in reached}) < 2:
        return []
    names = [call.name for call in reached]
    return [name for at, name in enumerate(names) if at == 0 or names[at - 1] != name]


def _is_silent(seen: Transcript) -> bool:
    return is_blank(seen.reply) and "messages" not in seen.blind


def _said(seen: Transcript) -> Iterator[tuple[str, Any]]:
    """What the reply said: nothing, that there is nothing, and the numbers that it has from the tools."""
    if _is_silent(seen):
        yield "silent", True
        return
    from .absence import says_nothing_found  # as grading does

    if says_nothing_found(seen.reply):
        yield "absent", True
    words = list(dict.fromkeys(_NUMBER.findall(seen.reply)))
    results = [as_text(plain(call.result)) for call in seen.calls]
    found = [word for word in words if says(seen.reply, word) and _new(word, results, seen.said or "")]
    if found:
        yield "mentions", found[:_MOST_WORDS]


def _new(word: str, results: Sequence[str], said: str) -> bool:
    return any(says(result, word) for result in results) and not says(said, word)
