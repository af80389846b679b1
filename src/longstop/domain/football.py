"""Football as values: a match, its score by period, what happened in it, and who played."""

from datetime import datetime
from enum import Enum

import msgspec

STARTERS = 11


class Side(Enum):
    HOME = "home"
    AWAY = "away"


class Stage(Enum):
    """How far a match is, in the coarsest words."""

    UPCOMING = "upcoming"
    LIVE = "live"
    OVER = "over"
    OFF = "off"
    UNKNOWN = "unknown"


class Phase(Enum):
    """What is going on. AWARDED is every result that was decided on paper, so its goals need not add up."""

    NOT_STARTED = "not_started"
    IN_PLAY = "in_play"
    FIRST_HALF = "first_half"
    HALF_TIME = "half_time"
    SECOND_HALF = "second_half"
    EXTRA_TIME = "extra_time"
    SHOOT_OUT = "shoot_out"
    FINISHED = "finished"
    AFTER_EXTRA_TIME = "after_extra_time"
    AFTER_PENALTIES = "after_penalties"
    INTERRUPTED = "interrupted"
    POSTPONED = "postponed"
    CANCELLED = "cancelled"
    ABANDONED = "abandoned"
    AWARDED = "awarded"
    UNKNOWN = "unknown"

    @property
    def stage(self) -> Stage:
        return _STAGES.get(self, Stage.LIVE)

    @property
    def is_played_out(self) -> bool:
        """Ended on the pitch, so that the score is the sum of what happened there."""
        return self in (Phase.FINISHED, Phase.AFTER_EXTRA_TIME, Phase.AFTER_PENALTIES)

    @property
    def is_in_normal_time(self) -> bool:
        return self in (Phase.FIRST_HALF, Phase.HALF_TIME, Phase.SECOND_HALF)


_STAGES = {
    Phase.NOT_STARTED: Stage.UPCOMING,
    Phase.FINISHED: Stage.OVER,
    Phase.AFTER_EXTRA_TIME: Stage.OVER,
    Phase.AFTER_PENALTIES: Stage.OVER,
    Phase.POSTPONED: Stage.OFF,
    Phase.CANCELLED: Stage.OFF,
    Phase.ABANDONED: Stage.OFF,
    Phase.AWARDED: Stage.OFF,
    Phase.INTERRUPTED: Stage.UNKNOWN,
    Phase.UNKNOWN: Stage.UNKNOWN,
}


class Winner(Enum):
    HOME = "home"
    AWAY = "away"
    DRAW = "draw"


class Club(msgspec.Struct, frozen=True):
    """One of the two teams, by the source's own key."""

    key: str
    name: str


class SideScore(msgspec.Struct, frozen=True):
    """The goals of one team as the source shows them, several times over. What it does not show is None.

    `current` may include a shoot-out, `display` is the score without it. `periods` are the halves (some matches have
    more), `extra_periods` the halves of extra time; `aggregated` is over both legs of a tie.
    """

    current: int | None = None
    display: int | None = None
    periods: tuple[int | None, ...] = ()
    normal_time: int | None = None
    extra_periods: tuple[int | None, ...] = ()
    extra_time: int | None = None
    penalties: int | None = None
    aggregated: int | None = None

    @property
    def played(self) -> int | None:
        """Goals without a shoot-out."""
        return self.current if self.display is None else self.display

    @property
    def is_shown(self) -> bool:
        return self.played is not None


class FootballEvent(msgspec.Struct, frozen=True):
    """One match as its source tells it now. `stage` is what the source says a second time about `phase`; `page` is the
    path of its page on the site. Without a `kickoff` it has no date yet."""

    key: str
    home: Club
    away: Club
    phase: Phase
    stage: Stage
    kickoff: datetime | None
    status: str = ""
    home_score: SideScore = SideScore()
    away_score: SideScore = SideScore()
    winner: Winner | None = None
    aggregated_winner: Winner | None = None
    tournament: str = ""
    season: str = ""
    period_started_at: datetime | None = None
    changed_at: datetime | None = None
    half_minutes: int | None = None
    page: str = ""

    @property
    def score(self) -> tuple[int, int] | None:
        """Without a shoot-out; None as long as one of the two is unknown."""
        home, away = self.home_score.played, self.away_score.played
        return None if home is None or away is None else (home, away)


class IncidentKind(Enum):
    PERIOD = "period"
    GOAL = "goal"
    CARD = "card"
    SUBSTITUTION = "substitution"
    ADDED_TIME = "added_time"
    VIDEO_DECISION = "video_decision"
    MISSED_PENALTY = "missed_penalty"
    SHOOT_OUT = "shoot_out"
    OTHER = "other"


class Person(msgspec.Struct, frozen=True):
    key: str
    name: str


class Incident(msgspec.Struct, frozen=True):
    """Something that happened. `minute` never exceeds its half; what is played on top is `added`.

    `countdown` is the source's own count of the minutes to the end of the half; `after` is the score once it happened,
    in a shoot-out that of the shoot-out.
    """

    kind: IncidentKind
    key: str = ""
    minute: int | None = None
    added: int | None = None
    side: Side | None = None
    detail: str = ""
    after: tuple[int, int] | None = None
    player: Person | None = None
    other: Person | None = None
    countdown: int | None = None
    seconds: int | None = None
    sequence: int | None = None

    @property
    def is_own_goal(self) -> bool:
        return self.kind is IncidentKind.GOAL and self.detail.lower() == "owngoal"

    @property
    def where(self) -> str:
        """The minute as people write it."""
        if self.minute is None:
            return "an unknown minute"
        return f"{self.minute}+{self.added}'" if self.added else f"{self.minute}'"


class SquadPlayer(msgspec.Struct, frozen=True):
    """A player of a line-up. `rating` is of this match: before it there is none, and on the bench there never is one.
    `average` is what he was rated in the season, which is told before a match."""

    person: Person
    is_substitute: bool
    position: str = ""
    shirt: int | None = None
    is_captain: bool = False
    rating: float | None = None
    minutes: int | None = None
    average: float | None = None

    @property
    def form(self) -> float | None:
        """The rating that may be known at this time: of the match once it was played, else of the season."""
        return self.average if self.rating is None else self.rating


class TeamSheet(msgspec.Struct, frozen=True):
    players: tuple[SquadPlayer, ...]
    formation: str = ""
    missing: tuple[Person, ...] = ()

    @property
    def starters(self) -> tuple[SquadPlayer, ...]:
        return tuple(player for player in self.players if not player.is_substitute)


class LineUps(msgspec.Struct, frozen=True):
    """Both teams, or neither: an unconfirmed line-up may be empty."""

    is_confirmed: bool
    home: TeamSheet | None = None
    away: TeamSheet | None = None

    @property
    def sheets(self) -> tuple[tuple[Side, TeamSheet], ...]:
        both = ((Side.HOME, self.home), (Side.AWAY, self.away))
        return tuple((side, sheet) for side, sheet in both if sheet is not None)

    @property
    def starters_missing(self) -> int:
        """How many of the 22 who begin are not told."""
        return sum(max(0, STARTERS - len(sheet.starters)) for sheet in (self.home, self.away) if sheet) + STARTERS * (
            (self.home is None) + (self.away is None)
        )

    @property
    def has_ratings(self) -> bool:
        return any(player.form is not None for _, sheet in self.sheets for player in sheet.players)


class Measure(msgspec.Struct, frozen=True):
    """One line of the match statistics: as text, and as numbers where the source gives them too. A `total` is of what
    the value is a part: 8 tackles won of 14."""

    period: str
    name: str
    home: str
    away: str
    home_value: float | None = None
    away_value: float | None = None
    home_total: float | None = None
    away_total: float | None = None


class MatchReport(msgspec.Struct, frozen=True):
    """What one payload, or several that were saved together, tell of one match; or a list of matches. `listed` is what
    a list that was saved with a match says of it."""

    event: FootballEvent | None = None
    incidents: tuple[Incident, ...] | None = None
    lineups: LineUps | None = None
    statistics: tuple[Measure, ...] | None = None
    events: tuple[FootballEvent, ...] | None = None
    listed: tuple[FootballEvent, ...] = ()
