"""What holds of reading a reply, whatever is in it."""

from __future__ import annotations

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from brute.eval.absence import says_nothing_found
from brute.eval.words import is_blank, says

words = st.from_regex(r"[a-z]{1,6}|[1-9][0-9]{0,3}(\.[0-9]{1,2})?", fullmatch=True)
anything = st.text(max_size=60)
unsigned = anything.filter(lambda text: not set("~<=±∓√≠≤≥/⁄÷¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞") & set(text))
"""Without what strikes a word out, or makes another number of one across a space."""


@given(words, unsigned, unsigned)
@settings(max_examples=60, deadline=None)
def test_a_word_between_spaces_is_said(word: str, before: str, after: str) -> None:
    """Whatever else is there, in capitals too, in bold, in quotes."""
    assert says(f"{before} {word} {after}", word)
    assert says(f"{before} {word.upper()}\n{after}", word)
    assert says(f"{before} **{word}** {after}", word)
    assert says(f"{before} “{word}” {after}", word)


@given(words, unsigned)
@settings(max_examples=60, deadline=None)
def test_a_word_that_is_struck_out_is_not_said(word: str, after: str) -> None:
    """Unless it is said beside."""
    assert says(f"at ~~{word}~~ now {after}", word) == says(f"at now {after}", word)


@given(words, st.from_regex(r"[a-z0-9]", fullmatch=True))
@settings(max_examples=60, deadline=None)
def test_a_letter_or_digit_more_is_another_word(word: str, more: str) -> None:
    """On either side."""
    assert not says(f"§ {word}{more} §", word)
    assert not says(f"§ {more}{word} §", word)


@given(
    st.from_regex(r"[1-9][0-9]{0,2}", fullmatch=True),
    st.from_regex(r"[0-9]{1,3}", fullmatch=True),
    st.sampled_from(".,"),
)
@settings(max_examples=60, deadline=None)
def test_a_number_is_no_part_of_another(number: str, rest: str, sign: str) -> None:
    """Neither before its point or comma nor after it, and not without its minus."""
    assert not says(f"at {number}{sign}{rest} now", number)
    assert not says(f"at {number}{sign}{rest} now", rest) or rest == number
    assert not says(f"at -{number} now", number)


@given(anything, st.text(min_size=1, max_size=5))
@example("İ", "i")
@example("ß", "SS")
@settings(max_examples=60, deadline=None)
def test_reading_raises_for_no_text(reply: str, word: str) -> None:
    """And a word that nobody sees is never said."""
    assert says(reply, word) in (True, False)
    assert not (is_blank(word) and says(reply, word))
    assert says_nothing_found(reply) in (True, False)
    assert not (is_blank(reply) and says_nothing_found(reply, re.compile("")))
