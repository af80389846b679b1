"""What became of a visit, as far as its exit is concerned."""

from enum import Enum

from longstop.domain.errors import (
    BrowserTimeoutError,
    ChallengeError,
    ErrorAnswerError,
    ExitFailedError,
    SourceRefusedError,
    SourceThrottledError,
    SourceTimeoutError,
    SourceUnreachableError,
    TokenUnavailableError,
)


class Outcome(Enum):
    GOOD = "good"
    REFUSED = "refused"  # 403 or 429: this address is not liked
    CHALLENGED = "challenged"
    SILENT = "silent"  # too slow, or the connection broke: the exit's fault or not, nobody knows
    EXIT_FAILED = "exit_failed"  # the proxy itself
    BLAMELESS = "blameless"  # failed, and another exit would not have helped


_BY_VERDICT = {
    "challenge": Outcome.CHALLENGED,
    "refused": Outcome.REFUSED,
    "throttled": Outcome.REFUSED,
}
_BY_ERROR: tuple[tuple[type[Exception], Outcome], ...] = (
    (ChallengeError, Outcome.CHALLENGED),
    (TokenUnavailableError, Outcome.BLAMELESS),
    (SourceRefusedError, Outcome.REFUSED),
    (SourceThrottledError, Outcome.REFUSED),
    (ExitFailedError, Outcome.EXIT_FAILED),
    (SourceTimeoutError, Outcome.SILENT),
    (BrowserTimeoutError, Outcome.SILENT),
    (SourceUnreachableError, Outcome.SILENT),
)


def outcome_of(error: Exception | None) -> Outcome:
    if error is None:
        return Outcome.GOOD
    if isinstance(error, ErrorAnswerError):
        return _BY_VERDICT.get(error.verdict, Outcome.BLAMELESS)
    return next((outcome for kind, outcome in _BY_ERROR if isinstance(error, kind)), Outcome.BLAMELESS)
