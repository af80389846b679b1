"""What each batter and bowler has by the balls of an innings, beside what the board says of those whom it shows.

A correction that leaves every sum equal, a boundary given to the other batter, is seen here.
"""

from collections.abc import Iterable

import msgspec

from longstop.domain.cricket import Delivery
from longstop.domain.events import DeliveryRecord
from longstop.domain.observation import Observation

# What counts for the bowler; a run out is nobody's, and who retires is not out by him.
BOWLER_KINDS = frozenset({"bowled", "caught", "caught and bowled", "lbw", "stumped", "hit wicket"})
BATTER, BOWLER = "batter", "bowler"

Who = tuple[str, str]
Tally = tuple[int, int, int]
NOTHING: Tally = (0, 0, 0)


class Doubt(msgspec.Struct, frozen=True):
    """The board's figures of one player minus those of the balls."""

    innings: int
    role: str
    player: str
    runs: int
    balls: int
    wickets: int = 0

    def describe(self) -> str:
        return f"{self.role} {self.player} has {self.runs:+d} runs, {self.balls:+d} balls, {self.wickets:+d} wickets"


class Figures:
    """Runs, balls and wickets of everybody in one innings, kept up ball by ball."""

    def __init__(self) -> None:
        self._tallies: dict[Who, Tally] = {}

    def of(self, role: str, player: str) -> Tally:
        return self._tallies.get((role, player), NOTHING)

    def move(self, delivery: Delivery | None, sign: int) -> None:
        if delivery is not None:
            for who, tally in _parts(delivery):
                self._tallies[who] = _plus(self._tallies.get(who, NOTHING), tally, sign)

    def players(self) -> Iterable[tuple[str, str, Tally]]:
        for (role, player), tally in self._tallies.items():
            yield role, player, tally


def _parts(delivery: Delivery) -> tuple[tuple[Who, Tally], tuple[Who, Tally]]:
    extras = delivery.extras
    wickets = sum(dismissal.kind in BOWLER_KINDS for dismissal in delivery.dismissals)
    return (
        ((BATTER, delivery.batter), (delivery.runs_batter, int(not extras.wides), 0)),
        (
            (BOWLER, delivery.bowler),
            (delivery.runs_batter + extras.wides + extras.noballs, int(delivery.is_legal), wickets),
        ),
    )


def _plus(left: Tally, right: Tally, sign: int) -> Tally:
    return (left[0] + sign * right[0], left[1] + sign * right[1], left[2] + sign * right[2])


def doubts(observation: Observation, figures: Figures, moves: Iterable[tuple[Delivery | None, int]]) -> list[Doubt]:
    """Of the players that the board shows. `moves` are the balls that come and go with this observation."""
    current = observation.current_innings
    if current is None:
        return []
    moved = Figures()
    for delivery, sign in moves:
        moved.move(delivery, sign)
    found = []
    for role, player, shown in _shown(observation):
        by_balls = _plus(figures.of(role, player), moved.of(role, player), 1)
        runs, balls, wickets = _plus(shown, by_balls, -1)
        if runs or balls or wickets:
            found.append(Doubt(current.number, role, player, runs, balls, wickets))
    return found


def _shown(observation: Observation) -> list[tuple[str, str, Tally]]:
    shown = [(BATTER, each.player, (each.runs, each.balls, 0)) for each in observation.batting]
    bowler = observation.bowling
    if bowler is not None:
        shown.append((BOWLER, bowler.player, (bowler.runs, bowler.balls, bowler.wickets)))
    return shown


def overs_in_doubt(found: Iterable[Doubt], records: Iterable[DeliveryRecord]) -> frozenset[int]:
    """The overs in which the ball must be that makes the difference: where all of them were at it, or any of them."""
    rows = [(record.place.over, record.delivery) for record in records if record.delivery is not None]
    sets = [{over for over, delivery in rows if _was_at_it(doubt, delivery)} for doubt in found]
    if not sets:
        return frozenset()
    return frozenset(set.intersection(*sets) or set.union(*sets))


def _was_at_it(doubt: Doubt, delivery: Delivery) -> bool:
    """A bowler who has more balls on the board than in the book may have bowled them anywhere."""
    if doubt.role == BATTER:
        return doubt.player in (delivery.batter, delivery.non_striker)
    return doubt.balls > 0 or doubt.player == delivery.bowler
