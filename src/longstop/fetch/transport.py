"""How one call is put on the wire. What it may call, how long it takes and what it means is decided elsewhere."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final, Protocol

import aiohttp
from yarl import URL

from longstop.domain.errors import SourceUnreachableError, UnreadableBodyError
from longstop.fetch.bodies import ACCEPT_ENCODING
from longstop.fetch.door import told_at_the_door
from longstop.fetch.egress.resolver import PinnedResolver
from longstop.fetch.snapshot import FetchRequest

# Each chunk costs the same however little is in it; honest ones hold more, all but a few.
CHUNKS_BEFORE_DOUBT: Final = 5000
CHUNK_BYTES_MIN: Final = 32


class Answer(Protocol):
    """The head of an answer, and its body as it comes: still packed."""

    status: int
    headers: Mapping[str, str]
    packing: str

    def pieces(self) -> AsyncIterator[bytes]: ...


class Transport(Protocol):
    """Raises SourceUnreachableError for whatever goes wrong on the way. Follows no redirect and keeps no cookie."""

    def call(
        self, request: FetchRequest, url: str, headers: Mapping[str, str]
    ) -> AbstractAsyncContextManager[Answer]: ...

    async def renew(self) -> None:
        """The next call makes its connection anew. Calls under way keep theirs until the renewal after this one."""
        ...

    async def close(self) -> None: ...


class AiohttpAnswer:
    def __init__(self, response: aiohttp.ClientResponse, purpose: str) -> None:
        self.status = response.status
        self.headers: Mapping[str, str] = response.headers
        self.packing = ", ".join(response.headers.getall("Content-Encoding", ()))
        self._response = response
        self._purpose = purpose

    async def pieces(self) -> AsyncIterator[bytes]:
        if self._response.content.at_eof():
            return  # one empty body serves all answers that have none, and never says twice that it is over
        chunks = size = 0
        try:
            async for piece, is_chunk_whole in self._response.content.iter_chunks():
                chunks, size = chunks + is_chunk_whole, size + len(piece)
                if chunks > CHUNKS_BEFORE_DOUBT and size < chunks * CHUNK_BYTES_MIN:
                    raise UnreadableBodyError(f"The {self._purpose} answer came in {chunks} chunks of almost nothing.")
                yield piece
        except (aiohttp.ClientError, ConnectionError) as error:
            raise unreachable(self._purpose, error) from error


class AiohttpTransport:
    """One keep-alive pool. With a resolver it connects to checked addresses only; with `door`, the filtering proxy's
    port, it connects to that alone, and names are checked and pinned there."""

    def __init__(
        self, user_agent: str, connections_per_host: int, resolver: PinnedResolver | None, door: str | None = None
    ) -> None:
        self._user_agent = user_agent
        self._connections_per_host = connections_per_host
        self._resolver = resolver
        self._door = door
        self.session: aiohttp.ClientSession | None = None
        self._leaving: aiohttp.ClientSession | None = None

    @asynccontextmanager
    async def call(self, request: FetchRequest, url: str, headers: Mapping[str, str]) -> AsyncIterator[AiohttpAnswer]:
        """What was checked, or is checked at the door, stays as it is: quoting it anew could make another of it."""
        is_checked = self._resolver is not None or self._door is not None
        target = URL(url, encoded=True) if is_checked else url
        pool = self._pool()
        try:
            response = await pool.request(
                request.method,
                target,
                headers=headers,
                data=request.body,
                allow_redirects=False,
                proxy=self._door,
            )
        except aiohttp.ClientHttpProxyError as error:
            raise told_at_the_door(error.headers, request.purpose) or unreachable(request.purpose, error) from error
        except (aiohttp.ClientError, ConnectionError) as error:
            raise unreachable(request.purpose, error) from error
        async with response:
            if self._door is not None and (fault := told_at_the_door(response.headers, request.purpose)) is not None:
                raise fault
            yield AiohttpAnswer(response, request.purpose)

    async def renew(self) -> None:
        before, self._leaving, self.session = self._leaving, self.session, None
        if before is not None:
            await before.close()

    async def close(self) -> None:
        for session in (self._leaving, self.session):
            if session is not None:
                await session.close()
        self._leaving = self.session = None

    def _pool(self) -> aiohttp.ClientSession:
        """Our own resolver remembers; a second memory would keep an address longer than it is trusted."""
        if self.session is None:
            connector = aiohttp.TCPConnector(
                limit=0,
                limit_per_host=self._connections_per_host,
                resolver=self._resolver,
                use_dns_cache=self._resolver is None,
            )
            self.session = aiohttp.ClientSession(
                connector=connector,
                headers={"User-Agent": self._user_agent, "Accept-Encoding": ACCEPT_ENCODING},
                timeout=aiohttp.ClientTimeout(total=None),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                auto_decompress=False,
            )
        return self.session


def unreachable(purpose: str, error: BaseException) -> SourceUnreachableError:
    return SourceUnreachableError(f"The {purpose} call failed: {type(error).__name__}.")
