"""The page as bytes: one file whose data no text can end. What it does in a browser is in `test_page.py`."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brute.eval import Call, Case, Failure, Report
from brute.eval.reporters.attempted import ALL, EACH
from brute.eval.reporters.html import html
from tests.eval.reporters.sample import ATTEMPTS, HOSTILE, PLACES, REPORT, attempt, transcript
from tests.support.golden import same_as_golden

GOLDEN = Path(__file__).parent / "golden"
EVIL = "</script><script>alert(1)</script><!--<script> ]]> --> <img src=x onerror=alert(1)> &lt;/script&gt; \u2028 javascript:alert(1)"


class Blocks(HTMLParser):
    """What a browser takes for scripts, and everything else that it finds."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.texts.append("")
        self.open = True

    def handle_endtag(self, tag: str) -> None:
        self.open = False

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts[-1] += data


def written(report: Report = REPORT) -> str:
    """The file that is written about a run."""
    return "".join(html(report, PLACES))


def read(report: Report = REPORT) -> tuple[dict[str, Any], Blocks]:
    """The data by its block, and all that is in the page."""
    found = Blocks()
    found.feed(written(report))
    found.close()
    scripts = [(about, text) for (tag, about), text in zip(found.tags, found.texts, strict=True) if tag == "script"]
    return {
        str(about["id"]): json.loads(text) for about, text in scripts if about.get("type") == "application/json"
    }, found


def test_a_run_with_everything_in_it() -> None:
    """The data on the sample, hostile text included, is the golden one."""
    data, _ = read()
    same_as_golden(json.dumps(data, indent=1, ensure_ascii=True) + "\n", GOLDEN / "page.json")


def test_one_file_that_needs_nothing_else() -> None:
    """No tag names an address, and the policy lets nothing but the page's own script and style through."""
    _, found = read()
    assert {tag for tag, _ in found.tags} == {
        "html",
        "head",
        "meta",
        "title",
        "link",
        "style",
        "body",
        "noscript",
        "main",
        "script",
    }
    assert [about.get("href") or about.get("src") for _, about in found.tags if "href" in about or "src" in about] == [
        "data:,"
    ]
    assert "@import" not in written()
    assert re.findall(r"url\(|https?://", written()) == ["http://"]  # the name of SVG
    (policy,) = [about["content"] for tag, about in found.tags if "http-equiv" in about]
    rules = dict(rule.strip().split(" ", 1) for rule in str(policy).split(";"))
    for name, tag in (("script-src", "script"), ("style-src", "style")):
        (text,) = [
            text
            for (other, about), text in zip(found.tags, found.texts, strict=True)
            if other == tag and "type" not in about
        ]
        assert rules.pop(name) == f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
    assert rules == {
        "default-src": "'none'", "img-src": "data:", "base-uri": "'none'", "form-action": "'none'",
        "require-trusted-types-for": "'script'", "trusted-types": "'none'",
    }  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.sampled_from([*"<>!-/& \n\u2028\ud800\x00]\"'\\", "script", "</script", "<!--", "-->"])).map("".join)
)
def test_no_text_gets_out_of_its_block(text: str) -> None:
    """As many blocks as there are attempts, and one for the list."""
    case = Case(f"a{text}", said=text)
    seen = transcript(
        text, calls=[Call(name=text, arguments={text: text}, result=text)], notes=[text], published=[text], stopped=text
    )
    made = attempt(case, "failed", Failure("check", text, text, text, text), seen=seen, suite=text)
    data, found = read(Report(attempts=(made, ATTEMPTS[0]), notes=(text,)))
    assert list(data) == ["t0", "t1", "report"]
    assert [tag for tag, _ in found.tags].count("script") == 4


def test_evil_text_is_read_as_it_was_written() -> None:
    """As data: what acts in a terminal is written out, what acts in HTML does nothing in a text node."""
    data, _ = read(Report(attempts=(attempt(Case("x", said="?"), "passed", seen=transcript(EVIL)),)))
    assert data["t0"]["steps"][1]["text"] == EVIL.replace("\u2028", "\\u2028")
    shown = read(Report(attempts=(attempt(Case("x", said="?"), "passed", seen=transcript(HOSTILE)),)))[0]["t0"][
        "steps"
    ][1]["text"]
    assert shown.replace("\n", "").isprintable()


def test_ten_megabytes_are_a_page_all_the_same() -> None:
    """So much of one text is shown, so much of an attempt, and how much was left out is said."""
    huge = EVIL * 80_000
    seen = transcript(huge, calls=[Call(name=f"f{n}", result=huge[:EACH]) for n in range(40)])
    text = written(
        Report(
            attempts=(attempt(Case("x", said=huge[:5000]), "failed", Failure("check", huge, detail=huge), seen=seen),)
        )
    )
    assert len(text) < 5 * ALL
    data, _ = read(Report(attempts=(attempt(Case("x", said="?"), "passed", seen=transcript("a" * EACH * 2)),)))
    assert data["t0"]["steps"][1]["text"].endswith(f"a\n... {EACH:,} more characters")


def test_what_is_not_known_is_not_nothing() -> None:
    """Neither tokens, nor cost, nor seconds, nor how often the agent is right."""
    cases = {case["name"]: case for case in read()[0]["report"]["cases"]}
    assert (cases["is down"]["tokens"], cases["is down"]["cost"], cases["raises"]["seconds"]) == (None, None, None)
    assert (cases["is down"]["graded"], cases["was not finished"]["graded"], cases["raises"]["graded"]) == (0, 0, 1)
    assert cases["searches for what it cannot know"]["tokens"] == {"known": 120, "all": False}


def test_a_secret_is_masked_before_it_is_clipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it lies across the end of what is shown."""
    secret = "k-" + "9z" * 400
    monkeypatch.setenv("MY_API_KEY", secret)
    seen = transcript(
        "a" * (EACH - 10) + secret, calls=[Call(name=secret, arguments={secret: secret}, result=secret, error=secret)]
    )
    made = attempt(
        Case(secret, said=secret), "failed", Failure("check", secret, secret, secret, secret), seen=seen, suite=secret
    )
    assert "9z9z" not in written(Report(attempts=(made,), notes=(secret,), stopped=secret))
