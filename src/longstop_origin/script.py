"""A match script: a whole match known beforehand, every ball with the second at which the site first shows it.

Seconds count from the start of the match at real speed; the world turns them into times of day.
A ball may be shown wrong at first: `delivery` is what the site shows first, each revision what it shows later,
and the last revision is the truth.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec import Struct

UNCOUNTED_KINDS = frozenset({"retired hurt", "retired not out"})
BOWLER_KINDS = frozenset({"bowled", "caught", "caught and bowled", "lbw", "stumped", "hit wicket"})


class Wicket(Struct, frozen=True, gc=False):
    player: str
    kind: str
    fielders: tuple[str, ...] = ()

    @property
    def is_counted(self) -> bool:
        return self.kind not in UNCOUNTED_KINDS


class Replacement(Struct, frozen=True, gc=False):
    """`scope` is match (for good) or role (only to bowl, bat or keep)."""

    scope: str
    player_in: str
    player_out: str | None = None
    team: str | None = None
    reason: str = ""
    role: str | None = None


class Extras(Struct, frozen=True, gc=False):
    wides: int = 0
    noballs: int = 0
    byes: int = 0
    legbyes: int = 0
    penalty: int = 0

    @property
    def total(self) -> int:
        return self.wides + self.noballs + self.byes + self.legbyes + self.penalty


NO_EXTRAS = Extras()


class Delivery(Struct, frozen=True, gc=False):
    """The content of one ball."""

    batter: str
    non_striker: str
    bowler: str
    runs_batter: int = 0
    extras: Extras = NO_EXTRAS
    wickets: tuple[Wicket, ...] = ()
    replacements: tuple[Replacement, ...] = ()
    non_boundary: bool = False

    @property
    def runs(self) -> int:
        return self.runs_batter + self.extras.total

    @property
    def is_legal(self) -> bool:
        return not (self.extras.wides or self.extras.noballs)

    @property
    def wickets_lost(self) -> int:
        return sum(wicket.is_counted for wicket in self.wickets) if self.wickets else 0


class Revision(Struct, frozen=True, gc=False):
    """From then on the ball reads so; None means the site took it away."""

    at_seconds: float
    delivery: Delivery | None


class ScriptBall(Struct, frozen=True, gc=False):
    over: int
    position: int
    delivery: Delivery
    at_seconds: float = 0.0
    revisions: tuple[Revision, ...] = ()

    def shown_at(self, seconds: float) -> Delivery | None:
        """What the site shows of this ball then, None when nothing."""
        if seconds < self.at_seconds:
            return None
        shown: Delivery | None = self.delivery
        for revision in self.revisions:
            if revision.at_seconds <= seconds:
                shown = revision.delivery
        return shown

    @property
    def truth(self) -> Delivery | None:
        return self.revisions[-1].delivery if self.revisions else self.delivery


class BallKey(NamedTuple):
    """Innings from 1, over from 0, position in the over from 1."""

    innings: int
    over: int
    position: int

    def __str__(self) -> str:
        return f"{self.innings}.{self.over}.{self.position}"


class ScriptInnings(Struct, frozen=True, gc=False):
    """`miscounted` maps an over to the legal balls the umpire let pass as a whole over."""

    team: str
    balls: tuple[ScriptBall, ...] = ()
    super_over: bool = False
    declared: bool = False
    forfeited: bool = False
    absent_hurt: tuple[str, ...] = ()
    penalty_pre: int = 0
    penalty_post: int = 0
    target_runs: int | None = None
    target_overs: float | None = None
    miscounted: dict[int, int] = {}
    begins_seconds: float = 0.0
    closes_seconds: float = 0.0


class Team(Struct, frozen=True, gc=False):
    name: str
    short: str


class Toss(Struct, frozen=True, gc=False):
    winner: str
    decision: str
    uncontested: bool = False


class Outcome(Struct, frozen=True, gc=False):
    """How it ended, in Cricsheet's words. All empty: the script does not say."""

    winner: str | None = None
    by: dict[str, int] = {}
    method: str | None = None
    result: str | None = None
    eliminator: str | None = None
    bowl_out: str | None = None

    @property
    def is_known(self) -> bool:
        return self != NO_OUTCOME

    def to_dict(self) -> dict[str, Any]:
        """The shape of a Cricsheet outcome, nothing that is empty."""
        fields = ("winner", "by", "method", "result", "eliminator", "bowl_out")
        return {name: getattr(self, name) for name in fields if getattr(self, name)}


NO_OUTCOME = Outcome()


class PlaySpan(Struct, frozen=True, gc=False):
    """A time without play. `state` is the wire's letter: D, L, T, S, I or R."""

    state: str
    from_seconds: float
    to_seconds: float


class Announcement(Struct, frozen=True, gc=False):
    at_seconds: float
    text: str


class MatchScript(Struct, frozen=True, gc=False):
    key: str
    slug: str
    format: str
    teams: tuple[Team, Team]
    innings: tuple[ScriptInnings, ...]
    outcome: Outcome = NO_OUTCOME
    players: dict[str, tuple[str, ...]] = {}
    venue: str = ""
    series: str = ""
    match_name: str = ""
    toss: Toss | None = None
    overs_limit: int | None = None
    balls_per_over: int = 6
    spans: tuple[PlaySpan, ...] = ()
    announcements: tuple[Announcement, ...] = ()
    end_seconds: float = 0.0

    def keyed_balls(self) -> Iterator[tuple[BallKey, ScriptBall]]:
        for number, innings in enumerate(self.innings, 1):
            for ball in innings.balls:
                yield BallKey(number, ball.over, ball.position), ball

    def names(self) -> set[str]:
        """Every player the script mentions, in the lists or not."""
        found = {name for squad in self.players.values() for name in squad}
        for innings in self.innings:
            found.update(innings.absent_hurt)
            for ball in innings.balls:
                for delivery in (ball.delivery, *(revision.delivery for revision in ball.revisions)):
                    if delivery is not None:
                        _collect_names(delivery, found)
        return found


def _collect_names(delivery: Delivery, found: set[str]) -> None:
    found.update((delivery.batter, delivery.non_striker, delivery.bowler))
    for wicket in delivery.wickets:
        found.add(wicket.player)
        found.update(wicket.fielders)
    for replacement in delivery.replacements:
        found.add(replacement.player_in)
        if replacement.player_out is not None:
            found.add(replacement.player_out)


def result_text(outcome: Outcome) -> str:
    """The result as a site words it: "India won by 8 wickets", "Match tied (India won the Super Over)"."""
    if outcome.winner:
        method = f" ({outcome.method})" if outcome.method else ""
        return f"{outcome.winner} won{_margin(outcome.by)}{method}"
    if outcome.result == "tie":
        return f"Match tied{_decider(outcome)}"
    if outcome.result == "draw":
        return "Match drawn"
    if outcome.result:
        return outcome.result.capitalize()
    return "Match ended"


def _decider(outcome: Outcome) -> str:
    if outcome.eliminator:
        return f" ({outcome.eliminator} won the Super Over)"
    if outcome.bowl_out:
        return f" ({outcome.bowl_out} won the bowl-out)"
    return ""


def _margin(by: dict[str, int]) -> str:
    if not by:
        return ""
    parts = ["an innings"] if by.get("innings") else []
    parts += [f"{by[unit]} {unit if by[unit] != 1 else unit[:-1]}" for unit in ("runs", "wickets") if by.get(unit)]
    return f" by {' and '.join(parts)}" if parts else ""
