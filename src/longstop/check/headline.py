"""Sites show the score twice, once in big letters; two different scores are no score."""

from collections.abc import Iterator

from longstop.check.figures import BALLS_MISCOUNTED_MAX, overs_and_balls
from longstop.domain.cricket import InningsScore
from longstop.domain.observation import Observation

Claims = tuple[tuple[int, int], ...]


def reasons(observation: Observation) -> Iterator[str]:
    overs = dict(observation.headline_overs)
    for team, claims in observation.headline:
        shown = [score for score in observation.innings if score.team == team and not score.is_super_over]
        yield from _score_reasons(team, shown, claims)
        yield from _number_reasons(team, shown, claims)
        for score, told in zip(shown, overs.get(team, ()), strict=False):
            yield from _overs_reasons(score, told, observation.balls_per_over)


def _score_reasons(team: str, shown: list[InningsScore], claims: Claims) -> Iterator[str]:
    for score, (runs, wickets) in zip(shown, claims, strict=False):
        if (score.runs, score.wickets) != (runs, wickets):
            yield (
                f"innings {score.number} of {team} is {score.runs}/{score.wickets} in one place"
                f" and {runs}/{wickets} in another"
            )


def _number_reasons(team: str, shown: list[InningsScore], claims: Claims) -> Iterator[str]:
    """An innings of nothing may be left out; a headline that tells nothing of a team contradicts nothing."""
    told = sum(any(claim) for claim in claims)
    begun = sum(bool(score.runs or score.wickets or score.legal_balls) for score in shown)
    if told > len(shown) or (claims and begun > len(claims)):
        yield f"{team} has {len(shown)} innings in one place and {len(claims)} in another"


def _overs_reasons(score: InningsScore, told: str, balls_per_over: int) -> Iterator[str]:
    one, other = overs_and_balls(score.overs), overs_and_balls(told)
    if one is None or other is None:
        return
    if abs((one[0] - other[0]) * balls_per_over + one[1] - other[1]) > BALLS_MISCOUNTED_MAX:
        yield f"innings {score.number} is of {score.overs} overs in one place and of {told} in another"
