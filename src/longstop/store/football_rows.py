"""Football before kickoff as rows, and back.

The order of a row is the order of its columns in `football_tables.py`. Times are the only thing the two databases keep
differently, so whoever calls hands in how a time is written or read.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from longstop.domain.capture import AttemptState, SnapshotType
from longstop.domain.football import Side
from longstop.domain.football_record import CaptureProgress, FootballMatch, LineUpRecord, PlayerRecord, Quarantined
from longstop.store.cells import Moments, Row, json_text, key_text
from longstop.store.scraper_rows import finite

_read_flags = msgspec.json.Decoder(tuple[str, ...]).decode
_read_sheet = msgspec.json.Decoder(dict[str, Any]).decode


def match_values(match: FootballMatch, moment: Moments) -> Row:
    return (
        match.match_id,
        match.source,
        key_text(match.source_event_id),
        match.home_team,
        match.away_team,
        moment(match.kickoff_at),
        moment(match.told_at),
        match.league_id,
        match.season,
        match.page,
        match.tournament,
        match.status,
    )


def match_from(row: Row, moment: Moments) -> FootballMatch:
    (match_id, source, event, home, away, kickoff_at, told_at, league_id, season, page, tournament, status) = row
    return FootballMatch(
        *(match_id, source, event, home, away, moment(kickoff_at), moment(told_at)),
        league_id=league_id,
        season=season,
        page=page,
        tournament=tournament,
        status=status,
    )


def ref_values(match: FootballMatch) -> Row:
    """In the table that all sports share, where our numbers are texts."""
    return (str(match.match_id), match.source, key_text(match.source_event_id))


def progress_values(told: CaptureProgress, moment: Moments) -> Row:
    return (
        told.match_id,
        told.source,
        moment(told.updated_at),
        told.state.value,
        told.status,
        told.reason,
        told.attempts,
        told.captures,
        told.bytes_in,
        told.exit_hash,
        told.schema_version,
        moment(told.captured_at),
        moment(told.confirmed_at),
        moment(told.next_at),
    )


def progress_from(row: Row, moment: Moments) -> CaptureProgress:
    match_id, source, updated_at, state, status, reason, attempts, captures, bytes_in, exit_hash, schema, *times = row
    captured_at, confirmed_at, next_at = map(moment, times)
    return CaptureProgress(
        *(match_id, source, moment(updated_at), AttemptState(state), status, reason),
        attempts=attempts,
        captures=captures,
        bytes_in=bytes_in,
        exit_hash=exit_hash,
        schema_version=schema,
        captured_at=captured_at,
        confirmed_at=confirmed_at,
        next_at=next_at,
    )


def lineup_values(record: LineUpRecord, moment: Moments) -> Row:
    return (
        record.match_id,
        record.side.value,
        record.snapshot.value,
        moment(record.captured_at),
        moment(record.kickoff_at),
        record.source,
        key_text(record.source_event_id),
        record.schema_version,
        record.formation,
        record.is_confirmed,
        finite(record.null_field_rate),
        record.starters_missing,
        json_text(record.flags),
        json_text(record.sheet),
        record.payload_sha256,
        record.after_kickoff,
    )


def player_rows(record: LineUpRecord, moment: Moments) -> list[Row]:
    """In the order of the sheet, which `place` keeps."""
    return [_player_values(record, place, player, moment) for place, player in enumerate(record.players)]


def _player_values(record: LineUpRecord, place: int, player: PlayerRecord, moment: Moments) -> Row:
    return (
        record.match_id,
        record.side.value,
        key_text(player.key),
        record.snapshot.value,
        moment(record.captured_at),
        moment(record.kickoff_at),
        record.schema_version,
        place,
        player.name,
        player.is_starter,
        player.position,
        player.shirt,
        player.is_captain,
        None if player.rating is None else finite(player.rating),
        record.after_kickoff,
    )


def lineups_from(rows: Sequence[Row], players: Sequence[Row], moment: Moments) -> list[LineUpRecord]:
    """Each sheet with its own players."""
    of_sheet: dict[Row, list[PlayerRecord]] = {}
    for row in players:
        of_sheet.setdefault((row[1], row[3], row[4]), []).append(_player_from(row))
    return [_lineup_from(row, tuple(of_sheet.get((row[1], row[2], row[3]), ())), moment) for row in rows]


def _player_from(row: Row) -> PlayerRecord:
    key, name, is_starter, position, shirt, is_captain, rating = row[2], *row[8:14]
    return PlayerRecord(key, name, bool(is_starter), position, shirt, bool(is_captain), rating)


def _lineup_from(row: Row, players: tuple[PlayerRecord, ...], moment: Moments) -> LineUpRecord:
    match_id, side, snapshot, captured_at, kickoff_at, source, event, schema, formation, is_confirmed, *rest = row
    null_rate, starters_missing, flags, sheet, sha256, after_kickoff = rest
    return LineUpRecord(
        *(match_id, Side(side), SnapshotType(snapshot), moment(captured_at), moment(kickoff_at)),
        source=source,
        source_event_id=event,
        schema_version=schema,
        formation=formation,
        is_confirmed=bool(is_confirmed),
        players=players,
        sheet=_read_sheet(sheet),
        payload_sha256=sha256,
        null_field_rate=null_rate,
        starters_missing=starters_missing,
        flags=_read_flags(flags),
        after_kickoff=bool(after_kickoff),
    )


def quarantine_values(held: Quarantined, moment: Moments) -> Row:
    return (
        held.match_id,
        moment(held.captured_at),
        held.family,
        held.sha256,
        held.contract,
        held.reason,
        key_text(held.source_event_id),
        moment(held.kickoff_at),
        moment(held.released_at),
    )


def quarantine_from(row: Row, moment: Moments) -> Quarantined:
    match_id, captured_at, family, sha256, contract, reason, event, kickoff_at, released_at = row
    return Quarantined(
        *(match_id, moment(captured_at), family, sha256, contract, reason, event),
        kickoff_at=moment(kickoff_at),
        released_at=moment(released_at),
    )
