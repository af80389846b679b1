"""Watches one match: poll, look how it went, wait as long as the pace says, again."""

import zlib

from longstop.clock import Clock
from longstop.domain.match import MatchStatus
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.pipeline import Outcome, OutcomeKind, Pipeline
from longstop.resilience.pace import Pace, PaceLimits, Standing, choose, first_delay
from longstop.supervise.service import Stop
from longstop.watch import Watch

# A page that is away for a moment is no end of a match: it must stay away this long.
GONE_SECONDS = 600.0
# Until then the beat is kept for a while, and slowed after that.
MISSED_SECONDS = 30.0


class Scraper:
    def __init__(self, watch: Watch, pipeline: Pipeline, limits: PaceLimits, clock: Clock, bus: Signals) -> None:
        self.name = f"scraper {watch.ref.match_id}"
        self.watch = watch
        self._pipeline = pipeline
        self._limits = limits
        self._clock = clock
        self._bus = bus
        self._gone_since: float | None = None

    async def run(self, stop: Stop) -> None:
        self._tell_started()
        spread = first_delay(zlib.crc32(self.watch.ref.match_id.encode()), self._limits.baseline_seconds)
        due = self._clock.monotonic() + (0.0 if self.watch.captured_at else spread)
        reason = "stopped"
        while not await stop.pause(due - self._clock.monotonic()):
            outcome = await self._pipeline.poll(self.watch)
            if self._has_gone_for_good(outcome):
                await self._pipeline.conclude(self.watch)
                reason = "gone"
                break
            due = self._next_due(due, self._pace_after(outcome))
        self._tell_stopped(reason)

    def _pace_after(self, outcome: Outcome) -> Pace:
        return choose(
            Standing(
                is_finished=self.watch.is_finished and outcome.is_success,
                is_upcoming=self.watch.status is MatchStatus.UPCOMING,
                is_gone=self._gone_seconds() > (0.0 if self.watch.is_over else MISSED_SECONDS),
                throttled_seconds=outcome.retry_after_seconds,
            ),
            self._limits,
        )

    def _next_due(self, due: float, pace: Pace) -> float:
        """Keeps the beat; a poll that took longer than its interval is followed at once, not by a burst.

        A pause that is longer than the beat counts from now: the source meant it from its answer on.
        """
        now = self._clock.monotonic()
        return now + pace.seconds if pace.seconds > self._limits.baseline_seconds else max(due + pace.seconds, now)

    def _has_gone_for_good(self, outcome: Outcome) -> bool:
        if outcome.kind is not OutcomeKind.GONE:
            self._gone_since = None
        elif self._gone_since is None:
            self._gone_since = self._clock.monotonic()
        return self._gone_seconds() >= GONE_SECONDS

    def _gone_seconds(self) -> float:
        return 0.0 if self._gone_since is None else self._clock.monotonic() - self._gone_since

    def _tell_started(self) -> None:
        self._bus.emit(
            signals.ScraperStarted(
                at=self._clock.now(),
                match_id=self.watch.ref.match_id,
                scraper_id=self.watch.scraper_id,
                source=self.watch.ref.source,
                url=self.watch.ref.url,
                interval_seconds=self._limits.baseline_seconds,
            )
        )

    def _tell_stopped(self, reason: str) -> None:
        self._bus.emit(
            signals.ScraperStopped(
                at=self._clock.now(),
                match_id=self.watch.ref.match_id,
                scraper_id=self.watch.scraper_id,
                reason=reason,
            )
        )
