"""How an agent file, or any Python file, is executed afresh: nothing carries from one load to the next."""

from __future__ import annotations

import collections
import functools
import importlib
import inspect
import itertools
import os
import stat
import sys
import types
from pathlib import Path
from typing import Any

from .errors import BruteError, UsageError, did_you_mean, literal
from .neighbours import LOCK, beside

_numbers = itertools.count(1)
_KEPT = 2048
_registered: collections.deque[str] = collections.deque()
_compiled: dict[str, tuple[tuple[int, int], types.CodeType]] = {}


class LoadError(UsageError):
    """A file that raised while it was executed; `__cause__` is what it raised, `frames` the user's own frames."""

    def __init__(self, path: str, error: BaseException) -> None:
        self.frames = frames_of(error, below=os.path.dirname(os.path.abspath(path)))
        where = f" ({self.frames[-1]})" if self.frames else ""
        told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        super().__init__(f"{path} raised {told}{where}")


def load_agent(target: str | os.PathLike[str]) -> Any:
    """The agent that an agent file defines: `agent.py`, `agent.py:other` or `package.module:factory`.

    The name is an agent, or a function without parameters that answers one. A file is executed afresh on every load,
    in a module of its own. Raises `UsageError` for no such file, a file that raises, or a name that is not there.
    """
    thing = load_target(target)
    if not _is_function(thing):
        return thing
    try:
        inspect.signature(thing).bind()
    except TypeError as error:
        path, name = split_target(target)
        raise UsageError(f"{name} of {path} can't be called without arguments: {error}") from None
    return thing()


def load_target(target: str | os.PathLike[str]) -> Any:
    """What `target` names, not yet called where it is a function."""
    path, name = split_target(_named(target))
    if path.endswith(".py"):
        return attribute(load_file(path), name, path)
    if ":" not in os.fspath(target) or path.startswith("."):
        raise UsageError(f"{target!s} is no agent; write {_NAMES}")
    try:
        module = importlib.import_module(path)
    except ImportError as error:
        raise UsageError(f"{target!s}: {error}") from error
    return attribute(module, name, path)


def _named(target: Any) -> str:
    text = os.fspath(target) if isinstance(target, (str, os.PathLike)) else None
    if not isinstance(text, str) or not text.strip():
        raise UsageError(f"an agent is named by {_NAMES}, got {literal(target)}")
    return text


_NAMES = "a file (agent.py, agent.py:name) or package.module:name"


def split_target(target: str | os.PathLike[str]) -> tuple[str, str]:
    """The file or module, and the name in it (`agent` where none is given)."""
    text = os.fspath(target)
    head, colon, tail = text.rpartition(":")
    return (head, tail) if colon and tail.isidentifier() and head else (text, "agent")


def attribute(module: types.ModuleType, name: str, path: str) -> Any:
    """The attribute `name` of a loaded module; `UsageError` with the nearest name where there is none."""
    try:
        return getattr(module, name)
    except AttributeError:
        names = [known for known in vars(module) if not known.startswith("_")]
        raise UsageError(f'{path} defines no "{name}"{did_you_mean(name, names)}') from None


def load_file(path: str | os.PathLike[str]) -> types.ModuleType:
    """The module that executing the file makes: a new one each time, with the modules beside it imported anew."""
    path = os.path.abspath(path)
    code = _code(path)
    module = types.ModuleType(f"brute_file_{next(_numbers)}_{Path(path).stem}")
    module.__file__ = path
    neighbours = beside(os.path.dirname(path))
    module.__dict__["__builtins__"] = neighbours.builtins
    with LOCK, neighbours.present():
        _register(module)
        try:
            exec(code, module.__dict__)
        except BruteError:
            raise
        except SystemExit as exit:
            # Its status would be taken for ours, and there is nobody's verdict behind it.
            raise UsageError(
                f"{shown_path(path)} ended the process (exit status {getattr(exit, 'asked', exit.code)}) while it was loaded; "
                'put what is to run only as a script under if __name__ == "__main__":'
            ) from None
        except Exception as error:
            raise LoadError(shown_path(path), error) from error
    return module


def _register(module: types.ModuleType) -> None:
    """Let annotations find the module by its name later on; only the latest, since every attempt makes one."""
    sys.modules[module.__name__] = module
    _registered.append(module.__name__)
    while len(_registered) > _KEPT:
        sys.modules.pop(_registered.popleft(), None)


def _code(path: str) -> types.CodeType:
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
            raise UsageError(f"{shown_path(path)} is no regular file")  # to read a pipe may take for ever
        stamp = (found.st_mtime_ns, found.st_size)
        if path not in _compiled or _compiled[path][0] != stamp:
            _compiled[path] = (stamp, compile(Path(path).read_bytes(), path, "exec", dont_inherit=True))
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"no such file: {shown_path(path)}") from None
    except IsADirectoryError:
        raise UsageError(f"{shown_path(path)} is a folder, not a Python file") from None
    except OSError as error:
        raise UsageError(f"{shown_path(path)} can't be read: {error.strerror}") from error
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        told = error.msg if isinstance(error, SyntaxError) else str(error)
        raise UsageError(f"{shown_path(path)}{line} is not Python: {told}") from error
    return _compiled[path][1]


def frames_of(error: BaseException, below: str | None = None, last: int = 3) -> list[str]:
    """The last frames of the user's own code, as `file:line in function`; none of ours and none of a library's."""
    found = []
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if is_users(code.co_filename, below):
            found.append(f"{shown_path(code.co_filename)}:{traceback.tb_lineno} in {code.co_name}")
        traceback = traceback.tb_next
    return found[-last:]


def frame_of(frame: types.FrameType | None) -> str:
    """The innermost frame of the user's own code in a stack, as `file:line in function`; empty where there is none."""
    while frame is not None and not is_users(frame.f_code.co_filename, None):
        frame = frame.f_back
    return "" if frame is None else f"{shown_path(frame.f_code.co_filename)}:{frame.f_lineno} in {frame.f_code.co_name}"


_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep


def is_users(filename: str, below: str | None = None) -> bool:
    """Whether the file is the user's own code: none of ours, and none of a library's unless it lies `below` that folder."""
    if filename.startswith(("<", _OURS)):
        return False
    if below is not None and filename.startswith(below + os.sep):
        return True
    return "site-packages" not in filename and not filename.startswith(os.path.dirname(os.__file__))


def shown_path(path: str) -> str:
    """The path as a person knows it: from the working folder where it lies below it."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive
        return path
    return path if relative.startswith("..") else relative


def _is_function(thing: Any) -> bool:
    return inspect.isroutine(thing) or isinstance(thing, functools.partial)
