"""A load of GET requests over kept connections, bounded in rate, number and time; only to this machine.

Written on sockets because the client must cost little beside the server that is measured.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from benchmarks.figures import ProofError

TIMEOUT_SECONDS = 30.0


@dataclass
class Load:
    """Seconds each answer took, from when it was due, and how many there were of each status."""

    seconds: list[float] = field(default_factory=list)
    statuses: dict[int, int] = field(default_factory=dict)
    bytes_last: int = 0

    def note(self, status: int, seconds: float) -> None:
        self.seconds.append(seconds)
        self.statuses[status] = self.statuses.get(status, 0) + 1

    def percentile_ms(self, fraction: float) -> float:
        ordered = sorted(self.seconds)
        return 1000 * ordered[min(len(ordered) - 1, int(len(ordered) * fraction))] if ordered else float("inf")


class Connection:
    """One kept connection; requests one after the other."""

    def __init__(self, url: str, headers: Sequence[str] = ()) -> None:
        parts = urlsplit(url)
        if parts.hostname not in {"127.0.0.1", "::1", "localhost"}:
            raise ProofError(f"{parts.hostname} is not this machine, so it is not loaded")
        self._host, self._port = parts.hostname or "", parts.port or 80
        self._head = "".join(f"{line}\r\n" for line in (f"Host: {self._host}:{self._port}", *headers))
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def get(self, path: str) -> tuple[int, bytes]:
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection(self._host, self._port)
        assert self._reader is not None
        self._writer.write(f"GET {path} HTTP/1.1\r\n{self._head}\r\n".encode())
        head = await self._reader.readuntil(b"\r\n\r\n")
        status = int(head[9:12])
        lower = head.lower()
        start = lower.find(b"content-length:")
        length = int(lower[start + 15 : lower.index(b"\r\n", start)]) if start >= 0 else 0
        return status, await self._reader.readexactly(length)

    async def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None


async def hammer(url: str, paths: Sequence[str], count: int, headers: Sequence[str] = (), connections: int = 8) -> Load:
    """As fast as it goes, so many in all."""
    load = Load()

    async def run(first: int) -> None:
        connection = Connection(url, headers)
        for number in range(first, count, connections):
            began = time.perf_counter()
            status, _ = await connection.get(paths[number % len(paths)])
            load.note(status, time.perf_counter() - began)
        await connection.close()

    async with asyncio.timeout(TIMEOUT_SECONDS + count / 100):
        await asyncio.gather(*(run(first) for first in range(connections)))
    return load


async def steadily(
    url: str,
    paths: Sequence[str],
    per_second: float,
    seconds: float,
    headers: Sequence[str] = (),
    connections: int = 32,
) -> Load:
    """At a rate, whether the server keeps up or not: the time that a request waits for its turn counts."""
    load = Load()
    began = time.perf_counter()
    total = int(per_second * seconds)
    due = iter(range(total))

    async def run() -> None:
        connection = Connection(url, headers)
        for number in due:
            moment = began + number / per_second
            await asyncio.sleep(max(0.0, moment - time.perf_counter()))
            status, body = await connection.get(paths[number % len(paths)])
            load.note(status, time.perf_counter() - moment)
            load.bytes_last = len(body)
        await connection.close()

    async with asyncio.timeout(seconds + TIMEOUT_SECONDS):
        await asyncio.gather(*(run() for _ in range(connections)))
    return load
