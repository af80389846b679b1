"""When a scraper has lived long enough. Pure: its age and the rhythm of its match in, a reason or nothing out.

    |---------------- serves ----------------|-- looks for quiet --|-- waits for a busy moment to end --|
    0                              due - window                   due                        at the latest: limit

`due` lies within one window before the limit, elsewhere for each scraper: those that began together do not end
together. A match that is busy without end waits no longer than the grace, and nobody outlives the limit.
"""

import math
import zlib

import msgspec

from longstop.resilience.rhythm import RECENT_POLLS, Rhythm

WINDOW_SHARE = 0.1
WINDOW_SECONDS_MAX = 1800.0
GRACE_SECONDS_MAX = 600.0
QUIET_POLLS = 5
QUIET_CHANGES_MAX = 2


class LifetimeLimits(msgspec.Struct, frozen=True):
    """Window and grace follow from the limit, so that one setting says it all."""

    limit_seconds: float = 6 * 3600.0

    @property
    def window_seconds(self) -> float:
        return min(WINDOW_SECONDS_MAX, WINDOW_SHARE * self.limit_seconds)

    @property
    def grace_seconds(self) -> float:
        return min(GRACE_SECONDS_MAX, self.window_seconds / 3)


class Life(msgspec.Struct, frozen=True):
    scraper_id: str
    age_seconds: float
    rhythm: Rhythm
    is_in_break: bool = False


def is_quiet(life: Life) -> bool:
    """A break, or so few changes that nothing is missed by looking elsewhere for a moment."""
    if life.is_in_break or life.rhythm.unchanged >= QUIET_POLLS:
        return True
    recent = life.rhythm.recent
    return len(recent) == RECENT_POLLS and sum(recent) <= QUIET_CHANGES_MAX


def due_seconds(scraper_id: str, limits: LifetimeLimits) -> float:
    """At this age its time has come: the limit at the latest, less a part of the window that is its own."""
    own = zlib.crc32(scraper_id.encode()) / 2**32
    return limits.limit_seconds - own * limits.window_seconds


def why_replace(life: Life, limits: LifetimeLimits) -> str | None:
    due = due_seconds(life.scraper_id, limits)
    if life.age_seconds < due - limits.window_seconds:
        return None
    if is_quiet(life):
        return "its time is near and the match is quiet"
    if life.age_seconds < due:
        return None
    if not life.rhythm.is_busy:
        return "its time has come"
    end = min(due + limits.grace_seconds, limits.limit_seconds)
    return "its time is over" if life.age_seconds >= end else None


def replaced_at_once_max(scrapers: int, round_seconds: float, limits: LifetimeLimits) -> int:
    """In one round. Twice the rate at which those of the same age come due, so that nobody waits for long."""
    return max(1, math.ceil(2 * scrapers * round_seconds / limits.window_seconds))
