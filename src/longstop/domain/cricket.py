"""Cricket as values: a ball, its place, an innings, a score, a result."""

from datetime import datetime
from enum import Enum

import msgspec

# Leaving the field hurt or by leave of the umpire costs no wicket; retired out does.
KINDS_WITHOUT_WICKET = frozenset({"retired hurt", "retired not out"})


class PlayState(Enum):
    """What is going on out there. Only ENDED means the match is over: stumps, lunch and rain never do."""

    NOT_STARTED = "not_started"
    PLAY = "play"
    DRINKS = "drinks"
    LUNCH = "lunch"
    TEA = "tea"
    STUMPS = "stumps"
    INNINGS_BREAK = "innings_break"
    RAIN = "rain"
    ENDED = "ended"
    UNKNOWN = "unknown"


class Place(msgspec.Struct, frozen=True, order=True):
    """Where in the match a ball stands: innings from 1, over from 0, position in the over from 1.

    Wides and no-balls take a position of their own, so no two balls of a match share a place.
    """

    innings: int
    over: int
    position: int

    def __str__(self) -> str:
        return f"{self.innings}.{self.over}.{self.position}"

    def __hash__(self) -> int:
        return (self.innings << 24) ^ (self.over << 8) ^ self.position


class Extras(msgspec.Struct, frozen=True):
    wides: int = 0
    noballs: int = 0
    byes: int = 0
    legbyes: int = 0
    penalty: int = 0

    @property
    def total(self) -> int:
        return self.wides + self.noballs + self.byes + self.legbyes + self.penalty

    def plus(self, other: "Extras") -> "Extras":
        return Extras(
            wides=self.wides + other.wides,
            noballs=self.noballs + other.noballs,
            byes=self.byes + other.byes,
            legbyes=self.legbyes + other.legbyes,
            penalty=self.penalty + other.penalty,
        )


NO_EXTRAS = Extras()


class Dismissal(msgspec.Struct, frozen=True):
    player: str
    kind: str
    fielders: tuple[str, ...] = ()

    @property
    def is_wicket(self) -> bool:
        return self.kind not in KINDS_WITHOUT_WICKET


class Replacement(msgspec.Struct, frozen=True):
    """A player who came in: for the match (concussion, impact player …) or only for a role (bowler, batter)."""

    scope: str
    player_in: str
    player_out: str | None = None
    team: str | None = None
    reason: str = ""
    role: str | None = None


class Delivery(msgspec.Struct, frozen=True):
    """One ball as the source tells it now. `bowled_at` is the source's clock and is no part of the content."""

    place: Place
    batter: str
    non_striker: str
    bowler: str
    runs_batter: int = 0
    extras: Extras = NO_EXTRAS
    dismissals: tuple[Dismissal, ...] = ()
    replacements: tuple[Replacement, ...] = ()
    is_non_boundary: bool = False
    bowled_at: datetime | None = None

    @property
    def runs(self) -> int:
        return self.runs_batter + self.extras.total

    @property
    def is_legal(self) -> bool:
        return not (self.extras.wides or self.extras.noballs)

    @property
    def wickets(self) -> int:
        return sum(dismissal.is_wicket for dismissal in self.dismissals) if self.dismissals else 0

    def says_the_same_as(self, other: "Delivery") -> bool:
        """Equal in content: a source that only re-stamps its clock has corrected nothing."""
        if self.bowled_at == other.bowled_at:
            return self == other
        return msgspec.structs.replace(self, bowled_at=other.bowled_at) == other


class OverReport(msgspec.Struct, frozen=True):
    """A whole over as the source shows it now; what is missing from it, the source does not show."""

    innings: int
    over: int
    deliveries: tuple[Delivery, ...]


class InningsState(Enum):
    LIVE = "live"
    CLOSED = "closed"
    DECLARED = "declared"
    FORFEITED = "forfeited"


class InningsScore(msgspec.Struct, frozen=True):
    """The scoreboard of one innings: a claim, to be checked against the balls."""

    number: int
    team: str
    runs: int
    wickets: int
    legal_balls: int | None = None
    overs: str = "0.0"
    extras: Extras | None = None
    is_super_over: bool = False
    state: InningsState = InningsState.LIVE
    penalty_before: int = 0
    penalty_after: int = 0
    absent_hurt: tuple[str, ...] = ()
    target_runs: int | None = None
    target_overs: str | None = None

    @property
    def penalty_awarded(self) -> int:
        return self.penalty_before + self.penalty_after


class BatterFigures(msgspec.Struct, frozen=True):
    player: str
    runs: int
    balls: int
    fours: int = 0
    sixes: int = 0
    is_on_strike: bool = False


class BowlerFigures(msgspec.Struct, frozen=True):
    player: str
    runs: int
    balls: int
    maidens: int = 0
    wickets: int = 0


class Toss(msgspec.Struct, frozen=True):
    winner: str
    decision: str


class Result(msgspec.Struct, frozen=True):
    """How it ended. `verdict` is won, tie, draw or no result."""

    verdict: str
    winner: str | None = None
    by_runs: int | None = None
    by_wickets: int | None = None
    by_innings: int | None = None
    method: str | None = None
    eliminator: str | None = None
    bowl_out: str | None = None
    text: str = ""
