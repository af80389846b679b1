"""Names in a file in which only names stand: two people of one name are told apart by their codes."""

from collections import Counter
from collections.abc import Iterable

from longstop.domain.cricket import Delivery
from longstop.serve.naming import NameBook
from longstop.serve.whole import WholeMatch


class People:
    def __init__(self, whole: WholeMatch, names: NameBook) -> None:
        self._names = names
        self._codes = sorted(set(_codes(whole)))
        shared = Counter(names.player(code).name for code in self._codes)
        self._players = {
            code: name if shared[name] == 1 else f"{name} ({code})"
            for code in self._codes
            for name in (names.player(code).name,)
        }

    def player(self, code: str) -> str:
        return self._players.get(code) or self._names.player(code).name

    def team(self, code: str) -> str:
        return self._names.team(code).name

    def team_or_none(self, code: str | None) -> str | None:
        return None if code is None else self.team(code)

    def series(self, code: str) -> str:
        return self._names.series(code)

    def registry(self) -> dict[str, str]:
        """The source's own codes, which are what it knows people by."""
        return {self._players[code]: code for code in self._codes}

    def sides(self, whole: WholeMatch) -> dict[str, list[str]]:
        """Who was seen playing for whom; who only stood in the field may be a substitute, and is not listed."""
        seen: dict[str, dict[str, None]] = {code: {} for code in whole.known.row.teams}
        for score in whole.scores:
            if score.team not in seen:
                continue
            others = [code for code in seen if code != score.team]
            for ball in whole.balls(score.number):
                seen[score.team] |= dict.fromkeys((ball.batter, ball.non_striker))
                for other in others:
                    seen[other][ball.bowler] = None
        return {self.team(code): [self.player(player) for player in players] for code, players in seen.items()}


def _codes(whole: WholeMatch) -> Iterable[str]:
    for record in whole.records:
        if record.delivery is not None:
            yield from _codes_of(record.delivery)
    for score in whole.scores:
        yield from score.absent_hurt


def _codes_of(ball: Delivery) -> Iterable[str]:
    yield from (ball.batter, ball.non_striker, ball.bowler)
    for dismissal in ball.dismissals:
        yield from (dismissal.player, *dismissal.fielders)
    for replacement in ball.replacements:
        yield replacement.player_in
        if replacement.player_out:
            yield replacement.player_out
