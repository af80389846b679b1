"""A match, from rows to the answer: one function per part of it."""

from collections.abc import Sequence

from longstop.domain.cricket import BowlerFigures, InningsScore, Result
from longstop.serve import balls, wire
from longstop.serve.freshness import KnownMatch, age_of, iso, iso_or_none
from longstop.serve.naming import NameBook
from longstop.serve.notation import chase_text, overs_number, result_text, team_text
from longstop.serve.origins import metadata
from longstop.serve.reading import ReadModel
from longstop.store.contract import LiveRow

LAST_BALLS = 12


def match_body(known: KnownMatch, model: ReadModel) -> wire.MatchBody:
    names = NameBook(model.names(known.row.ref.source))
    row, live = known.row, known.live
    per_over = live.balls_per_over if live else 6
    result = _result(known)
    return wire.MatchBody(
        match_id=known.match_id,
        domain_id=row.ref.source,
        title=names.title(row.title, row.teams),
        status=row.status.value,
        play_state=live.play.value if live else "unknown",
        format=row.format,
        series=names.series(row.series),
        venue=row.venue,
        start_time=iso_or_none(row.starts_at),
        teams=[names.team(code) for code in row.teams],
        score=score_of(row.teams, live.innings if live else ()),
        current_innings=live.innings[-1].number if live and live.innings else None,
        innings=[balls.innings_out(score, per_over, names) for score in live.innings] if live else [],
        situation=situation(known, names),
        batting=_batting(live, names),
        bowling=_bowling(live.bowling, per_over, names) if live and live.bowling else None,
        toss=_toss(live, names),
        result=balls.result_out(result, names) if result else None,
        last_event=_last_event(live),
        last_balls=[balls.ball_out(ball, names) for ball in known.last_balls[-LAST_BALLS:]],
        announcement=live.announcement if live else "",
    )


def summary(known: KnownMatch, model: ReadModel) -> wire.MatchSummary:
    names = NameBook(model.names(known.row.ref.source))
    row, live = known.row, known.live
    return wire.MatchSummary(
        match_id=known.match_id,
        title=names.title(row.title, row.teams),
        status=row.status.value,
        play_state=live.play.value if live else "unknown",
        format=row.format,
        series=names.series(row.series),
        start_time=iso_or_none(row.starts_at),
        teams=[names.team(code) for code in row.teams],
        score=score_of(row.teams, live.innings if live else ()),
        situation=situation(known, names),
        metadata=metadata(known, age_of(known, model), model),
    )


def score_of(teams: tuple[str, str], innings: Sequence[InningsScore]) -> wire.Score:
    first, second = (_team_score([score for score in innings if score.team == team]) for team in teams)
    return wire.Score(team_a=first, team_b=second)


def _team_score(innings: Sequence[InningsScore]) -> wire.TeamScore | None:
    ordinary = [score for score in innings if not score.is_super_over]
    if not ordinary:
        return None
    latest = ordinary[-1]
    return wire.TeamScore(latest.runs, latest.wickets, overs_number(latest.overs), team_text(innings))


def situation(known: KnownMatch, names: NameBook) -> str:
    """What somebody who looks up from something else wants to know first."""
    result, live = _result(known), known.live
    if result is not None:
        return result_text(result, names.team_name(result.winner or result.eliminator or result.bowl_out) or "")
    if live is None or not live.innings:
        return ""
    latest = live.innings[-1]
    return chase_text(latest, live.balls_per_over, names.team(latest.team).short_name)


def _result(known: KnownMatch) -> Result | None:
    return (known.live.result if known.live else None) or known.row.result


def _batting(live: LiveRow | None, names: NameBook) -> list[wire.BatterOut]:
    return [
        wire.BatterOut(
            player=names.player(batter.player),
            runs=batter.runs,
            balls=batter.balls,
            fours=batter.fours,
            sixes=batter.sixes,
            is_on_strike=batter.is_on_strike,
        )
        for batter in (live.batting if live else ())
    ]


def _bowling(bowler: BowlerFigures, balls_per_over: int, names: NameBook) -> wire.BowlerOut:
    whole, part = divmod(bowler.balls, max(1, balls_per_over))
    return wire.BowlerOut(
        player=names.player(bowler.player),
        runs=bowler.runs,
        balls=bowler.balls,
        overs=f"{whole}.{part}" if part else str(whole),
        maidens=bowler.maidens,
        wickets=bowler.wickets,
    )


def _toss(live: LiveRow | None, names: NameBook) -> wire.TossOut | None:
    if live is None or live.toss is None:
        return None
    winner = live.toss.winner
    return wire.TossOut(names.team_name(winner) or winner, winner, live.toss.decision)


def _last_event(live: LiveRow | None) -> wire.LastEvent | None:
    if live is None or not live.last_event:
        return None
    return wire.LastEvent(event_type(live.last_event), live.last_event, iso(live.source_at or live.captured_at))


def event_type(words: str) -> str:
    """The unified schema's word for the source's short text: `4`, `w`, `1wd`, `o`; anything longer is a note."""
    text = words.strip().lower()
    if text.isdigit():
        return "runs"
    if text in {"w", "wicket"} or (text[:-1].isdigit() and text.endswith("w")):
        return "wicket"
    if text in {"o", "over"}:
        return "over_complete"
    if text.rstrip("bdlnpw").isdigit() or text in {"wd", "nb", "lb", "b"}:
        return "extra"
    return "note"
