"""A match as the house knows it, whatever the sport."""

import re
from datetime import datetime
from enum import Enum

import msgspec

from longstop.domain.errors import InputError

_SAFE_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class MatchStatus(Enum):
    UPCOMING = "upcoming"
    LIVE = "live"
    COMPLETED = "completed"
    ABANDONED = "abandoned"


class MatchPriority(Enum):
    """Lower is sooner."""

    LIVE = 0
    IMMINENT = 1
    COMPLETED = 2


class MatchRef(msgspec.Struct, frozen=True):
    """Which match, on which source. `match_id` is ours and unique over all sources."""

    source: str
    key: str
    url: str = ""

    @property
    def match_id(self) -> str:
        return f"{self.source}_{self.key}"


class MatchListing(msgspec.Struct, frozen=True):
    """What a source's list says of one match."""

    ref: MatchRef
    title: str
    teams: tuple[str, str]
    status: MatchStatus
    format: str = ""
    series: str = ""
    venue: str = ""
    starts_at: datetime | None = None


class Names(msgspec.Struct, frozen=True):
    """Names for a source's codes. A code without a name stays a code; nobody is ever called Unknown."""

    players: dict[str, str] = {}
    teams: dict[str, str] = {}
    teams_short: dict[str, str] = {}
    series: dict[str, str] = {}


def require_safe_key(key: str) -> str:
    """Keys reach file names, URLs and labels: only harmless ones are let in."""
    if not _SAFE_KEY.fullmatch(key):
        raise InputError(
            f"{key[:40]!r} is not a match key.",
            hint="A key is 1 to 64 letters, digits, '-' or '_', and starts with a letter or digit.",
        )
    return key
