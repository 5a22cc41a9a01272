"""The server itself, on loopback: what a test client can't do, such as not to read, and what is wrong with a port."""

from __future__ import annotations

import contextlib
import http.client
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from brute.errors import MissingExtra, UsageError
from brute.eval.view import serving
from tests.eval.logged import attempts, database, run_of

pytest.importorskip("uvicorn")
from tests.support.viewing import viewing


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """The address of a view of ten attempts."""
    run_of(attempts(10), tmp_path / "runs.db")
    with viewing(tmp_path / "runs.db") as found:
        yield found


def asked(url: str, at: str = "", method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of what is answered."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    with contextlib.closing(connection):
        connection.request(method, parts.path + at, headers=headers)
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()


def raw(url: str, text: str) -> bytes:
    """What comes back for these very bytes."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname, parts.port), timeout=30) as made:
        made.sendall(text.replace("TOKEN", parts.path.strip("/")).replace("HOST", parts.netloc).encode())
        made.shutdown(socket.SHUT_WR)
        found = b""
        while piece := made.recv(65536):
            found += piece
        return found


def test_it_answers(url: str) -> None:
    """On loopback, with neither the name of the server nor a cookie."""
    assert urlsplit(url).hostname == "127.0.0.1"
    status, headers, body = asked(url, "data/runs")
    assert (status, headers["content-type"]) == (200, "application/json")
    assert b'"number":1' in body
    assert not {"server", "set-cookie", "location", "access-control-allow-origin"} & {*headers}


def test_head_has_no_body(url: str) -> None:
    """And the headers of GET."""
    status, headers, body = asked(url, "", "HEAD")
    assert (status, body) == (200, b"")
    assert headers["content-security-policy"] == asked(url)[1]["content-security-policy"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_nothing_can_be_changed(method: str, url: str) -> None:
    """Nor is another origin told that it may ask."""
    status, headers, _ = asked(url, "data/runs", method, origin="http://evil.example")
    assert (status, headers["allow"]) == (405, "GET, HEAD")
    assert not [name for name in headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("GET /TOKEN/ HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", b"200"),
        ("GET /TOKEN/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", b"403"),
        ("GET /TOKEN/ HTTP/1.1\r\nHost: HOST\r\nHost: evil.example\r\nConnection: close\r\n\r\n", b"400"),
        ("GET /TOKEN/ HTTP/1.1\r\nConnection: close\r\n\r\n", b"400"),
        ("GET /TOKEN/ HTTP/1.0\r\n\r\n", b"403"),
        ("GET http://evil.example/TOKEN/ HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", b"403"),
        ("GET /../../etc/passwd HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", b"403"),
        ("GET /TOKEN/../../../etc/passwd HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", b"404"),
        ("GET /TOKEN/..%2f..%2fetc%2fpasswd HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", b"404"),
        ("nonsense\r\n\r\n", b"400"),
        ("CONNECT evil.example:443 HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", b"405"),
        ("GET /TOKEN/ HTTP/1.1\r\nHost: HOST\r\nUpgrade: websocket\r\nConnection: close, upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n", b"200"),
    ],
)  # fmt: skip
def test_what_a_browser_would_not_send(text: str, status: bytes, url: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Is answered with a status, and nobody's terminal hears of it."""
    answer = raw(url, text)
    assert answer.split(b" ", 2)[1] == status
    assert b"root:" not in answer
    assert capfd.readouterr() == ("", "")


def test_a_reader_that_does_not_read_holds_nobody_up(tmp_path: Path) -> None:
    """Neither those who ask meanwhile, nor the end of the server; nor does one that never says what it wants."""
    path = tmp_path / "runs.db"
    run_of(attempts(3), path)
    # They are there for longer than the server is.
    with contextlib.ExitStack() as stack:
        with viewing(path, narrow=True) as url:
            parts = urlsplit(url)
            for n in range(60):
                slow = stack.enter_context(socket.socket())
                slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                slow.connect((parts.hostname, parts.port))
                asks = f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
                slow.sendall((asks + ("\r\n" if n % 3 else "X: ")).encode())
            for _ in range(5):
                assert asked(url, "data/runs")[0] == 200
            ending = time.monotonic()
        assert time.monotonic() - ending < 5


def test_a_reader_that_goes_away_is_no_harm(url: str, capfd: pytest.CaptureFixture[str]) -> None:
    """In the middle of an answer, or before it."""
    parts = urlsplit(url)
    for _ in range(20):
        with socket.create_connection((parts.hostname, parts.port)) as made:
            made.sendall(f"GET {parts.path}data/run/1 HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
    assert asked(url, "data/runs")[0] == 200
    assert capfd.readouterr() == ("", "")


def test_a_log_that_is_locked_holds_up_no_other_question(tmp_path: Path) -> None:
    """Questions to the log wait on threads: the page itself is answered meanwhile, and the server ends without them."""
    path = tmp_path / "runs.db"
    run_of(attempts(3), path)
    with database(path) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.execute("BEGIN EXCLUSIVE")
        with viewing(path) as url:
            parts = urlsplit(url)
            with socket.create_connection((parts.hostname, parts.port)) as waits:
                waits.sendall(f"GET {parts.path}data/runs HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
                assert asked(url)[0] == 200
                ending = time.monotonic()
        assert time.monotonic() - ending < 5


def test_a_free_port_and_a_chosen_one() -> None:
    """A port that is in use is refused in a sentence."""
    with serving.bound("127.0.0.1", None) as one:
        port = one.getsockname()[1]
        assert serving.address(one, "/x/") == f"http://127.0.0.1:{port}/x/"
        with pytest.raises(
            UsageError, match=rf"^port {port} of localhost is in use; choose another one, or leave out --port"
        ):
            serving.bound("localhost", port)
    with serving.bound("127.0.0.1", port) as again:
        assert again.getsockname()[1] == port


def test_only_loopback_unless_it_is_asked_for() -> None:
    """And nothing that is no address."""
    for host in ("0.0.0.0", "::", "192.0.2.7", "8.8.8.8"):
        with pytest.raises(
            UsageError, match=rf"^--host {host} lets other machines read the log; add --expose if they are meant to"
        ):
            serving.bound(host, None)
    for host in ("example.com", "", "127.1", "localhost.", "127.0.0.1:80", "http://127.0.0.1"):
        with pytest.raises(
            UsageError, match=r"^--host must be an address, such as 127\.0\.0\.1 or ::1, or localhost; got "
        ):
            serving.bound(host, None)
    with pytest.raises(UsageError, match=r"^--host 192\.0\.2\.7 is no address of this machine$"):
        serving.bound("192.0.2.7", None, exposed=True)


def test_the_other_loopback() -> None:
    """In brackets, as an address has it."""
    try:
        made = serving.bound("::1", None)
    except UsageError:
        pytest.skip("this machine has no IPv6")
    with made:
        assert serving.address(made, "/").startswith("http://[::1]:")


def test_tokens_are_long_and_never_the_same() -> None:
    """256 bits, in letters that an address may have."""
    tokens = {serving.new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert {len(token) for token in tokens} == {43}


@pytest.mark.parametrize("name", ["uvicorn", "starlette"])
def test_a_missing_extra_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that installs it."""
    for module in [each for each in sys.modules if each.split(".")[0] == name]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"needs the extra 'view': pip install 'brute-eval\[view\]'$"):
        serving.check_extra()
