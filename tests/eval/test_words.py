"""Whole words, whatever the case: what a reply says, and what is only a part of something else."""

from __future__ import annotations

import re
import time

import pytest

from brute.eval.words import TRIES, folded, is_blank, says

SAID = [
    ("Bank Rate is £4.25%.", "4.25"),
    ("it is 4.25.", "4.25"),
    ("4.25, then less", "4.25"),
    ("(4.25)", "4.25"),
    ("Rate:4.25", "4.25"),
    ("It held…4.25", "4.25"),
    ("≈4.25 or ~4.25", "4.25"),
    ("between 4.25-4.50", "4.50"),
    ("between 4.25–4.50", "4.50"),
    ("$3-$5", "5"),
    ("$3-$5", "$5"),
    ("- 4.25 (a list)", "4.25"),
    ("at −4.25 today", "-4.25"),
    ("£4.25", "£4.25"),
    ("costs US$5", "$5"),
    ("5€", "€"),
    ("GPT-4", "4"),
    ("in 2024.", "2024"),
    ("'24", "24"),
    ("No.25", "25"),
    ("x 1,234 y", "1,234"),
    ("４．２５", "4.25"),
    ("利率4.25%", "4.25"),
    ("4.25%と", "4.25%"),
    ("BOE宣布", "BOE"),
    ("英国银行宣布", "银行"),
    ("サービス停止", "サービス"),
    ("서울에서", "서울"),
    ("ประเทศไทยใหญ่", "ไทย"),
    ("cafe\u0301 au lait", "café"),
    ("café", "cafe\u0301"),
    ("STRASSE", "straße"),
    ("**4.25**", "4.25"),
    ("4<b>.25</b>", "4.25"),
    ("AT&amp;T", "AT&T"),
    ("a &lt;b&gt; tag", "&lt;b&gt;"),
    ("it is&nbsp;4.25&#37;", "4.25%"),
    ("4 1/2/2024", "4"),
    ("tests: 12\n3/4 passed", "12"),
    ("found 3\n\n1/3 the first", "3"),
    ("planned for 2026 5/12", "2026"),
    ("at 5 12/24", "5"),
    ("tests: 12\n3/4 passed", "3/4"),
    ("in 2026 1/3 of them", "1/3"),
    ("step 2: 1/2 a cup", "1/2"),
    ("4 1/2 cups", "4 1/2"),
    ("4 5/3", "5/3"),
    ('4<span style="color: red">.25</span>%', "4.25"),
    ("<strong>Bank</strong> of <i>England</i>", "bank of england"),
    ("<b>bold</b>", "<b>bold</b>"),
    ("use `<strong>` here", "strong"),
    ("it is 4.25<sup>[1]</sup>", "4.25"),
    ("the 4<sup>th</sup>", "4th"),
    ("CO<sub>2</sub>", "CO2"),
    ("x <y> z", "y"),
    ("4.25<br>5", "4.25"),
    ("_4.25_", "4.25"),
    ("`4.25`", "4.25"),
    ("Bank of **England**", "bank of england"),
    ("the **very** *Bank of England*", "very bank of england"),
    ("[Bank](https://example.com)", "bank"),
    ("Bank\n of  England", "bank of england"),
    ("Bank\u00a0Rate", "bank rate"),
    ("“Bank”", "bank"),
    ("it’s", "it's"),
    ("the Bank's rate", "bank"),
    ("l’eau", "eau"),
    ("co‑op", "co-op"),
    ("rate-setting", "rate"),
    ("don't", "don't"),
    ("ab\u00adcd", "abcd"),
    ("in C++.", "C++"),
    ("#1", "#1"),
    ("a .env file", ".env"),
    ("R&D", "R&D"),
    ("wow!!", "wow!"),
    ("__init__", "init"),
    ("thumbs 👍 up", "👍"),
    ("~~4.25~~ 4.5%", "4.5%"),
    ("~4.25 or ~5", "4.25"),
    ("12/05/2024", "2024"),
    ("2024/05/03", "2024"),
    ("<b>4.25</b>", "4.25"),
    ("> 4.25 it is", "4.25"),
    ("Rates:\n> 4.25", "4.25"),
    ("5.25 -> 4.25", "4.25"),
    ("C/C++", "C"),
    ("C, not C++", "C"),
    ("4.25±0.1", "4.25"),
    ("co-operate", "operate"),
    ("18+", "18"),
    ("the ex-governor, and the governor", "governor"),
    ("issue#4", "issue"),
    ("vitamin C.", "C"),
    ("<s>4", "4"),
    ("~~ 4.25", "4.25"),
    ("4.25 / month", "4.25"),
    ("C-rich", "C"),
    ("Rio-de-Janeiro", "Janeiro"),
    ("24/7 and 7", "7"),
    ("rate: **4.25**/yr", "4.25"),
    ("~~x\n\ny 4.25~~", "4.25"),
    ("1,1,1", "1,1,1"),
    ("page 4/page 5", "4"),
    ("2x 4.25", "4.25"),
]

NOT_SAID = [
    ("4 ½", "4"),
    ("4 1/2 percent", "4"),
    ("4-1/2", "4"),
    ("4 1/2 cups", "1/2"),
    ("4 ½ cups", "½"),
    ("4½ cups", "½"),
    ("4.25 × 10⁶", "4.25"),
    ("4.25 × 10^6", "4.25"),
    ("&lt;4.25", "4.25"),
    ("&minus;4.25", "4.25"),
    ("&#45;4.25", "4.25"),
    ("4<b>.25</b>", "4"),
    ("1<b>4.25</b>", "4.25"),
    ("4<sup>2</sup>", "4"),
    ("4<sup>2</sup>", "42"),
    ("10<sup>-3</sup>", "10"),
    ("CO<sub>2</sub>", "CO"),
    ("held <!-- at 4.25 --> firm", "4.25"),
    ("b<b>anks</b>", "anks"),
    ("14.25", "4.25"),
    ("4.256", "4.25"),
    ("4.25.1", "4.25"),
    ("0.04.25", "4.25"),
    ("-4.25", "4.25"),
    ("−4.25", "4.25"),
    ("(-4.25)", "4.25"),
    ("Rate: -4.25%", "4.25"),
    ("-£4.25", "4.25"),
    ("-£4.25", "£4.25"),
    ("£-4.25", "4.25"),
    ("-**4.25**", "4.25"),
    ("3-4.25", "-4.25"),
    ("--4.25", "-4.25"),
    ("£4.256", "£4.25"),
    ("14.25%", "4.25%"),
    ("4.25%ile", "4.25%"),
    ("£4.25m", "4.25"),
    ("Q4", "4"),
    ("10²", "10"),
    ("4.25", ".25"),
    (".25", "25"),
    ("4,25", "4"),
    ("10:25", "25"),
    ("4:25", "4"),
    ("1,234", "234"),
    ("1,234", "1"),
    ("1,234,567", "1,234"),
    ("11,234", "1,234"),
    ("1\u202f234", "234"),
    ("1'234", "234"),
    ("1**4.25**", "4.25"),
    ("4**.25**", "4"),
    ("3*4", "34"),
    ("1\u200b4.25", "4.25"),
    ("５４", "4"),
    ("banks", "bank"),
    ("bank", "banks"),
    ("can't", "can"),
    ("can’t", "can"),
    ("cannot", "can"),
    ("snake_case", "snake"),
    ("cafe\u0301", "cafe"),
    ("x\u0302", "x"),
    ("की", "क"),
    ("バスケット", "バス"),
    ("C++", "C+"),
    ("C++17", "C++"),
    ("C##", "C#"),
    ("prod.env", ".env"),
    ("alice@bob", "@bob"),
    ("foo-v", "-v"),
    ("U.S.A.", "U.S."),
    ("", "a"),
    ("a", "\u200b"),
    ("C++ code", "C"),
    ("C#", "C"),
    ("C# and F#", "C"),
    ("held at ~~4.25~~ 4.5%", "4.25"),
    ("~4.25~ 4.5", "4.25"),
    ("<del>4.25</del> 4.5", "4.25"),
    ("<S class='x'>4.25</s>", "4.25"),
    ("non-existent", "existent"),
    ("un-held", "held"),
    ("anti-bank", "bank"),
    ("ex-bank", "bank"),
    ("non‑**existent**", "existent"),
    ("±4.25", "4.25"),
    ("± 4.25", "4.25"),
    ("1/4.25", "4.25"),
    ("4.25/5", "4.25"),
    ("10^4.25", "4.25"),
    ("4.25×10³", "4.25"),
    ("nut-free", "nut"),
    ("A+", "A"),
    ("A-", "A"),
    ("√4.25", "4.25"),
    ("≠ 4.25", "4.25"),
    ("minus 4.25", "4.25"),
    ("1÷4", "4"),
    ("1⁄4", "4"),
    ("<4.25", "4.25"),
    ("it is > 4.25", "4.25"),
    ("(the rate) >4.25", "4.25"),
    ("~~a ~ 4.25~~", "4.25"),
    ("~~4.25~~", "4.25"),
    ("C**++**", "C"),
    ("Disney+", "Disney"),
    ("2**4", "2"),
    ("1/**4**", "4"),
]


@pytest.mark.parametrize(("reply", "word"), SAID)
def test_a_whole_word_is_said(reply: str, word: str) -> None:
    """The word is there, whatever is around it."""
    assert says(reply, word)


@pytest.mark.parametrize(("reply", "word"), NOT_SAID)
def test_a_part_of_something_else_is_not_said(reply: str, word: str) -> None:
    """Seen in the original: 4.25 was found in 14.256."""
    assert not says(reply, word)


def test_a_pattern_is_searched_and_a_tuple_is_any_of() -> None:
    """Patterns see the reply as it was written; of a tuple one word is enough."""
    assert says("It HELD", re.compile("HELD"))
    assert not says("It HELD", re.compile("held"))
    assert says("it held", ("kept", "held"))
    assert not says("it rose", ("kept", re.compile("held")))


@pytest.mark.parametrize(
    "text", ["", " ", "\n\t", "\u200b", "\ufeff", "\u00ad\u2060", "\u3164", "\u2800", "\x00\x1b", "\u00a0"]
)
def test_what_nobody_sees_is_blank(text: str) -> None:
    """Spaces, control characters and characters without a shape are no reply."""
    assert is_blank(text)


@pytest.mark.parametrize("text", [".", "👍", "0", "\ud800", "é", "中"])
def test_what_somebody_sees_is_not_blank(text: str) -> None:
    """One character is enough."""
    assert not is_blank(text)


HOSTILE = [
    "4.25" * 25_000,
    "a" * 100_000,
    "*4.25" * 20_000,
    "*" * 100_000,
    "é" * 100_000,
    "a" + "\u0301\u0316" * 50_000,
    "\u0f74\u0f72\u0f71" * 30_000,
    "_a" * 50_000,
    "can't " * 16_000,
    " " * 100_000,
    "1," * 50_000,
    "*1*," * 25_000,
    "~~a " * 25_000,
    "~a " * 33_000,
    "<s>" * 33_000,
    "<b" * 50_000,
    "<a x=" * 20_000,
    "<!--" * 25_000,
    "`a" * 50_000 + "\n<b>",
    "<b " + " " * 100_000,
    "<a\n" * 33_000,
    "<s " * 33_000 + "</s>",
    "\u202f1" * 50_000,
    "can-" * 25_000,
]


@pytest.mark.parametrize("reply", HOSTILE, ids=lambda text: ascii(text[:6]))
def test_reading_takes_time_that_grows_with_the_length_only(reply: str) -> None:
    """A tenth of a megabyte of anything is read at once, ten thousand characters of it no slower than a tenth of that."""
    for word in ("4.25", "can", "a" * 40):
        folded.cache_clear()
        began = time.process_time()
        says(reply, word)
        assert time.process_time() - began < 2


@pytest.mark.parametrize("unit", ["1,", "\x1b[31m", "x", "\u0301", "*1*,", "4.25x"], ids=ascii)
def test_ten_megabytes_of_anything_are_read_in_a_moment(unit: str) -> None:
    """A second or so, also where the word is there all along as a part of something else."""
    reply = unit * (10_000_000 // len(unit))
    began = time.process_time()
    assert not any(says(reply, word) for word in ("4.25", "1,2"))
    assert time.process_time() - began < 8
    folded.cache_clear()


def test_a_word_is_not_looked_for_without_end() -> None:
    """After so many that are a part of something else, it was not said."""
    assert says("non-x " * 10 + "and x", "x")
    assert not says("non-x " * TRIES + "and x", "x")
