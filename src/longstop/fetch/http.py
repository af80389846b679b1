"""The replay rung: a plain HTTP call, kept alive, bounded in time and size, to places that the guard allows."""

import hashlib
from collections.abc import Mapping
from contextlib import AsyncExitStack

import aiohttp
import msgspec
from yarl import URL

from longstop.clock import Clock
from longstop.domain.errors import SourceTimeoutError, SourceUnreachableError, UnexpectedStatusError
from longstop.fetch import redirects
from longstop.fetch.answers import require_usable
from longstop.fetch.bodies import ACCEPT_ENCODING, read_body
from longstop.fetch.egress.resolver import PinnedResolver
from longstop.fetch.redirects import Hop
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.fetch.validators import Validator, Validators


class HttpLimits(msgspec.Struct, frozen=True):
    deadline_seconds: float = 4.0
    body_bytes_max: int = 4 * 1024 * 1024
    connections_per_host: int = 64
    user_agent: str = "Longstop/0.1 (+resilient score watcher)"
    redirects_max: int = 5


class HttpFetcher:
    """One keep-alive pool. With a resolver every call, and every redirect, is held to the rules of its source.

    Without one nothing is checked and no redirect is followed; that is for tests and for origins of our own.
    """

    def __init__(self, clock: Clock, limits: HttpLimits = HttpLimits(), resolver: PinnedResolver | None = None) -> None:
        self._clock = clock
        self._limits = limits
        self._resolver = resolver
        self._validators = Validators()
        self._session: aiohttp.ClientSession | None = None

    async def fetch(self, request: FetchRequest) -> Snapshot:
        requested_at = self._clock.now()
        known = self._validators.find(request)
        deadline = request.deadline_seconds or self._limits.deadline_seconds
        try:
            async with self._clock.timeout(deadline), AsyncExitStack() as stack:
                response = await self._answer(request, known, stack)
                require_usable(response.status, response.headers, request.purpose, self._clock)
                body = await self._read(response, request)
        except TimeoutError as error:
            raise SourceTimeoutError(f"The {request.purpose} call took longer than {deadline:g} s.") from error
        except (aiohttp.ClientError, OSError) as error:
            raise SourceUnreachableError(f"The {request.purpose} call failed: {type(error).__name__}.") from error
        if response.status == 200 and request.is_conditional:
            self._validators.remember(request, response.headers, hashlib.sha256(body).hexdigest())
        return Snapshot(
            request=request,
            status=response.status,
            body=body,
            requested_at=requested_at,
            fetched_at=self._clock.now(),
            headers=response.headers,
            known_sha256=known.sha256 if known is not None and response.status == 304 else "",
        )

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _answer(
        self, request: FetchRequest, known: Validator | None, stack: AsyncExitStack
    ) -> aiohttp.ClientResponse:
        asked = known.headers() if known is not None else {}
        if self._resolver is None:
            return await stack.enter_async_context(self._call(request, request.url, asked))
        rules = self._resolver.rules
        hop = redirects.first_hop(request, rules)
        for _ in range(self._limits.redirects_max + 1):
            response = await stack.enter_async_context(self._call_hop(hop, asked))
            if response.status not in redirects.STATUSES:
                return response
            hop = redirects.next_hop(hop, response.status, response.headers.get("Location"), rules)
            response.close()
        raise UnexpectedStatusError(
            f"The {request.purpose} call was redirected more than {self._limits.redirects_max} times.",
            hint="Raise scraper.fetch.max_redirects only if the source really needs so many.",
        )

    def _call_hop(self, hop: Hop, asked: Mapping[str, str]) -> aiohttp.client._RequestContextManager:
        """Sent as it was checked: quoting it anew could make another address of it."""
        return self._call(hop.request, URL(hop.at.url, encoded=True), asked)

    def _call(
        self, request: FetchRequest, url: str | URL, asked: Mapping[str, str]
    ) -> aiohttp.client._RequestContextManager:
        return self._pool().request(
            request.method, url, headers={**dict(request.headers), **asked}, data=request.body, allow_redirects=False
        )

    def _pool(self) -> aiohttp.ClientSession:
        """Our own resolver remembers; a second memory would keep an address longer than it is trusted."""
        if self._session is None:
            connector = aiohttp.TCPConnector(
                limit=0,
                limit_per_host=self._limits.connections_per_host,
                resolver=self._resolver,
                use_dns_cache=self._resolver is None,
            )
            self._session = aiohttp.ClientSession(
                connector=connector,
                headers={"User-Agent": self._limits.user_agent, "Accept-Encoding": ACCEPT_ENCODING},
                timeout=aiohttp.ClientTimeout(total=None),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                auto_decompress=False,
            )
        return self._session

    async def _read(self, response: aiohttp.ClientResponse, request: FetchRequest) -> bytes:
        encoding = ", ".join(response.headers.getall("Content-Encoding", ()))
        bytes_max = request.head_bytes_max or self._limits.body_bytes_max
        pieces = response.content.iter_any()
        return await read_body(pieces, encoding, bytes_max, head_only=request.head_bytes_max is not None)
