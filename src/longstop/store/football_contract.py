"""What a store is asked about football before kickoff."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from longstop.domain.football_record import CaptureProgress, FootballMatch, LineUpRecord, Quarantined


class FootballReads(Protocol):
    async def football_match(self, match_id: int) -> FootballMatch | None: ...

    async def football_match_of(self, source: str, source_event_id: str) -> FootballMatch | None:
        """The match of ours that an event of a source is."""
        ...

    async def football_matches(
        self, *, kickoff_from: datetime | None = None, kickoff_until: datetime | None = None, limit: int = 1000
    ) -> Sequence[FootballMatch]:
        """In the order of their kickoffs, both ends included."""
        ...

    async def line_ups(
        self, match_id: int, *, as_of: datetime | None = None, with_flagged: bool = False
    ) -> Sequence[LineUpRecord]:
        """Every team sheet that was captured, until `as_of`, in the order of time.

        Without those that are flagged, and without those captured at or after the kickoff as it is known by now.
        """
        ...

    async def capture_progress(self, match_id: int) -> CaptureProgress | None: ...

    async def capture_progresses(self, kickoff_from: datetime, kickoff_until: datetime) -> Sequence[CaptureProgress]:
        """Of the matches that begin between the two."""
        ...

    async def quarantined(self, *, limit: int = 1000) -> Sequence[Quarantined]:
        """Those not released yet, the oldest first."""
        ...
