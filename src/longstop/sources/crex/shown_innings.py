"""One innings, as it was carried and as it is shown now."""

import msgspec

from longstop.domain.cricket import InningsState
from longstop.sources.crex import notation, shapes

Score = tuple[int, int, int, int]


def is_next(before: Score, now: Score, balls_per_over: int) -> bool:
    """A correction takes back a ball or two; an innings that lost more than an over is another one."""
    fewer = _balls(before, balls_per_over) - _balls(now, balls_per_over)
    return now[0] < before[0] and fewer > balls_per_over


def updated(item: shapes.Innings, score: Score, balls_per_over: int) -> shapes.Innings:
    """Shown otherwise than carried, its extras are unknown. Overs may have been miscounted, and stay so."""
    runs, wickets, legal_balls = notation.read_total(item.d)
    overs = notation.read_overs(item.ov, legal_balls, balls_per_over)
    if (runs, wickets, overs) == (score[0], score[1], _overs(score)):
        return item
    whole, _, rest = overs.partition(".")
    miscounted = legal_balls - int(whole) * balls_per_over - int(rest)
    return msgspec.structs.replace(
        item, d=_total(score, max(0, _balls(score, balls_per_over) + miscounted)), ov=_overs(score), x=""
    )


def begun(team: str, score: Score, balls_per_over: int) -> shapes.Innings:
    return shapes.Innings(c=team, d=_total(score, _balls(score, balls_per_over)), ov=_overs(score))


def closed(item: shapes.Innings) -> shapes.Innings:
    is_live = item.z == InningsState.LIVE.value
    return msgspec.structs.replace(item, z=InningsState.CLOSED.value) if is_live else item


def rate_of(score: Score, balls_per_over: int) -> str:
    """Runs an over, as a page shows them."""
    balls = _balls(score, balls_per_over)
    return f"{score[0] * balls_per_over / balls:.2f}" if balls else ""


def _balls(score: Score, balls_per_over: int) -> int:
    return score[2] * balls_per_over + score[3]


def _overs(score: Score) -> str:
    return f"{score[2]}.{score[3]}"


def _total(score: Score, legal_balls: int) -> str:
    return f"{score[0]}/{score[1]}({legal_balls}"
