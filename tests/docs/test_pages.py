"""The Python of the pages in docs/: every snippet runs, one after the other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from brute.hooks import EVENTS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(page.name for page in DOCS.glob("*.md") if "```python\n" in page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", PAGES)
def test_the_snippets_of_a_page_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page's snippets are one program, which ends without an error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    (tmp_path / "agent.py").write_text("import brute\n\nagent = brute.agent().run(lambda env: 'hello')\n")
    program = "\n".join(re.findall(r"```python\n(.*?)```", (DOCS / name).read_text(encoding="utf-8"), re.S))
    exec(compile(program, name, "exec"), {"__name__": "a_page_of_the_docs"})


def test_the_page_on_agents_names_every_event() -> None:
    """No event is left out of the table of hooks."""
    assert all(f"`{event}`" in (DOCS / "agents.md").read_text(encoding="utf-8") for event in EVENTS)


def test_no_link_between_the_pages_is_broken() -> None:
    """Every relative link of a page leads to a file."""
    for page in DOCS.glob("*.md"):
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert "://" in link or (page.parent / link).exists(), f"{page.name}: {link}"
