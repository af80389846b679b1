"""The origin without a socket: the engine's fetcher in a world on virtual time.

Everything above the socket is the engine's own; what the network would do to it is done here, from the same replies
that the server sends.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Protocol
from urllib.parse import parse_qsl, urlsplit

from msgspec.structs import replace

from longstop.clock import Clock
from longstop.domain.errors import OversizedBodyError, SourceTimeoutError, SourceUnreachableError
from longstop.fetch.answers import require_usable
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop_origin.exchange import Part, Reply, Request

BODY_BYTES_MAX = 4 * 1024 * 1024
BASE_URL = "http://origin.invalid"


class Responder(Protocol):
    def respond(self, request: Request, now: float) -> Reply: ...


class WorldFetcher:
    """`moment` is the time of the world, for who does not trust the clock of the process."""

    def __init__(
        self,
        site: Responder,
        clock: Clock,
        deadline_seconds: float = 4.0,
        moment: Callable[[], float] | None = None,
    ) -> None:
        self._site = site
        self._clock = clock
        self._deadline_seconds = deadline_seconds
        self._moment = moment or (lambda: clock.now().timestamp())
        self.requests = 0

    async def fetch(self, request: FetchRequest) -> Snapshot:
        requested_at = self._clock.now()
        self.requests += 1
        try:
            async with self._clock.timeout(request.deadline_seconds or self._deadline_seconds):
                reply = await self._answer(request)
        except TimeoutError as error:
            raise SourceTimeoutError(f"The {request.purpose} call took too long.") from error
        require_usable(reply.status, reply.headers, request.purpose, self._clock)
        return Snapshot(
            request=request,
            status=reply.status,
            body=reply.body,
            requested_at=requested_at,
            fetched_at=self._clock.now(),
            headers=reply.headers,
        )

    async def close(self) -> None:
        """There is nothing to close."""

    async def _answer(self, request: FetchRequest) -> Reply:
        path, query = _place(request.url)
        asked = Request(request.method, path, dict(query), dict(request.headers), request.body or b"")
        reply = self._site.respond(asked, self._moment())
        await self._clock.sleep(reply.delay_seconds)
        if reply.broken is not None:
            raise SourceUnreachableError(f"The {request.purpose} call failed: the connection broke ({reply.broken}).")
        if reply.cut_at is not None:
            raise SourceUnreachableError(f"The {request.purpose} call failed: the body was cut short.")
        if reply.parts is None:
            return reply
        return replace(reply, body=await self._drawn(reply.parts, request.purpose))

    async def _drawn(self, parts: Iterable[Part], purpose: str) -> bytes:
        """Bit by bit; a packed body stays packed, and one without an end is dropped at a bound."""
        body = bytearray()
        for wait_seconds, part in parts:
            await self._clock.sleep(wait_seconds)
            body += part
            if len(body) > BODY_BYTES_MAX:
                raise OversizedBodyError(f"The answer to the {purpose} call is larger than {BODY_BYTES_MAX} bytes.")
        return bytes(body)


@lru_cache(maxsize=1024)
def _place(url: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Its path and its query. The same few are asked for all the time."""
    parts = urlsplit(url)
    return parts.path, tuple(parse_qsl(parts.query))
