"""The site's payloads as they are sent. Strict in what we use, blind to what we do not, optional where a real one
lacks it. A change here that refuses what was accepted before is a new version in contracts.py."""

from typing import Annotated

import msgspec
from msgspec import Meta

# Whoever keeps a number keeps 64 bits of it; what is larger is no number of a match.
Whole = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Ident = Annotated[int, Meta(gt=0, le=2**63 - 1)]
Shirt = Annotated[int, Meta(ge=0, le=999)]


class Named(msgspec.Struct, frozen=True, kw_only=True):
    id: Ident
    name: str


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """Referees and coaches come without an id at times."""

    id: Whole | None = None
    name: str = ""


class Status(msgspec.Struct, frozen=True, kw_only=True):
    code: Whole
    type: str
    description: str = ""


class Score(msgspec.Struct, frozen=True, kw_only=True):
    current: Whole | None = None
    display: Whole | None = None
    period1: Whole | None = None
    period2: Whole | None = None
    period3: Whole | None = None
    period4: Whole | None = None
    normaltime: Whole | None = None
    extra1: Whole | None = None
    extra2: Whole | None = None
    overtime: Whole | None = None
    penalties: Whole | None = None
    aggregated: Whole | None = None


class Clock(msgspec.Struct, frozen=True, kw_only=True):
    period_started: Whole | None = msgspec.field(name="currentPeriodStartTimestamp", default=None)


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    changed: Whole | None = msgspec.field(name="changeTimestamp", default=None)


class Sport(msgspec.Struct, frozen=True, kw_only=True):
    slug: str = ""


class Category(msgspec.Struct, frozen=True, kw_only=True):
    sport: Sport = Sport()


class Tournament(msgspec.Struct, frozen=True, kw_only=True):
    name: str = ""
    category: Category = Category()


class Season(msgspec.Struct, frozen=True, kw_only=True):
    name: str = ""


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A match in a list. Lists of the site's own search and of old seasons come without a score."""

    id: Ident
    start: Whole = msgspec.field(name="startTimestamp")
    status: Status
    home: Named = msgspec.field(name="homeTeam")
    away: Named = msgspec.field(name="awayTeam")
    home_score: Score = msgspec.field(name="homeScore", default=Score())
    away_score: Score = msgspec.field(name="awayScore", default=Score())
    winner: Whole | None = msgspec.field(name="winnerCode", default=None)
    aggregated_winner: Whole | None = msgspec.field(name="aggregatedWinnerCode", default=None)
    tournament: Tournament = Tournament()
    season: Season | None = None
    time: Clock = Clock()
    changes: Changes = Changes()
    half_minutes: Whole | None = msgspec.field(name="defaultPeriodLength", default=None)
    slug: str | None = None
    custom_id: str | None = msgspec.field(name="customId", default=None)


class Event(Listed, frozen=True, kw_only=True):
    """A match on its own always shows its two scores, empty before kickoff."""

    home_score: Score = msgspec.field(name="homeScore")
    away_score: Score = msgspec.field(name="awayScore")


class EventAnswer(msgspec.Struct, frozen=True, kw_only=True):
    event: Event


class EventList(msgspec.Struct, frozen=True, kw_only=True):
    """Each row is read by itself, so that a broken one costs only itself."""

    events: list[msgspec.Raw]


class Incident(msgspec.Struct, frozen=True, kw_only=True):
    kind: str = msgspec.field(name="incidentType")
    id: Whole | None = None
    time: Whole | None = None
    added: Whole | None = msgspec.field(name="addedTime", default=None)
    seconds: Whole | None = msgspec.field(name="timeSeconds", default=None)
    countdown: Whole | None = msgspec.field(name="reversedPeriodTime", default=None)
    is_home: bool | None = msgspec.field(name="isHome", default=None)
    home_score: Whole | None = msgspec.field(name="homeScore", default=None)
    away_score: Whole | None = msgspec.field(name="awayScore", default=None)
    detail: str | None = msgspec.field(name="incidentClass", default=None)
    text: str | None = None
    length: Whole | None = None
    sequence: Whole | None = None
    player: Person | None = None
    assist: Person | None = msgspec.field(name="assist1", default=None)
    player_in: Person | None = msgspec.field(name="playerIn", default=None)
    player_out: Person | None = msgspec.field(name="playerOut", default=None)


class IncidentsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    incidents: list[Incident]


class PlayerFigures(msgspec.Struct, frozen=True, kw_only=True):
    rating: float | None = None
    minutes: Whole | None = msgspec.field(name="minutesPlayed", default=None)


class SquadPlayer(msgspec.Struct, frozen=True, kw_only=True):
    """`teamId` is the player's club of today and says nothing about this match."""

    player: Named
    substitute: bool
    position: str | None = None
    shirt: Shirt | None = msgspec.field(name="shirtNumber", default=None)
    captain: bool = False
    average: float | None = msgspec.field(name="avgRating", default=None)
    statistics: PlayerFigures = PlayerFigures()


class Absentee(msgspec.Struct, frozen=True, kw_only=True):
    player: Named


class TeamSheet(msgspec.Struct, frozen=True, kw_only=True):
    players: list[SquadPlayer]
    formation: str | None = None
    missing: list[Absentee] = msgspec.field(name="missingPlayers", default_factory=list)


class LineUpsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    confirmed: bool
    home: TeamSheet | None = None
    away: TeamSheet | None = None


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    home: str | float
    away: str | float
    home_value: float | None = msgspec.field(name="homeValue", default=None)
    away_value: float | None = msgspec.field(name="awayValue", default=None)
    home_total: float | None = msgspec.field(name="homeTotal", default=None)
    away_total: float | None = msgspec.field(name="awayTotal", default=None)


class MeasureGroup(msgspec.Struct, frozen=True, kw_only=True):
    name: str = msgspec.field(name="groupName", default="")
    items: list[Measure] = msgspec.field(name="statisticsItems")


class PeriodMeasures(msgspec.Struct, frozen=True, kw_only=True):
    period: str
    groups: list[MeasureGroup]


class StatisticsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    statistics: list[PeriodMeasures]


class PlayerAnswer(msgspec.Struct, frozen=True, kw_only=True):
    player: Named


class PlayerMatch(msgspec.Struct, frozen=True, kw_only=True):
    """One player in one match."""

    player: Named
    team: Named
    statistics: PlayerFigures


class SeasonFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One player's season. Its figures are many and change from competition to competition."""

    statistics: dict[str, float | str | dict[str, object] | None]


class Found(msgspec.Struct, frozen=True, kw_only=True):
    type: str
    entity: Named


class SearchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    results: list[Found]


class TournamentSeasons(msgspec.Struct, frozen=True, kw_only=True):
    tournament: Named = msgspec.field(name="uniqueTournament")
    seasons: list[Named]


class SeasonsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    tournaments: list[TournamentSeasons] = msgspec.field(name="uniqueTournamentSeasons")
