"""The pool: give a lease, take it back, and know at every moment what there is."""

import asyncio
import contextlib
import functools
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import BrowserError, BrowserLostError, BrowserTimeoutError, PoolExhaustedError
from longstop.fetch.browser.berths import Berth, Fleet
from longstop.fetch.browser.fleet import ChromiumFleet, ChromiumOptions
from longstop.fetch.browser.lease import Held, Lease
from longstop.fetch.browser.lifecycle import UnitState
from longstop.fetch.browser.needs import ContextNeed
from longstop.fetch.browser.orphans import OrphanReport
from longstop.fetch.browser.recycling import Action, Verdict
from longstop.fetch.browser.roster import PoolOptions, Roster
from longstop.fetch.browser.upkeep import Upkeep
from longstop.observe import signals
from longstop.observe.signals import Signals

_RETRY_SECONDS = 0.1

DEFAULT_OPTIONS = PoolOptions()


class UnitAccount(msgspec.Struct, frozen=True):
    name: str
    state: str
    pid: int
    driver_pid: int
    age_seconds: float
    leases: int
    pages: int
    tasks: int
    pids: int
    pss_bytes: int
    driver_rss_bytes: int


class ContextAccount(msgspec.Struct, frozen=True):
    """One lease. `pids` are the renderers known to be its own, as last measured; `pss_bytes` is theirs, or its share
    where Chromium does not tell whose a renderer is, and `whole_bytes` the same with its part of the browser."""

    unit: str
    source: str
    pids: tuple[int, ...]
    pss_bytes: int
    whole_bytes: int
    pages: int
    tasks: int
    age_seconds: float
    requests: int
    blocked: int


class PoolAccount(msgspec.Struct, frozen=True):
    """For health and metrics; read from memory, asks nobody. PSS is as last measured."""

    browsers: int = 0
    contexts: int = 0
    pages: int = 0
    pids: int = 0
    pss_bytes: int = 0
    waiting: int = 0
    requests: int = 0
    blocked: int = 0
    units: tuple[UnitAccount, ...] = ()
    leases: tuple[ContextAccount, ...] = ()
    recycles: dict[str, int] = {}
    last_error: str = ""


class BrowserPool:
    def __init__(
        self,
        fleet: Fleet[Any],
        clock: Clock,
        bus: Signals,
        options: PoolOptions = DEFAULT_OPTIONS,
        name: str = "plain",
    ) -> None:
        self._fleet = fleet
        self._name = name
        self._clock = clock
        self._bus = bus
        self._options = options
        self._roster = Roster(fleet, clock, bus, options)
        self._spares: list[tuple[Berth, ContextNeed, Held]] = []
        self._watching: asyncio.Task[None] | None = None
        self._stopping: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Removes what an earlier run left. Browsers are started when the first lease is asked for.

        Raises BrowserMissingError when there is none to start, and BrowserError when it had nowhere to write.
        """
        await self._fleet.open()
        self._roster.is_open = True
        self._watch()

    async def stop(self) -> None:
        """Within 10 seconds, whatever state the browsers are in. Safe to repeat, and to cancel: it goes on."""
        if self._stopping is None:
            self._stopping = asyncio.create_task(self._stop(), name="stop the browser pool")
        await asyncio.shield(self._stopping)

    async def _stop(self) -> None:
        self._roster.is_open = False
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait({self._watching})
        await self._roster.close()
        await self._fleet.close()

    def _watch(self) -> None:
        upkeep = Upkeep(self._roster, self._fleet, self._clock, self._options, self._follow, self._tell_measured)
        self._watching = asyncio.create_task(upkeep.run(), name="browser pool upkeep")
        self._watching.add_done_callback(self._watch_again)

    def _watch_again(self, ended: "asyncio.Task[None]") -> None:
        """Upkeep has no reason to end; if it does, that is told, and a pool without it would be worse."""
        error = None if ended.cancelled() else ended.exception()
        if error is not None and self._roster.is_open:
            self._bus.emit(
                signals.ErrorRaised(
                    at=self._clock.now(),
                    severity="critical",
                    error_type="browser",
                    error_message=f"The upkeep of the browsers failed: {error!r}.",
                    operation="upkeep",
                )
            )
            asyncio.get_running_loop().call_later(self._options.probe_every_seconds, self._watch_if_open)

    def _watch_if_open(self) -> None:
        if self._roster.is_open:
            self._watch()

    # Leases.

    @contextlib.asynccontextmanager
    async def lease(self, need: ContextNeed, seconds: float) -> AsyncIterator[Lease]:
        """A context for so long; `renew` it while it is used."""
        lease = await self.acquire(need, seconds)
        try:
            yield lease
        finally:
            await lease.release()

    async def acquire(self, need: ContextNeed, seconds: float) -> Lease:
        """The same for who gives it back by `release`. Raises PoolExhaustedError when no place comes free in time."""
        self._require_open()
        try:
            async with self._clock.timeout(self._options.acquire_seconds):
                return await self._acquire(need, seconds)
        except TimeoutError as error:
            raise self._too_late() from error

    async def _acquire(self, need: ContextNeed, seconds: float) -> Lease:
        while True:
            berth, held = self._spare(need) or await self._opened(need)
            if held is not None and berth.is_usable:
                return self._let(berth, held, need, seconds)
            self._roster.give_back(berth)
            self._roster.wake.set()
            await self._clock.sleep(_RETRY_SECONDS)

    async def _opened(self, need: ContextNeed) -> tuple[Berth, Held | None]:
        """None when the browser failed meanwhile; then another is asked."""
        berth = await self._roster.place()
        opening = self._roster.spawn(berth.unit.open_context(need), f"open a context for {need.source}")
        try:
            await asyncio.wait({opening})
        except asyncio.CancelledError:
            # The browser may make it all the same; it is closed then, and the place is taken until then.
            opening.add_done_callback(functools.partial(self._roster.discard, berth))
            raise
        error = _failure(opening)
        if error is None:
            return berth, opening.result()
        if isinstance(error, BrowserLostError | BrowserTimeoutError):
            return berth, None
        self._roster.give_back(berth)
        raise error

    def _let(self, berth: Berth, held: Held, need: ContextNeed, seconds: float) -> Lease:
        lease = Lease(held, need, berth.unit.name, self._clock, self._release)
        lease.renew(seconds)
        self._roster.let(berth, lease)
        if berth.state is UnitState.DRAINING:
            lease.retiring.set()
        return lease

    async def _release(self, lease: Lease) -> None:
        closing = self._roster.released(lease)
        if closing is not None:
            # Who waits may be cancelled; the closing is not.
            await asyncio.wait({closing})

    def _require_open(self) -> None:
        if not self._roster.is_open:
            raise BrowserLostError("The browser pool is not running.")

    def _too_late(self) -> BrowserError:
        waited = f"{self._options.acquire_seconds:g} s"
        cause = self._roster.last_error
        if cause is not None:
            return BrowserLostError(f"No browser could be started within {waited}: {cause.message}", hint=cause.hint)
        return PoolExhaustedError(f"No place in a browser came free within {waited}.")

    async def sweep(self) -> OrphanReport:
        """Now, not only at its interval: ends what dead runs left behind."""
        return await self._fleet.sweep()

    async def recycle(self, reason: str) -> int:
        """Every browser that runs now, one after another, each successor first; how many were. Who asks sets the time:
        one that cannot be replaced in it is left to the upkeep."""
        running = [berth for berth in self._roster.berths if berth.state is UnitState.READY]
        for berth in running:
            while berth.state is UnitState.READY and self._roster.is_open:
                self._roster.replace(berth, Verdict(Action.REPLACE, "asked for", reason))
                await self._clock.sleep(_RETRY_SECONDS)
        return len(running)

    # A context that follows another.

    def _follow(self, lease: Lease) -> None:
        self._roster.spawn(self._make_spare(lease), f"open a successor for {lease.need.source}")

    async def _make_spare(self, lease: Lease) -> None:
        """Make before break: the successor is there before its predecessor's holder is asked to move."""
        berth = self._roster.berth_of(lease)
        if berth is None:
            return
        berth.promised += 1
        opening = self._roster.spawn(berth.unit.open_context(lease.need), f"open a context for {lease.need.source}")
        await asyncio.wait({opening})
        if _failure(opening) is not None or lease.lost.is_set():
            lease.is_followed = False
            self._roster.discard(berth, opening)
            return
        spare = (berth, lease.need, opening.result())
        self._spares.append(spare)
        lease.retiring.set()
        await self._clock.sleep(self._options.drain_seconds)
        if spare in self._spares:
            self._spares.remove(spare)
            self._roster.discard(berth, opening)
        self._roster.take_back(lease, "its context was replaced and the time to move is over")

    def _spare(self, need: ContextNeed) -> tuple[Berth, Held] | None:
        for spare in self._spares:
            berth, wanted, held = spare
            if wanted == need:
                self._spares.remove(spare)
                return berth, held
        return None

    # Figures.

    def accounting(self) -> PoolAccount:
        units = tuple(self._account(berth) for berth in self._roster.berths)
        leases = self._roster.leases
        return PoolAccount(
            browsers=len(units),
            contexts=len(leases),
            pages=sum(unit.pages for unit in units),
            pids=sum(unit.pids for unit in units),
            pss_bytes=sum(unit.pss_bytes for unit in units),
            waiting=self._roster.waiting,
            requests=self._roster.requests + sum(lease.traffic.requests for lease in leases),
            blocked=self._roster.blocked + sum(lease.traffic.blocked.total() for lease in leases),
            units=units,
            leases=tuple(map(_account_of, leases)),
            recycles=dict(self._roster.recycles),
            last_error="" if self._roster.last_error is None else str(self._roster.last_error),
        )

    def _tell_measured(self) -> None:
        account = self.accounting()
        self._bus.emit(
            signals.BrowsersMeasured(
                at=self._clock.now(),
                pool=self._name,
                browsers=account.browsers,
                contexts=account.contexts,
                pages=account.pages,
                pids=account.pids,
                pss_bytes=account.pss_bytes,
                waiting=account.waiting,
                contexts_bytes=tuple((lease.need.source, lease.memory_bytes()) for lease in self._roster.leases),
            )
        )

    def _account(self, berth: Berth) -> UnitAccount:
        figures = berth.figures(self._clock.monotonic())
        driver, browser = berth.unit.driver, berth.unit.browser
        return UnitAccount(
            name=berth.unit.name,
            state=berth.state.value,
            pid=0 if browser is None else browser.pid,
            driver_pid=0 if driver is None else driver.pid,
            age_seconds=figures.age_seconds,
            leases=len(berth.leases),
            pages=sum(len(lease.held.pages) for lease in berth.leases),
            tasks=figures.tasks,
            pids=figures.pids,
            pss_bytes=figures.pss_bytes,
            driver_rss_bytes=figures.driver_rss_bytes,
        )


def _account_of(lease: Lease) -> ContextAccount:
    return ContextAccount(
        unit=lease.unit,
        source=lease.need.source,
        pids=lease.pids,
        pss_bytes=lease.memory_bytes(),
        whole_bytes=lease.whole_bytes(),
        pages=len(lease.held.pages),
        tasks=lease.tasks,
        age_seconds=lease.age_seconds,
        requests=lease.traffic.requests,
        blocked=lease.traffic.blocked.total(),
    )


def _failure(opening: "asyncio.Task[Held]") -> BaseException | None:
    return BrowserLostError("The browser pool is stopping.") if opening.cancelled() else opening.exception()


def chromium_pool(
    chromium: ChromiumOptions, clock: Clock, bus: Signals, options: PoolOptions = DEFAULT_OPTIONS
) -> BrowserPool:
    """The pool as bootstrap wants it."""
    return BrowserPool(ChromiumFleet(chromium, clock, bus), clock, bus, options)
