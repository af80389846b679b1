"""Facts about a match, in the past tense. They are what consumers read, in order, after a cursor."""

from datetime import datetime
from enum import Enum

import msgspec

from longstop.domain.cricket import Delivery, InningsScore, Place, Result


class EventKind(Enum):
    BALL_BOWLED = "ball_bowled"
    BALL_CORRECTED = "ball_corrected"
    BALL_WITHDRAWN = "ball_withdrawn"
    INNINGS_STARTED = "innings_started"
    INNINGS_CHANGED = "innings_changed"
    INNINGS_ENDED = "innings_ended"
    STATUS_CHANGED = "status_changed"
    PLAY_CHANGED = "play_changed"
    RESULT_DECLARED = "result_declared"
    GAP_OPENED = "gap_opened"
    GAP_REPAIRED = "gap_repaired"
    GAP_UNRECOVERABLE = "gap_unrecoverable"


CRITICAL_KINDS = frozenset(
    {
        EventKind.BALL_BOWLED,
        EventKind.BALL_CORRECTED,
        EventKind.BALL_WITHDRAWN,
        EventKind.INNINGS_STARTED,
        EventKind.INNINGS_CHANGED,
        EventKind.INNINGS_ENDED,
        EventKind.RESULT_DECLARED,
    }
)


class DeliveryRecord(msgspec.Struct, frozen=True):
    """One immutable row of the ledger. A correction is a higher revision; `delivery` None means taken away."""

    match_id: str
    place: Place
    revision: int
    delivery: Delivery | None
    true_at: datetime
    captured_at: datetime
    payload_sha256: str


class InningsRecord(msgspec.Struct, frozen=True):
    """The scoreboard of an innings as last believed, with the runs that came with no ball (penalties before, after).

    `true_at` is None where the source told no time of its own, and in records of before it was kept.
    """

    match_id: str
    revision: int
    score: InningsScore
    captured_at: datetime
    true_at: datetime | None = None


class MatchEvent(msgspec.Struct, frozen=True):
    """`seq` counts from 1 in each match without a hole; `key` is natural, so that writing twice changes nothing."""

    match_id: str
    seq: int
    key: str
    kind: EventKind
    true_at: datetime
    captured_at: datetime
    place: Place | None = None
    revision: int = 1
    delivery: Delivery | None = None
    score: InningsScore | None = None
    result: Result | None = None
    detail: str = ""

    @property
    def is_critical(self) -> bool:
        return self.kind in CRITICAL_KINDS


class GapState(Enum):
    OPEN = "open"
    REPAIRED = "repaired"
    UNRECOVERABLE = "unrecoverable"


class Gap(msgspec.Struct, frozen=True):
    """Something the scoreboard claims and the balls do not show."""

    match_id: str
    gap_id: str
    innings: int
    first_over: int
    last_over: int
    state: GapState
    cause: str
    opened_at: datetime
    closed_at: datetime | None = None
    missing_runs: int = 0
    missing_wickets: int = 0
    missing_balls: int = 0
