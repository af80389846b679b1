"""Bytes from one connection to another, counted, with an end when nothing moves any more."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Sequence
from typing import Final, Protocol

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import SourceUnreachableError
from longstop.fetch.egress.addresses import Address
from longstop.fetch.egress.guard import CheckedUrl

_PIECE_BYTES: Final = 64 * 1024
ATTEMPT_SECONDS: Final = 3.0


class Streams(msgspec.Struct, frozen=True):
    """The two halves of one connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def close(self) -> None:
        """What is still to be written goes out first; how long that may take, the caller says."""
        with contextlib.suppress(OSError):
            self.writer.close()
            await self.writer.wait_closed()

    def cut(self) -> None:
        self.writer.transport.abort()


class Dial(Protocol):
    """How a connection is made: straight, or by an exit. Host and address were checked before either is asked; one that
    `looks_names_up` itself gets no address."""

    @property
    def looks_names_up(self) -> bool: ...

    async def __call__(self, to: CheckedUrl, addresses: Sequence[Address], /) -> Streams: ...


class Traffic:
    """What went through, counted for one lease or one source."""

    def __init__(self) -> None:
        self.bytes_in = 0
        self.bytes_out = 0
        self.requests = 0
        self.refused = 0

    def add(self, other: "Traffic") -> None:
        self.bytes_in += other.bytes_in
        self.bytes_out += other.bytes_out
        self.requests += other.requests
        self.refused += other.refused


class DirectDial:
    """Straight to the first address that answers, never by name: nobody is asked a second time where it lies."""

    def __init__(self, clock: Clock, head_bytes_max: int) -> None:
        self._clock = clock
        self._head_bytes_max = head_bytes_max

    @property
    def looks_names_up(self) -> bool:
        return False

    async def __call__(self, to: CheckedUrl, addresses: Sequence[Address]) -> Streams:
        failure: OSError | None = None
        for address in addresses:
            try:
                async with self._clock.timeout(ATTEMPT_SECONDS):
                    opened = await asyncio.open_connection(str(address), to.port, limit=self._head_bytes_max)
                    return Streams(*opened)
            except OSError as error:
                failure = error
        raise SourceUnreachableError(f"No address of {to.host} took the connection.") from failure


class Exchange:
    """One client, one site, and the count of what passes between them."""

    def __init__(self, client: Streams, site: Streams, traffic: Traffic) -> None:
        self._client = client
        self._site = site
        self._traffic = traffic

    async def tunnel(self, clock: Clock, idle_seconds: float) -> None:
        """Both ways, until both ends are done, one breaks, or nothing has moved for a while."""
        async with clock.timeout(idle_seconds) as deadline:

            def moved() -> None:
                deadline.reschedule(clock.monotonic() + idle_seconds)

            await _all_or_none(self._inward(moved), self._outward(moved))

    async def answer(self, clock: Clock, idle_seconds: float) -> None:
        """One way, until the site is done or the client is gone. What the client says meanwhile is dropped."""
        async with clock.timeout(idle_seconds) as deadline:

            def moved() -> None:
                deadline.reschedule(clock.monotonic() + idle_seconds)

            await _first_of(self._inward(moved), _until_gone(self._client.reader))

    async def _inward(self, moved: Callable[[], None]) -> None:
        while data := await self._site.reader.read(_PIECE_BYTES):
            moved()
            self._traffic.bytes_in += len(data)
            await self._client.send(data)
        _end_of(self._client.writer)

    async def _outward(self, moved: Callable[[], None]) -> None:
        while data := await self._client.reader.read(_PIECE_BYTES):
            moved()
            self._traffic.bytes_out += len(data)
            await self._site.send(data)
        _end_of(self._site.writer)


def _end_of(writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        if writer.can_write_eof():
            writer.write_eof()


async def _until_gone(reader: asyncio.StreamReader) -> None:
    while await reader.read(_PIECE_BYTES):
        pass


async def _all_or_none(*works: Coroutine[None, None, None]) -> None:
    tasks = [asyncio.create_task(work) for work in works]
    try:
        await asyncio.gather(*tasks)
    finally:
        await _cancelled(tasks)


async def _first_of(*works: Coroutine[None, None, None]) -> None:
    tasks = [asyncio.create_task(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        await _cancelled(tasks)


async def _cancelled(tasks: Sequence["asyncio.Task[None]"]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
