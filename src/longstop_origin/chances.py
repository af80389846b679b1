"""How likely what is, per format: the numbers behind the ball-by-ball model."""

from functools import cache
from itertools import accumulate
from random import Random

from msgspec import Struct

# What a ball can come to, besides runs off the bat (0 to 6).
WICKET, BYE, LEGBYE, WIDE, NOBALL = -1, -2, -3, -4, -5

# How hard the batters go, from blocking to all or nothing; 2 is the ordinary way.
AGGRESSION = (0.6, 0.8, 1.0, 1.3, 1.7)
# Openers, middle order, all-rounders, tail: how easily they fall, how well they hit.
FRAILTY = (0.85, 1.0, 1.3, 2.2)
POWER = (1.1, 1.0, 0.85, 0.55)


class MatchFormat(Struct, frozen=True):
    """`runs` weighs 0, 1, 2, 3, 4, 5 and 6 off the bat. Overs None: as many as the days allow."""

    name: str
    overs: int | None
    balls_per_over: int
    fewest_overs: int
    runs: tuple[float, ...]
    wicket: float
    wide: float
    noball: float
    powerplay: int = 0

    @property
    def runs_an_over(self) -> float:
        return self.balls_per_over * sum(number * weight for number, weight in enumerate(self.runs)) / sum(self.runs)


FORMATS = {
    each.name: each
    for each in (
        MatchFormat("T20", 20, 6, 5, (0.33, 0.40, 0.07, 0.005, 0.115, 0.0008, 0.055), 0.053, 0.032, 0.005, 6),
        MatchFormat("ODI", 50, 6, 20, (0.48, 0.36, 0.06, 0.007, 0.078, 0.0005, 0.016), 0.027, 0.018, 0.004, 10),
        MatchFormat("T10", 10, 6, 5, (0.28, 0.34, 0.08, 0.005, 0.16, 0.001, 0.10), 0.062, 0.035, 0.006, 3),
        MatchFormat("The Hundred", 20, 5, 5, (0.31, 0.40, 0.08, 0.004, 0.12, 0.001, 0.06), 0.056, 0.026, 0.004, 5),
        MatchFormat("Test", None, 6, 0, (0.71, 0.165, 0.042, 0.012, 0.058, 0.0004, 0.007), 0.0165, 0.004, 0.006),
    )
}

WICKET_KINDS = {
    "caught": 0.56,
    "bowled": 0.17,
    "lbw": 0.12,
    "run out": 0.065,
    "caught and bowled": 0.03,
    "stumped": 0.03,
    "hit wicket": 0.008,
    "obstructing the field": 0.003,
    "hit the ball twice": 0.003,
    "handled the ball": 0.003,
}
TIMED_OUT_AFTER_WICKET = 0.003
RETIREMENTS = {"retired hurt": 0.0006, "retired not out": 0.0001, "retired out": 0.0002}
ALL_RUN_FOUR = 0.004
PENALTY_ON_BALL = 0.0001
PENALTY_OF_INNINGS = 0.008


@cache
def ball_table(match_format: MatchFormat, aggression: int, skill: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """What may come of a ball, and the running sums of the weights."""
    heat = AGGRESSION[aggression]
    dot, one, two, three, four, five, six = match_format.runs
    hits = heat * POWER[skill]
    weights = {
        0: dot / heat,
        1: one,
        2: two,
        3: three,
        4: four * hits,
        5: five,
        6: six * hits * heat,
        WICKET: match_format.wicket * heat * FRAILTY[skill],
        BYE: 0.004,
        LEGBYE: 0.011,
        WIDE: match_format.wide,
        NOBALL: match_format.noball,
    }
    return tuple(weights), tuple(accumulate(weights.values()))


@cache
def _wicket_table() -> tuple[tuple[str, ...], tuple[float, ...]]:
    return tuple(WICKET_KINDS), tuple(accumulate(WICKET_KINDS.values()))


def wicket_kind(rng: Random) -> str:
    kinds, sums = _wicket_table()
    return rng.choices(kinds, cum_weights=sums)[0]


def retirement(rng: Random) -> str | None:
    """Almost always None."""
    chance = rng.random()
    for kind, share in RETIREMENTS.items():
        if chance < share:
            return kind
        chance -= share
    return None
