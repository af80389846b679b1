"""Balls and events, from the house's values to the shapes that go out."""

from collections.abc import Sequence

from longstop.domain.cricket import Delivery, Dismissal, Extras, InningsScore, Replacement, Result
from longstop.domain.events import DeliveryRecord, MatchEvent
from longstop.serve.freshness import iso, iso_or_none
from longstop.serve.naming import NameBook
from longstop.serve.notation import ball_text, innings_text, overs_number, result_text, run_rate
from longstop.serve.wire import (
    BallOut,
    DeliveryOut,
    DismissalOut,
    EventOut,
    ExtrasOut,
    InningsOut,
    ReplacementOut,
    ResultOut,
)


def extras_out(extras: Extras) -> ExtrasOut:
    return ExtrasOut(
        wides=extras.wides,
        noballs=extras.noballs,
        byes=extras.byes,
        legbyes=extras.legbyes,
        penalty=extras.penalty,
        total=extras.total,
    )


def ball_out(ball: Delivery, names: NameBook) -> BallOut:
    return BallOut(
        place=str(ball.place),
        innings=ball.place.innings,
        over=ball.place.over,
        position=ball.place.position,
        text=ball_text(ball),
        batter=names.player(ball.batter),
        non_striker=names.player(ball.non_striker),
        bowler=names.player(ball.bowler),
        runs=ball.runs,
        runs_batter=ball.runs_batter,
        is_legal=ball.is_legal,
        extras=extras_out(ball.extras) if ball.extras.total else None,
        dismissals=[dismissal_out(dismissal, names) for dismissal in ball.dismissals],
        replacements=[_replacement_out(replacement, names) for replacement in ball.replacements],
        bowled_at=iso_or_none(ball.bowled_at),
    )


def dismissal_out(dismissal: Dismissal, names: NameBook) -> DismissalOut:
    return DismissalOut(
        player=names.player(dismissal.player),
        kind=dismissal.kind,
        fielders=[names.player(fielder) for fielder in dismissal.fielders],
        is_wicket=dismissal.is_wicket,
    )


def _replacement_out(replacement: Replacement, names: NameBook) -> ReplacementOut:
    return ReplacementOut(
        scope=replacement.scope,
        player_in=names.player(replacement.player_in),
        player_out=None if replacement.player_out is None else names.player(replacement.player_out),
        team=None if replacement.team is None else names.team(replacement.team),
        reason=replacement.reason,
        role=replacement.role,
    )


def innings_out(score: InningsScore, balls_per_over: int, names: NameBook) -> InningsOut:
    return InningsOut(
        number=score.number,
        team=names.team(score.team),
        runs=score.runs,
        wickets=score.wickets,
        overs=overs_number(score.overs),
        legal_balls=score.legal_balls,
        extras=None if score.extras is None else extras_out(score.extras),
        state=score.state.value,
        is_super_over=score.is_super_over,
        run_rate=run_rate(score, balls_per_over),
        target_runs=score.target_runs,
        target_overs=score.target_overs,
        text=innings_text(score),
    )


def result_out(result: Result, names: NameBook) -> ResultOut:
    """A tie that was broken has its winner in another field; for a reader of `winner` that is the winner."""
    winner = result.winner or result.eliminator or result.bowl_out
    return ResultOut(
        verdict=result.verdict,
        winner=names.team_name(winner),
        winner_code=winner,
        by_runs=result.by_runs,
        by_wickets=result.by_wickets,
        by_innings=result.by_innings,
        method=result.method,
        text=result_text(result, names.team_name(winner) or ""),
    )


def event_out(event: MatchEvent, balls_per_over: int, names: NameBook) -> EventOut:
    return EventOut(
        seq=event.seq,
        key=event.key,
        kind=event.kind.value,
        is_critical=event.is_critical,
        true_at=iso(event.true_at),
        captured_at=iso(event.captured_at),
        place=None if event.place is None else str(event.place),
        revision=event.revision,
        ball=None if event.delivery is None else ball_out(event.delivery, names),
        innings=None if event.score is None else innings_out(event.score, balls_per_over, names),
        result=None if event.result is None else result_out(event.result, names),
        detail=event.detail,
    )


def deliveries_out(records: Sequence[DeliveryRecord], names: NameBook) -> list[DeliveryOut]:
    return [
        DeliveryOut(
            ball=ball_out(record.delivery, names),
            revision=record.revision,
            true_at=iso(record.true_at),
            captured_at=iso(record.captured_at),
            payload_sha256=record.payload_sha256,
        )
        for record in records
        if record.delivery is not None
    ]
