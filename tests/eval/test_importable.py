"""Where modules of the user's are found that stand beside nobody."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from brute.eval import Case, Suite, importable
from brute.eval.keying import Keys

AGENTS = {
    "import myapp.tools": "src/myapp/tools.py",
    "from myapp.tools import V": "src/myapp/tools.py",
    "from myapp import tools": "src/myapp/__init__.py",
    "import importlib\n\nV = importlib.import_module('dynamic').V": "src/dynamic.py",
    "import importlib\n\nV = importlib.import_module('.tools', __package__)": "src/myapp/tools.py",
    "V = __import__('dynamic').V": "src/dynamic.py",
    "def late():\n    from loose.part import V": "src/loose/part.py",
    "import outer": "lib/outer.py",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose agent lies in a package that is found on the path, and not beside it."""
    texts = {
        "src/myapp/__init__.py": "",
        "src/myapp/tools.py": "from .deep import V\n",
        "src/myapp/deep.py": "V = 1\n",
        "src/dynamic.py": "V = 1\n",
        "src/loose/part.py": "V = 1\n",
        "lib/outer.py": "V = 1\n",
        "lib/site-packages/bought.py": "V = 1\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    paths = [str(tmp_path / name) for name in ("src", "lib", "lib/site-packages", "nowhere")]
    # Without the folders that other tests have left there.
    kept = [path for path in sys.path if not os.path.realpath(path).startswith(os.path.realpath(tmp_path.parents[1]))]
    monkeypatch.setattr(sys, "path", [*kept, *paths])
    return tmp_path


def agent_key() -> bytes | None:
    """What the agent of the project is; it is not loaded to find out."""
    suite = Suite("src/myapp/agent.py", [Case("a", said="b")])
    return Keys(suite.plan(), suite.builder, suite.world).agent


@pytest.mark.parametrize("line", AGENTS)
def test_a_module_that_is_imported_absolutely_is_part_of_the_agent(line: str, project: Path) -> None:
    """However it is imported, and with what it imports in turn; without being executed."""
    (project / "src/myapp/agent.py").write_text(f"{line}\n\nagent = None\n")
    before, loaded = agent_key(), set(sys.modules)
    assert before is not None
    with (project / AGENTS[line]).open("a") as opened:
        opened.write("raise SystemExit\n")
    changed = agent_key()
    assert changed not in (None, before)
    if "tools" in AGENTS[line]:
        (project / "src/myapp/deep.py").write_text("V = 22\n")
        assert agent_key() != changed
    assert not {name for name in set(sys.modules) - loaded if name.startswith(("myapp", "dynamic", "outer"))}


def test_a_prompt_beside_such_a_module_is_part_of_the_agent(project: Path) -> None:
    """A module that names a prompt means the folder that it lies in itself."""
    (project / "src/myapp/agent.py").write_text("import outer\n\nagent = None\n")
    (project / "lib/outer.py").write_text("V = 'rules.md'\n")
    (project / "lib/rules.md").write_text("Be brief.")
    before = agent_key()
    (project / "lib/rules.md").write_text("Be rude.")
    assert agent_key() != before


def test_what_is_installed_is_never_the_users_own(project: Path) -> None:
    """Neither a library nor the standard library, nor a name that nobody knows."""
    for name in ("bought", "json", "os.path", "brute.eval", "pytest", "nobody.knows", ""):
        assert list(importable.places(name)) == []
    assert importable.is_installed(os.__file__)
    assert importable.is_installed(os.path.join(sysconfig.get_paths()["purelib"], "x.py"))
    assert not importable.is_installed(str(project / "site-packages.py"))


def test_a_library_that_is_installed_for_editing_is_the_users_own(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its finder knows where it lies; one that breaks costs nothing."""
    (project / "edited").mkdir()
    (project / "edited/__init__.py").write_text("")

    def found(name: str, path: Any) -> Any:
        if name != "edited":
            raise KeyError(name)
        return SimpleNamespace(origin=str(project / "edited/__init__.py"))

    finder = SimpleNamespace(find_spec=found, __module__="__editable___edited_finder")
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, finder])
    assert list(importable.places("edited.deep")) == [str(project / "edited/__init__.py")]
    assert list(importable.places("other")) == []
