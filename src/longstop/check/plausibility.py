"""Does a payload contradict itself, or what was known? Then it is held, and never published as truth."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

from longstop.check import balls, figures, headline, surprises
from longstop.check.balls import RUNS_A_BALL_MAX
from longstop.check.surprises import Record
from longstop.check.verdict import Verdict
from longstop.domain.cricket import InningsScore, OverReport, PlayState, Result
from longstop.domain.errors import MalformedPayloadError
from longstop.domain.observation import Observation

WICKETS_MAX = 10
# The wildest hitting is four a ball; an over of seventeen no-balls went for 77.
RUNS_A_LEGAL_BALL_MAX = 12
RUNS_OFF_NO_BALL_MAX = 100
# An umpire may have called play before the source did.
BALLS_BEFORE_PLAY_MAX = 12
BALLS_AN_OVER_MAX = 40
# Wider than any mistaken time zone. One clock from the far future would make everything after it look old.
CLOCK_AHEAD_MAX = timedelta(hours=24)


def judge(
    observation: Observation,
    previous: Observation | None = None,
    record: Record | None = None,
    *,
    is_insisted: bool = False,
) -> Verdict:
    """All reasons at once; `previous` is what was accepted last for the same match, and until something was, `record`
    is what an earlier life has left. `is_insisted` tells that the source has shown nothing but the same surprise for a
    while."""
    reasons = [*_against_itself(observation)]
    if previous is not None:
        reasons += _against_the_past(observation, previous)
    elif record is not None and not record.is_listed:
        reasons += surprises.strangers(observation, record.teams)
    if reasons or is_insisted:
        return Verdict(tuple(dict.fromkeys(reasons)))
    surprising = tuple(dict.fromkeys(_surprises(observation, previous, record)))
    return Verdict(surprising, is_surprise=bool(surprising))


def _surprises(observation: Observation, previous: Observation | None, record: Record | None) -> Iterator[str]:
    yield from surprises.end_reasons(observation)
    yield from surprises.chase_reasons(observation)
    if previous is not None:
        yield from surprises.reasons(observation, previous)
    elif record is not None:
        yield from surprises.since(observation, record)


def judge_overs(overs: tuple[OverReport, ...]) -> Verdict:
    return Verdict(tuple(dict.fromkeys(_overs_reasons(overs))))


def require_plausible_feed(overs: tuple[OverReport, ...], sequence: int | None, observation: Observation) -> None:
    """A feed older than the board, or one that contradicts itself, would take back what is known."""
    if sequence is not None and observation.sequence is not None and sequence < observation.sequence:
        raise MalformedPayloadError("The ball feed is older than the scoreboard.")
    verdict = judge_overs(overs)
    if not verdict.is_accepted:
        raise MalformedPayloadError(f"The ball feed is not believed: {verdict.reasons[0]}.")


def judge_innings(innings: tuple[InningsScore, ...]) -> Verdict:
    return Verdict(tuple(dict.fromkeys(reason for score in innings for reason in _innings_reasons(score))))


def _against_itself(observation: Observation) -> Iterator[str]:
    if observation.teams[0] == observation.teams[1]:
        yield f"both teams are {observation.teams[0]}"
    for score in observation.innings:
        if score.team not in observation.teams:
            yield f"innings {score.number} is of {score.team}, which does not play in this match"
        yield from _innings_reasons(score)
    yield from figures.reasons(observation)
    yield from _overs_reasons(observation.overs)
    yield from headline.reasons(observation)
    yield from _beginning_reasons(observation)
    yield from _result_reasons(observation)
    yield from _clock_reasons(observation)


def _innings_reasons(score: InningsScore) -> Iterator[str]:
    where = f"innings {score.number}"
    if not 0 <= score.wickets <= WICKETS_MAX:
        yield f"{where} has {score.wickets} wickets"
    if min(score.runs, score.legal_balls or 0, score.penalty_before, score.penalty_after) < 0:
        yield f"{where} has a negative count"
    if score.extras is not None and score.extras.total > score.runs:
        yield f"{where} has more extras ({score.extras.total}) than runs ({score.runs})"
    if score.penalty_awarded > score.runs:
        yield f"{where} has more penalty runs than runs"
    if score.legal_balls is not None and score.runs > RUNS_OFF_NO_BALL_MAX + RUNS_A_LEGAL_BALL_MAX * score.legal_balls:
        yield f"{where} has {score.runs} runs off {score.legal_balls} balls"


def _overs_reasons(overs: tuple[OverReport, ...]) -> Iterator[str]:
    shown = Counter((report.innings, report.over) for report in overs)
    for (_, over), times in shown.items():
        if times > 1:
            yield f"over {over} is shown {times} times"
    for report in overs:
        yield from _over_reasons(report)


def _over_reasons(report: OverReport) -> Iterator[str]:
    if report.over < 0 or report.innings < 1:
        yield f"there is no over {report.over} in innings {report.innings}"
    if len(report.deliveries) > BALLS_AN_OVER_MAX:
        yield f"over {report.over} has {len(report.deliveries)} balls"
    for delivery in report.deliveries:
        yield from balls.reasons(delivery)


def _beginning_reasons(observation: Observation) -> Iterator[str]:
    toss = observation.toss
    if toss is not None and toss.winner and toss.winner not in observation.teams:
        yield f"{toss.winner} won the toss, and does not play in this match"
    bowled = sum(score.legal_balls or 0 for score in observation.innings)
    if observation.play is PlayState.NOT_STARTED and bowled > BALLS_BEFORE_PLAY_MAX:
        yield f"it has not started, and {bowled} balls were bowled"


def _result_reasons(observation: Observation) -> Iterator[str]:
    result = observation.result
    if result is not None:
        yield from _margin_reasons(result)
    for team in (result.winner, result.eliminator, result.bowl_out) if result else ():
        if team is not None and team not in observation.teams:
            yield f"the result names {team}, which does not play in this match"


def _margin_reasons(result: Result) -> Iterator[str]:
    margins = (result.by_runs, result.by_wickets, result.by_innings)
    if any(margin is not None and margin < 0 for margin in margins):
        yield f"it was won by {', '.join(str(margin) for margin in margins if margin is not None)}"


def _clock_reasons(observation: Observation) -> Iterator[str]:
    told = observation.provenance.source_at
    if told is not None and told - observation.provenance.captured_at > CLOCK_AHEAD_MAX:
        yield f"its clock says {told:%Y-%m-%d %H:%M}, which is more than a day ahead"
    latest = max(told, observation.provenance.captured_at) if told else observation.provenance.captured_at
    for report in observation.overs:
        for delivery in report.deliveries:
            if delivery.bowled_at is not None and delivery.bowled_at - latest > CLOCK_AHEAD_MAX:
                yield f"ball {delivery.place} is bowled at {delivery.bowled_at:%Y-%m-%d %H:%M}, more than a day ahead"


def _against_the_past(observation: Observation, previous: Observation) -> Iterator[str]:
    strangers = tuple(surprises.strangers(observation, previous.teams))
    if strangers:
        yield from strangers
    elif is_older(observation, previous):
        yield "it is older than what is known already"
    elif len(observation.innings) < len(previous.innings):
        yield f"there were {len(previous.innings)} innings, and are {len(observation.innings)} now"
    elif observation.provenance.source_at is None:
        yield from _went_backwards(observation, previous)


def is_older(observation: Observation, previous: Observation) -> bool:
    """By the source's own clock; its sequence number decides only where the clock is silent or the same."""
    now, then = observation.provenance.source_at, previous.provenance.source_at
    if now is not None and then is not None and now != then:
        return now < then
    if observation.sequence is not None and previous.sequence is not None:
        return observation.sequence < previous.sequence
    return False


def _went_backwards(observation: Observation, previous: Observation) -> Iterator[str]:
    """Without a clock of the source's own, a score that shrinks by more than a correction could is an old page."""
    for score, before in zip(observation.innings, previous.innings, strict=False):
        fewer_balls = (before.legal_balls or 0) - (score.legal_balls or 0)
        if fewer_balls > observation.balls_per_over or before.runs - score.runs > RUNS_A_BALL_MAX:
            yield f"innings {score.number} went from {before.runs} runs back to {score.runs}"
