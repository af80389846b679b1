"""The bodies of the calls about matches, in the shapes of docs/sources/sofascore.md."""

from typing import Any

import msgspec

from longstop_origin.football.fixture import Fixture
from longstop_origin.football.people import Club, Competition, Country, Player
from longstop_origin.football.standing import ENDED, OFF, Standing, standing
from longstop_origin.naming import slug

encode = msgspec.json.Encoder().encode
Item = dict[str, Any]
SPORT = {"name": "Football", "slug": "football", "id": 1}
COLORS = {"primary": "#374df5", "secondary": "#374df5", "text": "#ffffff"}
HALF_MINUTES = 45


def event_answer(fixture: Fixture, at: float) -> Item:
    return {"event": event_item(fixture, at) | _only_alone(fixture)}


def event_item(fixture: Fixture, at: float) -> Item:
    story, now = fixture.story, standing(fixture, at)
    code, words, kind = now.status
    item: Item = {
        "tournament": _tournament(story.competition),
        "season": _season(story.competition),
        "roundInfo": {"round": story.round},
        "customId": story.custom_id,
        "status": {"code": code, "description": words, "type": kind},
        "homeTeam": _team(story.home),
        "awayTeam": _team(story.away),
        "homeScore": _score(now, 0),
        "awayScore": _score(now, 1),
        "time": _clock(fixture, now),
        "changes": {"changeTimestamp": now.changed_at},
        "hasGlobalHighlights": False,
        "hasEventPlayerStatistics": now.has_begun,
        "crowdsourcingDataDisplayEnabled": False,
        "id": story.id,
        "startTimestamp": int(fixture.kickoff(at)),
        "slug": story.slug,
        "finalResultOnly": False,
        "feedLocked": now.phase == ENDED,
        "isEditor": False,
    }
    return item | ({"winnerCode": now.winner} if now.winner is not None else {})


def _only_alone(fixture: Fixture) -> Item:
    """What the match on its own tells, and no list."""
    town = fixture.story.home.name.split()[0]
    return {
        "venue": {"name": f"{town} Park", "slug": slug(town, "park"), "capacity": 21_000, "id": fixture.id % 5000},
        "referee": {"name": "R. Whistler", "yellowCards": 412, "redCards": 17, "games": 131, "id": fixture.id % 700},
        "defaultPeriodCount": 2,
        "defaultPeriodLength": HALF_MINUTES,
        "defaultOvertimeLength": 15,
    }


def _tournament(league: Competition) -> Item:
    category = {
        "name": league.country.name,
        "slug": league.country.slug,
        "sport": SPORT,
        "id": 1 + league.id % 40,
        "flag": league.country.slug,
        "alpha2": league.country.code,
    }
    name = {"name": league.name, "slug": slug(league.name)}
    unique = {**name, "category": category, "userCount": 21_000 + league.id, "id": league.id, "country": {}}
    return {**name, "category": category, "uniqueTournament": unique, "priority": 400, "id": league.id + 100}


def _season(league: Competition) -> Item:
    return {"name": f"{league.name} {league.season}", "year": league.season, "editor": False, "id": league.season_id}


def _team(club: Club) -> Item:
    return {
        "name": club.name,
        "slug": club.slug,
        "shortName": club.name.split()[0],
        "gender": "M",
        "sport": SPORT,
        "userCount": 900 + club.id,
        "nameCode": club.code,
        "disabled": False,
        "national": False,
        "type": 0,
        "country": country_item(club.country),
        "id": club.id,
        "subTeams": [],
        "teamColors": COLORS,
    }


def country_item(country: Country) -> Item:
    return {"alpha2": country.code, "name": country.name, "slug": country.slug}


def person_item(player: Player) -> Item:
    first, _, last = player.name.partition(" ")
    return {
        "name": player.name,
        "slug": slug(player.name),
        "shortName": f"{first[0]}. {last or first}",
        "position": player.position,
        "jerseyNumber": str(player.shirt),
        "height": 168 + player.id % 30,
        "userCount": player.id % 9000,
        "gender": "M",
        "country": country_item(player.country),
        "id": player.id,
        "dateOfBirthTimestamp": 800_000_000 + player.id % 4000 * 86_400,
        "proposedMarketValueRaw": {"value": 10_000 * (player.id % 900), "currency": "EUR"},
        "fieldTranslations": {"nameTranslation": {}, "shortNameTranslation": {}},
    }


def _score(now: Standing, place: int) -> Item:
    if not now.has_begun:
        return {}
    goals = now.score[place]
    item: Item = {"current": goals, "display": goals}
    for number, half in enumerate(now.halves, start=1):
        if half is not None:
            item[f"period{number}"] = half[place]
    return item | ({"normaltime": goals} if now.phase == ENDED else {})


def _clock(fixture: Fixture, now: Standing) -> Item:
    if now.half_began_at is None or now.phase == OFF:
        return {}
    added = fixture.story.play.added
    shown = {
        f"injuryTime{half}": added[half - 1] for half in (1, 2) if now.offset >= fixture.story.play.half_ends(half)
    }
    return {**shown, "currentPeriodStartTimestamp": now.half_began_at}
