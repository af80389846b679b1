"""One innings, ball by ball: who faces, who bowls, what comes of it, and when it is over."""

from random import Random

from msgspec import Struct

from longstop_origin import chances
from longstop_origin.chances import MatchFormat
from longstop_origin.script import (
    NO_EXTRAS,
    Delivery,
    Extras,
    Replacement,
    ScriptBall,
    ScriptInnings,
    Wicket,
)


class Side(Struct, frozen=True):
    """A team as it takes the field. The order is the batting order; bowlers are those who bowl by right.

    `form` is 1 on a bad day and -1 on a good one: everybody bats as if lower or higher in the order.
    """

    name: str
    order: tuple[str, ...]
    keeper: str
    bowlers: tuple[str, ...]
    bench: tuple[str, ...]
    form: int = 0


class InningsPlan(Struct, frozen=True, kw_only=True):
    """What is given before the first ball. `stop_after_overs` ends it whatever the score (rain, the last evening)."""

    batting: Side
    fielding: Side
    match_format: MatchFormat
    overs: int | None = None
    target: int | None = None
    wickets: int = 10
    super_over: bool = False
    stop_after_overs: int | None = None
    declare_at_runs: int | None = None
    penalty_pre: int = 0
    first_ball: tuple[Replacement, ...] = ()
    calm: bool = False


class InningsModel:
    """Plays a plan to its end. Read `runs`, `wickets` and `overs` afterwards."""

    def __init__(self, plan: InningsPlan, rng: Random) -> None:
        self.plan = plan
        self.runs = plan.penalty_pre
        self.wickets = self.legal_balls = self.overs = 0
        self.is_declared = self.was_stopped = False
        self.balls: list[ScriptBall] = []
        self._rng = rng
        self._waiting = list(plan.batting.order)
        self._may_return: list[str] = []
        self._skills = {name: _skill(place, plan.batting.form) for place, name in enumerate(plan.batting.order)}
        self._replacements = plan.first_ball
        self._striker, self._other = self._waiting.pop(0), self._waiting.pop(0)
        self._has_partner = True
        self._bowled: dict[str, int] = {}
        self._bowler = ""

    def play(self) -> ScriptInnings:
        while not self.is_over:
            self._bowl_over()
        plan = self.plan
        return ScriptInnings(
            team=plan.batting.name,
            balls=tuple(self.balls),
            super_over=plan.super_over,
            declared=self.is_declared,
            penalty_pre=plan.penalty_pre,
            target_runs=plan.target,
            target_overs=plan.overs if plan.target is not None else None,
        )

    @property
    def is_over(self) -> bool:
        return self._is_decided or self.is_declared or self.was_stopped or self.overs == self.plan.overs

    @property
    def _is_decided(self) -> bool:
        target = self.plan.target
        is_all_out = self.wickets >= self.plan.wickets or not self._has_partner
        return is_all_out or (target is not None and self.runs >= target)

    def _bowl_over(self) -> None:
        self._choose_bowler()
        legal = position = 0
        per_over = self.plan.match_format.balls_per_over
        while legal < per_over:
            position += 1
            delivery = self._bowl()
            self.balls.append(ScriptBall(self.overs, position, delivery))
            legal += delivery.is_legal
            if self._is_decided:
                return
        self.overs += 1
        self._striker, self._other = self._other, self._striker
        self._end_of_over()

    def _end_of_over(self) -> None:
        declare_at = self.plan.declare_at_runs
        if declare_at is not None and self.runs >= declare_at:
            self.is_declared = True
        elif self.overs == self.plan.stop_after_overs and not self.is_over:
            self.was_stopped = True

    def _choose_bowler(self) -> None:
        """Nobody bowls two overs in a row or more than his share; who has most left is likeliest."""
        side, overs = self.plan.fielding, self.plan.overs
        quota = 10_000 if overs is None else max(1, -(-overs // 5))
        free = [name for name in side.bowlers if name != self._bowler and self._bowled.get(name, 0) < quota]
        if not free:
            others = [name for name in side.order if name not in (self._bowler, side.keeper)]
            free = [name for name in others if self._bowled.get(name, 0) < quota]
        weights = [1.0 + (quota - self._bowled.get(name, 0) if overs is not None else 0) for name in free]
        self._bowler = self._rng.choices(free, weights)[0]
        self._bowled[self._bowler] = self._bowled.get(self._bowler, 0) + 1

    def _bowl(self) -> Delivery:
        skill = self._skills.get(self._striker, 3)
        kinds, sums = chances.ball_table(self.plan.match_format, self._aggression(), skill)
        kind = self._rng.choices(kinds, cum_weights=sums)[0]
        delivery = self._delivery(kind)
        self._count(delivery)
        return delivery

    def _delivery(self, kind: int) -> Delivery:
        if kind == chances.WICKET:
            return self._fall_of_wicket()
        if kind == chances.WIDE:
            return self._wide()
        if kind == chances.NOBALL:
            return self._noball()
        if kind in (chances.BYE, chances.LEGBYE):
            return self._byes(kind)
        return self._scored(kind)

    def _ball(self, runs: int = 0, extras: Extras = NO_EXTRAS, wickets: tuple[Wicket, ...] = ()) -> Delivery:
        """Every ball comes through here: the rare things that may join any ball join it here."""
        rng = self._rng
        if rng.random() < chances.PENALTY_ON_BALL:
            extras = Extras(extras.wides, extras.noballs, extras.byes, extras.legbyes, 5)
        if not wickets and not self.plan.super_over:
            wickets = self._retired()
        replacements, self._replacements = self._replacements, ()
        all_run = runs == 4 and rng.random() < chances.ALL_RUN_FOUR
        return Delivery(
            self._striker, self._other, self._bowler, runs, extras, wickets, replacements, non_boundary=all_run
        )

    def _scored(self, runs: int) -> Delivery:
        return self._ball(self._tie_nudged(runs))

    def _tie_nudged(self, runs: int) -> int:
        """Last balls that could bring a tie bring one more often than chance would: ties are what we want to see."""
        target, overs = self.plan.target, self.plan.overs
        if target is None or overs is None or self.legal_balls + 1 < overs * self.plan.match_format.balls_per_over:
            return runs
        short = target - 1 - self.runs
        return short if short in (0, 1, 2, 4, 6) and self._rng.random() < 0.2 else runs

    def _wide(self) -> Delivery:
        chance = self._rng.random()
        if chance < 0.015 and self.wickets + 1 < self.plan.wickets:
            keeper = self.plan.fielding.keeper
            return self._ball(0, Extras(wides=1), (Wicket(self._striker, "stumped", (keeper,)),))
        return self._ball(0, Extras(wides=5 if chance < 0.05 else 2 if chance < 0.10 else 1))

    def _noball(self) -> Delivery:
        chance = self._rng.random()
        if chance < 0.08:
            return self._ball(0, Extras(noballs=1, byes=1))
        if chance < 0.16:
            return self._ball(0, Extras(noballs=1, legbyes=1 + (chance < 0.10)))
        return self._ball(self._rng.choice((0, 0, 1, 1, 2, 4, 6)), Extras(noballs=1))

    def _byes(self, kind: int) -> Delivery:
        runs = self._rng.choices((1, 2, 3, 4), (0.7, 0.08, 0.02, 0.2))[0]
        return self._ball(0, Extras(byes=runs) if kind == chances.BYE else Extras(legbyes=runs))

    def _fall_of_wicket(self) -> Delivery:
        kind = chances.wicket_kind(self._rng)
        player, runs = self._striker, 0
        if kind == "run out":
            player, runs = self._rng.choice((self._striker, self._other)), self._rng.choice((0, 0, 1))
        wickets = [Wicket(player, kind, self._fielders(kind))]
        is_late = self._rng.random() < chances.TIMED_OUT_AFTER_WICKET
        if is_late and self.wickets + 2 < self.plan.wickets and len(self._waiting) > 1:
            wickets.append(Wicket(self._waiting.pop(0), "timed out"))
        return self._ball(runs, NO_EXTRAS, tuple(wickets))

    def _fielders(self, kind: str) -> tuple[str, ...]:
        side = self.plan.fielding
        if kind == "stumped":
            return (side.keeper,)
        if kind == "caught and bowled":
            return (self._bowler,)
        others = [name for name in side.order if name != self._bowler]
        if kind == "caught":
            return (self._rng.choice([*others, side.keeper, side.keeper]),)
        return tuple(self._rng.sample(others, self._rng.choice((1, 1, 2)))) if kind == "run out" else ()

    def _retired(self) -> tuple[Wicket, ...]:
        kind = chances.retirement(self._rng)
        if kind is None or not self._waiting or (kind == "retired out" and self.wickets >= self.plan.wickets - 3):
            return ()
        player = self._rng.choice((self._striker, self._other))
        if kind == "retired hurt" and self._rng.random() < 0.3 and self.plan.batting.bench:
            self._substitute(player)
        elif kind != "retired out" and self._rng.random() < 0.5:
            self._may_return.append(player)
        return (Wicket(player, kind),)

    def _substitute(self, player: str) -> None:
        """The concussion substitute is named on the next ball and bats when his turn comes."""
        substitute = self.plan.batting.bench[0]
        if substitute in self._skills:
            return
        self._skills[substitute] = self._skills.get(player, 2)
        self._waiting.append(substitute)
        self._replacements = (
            Replacement("match", substitute, player, self.plan.batting.name, "concussion_substitute"),
        )

    def _count(self, delivery: Delivery) -> None:
        extras = delivery.extras
        self.runs += delivery.runs
        self.wickets += delivery.wickets_lost
        self.legal_balls += delivery.is_legal
        ran = delivery.runs_batter + extras.byes + extras.legbyes + max(extras.wides - 1, 0)
        if ran % 2:
            self._striker, self._other = self._other, self._striker
        for wicket in delivery.wickets:
            self._replace(wicket.player)

    def _replace(self, player: str) -> None:
        if player not in (self._striker, self._other):
            return
        following = self._next_batter()
        if following is None:
            self._has_partner = False
        elif player == self._striker:
            self._striker = following
        else:
            self._other = following

    def _next_batter(self) -> str | None:
        if self._waiting:
            return self._waiting.pop(0)
        return self._may_return.pop(0) if self._may_return else None

    def _aggression(self) -> int:
        plan = self.plan
        if plan.overs is None:
            return 1 if plan.calm else 2
        left = plan.overs * plan.match_format.balls_per_over - self.legal_balls
        if plan.target is not None:
            return _chase_aggression(plan, plan.target - self.runs, left)
        share = left / (plan.overs * plan.match_format.balls_per_over)
        return 4 if share < 0.1 else 3 if share < 0.25 or self.overs < plan.match_format.powerplay else 2


def _chase_aggression(plan: InningsPlan, wanted: int, left: int) -> int:
    """The rate wanted against the usual one decides how hard they go."""
    per_over = plan.match_format.balls_per_over
    ratio = wanted * per_over / max(left, 1) / plan.match_format.runs_an_over
    return sum(ratio > bar for bar in (0.55, 0.8, 1.15, 1.5))


def _skill(place: int, form: int) -> int:
    usual = 0 if place < 3 else 1 if place < 6 else 2 if place < 8 else 3
    return min(max(usual + form, 0), 3)
