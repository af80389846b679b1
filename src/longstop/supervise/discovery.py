"""Asks each source which matches there are, and hands the ones worth watching to the roster."""

from collections.abc import Awaitable, Callable, Sequence

from longstop.clock import Clock
from longstop.domain.errors import FetchError, LongstopError, PayloadError, StoreError
from longstop.domain.match import MatchListing, MatchStatus
from longstop.fetch.snapshot import Fetcher
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.sources.contract import Source
from longstop.supervise.options import Options
from longstop.supervise.service import Stop


class Discovery:
    """One instance a source. A list that cannot be read costs one turn, nothing more."""

    def __init__(
        self,
        source: Source,
        fetcher: Fetcher,
        take: Callable[[Sequence[MatchListing]], Awaitable[None]],
        options: Options,
        clock: Clock,
        bus: Signals,
        is_on: Callable[[], bool] = lambda: True,
    ) -> None:
        """While it `is_on` no more, the source is not asked."""
        self.name = f"discovery {source.manifest.name}"
        self._source = source
        self._fetcher = fetcher
        self._take = take
        self._options = options
        self._clock = clock
        self._bus = bus
        self._is_on = is_on

    async def run(self, stop: Stop) -> None:
        has_listed = False
        while not stop.is_wanted:
            if self._is_on():
                has_listed = await self._look() or has_listed
            # Until the first list is in, nothing is watched: ask again soon. Later a bad list costs its turn.
            interval = self._options().discovery_seconds
            if await stop.pause(interval if has_listed else min(2.0, interval)):
                return

    async def _look(self) -> bool:
        started = self._clock.monotonic()
        try:
            snapshot = await self._fetcher.fetch(self._source.list_matches())
            listings = self._source.parse_list(snapshot)
            await self._take([listing for listing in listings if self._is_worth_watching(listing)])
        except (FetchError, PayloadError, StoreError) as error:
            self._tell(error)
            return False
        self._tell_listed(listings, self._clock.monotonic() - started)
        return True

    def _is_worth_watching(self, listing: MatchListing) -> bool:
        if listing.status is MatchStatus.LIVE:
            return True
        if listing.status is not MatchStatus.UPCOMING or listing.starts_at is None:
            return False
        return (listing.starts_at - self._clock.now()).total_seconds() <= self._options().imminent_seconds

    def _tell_listed(self, listings: Sequence[MatchListing], duration: float) -> None:
        self._bus.emit(
            signals.SourceListed(
                at=self._clock.now(),
                source=self._source.manifest.name,
                matches=len(listings),
                live=sum(listing.status is MatchStatus.LIVE for listing in listings),
                duration_seconds=duration,
            )
        )

    def _tell(self, error: LongstopError) -> None:
        self._bus.emit(
            signals.ErrorRaised(
                at=self._clock.now(),
                severity="WARN",
                error_type=error.kind,
                error_message=error.message,
                hint=error.hint,
                operation=self.name,
            )
        )
