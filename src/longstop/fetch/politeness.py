"""How much one source may be asked at once, and for how long it asked us to stay away."""

import asyncio

from longstop.clock import Clock
from longstop.domain.errors import SourceThrottledError
from longstop.fetch.snapshot import Fetcher, FetchRequest, Snapshot

PAUSES_REMEMBERED_MAX = 2000


class PoliteFetcher:
    """Stands before the real fetcher of one source: bounds the calls under way, and obeys Retry-After.

    A source that throttles one address gets no call to that address sooner than it asked; calls for other matches
    go on, since sites limit what they call a key, not the world.
    """

    def __init__(self, inner: Fetcher, clock: Clock, *, max_concurrent: int) -> None:
        self._inner = inner
        self._clock = clock
        self._permits = asyncio.Semaphore(max_concurrent)
        self._not_before: dict[str, float] = {}

    async def fetch(self, request: FetchRequest) -> Snapshot:
        self._require_welcome(request)
        async with self._permits:
            try:
                return await self._inner.fetch(request)
            except SourceThrottledError as error:
                self._remember(request.url, error.retry_after_seconds)
                raise

    async def close(self) -> None:
        await self._inner.close()

    def _remember(self, url: str, seconds: float) -> None:
        now = self._clock.monotonic()
        if len(self._not_before) >= PAUSES_REMEMBERED_MAX:
            self._not_before = {known: until for known, until in self._not_before.items() if until > now}
        if len(self._not_before) >= PAUSES_REMEMBERED_MAX:
            self._not_before.pop(min(self._not_before, key=lambda known: self._not_before[known]))
        self._not_before[url] = now + seconds

    def _require_welcome(self, request: FetchRequest) -> None:
        wait_seconds = self._not_before.get(request.url, 0.0) - self._clock.monotonic()
        if wait_seconds > 0:
            raise SourceThrottledError("The source asked for a pause.", retry_after_seconds=wait_seconds)
        self._not_before.pop(request.url, None)
