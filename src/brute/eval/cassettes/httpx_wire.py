"""The watch on httpx, and on its fork httpx2: requests are recorded or answered where a client sends them."""

from __future__ import annotations

import datetime
import functools
from collections.abc import AsyncIterator, Iterator
from typing import Any

from . import values
from .exchange import Answer, Request
from .exchanging import Undo, all_of, exchanged
from .scope import current
from .taking import Taking, going_out


def watch(library: Any) -> Undo:
    """Watch all clients of the library."""
    return all_of([_watch_async(library), _watch_sync(library)])


def _watch_async(library: Any) -> Undo:
    plain, streams = library.AsyncClient.send, _streams(library)

    @functools.wraps(plain)
    async def send(self: Any, request: Any, *, stream: bool = False, **options: Any) -> Any:
        tape = current.get()
        if tape is None:
            return await plain(self, request, stream=stream, **options)
        await request.aread()
        plan = tape.http(_request(request))
        if isinstance(plan, Answer):
            response = _response(library, request, plan, streams)
            if not stream:
                await response.aread()
            return response
        with going_out(plan):
            response = await plain(self, request, stream=stream, **options)
        return _taken(library, response, plan, stream, streams)

    return exchanged(library.AsyncClient, "send", send)


def _watch_sync(library: Any) -> Undo:
    plain, streams = library.Client.send, _streams(library)

    @functools.wraps(plain)
    def send(self: Any, request: Any, *, stream: bool = False, **options: Any) -> Any:
        tape = current.get()
        if tape is None:
            return plain(self, request, stream=stream, **options)
        request.read()
        plan = tape.http(_request(request))
        if isinstance(plan, Answer):
            response = _response(library, request, plan, streams)
            if not stream:
                response.read()
            return response
        with going_out(plan):
            response = plain(self, request, stream=stream, **options)
        return _taken(library, response, plan, stream, streams)

    return exchanged(library.Client, "send", send)


def _request(request: Any) -> Request:
    return Request(request.method, str(request.url), dict(request.headers), request.content)


def _response(library: Any, request: Any, answer: Answer, streams: tuple[Any, Any]) -> Any:
    """The library's own response, whose body comes as from the wire."""
    response = library.Response(answer.status, headers=dict(answer.headers), stream=streams[0](answer), request=request)
    response.elapsed = datetime.timedelta(0)
    return response


def _taken(library: Any, response: Any, plan: Taking | None, stream: bool, streams: tuple[Any, Any]) -> Any:
    """The response, of which the recording takes what goes by."""
    if plan is None:
        return response
    if not stream:
        plan.answered(Answer(response.status_code, dict(response.headers), response.content))
    else:
        response.stream = streams[1](library, response, plan)
    return response


@functools.cache
def _streams(library: Any) -> tuple[Any, Any]:
    """The classes of a body that is played, and of one that is recorded as it goes by."""

    class Playing(library.AsyncByteStream, library.SyncByteStream):  # type: ignore[misc]
        """A recorded body; it breaks off as it did."""

        def __init__(self, answer: Answer) -> None:
            self.answer = answer

        def __iter__(self) -> Iterator[bytes]:
            yield self.answer.body
            if self.answer.raised is not None:
                raise values.exception(self.answer.raised)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            for piece in self:
                yield piece

    class Recording(library.AsyncByteStream, library.SyncByteStream):  # type: ignore[misc]
        """A body that goes by, and is kept as far as it came."""

        def __init__(self, library: Any, response: Any, plan: Taking) -> None:
            self.inner = response.stream
            self.plan = plan
            self.pieces: list[bytes] = []
            # Not the response itself, which holds this.
            self.made = functools.partial(_whole, library, response.status_code, dict(response.headers), self.pieces)

        def __iter__(self) -> Iterator[bytes]:
            try:
                for piece in self.inner:
                    self.pieces.append(piece)
                    yield piece
            except Exception as error:
                self.plan.answered(self.made(error))
                raise

        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                async for piece in self.inner:
                    self.pieces.append(piece)
                    yield piece
            except Exception as error:
                self.plan.answered(self.made(error))
                raise

        def close(self) -> None:
            self.inner.close()
            self.plan.answered(self.made(None))

        async def aclose(self) -> None:
            await self.inner.aclose()
            self.plan.answered(self.made(None))

    return Playing, Recording


def _whole(library: Any, status: int, headers: dict[str, str], pieces: list[bytes], error: Exception | None) -> Answer:
    """The answer as far as it came, out of the encoding in which it was sent."""
    raw = b"".join(pieces)
    try:
        body = library.Response(status, headers=headers, content=raw).content
    except Exception:  # cut in the middle of what was compressed
        body = raw
    return Answer(status, headers, body, None if error is None else values.raised(error))
