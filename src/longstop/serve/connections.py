"""Who is connected: so many in all and of one address, and nobody who says nothing keeps the place of who does.

Whoever owes us something, the head of a request or its body, and does not send it within seconds, is cut. When all
places are taken, the one who has been idle or owing for longest makes room. If all are busy, a newcomer is told so,
unless he asks for what must live: the probes and the page.
"""

import asyncio
import ipaddress
from collections.abc import Iterable, Sequence
from secrets import token_hex
from typing import Any, Final

import msgspec
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from longstop.clock import Clock
from longstop.serve.entry.addresses import bucket_of_peer
from longstop.serve.problems import (
    BAD_REQUEST,
    HEAD_TOO_LARGE,
    MEDIA_TYPE,
    REQUEST_TOO_SLOW,
    TOO_MANY_CONNECTIONS,
    Kind,
    problem_of,
)

SWEEP_SECONDS: Final = 1.0
HEAD_BYTES_MAX: Final = 64 * 1024
_SPARE: Final = 64
_LIVING: Final = ("/health", "/livez", "/readyz", "/status", "/console/", "/ops/", "/favicon")
_RETRY_SECONDS: Final = b"5"
_PHRASES: Final = {400: b"Bad Request", 408: b"Request Timeout", 431: b"Header Fields Too Large", 503: b"Busy"}


class ConnectionLimits(msgspec.Struct, frozen=True):
    """`per_address` does not hold for this machine and our proxies, behind which are many: they have all but a fifth.
    After `grace_seconds` a body must have come at `body_bytes_per_second`, on the whole."""

    most: int = 1_000
    per_address: int = 100
    head_seconds: float = 10.0
    grace_seconds: float = 10.0
    body_bytes_per_second: float = 4_096.0
    proxies: Sequence[str] = ()


class Crowd:
    """All connections of one server, by address, each in the order in which they came."""

    def __init__(self, limits: ConnectionLimits, clock: Clock) -> None:
        self.limits = limits
        self.clock = clock
        self._shared = [ipaddress.ip_network(each) for each in (*limits.proxies, "127.0.0.0/8", "::1/128")]
        self._of: dict[str, dict[Connection, None]] = {}
        self.count = 0

    def protocol(
        self, config: Config, server_state: ServerState, app_state: dict[str, Any], **more: Any
    ) -> "Connection":
        """What uvicorn makes one of for each connection."""
        return Connection(self, config, server_state, app_state, **more)

    def join(self, guest: "Connection", address: str) -> bool:
        """False when there was no place but a spare one."""
        has_place = self._make_room(address)
        self._of.setdefault(address, {})[guest] = None
        self.count += 1
        return has_place

    def leave(self, guest: "Connection", address: str) -> None:
        of_address = self._of.get(address, {})
        if guest in of_address:
            del of_address[guest]
            self.count -= 1
            if not of_address:
                del self._of[address]

    @property
    def is_overrun(self) -> bool:
        """Not even the spare places are left."""
        return self.count > self.limits.most + _SPARE

    async def sweep(self) -> None:
        """For ever: cuts who owes for too long."""
        while True:
            await self.clock.sleep(SWEEP_SECONDS)
            now = self.clock.monotonic()
            for guest in [guest for guests in self._of.values() for guest in guests if guest.is_late(now)]:
                guest.refuse(REQUEST_TOO_SLOW, "The request did not come in time.")

    def _make_room(self, address: str) -> bool:
        if len(self._of.get(address, ())) >= self._share(address):
            return self._push_out(self._of[address])
        if self.count >= self.limits.most:
            return self._push_out(self._of[max(self._of, key=self._places)])
        return True

    def _places(self, address: str) -> int:
        return len(self._of[address])

    def _push_out(self, guests: Iterable["Connection"]) -> bool:
        """Whoever of them has done nothing for us for longest."""
        idle = [guest for guest in guests if guest.is_idle]
        if not idle:
            return False
        longest = min(idle, key=lambda guest: guest.idle_since or 0.0)
        longest.refuse(REQUEST_TOO_SLOW, "All places are taken, and others have something to ask.")
        return True

    def _share(self, address: str) -> int:
        network = ipaddress.ip_network(address, strict=False) if address != "unknown" else None
        is_shared = network is None or any(
            network.version == each.version and network.network_address in each for each in self._shared
        )
        return self.limits.most * 4 // 5 if is_shared else min(self.limits.per_address, self.limits.most)


class Connection(HttpToolsProtocol):
    """One connection. `idle_since`: from when on it has owed us a head or a body, or had nothing to ask."""

    def __init__(self, crowd: Crowd, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._crowd = crowd
        self._address = ""
        self.idle_since: float | None = None
        self._is_owing = False
        self._is_in_head = True
        self._bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._owe(in_head=True)
        self._address = bucket_of_peer(self.client[0] if self.client else "")
        if not self._crowd.join(self, self._address):
            self.app = _but_for_the_living(self.app)
        if self._crowd.is_overrun:
            self.refuse(TOO_MANY_CONNECTIONS, "All places are taken.")

    def connection_lost(self, exc: Exception | None) -> None:
        self._crowd.leave(self, self._address)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if not self._is_owing and self.idle_since is not None:
            self._owe(in_head=True)
        self._bytes += len(data)
        super().data_received(data)
        if self._is_owing and self._is_in_head and self._bytes > HEAD_BYTES_MAX:
            self.refuse(HEAD_TOO_LARGE, f"The head of a request may have {HEAD_BYTES_MAX} bytes.")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if not self._is_owing:
            self._owe(in_head=True)

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self._owe(in_head=False)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._is_owing = False
        self.idle_since = self._crowd.clock.monotonic()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._is_in_head or not self._is_owing:
            self.idle_since = self._crowd.clock.monotonic()

    @property
    def is_idle(self) -> bool:
        """Nothing that was asked in full waits for its answer."""
        return self.idle_since is not None and not self._is_busy()

    def is_late(self, now: float) -> bool:
        """What we do not take, since whoever reads it is slow, nobody owes us."""
        if not self._is_owing or self.idle_since is None or self._is_busy():
            return False
        limits = self._crowd.limits
        if self._is_in_head:
            return now - self.idle_since > limits.head_seconds
        if self.flow.read_paused:
            self._owe(in_head=False)
            return False
        return now - self.idle_since > limits.grace_seconds + self._bytes / limits.body_bytes_per_second

    def refuse(self, kind: Kind, detail: str) -> None:
        """Tells why, if something was asked that has no answer yet, and ends the connection."""
        if self.transport.is_closing():
            return
        if kind is TOO_MANY_CONNECTIONS or (self._is_owing and self._is_unanswered()):
            self.transport.write(_answer(kind, detail))
        self.transport.close()
        self._crowd.leave(self, self._address)

    def send_400_response(self, msg: str) -> None:
        self.refuse(BAD_REQUEST, msg)

    def _is_busy(self) -> bool:
        """At work on what was asked in full."""
        cycle: Any = self.cycle  # none before the first request
        return bool(self.pipeline) or (cycle is not None and not cycle.response_complete and not cycle.more_body)

    def _is_unanswered(self) -> bool:
        """Some of a request is here, and none of its answer has gone out."""
        return self._bytes > 0 if self._is_in_head else not self.cycle.response_started

    def _owe(self, *, in_head: bool) -> None:
        self._is_owing = True
        self._is_in_head = in_head
        self._bytes = 0
        self.idle_since = self._crowd.clock.monotonic()


def _answer(kind: Kind, detail: str) -> bytes:
    headers, body = _told(kind, detail)
    lines = b"".join(b"%b: %b\r\n" % header for header in headers)
    return b"HTTP/1.1 %d %b\r\n%b\r\n%b" % (kind.status, _PHRASES[kind.status], lines, body)


def _told(kind: Kind, detail: str) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Before any gate, so with an id of its own."""
    request_id = token_hex(8)
    body = msgspec.json.encode(problem_of(kind, detail, request_id))
    headers = [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"content-length", b"%d" % len(body)),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        (b"x-request-id", request_id.encode()),
        (b"connection", b"close"),
    ]
    return headers + ([(b"retry-after", _RETRY_SECONDS)] if kind is TOO_MANY_CONNECTIONS else []), body


def _but_for_the_living(app: Any) -> Any:
    """For a connection that has no place of its own."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] == "/" or scope["path"].startswith(_LIVING):
            await app(scope, receive, send)
            return
        headers, body = _told(TOO_MANY_CONNECTIONS, "All places are taken.")
        await send({"type": "http.response.start", "status": TOO_MANY_CONNECTIONS.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return answer
