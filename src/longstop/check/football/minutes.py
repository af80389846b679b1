"""When it happened: minutes are in the order of the list, within their halves, and agree with the count of the rest."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from longstop.domain.football import Incident, IncidentKind

MINUTE_MAX = 150
# A power cut and a long injury have been played on for half an hour.
ADDED_MAX = 60
# Halves of 45 minutes and of 15 in extra time; the countdown shows 1 in their last minute.
HALF_ENDS = (45, 90, 105, 120)
# Shorter halves end at round minutes too.
HALF_STEP = 5
MINUTES_OUT_OF_ORDER_MAX = 1
SHIFTED_ROWS_MIN = 2

TIMED = frozenset(
    {
        IncidentKind.PERIOD,
        IncidentKind.GOAL,
        IncidentKind.CARD,
        IncidentKind.SUBSTITUTION,
        IncidentKind.ADDED_TIME,
        IncidentKind.MISSED_PENALTY,
    }
)
_ON_THE_PITCH = frozenset({IncidentKind.GOAL, IncidentKind.SUBSTITUTION})


def reasons(rows: Sequence[Incident]) -> Iterator[str]:
    """Of rows in the order in which they happened."""
    yield from _bound_reasons(rows)
    yield from _order_reasons(rows)
    yield from _end_reasons(rows)
    yield from _added_reasons(rows)
    yield from _countdown_reasons(rows)


def is_before(row: Incident, earlier: Incident) -> bool:
    if row.minute is None or earlier.minute is None:
        return False
    return earlier.minute - row.minute > MINUTES_OUT_OF_ORDER_MAX


def named(row: Incident) -> str:
    words = {IncidentKind.PERIOD: row.detail or "a half", IncidentKind.ADDED_TIME: "the added time"}
    return words.get(row.kind, f"a {row.kind.value.replace('_', ' ')}")


def _bound_reasons(rows: Sequence[Incident]) -> Iterator[str]:
    for row in rows:
        if row.minute is not None and row.minute > MINUTE_MAX:
            yield f"something happened in minute {row.minute}"
        if row.minute is None and row.kind in _ON_THE_PITCH:
            yield f"{named(row)} is of no minute of the match"


def _order_reasons(rows: Sequence[Incident]) -> Iterator[str]:
    timed = [row for row in rows if row.minute is not None and row.kind in TIMED]
    for earlier, later in pairwise(timed):
        if is_before(later, earlier):
            yield f"{named(later)} at {later.where} is listed after {named(earlier)} at {earlier.where}"


def _end_reasons(rows: Sequence[Incident]) -> Iterator[str]:
    for row in rows:
        if row.kind is not IncidentKind.PERIOD or row.minute is None:
            continue
        if row.seconds is not None and abs(row.seconds - 60 * row.minute) >= 60:
            yield f"{row.detail or 'a half'} is at minute {row.minute} and at second {row.seconds}"
        elif row.minute % HALF_STEP:
            yield f"{row.detail or 'a half'} is at minute {row.minute}, at which no half ends"


def _added_reasons(rows: Sequence[Incident]) -> Iterator[str]:
    """Minutes are added at the end of a half; nothing is left of it then."""
    ends = _ends(rows)
    for row in rows:
        if not row.added or row.minute is None or row.kind not in TIMED:
            continue
        if row.added > ADDED_MAX:
            yield f"{named(row)} at {row.where} is {row.added} minutes after the end of a half"
        elif row.minute not in ends and row.countdown != 1:
            yield f"{named(row)} at {row.where} is in added time, and no half ends at minute {row.minute}"


def _ends(rows: Sequence[Incident]) -> frozenset[int]:
    shown = {row.minute for row in rows if row.kind in (IncidentKind.PERIOD, IncidentKind.ADDED_TIME)}
    return frozenset(HALF_ENDS) | {minute for minute in shown if minute is not None and minute % HALF_STEP == 0}


def _countdown_reasons(rows: Sequence[Incident]) -> Iterator[str]:
    """Every minute is told twice: from kickoff, and to the end of the half."""
    timed_ends = {row.seconds // 60 for row in rows if row.kind is IncidentKind.PERIOD and row.seconds is not None}
    ends = timed_ends | set(HALF_ENDS)
    counted = [row for row in rows if _is_counted(row)]
    shifted = [row for row in counted if (row.minute or 0) + (row.countdown or 0) - 1 not in ends]
    if len(shifted) < SHIFTED_ROWS_MIN and not any(row.kind is IncidentKind.GOAL for row in shifted):
        return
    if _has_own_halves(counted, shifted):
        return
    for row in shifted:
        yield f"{named(row)} at {row.where} is told to be {row.countdown} minutes before the end of a half"


def _is_counted(row: Incident) -> bool:
    """On top of a half sources count down in ways of their own."""
    return row.minute is not None and row.countdown is not None and row.added is None and row.kind in TIMED


def _has_own_halves(counted: Sequence[Incident], shifted: Sequence[Incident]) -> bool:
    """The young play shorter halves: then all rows agree about ends that are not the usual ones."""
    ends = {(row.minute or 0) + (row.countdown or 0) for row in counted}
    return len(shifted) > len(ends) and len(ends) <= len(HALF_ENDS)
