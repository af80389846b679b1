"""Who was on the pitch: nobody plays for both teams, comes on twice, or scores from the bench."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from longstop.check.football.minutes import MINUTES_OUT_OF_ORDER_MAX
from longstop.domain.football import Incident, IncidentKind, Person, Side

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
_SENT_OFF = frozenset({"red", "yellowRed"})


def reasons(rows: Sequence[Incident]) -> Iterator[str]:
    """Of rows in the order in which they happened."""
    for name, sides in sides_of_players(rows).items():
        if len(sides) > 1:
            yield f"{name} is told to be of both teams"
    yield from _change_reasons(rows)
    yield from _red_reasons(rows)
    yield from _scorer_reasons(rows)


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


def _change_reasons(rows: Sequence[Incident]) -> Iterator[str]:
    """Where changes are free a player may come back, but only after he has gone. One row told twice is one change."""
    moved: dict[str, bool] = {}
    for row in dict.fromkeys(row for row in rows if row.kind is IncidentKind.SUBSTITUTION):
        if row.player is not None and row.player == row.other:
            yield f"{row.player.name} comes on for himself at {row.where}"
            continue
        for person, is_on in ((row.player, True), (row.other, False)):
            if person is None or not person.key:
                continue
            if moved.get(person.key) is is_on:
                yield f"{person.name} {'comes on' if is_on else 'goes off'} twice, the second time at {row.where}"
            moved[person.key] = is_on


def _red_reasons(rows: Sequence[Incident]) -> Iterator[str]:
    seen: set[str] = set()
    for row in dict.fromkeys(row for row in rows if _is_red(row)):
        key = row.player.key if row.player is not None else ""
        if key and key in seen:
            yield f"{row.player.name if row.player else key} is sent off twice, the second time at {row.where}"
        seen.add(key)


def _is_red(row: Incident) -> bool:
    return row.kind is IncidentKind.CARD and row.detail in _SENT_OFF


def _scorer_reasons(rows: Sequence[Incident]) -> Iterator[str]:
    """By minutes: two rows of one minute may stand in any order."""
    for row in rows:
        scorer = row.player
        if row.kind is not IncidentKind.GOAL or row.is_own_goal or scorer is None or not scorer.key:
            continue
        reason = _absence(rows, scorer, row)
        if reason:
            yield f"{scorer.name} scores at {row.where}, and {reason}"


def _absence(rows: Sequence[Incident], scorer: Person, goal: Incident) -> str:
    """Why he cannot have scored; empty when he can."""
    moves = [row for row in rows if row.kind is IncidentKind.SUBSTITUTION and scorer in (row.player, row.other)]
    gone = [row for row in moves if row.other == scorer and _is_well_before(row, goal)]
    back = [row for row in moves if row.player == scorer and gone and not _is_well_before(row, gone[-1])]
    if gone and all(_is_well_before(goal, row) for row in back):
        return f"went off at {gone[-1].where}"
    if moves and moves[0].player == scorer and _is_well_before(goal, moves[0]):
        return f"came on at {moves[0].where}"
    reds = [row for row in rows if _is_red(row) and row.player == scorer and _is_well_before(row, goal)]
    return f"was sent off at {reds[0].where}" if reds else ""


def _is_well_before(earlier: Incident, later: Incident) -> bool:
    if earlier.minute is None or later.minute is None:
        return False
    return later.minute - earlier.minute > MINUTES_OUT_OF_ORDER_MAX
