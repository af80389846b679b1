"""How much one source may be asked at once and in a time, and for how long it asked us to stay away."""

import asyncio
import random
from contextlib import AbstractAsyncContextManager, ExitStack
from types import TracebackType
from typing import Protocol

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import SourceCrowdedError, SourceThrottledError
from longstop.fetch.bucket import TokenBucket
from longstop.fetch.pauses import Pauses
from longstop.fetch.snapshot import Fetcher, FetchRequest, Snapshot


class Manners(msgspec.Struct, frozen=True):
    """`burst_allowance` calls may come at once after a quiet time, then one for each `min_interval_seconds`.

    A call that would wait longer than `wait_seconds_max`, or behind `waiting_max` others, fails instead: by then
    its match is due again anyway. After a pause of the whole source calls come back over `jitter_seconds`.
    """

    min_interval_seconds: float = 0.0
    burst_allowance: int = 50
    waiting_max: int = 2000
    wait_seconds_max: float = 15.0
    jitter_seconds: float = 0.9


class Permission(Protocol):
    """Whether the site's own rules allow the call; the seconds they want between two calls."""

    async def require_allowed(self, request: FetchRequest) -> float: ...


class Courtesy(Protocol):
    """What whoever calls a source otherwise than by us, from inside a page, has to keep to as well."""

    def turn(self, request: FetchRequest) -> AbstractAsyncContextManager[None]:
        """Raises when the source is to be left alone; what it answers within is heeded."""
        ...

    def heed(self, request: FetchRequest, error: SourceThrottledError) -> SourceThrottledError:
        """The source asked for a pause; what to tell the caller."""
        ...


class PoliteFetcher:
    """Stands before the real fetcher of one source: one line for all calls, served in its order."""

    def __init__(
        self,
        inner: Fetcher,
        clock: Clock,
        *,
        max_concurrent: int,
        manners: Manners | None = None,
        permission: Permission | None = None,
        chance: random.Random | None = None,
    ) -> None:
        self._inner = inner
        self._clock = clock
        self._manners = manners or Manners()
        self._permission = permission
        self._chance = chance or random.Random()
        self._permits = asyncio.Semaphore(max_concurrent)
        self._line = asyncio.Lock()
        self._waiting = 0
        self._bucket = TokenBucket(self._manners.min_interval_seconds, self._manners.burst_allowance)
        self._pauses = Pauses()

    @property
    def waiting(self) -> int:
        return self._waiting

    @property
    def paused_seconds(self) -> float:
        """For how long the source as a whole is still left alone."""
        return self._pauses.seconds_for_all(self._clock.monotonic())

    async def fetch(self, request: FetchRequest) -> Snapshot:
        async with self.turn(request):
            return await self._inner.fetch(request)

    def turn(self, request: FetchRequest) -> "_Turn":
        """For one call, made within."""
        return _Turn(self, request)

    async def begin(self, request: FetchRequest) -> None:
        """Holds a permit when it comes back; `_Turn` gives it back."""
        self._require_welcome(request)
        if self._permission is not None:
            self._slow_to(await self._permission.require_allowed(request))
        await self._take_permit(request)

    def end(self) -> None:
        self._permits.release()

    async def close(self) -> None:
        await self._inner.close()

    def _require_welcome(self, request: FetchRequest) -> None:
        now = self._clock.monotonic()
        alone = self._pauses.seconds_for(request.url, now)
        if self._pauses.seconds_for_all(now) > 0:
            raise self._sent_away(now, alone)
        if alone > 0:
            raise SourceThrottledError("The source asked for a pause.", retry_after_seconds=alone)

    def heed(self, request: FetchRequest, error: SourceThrottledError) -> SourceThrottledError:
        """What the caller is told: the source's own wish, or that of all when it means all of us."""
        now = self._clock.monotonic()
        self._pauses.remember(request.url, error.retry_after_seconds, now)
        together = self._pauses.seconds_for_all(now)
        if together <= 0:
            return error
        self._bucket.rest_until(now + together, now)
        return self._sent_away(now, error.retry_after_seconds)

    def _sent_away(self, now: float, seconds_min: float) -> SourceThrottledError:
        """Each for a little longer by chance, so that they do not all come back in one moment."""
        seconds = max(seconds_min, self._pauses.seconds_for_all(now))
        seconds += self._chance.uniform(0.0, self._manners.jitter_seconds)
        return SourceThrottledError("The source asked us to pause altogether.", retry_after_seconds=seconds)

    def _slow_to(self, interval_seconds: float) -> None:
        """A site that names an interval allows no burst; ours holds where it is the slower one."""
        own = self._manners.min_interval_seconds
        burst = 1 if interval_seconds > 0 else self._manners.burst_allowance
        self._bucket.set_pace(max(own, interval_seconds), burst)

    async def _take_permit(self, request: FetchRequest) -> None:
        if self._waiting >= self._manners.waiting_max:
            raise SourceCrowdedError(f"{self._waiting} calls wait for the source already.")
        self._waiting += 1
        try:
            async with self._clock.timeout(self._manners.wait_seconds_max):
                await self._stand_in_line(request)
        except TimeoutError as error:
            raise SourceCrowdedError(
                f"The call waited {self._manners.wait_seconds_max:g} s for its turn at the source."
            ) from error
        finally:
            self._waiting -= 1

    async def _stand_in_line(self, request: FetchRequest) -> None:
        """Whoever came first goes first; a permit comes out of here, or is given back.

        The source may ask for a pause while we stand here; then nobody waits on.
        """
        async with self._line:
            await self._permits.acquire()
            with ExitStack() as undo:
                undo.callback(self._permits.release)
                self._require_welcome(request)
                while (seconds := self._bucket.wait_seconds(self._clock.monotonic())) > 0:
                    await self._clock.sleep(seconds)
                    self._require_welcome(request)
                undo.pop_all()
            self._bucket.take(self._clock.monotonic())


class _Turn(AbstractAsyncContextManager[None]):
    """One call. A class, since each poll makes one: a generator costs several times as much."""

    def __init__(self, polite: PoliteFetcher, request: FetchRequest) -> None:
        self._polite = polite
        self._request = request

    async def __aenter__(self) -> None:
        await self._polite.begin(self._request)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if isinstance(error, SourceThrottledError):
                raise self._polite.heed(self._request, error) from error.__cause__
        finally:
            self._polite.end()
