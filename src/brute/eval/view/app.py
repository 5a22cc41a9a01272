"""The application of the view: three pages, and what their script asks for, read from the log for each request and nothing written."""

from __future__ import annotations

import functools
import json
from typing import Any

from ...leaves import in_thread
from ..logreading import Reading
from ..logschema import LogError
from ..masking import masked
from ..reporters.html import SCRIPTS
from ..reporters.inert import inert
from ..reporters.shell import Shell, block
from . import told
from .gate import App

LIVE = ("elements.js", "sums.js", "server.js", *SCRIPTS[1:], "runs.js", "compare.js", "live.js")

LARGEST = 2**62
"""The largest number that is taken from an address: beyond what any log has, and below what its database can't be asked for."""


def application(path: str) -> App:
    """The application that shows the log at `path`."""
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    shell = Shell(LIVE, "connect-src 'self'; ")
    policy = {"content-security-policy": f"{shell.policy}; frame-ancestors 'none'"}

    async def page(request: Request) -> Response:
        shown = {"path": inert(path, 300), **_path(request)}
        return Response(shell.head + block("view", shown) + shell.foot, media_type="text/html", headers=policy)

    async def data(request: Request, tell: told.Tell) -> Response:
        status, body = await in_thread(functools.partial(answer, path, tell, _numbers(request)))
        return Response(body, status, media_type="application/json")

    def told_by(tell: told.Tell) -> Any:
        async def endpoint(request: Request) -> Response:
            return await data(request, tell)

        return endpoint

    async def nothing(request: Request, error: Exception) -> Response:
        return Response("there is nothing at this address\n", 404, media_type="text/plain")

    pages = [Route(at, page) for at in ("/", "/run/{run}", "/compare/{run}/{other}")]
    asked = {
        "/data/runs": told.runs,
        "/data/run/{run}": told.run,
        "/data/run/{run}/gist": told.gist,
        "/data/attempt/{id}": told.attempt,
        "/data/compare/{run}/{other}": told.compared,
    }
    routes = [*pages, *(Route(at, told_by(tell)) for at, tell in asked.items())]
    made = Starlette(routes=routes, exception_handlers={404: nothing})
    # It knows nothing of the token, so no address that it leads to would have one.
    made.router.redirect_slashes = False
    return made


def _numbers(request: Any) -> dict[str, int]:
    """The numbers in an address and in what is asked behind it, where what is none is left out."""
    queried = {name: _number(value) for name, value in request.query_params.items()}
    return {name: number for name, number in queried.items() if number is not None} | _path(request)


def _path(request: Any) -> dict[str, int]:
    """The numbers in an address; there is nothing where one of them is none."""
    from starlette.exceptions import HTTPException

    found = {}
    for name, value in request.path_params.items():
        number = _number(value)
        if number is None:
            raise HTTPException(404)
        found[name] = number
    return found


def _number(text: str) -> int | None:
    return min(int(text), LARGEST) if text.isascii() and text.isdecimal() and len(text) < 40 else None


def answer(path: str, tell: told.Tell, asked: told.Asked) -> tuple[int, str]:
    """The status and the JSON of an answer: of what is not there, or can't be read, a sentence."""
    try:
        with Reading(path) as reading:
            return 200, _json(tell(reading, asked))
    except told.Missing as error:
        return 404, _json({"error": inert(masked(str(error)), 1000)})
    except LogError as error:
        return 503, _json({"error": inert(masked(str(error)), 1000)})


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
