"""The single cells of a row: times, keys, JSON."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

import msgspec

from longstop.domain.errors import InputError, RecordRefusedError

Row = tuple[Any, ...]
Moments = Callable[[Any], Any]

KEY_LENGTH_MAX: Final = 300

_to_json = msgspec.json.Encoder().encode


def aware(moment: datetime) -> datetime:
    """The same moment in UTC. One that does not say its zone means nothing and is refused."""
    if moment.tzinfo is None:
        raise RecordRefusedError(
            f"The time {moment.isoformat()} has no zone.", hint="Hand in an aware one; UTC is kept."
        )
    return moment.astimezone(UTC)


def zoned(asked: datetime) -> datetime:
    """A moment that somebody asks about."""
    if asked.tzinfo is None:
        raise InputError(f"The time {asked.isoformat()} has no zone.", hint="Add one, as in 2026-01-31T12:00:00Z.")
    return aware(asked)


def moment_as_utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else aware(moment)


@lru_cache(maxsize=4096)
def moment_as_text(moment: datetime | None) -> str | None:
    """27 characters, always: so text compares as time does. The rows of a batch share their few moments."""
    if moment is None:
        return None
    if moment.tzinfo is not UTC:
        moment = aware(moment)
    return moment.isoformat(timespec="microseconds")[:26] + "Z"


def moment_from_text(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def key_text(key: str) -> str:
    """Keys are indexed, and an index row has a limit on PostgreSQL; it is ours on both."""
    if len(key) > KEY_LENGTH_MAX:
        raise RecordRefusedError(
            f"The key {key[:40]!r}… is {len(key)} characters long.", hint=f"Keys may have at most {KEY_LENGTH_MAX}."
        )
    return key


def json_text(value: Any) -> str:
    return _to_json(value).decode()
