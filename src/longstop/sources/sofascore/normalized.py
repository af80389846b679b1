"""The payload of the site in our own words: what a feature may be made of, and nothing else.

Its version is ours. A site that renames a field changes the contract that is read (`contracts.py`); only when we change
what we hand on does this version change, and then `upgrades.py` has the step from the one before.
"""

from typing import Any

from longstop.domain.football import FootballEvent, LineUps, MatchReport, Measure, SquadPlayer, TeamSheet

NORMALIZED = "sofascore.event.v1"


def normalized(report: MatchReport) -> dict[str, Any]:
    told: dict[str, Any] = {"lineups": _lineups(report.lineups)}
    if report.event is not None:
        told["event"] = _event(report.event)
    if report.statistics is not None:
        told["statistics"] = [_measure(row) for row in report.statistics]
    return told


def _event(event: FootballEvent) -> dict[str, Any]:
    return {
        "id": event.key,
        "kickoff_utc": event.kickoff.isoformat().replace("+00:00", "Z") if event.kickoff else None,
        "status": event.phase.value,
        "home_team": event.home.name,
        "home_team_id": event.home.key,
        "away_team": event.away.name,
        "away_team_id": event.away.key,
        "tournament": event.tournament,
        "season": event.season,
    }


def _lineups(lineups: LineUps | None) -> dict[str, Any]:
    """Both sides are always there, so that who reads it need not ask twice."""
    if lineups is None:
        return {"confirmed": False, "home": None, "away": None}
    return {"confirmed": lineups.is_confirmed, "home": sheet_of(lineups.home), "away": sheet_of(lineups.away)}


def sheet_of(sheet: TeamSheet | None) -> dict[str, Any] | None:
    if sheet is None:
        return None
    return {
        "formation": sheet.formation or None,
        "xi": [_player(player) for player in sheet.players if not player.is_substitute],
        "bench": [_player(player) for player in sheet.players if player.is_substitute],
        "missing": [{"player_id": person.key, "name": person.name} for person in sheet.missing],
    }


def _player(player: SquadPlayer) -> dict[str, Any]:
    return {
        "player_id": player.person.key,
        "name": player.person.name,
        "position": player.position or None,
        "shirt_number": player.shirt,
        "captain": player.is_captain,
        "rating": player.form,
        "rating_kind": _kind_of_rating(player),
    }


def _kind_of_rating(player: SquadPlayer) -> str | None:
    """Of which matches the rating speaks: a feature of a forecast may use that of the season only."""
    if player.rating is not None:
        return "match"
    return None if player.average is None else "season"


def _measure(row: Measure) -> dict[str, Any]:
    return {"period": row.period, "name": row.name, "home": row.home, "away": row.away}
