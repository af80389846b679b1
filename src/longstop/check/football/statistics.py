"""Figures that are told more than once must be the same, no part is more than its whole, and no half than the match."""

import re
from collections.abc import Iterator, Sequence

from longstop.domain.football import Measure

SHARE_SLACK = 2.0
TEXT_SLACK = 0.011
PERCENT_SLACK = 1.0
# Corrections reach the halves and the whole one after the other.
HALVES_SLACK = 2.0
# Extra time is a third of a match on top; what is missing beyond that is missing.
HALVES_SHARE_MIN = 0.6
HALVES_LACK_MIN = 8.0

WHOLE, HALVES = "ALL", ("1ST", "2ND")
_COUNTS = frozenset(
    {
        "Total shots",
        "Shots on target",
        "Shots off target",
        "Blocked shots",
        "Shots inside box",
        "Shots outside box",
        "Corner kicks",
        "Fouls",
        "Offsides",
        "Free kicks",
        "Throw-ins",
        "Goal kicks",
        "Passes",
        "Goalkeeper saves",
        "Yellow cards",
        "Red cards",
        "Interceptions",
        "Clearances",
    }
)
_PARTS = (
    ("Shots on target", "Total shots"),
    ("Shots off target", "Total shots"),
    ("Blocked shots", "Total shots"),
    ("Shots inside box", "Total shots"),
    ("Shots outside box", "Total shots"),
    ("Accurate passes", "Passes"),
)
_POSSESSION = "Ball possession"
_NUMBER = r"-?\d{1,6}(?:\.\d{1,6})?"
_LEADING_NUMBER = re.compile(rf"\s*({_NUMBER})")
_PART_OF = re.compile(r"\s*(\d{1,6})/(\d{1,6})(?:\s*\((\d{1,3})%\))?\s*")
_PERCENT = re.compile(r"\s*(\d{1,3}(?:\.\d{1,3})?)\s*%\s*")
_TEXT_MAX = 40

Side = tuple[str, str, float | None, float | None]
Table = dict[tuple[str, str], dict[str, float]]


def reasons(measures: Sequence[Measure]) -> Iterator[str]:
    yield from _twice_reasons(measures)
    for row in measures:
        for side, text, value, total in _sides(row):
            yield from _side_reasons(f"{row.name} of the {side} team in {row.period}", row.name, text, value, total)
        yield from _share_reasons(row)
    table = _table(measures)
    yield from _part_reasons(table)
    yield from _half_reasons(table)


def _sides(row: Measure) -> tuple[Side, Side]:
    home = ("home", row.home[:_TEXT_MAX], row.home_value, row.home_total)
    return home, ("away", row.away[:_TEXT_MAX], row.away_value, row.away_total)


def _twice_reasons(measures: Sequence[Measure]) -> Iterator[str]:
    """The overview repeats what stands in the groups below it: the same again is no contradiction."""
    told: dict[tuple[str, str], set[Measure]] = {}
    for row in measures:
        told.setdefault((row.period, row.name), set()).add(row)
    for (period, name), rows in told.items():
        if len(rows) > 1:
            yield f"{name} is told {len(rows)} times for {period}, and not the same"


def _side_reasons(where: str, name: str, text: str, value: float | None, total: float | None) -> Iterator[str]:
    if not _says(name, text, value, total):
        yield f"{where} is {text!r} and {value:g}"
    part = _PART_OF.fullmatch(text)
    if part is not None:
        yield from _fraction_reasons(where, text, int(part[1]), int(part[2]), part[3])
    if total is not None and value is not None and value > total:
        yield f"{where} is {value:g} of {total:g}"
    if name in _COUNTS and (_number(text, value) or 0) < 0:
        yield f"{where} is {_number(text, value):g}"


def _says(name: str, text: str, value: float | None, total: float | None) -> bool:
    """`12/20 (60%)` says 12; `57%` may stand for 8 of 14; text without a number in front says nothing."""
    found = _LEADING_NUMBER.match(text)
    if value is None or found is None or abs(float(found[1]) - value) <= TEXT_SLACK:
        return True
    percent = _PERCENT.fullmatch(text)
    if percent is None or name == _POSSESSION:
        return False
    return total is None or abs(_percent(value, total) - float(percent[1])) <= PERCENT_SLACK


def _percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0


def _fraction_reasons(where: str, text: str, part: int, whole: int, percent: str | None) -> Iterator[str]:
    if part > whole:
        yield f"{where} is {text!r}, more than the whole"
    elif percent is not None and abs(_percent(part, whole) - int(percent)) > PERCENT_SLACK:
        yield f"{where} is {text!r}, which is {_percent(part, whole):.0f}%"


def _share_reasons(row: Measure) -> Iterator[str]:
    home, away = _number(row.home, row.home_value), _number(row.away, row.away_value)
    if row.name == _POSSESSION and home is not None and away is not None and abs(home + away - 100) > SHARE_SLACK:
        yield f"{row.name} in {row.period} is {home:g} and {away:g}, which is not the whole"


def _number(text: str, value: float | None) -> float | None:
    found = _LEADING_NUMBER.match(text[:_TEXT_MAX]) if value is None else None
    return value if found is None else float(found[1])


def _table(measures: Sequence[Measure]) -> Table:
    """By period and side, each figure by its name."""
    table: Table = {}
    for row in measures:
        for side, text, value, _ in _sides(row):
            number = _number(text, value)
            if number is not None:
                table.setdefault((row.period, side), {})[row.name] = number
    return table


def _part_reasons(table: Table) -> Iterator[str]:
    for (period, side), figures in table.items():
        for part, whole in _PARTS:
            if part in figures and whole in figures and figures[part] > figures[whole]:
                told = f"{figures[part]:g} {part.lower()} of {figures[whole]:g} {whole.lower()}"
                yield f"the {side} team in {period} has {told}"


def _half_reasons(table: Table) -> Iterator[str]:
    for side in ("home", "away"):
        whole = table.get((WHOLE, side), {})
        halves = [table.get((half, side), {}) for half in HALVES]
        for name in sorted(_COUNTS & whole.keys()):
            yield from _sum_reasons(side, name, whole[name], [half[name] for half in halves if name in half])


def _sum_reasons(side: str, name: str, whole: float, halves: Sequence[float]) -> Iterator[str]:
    added = sum(halves)
    is_less = len(halves) == len(HALVES) and whole - added >= HALVES_LACK_MIN and added < HALVES_SHARE_MIN * whole
    if added > whole + HALVES_SLACK or is_less:
        yield f"{name} of the {side} team add up to {added:g} in its halves and are {whole:g} in the match"
