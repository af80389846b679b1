"""The scorecard, added up from the balls. Beside each innings stands what the board claims, so that both can be held
against each other."""

from collections.abc import Iterable
from typing import Annotated, Final

from msgspec import Meta, Struct, field

from longstop.domain.cricket import NO_EXTRAS, Delivery, Dismissal, Extras, InningsScore
from longstop.serve import balls, wire
from longstop.serve.naming import NameBook, Player, Team
from longstop.serve.notation import overs_number
from longstop.serve.whole import WholeMatch

# What counts for the bowler.
BOWLED_KINDS: Final = frozenset({"bowled", "caught", "caught and bowled", "lbw", "stumped", "hit wicket"})


class BatterCard(Struct, frozen=True):
    player: Player
    runs: int
    balls: int
    fours: int
    sixes: int
    strike_rate: float | None
    dismissal: Annotated[wire.DismissalOut | None, Meta(description="null for who is not out.")]
    how_out: Annotated[str, Meta(description="c Perry b Schutt, not out, retired hurt …")]


class BowlerCard(Struct, frozen=True):
    player: Player
    overs: str
    balls: int
    maidens: int
    runs: int
    wickets: int
    wides: int
    noballs: int
    dots: int
    economy: float | None


class FallOfWicket(Struct, frozen=True):
    wicket: int
    runs: int
    player: Player
    over: Annotated[str, Meta(description="12.3: the third legal ball of the thirteenth over.")]
    place: str


class InningsCard(Struct, frozen=True):
    number: int
    team: Team
    runs: int
    wickets: int
    overs: float | None
    legal_balls: int
    extras: wire.ExtrasOut
    batting: list[BatterCard]
    bowling: list[BowlerCard]
    fall_of_wickets: list[FallOfWicket]
    is_super_over: bool
    state: str
    board: Annotated[wire.InningsOut | None, Meta(description="What the source's scoreboard claims.")]
    is_whole: Annotated[bool, Meta(description="The balls add up to what the board claims.")]


class Scorecard(Struct, frozen=True):
    match_id: str = field(name="matchId")
    as_of: str | None
    innings: list[InningsCard]
    result: wire.ResultOut | None
    metadata: wire.Metadata = field(name="_metadata")


def innings_cards(whole: WholeMatch, names: NameBook) -> list[InningsCard]:
    per_over = whole.balls_per_over
    return [innings_card(score, whole.balls(score.number), per_over, names) for score in whole.scores]


def innings_card(score: InningsScore, bowled: Iterable[Delivery], balls_per_over: int, names: NameBook) -> InningsCard:
    """`bowled` are the balls of this innings, in order."""
    return _Adding(score, bowled, balls_per_over, names).card()


class _Batter:
    def __init__(self) -> None:
        self.runs = self.balls = self.fours = self.sixes = 0
        self.out: tuple[Dismissal, str] | None = None

    def face(self, ball: Delivery) -> None:
        self.runs += ball.runs_batter
        self.balls += not ball.extras.wides
        self.fours += ball.runs_batter == 4 and not ball.is_non_boundary
        self.sixes += ball.runs_batter == 6 and not ball.is_non_boundary


class _Bowler:
    def __init__(self) -> None:
        self.runs = self.balls = self.wickets = self.wides = self.noballs = self.dots = 0
        self.overs: dict[int, tuple[int, int]] = {}

    def bowl(self, ball: Delivery) -> None:
        conceded = ball.runs_batter + ball.extras.wides + ball.extras.noballs
        self.runs += conceded
        self.balls += ball.is_legal
        self.wides += ball.extras.wides
        self.noballs += ball.extras.noballs
        self.dots += ball.is_legal and not ball.runs
        self.wickets += sum(each.kind in BOWLED_KINDS for each in ball.dismissals)
        legal, runs = self.overs.get(ball.place.over, (0, 0))
        self.overs[ball.place.over] = (legal + ball.is_legal, runs + conceded)

    def maidens(self, balls_per_over: int) -> int:
        return sum(legal >= balls_per_over and not runs for legal, runs in self.overs.values())


class _Adding:
    """One innings, ball by ball."""

    def __init__(self, score: InningsScore, bowled: Iterable[Delivery], balls_per_over: int, names: NameBook) -> None:
        self._score = score
        self._names = names
        self._per_over = balls_per_over
        self._batters: dict[str, _Batter] = {}
        self._bowlers: dict[str, _Bowler] = {}
        self._falls: list[FallOfWicket] = []
        self._runs, self._wickets, self._legal = score.penalty_awarded, 0, 0
        self._extras: Extras = NO_EXTRAS
        self._in_over = (0, 0)
        for ball in bowled:
            self._add(ball)

    def _add(self, ball: Delivery) -> None:
        self._batters.setdefault(ball.batter, _Batter()).face(ball)
        self._batters.setdefault(ball.non_striker, _Batter())
        self._bowlers.setdefault(ball.bowler, _Bowler()).bowl(ball)
        self._runs += ball.runs
        self._legal += ball.is_legal
        self._extras = self._extras.plus(ball.extras)
        over, before = self._in_over
        self._in_over = (ball.place.over, (before if over == ball.place.over else 0) + ball.is_legal)
        for dismissal in ball.dismissals:
            self._dismiss(ball, dismissal)

    def _dismiss(self, ball: Delivery, dismissal: Dismissal) -> None:
        self._batters.setdefault(dismissal.player, _Batter()).out = (dismissal, ball.bowler)
        if dismissal.is_wicket:
            self._wickets += 1
            over = f"{self._in_over[0]}.{self._in_over[1]}"
            player = self._names.player(dismissal.player)
            self._falls.append(FallOfWicket(self._wickets, self._runs, player, over, str(ball.place)))

    def card(self) -> InningsCard:
        score = self._score
        extras = self._extras.plus(Extras(penalty=score.penalty_awarded))
        return InningsCard(
            number=score.number,
            team=self._names.team(score.team),
            runs=self._runs,
            wickets=self._wickets,
            overs=overs_number(self._overs()),
            legal_balls=self._legal,
            extras=balls.extras_out(extras),
            batting=[self._batter_card(code, found) for code, found in self._batters.items()],
            bowling=[self._bowler_card(code, found) for code, found in self._bowlers.items()],
            fall_of_wickets=self._falls,
            is_super_over=score.is_super_over,
            state=score.state.value,
            board=balls.innings_out(score, self._per_over, self._names),
            is_whole=(self._runs, self._wickets) == (score.runs, score.wickets)
            and score.legal_balls in (None, self._legal),
        )

    def _overs(self) -> str:
        over, legal = self._in_over
        return f"{over + 1}.0" if legal >= self._per_over else f"{over}.{legal}"

    def _batter_card(self, code: str, found: _Batter) -> BatterCard:
        dismissal = None if found.out is None else balls.dismissal_out(found.out[0], self._names)
        return BatterCard(
            player=self._names.player(code),
            runs=found.runs,
            balls=found.balls,
            fours=found.fours,
            sixes=found.sixes,
            strike_rate=round(100 * found.runs / found.balls, 2) if found.balls else None,
            dismissal=dismissal,
            how_out=how_out(dismissal, "" if found.out is None else self._names.player(found.out[1]).name),
        )

    def _bowler_card(self, code: str, found: _Bowler) -> BowlerCard:
        whole, part = divmod(found.balls, self._per_over)
        return BowlerCard(
            player=self._names.player(code),
            overs=f"{whole}.{part}" if part else str(whole),
            balls=found.balls,
            maidens=found.maidens(self._per_over),
            runs=found.runs,
            wickets=found.wickets,
            wides=found.wides,
            noballs=found.noballs,
            dots=found.dots,
            economy=round(self._per_over * found.runs / found.balls, 2) if found.balls else None,
        )


def how_out(dismissal: wire.DismissalOut | None, bowler: str) -> str:
    """As scorecards write it."""
    if dismissal is None:
        return "not out"
    fielders = "/".join(fielder.name for fielder in dismissal.fielders)
    words = {
        "bowled": f"b {bowler}",
        "lbw": f"lbw b {bowler}",
        "caught and bowled": f"c & b {bowler}",
        "hit wicket": f"hit wicket b {bowler}",
        "caught": f"c {fielders or 'sub'} b {bowler}",
        "stumped": f"st {fielders or 'sub'} b {bowler}",
        "run out": f"run out ({fielders})" if fielders else "run out",
    }
    return words.get(dismissal.kind, dismissal.kind)


def scorecard(whole: WholeMatch, names: NameBook, metadata: wire.Metadata, as_of: str | None) -> Scorecard:
    result = (whole.known.live.result if whole.known.live else None) or whole.known.row.result
    told = None if result is None else balls.result_out(result, names)
    return Scorecard(whole.known.match_id, as_of, innings_cards(whole, names), told, metadata)
