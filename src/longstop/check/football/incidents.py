"""What happened in a match, row by row: scores, sides and minutes that are each told more than once."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from longstop.domain.football import Incident, IncidentKind, Side

MINUTE_MAX = 150
# Halves of 45 minutes and of 15 in extra time; the countdown shows 1 in their last minute.
HALF_ENDS = (45, 90, 105, 120)
MINUTES_OUT_OF_ORDER_MAX = 1
SHIFTED_ROWS_MIN = 2

_ENDS = frozenset({"HT", "FT", "ET"})
_TIMED = frozenset(
    {
        IncidentKind.PERIOD,
        IncidentKind.GOAL,
        IncidentKind.CARD,
        IncidentKind.SUBSTITUTION,
        IncidentKind.ADDED_TIME,
        IncidentKind.MISSED_PENALTY,
    }
)
# Whose side a decision by video is, sources do not agree about; of an own goal neither.
_SIDED = frozenset(
    {
        IncidentKind.GOAL,
        IncidentKind.CARD,
        IncidentKind.SUBSTITUTION,
        IncidentKind.MISSED_PENALTY,
        IncidentKind.SHOOT_OUT,
    }
)

Score = tuple[int, int]


def reasons(incidents: Sequence[Incident]) -> Iterator[str]:
    rows = oldest_first(incidents)
    yield from _bound_reasons(rows)
    yield from _goal_reasons(rows)
    yield from _order_reasons(rows)
    yield from _clock_reasons(rows)
    yield from _period_reasons(rows)
    yield from _shoot_out_reasons(rows)
    yield from _player_reasons(rows)


def oldest_first(incidents: Sequence[Incident]) -> list[Incident]:
    """The site shows the newest first; some who keep its answers turn them round."""
    minutes = [row.minute for row in incidents if row.minute is not None and row.kind in _TIMED]
    rising = sum(later > earlier for earlier, later in pairwise(minutes))
    falling = sum(later < earlier for earlier, later in pairwise(minutes))
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


def _bound_reasons(rows: Sequence[Incident]) -> Iterator[str]:
    for row in rows:
        if row.minute is not None and row.minute > MINUTE_MAX:
            yield f"something happened in minute {row.minute}"
        if row.after is not None and min(row.after) < 0:
            yield f"the score at {row.where} is {row.after[0]}-{row.after[1]}"


def _goal_reasons(rows: Sequence[Incident]) -> Iterator[str]:
    before: Score | None = (0, 0)
    earlier: Incident | None = None
    for goal in goals_in_order(rows):
        if before is not None and goal.after is not None:
            yield from _step_reasons(goal, before, goal.after)
        before = goal.after
        if earlier is not None and _is_before(goal, earlier):
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


def _is_before(row: Incident, earlier: Incident) -> bool:
    if row.minute is None or earlier.minute is None:
        return False
    return earlier.minute - row.minute > MINUTES_OUT_OF_ORDER_MAX


def _order_reasons(rows: Sequence[Incident]) -> Iterator[str]:
    timed = [row for row in rows if row.minute is not None and row.kind in _TIMED]
    for earlier, later in pairwise(timed):
        if _is_before(later, earlier):
            yield f"{_named(later)} at {later.where} is listed after {_named(earlier)} at {earlier.where}"


def _clock_reasons(rows: Sequence[Incident]) -> Iterator[str]:
    """Every minute is told twice: from kickoff, and to the end of the half."""
    ends = set(HALF_ENDS)
    for row in rows:
        if row.kind is IncidentKind.PERIOD and row.seconds is not None and row.minute is not None:
            ends.add(row.seconds // 60)
            if abs(row.seconds - 60 * row.minute) >= 60:
                yield f"{row.detail or 'a half'} is at minute {row.minute} and at second {row.seconds}"
    counted = [row for row in rows if _is_counted(row)]
    shifted = [row for row in counted if (row.minute or 0) + (row.countdown or 0) - 1 not in ends]
    if len(shifted) < SHIFTED_ROWS_MIN and not any(row.kind is IncidentKind.GOAL for row in shifted):
        return
    if _has_own_halves(counted, shifted):
        return
    for row in shifted:
        yield f"{_named(row)} at {row.where} is told to be {row.countdown} minutes before the end of a half"


def _is_counted(row: Incident) -> bool:
    """On top of a half sources count down in ways of their own."""
    return row.minute is not None and row.countdown is not None and row.added is None and row.kind in _TIMED


def _has_own_halves(counted: Sequence[Incident], shifted: Sequence[Incident]) -> bool:
    """The young play shorter halves: then all rows agree about ends that are not the usual ones."""
    ends = {(row.minute or 0) + (row.countdown or 0) for row in counted}
    return len(shifted) > len(ends) and len(ends) <= len(HALF_ENDS)


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


def _player_reasons(rows: Sequence[Incident]) -> Iterator[str]:
    """Nobody plays for both teams."""
    for name, sides in sides_of_players(rows).items():
        if len(sides) > 1:
            yield f"{name} is told to be of both teams"
    for row in rows:
        if row.kind is IncidentKind.SUBSTITUTION and row.player is not None and row.player == row.other:
            yield f"{row.player.name} comes on for himself at {row.where}"


def sides_of_players(rows: Sequence[Incident]) -> dict[str, set[Side]]:
    """By name; two players of one name are told apart by the key that stands behind it."""
    sides: dict[tuple[str, str], set[Side]] = defaultdict(set)
    for row in rows:
        if row.side is None or row.kind not in _SIDED or row.is_own_goal:
            continue
        for person in (row.player, row.other):
            if person is not None and person.key:
                sides[person.key, person.name].add(row.side)
    return {f"{name} ({key})": found for (key, name), found in sides.items()}


def _named(row: Incident) -> str:
    words = {IncidentKind.PERIOD: row.detail or "a half", IncidentKind.ADDED_TIME: "the added time"}
    return words.get(row.kind, f"a {row.kind.value.replace('_', ' ')}")


def _dashed(score: Score) -> str:
    return f"{score[0]}-{score[1]}"
