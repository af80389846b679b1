"""Bytes are paid for: how many may move in a month, and what happens when they run short.

The count is the filtering proxy's own, both ways, of every visit, whatever came of it. A month is a calendar month in
UTC, as accounts are renewed; what moved in it is kept in a small file, so that a restart forgets nothing.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime
from typing import Final, Protocol

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import BudgetSpentError
from longstop.observe import signals
from longstop.observe.signals import Signals

MB: Final = 1024 * 1024
SESSIONS_REMEMBERED: Final = 1000
# Told once each in a month; the last one is the end.
LEVELS: Final = (80, 95, 100)


class BandwidthOptions(msgspec.Struct, frozen=True):
    """From `slow_share` of the budget on each visit waits, at its end `pause_seconds_max`."""

    budget_bytes: int = 2048 * MB
    slow_share: float = 0.8
    pause_seconds_max: float = 60.0


class Month(msgspec.Struct):
    """What moved in one month, by source, and the highest level that was told."""

    period: str
    sources: dict[str, int] = {}
    told: int = 0

    @property
    def moved(self) -> int:
        return sum(self.sources.values())


class Shelf(Protocol):
    """Where the month is kept. None when there is nothing that can be read."""

    def read(self) -> Month | None: ...

    async def add(self, more: Month) -> Month | None:
        """What is kept with this much more, which others may have added to; None when it could not be kept."""
        ...


class Bandwidth:
    def __init__(self, shelf: Shelf, clock: Clock, bus: Signals, options: BandwidthOptions) -> None:
        self._shelf = shelf
        self._clock = clock
        self._bus = bus
        self._options = options
        self._writing = asyncio.Lock()
        self._month = shelf.read() or Month(period_of(clock.now()))
        self._unkept: dict[str, int] = {}
        self.by_session: OrderedDict[str, int] = OrderedDict()

    @property
    def month(self) -> Month:
        """The one that it is now: a new one begins with nothing."""
        period = period_of(self._clock.now())
        if self._month.period != period:
            self._month, self._unkept = Month(period), {}
        return self._month

    @property
    def share(self) -> float:
        return self.month.moved / self._options.budget_bytes

    async def admit(self, source: str) -> None:
        """Before anything is sent. Waits when the budget runs short, raises when it is spent."""
        if self.share >= 1:
            await self._tell_level()
            raise BudgetSpentError(
                f"The {self._options.budget_bytes // MB} MB that may move in a month are spent, so {source} rests.",
                hint=f"It goes on on {renewal_of(self._clock.now()):%d %B} (UTC); "
                "scraper.proxy.bandwidth_budget_mb allows more.",
            )
        pause = self.pause_seconds()
        if pause > 0:
            await self._clock.sleep(pause)

    def pause_seconds(self) -> float:
        """Grows with the square of what is left less: little at first, all of it at the end."""
        slow = self._options.slow_share
        over = max(0.0, min(1.0, (self.share - slow) / (1 - slow)))
        return self._options.pause_seconds_max * over * over

    async def count(self, source: str, session_id: str, bytes_in: int, bytes_out: int) -> None:
        moved = bytes_in + bytes_out
        month = self.month
        for known in (month.sources, self._unkept):
            known[source] = known.get(source, 0) + moved
        self.by_session[session_id] = self.by_session.get(session_id, 0) + moved
        while len(self.by_session) > SESSIONS_REMEMBERED:
            self.by_session.popitem(last=False)
        await self._tell_level()
        await self._keep()

    async def close(self) -> None:
        await self._keep()

    async def _tell_level(self) -> None:
        month, percent = self.month, self.share * 100
        level = max((each for each in LEVELS if percent >= each), default=0)
        if level <= month.told:
            return
        month.told = level
        self._bus.emit(
            signals.BandwidthUsed(
                at=self._clock.now(),
                level_percent=level,
                bytes=month.moved,
                bytes_max=self._options.budget_bytes,
                period=month.period,
            )
        )
        await self._keep()

    async def _keep(self) -> None:
        """One at a time. What could not be kept now is kept with the next."""
        async with self._writing:
            more, self._unkept = Month(self.month.period, self._unkept, self._month.told), {}
            kept = await self._shelf.add(more)
            if self.month.period != more.period:
                return
            if kept is None:
                self._unkept = added(more.sources, self._unkept)
            else:
                self._month = Month(kept.period, added(kept.sources, self._unkept), max(kept.told, self._month.told))


def added(known: Mapping[str, int], more: Mapping[str, int]) -> dict[str, int]:
    return {source: known.get(source, 0) + more.get(source, 0) for source in {**known, **more}}


def period_of(moment: datetime) -> str:
    return f"{moment:%Y-%m}"


def renewal_of(moment: datetime) -> datetime:
    first = moment.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    is_december = first.month == 12
    return first.replace(year=first.year + is_december, month=1 if is_december else first.month + 1)
