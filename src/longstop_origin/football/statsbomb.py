"""A real match, from StatsBomb's files, in the world of the football site: its line-ups, goals, cards and changes."""

import math
from collections.abc import Iterator
from pathlib import Path
from random import Random

from longstop_origin.football.fixture import PREDICTED, Fixture, Plan, Story
from longstop_origin.football.people import Club, Competition, Country, Player
from longstop_origin.football.play import AWAY, CARD, GOAL, HALF_SECONDS, HOME, SUBSTITUTION, Happening, Play
from longstop_origin.football.sheets import Sheet, guessed
from longstop_origin.football.statsbomb_reading import MatchFiles, Row, StatsBombError, Team, read_files
from longstop_origin.naming import slug

__all__ = ["StatsBombError", "load_statsbomb"]

LEAD_SECONDS = 3600.0
LATE_SECONDS, PAUSE_SECONDS = 60, 15 * 60
CLUBS_FROM = 900_000
HALVES = (1, 2)
CARDS = {"Yellow Card": "yellow", "Second Yellow": "yellowRed", "Red Card": "red"}
POSITIONS = (("Goalkeeper", "G"), ("Back", "D"), ("Midfield", "M"), ("Wing", "F"), ("Forward", "F"), ("Striker", "F"))
NOWHERE = Country("World", "WW", "world")
AVERAGE = 6.8


def load_statsbomb(path: Path, kickoff: float) -> Fixture:
    """Raises StatsBombError for what is no whole match of ninety minutes."""
    files = read_files(path)
    if any(row.period not in HALVES for row in files.rows):
        raise StatsBombError(f"{path.name} goes on after ninety minutes. Give a match that does not.")
    chosen = [row for row in files.rows if row.tactics is not None and row.type.name == "Starting XI"]
    if len(chosen) != 2 or {row.team.id for row in chosen} != files.teams.keys():
        raise StatsBombError(f"{path.name} does not say who begins for two teams.")
    # The home team is told first.
    sides = dict(zip((HOME, AWAY), chosen, strict=True))
    clubs = {side: _club(files.teams[row.team.id], row) for side, row in sides.items()}
    story = _story(files, clubs, {side: _sheet(clubs[side], row) for side, row in sides.items()}, sides)
    return Fixture(story, kickoff, Plan(lead=LEAD_SECONDS, before=PREDICTED))


def _story(files: MatchFiles, clubs: dict[str, Club], sheets: dict[str, Sheet], sides: dict[str, Row]) -> Story:
    rng = Random(files.number)
    league = Competition(901, "Matches from files", NOWHERE, 79_901, "1", tuple(clubs.values()))
    side_of = {row.team.id: side for side, row in sides.items()}
    return Story(
        id=files.number,
        competition=league,
        round=1,
        home=clubs[HOME],
        away=clubs[AWAY],
        sheets=sheets,
        guesses={side: guessed(sheet, rng) for side, sheet in sheets.items()},
        play=_play(files, clubs, side_of),
    )


def _club(team: Team, chosen: Row) -> Club:
    begins = {each.player.id: each.position.name for each in chosen.tactics.lineup} if chosen.tactics else {}
    players = tuple(
        Player(
            id=row.player_id,
            name=row.player_nickname or row.player_name,
            position=_position(begins.get(row.player_id) or (row.positions[0].position if row.positions else "")),
            shirt=row.jersey_number,
            country=Country(row.country.name, row.country.name[:2].upper(), slug(row.country.name))
            if row.country
            else NOWHERE,
            average=AVERAGE,
        )
        for row in team.lineup
    )
    return Club(CLUBS_FROM + team.team_id, team.team_name, NOWHERE, players)


def _position(words: str) -> str:
    return next((letter for word, letter in POSITIONS if word in words), "M")


def _sheet(club: Club, chosen: Row) -> Sheet:
    assert chosen.tactics is not None
    begins = [each.player.id for each in sorted(chosen.tactics.lineup, key=lambda each: each.position.id)]
    by_id = {player.id: player for player in club.players}
    starters = tuple(by_id[player] for player in begins)
    bench = tuple(player for player in club.players if player.id not in begins)
    return Sheet("-".join(str(chosen.tactics.formation)), starters, bench, starters[1].id)


def _play(files: MatchFiles, clubs: dict[str, Club], side_of: dict[int, str]) -> Play:
    people = {player.id: player for club in clubs.values() for player in club.players}
    happened = [each for row in files.rows for each in _happenings(row, files, side_of[row.team.id], people)]
    return Play(
        late=LATE_SECONDS,
        added=(_added(files, 1), _added(files, 2)),
        pause=PAUSE_SECONDS,
        happenings=tuple(sorted(happened, key=lambda each: (each.half, each.second))),
    )


def _added(files: MatchFiles, half: int) -> int:
    """Whole minutes, so that everything that happened finds room."""
    return max(math.ceil((max(row.second for row in files.rows if row.period == half) - HALF_SECONDS) / 60), 0)


def _happenings(row: Row, files: MatchFiles, side: str, people: dict[int, Player]) -> Iterator[Happening]:
    player = people.get(row.player.id) if row.player else None
    if row.type.name == "Own Goal For":
        yield Happening(row.period, row.second, GOAL, side, _unlucky(row, files, people), detail="ownGoal")
    if player is None:
        return
    if row.shot is not None and row.shot.outcome.name == "Goal":
        detail = "penalty" if row.shot.type.name == "Penalty" else "regular"
        yield Happening(row.period, row.second, GOAL, side, player, _passer(row, files, people), detail)
    if row.substitution is not None:
        coming = people[row.substitution.replacement.id]
        yield Happening(row.period, row.second, SUBSTITUTION, side, coming, player)
    for foul in (row.foul_committed, row.bad_behaviour):
        if foul is not None and foul.card is not None:
            yield Happening(row.period, row.second, CARD, side, player, detail=CARDS.get(foul.card.name, "yellow"))


def _unlucky(row: Row, files: MatchFiles, people: dict[int, Player]) -> Player:
    """Who scored against his own: told in a row of its own, of the same moment."""
    told = next(
        (
            each.player.id
            for each in files.rows
            if each.type.name == "Own Goal Against" and each.player and _moment(each) == _moment(row)
        ),
        None,
    )
    if told is None or told not in people:
        raise StatsBombError(f"An own goal at {row.timestamp} is nobody's.")
    return people[told]


def _moment(row: Row) -> tuple[int, str]:
    return row.period, row.timestamp


def _passer(row: Row, files: MatchFiles, people: dict[int, Player]) -> Player | None:
    wanted = row.shot.key_pass_id if row.shot else None
    passed = next((each for each in files.rows if wanted and each.id == wanted), None)
    return people.get(passed.player.id) if passed is not None and passed.player is not None else None
