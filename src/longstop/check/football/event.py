"""The score of a match is shown up to eight times: they must agree with each other, with the status and the winner."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from longstop.domain.football import FootballEvent, Phase, SideScore, Stage, Winner

# The most that was ever scored in a match of grown men is 149, and it was a protest.
GOALS_MAX = 199
# Many matches begin a little before the minute that was announced; none an hour.
KICKOFF_EARLY_MAX = timedelta(hours=1)
HALF_SHORT_MAX = timedelta(minutes=5)
# Children's tournaments and futsal are over in forty minutes.
MATCH_SHORT_MIN = timedelta(minutes=15)

_WITHOUT_EXTRA_TIME = frozenset({Phase.FIRST_HALF, Phase.HALF_TIME, Phase.SECOND_HALF, Phase.FINISHED})
# The words beside the code, where they leave no doubt.
_STAGE_BY_WORDS = {"not started": Stage.UPCOMING, "ended": Stage.OVER}
# What a clock says that was never set. Nobody kicked off at that second.
_NO_MOMENT = datetime.fromtimestamp(0, UTC)
_ONE_HALF_BEGUN = frozenset({Phase.FIRST_HALF, Phase.HALF_TIME})


def reasons(event: FootballEvent) -> Iterator[str]:
    if event.home.key == event.away.key:
        yield f"both teams are {event.home.name}"
    yield from _status_reasons(event)
    for side, score in (("home", event.home_score), ("away", event.away_score)):
        yield from _bound_reasons(side, score)
        if _adds_up(event.phase):
            yield from _side_reasons(side, score, event.phase)
    yield from _winner_reasons(event)
    yield from _shoot_out_reasons(event)
    yield from _normal_time_reasons(event)
    yield from _aggregate_reasons(event)
    yield from _clock_reasons(event)


def _adds_up(phase: Phase) -> bool:
    """What was broken off or decided on paper owes nobody a sum. A status that we do not know is no such excuse."""
    return phase.is_played_out or phase.stage is Stage.LIVE or phase is Phase.UNKNOWN


def _status_reasons(event: FootballEvent) -> Iterator[str]:
    exact = {Stage.UPCOMING, Stage.LIVE, Stage.OVER}
    if event.phase.stage in exact and event.stage in exact and event.phase.stage is not event.stage:
        yield f"its status is {event.phase.value} by its code and {event.stage.value} by its type"
    said = _STAGE_BY_WORDS.get(event.status.strip().lower())
    if event.phase.stage in exact and said not in (None, event.phase.stage):
        yield f"its status is {event.phase.value} by its code and '{event.status.strip()}' in words"
    home, away = event.home_score, event.away_score
    if event.phase is Phase.NOT_STARTED and any(score.played for score in (home, away)):
        yield f"it has not started and stands at {home.played}-{away.played}"
    if _adds_up(event.phase) and home.is_shown != away.is_shown:
        yield "only one of the two teams has a score"


def _bound_reasons(side: str, score: SideScore) -> Iterator[str]:
    for name, goals in _named(score):
        if not 0 <= goals <= GOALS_MAX:
            yield f"the {side} score has {goals} goals in {name}"


def _named(score: SideScore) -> Iterator[tuple[str, int]]:
    shown = (
        ("current", score.current),
        ("display", score.display),
        ("normal time", score.normal_time),
        ("extra time", score.extra_time),
        ("penalties", score.penalties),
        ("both legs", score.aggregated),
        *((f"period {number}", goals) for number, goals in enumerate(score.periods, start=1)),
        *((f"period {number} of extra time", goals) for number, goals in enumerate(score.extra_periods, start=1)),
    )
    return ((name, goals) for name, goals in shown if goals is not None)


def _side_reasons(side: str, score: SideScore, phase: Phase) -> Iterator[str]:
    penalties = score.penalties or 0
    shown = score.display
    if shown is not None and score.current not in (None, shown, shown + penalties):
        yield f"the {side} score is {score.current} in one place (current) and {shown} in another (display)"
    halves = _sum_of_halves(score, phase)
    if halves is not None and score.normal_time not in (None, halves):
        summed = " + ".join(str(goals) for goals in score.periods if goals is not None)
        yield f"the {side} score has {summed} in its halves and {score.normal_time} in normal time"
    extra = _sum_of(score.extra_periods)
    if extra is not None and score.extra_time not in (None, extra):
        yield f"the {side} score has {extra} in the halves of extra time and {score.extra_time} in extra time"
    yield from _total_reasons(side, score, phase)
    if phase is Phase.FIRST_HALF and any(goals for goals in score.periods[1:]):
        yield f"the {side} team has goals in a half that has not begun"


def _total_reasons(side: str, score: SideScore, phase: Phase) -> Iterator[str]:
    """The whole is the sum of its parts; where a part is not shown, it is at least as much as the rest."""
    played = score.played
    if played is None:
        return
    normal = score.normal_time
    if normal is None:
        normal = _sum_of_halves(score, phase)
    extra = score.extra_time
    if extra is None:
        extra = _sum_of(score.extra_periods)
    if extra is None and phase in _WITHOUT_EXTRA_TIME:
        extra = 0
    allowed = {played, played - (score.penalties or 0)}
    if normal is not None and extra is not None:
        if normal + extra not in allowed:
            yield f"the {side} score is {played} and its parts add up to {normal + extra}"
    elif played < _at_least(score, normal):
        yield f"the {side} score is {played}, less than its parts"


def _at_least(score: SideScore, normal: int | None) -> int:
    return max(normal or 0, sum(goals for goals in score.periods if goals is not None))


def _sum_of_halves(score: SideScore, phase: Phase) -> int | None:
    shown = score.periods
    if phase in _ONE_HALF_BEGUN and shown[:1] != (None,) and shown[1:2] == (None,):
        return _sum_of(shown[:1])
    return _sum_of(shown)


def _sum_of(periods: tuple[int | None, ...]) -> int | None:
    """None when one of them is not shown: low leagues and old seasons show few."""
    goals = [goals for goals in periods if goals is not None]
    return sum(goals) if goals and len(goals) == len(periods) else None


def _winner_reasons(event: FootballEvent) -> Iterator[str]:
    if event.winner is None:
        return
    if event.phase.stage in (Stage.UPCOMING, Stage.LIVE):
        yield f"it has a winner and its status is {event.phase.value}"
    elif event.phase.is_played_out and not (event.home_score.is_shown or event.away_score.is_shown):
        yield "it has a winner and no score"
    elif event.phase.is_played_out and event.score is not None and event.winner not in _winners(event):
        home, away = event.score
        yield f"it ended {home}-{away} and its winner is told as {event.winner.value}"


def _shoot_out_reasons(event: FootballEvent) -> Iterator[str]:
    """It decides what was level, and never ends level."""
    if event.phase is not Phase.AFTER_PENALTIES:
        return
    home, away = event.home_score, event.away_score
    if _is_level(home.penalties, away.penalties):
        yield "its shoot-out ended level"
    if home.aggregated is None or away.aggregated is None:
        return
    lead = home.aggregated - away.aggregated
    if lead not in (0, (home.penalties or 0) - (away.penalties or 0)):
        yield f"it went to a shoot-out at {home.aggregated}-{away.aggregated} over both legs"


def _normal_time_reasons(event: FootballEvent) -> Iterator[str]:
    """What ended after ninety minutes has no goals of later ones."""
    if event.phase is not Phase.FINISHED:
        return
    home, away = event.home_score, event.away_score
    for side, score in (("home", home), ("away", away)):
        later = score.extra_time or _sum_of(tuple(goals for goals in score.extra_periods if goals is not None)) or 0
        if later > 0:
            yield f"the {side} team has {later} in extra time, and the match ended without it"
    if home.penalties is not None and away.penalties is not None and not _is_level(home.played, away.played):
        yield f"it ended {home.played}-{away.played} and had a shoot-out"


def _winners(event: FootballEvent) -> set[Winner]:
    """After a shoot-out sources differ in whether it decides the match or only who goes on."""
    home, away = event.home_score, event.away_score
    found = {_winner_of(home.played, away.played)}
    if home.penalties is not None and away.penalties is not None:
        found |= {_winner_of(home.penalties, away.penalties), _winner_of(home.current, away.current)}
    elif event.phase is Phase.AFTER_PENALTIES:
        found |= {Winner.HOME, Winner.AWAY}
    return found


def _winner_of(home: int | None, away: int | None) -> Winner:
    first, second = home or 0, away or 0
    if first == second:
        return Winner.DRAW
    return Winner.HOME if first > second else Winner.AWAY


def _is_level(home: int | None, away: int | None) -> bool:
    return home is not None and home == away


def _aggregate_reasons(event: FootballEvent) -> Iterator[str]:
    home, away = event.home_score, event.away_score
    if not event.phase.is_played_out or home.aggregated is None or away.aggregated is None:
        return
    for side, score in (("home", home), ("away", away)):
        if score.aggregated is not None and score.normal_time is not None and score.aggregated < score.normal_time:
            yield f"the {side} score is {score.aggregated} over both legs and {score.normal_time} in this one"
    if event.aggregated_winner is None or home.aggregated == away.aggregated:
        return
    if event.aggregated_winner is not _winner_of(home.aggregated, away.aggregated):
        told = f"{home.aggregated}-{away.aggregated}"
        yield f"it is {told} over both legs and the winner of both is told as {event.aggregated_winner.value}"


def _clock_reasons(event: FootballEvent) -> Iterator[str]:
    """Only for what is being played or was: a match that was put off keeps the clock of its first attempt."""
    kickoff, began = event.kickoff, event.period_started_at
    if kickoff is None:
        return
    if kickoff == _NO_MOMENT and _adds_up(event.phase):
        yield f"it is {event.phase.value}, and kicked off at {kickoff:%Y-%m-%d %H:%M}"
    yield from _change_reasons(event, kickoff)
    if began is None or not _adds_up(event.phase):
        return
    if kickoff - began > KICKOFF_EARLY_MAX:
        yield f"a half began at {began:%H:%M} and the match only at {kickoff:%Y-%m-%d %H:%M}"
        return
    is_second = event.phase in (Phase.SECOND_HALF, Phase.FINISHED) and _is_second_half_shown(event)
    if is_second and event.half_minutes and event.half_minutes > 0:
        least = timedelta(minutes=min(event.half_minutes, 60)) - HALF_SHORT_MAX
        if began - kickoff < least:
            minutes = int((began - kickoff).total_seconds() // 60)
            yield f"its last half began {minutes} minutes after kickoff, and a half takes {event.half_minutes}"


def _change_reasons(event: FootballEvent, kickoff: datetime) -> Iterator[str]:
    """The source's own clock of its last word."""
    if event.changed_at is None or not _adds_up(event.phase) or event.phase is Phase.UNKNOWN:
        return
    if kickoff - event.changed_at > KICKOFF_EARLY_MAX:
        yield f"it was changed last at {event.changed_at:%Y-%m-%d %H:%M}, before its kickoff at {kickoff:%H:%M}"
    elif event.phase.is_played_out and event.changed_at - kickoff < MATCH_SHORT_MIN:
        minutes = int((event.changed_at - kickoff).total_seconds() // 60)
        yield f"it was over {minutes} minutes after its kickoff"


def _is_second_half_shown(event: FootballEvent) -> bool:
    return all(len(score.periods) == 2 and None not in score.periods for score in (event.home_score, event.away_score))
