"""What happens to matches: found, polled, stored, doubted, over."""

from datetime import datetime

from longstop.domain.events import Gap, GapState, MatchEvent
from longstop.domain.match import MatchListing
from longstop.domain.observation import Observation
from longstop.observe.signals.bus import Signal


class SourceListed(Signal, frozen=True, kw_only=True):
    """Tells "nothing is live" from "we do not know what is live"."""

    source: str
    matches: int
    live: int
    duration_seconds: float = 0.0


class MatchDiscovered(Signal, frozen=True, kw_only=True):
    match_id: str
    source: str
    title: str
    listing: MatchListing | None = None


class MatchStateChanged(Signal, frozen=True, kw_only=True):
    match_id: str
    before: str
    after: str
    reason: str


# Outcomes after which the state on record is the source's state of that moment.
FRESH_OUTCOMES = frozenset({"updated", "unchanged"})


class PollFinished(Signal, frozen=True, kw_only=True):
    """`captured_at` is when the payload came; without it the end of the poll is taken. `interval_seconds` is the wait
    until the next one."""

    match_id: str
    source: str
    rung: str
    outcome: str
    duration_seconds: float
    bytes_in: int = 0
    is_changed: bool = False
    captured_at: datetime | None = None
    interval_seconds: float | None = None

    @property
    def fresh_at(self) -> datetime | None:
        """From when the state is that this poll saw and believed; None when it saw none."""
        return (self.captured_at or self.at) if self.outcome in FRESH_OUTCOMES else None


class RungChanged(Signal, frozen=True, kw_only=True):
    """A match is fetched another way from now on."""

    match_id: str
    before: str
    after: str
    reason: str


class BreakerOpened(Signal, frozen=True, kw_only=True):
    """A way to a match is shut for so long, after failures in a row or because somebody shut it."""

    match_id: str
    rung: str
    open_seconds: float
    reason: str


class RecipeLearnt(Signal, frozen=True, kw_only=True):
    """A browser showed how a call is made; `reason` is why it was asked."""

    source: str
    purpose: str
    reason: str
    duration_seconds: float


class SelectorsMatched(Signal, frozen=True, kw_only=True):
    """A page was read; by field, which of its selectors helped: 0 is the usual one."""

    source: str
    places: tuple[tuple[str, int], ...]


class SelectorDrifted(Signal, frozen=True, kw_only=True):
    """A page's usual selector finds nothing any more, and a fallback does: the list wants mending soon."""

    source: str
    field: str


class EventsStored(Signal, frozen=True, kw_only=True):
    match_id: str
    source: str
    count: int
    corrections: int
    stored_seconds: float
    delay_seconds: float | None = None


class FactsStored(Signal, frozen=True, kw_only=True):
    """What became durable, itself: for whoever tells it on. The events are in the order of their seq."""

    match_id: str
    source: str
    events: tuple[MatchEvent, ...]
    gaps: tuple[Gap, ...] = ()
    complete_through: str | None = None


class ScoreStored(Signal, frozen=True, kw_only=True):
    """The state as it is now believed and stored, with the recent overs of its payload."""

    match_id: str
    scraper_id: str
    sequence: int
    observation: Observation
    complete_through: str | None = None


class ObservationRejected(Signal, frozen=True, kw_only=True):
    match_id: str
    source: str
    reasons: tuple[str, ...]


class GapOpened(Signal, frozen=True, kw_only=True):
    match_id: str
    gap_id: str
    innings: int
    cause: str
    missing_runs: int
    missing_wickets: int
    missing_balls: int


class GapClosed(Signal, frozen=True, kw_only=True):
    """`state` is repaired, or unrecoverable when the source has shown all that it has."""

    match_id: str
    gap_id: str
    innings: int
    open_seconds: float
    state: str = GapState.REPAIRED.value
    cause: str = ""


def about_gap(gap: Gap, now: datetime) -> GapOpened | GapClosed:
    if gap.state is GapState.OPEN:
        return GapOpened(
            at=now,
            match_id=gap.match_id,
            gap_id=gap.gap_id,
            innings=gap.innings,
            cause=gap.cause,
            missing_runs=gap.missing_runs,
            missing_wickets=gap.missing_wickets,
            missing_balls=gap.missing_balls,
        )
    open_seconds = (now - gap.opened_at).total_seconds()
    return GapClosed(
        at=now,
        match_id=gap.match_id,
        gap_id=gap.gap_id,
        innings=gap.innings,
        open_seconds=open_seconds,
        state=gap.state.value,
        cause=gap.cause,
    )


class MatchConcluded(Signal, frozen=True, kw_only=True):
    """The match is over; `is_verified` when all that the board claimed stands in the record."""

    match_id: str
    reason: str
    is_verified: bool
