"""What an agent's file executes, and that a change of it is another agent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from brute.eval import Case, Suite, sources
from brute.eval.keying import Keys

EXECUTES = {
    "an alias": "from importlib import import_module as im\n\nim('pk.hlp')\n",
    "a constant": "import importlib\n\nM = 'pk.hlp'\nimportlib.import_module(M)\n",
    "a constant of a class": "import importlib\n\n\nclass Names:\n    M = 'pk.hlp'\n\n\nimportlib.import_module(Names.M)\n",
    "some of a list": "import importlib\n\nALL = [importlib.import_module(name) for name in ('pk', 'pk.hlp')]\n",
    "a place in it": "import pkgutil\n\nagent = pkgutil.resolve_name('pk.hlp:agent')\n",
    "a star": "from pk import *\n",
    "a module that is run": "import runpy\n\nrunpy.run_module('pk.hlp')\n",
    "a file that is run": "import runpy\n\nrunpy.run_path('pk/hlp.py')\n",
    "a file that is loaded": "from importlib.util import spec_from_file_location as spec\n\nspec('x', 'pk/hlp.py')\n",
    "a server": "import subprocess, sys\n\nsubprocess.Popen([sys.executable, 'pk/hlp.py'])\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a package whose module imports another that lies beside the package."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pk").mkdir()
    (tmp_path / "pk/__init__.py").write_text("__all__ = ['hlp']\n")
    (tmp_path / "pk/hlp.py").write_text("import deep\n")
    (tmp_path / "pk/other.py").write_text("X = 1\n")
    (tmp_path / "deep.py").write_text("X = 1\n")
    return tmp_path


def agent_key() -> bytes:
    """What the agent of the folder is."""
    suite = Suite(os.path.abspath("agent.py"), [Case("a", said="b")])
    keys = Keys(suite.plan(), suite.builder, suite.world)
    assert keys.agent is not None
    return keys.agent


@pytest.mark.parametrize("way", EXECUTES)
def test_what_an_agent_executes_by_a_name_that_stands_in_it_is_part_of_it(way: str, folder: Path) -> None:
    """With what that imports; another module beside it is no part of the agent."""
    (folder / "agent.py").write_text(f"{EXECUTES[way]}\nagent = None\n")
    before = agent_key()
    (folder / "pk/other.py").write_text("X = 22\n")
    assert agent_key() == before
    (folder / "deep.py").write_text("raise SystemExit\n")
    changed = agent_key()
    assert changed != before
    (folder / "pk/hlp.py").write_text("import deep\n\nraise SystemExit\n")
    assert agent_key() != changed


@pytest.mark.parametrize("change", ["pk/hlp.py", "deep.py"])
def test_a_text_is_no_module_where_nothing_imports_by_a_text(change: str, folder: Path) -> None:
    """A word that is the name of a module beside is a word."""
    (folder / "agent.py").write_text("agent = 'pk.hlp', 'deep'\n")
    before = sources.digest("agent.py")
    (folder / change).write_text("X = 22\n")
    assert sources.digest("agent.py") == before


@pytest.mark.parametrize(
    "text", ["__all__ += 1, None", "__all__: list", "__all__ = x()", "(", "\x00", "__all__ = '.', ''"]
)
def test_an_odd_file_costs_no_crash(text: str, folder: Path) -> None:
    """It is what it says."""
    (folder / "pk/__init__.py").write_text(text)
    (folder / "agent.py").write_text(
        "import importlib\nfrom pk import *\n\nimportlib.import_module('..')\nX = '', ':', '.:.'\n"
    )
    before = sources.digest("agent.py")
    (folder / "pk/__init__.py").write_text(f"{text} ")
    assert sources.digest("agent.py") != before
