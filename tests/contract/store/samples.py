"""Small builders of what a store is given: only what a test speaks of is spelled out."""

import hashlib
from datetime import UTC, datetime, timedelta

from longstop.domain.cricket import Delivery, Dismissal, InningsScore, Place, PlayState
from longstop.domain.events import DeliveryRecord, EventKind, Gap, GapState, InningsRecord, MatchEvent
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchRef, MatchStatus
from longstop.domain.recovery import RecoveryAction, RecoveryAuditEntry, RecoveryOutcome
from longstop.domain.scraper_state import ScraperState, Tally
from longstop.store.contract import Capture, ErrorRow, HealthRow, LiveRow, MatchRow, WriteBatch

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
SHA = "ab" * 32
MATCH = "crex_AB1"


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def ball(place: Place, runs: int = 1, *, out: str | None = None) -> Delivery:
    return Delivery(
        place=place,
        batter="B1",
        non_striker="B2",
        bowler="W1",
        runs_batter=runs,
        dismissals=(Dismissal("B1", out, ("F1",)),) if out else (),
        bowled_at=NOON,
    )


def record(
    place: tuple[int, int, int] = (1, 0, 1),
    *,
    revision: int = 1,
    runs: int = 1,
    is_withdrawn: bool = False,
    captured: float = 0.0,
    match_id: str = MATCH,
) -> DeliveryRecord:
    where = Place(*place)
    return DeliveryRecord(
        match_id=match_id,
        place=where,
        revision=revision,
        delivery=None if is_withdrawn else ball(where, runs),
        true_at=at(captured - 2),
        captured_at=at(captured),
        payload_sha256=SHA,
    )


def event(seq: int, *, key: str | None = None, detail: str = "", match_id: str = MATCH) -> MatchEvent:
    place = Place(1, seq // 6, seq % 6 + 1)
    return MatchEvent(
        match_id=match_id,
        seq=seq,
        key=key or f"ball:{place}:1",
        kind=EventKind.BALL_BOWLED,
        true_at=at(seq),
        captured_at=at(seq + 1),
        place=place,
        delivery=ball(place),
        detail=detail,
    )


def innings(
    number: int = 1, *, revision: int = 1, runs: int = 0, captured: float | None = None, match_id: str = MATCH
) -> InningsRecord:
    moment = revision if captured is None else captured
    return InningsRecord(match_id, revision, InningsScore(number, "CD", runs, 0), at(moment), at(moment - 2))


def live(sequence: int, *, captured: float = 0.0, last_event: str = "", match_id: str = MATCH) -> LiveRow:
    return LiveRow(
        match_id=match_id,
        sequence=sequence,
        captured_at=at(captured),
        source_at=None,
        scraper_id="s1",
        source="crex",
        rung="replay",
        payload_sha256=SHA,
        update_latency_ms=12,
        play=PlayState.PLAY,
        last_event=last_event,
    )


def match(
    key: str = "AB1",
    *,
    status: MatchStatus = MatchStatus.LIVE,
    state: MatchState = MatchState.ACTIVE,
    title: str = "A v B",
    venue: str = "",
    discovered: float | None = 0.0,
    updated: float | None = None,
    entered: float | None = None,
) -> MatchRow:
    return MatchRow(
        ref=MatchRef("crex", key, f"http://127.0.0.1/{key}"),
        title=title,
        teams=("A", "B"),
        status=status,
        state=state,
        venue=venue,
        discovered_at=None if discovered is None else at(discovered),
        last_scraper_update=None if updated is None else at(updated),
        state_at=None if entered is None else at(entered),
    )


def gap(
    state: GapState = GapState.OPEN,
    *,
    gap_id: str = "g1",
    missing_runs: int = 4,
    opened: float = 0.0,
    closed: float = 60.0,
) -> Gap:
    closed_at = None if state is GapState.OPEN else at(closed)
    return Gap(MATCH, gap_id, 1, 3, 4, state, "ball numbers", at(opened), closed_at, missing_runs)


def state(saved: float = 0.0, *, sequence: int = 1, reason: str = "interval", match_id: str = MATCH) -> ScraperState:
    return ScraperState(
        match_id=match_id,
        scraper_id="s1",
        saved_at=at(saved),
        reason=reason,
        sequence=sequence,
        last_place=Place(1, 3, 2),
        score=(Tally(1, 24, 1, "3.2"),),
        players=("B1", "W1"),
        rung="replay",
        pace_seconds=2.5,
        pace_reason="live",
        changed_at=at(saved - 4),
    )


def audit(
    entry_id: str = "a1", *, done: float = 0.0, outcome: RecoveryOutcome | None = None, judged: float = 120.0
) -> RecoveryAuditEntry:
    return RecoveryAuditEntry(
        entry_id=entry_id,
        at=at(done),
        action=RecoveryAction.BROWSER_RECYCLE,
        trigger="PID count > 200",
        subject=MATCH,
        outcome=outcome,
        judged_at=None if outcome is None else at(judged),
        duration_seconds=3.5,
        metadata={"pids_before": 211, "is_planned": False, "share": 0.5, "browser": "chromium", "pids_after": None},
    )


def capture(
    body: bytes = b'{"score": 24}',
    *,
    captured: float = 0.0,
    purpose: str = "live",
    url: str = "http://127.0.0.1/AB1",
    match_id: str = MATCH,
) -> Capture:
    return Capture(
        match_id=match_id,
        purpose=purpose,
        sha256=hashlib.sha256(body).hexdigest(),
        captured_at=at(captured),
        requested_at=at(captured - 0.2),
        source="crex",
        rung="replay",
        url=url,
        status=200,
        body=body,
        asked="1:3-4",
    )


def failure(
    error_id: str = "e1",
    *,
    is_resolved: bool = False,
    seconds: float = 0.0,
    match_id: str | None = MATCH,
    scraper_id: str = "s1",
) -> ErrorRow:
    return ErrorRow(
        error_id=error_id,
        scraper_id=scraper_id,
        match_id=match_id,
        at=at(seconds),
        error_type="network",
        error_message="no answer",
        resolved=is_resolved,
        resolved_at=at(9) if is_resolved else None,
        resolution_method="auto_retry" if is_resolved else None,
    )


def health(seconds: float = 0.0, *, match_id: str | None = MATCH, scraper_id: str = "s1") -> HealthRow:
    return HealthRow(scraper_id, match_id, at(seconds), "healthy", 0, 850.5, 15.2, 12, 2.5, 9000, 3)


def full_batch(match_key: str = "AB1", *, first: int = 1, balls: int = 2) -> WriteBatch:
    """A bit of everything, as a poll brings it; `first` counts on."""
    match_id = f"crex_{match_key}"
    numbers = range(first, first + balls)
    events = tuple(event(number, match_id=match_id) for number in numbers)
    deliveries = tuple(
        record((1, number // 6, number % 6 + 1), match_id=match_id, captured=number + 1) for number in numbers
    )
    return WriteBatch(
        matches=(match(match_key),),
        live=(live(first, match_id=match_id),),
        deliveries=deliveries,
        innings=(innings(revision=first, runs=first, match_id=match_id),),
        events=events,
    )
