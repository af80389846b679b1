"""Recoveries that others make by rules of their own: a scraper replaced for its age or its memory, a browser recycled.

They are told on the bus when they begin, and stand in the same book as those of the watchdogs, judged in the same way.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from longstop.clock import Clock
from longstop.domain.recovery import RecoveryAction
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.supervise.watchdogs.patient import Figures
from longstop.supervise.watchdogs.recoveries import Look, Recoveries

OPEN_MAX: Final = 5_000
_MADE_BEFORE_BREAK: Final = "replace"
_RECYCLES: Final = frozenset({"replace", "kill"})


class Chronicle:
    """`look_at_match` and `look_at_all` say how they fare; while `is_recycling`, browsers are recycled by the watchdog
    of the grade, which keeps its own entry."""

    def __init__(
        self,
        recoveries: Recoveries,
        look_at_match: Callable[[str, datetime], Look],
        look_at_all: Callable[[datetime], Look],
        is_recycling: Callable[[], bool],
        clock: Clock,
        bus: Signals,
    ) -> None:
        self._recoveries = recoveries
        self._look_at_match = look_at_match
        self._look_at_all = look_at_all
        self._is_recycling = is_recycling
        self._clock = clock
        self._under_way: dict[str, tuple[str, float]] = {}
        bus.subscribe(signals.ReplacementOrdered, self._on_ordered)
        bus.subscribe(signals.ScraperReplaced, self._on_replaced)
        bus.subscribe(signals.BrowserRecycled, self._on_recycled)

    def _on_ordered(self, told: signals.ReplacementOrdered) -> None:
        if not told.is_accepted:
            return
        match_id = told.match_id
        entry_id = self._recoveries.begin(
            RecoveryAction.SOFT_RESTART,
            f"{told.reason}: {told.detail}",
            match_id,
            {"scraper_id": told.scraper_id, "way": told.action},
            lambda began: self._look_at_match(match_id, began),
        )
        if told.action == _MADE_BEFORE_BREAK and len(self._under_way) < OPEN_MAX:
            self._under_way[match_id] = (entry_id, self._clock.monotonic())

    def _on_replaced(self, told: signals.ScraperReplaced) -> None:
        """The action took until the successor served."""
        entry_id, began = self._under_way.pop(told.match_id, ("", 0.0))
        if entry_id:
            figures: Figures = {"scraper_id_after": told.after, "gap_seconds": round(told.gap_seconds, 3)}
            self._recoveries.acted(entry_id, self._clock.monotonic() - began, figures)

    def _on_recycled(self, told: signals.BrowserRecycled) -> None:
        """Pages come and go with their matches; a browser is what the documents speak of."""
        if told.subject != "browser" or told.action not in _RECYCLES or self._is_recycling():
            return
        self._recoveries.begin(
            RecoveryAction.BROWSER_RECYCLE,
            f"{told.reason}: {told.detail}" if told.detail else told.reason,
            f"browser {told.unit}",
            {"way": told.action},
            self._look_at_all,
        )
