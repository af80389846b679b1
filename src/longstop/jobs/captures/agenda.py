"""The matches ahead and when each is looked at next. In memory; a restart reads it back from the store."""

from collections.abc import Iterable
from datetime import datetime, timedelta

import msgspec

from longstop.domain.capture import Fixture
from longstop.domain.football_record import CaptureProgress, FootballMatch
from longstop.jobs.captures import plan

_HARD = "hard_fail"


class Entry(msgspec.Struct):
    """`not_before`: what is no matter of the match itself holds it up, as a store that refuses."""

    match: FootballMatch
    progress: CaptureProgress | None = None
    not_before: datetime | None = None
    is_under_way: bool = False

    def due_at(self, now: datetime, window: timedelta) -> datetime | None:
        told = self.progress
        last = None if told is None else plan.Looked(told.updated_at, told.confirmed_at, told.status == _HARD)
        due = plan.next_look(self.match.kickoff_at, now, last, window)
        if due is None or self.not_before is None:
            return due
        return max(due, self.not_before)

    def fixture(self, now: datetime) -> Fixture:
        match = self.match
        return Fixture(
            match_id=match.match_id,
            kickoff_utc=match.kickoff_at,
            home_team=match.home_team,
            away_team=match.away_team,
            league_id=match.league_id,
            season=match.season,
            priority=plan.priority(match.kickoff_at, now),
            event_key=match.source_event_id,
            page=match.page,
        )


class Agenda:
    def __init__(self) -> None:
        self._entries: dict[int, Entry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def entry(self, match_id: int) -> Entry | None:
        return self._entries.get(match_id)

    def put(self, match: FootballMatch) -> None:
        entry = self._entries.get(match.match_id)
        if entry is None:
            self._entries[match.match_id] = Entry(match)
        else:
            entry.match = match

    def note(self, progress: CaptureProgress) -> None:
        entry = self._entries.get(progress.match_id)
        if entry is not None:
            entry.progress = progress

    def move(self, match_id: int, kickoff: datetime) -> None:
        entry = self._entries.get(match_id)
        if entry is not None:
            entry.match = msgspec.structs.replace(entry.match, kickoff_at=kickoff)

    def due(self, now: datetime, window: timedelta) -> list[Entry]:
        """The soonest kickoff first: near it every minute counts, and of few probes those count most."""
        entries = [each for each in self._entries.values() if not each.is_under_way and _is_due(each, now, window)]
        return sorted(entries, key=lambda each: (each.match.kickoff_at, each.match.match_id))

    def next_at(self, now: datetime, window: timedelta) -> datetime | None:
        waiting = (each.due_at(now, window) for each in self._entries.values() if not each.is_under_way)
        return min((due for due in waiting if due is not None), default=None)

    def drop_begun(self, now: datetime) -> list[FootballMatch]:
        gone = [each.match for each in self._entries.values() if each.match.kickoff_at <= now and not each.is_under_way]
        self.drop(match.match_id for match in gone)
        return gone

    def drop(self, match_ids: Iterable[int]) -> None:
        for match_id in match_ids:
            self._entries.pop(match_id, None)


def _is_due(entry: Entry, now: datetime, window: timedelta) -> bool:
    due = entry.due_at(now, window)
    return due is not None and due <= now
