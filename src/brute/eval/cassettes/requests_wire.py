"""The watch on requests: what a session sends is recorded, or answered."""

from __future__ import annotations

import datetime
import functools
import io
from typing import Any

from .exchange import Answer, Request
from .exchanging import Undo, exchanged
from .scope import current
from .taking import going_out


def watch(library: Any) -> Undo:
    """Watch all sessions of the library."""
    plain = library.Session.send

    @functools.wraps(plain)
    def send(self: Any, request: Any, **options: Any) -> Any:
        tape = current.get()
        if tape is None:
            return plain(self, request, **options)
        plan = tape.http(_request(request))
        if isinstance(plan, Answer):
            return _response(library, request, plan)
        with going_out(plan):
            response = plain(self, request, **options)
            if plan is not None:
                # The whole of it, also where it was to be streamed; it can still be read piece by piece.
                plan.answered(Answer(response.status_code, dict(response.headers), response.content))
        return response

    return exchanged(library.Session, "send", send)


def _request(request: Any) -> Request:
    body = request.body
    if body is None:
        body = b""
    elif isinstance(body, str):
        body = body.encode()
    elif not isinstance(body, bytes):
        # A file, or what gives its pieces only once: read here, and sent from here.
        body = body.read() if hasattr(body, "read") else b"".join(body)
        request.body = body = body.encode() if isinstance(body, str) else body
    return Request(request.method or "GET", request.url or "", dict(request.headers), body)


def _response(library: Any, request: Any, answer: Answer) -> Any:
    """The library's own response."""
    from urllib3 import HTTPResponse

    response = library.Response()
    response.status_code = answer.status
    response.headers = library.structures.CaseInsensitiveDict(answer.headers)
    response.raw = HTTPResponse(
        io.BytesIO(answer.body), headers=dict(answer.headers), status=answer.status, preload_content=False
    )
    response.url, response.request = request.url, request
    response.encoding = library.utils.get_encoding_from_headers(response.headers)
    response.reason = response.raw.reason
    response.elapsed = datetime.timedelta(0)
    return response
