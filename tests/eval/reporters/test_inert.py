"""Text from outside, made inert."""

from __future__ import annotations

import pytest

from brute.eval.reporters.inert import inert, paragraph, phrase


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("plain", "plain"),
        ("\x1b[31mred", "\\u001b[31mred"),
        ("a\rb\nc\td", "a\\rb\\nc\\td"),
        ("\u202eevil\u2028", "\\u202eevil\\u2028"),
        ("\ud800", "\\ud800"),
        ("##[error]x", "#\\u0023[error]x"),
        ("a ##vso[task.setvariable]", "a #\\u0023vso[task.setvariable]"),
        ("##teamcity[x]", "#\\u0023teamcity[x]"),
        ("## heading", "## heading"),
        ("caf\u00e9 \u4f60\u597d", "caf\u00e9 \u4f60\u597d"),
    ],
)
def test_what_acts_is_written_out(text: str, told: str) -> None:
    """Whatever a terminal or a CI log would act on is an escape; all else stays as it is."""
    assert inert(text) == told


def test_a_long_text_is_clipped_with_the_amount_left_out() -> None:
    """A clipped text says how much is missing."""
    assert inert("x" * 1401) == "x" * 400 + "... 1,001 more characters"
    assert inert("x" * 401) == "x" * 400 + "... 1 more character"
    assert inert("x" * 400) == "x" * 400


def test_a_phrase_is_one_line() -> None:
    """Runs of white space, ends of lines among them, become one space each."""
    assert phrase("  a\n\n b\t c ") == "a b c"
    assert phrase("y" * 121) == "y" * 120 + "... 1 more character"


def test_a_paragraph_keeps_its_lines() -> None:
    """Lines stay lines, with their indents; a carriage return at the end is no text, one within a line is written out."""
    assert list(paragraph("\na\r\n  b\n\nc\rd\n")) == ["a", "  b", "", "c\\rd"]


def test_a_paragraph_is_clipped() -> None:
    """Too many lines, too long a line and too much text each say what is left out."""
    assert list(paragraph("a\nb\nc", most=2)) == ["a", "b", "... 1 more character"]
    assert list(paragraph("abc", width=2)) == ["ab... 1 more character"]
    assert list(paragraph("abcdef", size=3)) == ["abc", "... 2 more characters"]
