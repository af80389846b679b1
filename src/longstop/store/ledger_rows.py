"""Balls, innings, events and gaps as rows, and back.

The order of a row is the order of its columns in `statements.py`. Times are the only thing the two databases keep
differently, so whoever calls hands in how a time is written or read.
"""

from typing import Any, Final

import msgspec

from longstop.domain.cricket import Delivery, Dismissal, Extras, InningsScore, InningsState, Place, Replacement, Result
from longstop.domain.errors import RecordRefusedError
from longstop.domain.events import DeliveryRecord, EventKind, Gap, GapState, InningsRecord, MatchEvent
from longstop.store.cells import Moments, Row, json_text, key_text


class _Details(msgspec.Struct, frozen=True, omit_defaults=True):
    dismissals: tuple[Dismissal, ...] = ()
    replacements: tuple[Replacement, ...] = ()


class _Content(msgspec.Struct, frozen=True, omit_defaults=True):
    delivery: Delivery | None = None
    score: InningsScore | None = None
    result: Result | None = None


_read_details = msgspec.json.Decoder(_Details).decode
_read_content = msgspec.json.Decoder(_Content).decode
_read_strings = msgspec.json.Decoder(tuple[str, ...]).decode

_NOTHING_KNOWN: Final[Row] = (None,) * 15


def delivery_values(record: DeliveryRecord, moment: Moments) -> Row:
    place, ball = record.place, record.delivery
    if ball is not None and ball.place != place:
        raise RecordRefusedError(
            f"The record of {record.match_id} at {place} holds a ball of {ball.place}.",
            hint="A ball is kept at its own place.",
        )
    return (
        key_text(record.match_id),
        place.innings,
        place.over,
        place.position,
        record.revision,
        ball is None,
        *(_NOTHING_KNOWN if ball is None else _ball_values(ball, moment)),
        moment(record.true_at),
        moment(record.captured_at),
        record.payload_sha256,
    )


def _ball_values(ball: Delivery, moment: Moments) -> Row:
    extras, details = ball.extras, None
    if ball.dismissals or ball.replacements:
        details = json_text(_Details(ball.dismissals, ball.replacements))
    return (
        ball.batter,
        ball.non_striker,
        ball.bowler,
        ball.runs,
        ball.runs_batter,
        extras.wides,
        extras.noballs,
        extras.byes,
        extras.legbyes,
        extras.penalty,
        ball.wickets,
        ball.is_legal,
        ball.is_non_boundary,
        moment(ball.bowled_at),
        details,
    )


def delivery_record(row: Row, moment: Moments) -> DeliveryRecord:
    match_id, innings, over, position, revision, withdrawn, *ball, true_at, captured_at, sha256 = row
    place = Place(innings, over, position)
    return DeliveryRecord(
        match_id=match_id,
        place=place,
        revision=revision,
        delivery=None if withdrawn else _ball(place, ball, moment),
        true_at=moment(true_at),
        captured_at=moment(captured_at),
        payload_sha256=sha256,
    )


def _ball(place: Place, row: list[Any], moment: Moments) -> Delivery:
    batter, non_striker, bowler, _, runs_batter, *extras, _, _, is_non_boundary, bowled_at, text = row
    details = _Details() if text is None else _read_details(text)
    return Delivery(
        place=place,
        batter=batter,
        non_striker=non_striker,
        bowler=bowler,
        runs_batter=runs_batter,
        extras=Extras(*extras),
        dismissals=details.dismissals,
        replacements=details.replacements,
        is_non_boundary=bool(is_non_boundary),
        bowled_at=moment(bowled_at),
    )


def innings_values(record: InningsRecord, moment: Moments) -> Row:
    score, extras = record.score, record.score.extras
    return (
        key_text(record.match_id),
        score.number,
        record.revision,
        score.team,
        score.runs,
        score.wickets,
        score.legal_balls,
        score.overs,
        *((None,) * 5 if extras is None else msgspec.structs.astuple(extras)),
        score.is_super_over,
        score.state.value,
        score.penalty_before,
        score.penalty_after,
        json_text(score.absent_hurt),
        score.target_runs,
        score.target_overs,
        moment(record.captured_at),
        moment(record.true_at),
    )


def innings_record(row: Row, moment: Moments) -> InningsRecord:
    match_id, number, revision, team, runs, wickets, legal_balls, overs, *extras, is_super_over = row[:14]
    state, before, after, absent_hurt, target_runs, target_overs, captured_at, true_at = row[14:]
    score = InningsScore(
        number=number,
        team=team,
        runs=runs,
        wickets=wickets,
        legal_balls=legal_balls,
        overs=overs,
        extras=None if extras[0] is None else Extras(*extras),
        is_super_over=bool(is_super_over),
        state=InningsState(state),
        penalty_before=before,
        penalty_after=after,
        absent_hurt=_read_strings(absent_hurt),
        target_runs=target_runs,
        target_overs=target_overs,
    )
    return InningsRecord(
        match_id=match_id, revision=revision, score=score, captured_at=moment(captured_at), true_at=moment(true_at)
    )


def event_values(event: MatchEvent, moment: Moments) -> Row:
    place, content = event.place, None
    if event.delivery is not None or event.score is not None or event.result is not None:
        content = json_text(_Content(event.delivery, event.score, event.result))
    return (
        key_text(event.match_id),
        event.seq,
        key_text(event.key),
        event.kind.value,
        moment(event.true_at),
        moment(event.captured_at),
        *((None, None, None) if place is None else (place.innings, place.over, place.position)),
        event.revision,
        content,
        event.detail,
    )


def match_event(row: Row, moment: Moments) -> MatchEvent:
    match_id, seq, key, kind, true_at, captured_at, innings, over, position, revision, text, detail = row
    content = _Content() if text is None else _read_content(text)
    return MatchEvent(
        match_id=match_id,
        seq=seq,
        key=key,
        kind=EventKind(kind),
        true_at=moment(true_at),
        captured_at=moment(captured_at),
        place=None if innings is None else Place(innings, over, position),
        revision=revision,
        delivery=content.delivery,
        score=content.score,
        result=content.result,
        detail=detail,
    )


def gap_values(gap: Gap, moment: Moments) -> Row:
    return (
        key_text(gap.match_id),
        key_text(gap.gap_id),
        gap.innings,
        gap.first_over,
        gap.last_over,
        gap.state.value,
        gap.cause,
        moment(gap.opened_at),
        moment(gap.closed_at),
        gap.missing_runs,
        gap.missing_wickets,
        gap.missing_balls,
    )


def gap_from(row: Row, moment: Moments) -> Gap:
    match_id, gap_id, innings, first_over, last_over, state, cause, opened_at, closed_at, runs, wickets, balls = row
    return Gap(
        match_id=match_id,
        gap_id=gap_id,
        innings=innings,
        first_over=first_over,
        last_over=last_over,
        state=GapState(state),
        cause=cause,
        opened_at=moment(opened_at),
        closed_at=moment(closed_at),
        missing_runs=runs,
        missing_wickets=wickets,
        missing_balls=balls,
    )


def gap_state_values(gap: Gap, moment: Moments) -> Row:
    """Open since it was opened; repaired or given up since it was closed."""
    reached_at = gap.opened_at if gap.state is GapState.OPEN or gap.closed_at is None else gap.closed_at
    return (*gap_values(gap, moment), moment(reached_at))
