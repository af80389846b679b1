"""Turns what changed into events, in the order in which it happened out there."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from longstop.domain.cricket import InningsScore, InningsState, PlayState, Result
from longstop.domain.events import DeliveryRecord, EventKind, Gap, GapState, InningsRecord, MatchEvent
from longstop.domain.match import MatchStatus

_GAP_KINDS = {
    GapState.OPEN: EventKind.GAP_OPENED,
    GapState.REPAIRED: EventKind.GAP_REPAIRED,
    GapState.UNRECOVERABLE: EventKind.GAP_UNRECOVERABLE,
}


class NewFacts(msgspec.Struct, frozen=True):
    """What is new about the match as a whole; None where nothing is."""

    status: MatchStatus | None
    play: PlayState | None
    result: Result | None
    true_at: datetime


def facts_of(score: InningsScore) -> tuple[object, ...]:
    """What makes a new revision of an innings. The running score does not: the balls tell it."""
    facts = (
        score.team,
        score.is_super_over,
        score.state,
        score.penalty_before,
        score.penalty_after,
        score.absent_hurt,
        score.target_runs,
        score.target_overs,
    )
    if score.state is InningsState.LIVE:
        return facts
    return (*facts, score.runs, score.wickets, score.legal_balls, score.overs, score.extras)


class Teller:
    """Gives each event its number; the numbers of a match have no hole."""

    def __init__(self, match_id: str, captured_at: datetime, last_seq: int) -> None:
        self._match_id = match_id
        self._captured_at = captured_at
        self._seq = last_seq

    def tell(
        self,
        records: Sequence[DeliveryRecord],
        innings: Sequence[InningsRecord],
        facts: NewFacts,
        gap_rows: Sequence[Gap],
    ) -> tuple[MatchEvent, ...]:
        events: list[MatchEvent] = []
        numbers = sorted({record.place.innings for record in records} | {row.score.number for row in innings})
        for number in numbers:
            rows = [row for row in innings if row.score.number == number]
            events += [self._innings_event(row, EventKind.INNINGS_STARTED) for row in rows if row.revision == 1]
            events += [self._ball_event(record) for record in records if record.place.innings == number]
            events += [self._innings_event(row, _later_kind(row)) for row in rows if _tells_later(row)]
        events += self._fact_events(facts)
        events += [self._gap_event(gap) for gap in gap_rows]
        return tuple(events)

    def _event(self, key: str, kind: EventKind, true_at: datetime) -> MatchEvent:
        self._seq += 1
        return MatchEvent(self._match_id, self._seq, key, kind, true_at, self._captured_at)

    def _ball_event(self, record: DeliveryRecord) -> MatchEvent:
        event = self._event(f"ball:{record.place}:r{record.revision}", _ball_kind(record), record.true_at)
        return msgspec.structs.replace(event, place=record.place, revision=record.revision, delivery=record.delivery)

    def _innings_event(self, row: InningsRecord, kind: EventKind) -> MatchEvent:
        key = f"innings:{row.score.number}:r{row.revision}:{kind.value}"
        return msgspec.structs.replace(self._event(key, kind, row.captured_at), revision=row.revision, score=row.score)

    def _fact_events(self, facts: NewFacts) -> Iterator[MatchEvent]:
        if facts.status is not None:
            yield self._fact(EventKind.STATUS_CHANGED, facts.status.value, facts)
        if facts.play is not None:
            yield self._fact(EventKind.PLAY_CHANGED, facts.play.value, facts)
        if facts.result is not None:
            event = self._fact(EventKind.RESULT_DECLARED, facts.result.text or facts.result.verdict, facts)
            yield msgspec.structs.replace(event, result=facts.result)

    def _fact(self, kind: EventKind, detail: str, facts: NewFacts) -> MatchEvent:
        key = f"{kind.value}:{self._seq + 1}"
        return msgspec.structs.replace(self._event(key, kind, facts.true_at), detail=detail)

    def _gap_event(self, gap: Gap) -> MatchEvent:
        kind = _GAP_KINDS[gap.state]
        event = self._event(f"gap:{gap.gap_id}:{gap.state.value}", kind, self._captured_at)
        return msgspec.structs.replace(event, detail=gap.cause)


def _ball_kind(record: DeliveryRecord) -> EventKind:
    if record.delivery is None:
        return EventKind.BALL_WITHDRAWN
    return EventKind.BALL_BOWLED if record.revision == 1 else EventKind.BALL_CORRECTED


def _tells_later(row: InningsRecord) -> bool:
    return row.revision > 1 or row.score.state is not InningsState.LIVE


def _later_kind(row: InningsRecord) -> EventKind:
    return EventKind.INNINGS_CHANGED if row.score.state is InningsState.LIVE else EventKind.INNINGS_ENDED
