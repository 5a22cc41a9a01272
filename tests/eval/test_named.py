"""The files and settings that the texts of an agent's file mean."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from brute.eval import named, sources

NAMES = {
    "Path('data.bin')": "data.bin",
    "open('.env')": ".env",
    "open('./prompt.md')": "prompt.md",
    "Path(__file__).with_suffix('.prompt')": "agent.prompt",
    "from dotenv import load_dotenv": ".env",
    "import dotenv.main": ".env",
    "glob.glob('prompts/*.md')": "prompts/b.md",
    "glob.glob('prompts/**/*.md', recursive=True)": "prompts/deep/b.md",
    "glob.glob('prompts/*')": "prompts/b.txt",
    "glob.glob('plugins/*.py')": "plugins/b.py",
    "glob.glob('prompts/[ab].xsl')": "prompts/a.xsl",
    "os.listdir('prompts')": "prompts/deep/c.txt",
}

UNNAMED = {
    "Path('data.bin')": "data2.bin",
    "glob.glob('prompts/*.md')": "prompts/b.txt",
    "glob.glob('prompts/*.txt')": "prompts/deep/b.txt",
    "glob.glob('*')": "b.csv",
    "Path('../x.md')": "../x.md",
    "glob.glob('../*.md')": "../x.md",
    "sqlite3.connect('memory.db')": "memory.db",
    "open('Makefile')": "Makefile",
    "open('prompts/.git')": "prompts/.git/x.md",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an agent and a folder of prompts."""
    here = tmp_path / "here"
    for name in ("prompts/deep", "prompts/.git", "plugins"):
        (here / name).mkdir(parents=True)
    (here / "prompts/a.md").write_text("Be brief.")
    monkeypatch.chdir(here)
    return here


def digest(text: str) -> bytes:
    """What an agent file with this text is made of."""
    Path("agent.py").write_text(text)
    return sources.digest("agent.py", beside=True)


@pytest.mark.parametrize("text", NAMES)
def test_a_file_that_comes_to_be_and_changes_is_seen(text: str, folder: Path) -> None:
    """By its path, its folder, a pattern or its suffix."""
    found = [digest(text)]
    for content in ("one", "two"):
        (folder / NAMES[text]).write_text(content)
        found.append(digest(text))
    assert len(set(found)) == 3


@pytest.mark.parametrize("text", UNNAMED)
def test_what_is_not_meant_is_no_part(text: str, folder: Path) -> None:
    """Another name, another folder, and what a program writes while it runs."""
    before = digest(text)
    (folder / UNNAMED[text]).write_text("one")
    assert digest(text) == before


def test_a_new_credential_in_a_file_of_settings_is_no_change(folder: Path) -> None:
    """As it is none in the environment; every other line counts."""
    text = "import dotenv"
    (folder / ".env").write_text("MODEL=m1\nexport TEST_API_KEY='0123abcdef'\n")
    before = digest(text)
    (folder / ".env").write_text("MODEL=m1\nexport TEST_API_KEY='9876abcdef'\n")
    assert digest(text) == before
    (folder / ".env").write_text("MODEL=m2\nexport TEST_API_KEY='9876abcdef'\n")
    assert digest(text) != before


@pytest.mark.parametrize(
    "text", ["[z-a]*", "**", "[", "/**/*", "~/*", "?" * 190, "**/[a]/**", "\udcff*", "..", "*\n*", "../**/../here/x*"]
)
def test_odd_patterns_cost_no_crash(text: str, folder: Path) -> None:
    """And leave the folder nowhere."""
    assert all(file.startswith(f"{folder}{os.sep}") for file in named.files(str(folder), {text}))


def test_a_folder_is_looked_at_so_far(folder: Path) -> None:
    """A pattern for any depth, in a folder of very many, has an end."""
    for number in range(named.MOST + 20):
        (folder / f"prompts/{number}.md").touch()
    for text in ("prompts/**/*.md", "prompts/*.md", "prompts"):
        assert len(named.files(str(folder), {text})) == named.MOST


def test_settings_are_those_that_are_there_and_no_credentials() -> None:
    """Nor what a shell changes by itself; two of the same value are told apart by their names."""
    environ = {
        "MODEL": "0123abcdef",
        "TEST_API_KEY": "0123abcdef",
        "_": "/bin/x",
        "PWD": "/",
        "OTHER": "1",
        "TEST_TOKEN": "0123abcdef",
    }
    assert named.settings({*environ, "NONE"} - {"OTHER"}, environ) == ["MODEL"]
