"""Cricket as people write it."""

from collections.abc import Sequence

from longstop.domain.cricket import Delivery, InningsScore, InningsState, Result

_ALL_OUT = 10
_EXTRAS = (("wides", "wd"), ("noballs", "nb"), ("byes", "b"), ("legbyes", "lb"), ("penalty", "p"))


def innings_text(score: InningsScore) -> str:
    """`234/5`, `234` when all are out, `350/7d` when declared."""
    if score.state is InningsState.FORFEITED:
        return "forfeited"
    text = str(score.runs) if score.wickets >= _ALL_OUT else f"{score.runs}/{score.wickets}"
    return text + ("d" if score.state is InningsState.DECLARED else "")


def team_text(innings: Sequence[InningsScore]) -> str:
    """All innings of one team, super overs apart: `234 & 50/2`, `160/6 (SO 12/1)`."""
    ordinary = [innings_text(score) for score in innings if not score.is_super_over]
    super_overs = [innings_text(score) for score in innings if score.is_super_over]
    text = " & ".join(ordinary)
    return f"{text} (SO {', '.join(super_overs)})".lstrip() if super_overs else text


def overs_number(overs: str) -> float | None:
    """The documents' schema has overs as a number; `12.3` is 12 overs and 3 balls."""
    try:
        return float(overs)
    except ValueError:
        return None


def ball_text(ball: Delivery) -> str:
    """`4`, `W`, `1wd`, `2lb`, `1W` when a run was made before the run-out; a dot ball is `0`."""
    parts = [f"{runs}{mark}" for name, mark in _EXTRAS if (runs := getattr(ball.extras, name))]
    if ball.runs_batter or not (parts or ball.wickets):
        parts.insert(0, str(ball.runs_batter))
    return "+".join(parts) + ("W" if ball.wickets else "")


def result_text(result: Result, winner: str) -> str:
    """One line, from the facts; the source's own words only where there are no facts."""
    if result.verdict == "won":
        margin = _margin(result)
        method = f" ({result.method})" if result.method else ""
        return f"{winner} won{margin}{method}"
    if result.eliminator or result.bowl_out:
        how = "super over" if result.eliminator else "bowl-out"
        return f"Match tied, {winner} won the {how}"
    words = {"tie": "Match tied", "draw": "Match drawn", "no result": "No result"}
    return words.get(result.verdict, result.text or result.verdict)


def _margin(result: Result) -> str:
    parts = []
    if result.by_innings:
        parts.append("an innings")
    if result.by_runs:
        parts.append(_counted(result.by_runs, "run"))
    if result.by_wickets:
        parts.append(_counted(result.by_wickets, "wicket"))
    return f" by {' and '.join(parts)}" if parts else ""


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def balls_of(overs: str, balls_per_over: int) -> int | None:
    whole, _, part = overs.partition(".")
    if not whole.isdigit() or (part and not part.isdigit()):
        return None
    return int(whole) * balls_per_over + int(part or 0)


def chase_text(score: InningsScore, balls_per_over: int, team: str) -> str:
    """`IND need 45 from 30 balls`, while the last innings is on."""
    if score.target_runs is None or score.state is not InningsState.LIVE:
        return ""
    need = score.target_runs - score.runs
    if need <= 0:
        return ""
    allowed = balls_of(score.target_overs, balls_per_over) if score.target_overs else None
    if allowed is None or score.legal_balls is None or allowed < score.legal_balls:
        return f"{team} need {need}"
    return f"{team} need {need} from {_counted(allowed - score.legal_balls, 'ball')}"


def run_rate(score: InningsScore, balls_per_over: int) -> float | None:
    if not score.legal_balls:
        return None
    return round(score.runs * balls_per_over / score.legal_balls, 2)
