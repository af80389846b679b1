"""Which units there are, who waits for a place, and how units begin, are followed and end.

Every change of it is made between two awaits; what takes time (starting, closing) is done by tasks it holds. So no
lock is held while a browser is slow, and a caller that is cancelled leaves nothing half done.
"""

import asyncio
import functools
from collections import Counter, deque
from collections.abc import Coroutine
from typing import Any

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import BrowserError, BrowserLostError, LongstopError
from longstop.fetch.browser.berths import Berth, Fleet
from longstop.fetch.browser.herald import Herald
from longstop.fetch.browser.lease import Held, Lease
from longstop.fetch.browser.lifecycle import UnitState
from longstop.fetch.browser.recycling import ContextLimits, UnitLimits, Verdict
from longstop.observe.signals import Signals

START_PAUSE_SECONDS_MAX = 30.0
TAKE_BACK_SECONDS = 0.02
COMING = frozenset({UnitState.STARTING, UnitState.READY})


class PoolOptions(msgspec.Struct, frozen=True):
    """So many browsers with so many contexts each; one context for each lease.

    A probe that is not answered in time is tried once more with half as long again; then the browser is lost. What is
    lost is noticed within `probe_every_seconds + 2.5 * probe_seconds`. `page_seconds` is the patience with a page.
    """

    browsers: int = 2
    contexts: int = 16
    acquire_seconds: float = 15.0
    drain_seconds: float = 30.0
    close_seconds: float = 5.0
    probe_every_seconds: float = 1.5
    probe_seconds: float = 3.0
    page_seconds: float = 8.0
    measure_every_seconds: float = 15.0
    sweep_every_seconds: float = 1800.0
    unit_limits: UnitLimits = UnitLimits()
    context_limits: ContextLimits = ContextLimits()


class Roster:
    def __init__(self, fleet: Fleet[Any], clock: Clock, bus: Signals, options: PoolOptions) -> None:
        self._fleet = fleet
        self._clock = clock
        self._herald = Herald(clock, bus)
        self._options = options
        self._tasks: set[asyncio.Task[Any]] = set()
        self._waiting: deque[asyncio.Future[Berth]] = deque()
        self._wanted = 0
        self._failures = 0
        self._start_at = 0.0
        self.berths: list[Berth] = []
        self.recycles: Counter[str] = Counter()
        self.last_error: BrowserError | None = None
        self.requests = 0
        self.blocked = 0
        self.is_open = False
        self.wake = asyncio.Event()

    @property
    def leases(self) -> list[Lease]:
        return [lease for berth in self.berths for lease in berth.leases]

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def spawn(self, work: Coroutine[Any, Any, Any], name: str) -> "asyncio.Task[Any]":
        """Held strongly until it ends; an error that nobody foresaw is told."""
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def ask(self, berth: Berth, work: Coroutine[Any, Any, Any], name: str) -> "asyncio.Task[Any]":
        """Something asked of a browser: given up when that is lost."""
        task = self.spawn(work, name)
        berth.under_way.add(task)
        task.add_done_callback(berth.under_way.discard)
        return task

    def _ended(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, LongstopError):
            self._herald.failed(BrowserError(f"Unforeseen: {error!r}."), task.get_name())

    # Places.

    async def place(self) -> Berth:
        """A promised place, in the order of asking; the caller opens a context in it or gives it back."""
        future: asyncio.Future[Berth] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        self.settle()
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self.give_back(future.result())
            raise
        finally:
            if future in self._waiting:
                self._waiting.remove(future)

    def give_back(self, berth: Berth) -> None:
        berth.promised -= 1
        self.settle()

    def settle(self) -> None:
        """Gives free places to those who wait, and starts what is missing."""
        while self._waiting and (berth := self._roomiest()) is not None:
            future = self._waiting.popleft()
            if not future.done():
                berth.promised += 1
                future.set_result(berth)
        self._end_the_drained()
        self._fill()

    def _roomiest(self) -> Berth | None:
        free = [each for each in self.berths if each.state is UnitState.READY and each.taken < self._options.contexts]
        # One that is being replaced would soon ask to move again.
        return min(free, key=lambda each: (each.successor is not None, each.taken), default=None)

    def _fill(self) -> None:
        """One start at a time: two at once would only slow each other down."""
        coming = [each for each in self.berths if each.state in COMING and each.successor is None]
        starting = sum(each.state is UnitState.STARTING for each in self.berths)
        if self._waiting and not starting:
            self._wanted = min(self._options.browsers, max(self._wanted, len(coming) + 1))
        is_time = self._clock.monotonic() >= self._start_at
        if self.is_open and not starting and is_time and len(coming) < self._wanted:
            self._begin(None)

    # Beginning.

    def _begin(self, predecessor: Berth | None) -> None:
        berth = Berth(self._fleet.new_unit(), self._clock.monotonic())
        berth.predecessor = predecessor
        if predecessor is not None:
            predecessor.successor = berth
        self.berths.append(berth)
        starting = self.spawn(berth.unit.start(), f"start browser {berth.unit.name}")
        starting.add_done_callback(functools.partial(self._start_ended, berth))

    def _start_ended(self, berth: Berth, task: "asyncio.Task[None]") -> None:
        self._fleet.bury(berth.unit)
        error = None if task.cancelled() else task.exception()
        if task.cancelled():
            self._forget(berth)
        elif error is None:
            self._started(berth)
        else:
            foreign = BrowserError(f"The browser did not start: {error!r}.")
            self._start_failed(berth, error if isinstance(error, BrowserError) else foreign)

    def _started(self, berth: Berth) -> None:
        now = self._clock.monotonic()
        self._failures = 0
        self.last_error = None
        seconds, berth.began_at, berth.used_at = now - berth.began_at, now, now
        berth.step("started")
        self._herald.started(berth, seconds)
        if berth.predecessor is not None:
            self._drain(berth.predecessor)
        self.settle()

    def _start_failed(self, berth: Berth, error: BrowserError) -> None:
        """The next try waits longer each time; a predecessor serves on meanwhile."""
        self._failures += 1
        pause = min(START_PAUSE_SECONDS_MAX, 2.0**self._failures / 2)
        self._start_at = self._clock.monotonic() + pause
        self.last_error = error
        berth.step("failed")
        if berth.predecessor is not None:
            berth.predecessor.successor = None
        self._forget(berth)
        self._herald.failed(error, "start a browser", self._failures)

    # Replacement.

    def replace(self, berth: Berth, verdict: Verdict) -> None:
        """Make before break: nothing is asked of anyone until the successor is ready. Never more than one too many."""
        is_busy = any(each.state in {UnitState.STARTING, UnitState.DRAINING} for each in self.berths)
        if berth.successor is not None or is_busy or self._clock.monotonic() < self._start_at:
            return
        self._tell_recycled(berth, "browser", verdict)
        self._begin(berth)

    def _drain(self, berth: Berth) -> None:
        if berth.state is UnitState.READY:
            berth.step("superseded")
            berth.drain_until = self._clock.monotonic() + self._options.drain_seconds
            for lease in berth.leases:
                lease.retiring.set()

    def _end_the_drained(self) -> None:
        for berth in [each for each in self.berths if each.state is UnitState.DRAINING and each.is_empty]:
            berth.step("drained")
            self.spawn(self._finish(berth, "replaced", gently=True), f"end browser {berth.unit.name}")

    def end_overdue(self, berth: Berth) -> None:
        """Who has not moved by now is on a browser that leaves all the same."""
        for lease in tuple(berth.leases):
            self.take_back(lease, "its browser was replaced and the time to move is over")

    def close_idle(self, berth: Berth, verdict: Verdict) -> None:
        self._tell_recycled(berth, "browser", verdict)
        self._wanted = max(0, self._wanted - 1)
        berth.step("closed")
        self.spawn(self._finish(berth, verdict.reason, gently=True), f"end browser {berth.unit.name}")

    def tell_lease_recycled(self, lease: Lease, verdict: Verdict) -> None:
        berth = self.berth_of(lease)
        if berth is not None:
            self._tell_recycled(berth, "context", verdict)

    def tell_unmeasured(self, berth: Berth) -> None:
        self._herald.unmeasured(berth)

    def _tell_recycled(self, berth: Berth, subject: str, verdict: Verdict) -> None:
        self.recycles[f"{subject}: {verdict.reason}"] += 1
        self._herald.recycled(berth, subject, verdict)

    # End.

    def lose(self, berth: Berth, reason: str, verdict: Verdict | None = None) -> None:
        """It cannot be used any more: every lease on it ends now, its processes are killed, another is started."""
        if not berth.is_usable:
            return
        berth.step("died")
        if verdict is not None:
            self._tell_recycled(berth, "browser", verdict)
        self._herald.lost(berth, reason)
        for lease in tuple(berth.leases):
            self._end_lease(berth, lease, reason)
        berth.let_go()
        self.spawn(self._kill(berth, reason), f"kill browser {berth.unit.name}")
        self.settle()

    async def _kill(self, berth: Berth, reason: str) -> None:
        # Who was still asking takes it back first: Playwright cannot once its driver is gone.
        await self._clock.sleep(TAKE_BACK_SECONDS)
        await self._finish(berth, reason, gently=False)
        berth.step("killed")

    async def _finish(self, berth: Berth, reason: str, gently: bool) -> None:
        """Once for each unit; what survives is tried once more, and is then told in the signal."""
        if berth.is_ended:
            return
        berth.is_ended = True
        ending = await berth.unit.end(gently)
        if ending.pids_after:
            ending = await berth.unit.end(gently=False)
        self._fleet.bury(berth.unit)
        self._forget(berth)
        self._herald.stopped(berth, reason, ending)
        self.settle()

    def _forget(self, berth: Berth) -> None:
        if berth in self.berths:
            self.berths.remove(berth)

    # Leases.

    def berth_of(self, lease: Lease) -> Berth | None:
        return next((berth for berth in self.berths if lease in berth.leases), None)

    def let(self, berth: Berth, lease: Lease) -> None:
        """The promised place is taken."""
        berth.promised -= 1
        berth.used_at = self._clock.monotonic()
        berth.leases.add(lease)

    def take_back(self, lease: Lease, reason: str) -> None:
        """The lease ends without its holder."""
        berth = self.berth_of(lease)
        if berth is not None:
            self._end_lease(berth, lease, reason)
            self._close(berth, lease.held)

    def _end_lease(self, berth: Berth, lease: Lease, reason: str) -> None:
        self._detach(berth, lease)
        lease.end(reason)
        self._herald.lease_lost(berth, lease, reason)

    def released(self, lease: Lease) -> "asyncio.Task[None] | None":
        """The holder gives it back; the task is the closing of its context."""
        berth = self.berth_of(lease)
        if berth is None:
            return None
        self._detach(berth, lease)
        lease.end("it was given back")
        return self._close(berth, lease.held)

    def _detach(self, berth: Berth, lease: Lease) -> None:
        berth.leases.discard(lease)
        self.requests += lease.traffic.requests
        self.blocked += lease.traffic.blocked.total()
        berth.tasks += max(1, lease.tasks)
        berth.used_at = self._clock.monotonic()

    def discard(self, berth: Berth, opening: "asyncio.Task[Held]") -> None:
        """A context that nobody waits for any more."""
        if opening.cancelled() or opening.exception() is not None:
            self.give_back(berth)
            return
        self._close(berth, opening.result())
        self.give_back(berth)

    def _close(self, berth: Berth, held: Held) -> "asyncio.Task[None]":
        berth.closing += 1
        closing = self.ask(berth, self._close_context(berth, held), f"close a context of {berth.unit.name}")
        # Runs also when the task is cancelled before it began.
        closing.add_done_callback(functools.partial(self._closed, berth))
        return closing

    async def _close_context(self, berth: Berth, held: Held) -> None:
        """Outside of everything: a context that does not close takes its browser down, and nobody else."""
        if not berth.is_usable:
            return
        try:
            await held.close(self._options.close_seconds)
        except BrowserLostError:
            self.wake.set()
        except BrowserError as error:
            self.lose(berth, error.message.rstrip("."))

    def _closed(self, berth: Berth, _: "asyncio.Task[None]") -> None:
        berth.closing -= 1
        berth.used_at = self._clock.monotonic()
        self.settle()

    # The whole.

    async def close(self) -> None:
        """Nothing new begins; everything there is ends at the same time."""
        self.is_open = False
        for future in self._waiting:
            if not future.done():
                future.set_exception(BrowserLostError("The browser pool is stopping."))
        for lease in self.leases:
            lease.end("the browser pool is stopping")
        for task in tuple(self._tasks):
            # Those that end a browser are let be; a start that is cancelled ends what it began.
            if not task.get_name().startswith(("end", "kill")):
                task.cancel()
        for berth in tuple(self.berths):
            if berth.is_usable:
                berth.leases.clear()
                berth.step("closed")
                self.spawn(self._finish(berth, "the pool stopped", gently=True), f"end browser {berth.unit.name}")
        await asyncio.gather(*self._tasks, return_exceptions=True)
