"""Tells every few seconds whose memory it is, and hands it to whoever holds the bounds.

It looks at its own inputs first: an earlier system of this kind grew to thousands of processes while its health page
said 0.0 MB. A reading that is missing, or that never moves, is told as such and judged by nobody.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from longstop.clock import Clock
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.resilience.memory import Holding, largest, shares
from longstop.supervise.hands import Hands, ScraperView, Stage
from longstop.supervise.machine import Machine
from longstop.supervise.service import Stop

INTERVAL_SECONDS = 5.0
# A process at work that takes the same number of bytes for so long is not being measured.
FROZEN_SECONDS = 1800.0
TOLD_EVERY_SECONDS = 60.0
LARGEST_TOLD = 20


class BrowserMemory(Protocol):
    """Of the matches that have a page: how much their pages take with a part of the browser's own. 0 is not known."""

    def browser_bytes(self) -> Mapping[str, int]: ...


class Bounds(Protocol):
    def hold(self, views: Sequence[ScraperView], told: Mapping[str, int], process_bytes: int) -> None: ...


class MemoryMeter:
    """`baseline_bytes` is what the process took before the first scraper; not known, it counts as nothing."""

    name = "memory"

    def __init__(
        self,
        hands: Hands,
        machine: Machine,
        browsers: BrowserMemory,
        bounds: Bounds,
        clock: Clock,
        bus: Signals,
    ) -> None:
        self._hands = hands
        self._machine = machine
        self._browsers = browsers
        self._bounds = bounds
        self._clock = clock
        self._bus = bus
        self._baseline_bytes = machine.process_bytes() or 0
        self._moved_at: float | None = None
        self._last_bytes: int | None = None
        self._told_at: dict[str, float] = {}
        self.told: Mapping[str, int] = {}

    async def run(self, stop: Stop) -> None:
        while not await stop.pause(INTERVAL_SECONDS):
            self.round()

    def round(self) -> None:
        views = self._hands.scrapers()
        process_bytes = self._machine.process_bytes()
        browser_bytes = self._browsers.browser_bytes()
        self._check(process_bytes, views)
        self.told = shares(_holdings(views, browser_bytes), process_bytes, self._baseline_bytes)
        self._bus.emit(
            signals.ScrapersMeasured(
                at=self._clock.now(),
                process_bytes=process_bytes or 0,
                browser_bytes=sum(browser_bytes.values()),
                memory_bytes=dict(self.told),
            )
        )
        if process_bytes:
            self._bounds.hold(views, self.told, process_bytes)

    def break_down(self, available_bytes: int) -> None:
        """For when memory is short: who has how much of it, as of the last round."""
        top = largest(self.told, LARGEST_TOLD)
        self._bus.emit(
            signals.MemoryBrokenDown(
                at=self._clock.now(),
                available_bytes=available_bytes,
                process_bytes=self._machine.process_bytes() or 0,
                browser_bytes=sum(self._browsers.browser_bytes().values()),
                largest=dict(top),
                others=len(self.told) - len(top),
                others_bytes=sum(self.told.values()) - sum(size for _, size in top),
                unmeasured=sum(view.match_id not in self.told for view in self._hands.scrapers()),
            )
        )

    # Its own inputs.

    def _check(self, process_bytes: int | None, views: Sequence[ScraperView]) -> None:
        if not process_bytes:
            self._tell("process memory", "The kernel gives no figure for this process.")
        elif self._is_frozen(process_bytes, views):
            self._tell("process memory", f"It has been {process_bytes} bytes for {FROZEN_SECONDS:g} s of play.")
        weightless = sum(view.weight_bytes <= 0 for view in views)
        if weightless:
            self._tell("scraper weight", f"{weightless} of {len(views)} scrapers weigh nothing.")

    def _is_frozen(self, process_bytes: int, views: Sequence[ScraperView]) -> bool:
        now = self._clock.monotonic()
        is_at_work = any(view.stage is Stage.PLAY for view in views)
        if self._moved_at is None or not is_at_work or process_bytes != self._last_bytes:
            self._moved_at, self._last_bytes = now, process_bytes
        return now - self._moved_at >= FROZEN_SECONDS

    def _tell(self, reading: str, reason: str) -> None:
        """At first, and once a minute while it lasts."""
        now = self._clock.monotonic()
        if now - self._told_at.get(reading, float("-inf")) >= TOLD_EVERY_SECONDS:
            self._told_at[reading] = now
            self._bus.emit(signals.ReadingFailed(at=self._clock.now(), reading=reading, reason=reason))


def _holdings(views: Sequence[ScraperView], browser_bytes: Mapping[str, int]) -> list[Holding]:
    return [Holding(view.match_id, view.weight_bytes, browser_bytes.get(view.match_id)) for view in views]
