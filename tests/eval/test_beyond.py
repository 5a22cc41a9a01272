"""What a case's functions and a world reach beyond their globals, and that a change of it is seen."""

from __future__ import annotations

import functools
import sys
import threading
import types
from pathlib import Path
from typing import Any

import pytest

from brute.eval import Case, Suite
from brute.eval.fingerprint import Prints, Unkeyable
from brute.eval.keying import Keys, case_key
from brute.loading import load_file

WITHIN = {
    "from": "def chk(t):\n    from lim import L\n    return t.reply == L",
    "whole": "def chk(t):\n    import lim\n    return t.reply == lim.L",
    "renamed": "def chk(t):\n    import lim as other\n    return t.reply == other.L",
    "in a function within": "def chk(t):\n    def inner():\n        from lim import L\n        return L\n    return inner()",
    "in a comprehension": "def chk(t):\n    return [__import__('lim').L for _ in t]",
    "of a package": "def chk(t):\n    from pk import hlp\n    return hlp.L",
    "of a package, dotted": "def chk(t):\n    import pk.hlp\n    return pk.hlp.L",
    "by a text": "import importlib\n\n\ndef chk(t):\n    return importlib.import_module('lim').L",
    "by a file": "import runpy\n\n\ndef chk(t):\n    return runpy.run_path('lim.py')['L']",
    "in a function that is called": "def other():\n    from lim import L\n    return L\n\n\ndef chk(t):\n    return other()",
    "through another module": "def chk(t):\n    from outer import L\n    return t.reply == L",
}

WORLD = """
from brute.eval import World


class Room(World):
    def prepare(self, case):
        {}

    async def show(self, agent):
        pass
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with modules that a check may import, and without the settings that one may name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BRUTE_TEST_LIMIT", raising=False)
    (tmp_path / "pk").mkdir()
    for name, text in {
        "agent.py": "agent = None\n",
        "lim.py": "L = 1\n",
        "outer.py": "from lim import L\n",
        "pk/__init__.py": "",
        "pk/hlp.py": "from lim import L\n",
        "unused.py": "L = 1\n",
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def loaded(folder: Path, text: str) -> types.ModuleType:
    """What an eval file with this text holds."""
    (folder / "eval_it.py").write_text(text)
    return load_file(folder / "eval_it.py")


def key(folder: Path, text: str, **more: Any) -> bytes:
    """The key of a case whose check is the file's."""
    return case_key(Case("a", said="b", check=loaded(folder, text).chk, **more))


def world_key(folder: Path, line: str) -> bytes | None:
    """The key of a world whose `prepare` has this line."""
    room = loaded(folder, "import os\n" + WORLD.format(line)).Room
    suite = Suite("agent.py", [Case("a", said="b")], world=room)
    keys = Keys(suite.plan(), suite.builder, suite.world)
    world = keys.world
    assert keys.unkeyed == []
    return world


@pytest.mark.parametrize("way", WITHIN)
def test_a_module_that_a_check_imports_while_it_runs_is_part_of_the_case(way: str, folder: Path) -> None:
    """However it does, and with what that imports; another module beside is none of it, and nothing is imported to find out."""
    before = key(folder, WITHIN[way])
    (folder / "unused.py").write_text("L = 2\n")
    assert key(folder, WITHIN[way]) == before
    (folder / "lim.py").write_text("L = 2 / 0\n")
    assert key(folder, WITHIN[way]) != before


def test_a_relative_import_within_a_function_of_a_package_is_followed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As is one of a module that lies beside the package."""
    monkeypatch.syspath_prepend(str(folder))
    for line in ("from .hlp import L", "from . import hlp", "import lim"):
        for name in [name for name in sys.modules if name.partition(".")[0] == "pk"]:
            monkeypatch.delitem(sys.modules, name)
        (folder / "lim.py").write_text("L = 1\n")
        (folder / "pk/uses.py").write_text(f"def chk(t):\n    {line}\n")
        before = key(folder, "from pk.uses import chk")
        (folder / "lim.py").write_text("L = 22\n")
        assert key(folder, "from pk.uses import chk") != before


def test_a_stub_that_imports_is_followed_too(folder: Path) -> None:
    """Stubs and predicates are functions as checks are."""

    def made() -> list[bytes | None]:
        function = loaded(folder, WITHIN["from"]).chk
        return [
            case_key(Case("a", said="b", stubs={"s": function})),
            case_key(Case("a", said="b", calls={"s": {"x": function}})),
        ]

    before = made()
    (folder / "lim.py").write_text("L = 22\n")
    assert not set(before) & set(made())


def test_what_a_world_imports_while_it_prepares_is_part_of_it(folder: Path) -> None:
    """And the settings that it names."""
    before = world_key(folder, "from lim import L")
    (folder / "lim.py").write_text("L = 22\n")
    assert world_key(folder, "from lim import L") not in (None, before)


NAMED = {
    "get": "import os\n\n\ndef chk(t):\n    return t.reply == os.environ.get('BRUTE_TEST_LIMIT', '100')",
    "item": "from os import environ\n\n\ndef chk(t):\n    return t.reply == environ['BRUTE_TEST_LIMIT']",
    "getenv": "import os\n\n\ndef chk(t):\n    return [os.getenv('BRUTE_TEST_LIMIT') for _ in t]",
    "a constant": "import os\n\nNAME = 'BRUTE_TEST_LIMIT'\n\n\ndef chk(t):\n    return t.reply == os.environ[NAME]",
    "a default": "import os\n\n\ndef chk(t, name='BRUTE_TEST_LIMIT'):\n    return t.reply == os.environ[name]",
    "a function": "import os\n\n\ndef setting(name):\n    return os.environ[name]\n\n\ndef chk(t):\n    return setting('BRUTE_TEST_LIMIT')",
    "an import": "def chk(t):\n    from settings import limit\n    return limit()",
    "several": "import os\n\n\ndef chk(t):\n    for name in ('BRUTE_TEST_LIMIT', 'BRUTE_TEST_OTHER'):\n        os.getenv(name)",
}


@pytest.mark.parametrize("way", NAMED)
def test_a_setting_that_a_check_names_is_part_of_the_case(
    way: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it is set, and to what; other settings are not, and neither are credentials."""
    (folder / "settings.py").write_text("import os\n\n\ndef limit():\n    return os.environ['BRUTE_TEST_LIMIT']\n")
    found = [key(folder, NAMED[way])]
    for value in ("100", "200"):
        monkeypatch.setenv("BRUTE_TEST_LIMIT", value)
        found.append(key(folder, NAMED[way]))
    assert len(set(found)) == 3
    monkeypatch.setenv("BRUTE_TEST_UNNAMED", "x")
    assert key(folder, NAMED[way]) == found[-1]
    secret = NAMED[way].replace("LIMIT", "API_KEY")
    before = key(folder, secret)
    monkeypatch.setenv("BRUTE_TEST_API_KEY", "0123abcdef")
    assert key(folder, secret) == before


def test_a_setting_that_a_world_names_is_part_of_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is of a check."""
    before = world_key(folder, "return os.environ.get('BRUTE_TEST_LIMIT')")
    monkeypatch.setenv("BRUTE_TEST_LIMIT", "2")
    assert world_key(folder, "return os.environ.get('BRUTE_TEST_LIMIT')") not in (None, before)


def test_the_environment_is_that_of_the_beginning(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An attempt that changes it makes no other case of the next one."""
    prints, case = Prints(), Case("a", said="b", check=loaded(folder, NAMED["get"]).chk)
    monkeypatch.setenv("BRUTE_TEST_LIMIT", "2")
    other = case_key(case)
    assert case_key(case, prints) != other
    monkeypatch.delenv("BRUTE_TEST_LIMIT")
    assert case_key(case) == case_key(case, prints)


VALUES = {
    "a setting": ("import os\n\nL = os.environ.get('BRUTE_TEST_LIMIT')\n", "lim.L"),
    "a file": ("import pathlib\n\nL = pathlib.Path('limit.json').read_text()\n", "lim.L"),
    "a function of the module": (
        "import pathlib\n\nL = pathlib.Path('limit.json').read_text()\n\n\ndef get():\n    return L\n",
        "lim.get()",
    ),
    "an alias": ("import os\n\nL = os.environ.get('BRUTE_TEST_LIMIT')\n", "(lambda module: module.L)(lim)"),
}


@pytest.mark.parametrize("way", VALUES)
@pytest.mark.parametrize("place", ["lim", "pk.hlp"])
def test_what_a_check_reads_of_a_module_counts_by_its_value(
    place: str, way: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever that comes from; what the check does not read is no part of it."""
    text, read = VALUES[way]
    (folder / f"{place.replace('.', '/')}.py").write_text(text)
    (folder / "limit.json").write_text("1")
    check = f"import {place}\n\n\ndef chk(t):\n    return t.reply == {read.replace('lim', place)}"
    before = key(folder, check)
    reading = f"{place}.{read.partition('.')[2]}" if read.startswith("lim.") else read.replace("lim", place)
    unread = key(folder, other := check.replace(reading, f"{place}.__name__"))
    monkeypatch.setenv("BRUTE_TEST_LIMIT", "2")
    (folder / "limit.json").write_text("2")
    assert key(folder, check) != before
    assert key(folder, other) == unread


def test_what_cannot_be_compared_in_a_module_is_named(folder: Path) -> None:
    """With the name that the check has for it."""
    (folder / "lim.py").write_text("import threading\n\nL = threading.Lock()\n")
    with pytest.raises(Unkeyable, match=r"^chk uses lim\.L, a _thread\.lock$"):
        key(folder, "import lim\n\n\ndef chk(t):\n    return lim.L.locked()")


@pytest.mark.parametrize("method", ["__getattr__(self, name)", "__fspath__(self)", "__class__(self)"])
def test_an_odd_object_in_a_module_costs_no_crash(method: str, folder: Path) -> None:
    """Whatever it raises when it is looked at: the attempt can't be compared, and the sentence says so."""
    property_ = "@property\n    " if "class" in method else ""
    (folder / "lim.py").write_text(
        f"class Odd:\n    {property_}def {method}:\n        raise RuntimeError('no')\n\n\nL = Odd()\n"
    )
    check = loaded(folder, "import lim\n\n\ndef chk(t):\n    return lim.L").chk
    suite = Suite("agent.py", [Case("a", said="b", check=check), Case("b", said="b")])
    keys = Keys(suite.plan(), suite.builder, suite.world)
    assert (keys.attempt(0), keys.attempt(1) is None, len(keys.unkeyed)) == (None, False, 1)
    assert keys.unkeyed[0].startswith("case \"a\" can't be compared with an earlier run's: ")
    assert set(keys.inputs(suite.plan()[0].case)) == {"said", "stubs", "files", "conversation"}


def test_modules_that_hold_each_other_have_an_end(folder: Path) -> None:
    """And an odd thing in `sys.modules` costs no crash."""
    (folder / "lim.py").write_text("import outer\n\nL = 1\n")
    (folder / "outer.py").write_text("import lim\n\nL = 1\n")
    text = "import lim\n\n\ndef chk(t):\n    return lim.outer.lim.L"
    assert key(folder, text) == key(folder, text)
    odd = types.ModuleType("odd")
    odd.__dict__.update({"__file__": 3, "__package__": 4, "L": threading.Lock()})
    module = loaded(folder, "def chk(t):\n    return odd.L")
    module.__dict__["odd"] = odd
    module.__dict__["__package__"] = 5
    assert case_key(Case("a", said="b", check=module.chk))


def test_a_module_that_vanishes_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between being found and being read."""

    def gone(*_: Any, **__: Any) -> bytes:
        raise FileNotFoundError(2, "No such file", str(folder / "lim.py"))

    monkeypatch.setattr("brute.eval.sources.digest", gone)
    with pytest.raises(Unkeyable, match=r"^chk uses lim\.py, which can't be read$"):
        key(folder, WITHIN["from"])


def test_what_is_registered_on_a_function_is_part_of_it(folder: Path) -> None:
    """`functools.singledispatch` keeps it where the function alone can tell."""
    text = (
        "import functools\n\n\n@functools.singledispatch\ndef size(x):\n    return 0\n\n\n"
        "@size.register\ndef _(x: str):\n    return len(x)\n\n\ndef chk(t):\n    return size(t.reply)"
    )
    assert key(folder, text) == key(folder, text)
    assert key(folder, text) != key(folder, text.replace("len(x)", "len(x) + 1"))
    assert key(folder, text) != key(folder, text.replace("x: str", "x: list"))


def test_a_method_that_dispatches_is_what_is_registered_on_it() -> None:
    """As a function that does."""

    def made(limit: int) -> Any:
        class Sizes:
            @functools.singledispatchmethod
            def size(self, x: Any) -> int:
                return 0

            @size.register
            def _(self, x: str) -> int:
                return limit

        return Sizes

    keys = [case_key(Case("a", said="b", stubs={"s": made(limit)().size})) for limit in (1, 1, 2)]
    assert keys[0] == keys[1] != keys[2]


def test_many_names_and_constants_are_read_as_they_are(folder: Path) -> None:
    """An import whose place in the code takes more than a byte."""
    many = "\n".join(f"    x{n} = a{n}.b{n}, 'text {n}'" for n in range(400))
    text = f"def chk(t):\n{many}\n    from lim import L\n    from pk import hlp as other\n"
    before = key(folder, text)
    (folder / "lim.py").write_text("L = 22\n")
    changed = key(folder, text)
    assert changed != before
    (folder / "pk/hlp.py").write_text("L = 22\n")
    assert key(folder, text) != changed
