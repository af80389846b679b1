"""The engine as the watchdogs see it: each assignment a view, with what was known before its scraper changed.

A scraper that is replaced, killed or begins afresh knows less than the one before it. The watchdogs must not take that
for news, so what matters of a match is remembered here, for as long as anybody watches it.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

import msgspec

from longstop.clock import Clock
from longstop.domain.cricket import PlayState
from longstop.resilience.clock_steps import ClockSteps
from longstop.resilience.halting import Progress
from longstop.resilience.staleness import MatchView
from longstop.supervise.assignment import Assignment
from longstop.supervise.engine import Engine
from longstop.supervise.watchdogs.patient import Figures

Recycle = Callable[[str], Awaitable[Figures]]


async def recycle_nothing(_: str) -> Figures:
    """Where there are neither browsers nor connections."""
    return {}


class EnginePatient:
    """Several watchdogs look in the same moment: they share one look."""

    def __init__(self, engine: Engine, clock: Clock, recycle: Recycle = recycle_nothing) -> None:
        self._engine = engine
        self._clock = clock
        self._recycle = recycle
        self._steps = ClockSteps()
        self._views: dict[str, MatchView] = {}
        self._looked_at = -1.0

    def matches(self) -> Sequence[MatchView]:
        now = self._clock.monotonic()
        if now != self._looked_at:
            known, today = self._views, self._clock.now()
            self._steps.look(today, now)
            self._views = {each.key: self._view(each, known.get(each.key), now, today) for each in self._assignments()}
            self._looked_at = now
        return tuple(self._views.values())

    def progress(self) -> Progress:
        seen = self._engine.progress()
        return Progress(seen.finished, sum(seen.waiting.values()), seen.oldest_wait_seconds, seen.running)

    def restart(self, match_id: str, reason: str) -> bool:
        return self._engine.restart(match_id, reason)

    def kill(self, match_id: str, reason: str) -> bool:
        return self._engine.kill(match_id, reason)

    def restart_service(self, name: str) -> bool:
        return self._engine.restart_service(name)

    def gather(self) -> int:
        return self._engine.gather()

    async def recycle(self, reason: str) -> Figures:
        return await self._recycle(reason)

    def _assignments(self) -> tuple[Assignment, ...]:
        return self._engine.assignments()

    def _view(self, assignment: Assignment, before: MatchView | None, elapsed: float, now: datetime) -> MatchView:
        watch, scraper = assignment.watch, assignment.scraper
        known = before or MatchView(assignment.key, watch.status, watched_since=now, url=watch.ref.url)
        play = watch.accepted.play if watch.accepted is not None else known.play
        has_returned = play is PlayState.PLAY and known.play is not PlayState.PLAY
        moment = self._steps.moment
        return msgspec.structs.replace(
            known,
            status=watch.status,
            play=play,
            watched_since=moment(known.watched_since),
            captured_at=moment(watch.captured_at or known.captured_at),
            changed_at=moment(watch.changed_at or known.changed_at),
            in_play_since=now if has_returned else moment(known.in_play_since),
            paused_until=_moment(assignment.rests_until, elapsed, now) or _over(known.paused_until, now),
            throttled_until=_moment(scraper.throttled_until or None, elapsed, now) or _over(known.throttled_until, now),
            is_denied=scraper.is_denied,
        )


def _moment(until: float | None, elapsed: float, now: datetime) -> datetime | None:
    """A moment of the monotonic clock as one of the day."""
    return None if until is None else now + timedelta(seconds=until - elapsed)


def _over(until: datetime | None, now: datetime) -> datetime | None:
    """When a rest ended that nobody keeps any more: before its time, if it was cut short or the clock was set."""
    return None if until is None else min(until, now)
