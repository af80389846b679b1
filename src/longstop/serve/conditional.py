"""Conditional requests (RFC 9110, 13): whether who asks has this already."""

import re
from collections import OrderedDict
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from typing import Final

_TAG: Final = re.compile(r'(?:W/)?("[\x21\x23-\x7e\x80-\xff]*")')
_LENGTH_MAX: Final = 4_096
_SECOND: Final = timedelta(seconds=1)


class Changes:
    """Since when each address has answered as it does, as far as it was seen here; what was forgotten changed now.

    No time of the data will do: a gap that is opened, a name that is learnt or a doubt changes the answer as well.
    """

    def __init__(self, kept_max: int = 5_000) -> None:
        self._kept: OrderedDict[str, tuple[str, datetime]] = OrderedDict()
        self._kept_max = kept_max

    def seen(self, address: str, tag: str, now: datetime) -> datetime | None:
        """What the answer with this tag may say of its last change."""
        kept = self._kept.pop(address, None)
        since = kept[1] if kept is not None and kept[0] == tag else now
        self._kept[address] = (tag, since)
        while len(self._kept) > self._kept_max:
            self._kept.popitem(last=False)
        return told_change(since, now)


def told_change(since: datetime, now: datetime) -> datetime | None:
    """A whole second, and none before that of the change is over, so that no date hides the second of two changes."""
    told = since.replace(microsecond=0) + _SECOND
    return told if told <= now else None


def is_known_to(
    tag: str, modified_at: datetime | None, if_none_match: str | None, if_modified_since: str | None
) -> bool:
    """By the tag when tags are told, and only then not by the date. Reading compares weakly."""
    if if_none_match is not None:
        return _matches(tag, if_none_match[:_LENGTH_MAX])
    if if_modified_since is None or modified_at is None:
        return False
    since = _date(if_modified_since[:_LENGTH_MAX])
    return since is not None and modified_at.replace(microsecond=0) <= since


def _matches(tag: str, told: str) -> bool:
    if told.strip() == "*":
        return True
    return tag.removeprefix("W/") in _TAG.findall(told)


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def http_date(moment: datetime) -> str:
    return format_datetime(moment.astimezone(UTC).replace(microsecond=0), usegmt=True)
