"""What was wanted against what was got."""

from __future__ import annotations

from typing import Any

import pytest

from brute.eval import Failure
from brute.eval.reporters.contrast import Part, contrast
from tests.eval.reporters.sample import HOSTILE


def flat(parts: list[Part]) -> str:
    """The parts as a text, what is marked in brackets."""
    return "".join(f"[{text}]" if marked else text for text, marked in parts)


@pytest.mark.parametrize(
    ("kind", "expected", "actual", "wanted", "got"),
    [
        (
            "call.arguments",
            {"search": "query matching /bank/ and limit 3"},
            [{"query": "boe", "page": 1}, {"limit": 4}],
            "[search with query matching /bank/ and limit 3]",
            "{[query: boe], page: 1}\n{[limit: 4]}",
        ),
        ("call.arguments", {"search": "query x"}, ["{oops"], "[search with query x]", "[{oops]"),
        ("call.missing", {"search": ["any arguments"]}, [], "[search with any arguments]", "[no calls]"),
        ("call.missing", {"search": ["a 1", "b 2"]}, ["fetch"], "[search with a 1]\n[search with b 2]", "[fetch]"),
        ("order", ["read", "write"], ["write", "read"], "read → [write]", "[write] → read"),
        ("order", ["read", "write"], ["read"], "read → [write]", "read"),
        ("order", ["read"], [], "[read]", "[nothing]"),
        ("check", "the cat sat", "the dog sat", "the [cat] sat", "the [dog] sat"),
        ("check", {"a": 1}, {"a": 2}, '[{"a": 1}]', '[{"a": 2}]'),
        ("mentions", "4.25", "It held.", "[4.25]", "[It held.]"),
        ("mentions", ["4.25", "4,25"], "It held.", "[4.25 or 4,25]", "[It held.]"),
        ("reply.missing", "a reply", "", "[a reply]", "[nothing]"),
        ("budget.iterations", 1, 2, "[at most 1]", "[2]"),
    ],
)
def test_both_sides(kind: str, expected: Any, actual: Any, wanted: str, got: str) -> None:
    """With what differs marked."""
    sides = contrast(Failure(kind, "no", expected, actual))
    assert sides is not None
    assert (flat(sides[0]), flat(sides[1])) == (wanted, got)


@pytest.mark.parametrize("sides", [(None, None), (None, 3), (3, None)])
def test_a_failure_without_two_sides(sides: tuple[Any, Any]) -> None:
    """Has nothing to compare."""
    assert contrast(Failure("check", "no", *sides)) is None


@pytest.mark.parametrize("kind", ["check", "order", "call.arguments", "mentions"])
def test_hostile_and_huge_sides(kind: str) -> None:
    """Are inert, and short."""
    huge = HOSTILE * 5_000
    for expected, actual in ((huge, huge[1:]), ({huge[:90]: huge}, [{huge: huge}] * 20), ([huge] * 900, ["x"] * 900)):
        sides = contrast(Failure(kind, "no", expected, actual))
        assert sides is not None
        text = flat(sides[0]) + flat(sides[1])
        assert text.replace("\n", "").isprintable()
        assert len(text) < 600 * 2 * 201 * 4
