"""What a function reaches beyond its globals: the modules that it imports while it runs, and the settings that it names.

Files that it names are no part of it: a world and a stub write some.
"""

from __future__ import annotations

import hashlib
import opcode
import os
import types
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from typing import Any

from . import named, sources

Function = types.FunctionType
_IMPORT = opcode.opmap["IMPORT_NAME"]


class Beyond:
    """What of the functions and modules of one process was looked up once, under the environment that it had at the start."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self._codes: dict[int, tuple[types.CodeType, bytes]] = {}
        self._imported: dict[tuple[Any, ...], bytes] = {}
        self._modules: dict[tuple[str, str, bool], bytes] = {}

    def of(self, function: Function, wanted: Set[str], parts: Iterable[Any]) -> bytes:
        """What stands behind the imports, names and texts of a function that uses these values; raises `OSError` where it can't be read."""
        code = function.__code__
        known = self._codes.get(id(code))
        if known is None:
            known = self._codes[id(code)] = (code, self._told(function, wanted))
        texts = [text for text in parts if type(text) is str and sources.is_name(text)]
        return known[1] + self._settings(texts) if texts else known[1]

    def module(self, path: str, folder: str, *, beside: bool = False) -> bytes:
        """What a module of the user's says with those that it imports; with `beside`, all that an agent's file is made of."""
        key = path, folder, beside
        if key not in self._modules:
            self._modules[key] = sources.digest(path, beside=beside, environ=self.environ, folder=folder)
        return self._modules[key]

    def _told(self, function: Function, wanted: Set[str]) -> bytes:
        codes = list(within(function.__code__))
        texts = {text for each in codes for text in _texts(each.co_consts)}
        imports = [found for each in codes if _IMPORT in each.co_code[::2] for found in _imports(each)]
        told = self._settings(texts)
        if imports or sources.may_run(wanted):
            told += self._executed(function, imports, wanted, texts)
        return told

    def _executed(self, function: Function, imports: list[tuple[int, str]], used: Set[str], texts: Set[str]) -> bytes:
        """The modules that a function executes while it runs; many functions of a file may import the same."""
        file = os.path.abspath(function.__code__.co_filename)
        key = (file, *imports, *(sorted({*used, *texts}) if sources.may_run(used) else ()))
        if key not in self._imported:
            folder = root(function.__globals__, file)
            others = {*sources.others(imports, used, texts, file, folder)} - {file}
            told = [self.module(path, folder, beside=True) for path in sorted(others)]
            self._imported[key] = b"".join(told)
        return self._imported[key]

    def _settings(self, texts: Iterable[str]) -> bytes:
        """The settings that are named, as they are; nothing where there are none."""
        if self.environ.keys().isdisjoint(texts):
            return b""
        told = [f"{name}={self.environ[name]}" for name in named.settings(texts, self.environ)]
        made = (hashlib.blake2b(each.encode("utf-8", "backslashreplace"), digest_size=16) for each in told)
        return b"".join(each.digest() for each in made)


def within(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code and that of the functions within it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield from within(each)


def names(code: types.CodeType) -> set[str]:
    """The names of globals and attributes that a function may use, those of the functions within it too."""
    return set().union(*(each.co_names for each in within(code)))


def used(function: Function, wanted: Set[str]) -> dict[str, Any]:
    """What a function that names these uses of what it did not make itself: its defaults (as ""), globals, cells, and what is registered on it."""
    cells = dict(zip(function.__code__.co_freevars, map(_inside, function.__closure__ or ()), strict=True))
    known = function.__globals__
    found = {name: known[name] for name in sorted(wanted) if name in known and name not in _PYTHONS}
    # Of `functools.singledispatch`: nothing but the function itself holds those.
    registry = vars(function).get("registry")
    registered = {"registry": dict(registry)} if isinstance(registry, types.MappingProxyType) else {}
    return {"": (function.__defaults__, function.__kwdefaults__), **found, **cells, **registered}


def attributes(module: types.ModuleType, wanted: Set[str]) -> dict[str, Any]:
    """What a module holds under these names, that a function uses with it."""
    held = vars(module)
    return {name: held[name] for name in sorted(wanted & held.keys()) if name not in _PYTHONS}


_PYTHONS = {"__name__", "__package__", "__loader__", "__spec__", "__file__", "__path__", "__cached__", "__builtins__"}
"""What Python itself puts into a module: where it lies, and a name that another load does not give."""


def file_of(module: types.ModuleType) -> str | None:
    """The file of a module, where it has one."""
    path = getattr(module, "__file__", None)
    return path if isinstance(path, str) else None


def named_in(error: OSError) -> str:
    """The name of the file that could not be read."""
    return os.path.basename(os.fsdecode(error.filename)) if isinstance(error.filename, (str, bytes)) else "a file"


def _inside(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


def root(known: Mapping[str, Any], file: str) -> str:
    """The folder that the package of a module lies in, given what the module holds; it is that of its file where it is in none."""
    package = known.get("__package__")
    folder = os.path.dirname(os.path.abspath(file))
    for _ in filter(None, package.split(".")) if isinstance(package, str) else ():
        folder = os.path.dirname(folder)
    return folder


def _texts(constants: Collection[object]) -> set[str]:
    """The texts among constants that may name something, also those in tuples and sets."""
    found = {each for each in constants if isinstance(each, str) and sources.is_name(each)}
    return found.union(*(_texts(each) for each in constants if isinstance(each, (tuple, frozenset))))


def _imports(code: types.CodeType) -> Iterator[tuple[int, str]]:
    """(level, dotted name) of each import statement in a code."""
    import dis  # Few functions import anything.

    passed: list[dis.Instruction] = []
    for each in dis.get_instructions(code):
        if each.opcode == _IMPORT:
            level, wanted = (one.argval for one in passed[-2:])
            base = str(each.argval)
            yield from ((level, ".".join(filter(None, [base, name]))) for name in wanted or [""])
        if each.opname not in ("EXTENDED_ARG", "CACHE"):
            passed.append(each)
