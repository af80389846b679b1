"""Which matches are watched: takes in what discovery finds, and gives each its scraper."""

import uuid
from collections.abc import Callable, Sequence

from longstop.clock import Clock
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchListing, MatchRef, MatchStatus
from longstop.ledger.match_ledger import LedgerLimits
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.store.contract import MatchRow, Store, WriteBatch
from longstop.watch import Watch, match_row

RESUMED_MAX = 5000
_UNFINISHED = (MatchState.DISCOVERED, MatchState.ACTIVE, MatchState.PAUSED)


class Roster:
    """The watches of one source. Watching a match twice is not possible."""

    def __init__(
        self, store: Store, limits: LedgerLimits, start: Callable[[Watch], None], clock: Clock, bus: Signals
    ) -> None:
        self._store = store
        self._limits = limits
        self._start = start
        self._clock = clock
        self._bus = bus
        self._watches: dict[str, Watch] = {}
        self._resting: dict[str, float] = {}

    @property
    def watches(self) -> tuple[Watch, ...]:
        return tuple(self._watches.values())

    async def take(self, listings: Sequence[MatchListing]) -> None:
        """New matches are written down before they are watched. A list may name one twice."""
        named = {listing.ref.match_id: listing for listing in listings}
        fresh = [self._watch(listing) for match_id, listing in named.items() if self._may_begin(match_id)]
        if not fresh:
            return
        await self._store.save(WriteBatch(matches=tuple(match_row(watch) for watch in fresh)))
        for watch in fresh:
            if watch.ref.match_id in self._watches:
                continue  # somebody else took it in while this was written
            self._bus.emit(
                signals.MatchDiscovered(
                    at=self._clock.now(),
                    match_id=watch.ref.match_id,
                    source=watch.ref.source,
                    title=watch.listing.title,
                    listing=watch.listing,
                )
            )
            self._begin(watch)

    async def resume(self, source: str) -> None:
        """Matches that were under way when we stopped are watched again, listed or not: they may have ended since."""
        for status in (MatchStatus.LIVE, MatchStatus.UPCOMING):
            for row in await self._store.matches(source=source, status=status, limit=RESUMED_MAX):
                if row.state in _UNFINISHED and row.ref.match_id not in self._watches:
                    self._begin(self._watch(_listing_of(row)))

    def rest(self, match_id: str, seconds: float) -> None:
        """No longer watched; taken in again when it is listed after that time, with everything fresh."""
        self._watches.pop(match_id, None)
        now = self._clock.monotonic()
        self._resting = {known: until for known, until in self._resting.items() if until > now}
        self._resting[match_id] = now + seconds

    def find(self, ref: MatchRef) -> Watch | None:
        return self._watches.get(ref.match_id)

    def _may_begin(self, match_id: str) -> bool:
        return match_id not in self._watches and self._resting.get(match_id, 0.0) <= self._clock.monotonic()

    def _watch(self, listing: MatchListing) -> Watch:
        return Watch(listing, str(uuid.uuid4()), self._clock.now(), self._limits)

    def _begin(self, watch: Watch) -> None:
        self._watches[watch.ref.match_id] = watch
        self._start(watch)


def _listing_of(row: MatchRow) -> MatchListing:
    return MatchListing(
        ref=row.ref,
        title=row.title,
        teams=row.teams,
        status=row.status,
        format=row.format,
        series=row.series,
        venue=row.venue,
        starts_at=row.starts_at,
    )
