"""Calls whose TLS and HTTP/2 look like a browser's, for sources whose own configuration asks for it.

libcurl (through curl_cffi, extra `coherent`) would look names up by itself, and pinning an address in it leaks memory
with each call. So it goes out through our filtering proxy: names are resolved, checked and pinned there, under the
same rules as the browser's, while TLS runs from end to end and keeps its looks.

Not quite a browser's: of the encodings only gzip and deflate are offered, since brotli cannot be bounded.
"""

import itertools
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import ModuleType
from typing import Any, Final

from longstop.domain.errors import ExitFailedError, OversizedBodyError
from longstop.fetch.bodies import ACCEPT_ENCODING
from longstop.fetch.door import told_at_the_door
from longstop.fetch.egress.proxy import FilteringProxy, Lease
from longstop.fetch.egress.resolver import PinnedResolver
from longstop.fetch.egress.streams import Dial
from longstop.fetch.identity import require_extra
from longstop.fetch.snapshot import FetchRequest
from longstop.fetch.transport import unreachable

IMPERSONATED: Final = "chrome"
_NUMBERS: Final = itertools.count(1)
_ABORT: Final = 0xFFFFFFFF  # libcurl's word for "stop here"


class CurlAnswer:
    def __init__(self, status: int, headers: Mapping[str, str], packing: str, body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.packing = packing
        self._body = body

    async def pieces(self) -> AsyncIterator[bytes]:
        if self._body:
            yield self._body


class _Sink:
    """Takes what comes, still packed, up to a bound."""

    def __init__(self, bytes_max: int) -> None:
        self.body = bytearray()
        self.is_over = False
        self._bytes_max = bytes_max

    def take(self, piece: bytes) -> int:
        if len(self.body) + len(piece) > self._bytes_max:
            self.is_over = True
            return _ABORT
        self.body += piece
        return len(piece)


class CurlTransport:
    """One session, one lease of the proxy. Started at the first call, so that nobody pays for what is not used."""

    def __init__(
        self,
        proxy: FilteringProxy,
        resolver: PinnedResolver,
        *,
        body_bytes_max: int,
        language: str = "",
        connections_max: int = 64,
        dial: Dial | None = None,
        lease: Lease | None = None,
    ) -> None:
        """`language` is that of the source's profile: a browser has one for its pages and its calls. `dial` is the
        exit's, when it leaves by one; `lease` is lent by whoever else uses it, and has its own."""
        self._curl = require_extra("curl_cffi", "coherent", f"sources.{resolver.rules.source}.coherent_tls")
        self._proxy = proxy
        self._resolver = resolver
        self._body_bytes_max = body_bytes_max
        self._own = {"Accept-Language": language} if language else {}
        self._connections_max = connections_max
        self._dial = dial if lease is None else lease.dial
        self._is_lent = lease is not None
        self._lease = lease
        self._session: Any = None
        self._leaving: Any = None

    @asynccontextmanager
    async def call(self, request: FetchRequest, url: str, headers: Mapping[str, str]) -> AsyncIterator[CurlAnswer]:
        """The name is checked here too: what the proxy refuses would look like a broken connection."""
        if self._dial is None or not self._dial.looks_names_up:
            await self._resolver.addresses(_host_of(url))
        session = await self._ready()
        sink = _Sink(self._body_bytes_max)
        try:
            response = await session.request(
                request.method,
                url,
                headers={**self._own_beside(headers), **headers, "Accept-Encoding": ACCEPT_ENCODING},
                data=request.body,
                content_callback=sink.take,
                quote=False,
                timeout=None,
            )
        except (self._curl.exceptions.RequestException, self._curl.CurlError) as error:
            if sink.is_over:
                raise OversizedBodyError(f"The answer is larger than {self._body_bytes_max} bytes.") from error
            raise self._exit_failure() or unreachable(request.purpose, error) from error
        if (fault := told_at_the_door(response.headers, request.purpose)) is not None:
            raise fault
        packing = ", ".join(response.headers.get_list("Content-Encoding"))
        yield CurlAnswer(response.status_code, response.headers, packing, bytes(sink.body))

    def _exit_failure(self) -> ExitFailedError | None:
        """Of a tunnel that was refused libcurl tells no headers."""
        if self._lease is None:
            return None
        failure, self._lease.exit_failed = self._lease.exit_failed, None
        return failure

    def _own_beside(self, headers: Mapping[str, str]) -> dict[str, str]:
        given = {name.lower() for name in headers}
        return {name: value for name, value in self._own.items() if name.lower() not in given}

    async def renew(self) -> None:
        before, self._leaving, self._session = self._leaving, self._session, None
        if before is not None:
            await before.close()

    async def close(self) -> None:
        for session in (self._leaving, self._session):
            if session is not None:
                await session.close()
        self._leaving = self._session = None
        if self._lease is not None and not self._is_lent:
            await self._proxy.dismiss(self._lease)
            self._lease = None

    async def _ready(self) -> Any:
        if self._lease is None:
            self._lease = await self._proxy.admit(self._resolver, _name(self._resolver.rules.source), dial=self._dial)
        if self._session is None:
            self._session = _session_through(self._curl, self._lease.url, self._connections_max)
        return self._session


def _name(source: str) -> str:
    return f"coherent {source} {next(_NUMBERS)}"


def _session_through(curl: ModuleType, proxy_url: str, connections_max: int) -> Any:
    """Nothing goes beside the proxy, whatever the environment says; nothing is unpacked or followed by libcurl."""
    option = curl.CurlOpt
    return curl.AsyncSession(
        max_clients=connections_max,
        impersonate=IMPERSONATED,
        proxy=proxy_url,
        trust_env=False,
        verify=True,
        allow_redirects=False,
        discard_cookies=True,
        curl_options={option.NOPROXY: "", option.HTTP_CONTENT_DECODING: 0, option.PROTOCOLS_STR: "http,https"},
    )


def _host_of(url: str) -> str:
    authority = url.partition("://")[2].partition("/")[0]
    return authority[1:].partition("]")[0] if authority.startswith("[") else authority.partition(":")[0]
