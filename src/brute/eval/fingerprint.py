"""What a value is, in sixteen bytes that are the same in every process: no ids, no addresses, no order of a set.

A function is what it does: its code, its defaults, what it closes over, and the globals and functions that it uses, as far as those
are the user's own. Line numbers, comments and names of files do not count.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import os
import re
import sys
import types
from collections.abc import Iterable, Mapping
from typing import Any

from . import beyond, sources
from .beyond import Function


class Unkeyable(Exception):
    """A value of which nobody can tell whether it is still the same; `what` names it."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


_SKIPPED = {
    "__dict__",
    "__weakref__",
    "__doc__",
    "__module__",
    "__firstlineno__",
    "__static_attributes__",
    "__annotations_cache__",
}


class Prints:
    """The fingerprints of one process: what was told of a function once is kept. The environment is that of the beginning."""

    def __init__(self) -> None:
        self.environ = dict(os.environ)
        self.beyond = beyond.Beyond(self.environ)
        self._functions: dict[int, tuple[Any, bytes, tuple[Function, ...]]] = {}

    def of(self, value: Any) -> bytes:
        """The fingerprint of a value with every function that can be reached from it; raises `Unkeyable`."""
        found = _Walk(self)
        first = found.value(value, ())
        reached: dict[int, bytes] = {}
        while found.functions:
            function = found.functions.pop()
            if id(function) not in reached:
                reached[id(function)], more = self._local(function)
                found.functions += more
        told = _digest(b"all", [first, *sorted(set(reached.values()))])
        return hashlib.blake2b(told, digest_size=16).digest()

    def _local(self, function: Function) -> tuple[bytes, tuple[Function, ...]]:
        """A function by itself, and those that it uses."""
        known = self._functions.get(id(function))
        if known is None:
            walk = _Walk(self)
            known = self._functions[id(function)] = (function, walk.function(function), tuple(walk.functions))
        return known[1], known[2]

    def module(self, module: types.ModuleType) -> bytes:
        """A module of the user's by what its files say, another by its name."""
        path = beyond.file_of(module)
        if not sources.is_users(path):
            return module.__name__.encode()
        assert path is not None
        try:
            return self.beyond.module(path, beyond.root(vars(module), path))
        except OSError:
            raise Unkeyable(f"the module {module.__name__}, whose file can't be read") from None


class _Walk:
    """A walk through a value: what it is made of is told, and the functions met on the way are noted for later."""

    def __init__(self, prints: Prints) -> None:
        self.prints = prints
        self.functions: list[Function] = []

    def value(self, value: Any, above: tuple[int, ...]) -> bytes:
        """The fingerprint of a value, a function in it by its code alone."""
        kind = type(value)
        if kind is str:
            return _short(b"s" + value.encode("utf-8", "surrogatepass"))
        if kind in _SIMPLE:
            return _short(b"v" + repr(value).encode())
        if id(value) in above:
            return _digest(b"again", [str(len(above) - above.index(id(value))).encode()])
        if len(above) > 100:
            raise Unkeyable(f"a {type(value).__name__} nested more than 100 deep")
        return self._thing(value, (*above, id(value)))

    def _thing(self, value: Any, above: tuple[int, ...]) -> bytes:
        if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
            return _digest(type(value).__name__.encode(), [self.value(each, above) for each in value])
        if type(value) in (set, frozenset):
            return _digest(b"set", sorted(self.value(each, above) for each in value))
        if isinstance(value, Mapping) and type(value) in (dict, types.MappingProxyType):
            return _digest(b"dict", sorted(self._pairs(value.items(), above)))
        if isinstance(value, re.Pattern):
            return _digest(b"pattern", [_bytes(value.pattern), str(value.flags).encode()])
        if isinstance(value, Function):
            self.functions.append(value)
            return self.code(value.__code__)
        if isinstance(value, types.MethodType):
            return _digest(b"method", [self.value(value.__func__, above), self.value(value.__self__, above)])
        if isinstance(value, type):
            return self._class(value, above)
        if isinstance(value, types.ModuleType):
            return _digest(b"module", [self.prints.module(value)])
        return self._object(value, above)

    def _pairs(self, items: Iterable[tuple[Any, Any]], above: tuple[int, ...]) -> list[bytes]:
        return [_digest(b"pair", [self.value(key, above), self.value(each, above)]) for key, each in items]

    def _class(self, kind: type[Any], above: tuple[int, ...]) -> bytes:
        """A class of the user's by what stands in it, another by its name."""
        name = f"{kind.__module__}.{kind.__qualname__}".encode()
        if not sources.is_users(_file_of(kind)):
            return _digest(b"class", [name])
        inside = [(each, thing) for each, thing in vars(kind).items() if each not in _SKIPPED and not _is_slot(thing)]
        bases = [self.value(base, above) for base in kind.__bases__]
        return _digest(b"class", [kind.__qualname__.encode(), *bases, *sorted(self._pairs(inside, above))])

    def _object(self, value: Any, above: tuple[int, ...]) -> bytes:
        """Any other object: what a copy of it would be made from."""
        if isinstance(value, types.BuiltinFunctionType):
            owner = value.__self__
            own = b"" if owner is None or isinstance(owner, types.ModuleType) else self.value(owner, above)
            return _digest(b"builtin", [f"{value.__module__}.{value.__qualname__}".encode(), own])
        if isinstance(value, (staticmethod, classmethod)):
            return self.value(value.__func__, above)
        if isinstance(value, property):
            return self.value((value.fget, value.fset, value.fdel), above)
        if isinstance(value, functools.partial):
            return self.value(("partial", value.func, value.args, value.keywords), above)
        if isinstance(value, types.UnionType):
            return self.value(("union", value.__args__), above)
        if isinstance(value, enum.Enum):
            return self.value((type(value).__qualname__, value.name), above)
        if value is os.environ:  # What is read from it is known by its name.
            return _digest(b"environ", [])
        if isinstance(value, os.PathLike):
            return self.value(("path", os.fspath(value)), above)
        return self._reduced(value, above)

    def _reduced(self, value: Any, above: tuple[int, ...]) -> bytes:
        try:
            wrapped = getattr(value, "__wrapped__", None)
            made: Any = None if isinstance(wrapped, Function) else value.__reduce_ex__(2)
        except Exception:
            raise Unkeyable(f"a {type(value).__module__}.{type(value).__qualname__}") from None
        if isinstance(wrapped, Function):  # functools.cache and its like
            return self.value(wrapped, above)
        if isinstance(made, str):
            return _digest(b"global", [made.encode()])
        parts = [list(part) if index in (3, 4) and part is not None else part for index, part in enumerate(made[:5])]
        return _digest(b"object", [self.value(type(value), above), *(self.value(part, above) for part in parts)])

    def function(self, function: Function) -> bytes:
        """A function of the user's by all that it does, another by its name."""
        if not sources.is_users(function.__code__.co_filename) and function.__module__ not in ("__main__", None):
            known = sys.modules.get(function.__module__)
            if not sources.is_users(getattr(known, "__file__", None)) and known is not None:
                return _digest(b"function", [f"{function.__module__}.{function.__qualname__}".encode()])
        names = beyond.names(function.__code__)
        parts = beyond.used(function, names)
        told = [self.code(function.__code__)]
        for name, part in parts.items():
            told.append(self._part(function, name, part, names, (id(function),)))
        try:
            behind = self.prints.beyond.of(function, names, [*parts.values(), *(function.__defaults__ or ())])
        except OSError as error:
            raise Unkeyable(f"{function.__name__} uses {beyond.named_in(error)}, which can't be read") from None
        return _digest(b"function", [*told, behind] if behind else told)

    def _part(self, function: Function, name: str, part: Any, names: set[str], above: tuple[int, ...]) -> bytes:
        """What a function uses under a name; of a module of the user's also what stands in it under the names that the function uses."""
        try:
            told = [self.value(part, above)]
        except Unkeyable as unknown:
            raise Unkeyable(f"{function.__name__} uses {name or 'a default'}, {unknown.what}") from None
        if isinstance(part, types.ModuleType) and id(part) not in above and sources.is_users(beyond.file_of(part)):
            for each, thing in beyond.attributes(part, names).items():
                told.append(self._part(function, f"{name}.{each}", thing, names, (*above, id(part))))
        return _digest(name.encode(), told)

    def code(self, code: types.CodeType) -> bytes:
        """What a function's code does, and not where it stands."""
        constants = [
            self.code(each) if isinstance(each, types.CodeType) else self.value(each, ()) for each in code.co_consts
        ]
        names = repr(
            (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags)
        ).encode()
        return _digest(b"code", [names, code.co_code, *constants])


_SIMPLE = {type(None), bool, int, float, complex, bytes}


def _bytes(value: Any) -> bytes:
    return (
        value
        if isinstance(value, bytes)
        else (value if isinstance(value, str) else repr(value)).encode("utf-8", "surrogatepass")
    )


def _digest(kind: bytes, parts: Iterable[bytes]) -> bytes:
    """What a thing is that is made of parts."""
    told = [kind]
    for part in parts:
        told += (b"%d:" % len(part), part)
    return _short(b"".join(told))


def _short(told: bytes) -> bytes:
    """As it is where that is short, else sixteen bytes that stand for it."""
    return told if len(told) < 100 else b"#" + hashlib.blake2b(told, digest_size=16).digest()


def _file_of(kind: type[Any]) -> str | None:
    module = sys.modules.get(kind.__module__)
    path = getattr(module, "__file__", None)
    if path is None:
        # A module that was executed and is known no more: its methods know their file.
        codes = (getattr(each, "__code__", None) for each in vars(kind).values())
        path = next((code.co_filename for code in codes if code is not None), None)
    return path


def _is_slot(thing: Any) -> bool:
    return isinstance(thing, (types.MemberDescriptorType, types.GetSetDescriptorType))
