"""The one thread that writes a run log: what waits at the same time goes to the disk in one transaction."""

from __future__ import annotations

import contextlib
import os
import queue
import sqlite3
import threading
from collections.abc import Callable
from typing import Any

from .logschema import LogError, unwritten

Make = Callable[[], Callable[[sqlite3.Connection], Any]]
Done = Callable[[LogError | None], None]

ABREAST = 256
"""How much is written in one transaction at the most, so that the first of many is told soon."""


class Writer:
    """A thread with a connection of its own. When the disk refuses once, nothing more is written: `error` says why.

    `make` is called on the thread and answers what is to be called with the connection inside a transaction; `done` is called
    there when that is on the disk, or with the error when it will never be. `batches` counts the transactions. While nothing waits,
    `beat` is called with the connection every `every` seconds.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: str,
        beat: Callable[[sqlite3.Connection], object] | None = None,
        every: float = 10.0,
    ) -> None:
        self.path = path
        self.error: LogError | None = None
        self.batches = 0
        self._connection = connection
        # Its whole path, for an agent may change the working folder.
        self._file = str(connection.execute("PRAGMA database_list").fetchone()[2])
        self._identity = _identity(self._file)
        self._beat = beat
        self._every = every if beat is not None else None
        self._waiting: queue.SimpleQueue[tuple[Make, Done] | None] = queue.SimpleQueue()
        # A daemon, since a disk that hangs must not hold up the end of the process.
        self._thread = threading.Thread(target=self._write_all, name="brute run log", daemon=True)
        self._thread.start()

    def write(self, make: Make, done: Done) -> None:
        """Have it written."""
        self._waiting.put((make, done))

    def close(self, patience: float = 30.0) -> None:
        """Write what still waits, and close the connection."""
        self._waiting.put(None)
        self._thread.join(patience)
        if self._thread.is_alive():
            self.error = self.error or LogError(f"the run log {self.path} can't be written: the disk does not answer")
        elif _identity(self._file) != self._identity:
            why = "was removed or replaced while the run went on: what was written to it is lost"
            self.error = self.error or LogError(f"the run log {self.path} {why}")

    def _write_all(self) -> None:
        more = True
        while more:
            batch, more = self._taken()
            if self.error is None:
                self.error = self._written(batch)
            for _, done in batch:
                done(self.error)
        try:
            self._connection.close()
        except sqlite3.Error as error:
            self.error = self.error or unwritten(self.path, error)

    def _taken(self) -> tuple[list[tuple[Make, Done]], bool]:
        """What waits, as soon as there is something, and whether there may be more after it."""
        batch = []
        each = self._next()
        while each is not None:
            batch.append(each)
            if len(batch) == ABREAST:
                return batch, True
            try:
                each = self._waiting.get_nowait()
            except queue.Empty:
                return batch, True
        return batch, False

    def _next(self) -> tuple[Make, Done] | None:
        """What waits first, as soon as there is something."""
        while True:
            try:
                return self._waiting.get(timeout=self._every)
            except queue.Empty:
                # A beat that can't be written is no reason to give the log up: it is said with the next attempt.
                with contextlib.suppress(sqlite3.Error):
                    if self._beat is not None and self.error is None:
                        self._beat(self._connection)

    def _written(self, batch: list[tuple[Make, Done]]) -> LogError | None:
        try:
            # The rows are made first: the database is not kept from others meanwhile.
            made = [make() for make, _ in batch]
            self.batches += 1
            self._connection.execute("BEGIN IMMEDIATE")
            for put in made:
                put(self._connection)
            self._connection.execute("COMMIT")
        except Exception as error:
            self._rolled_back()
            told = unwritten(self.path, error) if isinstance(error, sqlite3.Error) else None
            return told or LogError(f"the run log {self.path} can't be written: {type(error).__name__}: {error}")
        return None

    def _rolled_back(self) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            pass


def _identity(path: str) -> tuple[int, int] | None:
    """Which file stands at the path, None where none does."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
