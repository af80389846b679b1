"""Several answers about one match. They are asked one after the other: while it is played, one may be a goal ahead."""

from collections.abc import Iterator, Sequence

from longstop.check.football import squads
from longstop.check.football.incidents import FULL_TIME, goals_in_order, last_score, oldest_first
from longstop.domain.football import FootballEvent, Incident, IncidentKind, MatchReport, Phase, Stage

GOALS_OF_LAG_MAX = 1
MINUTES_OF_LAG_MAX = 15
# Some sources count on past the ninetieth minute instead of adding.
NORMAL_MINUTES_MAX = 100
# Old matches tell the last minutes of a half without saying that they were added.
MINUTES_UNCLEAR = 3
SHOTS_MIN = 2
HALF_MINUTES = 45

Score = tuple[int, int]


def reasons(report: MatchReport) -> Iterator[str]:
    rows = oldest_first(report.incidents or ())
    if report.event is not None and rows:
        yield from _final_reasons(report.event, rows)
        yield from _half_time_reasons(report.event, rows)
        yield from _shoot_out_reasons(report.event, rows)
        yield from _end_reasons(report.event, rows)
        yield from _first_half_reasons(report.event, rows)
        yield from _time_reasons(report.event, rows)
    if report.lineups is not None and rows:
        yield from squads.reasons(report.lineups, rows)
    if report.event is not None:
        yield from _list_reasons(report.event, report.listed)


def _final_reasons(event: FootballEvent, rows: Sequence[Incident]) -> Iterator[str]:
    told, shown = last_score(rows), event.score
    if told is None or shown is None:
        return
    if event.phase.is_played_out and told != shown:
        yield f"it ended {shown[0]}-{shown[1]}, and its last goal made it {told[0]}-{told[1]}"
    is_played = event.phase.stage is Stage.LIVE
    if is_played and abs(told[0] - shown[0]) + abs(told[1] - shown[1]) > GOALS_OF_LAG_MAX:
        yield f"it stands at {shown[0]}-{shown[1]}, and its last goal made it {told[0]}-{told[1]}"


def _half_time_reasons(event: FootballEvent, rows: Sequence[Incident]) -> Iterator[str]:
    """What the first half ended with changes no more, however old either answer is."""
    first = tuple(score.periods[0] if score.periods else None for score in (event.home_score, event.away_score))
    told = next((row.after for row in rows if row.kind is IncidentKind.PERIOD and row.detail == "HT"), None)
    if _is_first_half_over(event) and told is not None and None not in first and first != told:
        yield f"the first half ended {first[0]}-{first[1]} by its halves and {told[0]}-{told[1]} by what happened"


def _shoot_out_reasons(event: FootballEvent, rows: Sequence[Incident]) -> Iterator[str]:
    shots = [row for row in rows if row.kind is IncidentKind.SHOOT_OUT and row.after and row.sequence]
    home, away = event.home_score.penalties, event.away_score.penalties
    if not shots or home is None or away is None or event.phase is not Phase.AFTER_PENALTIES:
        return
    last = max(shots, key=lambda shot: shot.sequence or 0).after
    if last is not None and last != (home, away):
        yield f"the shoot-out ended {home}-{away}, and its last shot made it {last[0]}-{last[1]}"


def _is_first_half_over(event: FootballEvent) -> bool:
    later = (Phase.HALF_TIME, Phase.SECOND_HALF, Phase.EXTRA_TIME, Phase.SHOOT_OUT)
    return event.phase.is_played_out or event.phase in later


def _end_reasons(event: FootballEvent, rows: Sequence[Incident]) -> Iterator[str]:
    """The score at the end of normal time, which rows may show though they show no goal."""
    told = next((row.after for row in rows if row.kind is IncidentKind.PERIOD and row.detail == FULL_TIME), None)
    normal = (event.home_score.normal_time, event.away_score.normal_time)
    due = event.score if event.phase is Phase.FINISHED else normal
    if told is None or due is None or None in due or not event.phase.is_played_out:
        return
    if told != due:
        yield f"normal time ended {due[0]}-{due[1]}, and {told[0]}-{told[1]} by what happened"


def _first_half_reasons(event: FootballEvent, rows: Sequence[Incident]) -> Iterator[str]:
    """By the minutes of the goals, where all of them are shown."""
    halves = (event.home_score.periods, event.away_score.periods)
    end = _half_end(event, rows)
    is_known = all(len(shown) == 2 and None not in shown for shown in halves)
    if end is None or not is_known or not event.phase.is_played_out or last_score(rows) != event.score:
        return
    first = (halves[0][0], halves[1][0])
    goals = goals_in_order(rows)
    sure, possible = _scored_until(goals, end), _scored_until(goals, end + MINUTES_UNCLEAR)
    led_to = [(0, 0), *(goal.after for goal in goals)]
    if first not in led_to[sure : possible + 1]:
        told = led_to[sure] or (0, 0)
        yield f"the first half ended {first[0]}-{first[1]} by its halves and {told[0]}-{told[1]} by its goals"


def _half_end(event: FootballEvent, rows: Sequence[Incident]) -> int | None:
    ends = (row.minute for row in rows if row.kind is IncidentKind.PERIOD and row.detail == "HT")
    return next(ends, None) or event.half_minutes


def _scored_until(goals: Sequence[Incident], minute: int) -> int:
    return sum((goal.minute or 0) <= minute for goal in goals)


def _time_reasons(event: FootballEvent, rows: Sequence[Incident]) -> Iterator[str]:
    """What has not been played yet has not happened yet, and what was never played never."""
    goals = [row for row in rows if row.kind is IncidentKind.GOAL]
    if event.phase is Phase.NOT_STARTED and goals:
        yield f"it has not started, and {len(goals)} goals are told"
    end = (event.half_minutes or HALF_MINUTES) + MINUTES_OF_LAG_MAX
    for row in goals:
        minute = row.minute or 0
        if event.phase in (Phase.FIRST_HALF, Phase.HALF_TIME) and minute > end:
            yield f"a goal at {row.where} is told, and it is {event.phase.value}"
        if event.phase is Phase.FINISHED and minute > NORMAL_MINUTES_MAX:
            yield f"a goal at {row.where} is told, and it ended without extra time"
    shots = sum(row.kind is IncidentKind.SHOOT_OUT for row in rows)
    is_ended = event.phase in (Phase.FINISHED, Phase.AFTER_EXTRA_TIME)
    if is_ended and event.home_score.penalties is None and shots >= SHOTS_MIN:
        yield f"a shoot-out is told, and it ended without one ({event.phase.value})"


def _list_reasons(event: FootballEvent, listed: Sequence[FootballEvent]) -> Iterator[str]:
    """A list and the match itself, saved together. While it is played one may be a goal behind."""
    for row in listed:
        if row.key != event.key:
            continue
        if {row.home.key, row.away.key} != {event.home.key, event.away.key}:
            yield f"its list has {row.home.name} v {row.away.name}"
        elif row.score is not None and event.score is not None and _is_apart(row, event):
            yield f"it is {event.score[0]}-{event.score[1]}, and {row.score[0]}-{row.score[1]} in its list"


def _is_apart(row: FootballEvent, event: FootballEvent) -> bool:
    if row.score is None or event.score is None:
        return False
    goals = abs(row.score[0] - event.score[0]) + abs(row.score[1] - event.score[1])
    are_over = row.phase.is_played_out and event.phase.is_played_out
    are_close = row.phase is event.phase and event.phase.is_in_normal_time
    return goals > 0 if are_over else are_close and goals > GOALS_OF_LAG_MAX
