"""Run as a program: tries every forbidden address by HTTP and through the proxy, and tells what was connected to."""

import asyncio
import fcntl
import ipaddress
import json
import socket
import struct
import sys
from collections.abc import Sequence
from typing import Any

from longstop.clock import SystemClock
from longstop.domain.errors import EgressRefusedError
from longstop.fetch.egress.guard import rules_for
from longstop.fetch.egress.proxy import FilteringProxy
from longstop.fetch.egress.resolver import PinnedResolver
from longstop.fetch.http import HttpFetcher
from longstop.fetch.snapshot import FetchRequest
from tests.unit.fetch.egress import hostile
from tests.unit.fetch.egress.test_addresses import FORBIDDEN

_SIOCSIFFLAGS, _IFF_UP, _IFF_RUNNING = 0x8914, 0x1, 0x40


class Watch:
    """Sees every connect call of this process, and stops those that would leave the machine."""

    def __init__(self) -> None:
        self.allowed = 0
        self.forbidden: list[str] = []
        self.names: list[str] = []

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.connect" and isinstance(arguments[1], tuple):
            self._connected(str(arguments[1][0]))
        elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
            self._named(str(arguments[0]))

    def _connected(self, host: str) -> None:
        if host == "127.0.0.1":
            self.allowed += 1
            return
        self.forbidden.append(host)
        raise PermissionError(host)

    def _named(self, host: str) -> None:
        try:
            ipaddress.ip_address(host)
        except ValueError:
            self.names.append(host)


def raise_loopback() -> None:
    """A namespace of one's own begins without even that."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        request = struct.pack("16sh14x", b"lo", _IFF_UP | _IFF_RUNNING)
        try:
            fcntl.ioctl(probe, _SIOCSIFFLAGS, request)
        except PermissionError:
            return  # the machine's own loopback, which is up


def resolver_giving(address: str) -> PinnedResolver:
    async def lookup(host: str) -> Sequence[str]:
        return [address]

    return PinnedResolver(rules_for("crex", hostile.BASE_URL, hostile.NAMED), lookup, SystemClock())


async def main() -> dict[str, Any]:
    watch = Watch()
    sys.addaudithook(watch)
    tried = refused = 0
    proxy = FilteringProxy(SystemClock())
    for address in FORBIDDEN:
        resolver = resolver_giving(address)
        refused += await try_http(resolver, "http://site.example/")
        refused += await try_proxy(proxy, resolver, address)
        tried += 2
    resolver = resolver_giving("127.0.0.2")
    for url, _ in hostile.TABLE:
        refused += await try_http(resolver, url)
        tried += 1
    await proxy.close()
    return {
        "tried": tried,
        "refused": refused,
        "allowed_connects": watch.allowed,
        "forbidden_connects": watch.forbidden,
        "names_looked_up": watch.names,
    }


async def try_http(resolver: PinnedResolver, url: str) -> int:
    fetcher = HttpFetcher(SystemClock(), resolver=resolver)
    try:
        await fetcher.fetch(FetchRequest("crex", url, "state", deadline_seconds=1.0))
    except EgressRefusedError:
        return 1
    finally:
        await fetcher.close()
    return 0


async def try_proxy(proxy: FilteringProxy, resolver: PinnedResolver, name: str) -> int:
    """Our own call to the proxy goes over loopback, which also shows that the watch sees connect calls."""
    lease = await proxy.admit(resolver, name)
    reader, writer = await asyncio.open_connection("127.0.0.1", int(lease.server.rpartition(":")[2]))
    writer.write(b"CONNECT site.example:443 HTTP/1.1\r\n\r\n")
    answer = await reader.read()
    writer.close()
    await proxy.dismiss(lease)
    return int(answer.startswith(b"HTTP/1.1 403"))


if __name__ == "__main__":
    raise_loopback()
    sys.stdout.write(json.dumps(asyncio.run(main())))
