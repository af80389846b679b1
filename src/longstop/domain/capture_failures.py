"""What each failure of an attempt means: S3's taxonomy as one table.

Soft failures are tried again, hard ones are not. Some are soft only so many times in a row: an exit that met a
challenge is changed, but a challenge that every exit meets is the source's answer.
"""

from enum import Enum

import msgspec

from longstop.domain import errors
from longstop.domain.capture_errors import ContradictoryPayloadError
from longstop.domain.errors import LongstopError


class Severity(Enum):
    SOFT = "soft"
    HARD = "hard"


class ExitWish(Enum):
    """By which exit the next attempt should go."""

    SAME = "same"
    SAME_ONCE = "same, then another"
    OTHER = "another"
    NONE = "none"


class Ruling(msgspec.Struct, frozen=True):
    """`soft_max`: the same reason more often in a row is hard. `is_ours`: nothing of it is the source's doing, or its
    exit's, so neither is blamed."""

    severity: Severity
    exit: ExitWish
    reason: str
    soft_max: int | None = None
    is_ours: bool = False


def _soft(reason: str, exit_wish: ExitWish = ExitWish.SAME, soft_max: int | None = None) -> Ruling:
    return Ruling(Severity.SOFT, exit_wish, reason, soft_max)


def _hard(reason: str, *, is_ours: bool = False) -> Ruling:
    return Ruling(Severity.HARD, ExitWish.NONE, reason, is_ours=is_ours)


_CHALLENGE = _soft("anti_bot_challenge", ExitWish.OTHER, soft_max=2)
_GONE = _soft("404", soft_max=1)
_REFUSED = _soft("403", ExitWish.OTHER)
_THROTTLED = _soft("429", ExitWish.OTHER)
_FAILING = _soft("5xx")

# The most special first: the first row that fits decides.
TABLE: tuple[tuple[type[LongstopError], Ruling], ...] = (
    (errors.ChallengeError, _CHALLENGE),
    (errors.SourceThrottledError, _THROTTLED),
    (errors.SourceRefusedError, _REFUSED),
    (errors.SourceTimeoutError, _soft("timeout", ExitWish.SAME_ONCE)),
    (errors.BrowserTimeoutError, _soft("timeout", ExitWish.SAME_ONCE)),
    (errors.MatchGoneError, _GONE),
    (errors.SourceFailingError, _FAILING),
    (errors.SourceUnreachableError, _soft("network", ExitWish.OTHER)),
    (errors.ExitFailedError, _soft("exit", ExitWish.OTHER)),
    (errors.SourceCrowdedError, Ruling(Severity.SOFT, ExitWish.SAME, "crowded", is_ours=True)),
    (errors.BudgetSpentError, _hard("bandwidth", is_ours=True)),
    (errors.EgressRefusedError, _hard("egress", is_ours=True)),
    (errors.RobotsRefusedError, _hard("robots", is_ours=True)),
    (errors.OversizedBodyError, _hard("oversized")),
    (errors.BrowserMissingError, _hard("no_browser", is_ours=True)),
    (errors.BrowserError, _soft("browser")),
    (errors.SchemaBreakError, _hard("schema_break")),
    (errors.RecordRefusedError, _hard("not_keepable", is_ours=True)),
    (errors.EmptyPayloadError, _soft("empty")),
    (errors.MisfiledPayloadError, _soft("wrong_match", soft_max=1)),
    (ContradictoryPayloadError, _soft("held", soft_max=2)),
    (errors.ForeignPayloadError, _soft("foreign", ExitWish.OTHER, soft_max=2)),
    (errors.MalformedPayloadError, _soft("malformed")),
)
# Errors that come as a body say themselves what they are.
BY_VERDICT = {
    "challenge": _CHALLENGE,
    "not_found": _GONE,
    "refused": _REFUSED,
    "throttled": _THROTTLED,
    "failing": _FAILING,
}


def ruling(error: LongstopError, times_before: int = 0) -> Ruling:
    """`times_before`: how often the attempts just before failed for the same reason."""
    found = _found(error)
    if found.soft_max is not None and times_before >= found.soft_max:
        return msgspec.structs.replace(found, severity=Severity.HARD, exit=ExitWish.NONE)
    return found


def _found(error: LongstopError) -> Ruling:
    told = BY_VERDICT.get(getattr(error, "verdict", ""))
    if told is not None:
        return told
    for kind, row in TABLE:
        if isinstance(error, kind):
            return row
    return _soft("error") if error.heals else _hard(error.kind)
