"""The wire to the providers: clients that are built once and shared by every `Model` of the process.

What is costly (a TLS context 25 ms, Google's client 40 ms) belongs to nobody in particular, so that an agent built
afresh for each attempt costs nothing more. What belongs to an event loop (open connections) is kept for each loop apart
and closed when the loop ends.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

from .answer import Answer as Answer
from .answer import TooLong
from .answer import answers as answers

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.models import Model as Speaker

CONNECTING = 10.0
"""How many seconds a connection may take to open."""

FULL = 32
"""How many requests one pool of connections carries before another is opened: a pool looks through all that it holds at
each request and each answer, so that of 1,000 overlapping calls most would be spent on that."""

POOLS = 64
"""How many pools a loop may have."""

LONGEST = 64_000_000
"""How many bytes an answer may have: one that never ends would fill the memory long before its time is up."""


@functools.lru_cache(maxsize=64)
def speaker(provider: str, model: str, base_url: str | None, key: str | None) -> Speaker:
    """The library's model for one provider, model, address and key."""
    from pydantic_ai.models import infer_model

    if provider == "openai" and base_url is not None:
        # Servers that imitate OpenAI imitate its chat API; the library's `openai` means the Responses API.
        provider = "openai-chat"
    return infer_model(f"{provider}:{model}", lambda _: _provider(provider, base_url, key))


@functools.lru_cache(maxsize=64)
def _provider(provider: str, base_url: str | None, key: str | None) -> Any:
    from pydantic_ai.providers import infer_provider_class

    if provider == "openai-chat" and base_url is not None:
        from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

        made: Any = OpenAICompatibleProvider("openai-compatible", base_url=base_url, api_key=key, http_client=client())
    else:
        made = _made(infer_provider_class(provider), base_url, key)
    _without_retries(made.client)
    return made


def _made(kind: Any, base_url: str | None, key: str | None) -> Any:
    """A provider of this kind; each takes a different choice of the three options."""
    options: dict[str, Any] = {}
    takes = inspect.signature(kind.__init__).parameters
    if "http_client" in takes:
        options["http_client"] = client()
    if key is not None or base_url is not None:
        # At an address of its own a server may need no key, but no client goes without one.
        options["api_key"] = key or "none"
    at = next((name for name in ("base_url", "api_base", "azure_endpoint") if name in takes), None)
    if base_url is not None and at is not None:
        options[at] = base_url
    made = kind(**options)
    if base_url is not None and at is None:
        made.client.base_url = base_url
    return made


def _without_retries(sdk: Any) -> None:
    # Ours are the only retries: a client's own would be neither bounded by us nor recorded.
    if hasattr(sdk, "max_retries"):
        sdk.max_retries = 0


def client() -> httpx2.AsyncClient:
    """The one client that all providers are given, of which there is only one however many threads ask for it at once."""
    with _one:
        return _made_client()


@functools.cache
def _made_client() -> httpx2.AsyncClient:
    """The one client that all providers are given: each request goes out through the client of the loop it runs in."""
    import httpx2

    class Bounded(httpx2.AsyncByteStream):
        """The body of an answer, as far as it is no longer than any answer."""

        def __init__(self, stream: Any) -> None:
            self.stream = stream

        async def __aiter__(self) -> AsyncGenerator[bytes]:
            size = 0
            async for piece in self.stream:
                size += len(piece)
                if size > LONGEST:
                    raise TooLong(f"the answer was longer than {LONGEST // 1_000_000} MB")
                yield piece

        async def aclose(self) -> None:
            await self.stream.aclose()

    class Shared(httpx2.AsyncClient):
        """A client without connections of its own, so that it and all that is built on it outlive any loop."""

        async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
            _hasten(request)
            pool = (await _pools()).take()
            try:
                response = await pool.client.send(request, **{**options, "stream": True})
                response.stream = Bounded(response.stream)
                if not options.get("stream"):
                    await _whole(response)
            finally:
                pool.busy -= 1
            wanted = answers.get()
            if wanted is not None and not options.get("stream"):
                wanted.append(Answer(response.status_code, response.content))
            return response

    # The timeouts that matter are the call's own (see `Model`) and, for opening a connection, ours.
    return Shared(verify=_tls(), timeout=httpx2.Timeout(None), limits=httpx2.Limits(max_connections=1))


async def _whole(response: httpx2.Response) -> None:
    """Read the answer to its end; one that can't be read gives its connection back."""
    try:
        await response.aread()
    except BaseException:
        await response.aclose()
        raise


def _hasten(request: httpx2.Request) -> None:
    """Bound how long the connection may take to open; the clients ask for the whole call's timeout there."""
    timeout = request.extensions.get("timeout") or {}
    asked = timeout.get("connect")
    request.extensions = {
        **request.extensions,
        "timeout": {**timeout, "connect": min(asked, CONNECTING) if asked else CONNECTING},
    }


def _tls() -> Any:
    # Agents are built on several threads at once, and one of them pays for all.
    with _one:
        return _made_tls()


@functools.cache
def _made_tls() -> Any:
    import httpx2

    return httpx2.create_ssl_context()


_one = threading.RLock()


class Pool:
    """Some connections, and how many requests are under way in them."""

    __slots__ = ("busy", "client")

    def __init__(self) -> None:
        import httpx2

        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=FULL)
        self.client = httpx2.AsyncClient(verify=_tls(), timeout=httpx2.Timeout(None), limits=limits)
        self.busy = 0


class Pools:
    """The connections of one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._all = [Pool()]
        self.keeper = self._keep(loop)

    def take(self) -> Pool:
        """The first pool that is not full, with one more request under way in it."""
        pool = next((pool for pool in self._all if pool.busy < FULL), None)
        if pool is None and len(self._all) < POOLS:
            pool = Pool()
            self._all.append(pool)
        pool = pool or min(self._all, key=lambda pool: pool.busy)
        pool.busy += 1
        return pool

    async def _keep(self, loop: asyncio.AbstractEventLoop) -> AsyncGenerator[None]:
        """What closes the connections before the loop closes.

        A loop has no farewell of its own to subscribe to, but before it closes it ends every async generator that was
        begun in it; `asyncio.run` and `anyio.run` both see to that.
        """
        try:
            yield
        finally:
            _open.pop(loop, None)
            for pool in self._all:
                await pool.client.aclose()


_open: dict[asyncio.AbstractEventLoop, Pools] = {}


async def _pools() -> Pools:
    """The connections of the running loop."""
    loop = asyncio.get_running_loop()
    found = _open.get(loop)
    if found is None:
        # A loop that its owner closed without ending its generators left its entry behind.
        for other in [other for other in _open if other.is_closed()]:
            _open.pop(other, None)
        found = _open[loop] = Pools(loop)
        await anext(found.keeper)
    return found
