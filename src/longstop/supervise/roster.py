"""Which matches are watched: takes in what discovery finds, and what went on before we were started."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from longstop.clock import Clock, age_seconds
from longstop.domain.errors import InsufficientMemoryError, LongstopError
from longstop.domain.lifecycle import MATCH_LIFECYCLE, MatchState
from longstop.domain.match import MatchListing, MatchRef, MatchStatus
from longstop.domain.scraper_state import ScraperState
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.store.contract import MatchRow, Store, WriteBatch
from longstop.supervise.assignment import Assignment
from longstop.watch import listed_row

RESUMED_MAX = 5000
_UNFINISHED = (MatchState.ACTIVE, MatchState.PAUSED, MatchState.DISCOVERED)
_RESUMED = (
    *((MatchStatus.LIVE, state) for state in _UNFINISHED),
    *((MatchStatus.UPCOMING, state) for state in _UNFINISHED),
    (MatchStatus.COMPLETED, MatchState.COMPLETED),
    (MatchStatus.ABANDONED, MatchState.COMPLETED),
)

Begin = Callable[[MatchListing, MatchState, ScraperState | None], Assignment]
Again = Callable[[], Awaitable[None]]
Admit = Callable[[str, Again], Awaitable[None]]


async def admit_all(match_id: str, again: Again) -> None:
    """Where nobody counts the memory."""


class Roster:
    """The assignments of one source. Watching a match twice is not possible."""

    def __init__(self, store: Store, begin: Begin, clock: Clock, bus: Signals, admit: Admit = admit_all) -> None:
        self._store = store
        self._begin = begin
        self._clock = clock
        self._bus = bus
        self._admit = admit
        self._assignments: dict[str, Assignment] = {}
        self._resting: dict[str, float] = {}
        # While its source is switched off, nobody is taken in.
        self.is_open = True

    @property
    def assignments(self) -> tuple[Assignment, ...]:
        return tuple(self._assignments.values())

    def assignment(self, match_id: str) -> Assignment | None:
        return self._assignments.get(match_id)

    async def take(self, listings: Sequence[MatchListing]) -> None:
        """New matches are written down before they are watched. A list may name one twice."""
        named = {listing.ref.match_id: listing for listing in listings}
        wanted = [listing for match_id, listing in named.items() if self._may_begin(match_id)]
        fresh = [listing for listing in wanted if await self._is_admitted(listing, partial(self.take, [listing]))]
        if not fresh:
            return
        now = self._clock.now()
        await self._store.save(WriteBatch(matches=tuple(listed_row(listing, now) for listing in fresh)))
        for listing in fresh:
            if listing.ref.match_id not in self._assignments:  # nobody took it in while this was written
                self._tell_discovered(listing)
                self._start(listing, MATCH_LIFECYCLE.initial, None)

    async def resume(self, source: str, archive_seconds: float) -> None:
        """Matches that were under way when we stopped are watched again, listed or not: they may have ended since.

        So are those that are over and not archived yet: the site may still correct them. What was only pushed has no
        page that anybody was shown: it is watched when its source lists it."""
        for status, state in _RESUMED:
            rows = await self._store.matches(source=source, status=status, state=state, limit=RESUMED_MAX)
            wanted = [row for row in rows if row.ref.url and row.ref.match_id not in self._assignments]
            known = await self._store.states([row.ref.match_id for row in wanted])
            for row in wanted:
                if not self._is_long_over(row, archive_seconds):
                    await self._resume_one(row, known.get(row.ref.match_id))

    async def _resume_one(self, row: MatchRow, prior: ScraperState | None) -> None:
        listing = _listing_of(row)
        is_admitted = self.is_open and await self._is_admitted(listing, partial(self._resume_one, row, prior))
        if is_admitted and row.ref.match_id not in self._assignments:
            self._start(listing, row.state, prior)

    def rest(self, match_id: str, seconds: float) -> None:
        """No longer watched; taken in again when it is listed after that time, with everything fresh."""
        self._assignments.pop(match_id, None)
        now = self._clock.monotonic()
        self._resting = {known: until for known, until in self._resting.items() if until > now}
        self._resting[match_id] = now + seconds

    def forget(self, match_id: str) -> None:
        self._assignments.pop(match_id, None)

    def find(self, ref: MatchRef) -> Assignment | None:
        return self._assignments.get(ref.match_id)

    def forget_rests(self) -> None:
        """Whoever was kept away for a while may come at once."""
        self._resting.clear()

    def _may_begin(self, match_id: str) -> bool:
        is_resting = self._resting.get(match_id, 0.0) > self._clock.monotonic()
        return self.is_open and match_id not in self._assignments and not is_resting

    async def _is_admitted(self, listing: MatchListing, again: Again) -> bool:
        """Who is refused for want of memory is told of, and called again, by whoever refused him; any other comes with
        the next list."""
        try:
            await self._admit(listing.ref.match_id, again)
        except InsufficientMemoryError:
            return False
        except LongstopError as error:
            self._tell_refused(listing, error)
            return False
        return True

    def _is_long_over(self, row: MatchRow, archive_seconds: float) -> bool:
        """Archived at the next turn of the archive; nobody needs to look at it once more for that."""
        seen = row.last_scraper_update
        is_over = row.state is MatchState.COMPLETED
        return is_over and (seen is None or age_seconds(self._clock.now(), seen) > archive_seconds)

    def _start(self, listing: MatchListing, state: MatchState, prior: ScraperState | None) -> None:
        self._assignments[listing.ref.match_id] = self._begin(listing, state, prior)

    def _tell_discovered(self, listing: MatchListing) -> None:
        self._bus.emit(
            signals.MatchDiscovered(
                at=self._clock.now(),
                match_id=listing.ref.match_id,
                source=listing.ref.source,
                title=listing.title,
                listing=listing,
            )
        )

    def _tell_refused(self, listing: MatchListing, error: LongstopError) -> None:
        self._bus.emit(
            signals.ErrorRaised(
                at=self._clock.now(),
                severity="WARN",
                error_type=error.kind,
                error_message=error.message,
                hint=error.hint,
                match_id=listing.ref.match_id,
                operation="admission",
                url=listing.ref.url,
            )
        )


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
