"""A model loaded into this process by llama.cpp, shared by every attempt that asks for it.

llama.cpp's server engine works on several requests at once, token by token, in its slots. It opens a listener whether it is
wanted or not; here that is a socket file in a private folder, deleted as soon as the model is loaded, and where there are
no socket files a loopback port with a random key.
"""

from __future__ import annotations

import atexit
import dataclasses
import os
import secrets
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import MissingExtra, ModelError

PATIENCE = 10.0
"""Seconds that the interpreter's exit waits for requests under way to notice that they are to stop."""


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """How a model is loaded: two completions with the same path and options share one."""

    path: Path
    context: int
    slots: int
    threads: int
    cpu: bool
    exact: bool


class Request:
    """One request under way: the pieces that came so far, and the wish that no more come."""

    __slots__ = ("pieces", "stopped")

    def __init__(self) -> None:
        self.pieces: list[dict[str, Any]] = []
        self.stopped = False

    def take(self, piece: dict[str, Any]) -> bool:
        """Keep a piece; answers whether the engine is to stop here."""
        self.pieces.append(piece)
        return self.stopped


class Engine:
    """One loaded model, and the door to it for blocking callers on any thread.

    `server` is llama.cpp's, which answers as many requests at once as it has `slots`.
    """

    def __init__(self, server: Any, slots: int) -> None:
        self._server = server
        self._free = threading.Semaphore(slots)
        self._changed = threading.Condition()
        self._requests: set[Request] = set()
        self._closed = False

    def ask(self, request: Request, body: dict[str, Any], *, chat: bool = False) -> list[dict[str, Any]]:
        """The pieces that the model answers to `body`, in llama.cpp's streamed form, when the last one is there."""
        # Streamed, because a request can only be stopped from the function that takes its pieces.
        body = {**body, "stream": True, "stream_options": {"include_usage": True}}
        with self._under_way(request), self._free:
            if not request.stopped:
                server = self._server
                (server.handle_chat_completions if chat else server.handle_completions)(body, request.take)
        return request.pieces

    @contextmanager
    def _under_way(self, request: Request) -> Iterator[None]:
        with self._changed:
            if self._closed:
                raise ModelError("the interpreter is shutting down")
            self._requests.add(request)
        try:
            yield
        finally:
            with self._changed:
                self._requests.discard(request)
                self._changed.notify_all()

    def close(self, patience: float = PATIENCE) -> None:
        """Stop what is under way, for `patience` seconds at the most, and take the model down.

        Needed at exit: llama.cpp crashes when the process ends under a thread that still waits for it.
        """
        with self._changed:
            self._closed = True
            for request in self._requests:
                request.stopped = True
            if self._changed.wait_for(lambda: not self._requests, patience):
                self._server = None


_engines: dict[tuple[int, Options], Engine] = {}
_loading = threading.Lock()


def shared(options: Options) -> Engine:
    """This process's engine for `options`, loaded at the first call; blocks while another thread loads it."""
    # The process is in the key because a fork inherits the dict without the threads that do an engine's work.
    key = (os.getpid(), options)
    with _loading:
        if key not in _engines:
            if not _engines:
                atexit.register(_close)
            _engines[key] = Engine(_load(options), options.slots)
        return _engines[key]


def _close() -> None:
    for (process, _), engine in list(_engines.items()):
        if process == os.getpid():
            engine.close()


def _load(options: Options) -> Any:
    llama = _xllamacpp()
    with tempfile.TemporaryDirectory(prefix="brute-") as folder:
        try:
            return llama.Server(_parameters(llama.CommonParams(), options, Path(folder)))
        except RuntimeError as error:
            raise ModelError(
                f"llama.cpp could not load {options.path}: the file is damaged, of a kind that this release of xllamacpp "
                f"does not know, or needs more memory than there is ({error})"
            ) from None


def _xllamacpp() -> Any:
    # Its threads wait for each other at every layer. Unless told otherwise OpenMP spins meanwhile, which on a machine that
    # does something else as well takes several times as long. It reads this once, when it is loaded.
    untold = "OMP_WAIT_POLICY" not in os.environ
    if untold:
        os.environ["OMP_WAIT_POLICY"] = "passive"
    try:
        import xllamacpp
    except ModuleNotFoundError:
        raise MissingExtra("Local", "local") from None
    except ImportError as error:  # installed, but a library of the system is missing (libgomp on a slim image)
        raise ModelError(f"xllamacpp is installed but can't be loaded: {error}") from None
    finally:
        if untold:
            del os.environ["OMP_WAIT_POLICY"]
    return xllamacpp


def _parameters(made: Any, options: Options, folder: Path) -> Any:
    made.model.path = str(options.path)
    made.n_parallel = options.slots
    made.n_ctx = options.context * options.slots  # llama.cpp deals it out to the slots
    made.cpuparams.n_threads = made.cpuparams_batch.n_threads = options.threads
    made.cpuparams.poll = made.cpuparams_batch.poll = 0  # as above, where there is no OpenMP
    made.verbosity = -1  # llama.cpp's log goes to stderr
    made.fit_params = False  # else the context would depend on the memory that is free now
    made.cache_ram_mib = 0
    made.ui = False
    made.n_threads_http = 1
    made.api_keys = [secrets.token_hex(16)]
    if hasattr(socket, "AF_UNIX") and sys.platform != "win32" and len(str(folder)) < 90:
        made.hostnames = [str(folder / "s.sock")]
    if options.cpu:
        made.n_gpu_layers = 0
    if options.cpu or options.exact:
        made.flash_attn_type = 0  # off: the results are then the same whatever the number of threads
    return made


def threads_here(most: int = 4) -> int:
    """How many threads a model gets unless told otherwise: the processors that this process may use, up to `most`."""
    count: Callable[[], int | None] = getattr(os, "process_cpu_count", os.cpu_count)
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else count() or 1
    return max(1, min(most, allowed))
