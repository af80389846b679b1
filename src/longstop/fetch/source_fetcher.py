"""The way to one source: live states climb the ladder, every other call goes the cheapest way that is open."""

from collections.abc import Iterator

from longstop.clock import Clock
from longstop.domain.errors import PayloadError, SourceTimeoutError
from longstop.fetch.ladder import Ladder, RungName
from longstop.fetch.page_rungs import InPageRung
from longstop.fetch.patience import Patience
from longstop.fetch.replay import REFUSALS, ReplayRung
from longstop.fetch.snapshot import STATE, FetchRequest, Snapshot
from longstop.resilience.breaker import BreakerView


class SourceFetcher:
    def __init__(
        self, ladder: Ladder, replay: ReplayRung, in_page: InPageRung | None, clock: Clock, patience: Patience
    ) -> None:
        self._ladder = ladder
        self._replay = replay
        self._in_page = in_page
        self._clock = clock
        self._patience = patience

    async def fetch(self, request: FetchRequest) -> Snapshot:
        """How long it took tells how long this source's pages are waited for."""
        began = self._clock.monotonic()
        try:
            snapshot = await self._fetch(request)
        except SourceTimeoutError:
            self._patience.note(self._clock.monotonic() - began)
            raise
        if snapshot.rung != RungName.INTERCEPT.value:
            # What was listened for came when the page asked, however quick the site is.
            self._patience.note((snapshot.fetched_at - snapshot.requested_at).total_seconds())
        return snapshot

    async def _fetch(self, request: FetchRequest) -> Snapshot:
        if request.purpose == STATE and request.key:
            return await self._ladder.fetch(request)
        return await self._fetch_beside(request)

    def distrust(self, key: str, error: PayloadError) -> None:
        if self._ladder.where(key)[0] == RungName.REPLAY.value:
            self._replay.distrust()
        elif self._in_page is not None:
            self._in_page.distrust(key)
        self._ladder.distrust(key, error)

    def shut(self, key: str, reason: str) -> None:
        self._ladder.shut(key, reason)

    def where(self, key: str) -> tuple[str, str]:
        return self._ladder.where(key)

    def choose(self, key: str, rung: str) -> None:
        self._ladder.choose(key, rung)

    def not_closed(self, key: str) -> tuple[str, ...]:
        return self._ladder.not_closed(key)

    def all_breakers(self) -> Iterator[BreakerView]:
        return self._ladder.all_breakers()

    async def markup(self, key: str) -> bytes | None:
        return await self._in_page.markup(key) if self._in_page is not None else None

    async def picture(self, key: str) -> bytes | None:
        return await self._in_page.picture(key) if self._in_page is not None else None

    def renew_page(self, key: str) -> None:
        """Make before break, for a match that has an open page."""
        if self._in_page is not None:
            self._in_page.renew(key)

    def discard_page(self, key: str) -> None:
        if self._in_page is not None:
            self._in_page.discard(key)

    def page_bytes(self) -> dict[str, int]:
        """What the open pages take, by key; empty where no rung has pages."""
        return self._in_page.memory_bytes() if self._in_page is not None else {}

    async def let_go(self, key: str) -> None:
        await self._ladder.let_go(key)

    async def close(self) -> None:
        await self._ladder.close()
        await self._replay.close()

    async def _fetch_beside(self, request: FetchRequest) -> Snapshot:
        """A site that answers only its own page answers it for these calls too; once that is known, at once."""
        if self._replay.is_useless and self._in_page is not None and self._in_page.has_page(request):
            return await self._in_page.fetch(request)
        try:
            return await self._replay.fetch(request)
        except REFUSALS:
            if self._in_page is None or not self._in_page.has_page(request):
                raise
            return await self._in_page.fetch(request)
