"""Does what is told of a football match contradict itself, its other parts, or what was known?

One file for each part, each a stream of reasons in plain words. A source shows the same thing many times over; what is
healthy agrees in all of them, and what a source spoils on purpose agrees in few.
"""

from collections.abc import Iterator

import msgspec

from longstop.check.football import event, incidents, lineups, past, statistics, together
from longstop.check.verdict import Verdict
from longstop.domain.football import FootballEvent, MatchReport

__all__ = ["HeldRow", "held_rows", "judge", "judge_event"]


class HeldRow(msgspec.Struct, frozen=True):
    """One match of a list that is not believed."""

    key: str
    reasons: tuple[str, ...]


def judge(report: MatchReport, previous: FootballEvent | None = None) -> Verdict:
    """All reasons at once; `previous` is what was accepted last for the same match."""
    return Verdict(tuple(dict.fromkeys(_reasons(report, previous))))


def judge_event(told: FootballEvent, previous: FootballEvent | None = None) -> Verdict:
    return judge(MatchReport(event=told), previous)


def held_rows(report: MatchReport) -> tuple[HeldRow, ...]:
    """A match that contradicts itself costs its row, not the list."""
    told: dict[str, set[FootballEvent]] = {}
    for row in report.events or ():
        told.setdefault(row.key, set()).add(row)
    found = (HeldRow(row.key, _row_reasons(row, told[row.key])) for row in report.events or ())
    return tuple(row for row in found if row.reasons)


def _row_reasons(row: FootballEvent, told: set[FootballEvent]) -> tuple[str, ...]:
    twice = ("it is listed more than once, and not the same",) if len(told) > 1 else ()
    return (*judge_event(row).reasons, *twice)


def _reasons(report: MatchReport, previous: FootballEvent | None) -> Iterator[str]:
    if report.event is not None:
        yield from event.reasons(report.event)
        if previous is not None:
            yield from past.reasons(report.event, previous)
    if report.incidents is not None:
        yield from incidents.reasons(report.incidents)
    if report.lineups is not None:
        yield from lineups.reasons(report.lineups)
    if report.statistics is not None:
        yield from statistics.reasons(report.statistics)
    yield from together.reasons(report)
    yield from _list_reasons(report)


def _list_reasons(report: MatchReport) -> Iterator[str]:
    """Where half of the rows are wrong, the list is."""
    held = held_rows(report)
    if held and 2 * len(held) >= len(report.events or ()):
        for row in held:
            yield from (f"match {row.key}: {reason}" for reason in row.reasons)
