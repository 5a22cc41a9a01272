"""The files that a Python file is made of: itself, the modules beside it that it imports, and the files beside it that it names."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import os
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

from . import importable

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_PROMPTS = (".md", ".txt", ".json", ".yaml", ".yml", ".toml", ".xml", ".j2", ".jinja", ".jinja2", ".tmpl", ".prompt")
_LARGE = 16 * 2**20
_MOST = 500
"""How many files of a folder that a file names are looked at."""


def is_users(path: str | None) -> bool:
    """Whether a file is the user's own, and not Python's, an installed library's or ours."""
    if not path or path.startswith(("<", _OURS)):
        return False
    return not os.path.realpath(path).startswith(_OURS) and not importable.is_installed(path)


def digest(path: str, *, beside: bool = False, environ: Mapping[str, str] = os.environ) -> bytes:
    """What the file says, with the modules beside it that it imports; with `beside`, the prompts that it names and the settings too.

    A prompt is a file of text, data or a template beside the file (or beside the module that names it), named by its path or that of its
    folder.

    A setting is an environment variable that one of the files names: `Model(os.environ["MODEL"])` is another agent under another
    value. Credentials are none, since a new key makes no other agent. Raises `OSError` where the file can't be read.
    """
    found = hashlib.blake2b(digest_size=16)
    folder = os.path.dirname(os.path.abspath(path))
    names: set[str] = set()
    prompts: set[str] = set()
    for file in reached(os.path.abspath(path)):
        found.update(f"file {os.path.relpath(file, folder)}\n".encode("utf-8", "backslashreplace") + _content(file))
        names |= (own := _constants(file, _stamp(file)))
        if beside and os.path.dirname(file) != folder:
            prompts |= _named(os.path.dirname(file), own)
    for file in sorted(_named(folder, names) | prompts) if beside else ():
        found.update(f"beside {os.path.relpath(file, folder)}\n".encode("utf-8", "backslashreplace") + _content(file))
    for name in sorted(_settings(names, environ)) if beside else ():
        found.update(f"setting {name}={environ[name]}\n".encode("utf-8", "backslashreplace"))
    return found.digest()


def _settings(names: set[str], environ: Mapping[str, str]) -> Iterator[str]:
    from .masking import credentials

    secret = set(credentials({name: environ[name] for name in names if name in environ}).values())
    return (name for name in names if name in environ and name not in secret)


def reached(path: str) -> list[str]:
    """The file and the user's own modules that it imports, and those import, in a fixed order."""
    found, waiting = {path}, [path]
    folder = os.path.dirname(path)
    while waiting:
        file = waiting.pop()
        for module in _imports(file, _stamp(file)):
            for other in _places(module, file, folder):
                if other not in found and is_users(other):
                    found.add(other)
                    waiting.append(other)
    return sorted(found)


def _places(module: tuple[int, str], file: str, folder: str) -> Iterator[str]:
    """The files that an import executes: the module's, and those of the packages around it."""
    level, name = module
    if level:
        root = os.path.dirname(file)
        for _ in range(level - 1):
            root = os.path.dirname(root)
        yield from _below(root, name)
        return
    near = [each for root in dict.fromkeys((folder, os.path.dirname(file))) for each in _below(root, name)]
    yield from near or importable.places(name)


def _below(root: str, name: str) -> Iterator[str]:
    """The files of a dotted name under a folder."""
    at = root
    for part in filter(None, name.split(".")):
        at = os.path.join(at, part)
        for candidate in (f"{at}.py", os.path.join(at, "__init__.py")):
            if os.path.isfile(candidate):
                yield candidate


def _stamp(file: str) -> tuple[int, int]:
    stat = os.stat(file)
    return stat.st_mtime_ns, stat.st_size


@functools.lru_cache(maxsize=1024)
def _imports(file: str, stamp: tuple[int, int]) -> tuple[tuple[int, str], ...]:
    """(level, dotted name) of each import of the file, also of those within functions."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Import):
            found += [(0, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [(node.level, ".".join(filter(None, [node.module, alias.name]))) for alias in node.names]
        elif isinstance(node, ast.Call):
            found += _imported_by_name(node)
    return tuple(dict.fromkeys(found))


def _imported_by_name(call: ast.Call) -> list[tuple[int, str]]:
    """What `importlib.import_module("constant")` and `__import__("constant")` import."""
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None)
    name = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None
    if called not in ("import_module", "__import__") or not isinstance(name, str):
        return []
    return [(len(name) - len(name.lstrip(".")), name.lstrip("."))]


@functools.lru_cache(maxsize=1024)
def _constants(file: str, stamp: tuple[int, int]) -> frozenset[str]:
    """The short texts that stand in the file: names of files and of settings are among them."""
    nodes = (node.value for node in ast.walk(_tree(file)) if isinstance(node, ast.Constant))
    return frozenset(text for text in nodes if isinstance(text, str) and 0 < len(text) < 200 and "\x00" not in text)


def _tree(file: str) -> ast.AST:
    try:
        return ast.parse(Path(file).read_bytes())
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module(body=[], type_ignores=[])


def _content(file: str) -> bytes:
    size = os.path.getsize(file)
    return b"%d bytes\n" % size + (Path(file).read_bytes() if size <= _LARGE else b"")


def _named(folder: str, names: Set[str]) -> set[str]:
    """The files beside the file that one of the texts names, and those of the folders that one names."""
    found: set[str] = set()
    for name in names:
        path = os.path.normpath(os.path.join(folder, name))
        if not path.startswith(folder + os.sep) or os.path.basename(path).startswith("."):
            continue
        if os.path.isfile(path) and path.endswith(_PROMPTS):
            found.add(path)
        elif os.path.isdir(path):
            found.update(_inside(path))
    return found


def _inside(folder: str) -> Iterator[str]:
    seen = 0
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__pycache__")))
        for name in sorted(names):
            if not name.startswith(".") and name.endswith(_PROMPTS):
                seen += 1
                if seen > _MOST:
                    return
                yield os.path.join(at, name)


def origin(module: str) -> str | None:
    """The file of a module that is named by its dotted name, without importing it but for the packages around it."""
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError, AttributeError):
        return None
    return spec.origin if spec is not None and spec.has_location else None
