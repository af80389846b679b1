"""What the services that look after scrapers see of them, and what they may do to them. The engine gives both."""

from collections.abc import Sequence
from enum import Enum
from typing import Protocol

import msgspec

from longstop.resilience.rhythm import Rhythm


class Stage(Enum):
    """What the match is doing, as far as it matters to whoever looks for a moment to disturb it."""

    PLAY = "play"
    BREAK = "break"
    UPCOMING = "upcoming"
    OVER = "over"


class ScraperView(msgspec.Struct, frozen=True):
    """One scraper at one moment.

    `idle_seconds` is how long its match has shown nothing new, from the start of the scraper if there was nothing yet.
    `weight_bytes` is what `memory.weigh` says. Who is resting is not polled and cannot be replaced.
    """

    match_id: str
    scraper_id: str
    age_seconds: float
    weight_bytes: int
    stage: Stage = Stage.PLAY
    idle_seconds: float = 0.0
    starts_in_seconds: float | None = None
    rhythm: Rhythm = Rhythm()
    is_resting: bool = False


class Hands(Protocol):
    """Each says whether there was such a scraper to do it to. A successor gets pages of its own."""

    def scrapers(self) -> Sequence[ScraperView]: ...

    def restart(self, match_id: str, reason: str) -> bool:
        """Make before break: the cycle under way is finished, a successor serves, then this one goes."""
        ...

    def kill(self, match_id: str, reason: str) -> bool:
        """Cancelled now, begun anew at once."""
        ...

    async def drop(self, match_id: str, reason: str) -> bool:
        """No longer watched, until somebody lists or submits it again."""
        ...
