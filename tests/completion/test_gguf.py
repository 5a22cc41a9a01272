"""What a model file says about itself."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from brute import UsageError
from brute.completion import gguf
from tests.support.gguf import header, text


def written(path: Path, data: bytes) -> Path:
    """The data as a file."""
    path.write_bytes(data)
    return path


def test_the_template_is_found_behind_lists_and_numbers(tmp_path: Path) -> None:
    """What is not wanted is passed over, whatever its kind."""
    words = struct.pack("<IQ", 8, 2) + text("a") + text("bc")
    nested = struct.pack("<IQ", 9, 1) + struct.pack("<IQ", 5, 2) + struct.pack("<ii", 1, 2)
    data = header(
        ("general.architecture", 8, text("llama")),
        ("llama.block_count", 4, struct.pack("<I", 30)),
        ("tokenizer.ggml.add_bos_token", 7, b"\x01"),
        ("tokenizer.ggml.tokens", 9, words),
        ("tokenizer.ggml.scores", 9, struct.pack("<IQ", 6, 3) + b"\0" * 12),
        ("odd", 9, nested),
        ("tokenizer.chat_template", 8, text("{{ tools }} é")),
    )
    found = gguf.read(written(tmp_path / "m.gguf", data))
    assert found == gguf.Header(name=None, architecture="llama", chat_template="{{ tools }} é")
    assert found.chooses_tools


@pytest.mark.parametrize(("template", "chooses"), [(None, False), ("{{ messages }}", False), ("{{ tools }}", True)])
def test_a_model_chooses_tools_if_its_template_has_a_place_for_them(template: str | None, chooses: bool) -> None:
    """The template decides, since it is all that the model gets to see."""
    assert gguf.Header(chat_template=template).chooses_tools is chooses


def test_another_file_is_refused(tmp_path: Path) -> None:
    """The first bytes are looked at before anything is loaded."""
    with pytest.raises(UsageError, match="is not a GGUF model file"):
        gguf.read(written(tmp_path / "m.gguf", b"PK\x03\x04"))


@pytest.mark.parametrize("length", [4, 7, 12, 23, 30, 50, 60])
def test_a_file_that_is_cut_off_is_refused_wherever_the_cut_is(tmp_path: Path, length: int) -> None:
    """A download that stopped is told from a model, in one sentence."""
    data = header(("general.name", 8, text("Tiny")), ("tokenizer.chat_template", 8, text("{{ tools }}")))
    with pytest.raises(UsageError, match="damaged GGUF"):
        gguf.read(written(tmp_path / "m.gguf", data[:length]))


@pytest.mark.parametrize(
    "entry", [("k", 99, b"\0" * 8), ("k", 8, struct.pack("<Q", 1 << 60)), ("k", 8, struct.pack("<Q", 1) + b"\xff")]
)
def test_nonsense_in_a_header_is_refused_and_not_allocated(tmp_path: Path, entry: tuple[str, int, bytes]) -> None:
    """An unknown kind and a length of an exabyte are damage, not a crash."""
    data = header(entry, ("general.name", 8, text("Tiny")))
    wanted = data.replace(text("k"), text("general.name"), 1) if entry[2].endswith(b"\xff") else data
    with pytest.raises(UsageError, match="damaged GGUF"):
        gguf.read(written(tmp_path / "m.gguf", wanted))
