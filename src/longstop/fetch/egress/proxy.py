"""The browser's only way out: a proxy on loopback that holds each request to the rules of its source.

Chromium's own routing hook does not see redirect hops, preloads or sockets; a proxy sees all of it. Each lease (one
browser context, as a rule) has a port of its own, which says whose request it is: Chromium allows itself 32
connections to one proxy, too few for all contexts together. A password may be asked for besides; it costs speed,
because a driven Chromium then stops at each request and leaves its cache unused.

What could go past a proxy (WebRTC's datagrams, names looked up ahead of time, Chromium's own errands) is switched off
where Chromium is started, in `fetch.browser.command_line`; without those switches datagrams do get out.
"""

import asyncio
import contextlib
import secrets
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Final

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import EgressRefusedError, ExitFailedError, FetchError, SourceUnreachableError
from longstop.fetch.egress import heads
from longstop.fetch.egress.guard import CheckedUrl, check_authority, check_url
from longstop.fetch.egress.heads import Head
from longstop.fetch.egress.resolver import PinnedResolver
from longstop.fetch.egress.streams import Dial, DirectDial, Exchange, Streams, Traffic

USERNAME: Final = "longstop"
REFUSALS_REMEMBERED: Final = 200
_INTERIM_MAX: Final = 10


class ProxyLimits(msgspec.Struct, frozen=True):
    connections_max: int = 1000
    connections_per_lease_max: int = 128
    head_bytes_max: int = 64 * 1024
    body_bytes_max: int = 16 * 1024 * 1024
    head_seconds: float = 10.0
    connect_seconds: float = 10.0
    idle_seconds: float = 300.0
    close_seconds: float = 5.0


class Refusal(msgspec.Struct, frozen=True):
    """A request that was not let out. Of its address no more than the reason is kept: it may hold a token."""

    source: str
    lease: str
    reason: str
    said: str


class Lease:
    """The right to go out under one source's rules, through one port, until it is given back. `exit_failed` is what was
    last wrong with the exit that it leaves by; a browser is only told that the way is closed."""

    def __init__(self, name: str, resolver: PinnedResolver, password: str, dial: Dial) -> None:
        self.name = name
        self.resolver = resolver
        self.password = password
        self.dial = dial
        self.exit_failed: ExitFailedError | None = None
        self.traffic = Traffic()
        self.server = ""
        self.listener: asyncio.Server | None = None
        self.tasks: set[asyncio.Task[None]] = set()

    @property
    def source(self) -> str:
        return self.resolver.rules.source

    @property
    def url(self) -> str:
        """The proxy's whole address; with a password in it, it is a secret."""
        scheme, _, place = self.server.partition("://")
        return f"{scheme}://{USERNAME}:{self.password}@{place}" if self.password else self.server

    def playwright_proxy(self) -> dict[str, str]:
        """What `browser.new_context(proxy=…)` takes."""
        if not self.password:
            return {"server": self.server}
        return {"server": self.server, "username": USERNAME, "password": self.password}


class FilteringProxy:
    def __init__(
        self,
        clock: Clock,
        limits: ProxyLimits | None = None,
        dial: Dial | None = None,
        on_refused: Callable[[Refusal], None] | None = None,
    ) -> None:
        self._clock = clock
        self._limits = limits or ProxyLimits()
        self._dial = dial or DirectDial(clock, self._limits.head_bytes_max)
        self._on_refused = on_refused
        self._leases: dict[str, Lease] = {}
        self._past: defaultdict[str, Traffic] = defaultdict(Traffic)
        self.refusals: deque[Refusal] = deque(maxlen=REFUSALS_REMEMBERED)

    async def admit(
        self, resolver: PinnedResolver, name: str, *, with_password: bool = False, dial: Dial | None = None
    ) -> Lease:
        """Opens a port for this lease, whose calls leave by `dial`. A name that is in use is the caller's mistake."""
        if name in self._leases:
            raise ValueError(f"lease {name!r} is in use")
        lease = Lease(name, resolver, secrets.token_urlsafe(24) if with_password else "", dial or self._dial)
        self._leases[name] = lease
        with contextlib.ExitStack() as undo:
            undo.callback(self._leases.pop, name)
            lease.listener = await asyncio.start_server(
                lambda reader, writer: self._begin(lease, Streams(reader, writer)),
                "127.0.0.1",
                0,
                limit=self._limits.head_bytes_max,
            )
            undo.pop_all()
        lease.server = f"http://127.0.0.1:{lease.listener.sockets[0].getsockname()[1]}"
        return lease

    async def dismiss(self, lease: Lease) -> Traffic:
        """Closes its port and cuts what is still open. Twice is legal."""
        if self._leases.pop(lease.name, None) is None:
            return lease.traffic
        if lease.listener is not None:
            lease.listener.close()
        tasks = tuple(lease.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if lease.listener is not None:
            await lease.listener.wait_closed()
        self._past[lease.source].add(lease.traffic)
        return lease.traffic

    async def close(self) -> None:
        for lease in tuple(self._leases.values()):
            await self.dismiss(lease)

    def traffic(self, source: str) -> Traffic:
        """All that this source's browsers moved since the start."""
        total = Traffic()
        total.add(self._past[source])
        for lease in self._leases.values():
            if lease.source == source:
                total.add(lease.traffic)
        return total

    @property
    def connections(self) -> int:
        return sum(len(lease.tasks) for lease in self._leases.values())

    def _begin(self, lease: Lease, client: Streams) -> None:
        """Refused when there are too many: a flood of connections must not become a flood of tasks."""
        is_full = self.connections >= self._limits.connections_max
        if is_full or len(lease.tasks) >= self._limits.connections_per_lease_max:
            client.writer.write(heads.own_answer("503 Service Unavailable", "Too many connections."))
            client.writer.close()
            return
        task = asyncio.create_task(self._serve(lease, client), name=f"proxy {lease.name}")
        lease.tasks.add(task)
        task.add_done_callback(lease.tasks.discard)

    async def _serve(self, lease: Lease, client: Streams) -> None:
        """Whatever happens, both connections end here, and a client that does not read cannot hold its own open."""
        try:
            with contextlib.suppress(OSError, EOFError):
                await self._answer(lease, client)
                async with self._clock.timeout(self._limits.close_seconds):
                    await client.close()
        finally:
            client.cut()

    async def _answer(self, lease: Lease, client: Streams) -> None:
        head = await self._read_request(client)
        if head is None:
            return
        if lease.password and not heads.has_password(head, USERNAME, lease.password):
            challenge = ("Proxy-Authenticate", 'Basic realm="longstop"')
            await client.send(heads.own_answer("407 Proxy Authentication Required", "Say who you are.", challenge))
            return
        lease.traffic.requests += 1
        try:
            to = self._checked(lease, head)
            site = await self._connect(lease, to)
        except FetchError as error:
            await self._refuse(lease, client, error)
            return
        try:
            await self._exchange(lease, head, to, client, site)
            async with self._clock.timeout(self._limits.close_seconds):
                await site.close()
        finally:
            site.cut()

    async def _read_request(self, client: Streams) -> Head | None:
        try:
            async with self._clock.timeout(self._limits.head_seconds):
                raw = await client.reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            await client.send(heads.own_answer("431 Request Header Fields Too Large", "The head is too large."))
            return None
        head = heads.read_request(raw)
        if head is None:
            await client.send(heads.own_answer("400 Bad Request", "This is no request for a proxy."))
        return head

    def _checked(self, lease: Lease, head: Head) -> CheckedUrl:
        rules = lease.resolver.rules
        if head.first == "CONNECT":
            return check_authority(head.second, rules)
        return check_url(head.second, rules)

    async def _connect(self, lease: Lease, to: CheckedUrl) -> Streams:
        try:
            async with self._clock.timeout(self._limits.connect_seconds):
                addresses = () if lease.dial.looks_names_up else await lease.resolver.addresses(to.host)
                return await lease.dial(to, addresses)
        except OSError as error:
            raise SourceUnreachableError(f"{to.host} did not take the connection.") from error

    async def _refuse(self, lease: Lease, client: Streams, error: FetchError) -> None:
        if isinstance(error, ExitFailedError):
            lease.exit_failed = error
            await client.send(heads.own_answer("502 Bad Gateway", error.message, (heads.EXIT_FAILED, error.reason)))
            return
        if not isinstance(error, EgressRefusedError):
            await client.send(heads.own_answer("502 Bad Gateway", error.message, (heads.UNREACHABLE, "site")))
            return
        lease.traffic.refused += 1
        refusal = Refusal(lease.source, lease.name, error.reason, error.message)
        self.refusals.append(refusal)
        if self._on_refused is not None:
            self._on_refused(refusal)
        reason = (heads.REFUSED, error.reason)
        await client.send(heads.own_answer("403 Forbidden", error.message, reason))

    async def _exchange(self, lease: Lease, head: Head, to: CheckedUrl, client: Streams, site: Streams) -> None:
        exchange = Exchange(client, site, lease.traffic)
        if head.first == "CONNECT":
            await client.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await exchange.tunnel(self._clock, self._limits.idle_seconds)
            return
        async with self._clock.timeout(self._limits.idle_seconds):
            is_sent = await self._send_request(lease, head, to, client, site)
            answer = await self._read_answer(lease, site) if is_sent else None
        if not is_sent:
            return
        if answer is None:
            await client.send(heads.own_answer("502 Bad Gateway", "The site's answer is no HTTP."))
            return
        await client.send(heads.response_to_send(answer))
        if answer.second == "101" and head.asks_to_upgrade:
            await exchange.tunnel(self._clock, self._limits.idle_seconds)
        else:
            await exchange.answer(self._clock, self._limits.idle_seconds)

    async def _send_request(self, lease: Lease, head: Head, to: CheckedUrl, client: Streams, site: Streams) -> bool:
        """Exactly one request goes out: what follows its body is never passed on."""
        length = heads.body_length(head)
        if length is None or length > self._limits.body_bytes_max:
            status = "411 Length Required" if length is None else "413 Content Too Large"
            await client.send(heads.own_answer(status, "Say how long the body is, and keep it small."))
            return False
        request = heads.request_to_send(head, to)
        lease.traffic.bytes_out += len(request) + length
        await site.send(request)
        while length:
            piece = await client.reader.read(min(length, 64 * 1024))
            if not piece:
                return False
            length -= len(piece)
            await site.send(piece)
        return True

    async def _read_answer(self, lease: Lease, site: Streams) -> Head | None:
        """The final answer; what a site says before it (100, 103) is for nobody here."""
        for _ in range(_INTERIM_MAX):
            try:
                raw = await site.reader.readuntil(b"\r\n\r\n")
            except (asyncio.LimitOverrunError, asyncio.IncompleteReadError):
                return None
            lease.traffic.bytes_in += len(raw)
            answer = heads.read_response(raw)
            if answer is None or answer.second == "101" or not answer.second.startswith("1"):
                return answer
        return None
