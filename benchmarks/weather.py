"""What lies between the engine and a simulated site: latency and failures that change with time, and cut cables.

Each match may have weather of its own: one that hangs, one that answers garbage, one that makes our own code raise.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import SourceFailingError, SourceTimeoutError, SourceUnreachableError
from longstop.fetch.snapshot import Fetcher, FetchRequest, Snapshot

Moment = Callable[[float], float]
Harm = Callable[[FetchRequest, Snapshot], Awaitable[Snapshot]]


def always(value: float) -> Moment:
    return lambda _: value


def rising(first: float, last: float, seconds: float) -> Moment:
    """In a straight line over so many seconds, and level from there."""
    return lambda now: first + (last - first) * min(1.0, now / seconds)


class Forecast(msgspec.Struct, frozen=True):
    """Of the monotonic clock's seconds. `outages` are from … to; `harms` by match key."""

    latency_seconds: Moment = always(0.0)
    failing_share: Moment = always(0.0)
    outages: tuple[tuple[float, float], ...] = ()
    deadline_seconds: float = 4.0
    harms: Mapping[str, Harm] = {}


class Weather:
    """A fetcher before the fetcher."""

    def __init__(self, inner: Fetcher, forecast: Forecast, clock: Clock, chance: random.Random) -> None:
        self.forecast = forecast
        self._inner = inner
        self._clock = clock
        self._chance = chance

    async def fetch(self, request: FetchRequest) -> Snapshot:
        now = self._clock.monotonic()
        if any(begins <= now < ends for begins, ends in self.forecast.outages):
            raise SourceUnreachableError("The cable is cut.")
        await self._travel(self.forecast.latency_seconds(now))
        if self._chance.random() < self.forecast.failing_share(now):
            raise SourceFailingError("The source answers 503.")
        snapshot = await self._inner.fetch(request)
        harm = self.forecast.harms.get(request.key)
        return snapshot if harm is None else await harm(request, snapshot)

    async def close(self) -> None:
        await self._inner.close()

    async def _travel(self, seconds: float) -> None:
        if seconds > self.forecast.deadline_seconds:
            await self._clock.sleep(self.forecast.deadline_seconds)
            raise SourceTimeoutError("The answer took too long.")
        await self._clock.sleep(seconds)


# What one match may do to us.


async def hangs(_: FetchRequest, snapshot: Snapshot) -> Snapshot:
    """For ever: whatever deadline there is, it is ours."""
    await asyncio.Event().wait()
    return snapshot


async def raises(_: FetchRequest, snapshot: Snapshot) -> Snapshot:
    raise KeyError(f"a fault of ours at {snapshot.fetched_at:%H:%M:%S}")


async def answers_garbage(_: FetchRequest, snapshot: Snapshot) -> Snapshot:
    return msgspec.structs.replace(snapshot, body=b"\x00\xff{]" * 500)


class Eats:
    """Holds on to memory with each answer, up to a bound: a leak of ours, or a site that swells."""

    def __init__(self, bytes_each: int, bytes_max: int) -> None:
        self.held: list[bytearray] = []
        self._each = bytes_each
        self._max = bytes_max

    async def __call__(self, _: FetchRequest, snapshot: Snapshot) -> Snapshot:
        if len(self.held) * self._each < self._max:
            self.held.append(bytearray(self._each))
        return msgspec.structs.replace(snapshot, body=snapshot.body + b" " * self._each)
