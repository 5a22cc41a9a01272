"""The table of docs/frameworks.md, made of what the rows of the contract came to: `python -m tests.eval.adapters.table rows.json [--check [--without=NAME]]`.

`--without` names a framework whose tests were not run, and of which the page is taken at its word.
"""

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


Cells = dict[str, dict[str, tuple[str, frozenset[str]]]]


def read(table: str) -> Cells:
    """What a table says of each framework: by row, the word and its notes."""
    head, _, *lines = [line for line in table.splitlines() if line.startswith("|")]
    notes = dict(re.findall(r"(?m)^(\d+)\. (.*)$", table))
    found: Cells = {name.strip(): {} for name in head.split("|")[2:-1]}
    for line in lines:
        title, *cells = [cell.strip() for cell in line.split("|")[1:-1]]
        for name, cell in zip(found, cells, strict=True):
            said, *marks = re.findall(r"^[a-z ]+|(?<=<sup>)\d+", cell)
            found[name][title] = said.strip(), frozenset(notes[mark] for mark in marks)
    return found


def untrue(page: str, rows: dict[str, dict[str, dict[str, str]]], without: set[str]) -> list[str]:
    """The frameworks of which the page does not say what their tests came to; those `without` tests now are taken at its word."""
    block = re.search(f"{re.escape(BEGIN)}(.*){re.escape(END)}", page, flags=re.S)
    there, made = read(block[1] if block else ""), read(table(rows))
    return sorted(name for name in (there.keys() | made.keys()) - without if there.get(name) != made.get(name))


def main(path: str, *options: str) -> int:
    """Write the table into the page, or say that it is not what the page has."""
    page, made = PAGE.read_text(), f"{BEGIN}\n{table(json.loads(Path(path).read_text()))}\n{END}"
    wanted = re.sub(f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: made, page, flags=re.S)
    if "--check" not in options:
        PAGE.write_text(wanted)
        return 0
    without = {option.removeprefix("--without=") for option in options if option.startswith("--without=")}
    wrong = untrue(page, json.loads(Path(path).read_text()), without)
    if wrong:
        print(
            f"the table in {PAGE.name} is not what the tests came to ({', '.join(wrong)}); python -m tests.eval.adapters.table {path}"
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
