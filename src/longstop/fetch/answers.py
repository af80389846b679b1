"""What an HTTP answer means to us: a usable body, or one of the errors of the house."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from longstop.clock import Clock
from longstop.domain.errors import (
    FetchError,
    MatchGoneError,
    SourceFailingError,
    SourceRefusedError,
    SourceThrottledError,
    UnexpectedStatusError,
)
from longstop.fetch.challenged import recognise_head

RETRY_AFTER_SECONDS_DEFAULT = 5.0
RETRY_AFTER_SECONDS_MAX = 3600.0
_SECONDS = re.compile(r"[0-9]+(\.[0-9]*)?")


def require_usable(status: int, headers: Mapping[str, str], purpose: str, clock: Clock) -> None:
    """Raises unless the answer is a 200 (or a 304, which says that nothing changed)."""
    if status not in (200, 304):
        raise error_for(status, headers, purpose, clock.now())


def error_for(status: int, headers: Mapping[str, str], purpose: str, now: datetime) -> FetchError:
    challenge = recognise_head(status, headers)
    if challenge is not None:
        return challenge
    said = f"The source answered {status} to the {purpose} call."
    retry_after = _named(headers, "retry-after")
    if status == 429 or (status == 503 and retry_after):
        # A date counts by the clock that set it.
        told_at = _moment(_named(headers, "date") or "") or now
        return SourceThrottledError(said, retry_after_seconds=read_retry_after(retry_after, told_at))
    if status in (404, 410):
        return MatchGoneError(said)
    if status in (401, 403):
        return SourceRefusedError(said)
    if status >= 500:
        return SourceFailingError(said)
    return UnexpectedStatusError(said)


def _named(headers: Mapping[str, str], name: str) -> str | None:
    """Browsers tell the names of headers in small letters, clients as the site wrote them."""
    return next((value for each, value in headers.items() if each.lower() == name), None)


def read_retry_after(value: str | None, now: datetime) -> float:
    """Seconds or an HTTP date; never negative, never longer than an hour. Said twice, the longer one counts."""
    if value is None:
        return RETRY_AFTER_SECONDS_DEFAULT
    return min(max(_seconds(value, now), 0.0), RETRY_AFTER_SECONDS_MAX)


def _seconds(value: str, now: datetime) -> float:
    wishes = [wish.strip() for wish in value.split(",")]
    if all(_SECONDS.fullmatch(wish) for wish in wishes):
        return max(map(float, wishes))
    moment = _moment(value.strip())
    return RETRY_AFTER_SECONDS_DEFAULT if moment is None else (moment - now).total_seconds()


def _moment(value: str) -> datetime | None:
    """HTTP's dates are UTC, also in the two old spellings that do not say so."""
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, OverflowError):  # the second for a year that no calendar has
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
