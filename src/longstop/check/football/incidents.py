"""What happened in a match, row by row: scores and sides that are each told more than once. Whose minutes they are,
and who is on the pitch, stands beside it."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from longstop.check.football import minutes, players
from longstop.check.football.minutes import TIMED, is_before
from longstop.domain.football import Incident, IncidentKind, Side

FULL_TIME = "FT"
NORMAL_MINUTES = 90
_NO_KEYS = frozenset({"", "0"})
_ENDS = frozenset({"HT", FULL_TIME, "ET"})
Score = tuple[int, int]


def reasons(incidents: Sequence[Incident]) -> Iterator[str]:
    rows = oldest_first(incidents)
    yield from _score_bound_reasons(rows)
    yield from _key_reasons(rows)
    yield from _goal_reasons(rows)
    yield from _own_goal_reasons(rows)
    yield from minutes.reasons(rows)
    yield from _period_reasons(rows)
    yield from _late_goal_reasons(rows)
    yield from _shoot_out_reasons(rows)
    yield from players.reasons(rows)


def oldest_first(incidents: Sequence[Incident]) -> list[Incident]:
    """The site shows the newest first; some who keep its answers turn them round."""
    told = [row.minute for row in incidents if row.minute is not None and row.kind in TIMED]
    rising = sum(later > earlier for earlier, later in pairwise(told))
    falling = sum(later < earlier for earlier, later in pairwise(told))
    return list(incidents) if rising > falling else list(reversed(incidents))


def goals_in_order(rows: Sequence[Incident]) -> list[Incident]:
    """By the score they led to; two goals of one minute may stand in any order in the list."""
    goals = [row for row in rows if row.kind is IncidentKind.GOAL]
    if all(goal.after is not None for goal in goals):
        goals.sort(key=lambda goal: sum(goal.after or (0, 0)))
    return goals


def last_score(rows: Sequence[Incident]) -> Score | None:
    """None where no goal is shown, or one is shown without its score: then nothing can be said."""
    goals = goals_in_order(rows)
    return goals[-1].after if goals and all(goal.after is not None for goal in goals) else None


def _score_bound_reasons(rows: Sequence[Incident]) -> Iterator[str]:
    for row in rows:
        if row.after is not None and min(row.after) < 0:
            yield f"the score at {row.where} is {row.after[0]}-{row.after[1]}"


def _key_reasons(rows: Sequence[Incident]) -> Iterator[str]:
    """The source's own key of a row names one thing. The same row twice is a matter for the goals' scores."""
    told: dict[tuple[IncidentKind, str], Incident] = {}
    for row in rows:
        if row.key not in _NO_KEYS and told.setdefault((row.kind, row.key), row) != row:
            yield f"{minutes.named(row)} at {row.where} has the key {row.key}, and so has another"


def _goal_reasons(rows: Sequence[Incident]) -> Iterator[str]:
    before: Score | None = (0, 0)
    earlier: Incident | None = None
    for goal in goals_in_order(rows):
        if before is not None and goal.after is not None:
            yield from _step_reasons(goal, before, goal.after)
        before = goal.after
        if earlier is not None and is_before(goal, earlier):
            yield f"the goal at {goal.where} comes after the one at {earlier.where}"
        earlier = goal


def _step_reasons(goal: Incident, before: Score, after: Score) -> Iterator[str]:
    steps = (after[0] - before[0], after[1] - before[1])
    if steps not in ((1, 0), (0, 1)):
        yield f"one goal at {goal.where} took the score from {_dashed(before)} to {_dashed(after)}"
        return
    scored = Side.HOME if steps == (1, 0) else Side.AWAY
    if goal.side is not None and goal.side is not scored and not goal.is_own_goal:
        yield f"the goal at {goal.where} made it {_dashed(after)} and is told as the {goal.side.value} team's"


def own_goals(rows: Sequence[Incident]) -> Iterator[tuple[Incident, Side]]:
    """With who gained by them, which the score tells; whose they are called, sources do not agree about."""
    before: Score | None = (0, 0)
    for goal in goals_in_order(rows):
        if goal.is_own_goal and before is not None and goal.after in _next_scores(before):
            yield goal, Side.HOME if goal.after[0] > before[0] else Side.AWAY
        before = goal.after


def _next_scores(before: Score) -> tuple[Score, Score]:
    return (before[0] + 1, before[1]), (before[0], before[1] + 1)


def _own_goal_reasons(rows: Sequence[Incident]) -> Iterator[str]:
    sides = players.sides_of_players(rows)
    for goal, gained in own_goals(rows):
        if goal.player is not None and sides.get(f"{goal.player.name} ({goal.player.key})") == {gained}:
            yield f"the own goal at {goal.where} is by {goal.player.name}, of the team that gained by it"


def _period_reasons(rows: Sequence[Incident]) -> Iterator[str]:
    """The score at the end of a half is the one that the goals before it led to."""
    if last_score(rows) is None:
        return
    score: Score = (0, 0)
    for row in rows:
        if row.kind is IncidentKind.GOAL and row.after is not None and sum(row.after) >= sum(score):
            score = row.after
        elif _is_end(row) and row.after is not None and row.after != score:
            yield f"{row.detail} is at {_dashed(row.after)}, after goals that led to {_dashed(score)}"


def _late_goal_reasons(rows: Sequence[Incident]) -> Iterator[str]:
    """What comes after the end of normal time is of extra time."""
    is_over = False
    for row in rows:
        is_over = is_over or (row.kind is IncidentKind.PERIOD and row.detail == FULL_TIME)
        if is_over and row.kind is IncidentKind.GOAL and (row.minute or 0) <= NORMAL_MINUTES:
            yield f"a goal at {row.where} is listed after the end"


def _is_end(row: Incident) -> bool:
    return row.kind is IncidentKind.PERIOD and row.detail in _ENDS


def _shoot_out_reasons(rows: Sequence[Incident]) -> Iterator[str]:
    shots = [row for row in rows if row.kind is IncidentKind.SHOOT_OUT and row.after and row.sequence]
    shots.sort(key=lambda shot: shot.sequence or 0)
    if [shot.sequence for shot in shots] != list(range(1, len(shots) + 1)):
        return
    before: Score = (0, 0)
    for shot in shots:
        after, due = shot.after or before, _after_shot(shot, before)
        if due is not None and after != due:
            yield f"shot {shot.sequence} of the shoot-out made it {_dashed(after)} instead of {_dashed(due)}"
        before = after


def _after_shot(shot: Incident, before: Score) -> Score | None:
    if shot.side is None or shot.detail not in ("scored", "missed"):
        return None
    goals = int(shot.detail == "scored")
    return (before[0] + goals, before[1]) if shot.side is Side.HOME else (before[0], before[1] + goals)


def _dashed(score: Score) -> str:
    return f"{score[0]}-{score[1]}"
