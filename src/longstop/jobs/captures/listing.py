"""The list of a day, read: a row that is broken or odd costs itself."""

from longstop.check.football import held_rows
from longstop.domain.football import FootballEvent
from longstop.fetch.snapshot import Snapshot
from longstop.sources.sofascore import reading


def read_list(snapshot: Snapshot) -> tuple[FootballEvent, ...]:
    report = reading.read(snapshot).football
    if report is None or report.events is None:
        return ()
    held = {row.key for row in held_rows(report)}
    return tuple(event for event in report.events if event.key not in held)
