"""One unit's place in the pool: its state, who leases of it, what was measured. And what the pool needs of units."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from longstop.fetch.browser.lease import Held, Lease
from longstop.fetch.browser.lifecycle import UNIT_LIFECYCLE, UnitState
from longstop.fetch.browser.needs import ContextNeed
from longstop.fetch.browser.orphans import OrphanReport
from longstop.fetch.browser.processes import Identity
from longstop.fetch.browser.recycling import Trend, UnitFigures
from longstop.fetch.browser.survey import Ending, Survey

USABLE = frozenset({UnitState.READY, UnitState.DRAINING})


class Unit(Protocol):
    """One browser. Every call has its deadline and raises a BrowserError."""

    name: str

    @property
    def driver(self) -> Identity | None: ...

    @property
    def browser(self) -> Identity | None: ...

    async def start(self) -> None: ...

    async def open_context(self, need: ContextNeed) -> Held: ...

    async def probe(self, seconds: float) -> float: ...

    async def end(self, gently: bool) -> Ending: ...


UnitT = TypeVar("UnitT", bound=Unit)


class Fleet(Protocol[UnitT]):
    """Where units come from, and what the kernel says about them."""

    async def open(self) -> None: ...

    def new_unit(self) -> UnitT: ...

    async def survey(self, units: Sequence[UnitT], with_pss: bool) -> Mapping[str, Survey]: ...

    async def sweep(self) -> OrphanReport: ...

    def bury(self, unit: UnitT) -> None: ...

    async def close(self) -> None: ...


class Berth:
    """`successor` is under way or ready; `promised` places are given to who is just opening a context."""

    def __init__(self, unit: Unit, now: float) -> None:
        self.unit = unit
        self.state = UNIT_LIFECYCLE.initial
        self.leases: set[Lease] = set()
        self.promised = 0
        self.closing = 0
        self.tasks = 0
        self.began_at = now
        self.used_at = now
        self.drain_until = float("inf")
        self.predecessor: Berth | None = None
        self.successor: Berth | None = None
        self.probes = Trend()
        self.is_probing = False
        self.under_way: set[asyncio.Task[Any]] = set()
        self.survey = Survey()
        self.pss_bytes = 0
        self.rss_bytes_then = 0
        self.stopped: frozenset[Identity] = frozenset()
        self.is_ended = False

    @property
    def is_usable(self) -> bool:
        return self.state in USABLE

    @property
    def taken(self) -> int:
        """Who has been asked to move has a place coming elsewhere, and counts no more."""
        return sum(not lease.retiring.is_set() for lease in self.leases) + self.promised + self.closing

    @property
    def is_empty(self) -> bool:
        return not (self.leases or self.promised or self.closing)

    @property
    def pss_bytes_at_most(self) -> int:
        return self.pss_bytes + max(0, self.survey.rss_bytes - self.rss_bytes_then)

    def let_go(self) -> None:
        """Nothing of what is asked of it will be answered."""
        for task in self.under_way - {asyncio.current_task()}:
            task.cancel()

    def step(self, event: str) -> None:
        self.state = UNIT_LIFECYCLE.advance(self.state, event)

    def figures(self, now: float) -> UnitFigures:
        return UnitFigures(
            age_seconds=now - self.began_at,
            tasks=self.tasks + sum(lease.tasks for lease in self.leases),
            pids=len(self.survey.members),
            pss_bytes=self.pss_bytes,
            driver_rss_bytes=self.survey.driver_rss_bytes,
            first_probes=self.probes.first,
            recent_probes=self.probes.recent,
            idle_seconds=now - self.used_at if self.is_empty else 0.0,
        )
