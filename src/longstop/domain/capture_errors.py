"""What may go wrong with a capture beside what its visit brings: a part of the tree in `errors.py`.

LongstopError
└── CaptureError                  a match before kickoff could not be captured
    ├── AfterKickoffError         it has begun: what is seen now was not known before
    ├── NotAheadError             it is postponed, called off, or nobody knows: not surely before its kickoff
    ├── FixtureError              our match is not one match of the source, beyond doubt
    │   ├── UnlistedFixtureError  the source lists none like it
    │   ├── AmbiguousFixtureError it lists several
    │   ├── TakenEventError       the one it lists is known under another number of ours
    │   └── OtherMatchError       our number is that of another match here
    ├── SourceRestingError        the breaker of the source is open: nothing is sent
    └── CaptureFailedError        no attempt brought it, or none more would
PayloadError
└── ContradictoryPayloadError     what was captured contradicts itself
"""

from datetime import datetime

from longstop.domain.errors import LongstopError, PayloadError


class CaptureError(LongstopError):
    """`reason` is one word of a small set, fit for a metric and for the row of the match."""

    kind = "capture"
    exit_code = 75
    reason = "capture"


class AfterKickoffError(CaptureError):
    """Nothing is stored of such a capture. It is no fault of the source's. `kickoff_at` is what the site tells now."""

    kickoff_at: datetime | None = None
    kind = "after_kickoff"
    exit_code = 65
    reason = "after_kickoff"
    default_hint = "Line-ups are captured before kickoff only; if it was moved, hand in the new kickoff."


class NotAheadError(CaptureError):
    """Nothing is stored of it either. Such a match may come back with a kickoff of its own."""

    kind = "not_ahead"
    exit_code = 65
    reason = "not_ahead"
    default_hint = "Only a match that has certainly not begun is captured; try again once it is scheduled anew."


class FixtureError(CaptureError):
    kind = "fixture"
    exit_code = 65
    reason = "unresolved"


class UnlistedFixtureError(FixtureError):
    reason = "unlisted"
    default_hint = "Check both teams and the kickoff in UTC, or name the source's own number of the match."


class AmbiguousFixtureError(FixtureError):
    """`candidates` are the source's own numbers."""

    reason = "ambiguous"
    default_hint = "Write the teams as the source does, or name the source's own number of the match."

    def __init__(self, message: str, *, candidates: tuple[str, ...] = (), hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.candidates = candidates


class TakenEventError(FixtureError):
    reason = "taken"
    default_hint = "Use the number under which it is known; one match of a source has one of ours."


class OtherMatchError(FixtureError):
    reason = "other_match"
    default_hint = "`longstop captures list` has every number with its teams; hand in one that is free."


class SourceRestingError(CaptureError):
    """Nothing was sent; `retry_in_seconds` is when the source is tried again."""

    heals = True
    reason = "circuit_open"
    default_hint = "Too many captures failed. It is tried again by itself; `longstop captures list` has the reasons."

    def __init__(self, message: str, *, retry_in_seconds: float = 0.0, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_in_seconds = retry_in_seconds


class CaptureFailedError(CaptureError):
    """`severity` is that of the last attempt, soft or hard, and `cause` its error."""

    default_hint = "The match is looked at again later. docs/football.md says what each reason means."

    def __init__(
        self,
        message: str,
        *,
        reason: str,
        severity: str,
        attempts: int,
        cause: LongstopError,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.reason = reason
        self.severity = severity
        self.attempts = attempts
        self.cause = cause


class ContradictoryPayloadError(PayloadError):
    """`reasons` are those of the check."""

    verdict = "held"
    heals = True
    default_hint = "It is asked for again; if it stays, save the payload and read it with `longstop read sofascore`."

    def __init__(self, message: str, *, reasons: tuple[str, ...] = (), hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.reasons = reasons
