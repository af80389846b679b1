"""All matches of the simulated site: a calendar of some days, drawn from a seed."""

import math
from collections.abc import Iterator
from datetime import UTC, date, datetime
from random import Random

from msgspec import Struct

from longstop_origin.football.drama import played_out
from longstop_origin.football.fixture import (
    CANCELLED,
    PLAYED,
    POSTPONED,
    UNPUBLISHED,
    Announcement,
    Fixture,
    Plan,
    Story,
)
from longstop_origin.football.people import CLUBS_PER_COMPETITION, Club, Competition, competitions
from longstop_origin.football.play import AWAY, HOME
from longstop_origin.football.sheets import guessed, picked

DAY = 86_400.0
FIRST_EVENT = 13_400_001
PAIRS_PER_COMPETITION = CLUBS_PER_COMPETITION // 2
# Kickoffs by the hour of the day, UTC; most are in the evening.
HOURS = (11, 12, 13, 14, 15, 16, 16, 17, 17, 18, 18, 19, 19, 19, 20, 20)
BEFORE_WEIGHTS = (35, 20, 10, 35)
MOVE_MINUTES = (-120, -60, -30, -15, 15, 30, 60, 120)
LEAD_MINUTES = (6.0, 110.0)
LATE_LEAD_MINUTES = (-25.0, -2.0)


class FootballOptions(Struct, frozen=True, kw_only=True):
    """Shares are of all matches. `lead_minutes` is how long before a kickoff line-ups come out on average."""

    epoch: float
    seed: int = 0
    matches: int = 100
    days: int = 3
    past_days: int = 0
    lead_minutes: float = 60.0
    lead_spread_minutes: float = 12.0
    moved: float = 0.08
    called_off: float = 0.04
    unpublished: float = 0.02


class FootballWorld:
    """`fixtures` are in the order of their ids. `extra` are matches from files, each at a kickoff."""

    def __init__(self, options: FootballOptions, extra: tuple[Fixture, ...] = ()) -> None:
        self.options = options
        self.fixtures = (*_fixtures(options), *extra)
        self._by_id = {fixture.id: fixture for fixture in self.fixtures}
        self._by_custom_id = {fixture.story.custom_id: fixture for fixture in self.fixtures}

    def fixture(self, key: str) -> Fixture | None:
        return self._by_id.get(int(key)) if key.isdecimal() and len(key) < 16 else None

    def by_custom_id(self, custom_id: str) -> Fixture | None:
        return self._by_custom_id.get(custom_id)

    def of_day(self, day: date, at: float) -> list[Fixture]:
        begins = datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()
        found = [each for each in self.fixtures if begins <= each.kickoff(at) < begins + DAY]
        return sorted(found, key=lambda each: (each.kickoff(at), each.id))

    def live(self, at: float) -> list[Fixture]:
        return [each for each in self.fixtures if not each.is_off(at) and _is_on(each, at)]


def _is_on(fixture: Fixture, at: float) -> bool:
    play = fixture.story.play
    return play.late <= fixture.offset(at) < play.ends


def _fixtures(options: FootballOptions) -> Iterator[Fixture]:
    days = options.days + options.past_days
    per_day = math.ceil(options.matches / days)
    leagues = list(competitions(options.seed, math.ceil(per_day / PAIRS_PER_COMPETITION), _season(options.epoch)))
    first_day = options.epoch // DAY * DAY - options.past_days * DAY
    left = options.matches
    for day in range(days):
        rng = Random(f"{options.seed}:day:{day}")
        for league, home, away in _pairs(leagues, min(per_day, left), rng):
            number = options.matches - left
            left -= 1
            yield _fixture(number, (league, home, away), first_day + day * DAY, options)


def _season(epoch: float) -> str:
    """From summer to summer."""
    moment = datetime.fromtimestamp(epoch, UTC)
    began = moment.year - (moment.month < 7)
    return f"{began % 100:02}/{(began + 1) % 100:02}"


def _pairs(leagues: list[Competition], count: int, rng: Random) -> list[tuple[Competition, Club, Club]]:
    """No club plays twice on a day."""
    drawn = []
    for league in leagues:
        clubs = rng.sample(league.clubs, len(league.clubs))
        drawn += [(league, home, away) for home, away in zip(clubs[::2], clubs[1::2], strict=True)]
    return drawn[:count]


def _fixture(number: int, teams: tuple[Competition, Club, Club], day: float, options: FootballOptions) -> Fixture:
    rng = Random(f"{options.seed}:fixture:{number}")
    kickoff = _kickoff(day, options, rng)
    story = story_of(FIRST_EVENT + number, teams, rng)
    return Fixture(story, kickoff, _plan(kickoff, options, rng))


def story_of(number: int, teams: tuple[Competition, Club, Club], rng: Random) -> Story:
    league, home, away = teams
    sheets = {HOME: picked(home, rng), AWAY: picked(away, rng)}
    return Story(
        id=number,
        competition=league,
        round=rng.randint(1, 34),
        home=home,
        away=away,
        sheets=sheets,
        guesses={side: guessed(sheet, rng) for side, sheet in sheets.items()},
        play=played_out(sheets[HOME], sheets[AWAY], rng),
    )


def _kickoff(day: float, options: FootballOptions, rng: Random) -> float:
    """At a quarter of an hour; on the first day not before there was time to look."""
    kickoff = day + rng.choice(HOURS) * 3600 + rng.choice((0, 0, 15, 30, 30, 45)) * 60
    if options.past_days == 0 and kickoff < options.epoch + 3 * 3600:
        kickoff = (options.epoch + 3 * 3600) // 900 * 900 + 900 * rng.randint(1, 24)
    return kickoff


def _plan(kickoff: float, options: FootballOptions, rng: Random) -> Plan:
    fate = PLAYED
    if rng.random() < options.called_off:
        fate = rng.choice((POSTPONED, CANCELLED))
    lead = min(max(rng.gauss(options.lead_minutes, options.lead_spread_minutes), LEAD_MINUTES[0]), LEAD_MINUTES[1])
    if rng.random() < options.unpublished:
        lead = rng.uniform(*LATE_LEAD_MINUTES)
    return Plan(
        lead=lead * 60,
        before=rng.choices(UNPUBLISHED, BEFORE_WEIGHTS)[0],
        guessed=rng.uniform(3, 30) * 3600,
        fate=fate,
        fate_before=rng.uniform(0.5, 30) * 3600,
        moves=_moves(kickoff, rng) if rng.random() < options.moved and fate == PLAYED else (),
    )


def _moves(kickoff: float, rng: Random) -> tuple[Announcement, ...]:
    """Told between a day and three quarters of an hour before the earlier of the two kickoffs."""
    moved = kickoff + 60 * rng.choice(MOVE_MINUTES)
    told = min(kickoff, moved) - rng.choice((45, 90, 180, 600, 1440)) * 60
    return (Announcement(told, moved),)
