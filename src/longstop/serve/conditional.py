"""Conditional requests (RFC 9110, 13): whether who asks has this already."""

import re
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from typing import Final

_TAG: Final = re.compile(r'(?:W/)?("[\x21\x23-\x7e\x80-\xff]*")')
_LENGTH_MAX: Final = 4_096


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
