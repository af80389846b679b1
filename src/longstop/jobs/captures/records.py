"""From a capture that is believed to what is kept and what is handed out."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec

from longstop.domain.capture import CaptureIntegrity, Fixture, ScrapeResult
from longstop.domain.football import Side, SquadPlayer
from longstop.domain.football_record import FootballMatch, LineUpRecord, PlayerRecord
from longstop.jobs.captures.judging import Captured
from longstop.sources.sofascore.normalized import NORMALIZED, normalized
from longstop.sources.sofascore.requests import SOURCE
from longstop.store.contract import Capture

_LINEUPS = "lineups"


def result_of(captured: Captured, raw: dict[str, Any] | None = None) -> ScrapeResult:
    return ScrapeResult(
        source=SOURCE,
        schema_version=NORMALIZED,
        captured_at=captured.captured_at,
        source_event_id=captured.event.key,
        normalized=normalized(captured.report),
        raw_payload=raw,
        integrity=_plain(captured.integrity),
    )


def _plain(integrity: CaptureIntegrity) -> dict[str, Any]:
    """As it would be read from JSON."""
    told: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(integrity))
    return told


def match_of(fixture: Fixture, captured: Captured) -> FootballMatch:
    """The teams as the caller calls them; the kickoff as the site tells it now."""
    event = captured.event
    return FootballMatch(
        match_id=fixture.match_id,
        source=SOURCE,
        source_event_id=event.key,
        home_team=fixture.home_team,
        away_team=fixture.away_team,
        kickoff_at=event.kickoff or fixture.kickoff_utc,
        told_at=captured.captured_at,
        league_id=fixture.league_id,
        season=fixture.season,
        page=fixture.page,
        tournament=event.tournament,
        status=event.phase.value,
    )


def lineups_of(fixture: Fixture, captured: Captured) -> tuple[LineUpRecord, ...]:
    """One for each side that has players; an empty sheet says nothing that a feature could be made of."""
    lineups = captured.report.lineups
    if lineups is None:
        return ()
    sheets: dict[str, Any] = normalized(captured.report)["lineups"]
    return tuple(
        _record(fixture, captured, side, sheets[side.value], tuple(map(_player, sheet.players)))
        for side, sheet in lineups.sheets
        if sheet.players
    )


def _record(
    fixture: Fixture, captured: Captured, side: Side, sheet: dict[str, Any], players: tuple[PlayerRecord, ...]
) -> LineUpRecord:
    whole, lineups = captured.integrity, captured.report.lineups
    return LineUpRecord(
        match_id=fixture.match_id,
        side=side,
        snapshot=captured.snapshot,
        captured_at=captured.captured_at,
        kickoff_at=captured.kickoff,
        source=SOURCE,
        source_event_id=captured.event.key,
        schema_version=NORMALIZED,
        formation=sheet["formation"] or "",
        is_confirmed=lineups is not None and lineups.is_confirmed,
        players=players,
        sheet=sheet,
        payload_sha256=captured.shas.get(_LINEUPS, ""),
        null_field_rate=whole.null_field_rate,
        starters_missing=whole.starters_missing,
        flags=whole.flags,
    )


def _player(player: SquadPlayer) -> PlayerRecord:
    return PlayerRecord(
        key=player.person.key,
        name=player.person.name,
        is_starter=not player.is_substitute,
        position=player.position,
        shirt=player.shirt,
        is_captain=player.is_captain,
        rating=player.form,
    )


def news_among(records: Iterable[LineUpRecord], known: Sequence[LineUpRecord]) -> tuple[LineUpRecord, ...]:
    """Those that say something other than what was kept last of the same side and kind."""
    return tuple(record for record in records if not _is_known(record, known))


def _is_known(record: LineUpRecord, known: Sequence[LineUpRecord]) -> bool:
    alike = [each for each in known if (each.side, each.snapshot) == (record.side, record.snapshot)]
    standing = [each for each in alike if not each.after_kickoff]
    last = max(standing, key=lambda each: each.captured_at, default=None)
    return last is not None and last.says_the_same_as(record)


def raw_captures(match_id: int, captured_at: datetime, snapshots: Iterable[tuple[str, Any]]) -> list[Capture]:
    """All of one visit bear its moment, so that they are read again together."""
    return [
        Capture(
            match_id=str(match_id),
            purpose=family,
            sha256=snapshot.sha256(),
            captured_at=captured_at,
            requested_at=snapshot.requested_at,
            source=SOURCE,
            rung=snapshot.rung,
            url=snapshot.request.url,
            status=snapshot.status,
            body=snapshot.body,
        )
        for family, snapshot in snapshots
    ]
