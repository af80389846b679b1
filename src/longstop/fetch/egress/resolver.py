"""Names become addresses once, are checked, and stay: between check and connection nobody is asked again."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import msgspec
from aiohttp.abc import AbstractResolver, ResolveResult

from longstop.clock import Clock
from longstop.domain.errors import EgressRefusedError, SourceUnreachableError
from longstop.fetch.egress.addresses import Address, read_address
from longstop.fetch.egress.guard import EgressRules, check_address, check_place

ADDRESSES_MAX: Final = 8
Lookup = Callable[[str], Awaitable[Sequence[str]]]


class PinLimits(msgspec.Struct, frozen=True):
    """An address is trusted for `ttl_seconds`. When the resolver fails, the last good one serves a while longer."""

    ttl_seconds: float = 60.0
    stale_seconds: float = 900.0
    lookup_seconds: float = 3.0
    retry_seconds: float = 5.0


class Pin(msgspec.Struct, frozen=True):
    addresses: tuple[Address, ...]
    since: float
    until: float


class SystemLookup:
    """The machine's resolver on threads of its own: one that hangs must not hold up the rest of the house."""

    def __init__(self, threads: int = 4) -> None:
        self._threads = threads
        self._pool: ThreadPoolExecutor | None = None

    async def __call__(self, host: str) -> Sequence[str]:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="lookup")
        found = await asyncio.get_running_loop().run_in_executor(self._pool, _ask_system, host)
        return tuple(dict.fromkeys(found))

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


class PinnedResolver(AbstractResolver):
    """Gives aiohttp (and the proxy) nothing but addresses that the rules of its source allow."""

    def __init__(self, rules: EgressRules, lookup: Lookup, clock: Clock, limits: PinLimits | None = None) -> None:
        self.rules = rules
        self._lookup = lookup
        self._clock = clock
        self._limits = limits or PinLimits()
        self._pins: dict[str, Pin] = {}
        self._asking: dict[str, asyncio.Lock] = {}

    async def addresses(self, host: str) -> tuple[Address, ...]:
        """Asked once for all who wait. Only hosts that the rules name are ever looked up."""
        literal = read_address(host)
        if literal is not None:
            check_address(host, literal, self.rules)
            return (literal,)
        async with self._asking.setdefault(host, asyncio.Lock()):
            pin = self._pins.get(host)
            if pin is None or pin.until <= self._clock.monotonic():
                pin = self._pins[host] = await self._renewed(host, pin)
            return pin.addresses

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The second line of the defence: the address was checked before, and is checked here again."""
        check_place(host, port, self.rules)
        found = [each for each in await self.addresses(host) if family in (socket.AF_UNSPEC, _family(each))]
        if not found:
            raise OSError(f"{host} has no address of this family")
        return [_result(host, port, address) for address in found]

    async def close(self) -> None:
        self._pins.clear()

    async def _renewed(self, host: str, old: Pin | None) -> Pin:
        now = self._clock.monotonic()
        try:
            async with self._clock.timeout(self._limits.lookup_seconds):
                found = await self._lookup(host)
        except OSError as error:  # a timeout is one too
            if old is None or now - old.since > self._limits.stale_seconds:
                raise SourceUnreachableError(f"The name {host} could not be resolved.") from error
            return msgspec.structs.replace(old, until=now + self._limits.retry_seconds)
        return Pin(self._checked(host, found), now, now + self._limits.ttl_seconds)

    def _checked(self, host: str, found: Sequence[str]) -> tuple[Address, ...]:
        """A name with one good and one bad address keeps the good one; with bad ones only it is refused."""
        good: list[Address] = []
        refusal: EgressRefusedError | None = None
        for address in (read_address(each) for each in found[: ADDRESSES_MAX * 4]):
            if address is None:
                continue
            try:
                check_address(host, address, self.rules)
                good.append(address)
            except EgressRefusedError as error:
                refusal = error
        if not good:
            raise refusal or SourceUnreachableError(f"The name {host} has no address.")
        return tuple(good[:ADDRESSES_MAX])


def _ask_system(host: str) -> list[str]:
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(each[4][0]) for each in found]


def _family(address: Address) -> socket.AddressFamily:
    return socket.AF_INET if address.version == 4 else socket.AF_INET6


def _result(host: str, port: int, address: Address) -> ResolveResult:
    return ResolveResult(
        hostname=host,
        host=str(address),
        port=port,
        family=_family(address),
        proto=socket.IPPROTO_TCP,
        flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
    )
