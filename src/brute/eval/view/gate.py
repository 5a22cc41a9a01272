"""Who is let in to the view of a log: whoever knows its address, by a browser that was not led here by another site.

The token is the first part of every path. No cookie holds it: cookies of 127.0.0.1 go to every port of it, and so to programs of others.
What has no token in its address has no access, wherever a request comes from.
"""

from __future__ import annotations

import hmac
import ipaddress
import platform
import re
import secrets
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from ..masking import masked
from ..reporters.inert import inert
from ..wording import exception

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

METHODS = ("GET", "HEAD")

_HOST = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<name>[^:\[\]]+))(?::[0-9]{1,5})?", re.A)
"""A `Host` header: a name or a number, one of version 6 in brackets, and perhaps a port."""

HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""What every answer has, unless it has one of its own."""

INVITED = "open"
"""What stands before an invitation in a path."""


class Refused(Exception):
    """A request that is not answered: the status and the sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Gate:
    """An application behind its token. `exposed`: other machines may ask, too, by a number or this machine's name."""

    def __init__(self, app: App, token: str, exposed: bool = False) -> None:
        self._app = app
        self._token = token
        self._exposed = exposed
        self._invitations: dict[str, str] = {}

    def invitation(self, path: str) -> str:
        """A path that leads to this one, once: what a browser is started with can be read by others while it runs."""
        word = secrets.token_urlsafe(32)
        self._invitations[word] = path
        return f"/{INVITED}/{word}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return
        began = False

        async def told(message: MutableMapping[str, Any]) -> None:
            nonlocal began
            if message["type"] == "http.response.start":
                began = True
                known = {name for name, _ in message["headers"]}
                more = [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in known]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        try:
            await self._app({**scope, **self._let_in(scope)}, receive, told)
        except Refused as refused:
            await _answer(told, refused.status, str(refused))
        except _Led as led:
            await _answer(told, 303, "", ("location", led.path))
        except Exception as error:
            print(f"Warning: {inert(masked(exception(error)), 1000)}", file=sys.stderr, flush=True)  # noqa: T201
            if not began:
                await _answer(told, 500, "something went wrong in brute; its standard error says what")

    def _let_in(self, scope: Scope) -> Scope:
        """What of the scope is another for the application; raises `Refused`."""
        if scope["method"] not in METHODS:
            raise Refused(405, "nothing can be changed here: only GET and HEAD are answered")
        headers = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        self._check(headers)
        _, token, rest = (*scope["path"].split("/", 2), "", "")[:3]
        if token == INVITED and scope["method"] == "GET":
            self._lead(rest)
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self._token.encode()):
            raise Refused(
                403, "this address lacks the token: open the address that `brute view` wrote when it was started"
            )
        return {"path": f"/{rest}", "raw_path": f"/{rest}".encode("utf-8", "replace"), "root_path": ""}

    def _lead(self, word: str) -> None:
        for known in self._invitations:
            if hmac.compare_digest(word.encode("utf-8", "replace"), known.encode()):
                raise _Led(self._invitations.pop(known))

    def _check(self, headers: list[tuple[str, str]]) -> None:
        """Refuse what came here by another name, or from another page."""
        hosts = [value for name, value in headers if name == "host"]
        if len(hosts) != 1 or not known(hosts[0], self._exposed):
            # Or a page could have its own name lead here, and read what it asks for (DNS rebinding).
            raise Refused(403, "this server answers to the address that `brute view` wrote, and to no other name")
        if any(name == "origin" and value.lower() != f"http://{hosts[0].lower()}" for name, value in headers):
            raise Refused(403, "a page of another origin asks, and gets no answer")
        about = dict(headers)
        if len([name for name, _ in headers if name == "sec-fetch-site"]) > 1:
            raise Refused(403, "a page of another origin asks, and gets no answer")
        led = about.get("sec-fetch-mode") == "navigate" and about.get("sec-fetch-dest") == "document"
        if about.get("sec-fetch-site", "none") not in ("none", "same-origin") and not led:
            raise Refused(403, "a page of another origin asks, and gets no answer")


class _Led(Exception):
    """An invitation that was taken up."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


def known(host: str, exposed: bool = False) -> bool:
    """Whether a `Host` header names this machine, by what no name server can make another's.

    >>> known("127.0.0.1:8000"), known("localhost"), known("evil.example"), known("192.168.0.7:80", exposed=True)
    (True, True, False, True)
    """
    written = _HOST.fullmatch(host)
    if written is None:
        return False
    name = written["six"] or written["name"]
    try:
        number = ipaddress.ip_address(name)
    except ValueError:
        own = {"localhost", *([platform.node().lower()] if exposed and platform.node() else [])}
        return name.lower() in own
    return number.is_loopback or (exposed and not number.is_unspecified)


async def _answer(send: Send, status: int, sentence: str, *headers: tuple[str, str]) -> None:
    more = [("allow", ", ".join(METHODS))] if status == 405 else []
    body = sentence.encode() + b"\n" if sentence else b""
    told = [("content-type", "text/plain; charset=utf-8"), ("content-length", str(len(body))), *headers, *more]
    made = [(name.encode(), value.encode()) for name, value in told]
    await send({"type": "http.response.start", "status": status, "headers": made})
    await send({"type": "http.response.body", "body": body})
