"""The faults that a suite can put into its tools: which call they strike, and what comes instead of the tool's answer."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..calling import as_text
from ..errors import UsageError, did_you_mean
from ..hooks import UNSET, ToolEvent
from ..tools import BadArguments
from . import rulewording
from .arguments import shown
from .globs import meant

if TYPE_CHECKING:
    from .observer import Observer

HUGE = 1_000_000
"""How many characters a huge output has at the least."""


def _truncated(answer: Any) -> str:
    whole = json.dumps({"status": "ok", "results": []}) if answer is UNSET else as_text(answer)
    if not whole.lstrip().startswith(("{", "[")):
        whole = json.dumps({"result": whole})
    return whole[: max(1, len(whole) // 2)]


def _empty(answer: Any) -> Any:
    return type(answer)() if isinstance(answer, (dict, list)) else ""


def _of_another_type(answer: Any) -> Any:
    return 0 if answer is UNSET or isinstance(answer, (str, dict, list)) else as_text(answer) + " (?)"


def _huge(answer: Any) -> str:
    unit = ("" if answer is UNSET else as_text(answer)) or "no end of output"
    return (unit + "\n") * (HUGE // (len(unit) + 1) + 1)


KINDS: dict[str, Callable[[Any], Any]] = {
    "timeout": lambda answer: TimeoutError("no answer within 30 seconds"),
    "connection": lambda answer: ConnectionError("connection reset by peer"),
    "empty": _empty,
    "truncated": _truncated,
    "type": _of_another_type,
    "huge": _huge,
}
"""Every kind of fault there is, as a function of what the stub answers (UNSET: the tool has none, and is not run)."""


@dataclasses.dataclass(frozen=True, slots=True)
class Faults:
    """Faults that strike a share of the calls to the tools of a suite: `Suite(faults=Faults("timeout", "empty", seed=7))`.

    Of the kinds `timeout`, `connection`, `empty`, `truncated` (JSON that ends in the middle), `type` and `huge`; without any named, all of
    them. `share` is how likely a call is struck (from 0 to 1), `tools` names those that may be (globs too). A struck call never runs its tool.
    What strikes depends on the seed, the case, the number of the attempt and the place of the call in its turn, and on nothing else: the
    same seed strikes the same calls again, and each is in the transcript (`Call.fault`).

    >>> Faults("timeout", share=1.0).strikes("a case", 1, "search", 0, 0)
    'timeout'
    """

    kinds: tuple[str, ...]
    share: float
    seed: int
    tools: tuple[str, ...]

    def __init__(self, *kinds: str, share: float = 0.25, seed: int = 0, tools: Iterable[str] = ("*",)) -> None:
        for kind in kinds:
            if kind not in KINDS:
                raise UsageError(f"Faults: kinds are {', '.join(KINDS)}; got {shown(kind)}{did_you_mean(kind, KINDS)}")
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 < share <= 1:
            raise UsageError(f"Faults: share must be a number over 0 and up to 1, got {shown(share)}")
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise UsageError(f"Faults: seed must be a whole number, got {shown(seed)}")
        names = () if isinstance(tools, (str, Mapping)) or not isinstance(tools, Iterable) else tuple(tools)
        if not names or not all(isinstance(name, str) and name.strip() for name in names):
            raise UsageError(f"Faults: tools must be a list of tool names, got {shown(tools)}")
        for field, value in zip(
            ("kinds", "share", "seed", "tools"), (kinds or tuple(KINDS), float(share), seed, names), strict=True
        ):
            object.__setattr__(self, field, value)

    def strikes(self, case: str, attempt: int, tool: str, iteration: int, index: int) -> str | None:
        """The kind of fault that strikes this call; None where none does."""
        if meant(self.tools, tool) is None:
            return None
        told = json.dumps([self.seed, case, attempt, tool, iteration, index]).encode()
        import hashlib  # three times what the rest of this module takes to import

        drawn = hashlib.blake2b(told, digest_size=16).digest()
        if int.from_bytes(drawn[:8]) >= self.share * 2**64:
            return None
        return self.kinds[int.from_bytes(drawn[8:]) % len(self.kinds)]

    def told(self) -> dict[str, Any]:
        """The faults as plain data, for another process."""
        return {"kinds": list(self.kinds), "share": self.share, "seed": self.seed, "tools": list(self.tools)}

    @classmethod
    def heard(cls, told: Mapping[str, Any]) -> Faults:
        """The faults that `told` gave this for."""
        return cls(*told["kinds"], share=told["share"], seed=told["seed"], tools=told["tools"])

    def __repr__(self) -> str:
        kinds = "".join(f"{kind!r}, " for kind in self.kinds)
        more = "" if self.tools == ("*",) else f", tools={list(self.tools)!r}"
        return f"Faults({kinds}share={self.share:g}, seed={self.seed}{more})"


class Striking:
    """A subscriber to `before_tool` that comes after the stubs, and strikes the calls of one attempt."""

    def __init__(self, faults: Faults, case: str, attempt: int, observer: Observer) -> None:
        self.faults = faults
        self.case = case
        self.attempt = attempt
        self.observer = observer

    def __call__(self, event: ToolEvent) -> None:
        """Answer the call with a fault where one strikes it; arguments that the tool would refuse are refused as ever."""
        if event.denied is not None or event.error is not None or event.tool is None:
            return
        kind = self.faults.strikes(self.case, self.attempt, event.name, event.iteration, event.index)
        if kind is None or not (event.answered or _taken(event)):
            return
        event.answer(KINDS[kind](event.result))
        call = self.observer.running.get(id(event))
        if call is not None:
            call.fault = kind
            transcript = self.observer.transcript
            number = next(number for number, each in enumerate(transcript.calls, 1) if each is call)
            transcript.notes.append(rulewording.fault(kind, event.name, number, self.faults.seed))


def _taken(event: ToolEvent) -> bool:
    """Whether the tool would take the call's arguments."""
    try:
        return (
            event.arguments is not None and event.tool is not None and event.tool.validated(event.arguments) is not None
        )
    except BadArguments:
        return False
