"""The board: what is true of every match right now, in memory.

It learns from signals alone and is read by the API, the page and the metrics; reading it touches no database.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Final

import msgspec

from longstop.clock import age_seconds
from longstop.domain.cricket import PlayState
from longstop.domain.lifecycle import HealthGrade
from longstop.domain.observation import Observation
from longstop.observe import signals as facts
from longstop.observe.health_rules import Vitals, overall_health, scraper_health
from longstop.observe.redact import REDACTOR
from longstop.observe.signals import troubles
from longstop.observe.windows import PollTally, RecentCount, RecentLatencies

_MATCHES_MAX: Final = 5_000
_MESSAGE_CHARS_MAX: Final = 300
_OVER: Final = frozenset({"completed", "archived"})
_STATE: Final = "state"
_BELIEVED: Final = frozenset({"accepted", "unchanged"})
_IN_PLAY: Final = frozenset({PlayState.PLAY, PlayState.DRINKS, PlayState.UNKNOWN})


class Hold(msgspec.Struct, frozen=True):
    """A newer payload came that is not believed; what is shown is what was believed before it."""

    since: datetime
    reasons: tuple[str, ...]


class Watched:
    """One match on the board. Written by the board only; everybody else reads."""

    __slots__ = (
        "captured_at",
        "changed_at",
        "error_count",
        "errors",
        "gaps",
        "hold",
        "interval_seconds",
        "is_active",
        "is_in_break",
        "is_over",
        "is_stale",
        "last_error_at",
        "last_error_kind",
        "last_error_message",
        "match_id",
        "memory_bytes",
        "observation",
        "outcome",
        "pace_reason",
        "paused_until",
        "revision",
        "rung",
        "scraper_id",
        "sequence",
        "source",
        "started_at",
        "title",
        "total_errors",
        "total_updates",
        "url",
    )

    def __init__(self, match_id: str, source: str, at: datetime) -> None:
        self.match_id = match_id
        self.source = source
        self.scraper_id = ""
        self.url = ""
        self.title = ""
        self.rung = ""
        self.outcome = ""
        self.started_at = at
        self.captured_at: datetime | None = None
        self.changed_at: datetime | None = None
        self.observation: Observation | None = None
        self.sequence = 0
        self.revision = 0
        self.interval_seconds = 0.0
        self.pace_reason = ""
        self.paused_until: datetime | None = None
        self.is_active = False
        self.is_in_break = False
        self.is_over = False
        self.is_stale = False
        self.error_count = 0
        self.total_errors = 0
        self.total_updates = 0
        self.errors = RecentCount(12, 5.0)
        self.last_error_at: datetime | None = None
        self.last_error_kind = ""
        self.last_error_message = ""
        self.gaps: set[str] = set()
        self.hold: Hold | None = None
        self.memory_bytes: int | None = None

    def staleness_seconds(self, now: datetime) -> float:
        """Since the last capture; before the first one since the start: what never came is not fresh."""
        return age_seconds(now, self.captured_at or self.started_at)

    def health(self, now: datetime) -> str:
        """A source that answers and says the same for ever is not healthy either."""
        health = scraper_health(self.error_count, self.staleness_seconds(now))
        return "degraded" if self.is_stale and health == "healthy" else health

    @property
    def is_in_play(self) -> bool:
        """By what the source says and, where it says too little, by how often it is worth to look."""
        return not self.is_in_break and (self.observation is None or self.observation.play in _IN_PLAY)


class Board:
    """Every match this process has met, and the instance itself."""

    def __init__(self, started_at: datetime, is_idle_by_choice: Callable[[], bool] = lambda: False) -> None:
        """By choice: when no source is switched on."""
        self.started_at = started_at
        self._is_idle_by_choice = is_idle_by_choice
        self._watched: dict[str, Watched] = {}
        self._errors_minute = RecentCount(60, 1.0)
        self._errors_hour = RecentCount(60, 60.0)
        self._updates_minute = RecentCount(60, 1.0)
        self.polls = PollTally()
        self._latencies = RecentLatencies()
        self._listed_at: datetime | None = None
        self.grade = HealthGrade.HEALTHY.value
        self.rss_bytes = 0
        self.peak_bytes = 0
        self.browser_bytes = 0
        self.cpu_percent = 0.0

    def subscribe(self, signals: facts.Signals) -> None:
        signals.subscribe(facts.SourceListed, self._on_listed)
        signals.subscribe(facts.MatchDiscovered, self._on_discovered)
        signals.subscribe(facts.MatchStateChanged, self._on_state_changed)
        signals.subscribe(facts.ScraperStarted, self._on_started)
        signals.subscribe(facts.ScraperStopped, self._on_stopped)
        signals.subscribe(facts.PollFinished, self._on_polled)
        signals.subscribe(facts.PaceChanged, self._on_pace)
        signals.subscribe(facts.MatchPaused, self._on_paused)
        signals.subscribe(facts.ScoreStored, self._on_score)
        signals.subscribe(facts.ObservationRejected, self._on_rejected)
        signals.subscribe(facts.PushJudged, self._on_push)
        signals.subscribe(facts.EventsStored, self._on_events)
        signals.subscribe(facts.ErrorRaised, self._on_error)
        signals.subscribe(facts.GapOpened, self._on_gap_opened)
        signals.subscribe(facts.GapClosed, self._on_gap_closed)
        signals.subscribe(facts.ResourcesMeasured, self._on_resources)
        signals.subscribe(troubles.HealthGraded, self._on_graded)
        signals.subscribe(troubles.StalenessFound, lambda found: self._set_stale(found.match_id, True))
        signals.subscribe(troubles.StalenessEnded, lambda ended: self._set_stale(ended.match_id, False))
        signals.subscribe(facts.ScrapersMeasured, self._on_measured)
        signals.subscribe(troubles.ClockSet, self._on_clock_set)

    # What is read

    def match(self, match_id: str) -> Watched | None:
        return self._watched.get(match_id)

    def matches(self) -> list[Watched]:
        """A copy, so that another thread may walk through it."""
        return list(self._watched.values())

    def active(self) -> list[Watched]:
        return [watched for watched in self.matches() if watched.is_active]

    def ages_in_play(self, now: datetime) -> Iterator[float]:
        """What the promise of 10 seconds is measured on: matches that are watched and in play."""
        return (watched.staleness_seconds(now) for watched in self.active() if watched.is_in_play)

    def errors_last_minute(self, now: datetime) -> int:
        return self._errors_minute.total(now)

    def errors_last_hour(self, now: datetime) -> int:
        return self._errors_hour.total(now)

    def updates_per_minute(self, now: datetime) -> int:
        return self._updates_minute.total(now)

    def latency_ms(self) -> tuple[float, float]:
        """Average and 95th percentile from extraction to stored."""
        return self._latencies.average_and_p95_ms()

    def uptime_seconds(self, now: datetime) -> float:
        return age_seconds(now, self.started_at)

    def vitals(self, now: datetime) -> Vitals:
        active = self.active()
        missed = [known for known in self.matches() if known.scraper_id and not known.is_active and not known.is_over]
        return Vitals(
            active=len(active),
            unwell=sum(watched.health(now) != "healthy" for watched in active),
            unwatched=len(missed),
            errors_last_minute=self.errors_last_minute(now),
            uptime_seconds=self.uptime_seconds(now),
            list_age_seconds=None if self._listed_at is None else age_seconds(now, self._listed_at),
            is_idle_by_choice=self._is_idle_by_choice(),
        )

    def status(self, now: datetime) -> str:
        return overall_health(self.vitals(now))

    # What is learned

    def _on_listed(self, signal: facts.SourceListed) -> None:
        self._listed_at = signal.at

    def _on_clock_set(self, signal: troubles.ClockSet) -> None:
        """What now lies ahead was written before the clock went back. It goes back too, or it would stay fresh."""
        by = timedelta(seconds=min(0.0, signal.by_seconds))
        for watched in self._watched.values():
            if watched.captured_at is not None and watched.captured_at > signal.at:
                watched.captured_at += by
            if watched.started_at > signal.at:
                watched.started_at += by

    def _on_discovered(self, signal: facts.MatchDiscovered) -> None:
        watched = self._meet(signal.match_id, signal.source, signal.at)
        watched.title = signal.title
        if signal.listing is not None:
            watched.url = signal.listing.ref.url
        watched.revision += 1

    def _on_state_changed(self, signal: facts.MatchStateChanged) -> None:
        watched = self._watched.get(signal.match_id)
        if watched is not None:
            watched.is_over = signal.after in _OVER
            watched.revision += 1
        if signal.after == "archived":
            self._watched.pop(signal.match_id, None)

    def _on_started(self, signal: facts.ScraperStarted) -> None:
        watched = self._meet(signal.match_id, signal.source, signal.at)
        watched.scraper_id = signal.scraper_id
        watched.url = signal.url or watched.url
        # A successor goes on at the pace of its predecessor; whoever begins afresh does not.
        watched.is_in_break = watched.is_in_break and signal.interval_seconds == watched.interval_seconds
        watched.interval_seconds = signal.interval_seconds
        watched.started_at = signal.at
        watched.is_active = True
        watched.is_over = False
        watched.revision += 1

    def _on_stopped(self, signal: facts.ScraperStopped) -> None:
        watched = self._watched.get(signal.match_id)
        # Make before break: the stop of a predecessor is no news about its successor.
        if watched is not None and watched.scraper_id == signal.scraper_id:
            watched.is_active = False
            watched.memory_bytes = None
            watched.revision += 1

    def _on_polled(self, signal: facts.PollFinished) -> None:
        watched = self._meet(signal.match_id, signal.source, signal.at)
        watched.outcome = signal.outcome
        watched.paused_until = None
        watched.rung = signal.rung or watched.rung
        if signal.interval_seconds is not None:
            watched.interval_seconds = signal.interval_seconds
        fresh_at = signal.fresh_at
        self.polls.add(signal.at, is_success=fresh_at is not None)
        if fresh_at is None:
            watched.error_count += 1
            return
        watched.error_count = 0
        watched.hold = None
        watched.total_updates += 1
        self._updates_minute.add(signal.at)
        if watched.captured_at is None or fresh_at > watched.captured_at:
            watched.captured_at = fresh_at
        if signal.is_changed:
            watched.changed_at = signal.at

    def _on_pace(self, signal: facts.PaceChanged) -> None:
        watched = self._watched.get(signal.match_id)
        if watched is not None:
            watched.interval_seconds = signal.seconds
            watched.pace_reason = signal.reason
            watched.is_in_break = signal.is_break

    def _on_paused(self, signal: facts.MatchPaused) -> None:
        watched = self._watched.get(signal.match_id)
        if watched is not None:
            watched.paused_until = signal.at + timedelta(seconds=signal.seconds)
            watched.revision += 1

    def _on_score(self, signal: facts.ScoreStored) -> None:
        watched = self._meet(signal.match_id, signal.observation.ref.source, signal.at)
        watched.observation = signal.observation
        watched.sequence = signal.sequence
        watched.revision += 1

    def _on_rejected(self, signal: facts.ObservationRejected) -> None:
        watched = self._meet(signal.match_id, signal.source, signal.at)
        watched.hold = Hold(watched.hold.since if watched.hold else signal.at, signal.reasons)
        watched.revision += 1

    def _on_push(self, signal: facts.PushJudged) -> None:
        """Nobody polls what is pushed: what was not believed is over when something is."""
        watched = self._watched.get(signal.match_id)
        is_believed = signal.purpose == _STATE and signal.verdict in _BELIEVED
        if watched is not None and is_believed and watched.hold is not None:
            watched.hold = None
            watched.revision += 1

    def _on_events(self, signal: facts.EventsStored) -> None:
        self._latencies.add(signal.stored_seconds)

    def _on_error(self, signal: facts.ErrorRaised) -> None:
        self._errors_minute.add(signal.at)
        self._errors_hour.add(signal.at)
        watched = self._watched.get(signal.match_id or "")
        if watched is None:
            return
        watched.total_errors += 1
        watched.errors.add(signal.at)
        watched.last_error_at = signal.at
        watched.last_error_kind = signal.error_type
        watched.last_error_message = REDACTOR.text(signal.error_message)[:_MESSAGE_CHARS_MAX]
        watched.revision += 1

    def _on_gap_opened(self, signal: facts.GapOpened) -> None:
        watched = self._watched.get(signal.match_id)
        if watched is not None:
            watched.gaps.add(signal.gap_id)
            watched.revision += 1

    def _on_gap_closed(self, signal: facts.GapClosed) -> None:
        watched = self._watched.get(signal.match_id)
        if watched is not None:
            watched.gaps.discard(signal.gap_id)
            watched.revision += 1

    def _on_resources(self, signal: facts.ResourcesMeasured) -> None:
        self.rss_bytes = signal.rss_bytes
        self.peak_bytes = max(self.peak_bytes, self.rss_bytes + self.browser_bytes)
        self.cpu_percent = signal.cpu_percent

    def _on_graded(self, signal: troubles.HealthGraded) -> None:
        self.grade = signal.after

    def _set_stale(self, match_id: str, is_stale: bool) -> None:
        watched = self._watched.get(match_id)
        if watched is not None and watched.is_stale is not is_stale:
            watched.is_stale = is_stale
            watched.revision += 1

    def _on_measured(self, signal: facts.ScrapersMeasured) -> None:
        """Whoever is not told of is unknown again: an old figure would look like a new one."""
        self.browser_bytes = signal.browser_bytes
        for match_id, watched in self._watched.items():
            watched.memory_bytes = signal.memory_bytes.get(match_id)

    def _meet(self, match_id: str, source: str, at: datetime) -> Watched:
        watched = self._watched.get(match_id)
        if watched is None:
            if len(self._watched) >= _MATCHES_MAX:
                self._make_room()
            watched = self._watched[match_id] = Watched(match_id, source, at)
        return watched

    def _make_room(self) -> None:
        """The match that was met first among those nobody watches any more; the page still has it from the store."""
        idle = next((known for known, watched in self._watched.items() if not watched.is_active), None)
        self._watched.pop(idle if idle is not None else next(iter(self._watched)))
