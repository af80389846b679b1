"""The ledger of a match by innings: every over with its balls, the scorecard, and whether board and balls agree."""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct

from longstop.domain.cricket import InningsScore
from longstop.domain.events import DeliveryRecord
from longstop.ledger.audit import Mismatch, Totals, add_up, compare
from longstop.serve.naming import NameBook
from longstop.serve.notation import ball_text, innings_text, run_rate
from longstop.serve.scorecard import InningsCard, innings_card

_EXTRAS: Final = (("wides", "wd"), ("noballs", "nb"), ("byes", "b"), ("legbyes", "lb"), ("penalty", "pen"))


class Over(Struct, frozen=True, omit_defaults=True):
    """`number` counts from 1, as people do. `corrected` are the positions in `balls` that the source told anew."""

    number: int
    balls: list[str]
    runs: int
    wickets: int
    bowler: str
    total: str
    corrected: list[int] = []


class Audit(Struct, frozen=True):
    """What the board claims against what the balls add up to. `words` is empty when they agree."""

    board: str
    ledger: str
    words: str


class Sheet(Struct, frozen=True):
    number: int
    team: str
    score: str
    overs_text: str
    state: str
    rate: float | None
    target: int | None
    is_super_over: bool
    extras: str
    audit: Audit
    overs: list[Over]
    card: InningsCard


def sheets_of(
    scores: Sequence[InningsScore], records: Sequence[DeliveryRecord], balls_per_over: int, names: NameBook
) -> list[Sheet]:
    """The newest innings first. An innings that has balls and no score is not shown: its score comes with it."""
    by_innings: dict[int, list[DeliveryRecord]] = {}
    for record in records:
        if record.delivery is not None:
            by_innings.setdefault(record.place.innings, []).append(record)
    return [_sheet(score, by_innings.get(score.number, []), balls_per_over, names) for score in reversed(scores)]


def _sheet(score: InningsScore, records: list[DeliveryRecord], balls_per_over: int, names: NameBook) -> Sheet:
    grouped = [list(group) for _, group in groupby(records, key=lambda record: record.place.over)]
    overs = [[record.delivery for record in group if record.delivery is not None] for group in grouped]
    totals = add_up(ball for over in overs for ball in over)
    return Sheet(
        number=score.number,
        team=names.team(score.team).name,
        score=innings_text(score),
        overs_text=score.overs,
        state=score.state.value,
        rate=run_rate(score, balls_per_over),
        target=score.target_runs,
        is_super_over=score.is_super_over,
        extras=_extras_text(score, totals),
        audit=_audit(score, totals),
        overs=_overs(grouped, score, names),
        card=innings_card(score, [ball for over in overs for ball in over], balls_per_over, names),
    )


def _overs(grouped: list[list[DeliveryRecord]], score: InningsScore, names: NameBook) -> list[Over]:
    """With the total at the end of each, the newest over first."""
    told, runs, wickets = [], score.penalty_before, 0
    for group in grouped:
        balls = [record.delivery for record in group if record.delivery is not None]
        over_runs, over_wickets = sum(ball.runs for ball in balls), sum(ball.wickets for ball in balls)
        runs, wickets = runs + over_runs, wickets + over_wickets
        told.append(
            Over(
                number=group[0].place.over + 1,
                balls=[ball_text(ball) for ball in balls],
                runs=over_runs,
                wickets=over_wickets,
                bowler=" / ".join(dict.fromkeys(names.player(ball.bowler).name for ball in balls)),
                total=f"{runs}/{wickets}",
                corrected=[at for at, record in enumerate(group) if record.revision > 1],
            )
        )
    return told[::-1]


def _extras_text(score: InningsScore, totals: Totals) -> str:
    """As the board has them; as the balls do, where the board is silent."""
    extras = score.extras or totals.extras
    parts = [f"{getattr(extras, name)} {mark}" for name, mark in _EXTRAS if getattr(extras, name)]
    return f"{extras.total} ({', '.join(parts)})" if parts else "0"


def _audit(score: InningsScore, totals: Totals) -> Audit:
    found = compare(score, totals)
    return Audit(
        board=_figures(score.runs, score.wickets, score.legal_balls),
        ledger=_figures(totals.runs + score.penalty_awarded, totals.wickets, totals.legal_balls),
        words="" if found is None else _difference(found),
    )


def _figures(runs: int, wickets: int, balls: int | None) -> str:
    """A board that does not count balls is held against runs and wickets only."""
    figures = ((runs, "run"), (wickets, "wicket"), (balls, "ball"))
    return ", ".join(_counted(count, word) for count, word in figures if count is not None)


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _difference(found: Mismatch) -> str:
    parts = [
        f"{_counted(abs(count), word)} {'missing' if count > 0 else 'too many'}"
        for count, word in ((found.runs, "run"), (found.wickets, "wicket"), (found.legal_balls, "ball"))
        if count
    ]
    return ", ".join(parts) or "the kinds of extras differ"
