"""The table of the frameworks is checked framework by framework, and what was not tested is taken at the page's word."""

from __future__ import annotations

from typing import Any

from tests.eval.adapters.table import BEGIN, END, read, table, untrue


def rows(**told: str) -> dict[str, Any]:
    """What the tests of some frameworks came to: each has passed all rows but the third."""
    return {name: {str(n): {"test": word if n == 3 else "passed"} for n in range(1, 8)} for name, word in told.items()}


def page(made: dict[str, Any]) -> str:
    """A page with their table."""
    return f"before\n{BEGIN}\n{table(made)}\n{END}\nafter"


def test_a_table_is_read_as_it_was_written() -> None:
    """Each word with its notes."""
    found = read(table(rows(one="passed", two="skipped: two has none", three="failed")))
    third = [next(cell for title, cell in cells.items() if title.startswith("3.")) for cells in found.values()]
    assert third == [
        ("yes", frozenset()),
        ("yes", frozenset({"two has none"})),
        ("no", frozenset({"three: test failed"})),
    ]


def test_what_the_tests_came_to_is_compared_framework_by_framework() -> None:
    """Also where the notes have other numbers, since some were left out."""
    whole = rows(big="skipped: big has none", one="skipped: one has none", two="passed")
    told = page(whole)
    assert untrue(told, whole, set()) == []
    some = rows(one="skipped: one has none", two="passed")
    assert untrue(told, some, {"big"}) == []
    assert untrue(told, some, set()) == ["big"]
    assert untrue(told, rows(one="passed", two="failed"), {"big"}) == ["one", "two"]
    assert untrue(told, rows(one="skipped: one has none", two="passed", new="passed"), {"big"}) == ["new"]
