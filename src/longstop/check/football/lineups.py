"""Who plays: eleven who begin, nobody twice, and figures that a match has room for."""

import re
from collections import Counter
from collections.abc import Iterator

from longstop.domain.football import STARTERS, LineUps, Side, SquadPlayer, TeamSheet

RATING_MAX = 10.0
MINUTES_MAX = 150
MATCH_MINUTES = 90
SQUAD_MAX = 60

_FORMATION = re.compile(r"\d(?:-\d){1,5}")


def reasons(lineups: LineUps) -> Iterator[str]:
    for side, sheet in lineups.sheets:
        yield from _sheet_reasons(side, sheet)
    seen = Counter(player.person.key for _, sheet in lineups.sheets for player in sheet.players)
    names = {player.person.key: player.person.name for _, sheet in lineups.sheets for player in sheet.players}
    for key, times in seen.items():
        if times > 1:
            yield f"{names[key]} ({key}) is in the line-ups {times} times"


def _sheet_reasons(side: Side, sheet: TeamSheet) -> Iterator[str]:
    starters = len(sheet.starters)
    if starters > STARTERS:
        yield f"the {side.value} team begins with {starters}"
    if len(sheet.players) > SQUAD_MAX:
        yield f"the {side.value} team has {len(sheet.players)} players"
    if starters == STARTERS and _FORMATION.fullmatch(sheet.formation):
        outfield = sum(map(int, sheet.formation.split("-")))
        if outfield != STARTERS - 1:
            yield f"the {side.value} team plays {sheet.formation}, which is {outfield} and a goalkeeper"
    for player in sheet.players:
        yield from _figure_reasons(player)
    yield from _minutes_reasons(side, sheet)


def _figure_reasons(player: SquadPlayer) -> Iterator[str]:
    for rating in (player.rating, player.average):
        if rating is not None and not 0.0 <= rating <= RATING_MAX:
            yield f"{player.person.name} is rated {rating:g}"
    if player.minutes is not None and not 0 <= player.minutes <= MINUTES_MAX:
        yield f"{player.person.name} played {player.minutes} minutes"


def _minutes_reasons(side: Side, sheet: TeamSheet) -> Iterator[str]:
    """Eleven are on the pitch at a time. Each change may be counted to both."""
    played = [player.minutes for player in sheet.players if player.minutes is not None and player.minutes > 0]
    longest = max(MATCH_MINUTES, *played, 0)
    if sum(played) > STARTERS * longest + len(played):
        yield f"the {side.value} team played {sum(played)} minutes, and {STARTERS} for {longest} are fewer"
