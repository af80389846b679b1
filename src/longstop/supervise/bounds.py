"""Holds scrapers, and the process as a whole, to their memory.

    80 % of soft   told
    soft           the scraper is replaced: its cycle is finished, its successor serves first
    hard           the scraper is killed and begun anew at once

A scraper whose successor is as large again was not to blame: its memory is left somewhere else in the process. Then,
and when the process passes a bound that no scraper passed, it is the process that is dealt with: what is free goes
back to the system and the largest scraper is replaced; beyond the hard bound the whole ends and is started again.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import LongstopError, OutOfMemoryError
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.resilience.memory import MB, MemoryLimits, Pressure, largest, limit_of, pressure_of
from longstop.supervise.hands import Hands, ScraperView
from longstop.supervise.machine import Machine

# Time for a replacement to serve and for its predecessor to go (S0, story 2.1).
REPLACED_WITHIN_SECONDS = 60.0
# A successor that grows as large within this time has the memory of somebody else.
BLAME_SECONDS = 600.0
# One reading may be a moment's peak; the end of the process needs more than that.
HARD_READINGS = 3


class _Order(msgspec.Struct, frozen=True):
    scraper_id: str
    action: str
    at: float


class _Record(msgspec.Struct, frozen=True):
    """What was seen of one scraper: its last pressure_of, and whether it was ever within bounds."""

    scraper_id: str
    last: Pressure = Pressure.FINE
    was_within: bool = False


class MemoryBounds:
    """`surrender` ends the process with a reason, so that whoever started it starts it again."""

    def __init__(
        self,
        hands: Hands,
        machine: Machine,
        limits: Callable[[], MemoryLimits],
        surrender: Callable[[LongstopError], None],
        clock: Clock,
        bus: Signals,
    ) -> None:
        self._hands = hands
        self._machine = machine
        self._limits = limits
        self._surrender = surrender
        self._clock = clock
        self._bus = bus
        self._records: dict[str, _Record] = {}
        self._orders: dict[str, _Order] = {}
        self._process = Pressure.FINE
        self._relieved_at = float("-inf")
        self._hard_readings = 0

    def hold(self, views: Sequence[ScraperView], told: Mapping[str, int], process_bytes: int) -> None:
        """`told` has nobody whose memory is not known; nothing follows for those but the alarm of who measured."""
        self._forget(views)
        for view in views:
            if view.match_id in told:
                self._hold_one(view, told[view.match_id])
        self._hold_all(told, process_bytes)

    # One scraper.

    def _hold_one(self, view: ScraperView, memory_bytes: int) -> None:
        limits = self._limits()
        reached = pressure_of(memory_bytes, limits)
        self._note(view, reached, memory_bytes)
        if reached < Pressure.SOFT or self._is_somebody_elses(view):
            return
        detail = f"{memory_bytes // MB} of {limit_of(reached, limits) // MB} MB"
        self._order(view, "kill" if reached is Pressure.HARD else "replace", detail)

    def _order(self, view: ScraperView, action: str, detail: str) -> None:
        now = self._clock.monotonic()
        before = self._orders.get(view.match_id)
        is_done = before is not None and before.scraper_id == view.scraper_id and before.action in {action, "kill"}
        if before is not None and is_done and now - before.at < REPLACED_WITHIN_SECONDS:
            return
        act = self._hands.kill if action == "kill" else self._hands.restart
        is_accepted = act(view.match_id, "memory")
        self._orders[view.match_id] = _Order(view.scraper_id, action, now)
        self._bus.emit(
            signals.ReplacementOrdered(
                at=self._clock.now(),
                match_id=view.match_id,
                scraper_id=view.scraper_id,
                action=action,
                reason="memory",
                detail=detail,
                is_accepted=is_accepted,
            )
        )

    def _is_somebody_elses(self, view: ScraperView) -> bool:
        """It follows one that was replaced for its memory, and has been too large from the first look on."""
        before = self._orders.get(view.match_id)
        if before is None or before.scraper_id == view.scraper_id or self._records[view.match_id].was_within:
            return False
        return self._clock.monotonic() - before.at < BLAME_SECONDS

    def _note(self, view: ScraperView, reached: Pressure, memory_bytes: int) -> None:
        """A rise is told once, until it has been lower again."""
        known = self._records.get(view.match_id)
        before = known if known is not None and known.scraper_id == view.scraper_id else _Record(view.scraper_id)
        was_within = before.was_within or reached < Pressure.SOFT
        self._records[view.match_id] = _Record(view.scraper_id, reached, was_within)
        if reached > max(before.last, Pressure.FINE):
            self._tell(reached, memory_bytes, view)

    def _tell(self, reached: Pressure, memory_bytes: int, view: ScraperView | None = None) -> None:
        self._bus.emit(
            signals.MemoryRose(
                at=self._clock.now(),
                level=reached.name.lower(),
                memory_bytes=memory_bytes,
                limit_bytes=limit_of(reached, self._limits()),
                match_id=view.match_id if view else "",
                scraper_id=view.scraper_id if view else "",
            )
        )

    def _forget(self, views: Sequence[ScraperView]) -> None:
        """Who is watched no more; an order is kept as long as it may tell who is not to blame."""
        here = {view.match_id for view in views}
        horizon = self._clock.monotonic() - BLAME_SECONDS
        self._records = {match_id: record for match_id, record in self._records.items() if match_id in here}
        self._orders = {match_id: order for match_id, order in self._orders.items() if order.at > horizon}

    # The process.

    def _hold_all(self, told: Mapping[str, int], process_bytes: int) -> None:
        reached = pressure_of(process_bytes, self._limits())
        if reached > max(self._process, Pressure.FINE):
            self._tell(reached, process_bytes)
        self._process = reached
        self._hard_readings = self._hard_readings + 1 if reached is Pressure.HARD else 0
        if reached >= Pressure.SOFT:
            self._relieve(told)
        if self._hard_readings >= HARD_READINGS:
            self._hard_readings = 0
            self._surrender(_too_large(process_bytes, self._limits()))

    def _relieve(self, told: Mapping[str, int]) -> None:
        """What is free is given back; then the largest begins anew, one at a time."""
        now = self._clock.monotonic()
        if now - self._relieved_at < REPLACED_WITHIN_SECONDS:
            return
        self._relieved_at = now
        self._machine.release()
        views = {view.match_id: view for view in self._hands.scrapers()}
        for match_id, memory_bytes in largest(told, len(told)):
            if match_id in views and match_id not in self._orders:
                self._order(views[match_id], "replace", f"the largest with {memory_bytes // MB} MB")
                return


def _too_large(process_bytes: int, limits: MemoryLimits) -> LongstopError:
    said = f"The process takes {process_bytes // MB} MB, more than {limits.hard_bytes // MB} MB"
    return OutOfMemoryError(f"{said}, and nothing that was replaced made it smaller.")
