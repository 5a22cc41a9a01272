"""Markdown: the golden file, and text that would be a link, a mention, HTML or another cell."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from brute.eval import Attempt, Case, Failure, Report
from brute.eval.arguments import Place
from brute.eval.reporters.markdown import cell, code, markdown
from tests.eval.reporters.sample import ATTEMPTS, HOSTILE, PLACES, REPORT, attempt, transcript
from tests.support.golden import same_as_golden

GOLDEN = Path(__file__).parent / "golden"
READER = MarkdownIt("commonmark").enable("table")
OURS = re.compile(r"</?details>|<summary>\S+ (passed|failed|error|cancelled) <code>|</code></summary>|\s")
EVIL = (
    "@everyone #1 [x](https://evil.example) ![x](https://evil.example/p.png) <img src=x onerror=alert(1)> https://evil.example "
    "a@b.example | `` ` ``` ~~~ \\| \\\\| `|` </code></summary></details> **b** \n\n# h\n\n| a |\n|---|\n| b |\n```\n~~~\n<script>alert(1)</script>"
)


def written(report: Report = REPORT) -> str:
    """The file that is written about a run."""
    return "".join(markdown(report, PLACES))


def flat(tokens: list[Token]) -> Iterator[Token]:
    """All tokens, those inside of others too."""
    for token in tokens:
        yield token
        yield from flat(token.children or [])


def harmless(text: str) -> list[Token]:
    """The tokens, once it was seen that none is a link or a picture, and no HTML but ours is there."""
    tokens = list(flat(READER.parse(text)))
    assert not {token.type for token in tokens} & {"link_open", "image", "strong_open"}
    for token in tokens:
        if token.type in ("html_block", "html_inline"):
            inner = re.sub(r"(?<=<code>)[^<>]*(?=</code>)", "", token.content)
            assert OURS.sub("", inner) == "", token.content
    return tokens


def evil(text: str) -> Report:
    """A run of two cases in which the text is everywhere."""
    case = Case(f"a {text}", said=text)
    seen = transcript(text, notes=[text], published=[text])
    made = attempt(case, "failed", Failure("check", text, detail=text), seen=seen, suite=f"suite {text}")
    return Report(attempts=(made, ATTEMPTS[0]), notes=(text,), stopped=text)


def test_a_run_with_everything_in_it() -> None:
    """The whole of it on the sample, hostile text included, is the golden one."""
    harmless(written())
    same_as_golden(written(), GOLDEN / "report.md")


def test_a_run_in_which_all_passed() -> None:
    """Has a table, and nothing to open."""
    text = written(Report(attempts=ATTEMPTS[2:3], seconds=2.0))
    assert text.startswith("## brute eval: 1 passed in 2.0 s\n")
    assert "<details>" not in text


def test_nothing_ran() -> None:
    """A run without an attempt has no table."""
    assert "|" not in written(Report())


def test_what_did_not_pass_comes_first() -> None:
    """Failed before error before cancelled before passed."""
    rows = [line.split(" | ")[0] for line in written().splitlines() if line.startswith("| ")][1:]
    assert rows == ["| ❌ failed"] * 3 + ["| ⚠️ error"] * 2 + ["| 🚫 cancelled", "| ✅ passed"]


@pytest.mark.parametrize(
    "text", [EVIL, HOSTILE, "`", "``a", "a`", " ", "\\", "|", "\\|", "<!--", "a\u2028b", "~~~\n```\n````"]
)
def test_no_text_gets_out_of_its_place(text: str) -> None:
    """The table has as many cells as it should, and all of the text stands in code."""
    tokens = harmless(written(evil(text)))
    rows = [token for token in tokens if token.type == "tr_open"]
    cells = [token for token in tokens if token.type in ("td_open", "th_open")]
    assert (len(rows), len(cells)) == (3, 21)
    said = " ".join(token.content for token in tokens if token.type == "text")
    assert "evil" not in said
    assert "@" not in said
    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h2"]


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("`|\\ <>@[]()!*_~#\n-ab&;:"), max_size=30))
def test_whatever_text_there_is(text: str) -> None:
    """Any mixture of what means something in Markdown."""
    tokens = harmless(written(evil(text)))
    assert len([token for token in tokens if token.type in ("td_open", "th_open")]) == 21


@settings(deadline=None)
@given(st.text(st.sampled_from("`a| \\"), min_size=1, max_size=20))
def test_a_code_span_is_read_as_it_was_meant(text: str) -> None:
    """All of the text is in one span, and comes back out of it."""
    if not text.strip():
        assert code(text) == ""
        return
    (inline,) = [token for token in READER.parse(f"x {code(text)} y") if token.type == "inline"]
    spans = [token for token in inline.children or [] if token.type == "code_inline"]
    assert [token.content for token in spans] == [text.strip()]


def test_a_bar_in_a_cell_is_a_bar() -> None:
    """A pattern is read as it was written; after a backslash, readers differ, and it is written out."""
    table = f"| a |\n|---|\n| {cell('matching /bank|rate/i')} |\n"
    assert "<code>matching /bank|rate/i</code>" in READER.render(table)
    assert cell("a\\|b") == "`a\\\\u007cb`"


def test_it_is_no_longer_than_a_comment_may_be() -> None:
    """However many cases fail with however much text; how many are left out is said."""
    made: list[Attempt] = []
    for number in range(2000):
        case = Case(f"case {number} {EVIL * 10}", said=EVIL * 50)
        made.append(attempt(case, "failed", Failure("check", EVIL * 50, detail=EVIL * 50), seen=transcript(EVIL * 50)))
    text = written(Report(attempts=tuple(made), notes=(EVIL * 100,) * 100, stopped=EVIL * 100))
    assert len(text.encode()) < 65_000
    assert re.search(r"^\| \| \.\.\. and 1,9\d\d more cases \| \|", text, re.M)
    assert re.search(r"^\.\.\. and 1,9\d\d more cases$", text, re.M)
    harmless(text)


def test_several_attempts_are_told_by_the_first_that_failed() -> None:
    """And how many are like it."""
    made = [dataclasses.replace(ATTEMPTS[1], number=n) for n in (1, 2, 3)]
    text = written(Report(attempts=tuple(made)))
    assert "and 2 more attempts like it" in text
    assert text.count("<details>") == 1


def test_a_place_is_shown() -> None:
    """The file and the line, inert."""
    text = "".join(markdown(Report(attempts=ATTEMPTS[4:5]), {("", "raises"): Place("a`b.py", 7)}))
    assert "``a`b.py:7``" in text


def test_a_secret_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is clipped."""
    secret = "k-" + "9z" * 300
    monkeypatch.setenv("MY_API_KEY", secret)
    text = written(evil(secret))
    assert "9z9z" not in text
    assert "***MY_API_KEY***" in text


def test_one_long_case_costs_the_others_nothing() -> None:
    """It is shortened, and each has its share: characters of three bytes fill a comment sooner."""
    long = ("\u8fd9\u662f\u4e00\u4e2a\u5f88\u957f\u7684\u56de\u7b54\uff0c" * 40 + "\n") * 60
    made = [
        attempt(Case(f"{n}", said=long), "failed", Failure("check", long, detail=long), seen=transcript(long))
        for n in range(4)
    ]
    text = written(Report(attempts=tuple(made)))
    assert text.count("<details>") == text.count("</details>") == 4
    assert "more case" not in text
    assert len(text.encode()) < 61_000
    harmless(text)


@pytest.mark.parametrize("text", ["\U000e0041" * 600, "`" * 600, "\\|" * 600, "<" * 600, "\u8fd9" * 600])
def test_nothing_that_is_written_out_makes_it_longer_than_a_comment(text: str) -> None:
    """Not in notes, which are a part of it, nor anywhere else."""
    notes = tuple(f"{text}{n}" for n in range(20))
    made = [
        attempt(
            Case(f"{n} {text}", said=text), "failed", Failure("check", text, detail=text), seen=transcript(text * 20)
        )
        for n in range(60)
    ]
    whole = written(Report(attempts=tuple(made), notes=notes, stopped=text))
    assert len(whole.encode()) < 61_000
    assert whole.count("<details>") == whole.count("</details>") >= 3
    harmless(whole)
    alone = written(Report(attempts=tuple(made[:1]), notes=notes))
    assert "<details>" in alone


def test_the_notes_that_there_is_no_room_for_are_counted() -> None:
    """Each is a line of the head."""
    text = written(Report(notes=tuple("\u8fd9" * 490 for _ in range(30))))
    assert re.search(r"^- and 2\d more notes$", text, re.M)
