"""What a scraper knows that its successor should know too: the state snapshot of the documents (B8).

The ledger is the truth. A state is held against it before anything of it is believed.
"""

from datetime import datetime

import msgspec

from longstop.domain.cricket import Place


class Tally(msgspec.Struct, frozen=True):
    """The board of one innings, as far as a successor can compare it."""

    innings: int
    runs: int
    wickets: int
    overs: str


class ScraperState(msgspec.Struct, frozen=True):
    """`reason` is why it was saved: an interval, a planned replacement, a shutdown. `players` are codes."""

    match_id: str
    scraper_id: str
    saved_at: datetime
    reason: str
    sequence: int = 0
    last_place: Place | None = None
    score: tuple[Tally, ...] = ()
    players: tuple[str, ...] = ()
    rung: str = ""
    pace_seconds: float = 0.0
    pace_reason: str = ""
    errors: int = 0
    unchanged: int = 0
    changed_at: datetime | None = None
    paused_until: datetime | None = None

    def rest_seconds(self, now: datetime) -> float:
        """What is left of its rest: by a clock that was set back meanwhile never more than when it was saved."""
        if self.paused_until is None:
            return 0.0
        return (self.paused_until - max(now, self.saved_at)).total_seconds()
