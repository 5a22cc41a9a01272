"""The table of docs/frameworks.md, made of what the rows of the contract came to: `python -m tests.eval.adapters.table rows.json [--check]`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "frameworks.md"
BEGIN, END = "<!-- table: begin, made by tests/eval/adapters/table.py -->", "<!-- table: end -->"
ROWS = {
    "1": "calls: name, arguments, result, id, iteration, order, bad and unknown ones",
    "2": "tokens, iterations, model, reply, messages, structured output; the real client",
    "3": "stubs: values, functions, exceptions, in turn; MCP tools, inner agents, handoffs",
    "4": "fail closed: what can't be stubbed is an error, and nothing runs",
    "5": "fifty attempts at once, on fresh agents and on one; left as found",
    "6": "history, budgets, the deadline, exceptions by their own name",
    "7": "the user's own hooks still fire",
}


def table(rows: dict[str, dict[str, dict[str, str]]]) -> str:
    """The table, with a note for each thing that a framework has not, or that failed."""
    names = list(rows)
    lines = ["| | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    notes: dict[str, int] = {}
    for number, title in ROWS.items():
        cells = [_cell(name, rows[name].get(number, {}), notes) for name in names]
        lines.append(f"| {number}. {title} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", *(f"{place}. {note}" for note, place in notes.items())]).rstrip()


def _cell(name: str, tests: dict[str, str], notes: dict[str, int]) -> str:
    marks = []
    for test, told in sorted(tests.items()):
        if told == "passed":
            continue
        note = told.removeprefix("skipped: ") if told.startswith("skipped") else f"{name}: {test} failed"
        marks.append(notes.setdefault(note, len(notes) + 1))
    failed = any(told == "failed" for told in tests.values())
    said = "not tested" if not tests else "no" if failed else "yes"
    return said + "".join(f" <sup>{mark}</sup>" for mark in sorted(set(marks)))


def main(path: str, *options: str) -> int:
    """Write the table into the page, or say that it is not what the page has."""
    page, made = PAGE.read_text(), f"{BEGIN}\n{table(json.loads(Path(path).read_text()))}\n{END}"
    wanted = re.sub(f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: made, page, flags=re.S)
    if "--check" not in options:
        PAGE.write_text(wanted)
    elif wanted != page:
        print(f"the table in {PAGE.name} is not what the tests came to; python -m tests.eval.adapters.table {path}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
