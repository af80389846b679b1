"""Matches that have begun lately. Sites correct a kickoff after the fact too, and what was captured until the old one
may then turn out to be of after the true one."""

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Final

from longstop.domain.football import FootballEvent
from longstop.domain.football_record import FootballMatch

KEPT: Final = timedelta(hours=24)


class LatelyBegun:
    """By the event of the source, for a day after kickoff."""

    def __init__(self) -> None:
        self._matches: dict[str, FootballMatch] = {}

    def put(self, matches: Iterable[FootballMatch]) -> None:
        self._matches |= {match.source_event_id: match for match in matches}

    def forget_old(self, now: datetime) -> None:
        self._matches = {key: match for key, match in self._matches.items() if now - match.kickoff_at < KEPT}

    def days(self, today: date) -> tuple[date, ...]:
        """Lists of days that are over and may still tell of one of them."""
        return tuple(sorted({match.kickoff_at.date() for match in self._matches.values()} - {today}))

    def moved(self, event: FootballEvent) -> FootballMatch | None:
        """The match of this event, where its kickoff is another one than we knew. It is told once."""
        match = self._matches.get(event.key)
        if match is None or event.kickoff is None or event.kickoff == match.kickoff_at:
            return None
        return self._matches.pop(event.key)
