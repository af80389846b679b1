"""Several answers about one match. They are asked one after the other: while it is played, one may be a goal ahead."""

from collections.abc import Iterator, Sequence

from longstop.check.football.incidents import last_score, oldest_first
from longstop.domain.football import FootballEvent, Incident, IncidentKind, LineUps, MatchReport, Phase, Side, Stage

GOALS_OF_LAG_MAX = 1

Score = tuple[int, int]


def reasons(report: MatchReport) -> Iterator[str]:
    rows = oldest_first(report.incidents or ())
    if report.event is not None and rows:
        yield from _final_reasons(report.event, rows)
        yield from _half_time_reasons(report.event, rows)
        yield from _shoot_out_reasons(report.event, rows)
    if report.lineups is not None and rows:
        yield from _side_reasons(report.lineups, rows)


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
    is_over = event.phase.is_played_out or event.phase in (Phase.SECOND_HALF, Phase.EXTRA_TIME, Phase.SHOOT_OUT)
    if is_over and told is not None and None not in first and first != told:
        yield f"the first half ended {first[0]}-{first[1]} by its halves and {told[0]}-{told[1]} by what happened"


def _shoot_out_reasons(event: FootballEvent, rows: Sequence[Incident]) -> Iterator[str]:
    shots = [row for row in rows if row.kind is IncidentKind.SHOOT_OUT and row.after and row.sequence]
    home, away = event.home_score.penalties, event.away_score.penalties
    if not shots or home is None or away is None or event.phase is not Phase.AFTER_PENALTIES:
        return
    last = max(shots, key=lambda shot: shot.sequence or 0).after
    if last is not None and last != (home, away):
        yield f"the shoot-out ended {home}-{away}, and its last shot made it {last[0]}-{last[1]}"


def _side_reasons(lineups: LineUps, rows: Sequence[Incident]) -> Iterator[str]:
    sides: dict[str, Side] = {player.person.key: side for side, sheet in lineups.sheets for player in sheet.players}
    for row in rows:
        is_sure = row.kind in (IncidentKind.GOAL, IncidentKind.SUBSTITUTION, IncidentKind.CARD) and not row.is_own_goal
        for person in (row.player, row.other) if is_sure and row.side is not None else ():
            known = sides.get(person.key) if person is not None else None
            if person is not None and known is not None and known is not row.side:
                yield f"{person.name} is of the {known.value} team by the line-ups and of the other at {row.where}"
