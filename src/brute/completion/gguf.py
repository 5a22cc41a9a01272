"""What a GGUF model file says about itself, read from its first bytes without loading the model."""

from __future__ import annotations

import dataclasses
import struct
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import UsageError

MAGIC = b"GGUF"

_WANTED = ("general.name", "general.architecture", "tokenizer.chat_template")
_TEXT, _LIST = 8, 9
_NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_LONGEST = 1 << 24
"""The most bytes that one text of a header may have; more is a damaged length, not a text."""


@dataclasses.dataclass(frozen=True, slots=True)
class Header:
    """What a model file says about itself; what it doesn't say is None."""

    name: str | None = None
    architecture: str | None = None
    chat_template: str | None = None

    @property
    def chooses_tools(self) -> bool:
        """Whether the model was made to pick tools from schemas: its chat template has a place for them.

        >>> Header(chat_template="{% for tool in tools %}{{ tool | tojson }}{% endfor %}").chooses_tools
        True
        """
        return self.chat_template is not None and "tools" in self.chat_template


def read(path: Path) -> Header:
    """What the model file at `path` says about itself; `UsageError` where it is no GGUF file, or is cut off."""
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise UsageError(f"{path} is not a GGUF model file (it doesn't begin with the bytes {MAGIC.decode()})")
        try:
            return _header(file)
        except (EOFError, UnicodeDecodeError, KeyError, OverflowError):
            raise UsageError(f"{path} is a damaged GGUF model file: its header can't be read to the end") from None


def _header(file: BinaryIO) -> Header:
    _number(file, "<I")  # the version of the format
    _number(file, "<Q")  # how many tensors there are
    found: dict[str, Any] = {}
    for _ in range(_number(file, "<Q")):
        key, kind = _text(file), _number(file, "<I")
        if key in _WANTED and kind == _TEXT:
            found[key] = _text(file)
        else:
            _skip(file, kind)
        if len(found) == len(_WANTED):
            break
    return Header(found.get("general.name"), found.get("general.architecture"), found.get("tokenizer.chat_template"))


def _bytes(file: BinaryIO, count: int) -> bytes:
    if count > _LONGEST:
        raise OverflowError
    data = file.read(count)
    if len(data) < count:
        raise EOFError
    return data


def _number(file: BinaryIO, form: str) -> int:
    return int(struct.unpack(form, _bytes(file, struct.calcsize(form)))[0])


def _text(file: BinaryIO) -> str:
    return _bytes(file, _number(file, "<Q")).decode()


def _skip(file: BinaryIO, kind: int) -> None:
    """Pass over one value: a vocabulary has 50,000 and more entries, of which none is wanted here."""
    if kind == _TEXT:
        _bytes(file, _number(file, "<Q"))
    elif kind == _LIST:
        inner, count = _number(file, "<I"), _number(file, "<Q")
        if inner in _NUMBERS:
            file.seek(count * struct.calcsize(_NUMBERS[inner]), 1)
        else:
            for _ in range(count):
                _skip(file, inner)
    else:
        _bytes(file, struct.calcsize(_NUMBERS[kind]))
