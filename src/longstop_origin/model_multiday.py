"""A match over days: up to four innings, declarations, the follow-on, and time running out."""

from random import Random

from msgspec.structs import replace

from longstop_origin.chances import PENALTY_OF_INNINGS, MatchFormat
from longstop_origin.model_innings import InningsModel, InningsPlan, Side
from longstop_origin.script import Outcome, ScriptInnings

FOLLOW_ON_LEAD = 200
FOLLOW_ON_ENFORCED = 0.6


class MultiDayMatch:
    def __init__(self, match_format: MatchFormat, first: Side, second: Side, rng: Random) -> None:
        self._format, self._rng = match_format, rng
        self._first, self._second = first, second
        self._overs_left = rng.randrange(300, 451)
        self._innings: list[ScriptInnings] = []

    def play(self) -> tuple[tuple[ScriptInnings, ...], Outcome]:
        outcome = self._played()
        return tuple(self._innings), outcome or Outcome(result="draw")

    def _played(self) -> Outcome | None:
        """None when time ran out."""
        rng = self._rng
        first = self._bat(self._first, declare_at_runs=rng.choice((None, None, rng.randrange(430, 620))))
        if self._is_time_up(first):
            return None
        second = self._bat(self._second, declare_at_runs=first.runs + rng.randrange(120, 300))
        if self._is_time_up(second):
            return None
        lead = first.runs - second.runs
        if lead >= FOLLOW_ON_LEAD and rng.random() < FOLLOW_ON_ENFORCED:
            return self._third_and_fourth(self._second, self._first, -lead)
        return self._third_and_fourth(self._first, self._second, lead)

    def _third_and_fourth(self, batting: Side, chasing: Side, lead: int) -> Outcome | None:
        """`lead` is how far the side that bats third is ahead, behind when it is negative."""
        third = self._bat(batting, declare_at_runs=self._rng.randrange(260, 420) - lead)
        if self._is_time_up(third):
            return None
        ahead = lead + third.runs
        if ahead < 0:
            return Outcome(winner=chasing.name, by={"innings": 1, "runs": -ahead})
        return self._fourth(batting, chasing, target=ahead + 1)

    def _is_time_up(self, model: InningsModel) -> bool:
        return model.was_stopped or self._overs_left < 1

    def _fourth(self, defending: Side, chasing: Side, target: int) -> Outcome | None:
        per_over = target / max(self._overs_left, 1)
        fourth = self._bat(chasing, target=target, calm=per_over > 5.5)
        if fourth.runs >= target:
            return Outcome(winner=chasing.name, by={"wickets": 10 - fourth.wickets})
        if fourth.was_stopped:
            return None
        if fourth.runs == target - 1:
            return Outcome(result="tie")
        return Outcome(winner=defending.name, by={"runs": target - 1 - fourth.runs})

    def _bat(
        self, batting: Side, *, declare_at_runs: int | None = None, target: int | None = None, calm: bool = False
    ) -> InningsModel:
        plan = InningsPlan(
            batting=batting,
            fielding=self._second if batting is self._first else self._first,
            match_format=self._format,
            target=target,
            stop_after_overs=self._overs_left,
            declare_at_runs=declare_at_runs,
            penalty_pre=5 if self._rng.random() < PENALTY_OF_INNINGS else 0,
            calm=calm,
        )
        model = InningsModel(plan, self._rng)
        self._innings.append(replace(model.play(), target_overs=None))
        self._overs_left -= model.overs
        return model
