"""What a function reaches beyond its globals: the modules that it imports while it runs, and the settings that it names.

Files that it names are no part of it: a world and a stub write some.
"""

from __future__ import annotations

import hashlib
import opcode
import os
import types
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

from . import named, sources

_IMPORT = opcode.opmap["IMPORT_NAME"]


Function = types.FunctionType


class Beyond:
    """What of the functions and modules of one process was looked up once, under the environment that it had at the start."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self._codes: dict[int, tuple[types.CodeType, bytes]] = {}
        self._modules: dict[tuple[str, str, bool], bytes] = {}

    def of(self, function: Function, parts: Iterable[Any]) -> bytes:
        """What stands behind the imports and texts of a function that uses these values; raises `OSError` where it can't be read."""
        code = function.__code__
        known = self._codes.get(id(code))
        if known is None:
            known = self._codes[id(code)] = (code, self._told(code, root(function.__globals__, code.co_filename)))
        texts = [text for text in parts if type(text) is str and sources.is_name(text)]
        return known[1] + self._settings(texts) if texts else known[1]

    def module(self, path: str, folder: str, *, beside: bool = False) -> bytes:
        """What a module of the user's says with those that it imports; with `beside`, all that an agent's file is made of."""
        key = path, folder, beside
        if key not in self._modules:
            self._modules[key] = sources.digest(path, beside=beside, environ=self.environ, folder=folder)
        return self._modules[key]

    def _told(self, code: types.CodeType, folder: str) -> bytes:
        file = os.path.abspath(code.co_filename)
        texts = {text for each in within(code) for text in _texts(each.co_consts)}
        imports = [found for each in within(code) for found in _imports(each)]
        others = {*sources.others(imports, names(code), texts, file, folder)} - {file}
        return b"".join(self.module(path, folder, beside=True) for path in sorted(others)) + self._settings(texts)

    def _settings(self, texts: Iterable[str]) -> bytes:
        """The settings that are named, as they are; nothing where there are none."""
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
    return {name for each in within(code) for name in each.co_names}


def used(function: Function) -> dict[str, Any]:
    """What a function uses of what it did not make itself: its defaults (as ""), globals, cells, and what is registered on it."""
    cells = dict(zip(function.__code__.co_freevars, map(_inside, function.__closure__ or ()), strict=True))
    known = function.__globals__
    found = {name: known[name] for name in sorted(names(function.__code__)) if name in known}
    # Of `functools.singledispatch`: nothing but the function itself holds those.
    registry = vars(function).get("registry")
    registered = {"registry": dict(registry)} if isinstance(registry, types.MappingProxyType) else {}
    return {"": (function.__defaults__, function.__kwdefaults__), **found, **cells, **registered}


def attributes(module: types.ModuleType, wanted: Set[str]) -> dict[str, Any]:
    """What a module holds under these names, that a function uses with it; what Python itself puts into every module is no part of it."""
    held = vars(module)
    return {name: held[name] for name in sorted(wanted & held.keys()) if name not in _PYTHONS}


_PYTHONS = vars(types.ModuleType("")).keys() | {"__file__", "__path__", "__cached__", "__builtins__"}


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


def _texts(constants: Iterable[object]) -> Iterator[str]:
    """The texts among constants that may name something, also those in tuples and sets."""
    for each in constants:
        if isinstance(each, str) and sources.is_name(each):
            yield each
        elif isinstance(each, (tuple, frozenset)):
            yield from _texts(each)


def _imports(code: types.CodeType) -> Iterator[tuple[int, str]]:
    """(level, dotted name) of each import statement in a code."""
    if _IMPORT not in code.co_code[::2]:
        return
    import dis  # Few functions import anything.

    passed: list[dis.Instruction] = []
    for each in dis.get_instructions(code):
        if each.opcode == _IMPORT:
            level, wanted = (one.argval for one in passed[-2:])
            base = str(each.argval)
            yield from ((level, ".".join(filter(None, [base, name]))) for name in wanted or [""])
        if each.opname not in ("EXTENDED_ARG", "CACHE"):
            passed.append(each)
