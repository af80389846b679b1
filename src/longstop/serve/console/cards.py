"""The scorecard of an innings, added up from its balls: batters, bowlers, the fall of wickets."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from longstop.domain.cricket import Delivery, Dismissal
from longstop.serve.naming import NameBook

# What no bowler is given.
_NOT_THE_BOWLERS: Final = frozenset(
    {
        "run out",
        "retired hurt",
        "retired out",
        "retired not out",
        "obstructing the field",
        "timed out",
        "handled the ball",
        "hit the ball twice",
    }
)


class Batter(Struct):
    name: str
    out: str = ""
    runs: int = 0
    balls: int = 0
    fours: int = 0
    sixes: int = 0


class Bowler(Struct):
    """`overs` is filled in when all balls are added."""

    name: str
    balls: int = 0
    overs: str = ""
    maidens: int = 0
    runs: int = 0
    wickets: int = 0


class Fall(Struct, frozen=True):
    wicket: int
    runs: int
    player: str
    over: str


class Card(Struct, frozen=True):
    batting: list[Batter]
    bowling: list[Bowler]
    falls: list[Fall]


class _Adding:
    def __init__(self, names: NameBook) -> None:
        self._names = names
        self.batters: dict[str, Batter] = {}
        self.bowlers: dict[str, Bowler] = {}
        self.falls: list[Fall] = []
        self._runs = 0
        self._wickets = 0
        self._over: tuple[int, set[str], int, int] = (-1, set(), 0, 0)

    def add(self, ball: Delivery) -> None:
        self._runs += ball.runs
        self._add_batter(ball)
        self._add_bowler(ball)
        for dismissal in ball.dismissals:
            self._add_dismissal(ball, dismissal)

    def _add_batter(self, ball: Delivery) -> None:
        batter = self._batter(ball.batter)
        self._batter(ball.non_striker)
        batter.runs += ball.runs_batter
        batter.balls += not ball.extras.wides
        batter.fours += ball.runs_batter == 4 and not ball.is_non_boundary
        batter.sixes += ball.runs_batter == 6 and not ball.is_non_boundary

    def _add_bowler(self, ball: Delivery) -> None:
        bowler = self._bowler(ball.bowler)
        conceded = ball.runs_batter + ball.extras.wides + ball.extras.noballs
        bowler.balls += ball.is_legal
        bowler.runs += conceded
        self._count_over(ball, conceded)

    def _count_over(self, ball: Delivery, conceded: int) -> None:
        """A maiden is a whole over of one bowler with nothing conceded."""
        over, who, legal, runs = self._over
        if ball.place.over != over:
            over, who, legal, runs = ball.place.over, set(), 0, 0
        who.add(ball.bowler)
        self._over = (over, who, legal + ball.is_legal, runs + conceded)

    def end_over(self, balls_per_over: int) -> None:
        _, who, legal, runs = self._over
        if len(who) == 1 and legal >= balls_per_over and runs == 0:
            self._bowler(next(iter(who))).maidens += 1

    def _add_dismissal(self, ball: Delivery, dismissal: Dismissal) -> None:
        bowler = self._names.player(ball.bowler).name
        self._batter(dismissal.player).out = how_out(dismissal, bowler, self._names)
        if dismissal.kind not in _NOT_THE_BOWLERS:
            self._bowler(ball.bowler).wickets += 1
        if dismissal.is_wicket:
            self._wickets += 1
            player = self._names.player(dismissal.player).name
            place = f"{ball.place.over}.{ball.place.position}"
            self.falls.append(Fall(self._wickets, self._runs, player, place))

    def _batter(self, code: str) -> Batter:
        return self.batters.setdefault(code, Batter(self._names.player(code).name))

    def _bowler(self, code: str) -> Bowler:
        return self.bowlers.setdefault(code, Bowler(self._names.player(code).name))


def card_of(overs: Iterable[Sequence[Delivery]], balls_per_over: int, names: NameBook) -> Card:
    """The balls of one innings, by overs."""
    adding = _Adding(names)
    for over in overs:
        for ball in over:
            adding.add(ball)
        adding.end_over(balls_per_over)
    bowlers = list(adding.bowlers.values())
    for bowler in bowlers:
        whole, part = divmod(bowler.balls, max(1, balls_per_over))
        bowler.overs = f"{whole}.{part}" if part else str(whole)
    return Card([each for code, each in adding.batters.items() if code], bowlers, adding.falls)


def how_out(dismissal: Dismissal, bowler: str, names: NameBook) -> str:
    """`b Perry`, `c Kaur b Perry`, `c & b Perry`, `run out (Kaur)`; the source's own word for all that is rare."""
    fielders = [names.player(code).name for code in dismissal.fielders]
    kind, by = dismissal.kind, ", ".join(fielders)
    if kind == "bowled":
        return f"b {bowler}"
    if kind == "lbw":
        return f"lbw b {bowler}"
    if kind == "caught and bowled" or (kind == "caught" and fielders == [bowler]):
        return f"c & b {bowler}"
    if kind in {"caught", "stumped"}:
        return f"{'c' if kind == 'caught' else 'st'} {by} b {bowler}".replace("  ", " ")
    return f"{kind} ({by})" if by else kind
