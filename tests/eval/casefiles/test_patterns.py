"""Patterns between slashes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brute.eval.casefiles import patterns


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("/bank|rate/i", re.compile("bank|rate", re.I)),
        ("/a/", re.compile("a")),
        (r"/a\/b/", re.compile("a/b")),
        (r"/a\\/", re.compile(r"a\\")),
        ("/a\nb/msx", re.compile("a\nb", re.M | re.S | re.X)),
        (r"/\d/a", re.compile(r"\d", re.A)),
    ],
)
def test_what_is_a_pattern(text: str, pattern: re.Pattern[str]) -> None:
    """With its flags; a slash in it has a backslash before it."""
    assert patterns.read(text) == pattern


@pytest.mark.parametrize(
    "text", ["", "/", "bank", "/etc/hosts", "a/b/", "/a", "/a/I", "/home/me/docs", "/a/ii", "/usr/bin/day"]
)
def test_what_is_a_text(text: str) -> None:
    """A path mostly is."""
    assert patterns.read(text) is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("/a(/", '"a(" does not compile: missing ), unterminated subpattern at position 1'),
        ("/a/g", '"/a/g" has the flag g; flags are a, i, m, s, x; if it is meant as a text, write {$text: "/a/g"}'),
        ("/usr/bin/", '"/usr/bin/" may be a pattern or a text: a pattern writes its slashes \\/; if it is meant as a text, write {$text: "/usr/bin/"}'),
        ("//", '"//" may be a pattern or a text: the pattern // would match anything; if it is meant as a text, write {$text: "//"}'),
    ],
)  # fmt: skip
def test_what_is_neither(text: str, sentence: str) -> None:
    """A text that would be taken for a laxer pattern, or the other way, is refused."""
    with pytest.raises(patterns.Bad) as why:
        patterns.read(text)
    assert str(why.value) == sentence


@given(st.text(st.sampled_from("ab/\\.\n*("), max_size=8), st.sampled_from(["", "i", "ms", "ax"]))
def test_what_is_written_is_read_as_the_same(body: str, letters: str) -> None:
    """Or not written at all, and then it needs the form $pattern."""
    try:
        pattern = patterns.compiled(body, letters)
    except patterns.Bad:
        return
    told = patterns.write(pattern)
    assert told is None or patterns.read(told) == pattern
    if body and "\\/" not in body:
        assert told is not None
