"""The pictures of the README: what they show is what a run says, and they reach for nothing."""

from __future__ import annotations

import html
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from brute import agent
from brute.eval import Case, Suite
from brute.loading import load_file
from brute.testing import Script

ROOT = Path(__file__).resolve().parents[2]
DRAWING = load_file(ROOT / "docs" / "screenshots.py")
PICTURES = {verb: (DRAWING.PICTURES / f"{verb}.svg").read_text(encoding="utf-8") for verb in DRAWING.RUNS}
NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"'
HOSTILE = "]]></text></svg><script>alert(1)</script>\x1b[2J\x00 https://evil.example \u65e5\u672c\u8a9e \U0001f600"


def told(picture: str) -> str:
    """The text of a picture, row by row."""
    rows: dict[float, str] = {}
    for y, text in re.findall(r'<text [^>]*y="([\d.]+)"[^>]*>(.*?)</text>', picture):
        rows[float(y)] = rows.get(float(y), "") + html.unescape(text).replace("\xa0", " ")
    return " ".join(" ".join(text for _, text in sorted(rows.items())).split())


@pytest.mark.parametrize("verb", PICTURES)
def test_a_picture_reaches_for_nothing(verb: str) -> None:
    """It is well-formed, links no font and no page, runs nothing, and names no folder of the machine that drew it."""
    picture = PICTURES[verb]
    ElementTree.fromstring(picture)
    rest = picture.replace(NAMESPACE, "", 1)
    for sign in (
        "://",
        "@import",
        "@font-face",
        "<script",
        "<image",
        "href",
        "/home/",
        "/root",
        "/tmp",
        "/Users/",
        "C:\\",
    ):
        assert sign not in rest, sign
    assert all(url.startswith("url(#") for url in re.findall(r"url\([^)]*", rest))
    assert re.search(r'role="img"', picture)


@pytest.mark.parametrize("verb", PICTURES)
def test_a_picture_shows_a_whole_run_of_today(verb: str) -> None:
    """Every case of the eval file stands in it, with how the run ended; drawn anew when the cases change."""
    text = told(PICTURES[verb])
    suite = load_file(ROOT / "examples" / "quickstart" / DRAWING.RUNS[verb]).SUITE
    assert all(case.name in text for case in suite.cases)
    passed = "8 of 8 cases passed" if verb == "quickstart" else "0 of 2 cases passed"
    assert f"$ python3 dev.py {verb}" in text
    assert passed in text
    assert "stood still" not in text, "the machine was busy: draw it again"


def test_the_readme_shows_both_at_the_top() -> None:
    """A run that passed, then one that failed, before the first heading."""
    top = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## ")[0]
    assert re.findall(r"!\[[^\]]{40,}\]\((\S+)\)", top) == [f"docs/screenshots/{verb}.svg" for verb in DRAWING.RUNS]


def test_what_is_drawn_is_the_report_of_a_run() -> None:
    """With the steps of a turn that failed, and nothing that a model says gets out of its text."""
    suite = Suite(lambda: agent().run(Script([HOSTILE])), [Case("stays silent", said="hello", silent=True)], log=None)
    picture = DRAWING.drawn(suite, "untruths")
    ElementTree.fromstring(picture)
    text = told(picture)
    assert "failed stays silent" in text
    assert "> assistant | ]]></text></svg><script>alert(1)</script>\\u001b[2J\\u0000" in text
    assert "^ reply.unwanted" in text
    assert "<script" not in picture
    assert suite.report is None
