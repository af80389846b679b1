"""What becomes of an attempt that failed, by its error: one table, the first row that fits decides."""

from enum import Enum
from typing import Final

from longstop.domain.capture_errors import ContradictoryPayloadError
from longstop.domain.errors import (
    EgressRefusedError,
    EmptyPayloadError,
    ErrorAnswerError,
    FetchError,
    LongstopError,
    MalformedPayloadError,
    MatchGoneError,
    MisfiledPayloadError,
    OversizedBodyError,
    PayloadError,
    RobotsRefusedError,
    SchemaBreakError,
    SourceCrowdedError,
    SourceThrottledError,
    StoreError,
    UnexpectedStatusError,
)


class Handling(Enum):
    """AGAIN: transient, an attempt more after a delay. WAIT: the source, or our own manners, ask everybody to wait; the
    attempt does not count. DEAD: waiting mends nothing, so it is a dead letter at once. OURS: nothing was learnt about
    the match, the database is away."""

    AGAIN = "again"
    WAIT = "wait"
    DEAD = "dead"
    OURS = "ours"


TABLE: Final[tuple[tuple[type[LongstopError], Handling], ...]] = (
    (SourceThrottledError, Handling.WAIT),  # 429, 503 with Retry-After
    (SourceCrowdedError, Handling.WAIT),  # too many of ours stand in line
    (MatchGoneError, Handling.DEAD),  # 404 or 410 of a match that its list names
    (EgressRefusedError, Handling.DEAD),
    (RobotsRefusedError, Handling.DEAD),
    (OversizedBodyError, Handling.DEAD),
    (UnexpectedStatusError, Handling.DEAD),
    (FetchError, Handling.AGAIN),  # no connection, reset, time-out, 5xx, a token that has run out
    (SchemaBreakError, Handling.DEAD),  # the layout has changed
    (ContradictoryPayloadError, Handling.DEAD),  # validation
    (EmptyPayloadError, Handling.AGAIN),
    (MisfiledPayloadError, Handling.AGAIN),  # another match's answer: a cache of theirs, as a rule
    (MalformedPayloadError, Handling.AGAIN),  # cut off on the way
    (ErrorAnswerError, Handling.AGAIN),  # but see below
    (PayloadError, Handling.DEAD),
    (StoreError, Handling.OURS),
)
_FINAL_ANSWERS: Final = frozenset({"not_found", "challenge"})


def handling(error: LongstopError) -> Handling:
    if isinstance(error, ErrorAnswerError) and error.verdict in _FINAL_ANSWERS:
        return Handling.DEAD
    return next((found for kind, found in TABLE if isinstance(error, kind)), Handling.DEAD)
