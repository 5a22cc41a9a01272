"""The watch on aiohttp: what a client session sends is recorded, or answered."""

from __future__ import annotations

import asyncio
import functools
import http.client
import json
from typing import Any

from .exchange import Answer, Request
from .exchanging import Undo, exchanged
from .scope import current
from .taking import going_out


def watch(library: Any) -> Undo:
    """Watch all client sessions of the library."""
    plain = library.ClientSession._request

    @functools.wraps(plain)
    async def _request(self: Any, method: str, str_or_url: Any, **options: Any) -> Any:
        tape = current.get()
        if tape is None:
            return await plain(self, method, str_or_url, **options)
        request = await _told(library, self, method, str_or_url, options)
        plan = tape.http(request)
        if isinstance(plan, Answer):
            return await _checked(self, _response(library, request, plan), options)
        with going_out(plan):
            response = await plain(self, method, str_or_url, **options)
            if plan is not None:
                # The whole of it, also where it was to be streamed: it is then read again from what is there.
                plan.answered(Answer(response.status, dict(response.headers), await response.read()))
                response.content = _stream(library, response._body)
        return response

    return exchanged(library.ClientSession, "_request", _request)


async def _told(library: Any, session: Any, method: str, url: Any, options: dict[str, Any]) -> Request:
    """The request, and its body as bytes; `options` then send just these."""
    headers = {str(name): str(value) for name, value in dict(options.get("headers") or {}).items()}
    whole = session._build_url(url)
    if options.get("params"):
        whole = whole.update_query(options["params"])
    data, body = options.get("data"), b""
    if options.get("json") is not None:
        body = json.dumps(options["json"]).encode()
    elif isinstance(data, (bytes, bytearray, str)):
        body = data.encode() if isinstance(data, str) else bytes(data)
    elif data is not None:
        form = data if isinstance(data, library.FormData) else library.FormData(data)
        payload = form()
        headers["content-type"] = payload.content_type if hasattr(payload, "content_type") else ""
        body = await payload.as_bytes() if hasattr(payload, "as_bytes") else repr(data).encode()
        options["data"] = payload
    return Request(method, str(whole), headers, body)


async def _checked(session: Any, response: Any, options: dict[str, Any]) -> Any:
    """The response, or what the session raises for its status."""
    check = options.get("raise_for_status")
    check = session._raise_for_status if check is None else check
    if callable(check):
        await check(response)
    elif check:
        response.raise_for_status()
    return response


def _stream(library: Any, body: bytes) -> Any:
    loop = asyncio.get_running_loop()
    stream = library.StreamReader(library.base_protocol.BaseProtocol(loop), 2**20, loop=loop)
    stream.feed_data(body)
    stream.feed_eof()
    return stream


def _response(library: Any, request: Request, answer: Answer) -> Any:
    """The library's own response. Its constructor takes other arguments in each release, and so is not asked."""
    from multidict import CIMultiDict, CIMultiDictProxy
    from yarl import URL

    made = object.__new__(library.ClientResponse)
    url = URL(request.url)
    headers = CIMultiDictProxy(CIMultiDict(answer.headers))
    made.method, made.status = request.method, answer.status
    made.reason = http.client.responses.get(answer.status, "")
    made.version = library.HttpVersion11
    made._url = made._real_url = url
    made._headers = headers
    made._raw_headers = tuple((name.encode(), value.encode()) for name, value in headers.items())
    made._request_info = library.RequestInfo(url, request.method, CIMultiDictProxy(CIMultiDict(request.headers)), url)
    made._cache, made._traces, made._loop = {}, [], asyncio.get_running_loop()
    made.content = _stream(library, answer.body)
    return made
