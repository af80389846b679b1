"""What may be written, table by table, and a batch turned into rows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, TypeVar

from sqlalchemy import Table

from longstop.domain.errors import RecordRefusedError
from longstop.store import (
    capture_rows,
    conflicts,
    football_conflicts,
    football_rows,
    football_tables,
    ledger_rows,
    match_rows,
    scraper_rows,
    tables,
)
from longstop.store.cells import Moments, Row, key_text
from longstop.store.contract import Capture, WriteBatch

T = TypeVar("T")


class Rule(Enum):
    """What a second write of the same key means."""

    APPEND = "append"  # the same row again is nothing; another row under its key is a fault
    KEEP_BEST = "keep_best"  # the row moves forward only
    KEEP_FIRST = "keep_first"


@dataclass(frozen=True)
class Kind:
    """One table as something to write to. `is_counted`: every row must have an effect, or it collided."""

    table: Table
    rule: Rule
    key: tuple[str, ...]
    on_conflict: Callable[[Any], Any]
    columns: tuple[str, ...]
    read: Callable[[Row, Moments], Any] | None = None
    is_counted: bool = False


@dataclass(frozen=True)
class Part:
    """The rows of a batch that go to one table; `records` are what they were made from."""

    kind: Kind
    rows: list[Row] = field(repr=False)  # they may hold what a record itself does not show
    records: Sequence[Any] = ()


def _columns(table: Table, *left_out: str) -> tuple[str, ...]:
    return tuple(column.name for column in table.columns if column.name not in left_out)


def _append(table: Table, key: Sequence[str], read: Callable[[Row, Moments], Any]) -> Kind:
    return Kind(table, Rule.APPEND, tuple(key), conflicts.nothing, _columns(table), read, is_counted=True)


MATCHES = Kind(
    tables.matches, Rule.KEEP_BEST, ("match_id",), conflicts.match_forward, _columns(tables.matches), is_counted=True
)
REFS = Kind(
    tables.match_external_refs,
    Rule.KEEP_FIRST,
    ("match_id", "source"),
    conflicts.nothing,
    _columns(tables.match_external_refs),
)
LIVE = Kind(
    tables.live_match_data,
    Rule.KEEP_BEST,
    ("match_id",),
    conflicts.live_newer,
    _columns(tables.live_match_data, "data_source"),
)
DELIVERIES = _append(
    tables.deliveries, ("match_id", "innings", "over", "position", "revision"), ledger_rows.delivery_record
)
INNINGS = _append(tables.innings, ("match_id", "number", "revision"), ledger_rows.innings_record)
EVENTS = _append(tables.match_events, ("match_id", "seq"), ledger_rows.match_event)
FEED = Kind(tables.event_feed, Rule.KEEP_FIRST, ("match_id", "seq"), conflicts.nothing, ("match_id", "seq"))
GAPS = Kind(tables.gaps, Rule.KEEP_BEST, ("match_id", "gap_id"), conflicts.gap_forward, _columns(tables.gaps))
GAP_STATES = Kind(
    tables.gap_states,
    Rule.KEEP_BEST,
    ("match_id", "gap_id", "state"),
    conflicts.gap_state_changed,
    _columns(tables.gap_states),
)
LIVE_HISTORY = Kind(
    tables.live_history,
    Rule.KEEP_FIRST,
    ("match_id", "sequence", "captured_at"),
    conflicts.nothing,
    _columns(tables.live_history),
)
STATUSES = Kind(
    tables.match_statuses,
    Rule.KEEP_BEST,
    ("match_id", "status"),
    conflicts.status_earlier,
    _columns(tables.match_statuses),
)
NAMES = Kind(tables.names, Rule.KEEP_BEST, ("source", "kind", "code"), conflicts.name_changed, _columns(tables.names))
RECIPES = Kind(tables.recipes, Rule.KEEP_BEST, ("source", "purpose"), conflicts.recipe_newer, _columns(tables.recipes))
STATES = Kind(
    tables.scraper_states, Rule.KEEP_BEST, ("match_id",), conflicts.state_newer, _columns(tables.scraper_states)
)
AUDITS = Kind(
    tables.recovery_audit, Rule.KEEP_BEST, ("entry_id",), conflicts.audit_judged, _columns(tables.recovery_audit)
)
BODIES = Kind(tables.capture_bodies, Rule.KEEP_FIRST, ("sha256",), conflicts.nothing, _columns(tables.capture_bodies))
CAPTURES = Kind(
    tables.captures,
    Rule.KEEP_FIRST,
    ("match_id", "captured_at", "purpose", "sha256"),
    conflicts.nothing,
    _columns(tables.captures),
)
ERRORS = Kind(
    tables.scraper_errors,
    Rule.KEEP_BEST,
    ("error_id",),
    conflicts.error_resolved,
    _columns(tables.scraper_errors, "id"),
)
HEALTH = Kind(
    tables.scraper_health_log,
    Rule.KEEP_FIRST,
    ("scraper_id", "timestamp"),
    conflicts.nothing,
    _columns(tables.scraper_health_log, "id"),
)
FOOTBALL = Kind(
    football_tables.football_matches,
    Rule.KEEP_BEST,
    ("match_id",),
    football_conflicts.match_told_later,
    _columns(football_tables.football_matches),
)
LINEUPS = Kind(
    football_tables.match_sofascore_lineup,
    Rule.KEEP_BEST,
    ("match_id", "team_side", "snapshot_type", "captured_at"),
    football_conflicts.lineup_flagged,
    _columns(football_tables.match_sofascore_lineup),
)
PLAYERS = Kind(
    football_tables.match_sofascore_player,
    Rule.KEEP_BEST,
    ("match_id", "team_side", "player_id_ext", "snapshot_type", "captured_at"),
    football_conflicts.player_flagged,
    _columns(football_tables.match_sofascore_player),
)
PROGRESS = Kind(
    football_tables.football_captures,
    Rule.KEEP_BEST,
    ("match_id",),
    football_conflicts.progress_newer,
    _columns(football_tables.football_captures),
)
QUARANTINE = Kind(
    football_tables.football_quarantine,
    Rule.KEEP_BEST,
    ("match_id", "captured_at", "family"),
    football_conflicts.quarantine_released,
    _columns(football_tables.football_quarantine),
)
KINDS = (
    *(MATCHES, REFS, STATUSES, NAMES, LIVE, LIVE_HISTORY, DELIVERIES, INNINGS, EVENTS, FEED, GAPS, GAP_STATES),
    *(RECIPES, STATES, AUDITS, ERRORS, HEALTH, BODIES, CAPTURES),
    *(FOOTBALL, LINEUPS, PLAYERS, PROGRESS, QUARANTINE),
)


def prepare(batch: WriteBatch, moment: Moments, now: datetime) -> list[Part]:
    """The batch as rows, in the order of `KINDS`. A value no database could hold is refused before one is asked."""
    try:
        return [part for part in _parts(batch, moment, now) if part.rows]
    except (OverflowError, ValueError, TypeError) as error:
        raise unkeepable(error) from error


def prepare_captures(captures: Sequence[Capture], moment: Moments) -> list[Part]:
    """A body that several share is packed once."""
    try:
        bodies = {capture.sha256: capture_rows.body_values(capture) for capture in captures}
        rows = [capture_rows.capture_values(capture, moment) for capture in captures]
    except (OverflowError, ValueError, TypeError) as error:
        raise unkeepable(error) from error
    return [Part(BODIES, list(bodies.values())), Part(CAPTURES, rows)] if rows else []


def unkeepable(error: Exception) -> RecordRefusedError:
    return RecordRefusedError(
        f"A value cannot be kept: {error}.", hint="Nothing of the batch was written; see where it came from."
    )


def _parts(batch: WriteBatch, moment: Moments, now: datetime) -> Iterable[Part]:
    if batch.matches:
        yield Part(MATCHES, [match_rows.match_values(row, moment, now) for row in batch.matches], batch.matches)
        yield Part(REFS, [match_rows.external_ref_values(row) for row in batch.matches])
        yield Part(STATUSES, [match_rows.status_values(row, moment, now) for row in batch.matches])
    if batch.names:
        yield Part(NAMES, [values for row in batch.names for values in match_rows.names_values(row)])
    if batch.live:
        live = _part(LIVE, match_rows.live_values, batch.live, moment)
        yield live
        yield Part(LIVE_HISTORY, live.rows, batch.live)
    if batch.deliveries:
        yield _part(DELIVERIES, ledger_rows.delivery_values, batch.deliveries, moment)
    if batch.innings:
        yield _part(INNINGS, ledger_rows.innings_values, batch.innings, moment)
    if batch.events:
        yield _part(EVENTS, ledger_rows.event_values, batch.events, moment)
        yield Part(FEED, [(key_text(event.match_id), event.seq) for event in batch.events], batch.events)
    if batch.gaps:
        yield _part(GAPS, ledger_rows.gap_values, batch.gaps, moment)
        yield _part(GAP_STATES, ledger_rows.gap_state_values, batch.gaps, moment)
    yield from _own_parts(batch, moment)


def _own_parts(batch: WriteBatch, moment: Moments) -> Iterable[Part]:
    """What we know of ourselves; most batches bring none of it."""
    if batch.recipes:
        yield _part(RECIPES, match_rows.recipe_values, batch.recipes, moment)
    if batch.states:
        yield _part(STATES, scraper_rows.state_values, batch.states, moment)
    if batch.audits:
        yield _part(AUDITS, scraper_rows.audit_values, batch.audits, moment)
    if batch.errors:
        yield _part(ERRORS, scraper_rows.error_values, batch.errors, moment)
    if batch.health:
        yield _part(HEALTH, scraper_rows.health_values, batch.health, moment)
    yield from _football_parts(batch, moment)


def _football_parts(batch: WriteBatch, moment: Moments) -> Iterable[Part]:
    if batch.football:
        yield _part(FOOTBALL, football_rows.match_values, batch.football, moment)
        yield Part(REFS, [football_rows.ref_values(match) for match in batch.football])
    if batch.lineups:
        yield _part(LINEUPS, football_rows.lineup_values, batch.lineups, moment)
        yield Part(PLAYERS, [row for record in batch.lineups for row in football_rows.player_rows(record, moment)])
    if batch.progress:
        yield _part(PROGRESS, football_rows.progress_values, batch.progress, moment)
    if batch.quarantined:
        yield _part(QUARANTINE, football_rows.quarantine_values, batch.quarantined, moment)


def _part(kind: Kind, values: Callable[[T, Moments], Row], records: Sequence[T], moment: Moments) -> Part:
    return Part(kind, [values(record, moment) for record in records], records)


def collision(kind: Kind, record: Any) -> RecordRefusedError:
    """Something else already stands where this record belongs: a fault of ours, never to be passed over."""
    if kind is MATCHES:
        return RecordRefusedError(
            f"The match id {record.ref.match_id} already belongs to another match.",
            hint="Source and key together must name one match; rename the source.",
        )
    key = ", ".join(str(value) for value in kind_key(kind, record))
    return RecordRefusedError(
        f"Another row already stands in {kind.table.name} at ({key}).",
        hint="Records are never changed in place: a correction needs a higher revision, an event its own key.",
    )


def kind_key(kind: Kind, record: Any) -> Row:
    """The natural key of an append-only record, in the order of `kind.key`."""
    if kind is DELIVERIES:
        place = record.place
        return (record.match_id, place.innings, place.over, place.position, record.revision)
    if kind is INNINGS:
        return (record.match_id, record.score.number, record.revision)
    return (record.match_id, record.seq)


def differs(kind: Kind, record: Any, stored: Row | None, moment: Moments) -> bool:
    """Nothing stored under the key means that the record met another one by its second key."""
    return stored is None or kind.read is None or kind.read(stored, moment) != record
