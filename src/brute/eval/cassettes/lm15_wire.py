"""The watch on lm15, the client of models that DSPy brings along: what its transports send is recorded, or answered."""

from __future__ import annotations

import functools
import http.client
from collections.abc import AsyncIterator
from typing import Any

from .exchange import Answer, Request
from .exchanging import Undo, all_of, exchanged
from .scope import current
from .taking import going_out


def watch(library: Any) -> Undo:
    """Watch all transports of the library (the module `lm15.transports`)."""
    return all_of([_blocking(library), _asynchronous(library)])


def _blocking(library: Any) -> Undo:
    plain = library.StdlibTransport.stream

    @functools.wraps(plain)
    def stream(self: Any, request: Any) -> Any:
        tape = current.get()
        if tape is None:
            return plain(self, request)
        plan = tape.http(_request(request))
        if isinstance(plan, Answer):
            return _response(library, plan)
        with going_out(plan):
            response = plain(self, request)
            if plan is not None:
                # The whole of it, also where it was to be streamed: it is then read again from what is there.
                with response:
                    answer = Answer(response.status, dict(response.headers), response.read())
                plan.answered(answer)
                return _response(library, answer)
        return response

    return exchanged(library.StdlibTransport, "stream", stream)


def _asynchronous(library: Any) -> Undo:
    plain = library.StdlibAsyncTransport._do_stream

    @functools.wraps(plain)
    async def _do_stream(self: Any, request: Any) -> Any:
        tape = current.get()
        if tape is None:
            return await plain(self, request)
        plan = tape.http(_request(request))
        if isinstance(plan, Answer):
            return _async_response(library, plan)
        with going_out(plan):
            response = await plain(self, request)
            if plan is not None:
                async with response:
                    body = b"".join([chunk async for chunk in response])
                answer = Answer(response.status, dict(response.headers), body)
                plan.answered(answer)
                return _async_response(library, answer)
        return response

    return exchanged(library.StdlibAsyncTransport, "_do_stream", _do_stream)


def _request(request: Any) -> Request:
    return Request(request.method, request.url, dict(request.headers), request.body or b"")


def _told(answer: Answer) -> dict[str, Any]:
    return {
        "status": answer.status,
        "reason": http.client.responses.get(answer.status, ""),
        "headers": list(dict(answer.headers).items()),
        "http_version": "HTTP/1.1",
    }


def _response(library: Any, answer: Answer) -> Any:
    """The library's own response."""
    return library.TransportResponse(**_told(answer), chunks=iter([answer.body]), release=lambda consumed: None)


def _async_response(library: Any, answer: Answer) -> Any:
    async def chunks() -> AsyncIterator[bytes]:
        yield answer.body

    async def release(consumed: bool) -> None:
        """Nothing is held."""

    return library.AsyncTransportResponse(**_told(answer), chunks=chunks(), release=release)
