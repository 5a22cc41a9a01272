"""A part of the cases for each of several machines: together they are all, and none is in two."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from ..errors import UsageError

Named = tuple[str, str]
"""The name of a suite and of a case in it."""


def parsed(text: str) -> tuple[int, int]:
    """The shard and how many there are, of `2/5`; raises `UsageError`.

    >>> parsed("2/5")
    (2, 5)
    """
    number, slash, of = text.partition("/")
    if not (
        slash
        and number.isascii()
        and number.isdigit()
        and of.isascii()
        and of.isdigit()
        and 1 <= int(number) <= int(of)
    ):
        raise UsageError(f"a shard is written as NUMBER/OF, such as 2/5 for the second of five; got {text!r}")
    return int(number), int(of)


def sharded(cases: Sequence[Named], number: int, of: int) -> set[Named]:
    """The cases of a shard: all attempts of a case stay together, and no shard has two more cases than another.

    The same cases give the same shards, in whatever order the files list them, on every machine.
    """
    return set(sorted(set(cases), key=_spread)[number - 1 :: of])


def _spread(case: Named) -> tuple[bytes, Named]:
    """An order that has nothing to do with the names, for slow cases often stand side by side."""
    return hashlib.blake2b("\0".join(case).encode("utf-8", "surrogatepass"), digest_size=8).digest(), case


def whole(cases: Iterable[tuple[str, str, int]], of: int) -> bytes:
    """What the shards are shards of: (suite, case, runs) of everything that was selected; shards of one whole can be merged into a run."""
    return hashlib.blake2b(repr((of, sorted(cases))).encode("utf-8", "backslashreplace"), digest_size=16).digest()
