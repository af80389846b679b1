"""Which matches lie ahead: what the source's lists tell, under our own numbers."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta

from longstop.domain.football import FootballEvent, Stage
from longstop.domain.football_record import FootballMatch
from longstop.jobs.captures.known import known_or
from longstop.sources.sofascore import requests
from longstop.store.contract import Store

_DAY = timedelta(days=1)


def days_ahead(now: datetime, window: timedelta) -> tuple[date, ...]:
    """Today and every day that the window touches."""
    last = (now + window).date()
    days = [now.date()]
    while days[-1] < last:
        days.append(days[-1] + _DAY)
    return tuple(days)


class Numbering:
    """An event that no caller has given a number gets that of the source, so that two runs give it the same one."""

    def __init__(self, source: str, store: Store | None) -> None:
        self._source = source
        self._store = store
        self._numbers: dict[str, int] = {}

    def adopt(self, matches: Iterable[FootballMatch]) -> None:
        self._numbers.update({match.source_event_id: match.match_id for match in matches})

    def forget(self, source_event_id: str) -> None:
        self._numbers.pop(source_event_id, None)

    async def number_of(self, event: FootballEvent) -> int | None:
        """None for a key that is no number, which the source does not have."""
        if event.key not in self._numbers and event.key.isdecimal():
            self._numbers[event.key] = await self._found(event.key)
        return self._numbers.get(event.key)

    async def _found(self, key: str) -> int:
        known = await known_or(None, self._store, lambda store: store.football_match_of(self._source, key))
        if known is not None:
            return known.match_id
        number = int(key)
        other = await known_or(None, self._store, lambda store: store.football_match(number))
        return number if other is None else -number  # a caller of ours uses it for another match


def is_ahead(event: FootballEvent, now: datetime, window: timedelta, tournaments: Sequence[str]) -> bool:
    is_wanted = not tournaments or any(name.casefold() in event.tournament.casefold() for name in tournaments)
    is_near = event.kickoff is not None and now < event.kickoff <= now + window
    return is_wanted and event.stage is Stage.UPCOMING and is_near


def match_told(number: int, event: FootballEvent, source: str, base_url: str, now: datetime) -> FootballMatch:
    return FootballMatch(
        match_id=number,
        source=source,
        source_event_id=event.key,
        home_team=event.home.name,
        away_team=event.away.name,
        kickoff_at=event.kickoff or now,  # one without a date is not ahead, and does not come here
        told_at=now,
        page=requests.page(base_url, event),
        tournament=event.tournament,
        status=event.phase.value,
    )
