"""A match of limited overs: two innings, rain and its reckoning, super overs."""

from random import Random

from msgspec.structs import replace

from longstop_origin.chances import PENALTY_OF_INNINGS, MatchFormat
from longstop_origin.model_innings import InningsModel, InningsPlan, Side
from longstop_origin.script import Outcome, Replacement, ScriptInnings

WASHED_OUT = 0.03
CUT_SHORT = 0.03
REDUCED = 0.08
SUPER_OVER_AFTER_TIE = 0.85
MOST_SUPER_OVERS = 4


class LimitedMatch:
    def __init__(self, match_format: MatchFormat, first: Side, second: Side, rng: Random) -> None:
        self._format, self._rng = match_format, rng
        self._first, self._second = first, second
        self._overs = match_format.overs or 0
        self._innings: list[ScriptInnings] = []

    def play(self) -> tuple[tuple[ScriptInnings, ...], Outcome]:
        chance = self._rng.random()
        if chance < WASHED_OUT:
            outcome = self._washed_out()
        elif chance < WASHED_OUT + CUT_SHORT:
            outcome = self._cut_short()
        else:
            outcome = self._whole(is_reduced=chance < WASHED_OUT + CUT_SHORT + REDUCED)
        return tuple(self._innings), outcome

    def _whole(self, *, is_reduced: bool) -> Outcome:
        first = self._bat_first()
        if not is_reduced:
            return self._chased(self._chase(first.runs + 1, self._overs), method=None)
        overs = self._rng.randrange(self._format.fewest_overs, self._overs)
        target = int(first.runs * (overs / self._overs) ** 0.75) + 1
        return self._chased(self._chase(target, overs), method="D/L")

    def _washed_out(self) -> Outcome:
        """The rain comes and stays: in the first innings, or before the second is long enough to count."""
        if self._rng.random() < 0.6:
            self._bat_first(stop_after_overs=self._rng.randrange(1, self._overs))
            return Outcome(result="no result")
        first = self._bat_first()
        chase = self._chase(first.runs + 1, self._overs, self._rng.randrange(1, max(2, self._format.fewest_overs)))
        return Outcome(result="no result") if chase.was_stopped else self._chased(chase, method=None)

    def _cut_short(self) -> Outcome:
        """Rain ends the chase when it is long enough to count: the score is held against a par score."""
        first = self._bat_first()
        stop = self._rng.randrange(self._format.fewest_overs, self._overs)
        chase = self._chase(first.runs + 1, self._overs, stop)
        if not chase.was_stopped:
            return self._chased(chase, method=None)
        left = (1 - stop / self._overs) ** 0.8 * (1 - chase.wickets / 10) ** 0.6
        ahead = chase.runs - int(first.runs * (1 - left))
        if ahead == 0:
            return Outcome(result="tie", method="D/L")
        winner = self._second if ahead > 0 else self._first
        return Outcome(winner=winner.name, by={"runs": abs(ahead)}, method="D/L")

    def _bat_first(self, stop_after_overs: int | None = None) -> InningsModel:
        """Penalty runs after an innings belong to it and so to the target."""
        plan = self._plan(self._first, self._second, self._overs, stop_after_overs)
        model = self._play(plan)
        after = self._penalty()
        if after and not model.was_stopped:
            self._innings[-1] = replace(self._innings[-1], penalty_post=after)
            model.runs += after
        return model

    def _chase(self, target: int, overs: int, stop_after_overs: int | None = None) -> InningsModel:
        plan = self._plan(self._second, self._first, overs, stop_after_overs)
        batting, replacements = _with_impact_player(self._second, self._rng, self._format)
        return self._play(replace(plan, target=target, batting=batting, first_ball=replacements))

    def _plan(self, batting: Side, fielding: Side, overs: int, stop_after_overs: int | None) -> InningsPlan:
        return InningsPlan(
            batting=batting,
            fielding=fielding,
            match_format=self._format,
            overs=overs,
            stop_after_overs=stop_after_overs,
            penalty_pre=self._penalty(),
        )

    def _penalty(self) -> int:
        return 5 if self._rng.random() < PENALTY_OF_INNINGS else 0

    def _play(self, plan: InningsPlan) -> InningsModel:
        model = InningsModel(plan, self._rng)
        self._innings.append(model.play())
        return model

    def _chased(self, chase: InningsModel, method: str | None) -> Outcome:
        target = chase.plan.target or 0
        if chase.runs >= target:
            return Outcome(winner=self._second.name, by={"wickets": 10 - chase.wickets}, method=method)
        if chase.runs < target - 1:
            return Outcome(winner=self._first.name, by={"runs": target - 1 - chase.runs}, method=method)
        if method or self._rng.random() > SUPER_OVER_AFTER_TIE:
            return Outcome(result="tie", method=method)
        return Outcome(result="tie", eliminator=self._super_overs())

    def _super_overs(self) -> str:
        """Who batted second bats first, and so on until one over decides; after the last, boundaries do."""
        first, second = self._second, self._first
        for _ in range(MOST_SUPER_OVERS):
            opening = self._play(self._super_over(first, second, None))
            reply = self._play(self._super_over(second, first, opening.runs + 1))
            if opening.runs != reply.runs:
                return first.name if opening.runs > reply.runs else second.name
            first, second = second, first
        return first.name

    def _super_over(self, batting: Side, fielding: Side, target: int | None) -> InningsPlan:
        trio = replace(batting, order=tuple(self._rng.sample(batting.order[:6], 3)), bench=())
        return InningsPlan(
            batting=trio,
            fielding=fielding,
            match_format=self._format,
            overs=1,
            target=target,
            wickets=2,
            super_over=True,
        )


def _with_impact_player(side: Side, rng: Random, match_format: MatchFormat) -> tuple[Side, tuple[Replacement, ...]]:
    """Now and then a batter from the bench takes the place of the last man before the chase."""
    if match_format.name != "T20" or rng.random() > 0.1:
        return side, ()
    coming, going = side.bench[0], side.order[-1]
    changed = replace(side, order=(*side.order[:5], coming, *side.order[5:-1]), bench=side.bench[1:])
    return changed, (Replacement("match", coming, going, side.name, "impact_player"),)
