"""`brute view`."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.eval.cli.conftest import Brute, command
from tests.eval.logged import attempts, run_of

pytest.importorskip("uvicorn")

PLACE = Path(".brute/runs.db")
posix = pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's here")


def started(*words: str, **environ: str) -> tuple[subprocess.Popen[str], str]:
    """The command in a process of its own, and the address that it has written."""
    running = subprocess.Popen(
        command("view", *words),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environ},
    )
    assert running.stdout is not None
    return running, running.stdout.readline().strip()


def ended(running: subprocess.Popen[str], number: int = signal.SIGINT) -> tuple[int, str, str]:
    """How it ends at a signal: its status and what it has written since."""
    running.send_signal(number)
    out, err = running.communicate(timeout=30)
    return running.returncode, out, err


SAYS = f"{PLACE} is shown at this address until you press Ctrl-C\n"


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_writes_its_address_and_ends_at_ctrl_c(number: int) -> None:
    """With the status that Ctrl-C has everywhere, and not a word more; also while somebody is connected and waits."""
    run_of(attempts(4), PLACE)
    running, url = started()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{43}/", url)
    with urllib.request.urlopen(f"{url}data/runs", timeout=30) as answer:
        assert b'"made":"4 attempts: 2 passed, 1 failed, 1 error"' in answer.read()
    with socket.create_connection(("127.0.0.1", int(url.split(":")[2].split("/")[0]))) as waits:
        waits.sendall(b"GET / HTTP/1.1\r\n")
        assert ended(running, number) == (130, "", SAYS)


@posix
def test_one_run_has_an_address_of_its_own() -> None:
    """By its id, an end of it, or `last`."""
    first = run_of(attempts(1), PLACE)
    run_of(attempts(1), PLACE)
    for name, number in ((first.id, 1), (first.id[-6:], 1), ("last", 2)):
        running, url = started(name)
        assert url.endswith(f"/run/{number}")
        with urllib.request.urlopen(url, timeout=30) as answer:
            assert answer.status == 200
        assert ended(running)[0] == 130


@posix
def test_a_port_of_ones_own() -> None:
    """And a log elsewhere."""
    run_of(attempts(1), Path("x.db"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running, url = started("--log", "x.db", "--port", str(port), "--host", "localhost")
    assert url.startswith(f"http://127.0.0.1:{port}/")
    assert ended(running) == (130, "", SAYS.replace(str(PLACE), "x.db"))


@posix
def test_a_browser_is_opened_when_it_is_asked_for(folder: Path) -> None:
    """With an address that leads in once, since others may read what it was started with."""
    run_of(attempts(1), PLACE)
    (folder / "browser.py").write_text(
        "import sys, urllib.request\n"
        "with urllib.request.urlopen(sys.argv[1]) as answer: text = f'{sys.argv[1]} {answer.url} {answer.status}'\n"
        "with open('opened.txt', 'w') as file: file.write(text)\n"
        "print('done', file=sys.stderr, flush=True)\n"
    )
    running, url = started("last", "--open", BROWSER=f"{shlex.join([sys.executable, 'browser.py'])} %s")
    assert running.stderr is not None
    assert [running.stderr.readline() for _ in range(2)] == [SAYS, "done\n"]
    invited, led, status = (folder / "opened.txt").read_text().split()
    assert (led, status) == (url, "200")
    assert url.split("/")[3] not in invited
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(invited, timeout=30)
    assert ended(running)[0] == 130


@posix
def test_no_browser_is_a_warning(folder: Path) -> None:
    """The address is there all the same."""
    run_of(attempts(1), PLACE)
    running, url = started("--open", BROWSER="/nowhere/browser %s", DISPLAY="", PATH=str(folder))
    assert running.stderr is not None
    assert [running.stderr.readline() for _ in range(2)] == [
        SAYS, "Warning: no browser could be opened; open the address yourself\n",
    ]  # fmt: skip
    assert url.startswith("http://127.0.0.1:")
    assert ended(running)[0] == 130


@posix
def test_other_machines_only_when_they_are_meant(folder: Path) -> None:
    """It is asked for twice, and warned of."""
    run_of(attempts(1), PLACE)
    running, url = started("--host", "0.0.0.0", "--expose")
    port = url.split(":")[2].split("/")[0]
    with urllib.request.urlopen(url, timeout=30) as answer:
        assert answer.status == 200
    status, out, err = ended(running)
    assert (status, out, port.isdigit()) == (130, "", True)
    assert err.startswith("Warning: other machines can reach this server, by this machine's name or number; ")


def test_what_can_not_be_meant(brute: Brute) -> None:
    """Each in a sentence, with status 2, before anything is served."""
    told = brute("view")
    assert (told.status, told.out, told.err) == (2, "", f"Error: there is no run log at {PLACE}\n")
    id = run_of(attempts(1), PLACE).id
    told = brute("view", f"{id}x")
    assert (told.status, told.err) == (
        2,
        f"Error: no run '{id}x' in {PLACE} (did you mean \"{id}\"?); `brute runs` lists them\n",
    )
    told = brute("view", "--host", "0.0.0.0")
    assert told.status == 2
    assert told.err.startswith("Error: --host 0.0.0.0 lets other machines read the log; add --expose")
    assert brute("view", "--port", "0").status == 2
    assert brute("view", "--port", "65536").status == 2
    with socket.socket() as used:
        used.bind(("127.0.0.1", 0))
        used.listen()
        port = used.getsockname()[1]
        told = brute("view", "--port", str(port))
        assert (told.status, told.out) == (2, "")
        assert (
            told.err
            == f"Error: port {port} of 127.0.0.1 is in use; choose another one, or leave out --port to have a free one\n"
        )


def test_a_log_that_can_not_be_read_is_status_3(brute: Brute) -> None:
    """As everywhere."""
    Path("x.db").write_text("nothing of the kind" * 100)
    assert brute("view", "--log", "x.db").status == 3


def test_without_the_extra(brute: Brute, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that installs it."""
    run_of(attempts(1), PLACE)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    told = brute("view")
    assert told.status == 2
    assert told.err.endswith("needs the extra 'view': pip install 'brute-eval[view]'\n")
    assert len(told.err.splitlines()) == 1
