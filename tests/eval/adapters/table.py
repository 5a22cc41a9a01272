"""The table of docs/frameworks.md, made of what the rows of the contract came to: `python -m tests.eval.adapters.table rows.json [--check]`.

A framework that was not run keeps its row: each stands for itself.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "frameworks.md"
ADAPTERS = PAGE.parents[1] / "src" / "brute" / "eval" / "frameworks.py"
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
"""What the columns stand for."""

Lines = dict[str, tuple[str, str]]
"""The line of each framework, and the line of its notes."""


def table(lines: Lines) -> str:
    """The table, with the notes of each framework under it."""
    head = ["| | " + " | ".join(ROWS) + " |", "|---|" + "---|" * len(ROWS)]
    notes = [f"* {name}: {note}" for name, (_, note) in lines.items() if note]
    legend = [f"{number}. {title}" for number, title in ROWS.items()]
    return "\n".join([*legend, "", *head, *(line for line, _ in lines.values()), "", *notes]).rstrip()


def lines_of(name: str, rows: dict[str, dict[str, str]]) -> tuple[str, str]:
    """The line of a framework, with a mark for each thing that it has not, or that failed, and what the marks mean."""
    notes: dict[str, str] = {}
    cells = [_cell(rows.get(number, {}), notes) for number in ROWS]
    return f"| {name} | {' | '.join(cells)} |", "; ".join(f"({mark}) {note}" for note, mark in notes.items())


def _cell(tests: dict[str, str], notes: dict[str, str]) -> str:
    marks = set()
    for test, told in sorted(tests.items()):
        if told != "passed":
            note = told.removeprefix("skipped: ") if told.startswith("skipped") else f"{test} failed"
            marks.add(notes.setdefault(note, chr(ord("a") + len(notes))))
    failed = any(told == "failed" for told in tests.values())
    said = "not tested" if not tests else "no" if failed else "yes"
    return said + "".join(f" <sup>{mark}</sup>" for mark in sorted(marks))


def known(page: str) -> Lines:
    """The lines that the page has."""
    block = page.partition(BEGIN)[2].partition(END)[0]
    notes = dict(re.findall(r"^\* ([\w-]+): (.*)$", block, flags=re.M))
    return {name: (line, notes.get(name, "")) for line, name in re.findall(r"^(\| ([\w-]+) \|.*)$", block, flags=re.M)}


def ordered(lines: Lines) -> Lines:
    """The lines in the order of the adapters; a framework that was never run has an empty one."""
    # Read and not imported: this runs in a Python that has nothing installed.
    names = re.findall(r'^    _ours\(\s*"([\w-]+)"', ADAPTERS.read_text(), flags=re.M)
    return {name: lines.get(name) or lines_of(name, {}) for name in names}


def main(path: str, *options: str) -> int:
    """Write the table into the page, or say that it is not what the page has."""
    page, rows = PAGE.read_text(), json.loads(Path(path).read_text())
    lines = known(page) | {name: lines_of(name, told) for name, told in rows.items()}
    made = f"{BEGIN}\n{table(ordered(lines))}\n{END}"
    wanted = re.sub(f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: made, page, flags=re.S)
    if "--check" not in options:
        PAGE.write_text(wanted)
    elif wanted != page:
        print(f"the table in {PAGE.name} is not what the tests came to; python -m tests.eval.adapters.table {path}")
        print(*_differences(page, wanted), sep="\n")
        return 1
    return 0


def _differences(page: str, wanted: str) -> Iterator[str]:
    there = set(page.splitlines())
    return (line for line in wanted.splitlines() if line not in there)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
