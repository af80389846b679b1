"""Replaces scrapers that have lived long enough, in a quiet moment of their match and never many at once."""

from collections.abc import Callable

from longstop.clock import Clock
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.resilience.lifetime import Life, LifetimeLimits, due_seconds, replaced_at_once_max, why_replace
from longstop.supervise.hands import Hands, ScraperView, Stage
from longstop.supervise.service import Stop

ROUND_SECONDS_MAX = 10.0
# As long as a replacement may take; one that did not happen is ordered again.
REPLACED_WITHIN_SECONDS = 60.0


class Lifetime:
    name = "lifetime"

    def __init__(self, hands: Hands, limits: Callable[[], LifetimeLimits], clock: Clock, bus: Signals) -> None:
        self._hands = hands
        self._limits = limits
        self._clock = clock
        self._bus = bus
        self._ordered: dict[str, float] = {}

    async def run(self, stop: Stop) -> None:
        while not await stop.pause(self._round_seconds()):
            self.round()

    def round(self) -> None:
        limits, views = self._limits(), self._hands.scrapers()
        self._forget_old_orders()
        due = [(view, why) for view in views if (why := self._why(view, limits)) is not None]
        # Who is furthest beyond his time goes first.
        due.sort(key=lambda item: due_seconds(item[0].scraper_id, limits) - item[0].age_seconds)
        for view, why in due[: replaced_at_once_max(len(views), self._round_seconds(), limits)]:
            self._order(view, why)

    def _round_seconds(self) -> float:
        return min(ROUND_SECONDS_MAX, self._limits().window_seconds / 4)

    def _why(self, view: ScraperView, limits: LifetimeLimits) -> str | None:
        if view.is_resting or view.scraper_id in self._ordered:
            return None
        return why_replace(Life(view.scraper_id, view.age_seconds, view.rhythm, view.stage is not Stage.PLAY), limits)

    def _order(self, view: ScraperView, why: str) -> None:
        is_accepted = self._hands.restart(view.match_id, "lifetime")
        self._ordered[view.scraper_id] = self._clock.monotonic()
        self._bus.emit(
            signals.ReplacementOrdered(
                at=self._clock.now(),
                match_id=view.match_id,
                scraper_id=view.scraper_id,
                action="replace",
                reason="lifetime",
                detail=f"{why}: {view.age_seconds:.0f} of {self._limits().limit_seconds:.0f} s",
                is_accepted=is_accepted,
            )
        )

    def _forget_old_orders(self) -> None:
        horizon = self._clock.monotonic() - REPLACED_WITHIN_SECONDS
        self._ordered = {scraper_id: at for scraper_id, at in self._ordered.items() if at > horizon}
