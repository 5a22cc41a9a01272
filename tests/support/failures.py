"""The failures of `examples/failures`: as the real model makes them, and played again from what it wrote then."""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
from pathlib import Path
from typing import Any

import brute
from brute import Message, ModelError, Usage
from brute.completion.local import Completed
from brute.eval import Attempt, Case, Suite
from brute.eval.reporters.lines import text_of
from brute.eval.reporters.telling import ended
from brute.loading import load_file

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "failures"
GOLDEN = ROOT / "tests" / "eval" / "reporters" / "golden" / "failures"
WRITTEN = GOLDEN / "written.json"
"""What the model wrote in each case, call by call."""


def suite() -> Suite:
    """The example's own suite, quiet and without a run log."""
    made: Suite = load_file(FOLDER / "eval_failures.py").SUITE
    made.out, made.log = io.StringIO(), None
    return made


def played(case: Case) -> Attempt:
    """An attempt at the case by the example's agent, with what the model wrote then in the model's place."""

    def agent() -> brute.Agent:
        module = load_file(FOLDER / "agent.py")
        module.model = Player(json.loads(WRITTEN.read_text(encoding="utf-8"))[case.name])
        del module.completion.ready
        found: brute.Agent = module.agent
        return found

    made = Suite(agent, [case], out=io.StringIO(), log=None)
    made.run()
    assert made.report is not None
    return made.report.attempts[0]


class Player:
    """A model that writes what it wrote before."""

    def __init__(self, written: list[dict[str, Any]]) -> None:
        self.written = iter(written)

    def complete(self, prompt: str, **options: Any) -> asyncio.Future[Completed]:
        """The next text; a future, so that a failure has no frame of ours in it."""
        answer = asyncio.get_running_loop().create_future()
        one = next(self.written)
        if "error" in one:
            answer.set_exception(ModelError(one["error"]))
        else:
            usage = Usage(input=one["input"], output=one["output"])
            answer.set_result(Completed(one["text"], usage, "smollm2"))
        return answer


def written(attempt: Attempt) -> list[dict[str, Any]]:
    """What the model wrote in the attempt, to be played."""
    said = [each for each in attempt.transcript.messages if each.role == "assistant"]
    errors = [each.error.partition(": ")[2] for each in attempt.transcript.requests if each.error]
    return [*map(_text, said), *({"error": each} for each in errors)]


def _text(message: Message) -> dict[str, Any]:
    assert message.usage is not None
    calls = (f" {call.name}: {' '.join((call.arguments or {}).values())}" for call in message.tool_calls)
    text = next(calls, f" say: {message.content}")
    return {"text": text, "input": message.usage.input, "output": message.usage.output}


def report(attempt: Attempt) -> str:
    """What the report says of the attempt, times masked."""
    text = "".join(f"{text_of(line)}\n" for line in ended(attempt))
    return re.sub(r"(?<=, )[\d.]+ s(?=\))", "0.0 s", re.sub(r"seconds [\d.]+$", "seconds 0.0", text, flags=re.M))


def path(case: Case) -> Path:
    """Where the report on the case is kept."""
    return GOLDEN / f"{re.sub(r'[^a-z]+', '_', case.name.casefold()).strip('_')}.txt"


def kept(attempts: tuple[Attempt, ...]) -> list[str]:
    """The reports on the attempts; what the model wrote in them is written down where that is asked for."""
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        told = {each.case.name: written(each) for each in attempts}
        WRITTEN.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8", newline="\n")
    return [report(each) for each in attempts]
