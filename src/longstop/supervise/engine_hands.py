"""The engine as those see it who look after resources."""

from collections.abc import Callable

from longstop.clock import Clock
from longstop.domain.cricket import PlayState
from longstop.supervise.assignment import Assignment
from longstop.supervise.engine import Engine
from longstop.supervise.hands import ScraperView, Stage
from longstop.watch import Watch

_IN_PLAY = frozenset({PlayState.PLAY, PlayState.UNKNOWN})


class EngineHands:
    """`engine` is asked for each time: these hands are made before it is, since it admits nobody without them."""

    def __init__(self, engine: Callable[[], Engine], clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    def scrapers(self) -> list[ScraperView]:
        return [self._view(assignment) for assignment in self._engine().assignments()]

    def restart(self, match_id: str, reason: str) -> bool:
        """Its pages are its own: they are followed by others as it is."""
        if not self._engine().restart(match_id, reason):
            return False
        self._engine().renew_page(match_id)
        return True

    def kill(self, match_id: str, reason: str) -> bool:
        self._engine().discard_page(match_id)
        return self._engine().kill(match_id, reason)

    async def drop(self, match_id: str, reason: str) -> bool:
        return await self._engine().drop(match_id, reason)

    def _view(self, assignment: Assignment) -> ScraperView:
        watch, scraper, now = assignment.watch, assignment.scraper, self._clock.now()
        age_seconds = self._clock.monotonic() - scraper.started_at
        return ScraperView(
            match_id=assignment.key,
            scraper_id=watch.scraper_id,
            age_seconds=age_seconds,
            weight_bytes=watch.weight_bytes,
            stage=stage_of(watch),
            idle_seconds=age_seconds if watch.changed_at is None else watch.unchanged_seconds(now),
            starts_in_seconds=watch.starts_in_seconds(now),
            rhythm=scraper.rhythm,
            is_resting=assignment.rests_until is not None,
        )


def stage_of(watch: Watch) -> Stage:
    """As long as nothing else is known, a match counts as in play."""
    if watch.is_over:
        return Stage.OVER
    if watch.is_upcoming:
        return Stage.UPCOMING
    return Stage.PLAY if watch.accepted is None or watch.accepted.play in _IN_PLAY else Stage.BREAK
