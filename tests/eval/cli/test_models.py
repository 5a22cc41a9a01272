"""`brute models`: the list of embedded models, and the fetching of one."""

from __future__ import annotations

from pathlib import Path

import pytest

from brute.completion import embedded
from brute.errors import ModelError
from tests.eval.cli.conftest import Brute


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cache folder with nothing in it."""
    monkeypatch.setenv("BRUTE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.skipif(embedded.KNOWN["smollm2"].where is not None, reason="the model lies in this environment")
def test_the_list(brute: Brute) -> None:
    """Each model stands in a line with its size, its licence, and whether it was fetched."""
    ended = brute("models")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out == "smollm2  SmolLM2-135M-Instruct, 4 bits, 98 MB, Apache-2.0  not fetched\n"


def test_a_model_that_is_here_is_not_fetched_again(brute: Brute, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    """Fetching says where the model lies; one that is in the cache costs nothing."""
    small = _small(cache)
    monkeypatch.setitem(embedded.KNOWN, "smollm2", small)
    ended = brute("models", "fetch", "smollm2")
    assert (ended.status, ended.out, ended.err) == (0, f"{small.place}\n", "")
    assert brute("models").out.endswith(f"  {small.place}\n")


def _small(cache: Path) -> embedded.Known:
    """A model of a few bytes that was fetched already."""
    import dataclasses
    import hashlib

    digest = hashlib.sha256(b"GGUF").hexdigest()
    small = dataclasses.replace(embedded.KNOWN["smollm2"], package="brute_no_such_package", size=4, sha256=digest)
    small.place.parent.mkdir(parents=True)
    small.place.write_bytes(b"GGUF")
    return small


def test_an_unknown_model(brute: Brute) -> None:
    """A model that is not known is refused with the nearest name."""
    ended = brute("models", "fetch", "smolm2")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith('Error: no model "smolm2" (did you mean "smollm2"?)')


def test_a_model_that_cant_be_fetched(brute: Brute, monkeypatch: pytest.MonkeyPatch) -> None:
    """A network that is down is told in a sentence, and is no fault of the command line."""

    def down(name: str) -> Path:
        raise ModelError("no network")

    monkeypatch.setattr(embedded, "fetch", down)
    ended = brute("models", "fetch", "smollm2")
    assert (ended.status, ended.out, ended.err) == (3, "", "Error: no network\n")


def test_a_name_is_needed(brute: Brute) -> None:
    """Fetching without a name is refused."""
    ended = brute("models", "fetch")
    assert ended.status == 2
    assert "Missing argument 'NAME'" in ended.err
