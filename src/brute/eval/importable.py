"""Where Python would find a module of the user's that stands beside nobody: on `sys.path`. Nothing is imported to find out."""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
from collections.abc import Iterator

_LIBRARIES = tuple(
    os.path.realpath(path) + os.sep
    for path in {sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib")}
)
_INSTALLED = ("site-packages", "dist-packages")


@functools.lru_cache(maxsize=4096)
def is_installed(path: str) -> bool:
    """Whether a file or a folder is Python's own, or belongs to an installed library."""
    whole = os.path.realpath(path) + os.sep
    return whole.startswith(_LIBRARIES) or any(name in whole.split(os.sep) for name in _INSTALLED)


def places(name: str) -> Iterator[str]:
    """The files that importing the dotted name would execute: the first on the path, and those of the packages around it.

    A library that is being developed (`pip install -e`) is the user's own too.
    """
    top, *rest = name.split(".")
    if not top or top == "brute" or top in sys.stdlib_module_names:
        return
    for root in [*_roots(), *_edited(top)]:
        found = list(_below(os.path.join(root, top), rest))
        if found:
            yield from found
            return


def _roots() -> Iterator[str]:
    """The folders on the path that hold the user's own modules."""
    for entry in dict.fromkeys(sys.path):
        root = os.path.abspath(entry)
        if os.path.isdir(root) and not is_installed(root):
            yield root


def _edited(top: str) -> Iterator[str]:
    """The folder of a library that setuptools installed for editing: a finder of its own knows where it lies."""
    for finder in sys.meta_path:
        if (getattr(finder, "__module__", None) or "").startswith("__editable__"):
            try:
                spec = finder.find_spec(top, None)
            except Exception:
                continue
            if spec is not None and spec.origin:
                folder = os.path.dirname(spec.origin)
                yield os.path.dirname(folder) if os.path.basename(spec.origin) == "__init__.py" else folder


def _below(at: str, rest: list[str]) -> Iterator[str]:
    for part in ("", *rest):
        at = os.path.join(at, part) if part else at
        for candidate in (f"{at}.py", os.path.join(at, "__init__.py")):
            if os.path.isfile(candidate):
                yield candidate
