"""How the scrapers fare as rows, and back: their states, their errors, their health, and what was done about them.

The order of a row is the order of its columns in `tables.py`. Times are the only thing the two databases keep
differently, so whoever calls hands in how a time is written or read.
"""

import math

import msgspec

from longstop.domain.cricket import Place
from longstop.domain.recovery import RecoveryAction, RecoveryAuditEntry, RecoveryOutcome
from longstop.domain.scraper_state import ScraperState, Tally
from longstop.store.cells import Moments, Row, json_text, key_text
from longstop.store.contract import ErrorRow, HealthRow

Metadata = dict[str, str | int | float | bool | None]


class _Details(msgspec.Struct, frozen=True, omit_defaults=True):
    last_place: Place | None = None
    score: tuple[Tally, ...] = ()
    players: tuple[str, ...] = ()
    rung: str = ""
    pace_reason: str = ""
    errors: int = 0
    unchanged: int = 0


_read_details = msgspec.json.Decoder(_Details).decode
_read_metadata = msgspec.json.Decoder(Metadata).decode


def finite(number: float) -> float:
    """What is no number would come back as nothing."""
    if not math.isfinite(number):
        raise ValueError(f"{number} is not a number that can be kept")
    return number


def state_values(state: ScraperState, moment: Moments) -> Row:
    details = _Details(
        last_place=state.last_place,
        score=state.score,
        players=state.players,
        rung=state.rung,
        pace_reason=state.pace_reason,
        errors=state.errors,
        unchanged=state.unchanged,
    )
    return (
        key_text(state.match_id),
        key_text(state.scraper_id),
        moment(state.saved_at),
        state.reason,
        state.sequence,
        finite(state.pace_seconds),
        moment(state.changed_at),
        moment(state.paused_until),
        json_text(details),
    )


def state_from(row: Row, moment: Moments) -> ScraperState:
    match_id, scraper_id, saved_at, reason, sequence, pace_seconds, changed_at, paused_until, text = row
    details = _read_details(text)
    return ScraperState(
        match_id=match_id,
        scraper_id=scraper_id,
        saved_at=moment(saved_at),
        reason=reason,
        sequence=sequence,
        last_place=details.last_place,
        score=details.score,
        players=details.players,
        rung=details.rung,
        pace_seconds=pace_seconds,
        pace_reason=details.pace_reason,
        errors=details.errors,
        unchanged=details.unchanged,
        changed_at=moment(changed_at),
        paused_until=moment(paused_until),
    )


def audit_values(entry: RecoveryAuditEntry, moment: Moments) -> Row:
    for value in entry.metadata.values():
        if isinstance(value, float):
            finite(value)
    return (
        key_text(entry.entry_id),
        moment(entry.at),
        entry.action.value,
        entry.trigger,
        entry.subject,
        None if entry.outcome is None else entry.outcome.value,
        moment(entry.judged_at),
        finite(entry.duration_seconds),
        json_text(entry.metadata),
    )


def audit_from(row: Row, moment: Moments) -> RecoveryAuditEntry:
    entry_id, at, action, trigger, subject, outcome, judged_at, duration_seconds, metadata = row
    return RecoveryAuditEntry(
        entry_id=entry_id,
        at=moment(at),
        action=RecoveryAction(action),
        trigger=trigger,
        subject=subject,
        outcome=None if outcome is None else RecoveryOutcome(outcome),
        judged_at=moment(judged_at),
        duration_seconds=duration_seconds,
        metadata=_read_metadata(metadata),
    )


def error_values(row: ErrorRow, moment: Moments) -> Row:
    return (
        key_text(row.error_id),
        key_text(row.scraper_id),
        None if row.match_id is None else key_text(row.match_id),
        moment(row.at),
        key_text(row.error_type),
        row.error_message,
        row.stack_trace,
        row.url,
        row.operation,
        row.retry_attempt,
        row.resolved,
        moment(row.resolved_at),
        row.resolution_method,
    )


def error_from(row: Row, moment: Moments) -> ErrorRow:
    error_id, scraper_id, match_id, at, kind, message, trace, url, operation, attempt, resolved, resolved_at, how = row
    return ErrorRow(
        error_id=error_id,
        scraper_id=scraper_id,
        match_id=match_id,
        at=moment(at),
        error_type=kind,
        error_message=message,
        stack_trace=trace,
        url=url,
        operation=operation,
        retry_attempt=attempt,
        resolved=bool(resolved),
        resolved_at=moment(resolved_at),
        resolution_method=how,
    )


def health_values(row: HealthRow, moment: Moments) -> Row:
    return (
        key_text(row.scraper_id),
        None if row.match_id is None else key_text(row.match_id),
        moment(row.at),
        key_text(row.health_status),
        row.error_count,
        row.memory_mb,
        row.cpu_percent,
        row.update_latency_ms,
        row.polling_interval_seconds,
        row.uptime_seconds,
        row.last_update_age_seconds,
    )


def health_from(row: Row, moment: Moments) -> HealthRow:
    scraper_id, match_id, at, *rest = row
    return HealthRow(scraper_id, match_id, moment(at), *rest)
