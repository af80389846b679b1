"""The line-ups call: nothing, a guess, or who begins; with what they were rated before, and later in this match."""

from random import Random

from longstop_origin.football.fixture import CONFIRMED, PREDICTED, Fixture
from longstop_origin.football.people import Player
from longstop_origin.football.play import AWAY, CARD, GOAL, HALF_SECONDS, HOME, SUBSTITUTION, Play
from longstop_origin.football.sheets import Absence, Sheet
from longstop_origin.football.standing import seconds_played, standing
from longstop_origin.football.wire import Item, person_item

# Before that nobody has done enough to be rated.
RATED_AFTER_MINUTES = 10
SENT_OFF = frozenset({"red", "yellowRed"})
SHIRT = {"primary": "2f3565", "number": "ffffff", "outline": "2f3565", "fancyNumber": "ffffff"}


def lineups_answer(fixture: Fixture, at: float) -> Item | None:
    """None where the site has nothing to show."""
    kind = fixture.lineup_kind(at)
    if kind == "bare":
        return {"confirmed": False}
    if kind not in (PREDICTED, CONFIRMED):
        return None
    sheets = fixture.story.sheets if kind == CONFIRMED else fixture.story.guesses
    played = _figures(fixture, at)
    sides = {side: _sheet_item(sheets[side], _club(fixture, side), played) for side in (HOME, AWAY)}
    return {"confirmed": kind == CONFIRMED, **sides, "statisticalVersion": 3}


def _club(fixture: Fixture, side: str) -> int:
    return fixture.story.home.id if side == HOME else fixture.story.away.id


def _sheet_item(sheet: Sheet, club: int, played: dict[int, Item]) -> Item:
    squad = [*((player, False) for player in sheet.starters), *((player, True) for player in sheet.bench)]
    return {
        "players": [_player_item(player, is_substitute, sheet, club, played) for player, is_substitute in squad],
        "supportStaff": [],
        "formation": sheet.formation,
        "playerColor": SHIRT,
        "goalkeeperColor": SHIRT,
        "missingPlayers": [_absence_item(absence) for absence in sheet.missing],
    }


def _player_item(player: Player, is_substitute: bool, sheet: Sheet, club: int, played: dict[int, Item]) -> Item:
    """The season's average is shown until the match has begun; then the match's own figures."""
    item: Item = {
        "player": person_item(player),
        "teamId": club,
        "shirtNumber": player.shirt,
        "jerseyNumber": str(player.shirt),
        "position": player.position,
        "substitute": is_substitute,
    }
    if player.id == sheet.captain:
        item["captain"] = True
    if not played:
        item["avgRating"] = player.average
    elif player.id in played:
        item["statistics"] = played[player.id]
    return item


def _absence_item(absence: Absence) -> Item:
    return {
        "player": person_item(absence.player),
        "type": absence.kind,
        "reason": 1,
        "description": absence.reason,
    }


def _figures(fixture: Fixture, at: float) -> dict[int, Item]:
    """By player, once the match has begun. Who never came on has none."""
    now = standing(fixture, at)
    if not now.has_begun:
        return {}
    play, minute = fixture.story.play, _minute(fixture.story.play, now.offset)
    spells = _spells(fixture, now.offset, minute)
    return {player: _figure(fixture.id, player, spell, play, now.offset) for player, spell in spells.items()}


def _minute(play: Play, offset: float) -> int:
    first, second = seconds_played(play, offset)
    return int(min(first, HALF_SECONDS) // 60 + min(second, HALF_SECONDS) // 60)


def _spells(fixture: Fixture, offset: float, minute: int) -> dict[int, int]:
    """Minutes on the pitch so far."""
    came = {player.id: 0 for side in (HOME, AWAY) for player in fixture.story.sheets[side].starters}
    left: dict[int, int] = {}
    for each in fixture.story.play.until(offset):
        if each.kind == SUBSTITUTION and each.other is not None:
            came[each.player.id] = left[each.other.id] = min(each.minute, minute)
        elif each.kind == CARD and each.detail in SENT_OFF:
            left[each.player.id] = min(each.minute, minute)
    return {player: left.get(player, minute) - began for player, began in came.items()}


def _figure(match: int, player: int, minutes: int, play: Play, offset: float) -> Item:
    if minutes < RATED_AFTER_MINUTES:
        return {"minutesPlayed": minutes}
    rng = Random(f"{match}:{player}")
    goals = sum(
        each.kind == GOAL and each.player.id == player and each.detail != "ownGoal" for each in play.until(offset)
    )
    rating = round(min(rng.gauss(6.6, 0.45) + 0.8 * goals, 9.9), 1)
    passes = int(minutes * rng.uniform(0.2, 0.9))
    accurate = int(passes * rng.uniform(0.6, 0.95))
    figures: Item = {"totalPass": passes, "accuratePass": accurate, "minutesPlayed": minutes, "rating": rating}
    return figures | ({"goals": goals} if goals else {})
