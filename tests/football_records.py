"""Small builders of what is kept of football before kickoff."""

from datetime import UTC, datetime, timedelta
from typing import Any

from longstop.domain.capture import AttemptState, SnapshotType
from longstop.domain.football import Side
from longstop.domain.football_record import CaptureProgress, FootballMatch, LineUpRecord, PlayerRecord, Quarantined

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
KICKOFF = NOON + timedelta(hours=6)


def at(hours: float) -> datetime:
    return NOON + timedelta(hours=hours)


def match(match_id: int = 7, **changes: Any) -> FootballMatch:
    told: dict[str, Any] = {
        "match_id": match_id,
        "source": "sofascore",
        "source_event_id": str(500 + match_id),
        "home_team": "Reds",
        "away_team": "Blues",
        "kickoff_at": KICKOFF,
        "told_at": NOON,
    }
    return FootballMatch(**told | changes)


def player(key: int, **changes: Any) -> PlayerRecord:
    told: dict[str, Any] = {"key": str(key), "name": f"Player {key}", "is_starter": key % 100 < 11}
    return PlayerRecord(**told | changes)


def sheet(hours: float = 1.0, *, side: Side = Side.HOME, first: int = 0, **changes: Any) -> LineUpRecord:
    players = tuple(player(first + number, shirt=number + 1) for number in range(14))
    told: dict[str, Any] = {
        "match_id": 7,
        "side": side,
        "snapshot": SnapshotType.PREDICTED,
        "captured_at": at(hours),
        "kickoff_at": KICKOFF,
        "source": "sofascore",
        "source_event_id": "507",
        "schema_version": "sofascore.event.v1",
        "formation": "4-3-3",
        "is_confirmed": False,
        "players": players,
        "sheet": {"formation": "4-3-3", "xi": [each.key for each in players[:11]], "bench": [], "missing": []},
        "payload_sha256": "ab" * 32,
        "flags": ("unconfirmed",),
    }
    return LineUpRecord(**told | changes)


def progress(hours: float = 1.0, **changes: Any) -> CaptureProgress:
    told: dict[str, Any] = {
        "match_id": 7,
        "source": "sofascore",
        "updated_at": at(hours),
        "state": AttemptState.DONE,
        "status": "success",
        "attempts": 1,
        "next_at": at(hours + 1),
    }
    return CaptureProgress(**told | changes)


def quarantined(hours: float = 1.0, **changes: Any) -> Quarantined:
    told: dict[str, Any] = {
        "match_id": 7,
        "captured_at": at(hours),
        "family": "lineups",
        "sha256": "cd" * 32,
        "contract": "sofascore.lineups.v1",
        "reason": "home.players[3].substitute is missing",
    }
    return Quarantined(**told | changes)
