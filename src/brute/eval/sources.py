"""The files that a Python file is made of: itself, the modules beside it that it imports, and the files beside it that it names."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import os
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path

from . import importable, named

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_IMPORTERS = {"import_module", "__import__", "run_module", "find_spec", "resolve_name", "EntryPoint"}
"""What imports a module by a text: where one of these is used, every text that can be the name of a module is taken for one."""
_RUNNERS = {"run_path", "spec_from_file_location", "SourceFileLoader", "exec", "executable"}
"""What executes a file by its name: `subprocess.run([sys.executable, "server.py"])` does too."""


def is_users(path: str | None) -> bool:
    """Whether a file is the user's own, and not Python's, an installed library's or ours."""
    if not path or path.startswith(("<", _OURS)):
        return False
    return not _is_ours(path) and not importable.is_installed(path)


@functools.lru_cache(maxsize=4096)
def _is_ours(path: str) -> bool:
    return os.path.realpath(path).startswith(_OURS)


def digest(
    path: str, *, beside: bool = False, environ: Mapping[str, str] = os.environ, folder: str | None = None
) -> bytes:
    """What the file says, with the modules beside it that it imports; with `beside`, the files that it names and the settings too.

    A file that is named stands beside the file (or beside the module that names it), and is named by its path, that of its folder or a
    pattern (`named`).

    A setting is an environment variable that one of the files names: `Model(os.environ["MODEL"])` is another agent under another
    value. Credentials are none, since a new key makes no other agent. The folder that modules are looked for in is the file's own,
    unless another is given. Raises `OSError` where the file can't be read.
    """
    found = hashlib.blake2b(digest_size=16)
    path = os.path.abspath(path)
    folder = folder or os.path.dirname(path)
    names: set[str] = set()
    files: set[str] = set()
    for file in reached(path, folder):
        found.update(_headed("file", file, folder))
        names |= (own := _read(file, _stamp(file))[2])
        if beside:
            files |= named.suffixed(file, own)
            files |= named.files(os.path.dirname(file), own) if os.path.dirname(file) != folder else set()
    for file in sorted(named.files(folder, names) | files) if beside else ():
        found.update(_headed("beside", file, folder))
    for name in named.settings(names, environ) if beside else ():
        found.update(f"setting {name}={environ[name]}\n".encode("utf-8", "backslashreplace"))
    return found.digest()


def _headed(what: str, file: str, folder: str) -> bytes:
    return f"{what} {os.path.relpath(file, folder)}\n".encode("utf-8", "backslashreplace") + named.content(file)


def reached(path: str, folder: str) -> list[str]:
    """The file and the user's own modules that it imports, and those import, in a fixed order."""
    found, waiting = {path}, [path]
    while waiting:
        file = waiting.pop()
        for other in others(*_read(file, _stamp(file)), file, folder):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return sorted(found)


def may_run(used: Set[str]) -> bool:
    """Whether code that uses these names may execute a file that a text names."""
    return not (used.isdisjoint(_IMPORTERS) and used.isdisjoint(_RUNNERS))


def others(
    imports: Iterable[tuple[int, str]], used: Set[str], texts: Iterable[str], file: str, folder: str
) -> Iterator[str]:
    """The user's own files that code of this file executes, by what it imports, and by the names that it uses and its texts."""
    for module in [*imports, *_by_name(used, texts)]:
        yield from filter(is_users, _places(module, file, folder))
    for text in () if used.isdisjoint(_RUNNERS) else texts:
        for root in dict.fromkeys((folder, os.path.dirname(file))) if text.endswith(".py") else ():
            other = os.path.normpath(os.path.join(root, text))
            if other.startswith(root + os.sep) and os.path.isfile(other) and is_users(other):
                yield other


def _by_name(used: Set[str], texts: Iterable[str]) -> Iterator[tuple[int, str]]:
    """(level, dotted name) of what may be imported by a text (`import_module(NAME)`)."""
    for text in () if used.isdisjoint(_IMPORTERS) else texts:
        name = text.partition(":")[0].lstrip(".")
        if all(part.isidentifier() for part in name.split(".")):
            yield len(text) - len(text.lstrip(".")), name


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
def _read(file: str, stamp: tuple[int, int]) -> tuple[tuple[tuple[int, str], ...], frozenset[str], frozenset[str]]:
    """(level, dotted name) of each import of the file, also of those within functions; the names that it uses; its short texts."""
    imports: list[tuple[int, str]] = []
    used: set[str] = set()
    texts: set[str] = set()
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Import):
            imports += [(0, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports += [(node.level, ".".join(filter(None, [node.module, alias.name]))) for alias in node.names]
            used |= {alias.name for alias in node.names}
        elif isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            imports += [(1, text) for text in _offered(node) if os.path.basename(file) == "__init__.py"]
        elif isinstance(node, (ast.Name, ast.Attribute)):
            used.add(node.id if isinstance(node, ast.Name) else node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and is_name(node.value):
            texts.add(node.value)
    if any(name.partition(".")[0] == "dotenv" for _, name in imports):
        texts.add(".env")  # Which dotenv looks for when it is told no name.
    return tuple(dict.fromkeys(imports)), frozenset(used), frozenset(texts)


def _offered(node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> list[str]:
    """The names in an `__all__`: `from package import *` imports the modules among them."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if node.value is None or "__all__" not in [getattr(target, "id", None) for target in targets]:
        return []
    texts = (each.value for each in ast.walk(node.value) if isinstance(each, ast.Constant))
    return [text for text in texts if isinstance(text, str)]


def is_name(text: str) -> bool:
    """Whether a text may be the name of something."""
    return 0 < len(text) < 200 and "\x00" not in text


def _tree(file: str) -> ast.AST:
    try:
        return ast.parse(Path(file).read_bytes())
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module(body=[], type_ignores=[])


def origin(module: str) -> str | None:
    """The file of a module that is named by its dotted name, without importing it but for the packages around it."""
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError, AttributeError):
        return None
    return spec.origin if spec is not None and spec.has_location else None
