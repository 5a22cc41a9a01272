"""Who is let in, and who is not."""

from __future__ import annotations

import platform
from typing import Any

import anyio
import pytest

from brute.eval.view.gate import HEADERS, Gate, known

pytest.importorskip("starlette")
from starlette.testclient import TestClient

TOKEN = "t0ken"


async def inside(scope: Any, receive: Any, send: Any) -> None:
    """An application that says which path it was asked for, or breaks."""
    if scope["path"] == "/broken":
        raise KeyError("id\x1b[2J")
    headers = [
        (b"content-type", b"text/plain"),
        *([(b"cache-control", b"max-age=1")] if scope["path"] == "/own" else []),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": f"inside {scope['path']}".encode()})


def client(exposed: bool = False, gate: Gate | None = None, base: str = "http://127.0.0.1:8000") -> TestClient:
    """Somebody who asks."""
    made: Any = gate or Gate(inside, TOKEN, exposed)
    return TestClient(made, base_url=base, follow_redirects=False)


@pytest.mark.parametrize("path", ["", "/", "/run/1", "/data/run/1?after=3", "/a/b/../c", "//x"])
def test_whoever_has_the_token_is_let_in(path: str) -> None:
    """And the application knows nothing of it."""
    answer = client().get(f"/{TOKEN}{path}")
    assert answer.status_code == 200
    assert answer.text.startswith("inside /")
    assert TOKEN not in answer.text


@pytest.mark.parametrize(
    "path",
    ["", "/", "/T0KEN/", "/t0ke/", "/t0kenn/", "/run/1", "/x/t0ken/", "//t0ken/", "/?token=t0ken", "/%20t0ken/", "/t\u00f6ken/", "/..%2ft0ken", "/%2e%2e%2ft0ken/", "/%00t0ken", "/t0ken%00/"],
)  # fmt: skip
def test_without_the_token_there_is_nothing(path: str) -> None:
    """However near one comes; and the token is in no answer."""
    answer = client().get(path)
    assert (answer.status_code, "inside" in answer.text) == (403, False)
    assert answer.text == "this address lacks the token: open the address that `brute view` wrote when it was started\n"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get"])
def test_nothing_can_be_changed(method: str) -> None:
    """Every method but GET and HEAD is refused, with and without the token."""
    for path in (f"/{TOKEN}/", "/"):
        gate, told = Gate(inside, TOKEN), []

        async def send(message: Any, told: list[Any] = told) -> None:
            told.append(message)

        scope = {"type": "http", "method": method, "path": path, "headers": [(b"host", b"127.0.0.1")]}
        anyio.run(gate, scope, None, send)
        assert told[0]["status"] == 405
        assert (b"allow", b"GET, HEAD") in told[0]["headers"]


def test_head_is_what_get_is() -> None:
    """As HTTP has it."""
    assert client().head(f"/{TOKEN}/").status_code == 200
    assert client().head("/").status_code == 403


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example", "0.0.0.0:8000", "192.168.0.7", "2130706433", "0x7f.1", "127.1", "[::2]:80", "[::ffff:192.168.0.7]", "", "[", ":80", "127.0.0.1@evil.example", "localhost.", "\u00b927.0.0.1", "[::1]x", "127.0.0.1:x", "[::1]:80:80", "127.0.0.1:80:80", "localhost:", "::1", "127.0.0.1:\u0661", "[127.0.0.1]]"],
)  # fmt: skip
def test_a_name_that_somebody_else_may_own_is_refused(host: str) -> None:
    """DNS rebinding: a page's own name leads here, and its script reads what it asks for. Even the token does not help it."""
    answer = client().get(f"/{TOKEN}/", headers={"host": host.encode()})
    assert (answer.status_code, "inside" in answer.text) == (403, False)
    assert not known(host)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:1", "127.8.8.8", "localhost", "LOCALHOST:9000", "[::1]:80"])
def test_the_names_of_this_machine(host: str) -> None:
    """Also with another port, as one has it who comes through a tunnel."""
    assert client().get(f"/{TOKEN}/", headers={"host": host}).status_code == 200


def test_no_host_and_several() -> None:
    """Neither says where the request was meant to go."""
    for headers in ([], [(b"host", b"127.0.0.1"), (b"host", b"evil.example")]):
        told: list[Any] = []

        async def send(message: Any, told: list[Any] = told) -> None:
            told.append(message)

        anyio.run(
            Gate(inside, TOKEN), {"type": "http", "method": "GET", "path": f"/{TOKEN}/", "headers": headers}, None, send
        )
        assert told[0]["status"] == 403


def test_an_exposed_server_is_asked_by_its_number_or_its_name() -> None:
    """But by no name that could be anybody's."""
    for host, status in (
        ("192.168.0.7:80", 200),
        ("[fe80::1]", 200),
        (platform.node(), 200),
        ("evil.example", 403),
        ("0.0.0.0", 403),
    ):
        assert client(exposed=True).get(f"/{TOKEN}/", headers={"host": host}).status_code == status
    assert client().get(f"/{TOKEN}/", headers={"host": f"{platform.node()}x"}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:8001"},
        {"origin": "http://localhost:8000"},
        {"origin": "https://127.0.0.1:8000"},
        {"origin": ""},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"},
    ],
    ids=str,
)
def test_a_page_of_another_origin_gets_no_answer(headers: dict[str, str]) -> None:
    """Even with the token: another port of this machine is another origin."""
    answer = client().get(f"/{TOKEN}/", headers=headers)
    assert (answer.status_code, answer.text) == (403, "a page of another origin asks, and gets no answer\n")
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://127.0.0.1:8000"},
        {"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"},
        {"sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"},
    ],
    ids=str,
)
def test_the_page_itself_and_a_link_that_is_followed(headers: dict[str, str]) -> None:
    """Such as one in a chat, or in a terminal that is a page."""
    assert client().get(f"/{TOKEN}/", headers=headers).status_code == 200


def test_a_header_that_stands_twice_says_nothing() -> None:
    """The last of them is not what counts."""
    twice = [(b"host", b"127.0.0.1"), (b"sec-fetch-site", b"cross-site"), (b"sec-fetch-site", b"none")]
    told: list[Any] = []

    async def send(message: Any) -> None:
        told.append(message)

    anyio.run(
        Gate(inside, TOKEN), {"type": "http", "method": "GET", "path": f"/{TOKEN}/", "headers": twice}, None, send
    )
    assert told[0]["status"] == 403


def test_every_answer_is_kept_to_itself() -> None:
    """No cache, no frame, no address in a Referer; what an answer says for itself stands."""
    for path in (f"/{TOKEN}/", "/", f"/{TOKEN}/broken"):
        answer = client().get(path)
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        assert "set-cookie" not in answer.headers
    assert HEADERS["referrer-policy"] == "no-referrer"
    assert client().get(f"/{TOKEN}/own").headers.get_list("cache-control") == ["max-age=1"]


def test_an_invitation_leads_in_once() -> None:
    """What a browser is started with can be read by others of the machine for as long as it runs."""
    gate = Gate(inside, TOKEN)
    path = gate.invitation(f"/{TOKEN}/run/7")
    assert TOKEN not in path
    assert client(gate=gate).head(path).status_code == 403
    answer = client(gate=gate).get(path)
    assert (answer.status_code, answer.headers["location"], answer.text) == (303, f"/{TOKEN}/run/7", "")
    assert client(gate=gate).get(path).status_code == 403
    assert client(gate=gate).get("/open/").status_code == 403
    assert client(gate=gate).get("/open").status_code == 403


def test_an_invitation_is_no_way_around_the_host() -> None:
    """It is refused, and not spent."""
    gate = Gate(inside, TOKEN)
    path = gate.invitation(f"/{TOKEN}/")
    assert client(gate=gate).get(path, headers={"host": "evil.example"}).status_code == 403
    assert client(gate=gate).get(path).status_code == 303


def test_what_breaks_is_said_here_and_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    """On standard error, where nothing in it acts."""
    answer = client().get(f"/{TOKEN}/broken")
    assert (answer.status_code, answer.text) == (500, "something went wrong in brute; its standard error says what\n")
    told = capsys.readouterr().err
    assert told.startswith("Warning: KeyError: ")
    assert told.strip().isprintable()


def test_neither_sockets_nor_anything_else_is_answered() -> None:
    """There is HTTP, and nothing more."""

    async def send(message: Any) -> None:
        raise AssertionError(message)

    anyio.run(Gate(inside, TOKEN), {"type": "websocket", "path": f"/{TOKEN}/", "headers": []}, None, send)
