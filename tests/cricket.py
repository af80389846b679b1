"""Small builders of cricket values for tests: only what a test speaks of is spelled out."""

from datetime import UTC, datetime, timedelta

from longstop.domain.cricket import (
    Delivery,
    Dismissal,
    Extras,
    InningsScore,
    InningsState,
    OverReport,
    Place,
    PlayState,
    Result,
)
from longstop.domain.match import MatchRef, MatchStatus
from longstop.domain.observation import Observation, Provenance
from longstop.ledger.audit import add_up

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
REF = MatchRef("crex", "AB1", "http://127.0.0.1/cricket-live-score/a-vs-b-match-updates-AB1")


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def ball(
    innings: int, over: int, position: int, runs: int = 0, *, extras: Extras | None = None, out: str | None = None
) -> Delivery:
    return Delivery(
        place=Place(innings, over, position),
        batter="B1",
        non_striker="B2",
        bowler=f"W{over % 2}",
        runs_batter=runs,
        extras=extras or Extras(),
        dismissals=(Dismissal("B1", out),) if out else (),
        bowled_at=at(innings * 10_000 + over * 240 + position * 40),
    )


def innings_of(number: int, overs: int, *, runs: int = 1) -> list[Delivery]:
    """So many overs of six balls, each for the same runs."""
    return [ball(number, over, position, runs) for over in range(overs) for position in range(1, 7)]


def score_of(
    number: int, balls: list[Delivery], *, team: str = "CD", state: InningsState = InningsState.LIVE
) -> InningsScore:
    """The scoreboard that tells the truth about these balls."""
    totals = add_up(balls)
    last = max((delivery.place for delivery in balls), default=Place(number, 0, 0))
    in_over = sum(delivery.is_legal for delivery in balls if delivery.place.over == last.over)
    overs = f"{last.over + 1}.0" if in_over >= 6 else f"{last.over}.{in_over}"
    return InningsScore(
        number, team, totals.runs, totals.wickets, totals.legal_balls, overs, totals.extras, state=state
    )


def recent(balls: list[Delivery], overs: int = 4) -> tuple[OverReport, ...]:
    """The last overs, as a source's recent list shows them."""
    if not balls:
        return ()
    newest = max(delivery.place for delivery in balls)
    first = max(0, newest.over - overs + 1)
    return tuple(report(newest.innings, over, balls) for over in range(first, newest.over + 1))


def report(innings: int, over: int, balls: list[Delivery]) -> OverReport:
    rows = [row for row in balls if row.place.innings == innings and row.place.over == over]
    return OverReport(innings, over, tuple(sorted(rows, key=lambda row: row.place)))


def observed(
    *innings: list[Delivery],
    seconds: float = 0.0,
    sequence: int | None = None,
    states: tuple[InningsState, ...] = (),
    play: PlayState = PlayState.PLAY,
    result: Result | None = None,
) -> Observation:
    """What a source that tells the truth shows of these innings."""
    teams = ("CD", "EF")
    shown_states = states or (*(InningsState.CLOSED for _ in innings[1:]), InningsState.LIVE)
    return Observation(
        ref=REF,
        provenance=Provenance("crex", "replay", f"{seconds:064.3f}", at(seconds), at(seconds)),
        status=MatchStatus.COMPLETED if result else MatchStatus.LIVE,
        play=PlayState.ENDED if result else play,
        teams=teams,
        innings=tuple(
            score_of(number, balls, team=teams[(number - 1) % 2], state=state)
            for number, (balls, state) in enumerate(zip(innings, shown_states, strict=True), start=1)
        ),
        overs=recent(innings[-1]) if innings else (),
        sequence=sequence,
        result=result,
    )
