"""What happened, beside who was there to do it: sides, who begins and who sits, and whether it is the same match."""

from collections.abc import Iterator, Sequence

from longstop.check.football.incidents import own_goals
from longstop.domain.football import STARTERS, Incident, IncidentKind, LineUps, Person, Side

# Of so many who did something, one may be missing from a line-up; not two.
STRANGERS_MIN = 2
BENCH_MIN = 5

_SURE = frozenset({IncidentKind.GOAL, IncidentKind.SUBSTITUTION, IncidentKind.CARD})
_PLAYING = frozenset({IncidentKind.GOAL, IncidentKind.SUBSTITUTION})


def reasons(lineups: LineUps, rows: Sequence[Incident]) -> Iterator[str]:
    """Of rows in the order in which they happened."""
    yield from _side_reasons(lineups, rows)
    if lineups.is_confirmed and _is_full(lineups):
        yield from _stranger_reasons(lineups, rows)
        yield from _bench_reasons(lineups, rows)


def _is_full(lineups: LineUps) -> bool:
    sheets = [sheet for _, sheet in lineups.sheets]
    return len(sheets) == 2 and all(
        len(sheet.starters) == STARTERS and len(sheet.players) >= STARTERS + BENCH_MIN for sheet in sheets
    )


def _side_reasons(lineups: LineUps, rows: Sequence[Incident]) -> Iterator[str]:
    sides: dict[str, Side] = {player.person.key: side for side, sheet in lineups.sheets for player in sheet.players}
    for row in rows:
        is_sure = row.kind in _SURE and not row.is_own_goal
        for person in (row.player, row.other) if is_sure and row.side is not None else ():
            known = sides.get(person.key) if person is not None else None
            if person is not None and known is not None and known is not row.side:
                yield f"{person.name} is of the {known.value} team by the line-ups and of the other at {row.where}"
    for goal, gained in own_goals(rows):
        if goal.player is not None and sides.get(goal.player.key) is gained:
            yield f"the own goal at {goal.where} is by {goal.player.name}, of the team that gained by it"


def _stranger_reasons(lineups: LineUps, rows: Sequence[Incident]) -> Iterator[str]:
    known = {player.person.key for _, sheet in lineups.sheets for player in sheet.players}
    strangers = {
        person.key: person.name
        for row in rows
        if row.kind in _PLAYING
        for person in (row.player, row.other)
        if person is not None and person.key and person.key not in known
    }
    if len(strangers) >= STRANGERS_MIN:
        yield f"{', '.join(sorted(strangers.values())[:5])} are in no line-up"


def _bench_reasons(lineups: LineUps, rows: Sequence[Incident]) -> Iterator[str]:
    """Who begins is on the pitch, who sits is not, until he is changed."""
    is_on = {player.person.key: not player.is_substitute for _, sheet in lineups.sheets for player in sheet.players}
    for row in dict.fromkeys(row for row in rows if row.kind is IncidentKind.SUBSTITUTION):
        yield from _move(is_on, row.player, row, is_coming=True)
        yield from _move(is_on, row.other, row, is_coming=False)


def _move(is_on: dict[str, bool], person: Person | None, row: Incident, *, is_coming: bool) -> Iterator[str]:
    if person is None or person.key not in is_on:
        return
    if is_on[person.key] is is_coming:
        told = "comes on" if is_coming else "goes off"
        was = "is on the pitch already" if is_coming else "is not on the pitch"
        yield f"{person.name} {told} at {row.where}, and {was} by the line-ups"
    is_on[person.key] = is_coming
