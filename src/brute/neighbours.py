"""The modules that stand beside a file that is loaded afresh: each load has its own, also for imports that functions make later.

`import tools` in one agent's file must not find another agent's `tools.py`, nor what an earlier load of the same folder had left
in it. So each load keeps the modules beside its file to itself: they stand in `sys.modules` only while something is imported, and
code of that load imports through an `__import__` of its own.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.machinery
import os
import sys
import threading
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

LOCK = threading.RLock()
"""Held while `sys.modules` is another than usual."""


class Neighbours:
    """The modules beside one load of a file in `folder`; `builtins` is what its code is to be executed with."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.builtins = {**vars(builtins), "__import__": self._import}
        self._modules: dict[str, types.ModuleType] = {}
        self._mine: dict[str, bool] = {}
        self._is_present = False

    def _import(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> types.ModuleType:
        package = str((globals or {}).get("__package__") or "") if level else name
        if self._is_present or not self._is_mine(package.partition(".")[0]):
            return builtins.__import__(name, globals, locals, fromlist, level)
        with LOCK, self.present():
            return builtins.__import__(name, globals, locals, fromlist, level)

    def _is_mine(self, top: str) -> bool:
        """Whether a module of this name stands in the folder."""
        if top not in self._mine:
            place = os.path.join(self.folder, top)
            self._mine[top] = bool(top) and (os.path.isfile(f"{place}.py") or os.path.isdir(place))
        return self._mine[top]

    @contextmanager
    def present(self) -> Iterator[None]:
        """This load's modules in `sys.modules`, in the place of whatever else came from the folder, and its folder first on the path."""
        for name in _left:
            sys.modules.pop(name, None)
        _left.clear()
        away = {name: sys.modules.pop(name) for name in list(sys.modules) if _is_below(name, self.folder)}
        sys.modules.update(self._modules)
        finder = _Finder(self)
        sys.meta_path.insert(0, finder)
        sys.path.insert(0, self.folder)
        importlib.invalidate_caches()
        self._is_present = True
        try:
            yield
        finally:
            self._is_present = False
            sys.path.remove(self.folder)
            sys.meta_path.remove(finder)
            self._modules = {name: sys.modules.pop(name) for name in list(sys.modules) if _is_below(name, self.folder)}
            sys.modules.update(away)
            # For whoever looks an annotation up by the module's name later on; the next load puts its own there.
            _left.update(name for name in self._modules if name not in _programs_own)
            sys.modules.update({name: self._modules[name] for name in _left})
            # And for imports by name (importlib), which come without the one who asks.
            if self.folder not in sys.path:
                sys.path.append(self.folder)


_programs_own: set[str] = set()
"""The names of the modules that the program itself had imported from a folder before a file of that folder was loaded."""

_left: set[str] = set()
"""The names of the modules that the latest load has left in `sys.modules`."""

_known: set[str] = set()


def beside(folder: str) -> Neighbours:
    """The neighbours of a new load of a file in `folder`."""
    if folder not in _known:
        _known.add(folder)
        _programs_own.update(name for name in list(sys.modules) if _is_below(name, folder))
    return Neighbours(folder)


class _Finder:
    """What finds the modules beside a load, and lets their code import as the load's own does."""

    def __init__(self, neighbours: Neighbours) -> None:
        self._neighbours = neighbours

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """The module's spec where it stands in the folder; None for the other finders to look elsewhere."""
        folder = self._neighbours.folder
        spec = importlib.machinery.PathFinder.find_spec(name, [folder] if path is None else path)
        if spec is None or not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            return None
        if not str(spec.origin).startswith(folder + os.sep) or _is_installed(str(spec.origin), folder):
            return None
        spec.loader = _Loader(spec.loader.name, str(spec.loader.path), self._neighbours.builtins)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, with_builtins: dict[str, Any]) -> None:
        super().__init__(name, path)
        self._builtins = with_builtins

    def exec_module(self, module: types.ModuleType) -> None:
        # Before the code runs: functions keep the builtins that they were made with.
        module.__dict__["__builtins__"] = self._builtins
        super().exec_module(module)


def _is_below(name: str, folder: str) -> bool:
    """Whether a module was imported from the folder, and is neither ours nor an installed one."""
    path = getattr(sys.modules.get(name), "__file__", None) or ""
    if not path.startswith(folder + os.sep) or _is_installed(path, folder):
        return False
    return name != "__main__" and not name.startswith("brute_file_") and name.split(".")[0] != "brute"


def _is_installed(path: str, folder: str) -> bool:
    return "site-packages" in path[len(folder) :]
