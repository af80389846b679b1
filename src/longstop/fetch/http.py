"""The replay rung: a plain HTTP call, kept alive, bounded in time and size."""

from contextlib import AsyncExitStack

import aiohttp
import msgspec

from longstop.clock import Clock
from longstop.domain.errors import OversizedBodyError, SourceTimeoutError, SourceUnreachableError
from longstop.fetch.answers import require_usable
from longstop.fetch.snapshot import FetchRequest, Snapshot

# gzip and deflate can be read in bounded pieces; 455 bytes of brotli become 300 MB in one piece.
ACCEPT_ENCODING = "gzip, deflate"


class HttpLimits(msgspec.Struct, frozen=True):
    deadline_seconds: float = 4.0
    body_bytes_max: int = 4 * 1024 * 1024
    connections_per_host: int = 64
    user_agent: str = "Longstop/0.1 (+resilient score watcher)"


class HttpFetcher:
    """One keep-alive pool for all sources. Redirects are not followed: an endpoint that moves is news."""

    def __init__(self, clock: Clock, limits: HttpLimits = HttpLimits()) -> None:
        self._clock = clock
        self._limits = limits
        self._session: aiohttp.ClientSession | None = None

    async def fetch(self, request: FetchRequest) -> Snapshot:
        requested_at = self._clock.now()
        deadline = request.deadline_seconds or self._limits.deadline_seconds
        try:
            async with self._clock.timeout(deadline), AsyncExitStack() as stack:
                response = await stack.enter_async_context(self._call(request))
                require_usable(response.status, response.headers, request.purpose, self._clock)
                body = await self._read(response, request)
        except TimeoutError as error:
            raise SourceTimeoutError(f"The {request.purpose} call took longer than {deadline:g} s.") from error
        except (aiohttp.ClientError, OSError) as error:
            raise SourceUnreachableError(f"The {request.purpose} call failed: {type(error).__name__}.") from error
        return Snapshot(
            request=request,
            status=response.status,
            body=body,
            requested_at=requested_at,
            fetched_at=self._clock.now(),
            headers=response.headers,
        )

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _call(self, request: FetchRequest) -> aiohttp.client._RequestContextManager:
        return self._pool().request(
            request.method, request.url, headers=dict(request.headers), data=request.body, allow_redirects=False
        )

    def _pool(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, limit_per_host=self._limits.connections_per_host),
                headers={"User-Agent": self._limits.user_agent, "Accept-Encoding": ACCEPT_ENCODING},
                timeout=aiohttp.ClientTimeout(total=None),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
            )
        return self._session

    async def _read(self, response: aiohttp.ClientResponse, request: FetchRequest) -> bytes:
        """In pieces, so that a bomb is dropped at the bound and not after it."""
        pieces: list[bytes] = []
        size = 0
        async for piece in response.content.iter_any():
            size += len(piece)
            if size > self._limits.body_bytes_max:
                raise OversizedBodyError(
                    f"The answer to the {request.purpose} call is larger than {self._limits.body_bytes_max} bytes."
                )
            pieces.append(piece)
        return b"".join(pieces)
