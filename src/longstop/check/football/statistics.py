"""Figures that are told as text and as numbers must be the same, and no share is more than the whole."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from longstop.domain.football import Measure

SHARE_SLACK = 2.0
TEXT_SLACK = 0.011

_LEADING_NUMBER = re.compile(r"\s*(\d{1,6}(?:\.\d{1,6})?)")


def reasons(measures: Sequence[Measure]) -> Iterator[str]:
    for (period, name), times in Counter((row.period, row.name) for row in measures).items():
        if times > 1:
            yield f"{name} is told {times} times for {period}"
    for row in measures:
        for side, text, value in (("home", row.home, row.home_value), ("away", row.away, row.away_value)):
            if value is not None and not _says(text, value):
                yield f"{row.name} of the {side} team in {row.period} is {text!r} and {value:g}"
        yield from _share_reasons(row)


def _says(text: str, value: float) -> bool:
    """`12/20 (60%)` says 12; text without a number in front says nothing that could be compared."""
    found = _LEADING_NUMBER.match(text[:40])
    return found is None or abs(float(found[1]) - value) <= TEXT_SLACK


def _share_reasons(row: Measure) -> Iterator[str]:
    if row.name != "Ball possession" or row.home_value is None or row.away_value is None:
        return
    if abs(row.home_value + row.away_value - 100) > SHARE_SLACK:
        yield f"{row.name} in {row.period} is {row.home_value:g} and {row.away_value:g}, which is not the whole"
