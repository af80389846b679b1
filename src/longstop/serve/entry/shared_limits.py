"""The same window for every process, counted in Redis; and what happens when Redis is away.

Never is anybody let in without being counted. Each process also counts for itself what it let in. Without Redis:

- each process keeps to its share: the limit divided by the number of processes;
- and for the first minute to what it let in during the minute before, since all of that together was within the limit,
  and nobody knows what the others let in.

When Redis is back it may have forgotten everything, so for a minute both it and the share must agree.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
from limits import RateLimitItemPerMinute
from limits.aio.storage import RedisStorage
from limits.aio.strategies import MovingWindowRateLimiter
from limits.errors import StorageError

from longstop.clock import Clock
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.serve.entry.limits import WINDOW_SECONDS, LocalLimiter, Policy, Verdict

ANSWER_SECONDS: Final = 0.25
RETRY_SECONDS: Final = 1.0
_PREFIX: Final = "longstop_api"


@dataclass(slots=True)
class _Outage:
    """`before` is what each consumer used here in the minute before it; `back_at` when the last one ended."""

    is_on: bool = False
    began_at: float = 0.0
    ask_again_at: float = 0.0
    back_at: float | None = None
    before: dict[str, int] = field(default_factory=dict)


class SharedLimiter:
    def __init__(self, url: str, clock: Clock, bus: Signals, workers: Callable[[], int]) -> None:
        self._clock = clock
        self._bus = bus
        self._workers = workers
        self._local = LocalLimiter(clock)
        self._outage = _Outage()
        self._storage = RedisStorage(
            f"async+{url}",
            implementation="redispy",
            key_prefix=_PREFIX,
            wrap_exceptions=True,
            socket_timeout=ANSWER_SECONDS,
            socket_connect_timeout=ANSWER_SECONDS,
        )
        self._limiter = MovingWindowRateLimiter(self._storage)

    async def take(self, who: str, policy: Policy) -> Verdict:
        now = self._clock.monotonic()
        if self._outage.is_on and now < self._outage.ask_again_at:
            return self._alone(who, policy)
        try:
            return await self._asked(who, policy)
        except (StorageError, TimeoutError, OSError) as error:
            self._lose(type(error.__cause__ or error).__name__, self._clock.monotonic())
            return self._alone(who, policy)

    async def look(self, who: str, policy: Policy) -> Verdict:
        """While Redis is away by what came to this process."""
        mine = self._local.look_now(who, policy)
        if self._outage.is_on or not mine.is_allowed:
            return mine
        item = RateLimitItemPerMinute(policy.per_minute)
        try:
            async with self._clock.timeout(ANSWER_SECONDS):
                stats = await self._limiter.get_window_stats(item, who)
        except (StorageError, TimeoutError, OSError):
            return mine
        reset = max(1, round(stats.reset_time - self._clock.now().timestamp() + 0.5))
        return Verdict(stats.remaining > 0, policy, stats.remaining, reset)

    async def _asked(self, who: str, policy: Policy) -> Verdict:
        """What this process let in is noted first, and taken back when Redis says no."""
        cap = None if self._is_settled() else self._share(policy)
        mine = self._local.take_now(who, policy, cap)
        if not mine.is_allowed:
            return mine
        item = RateLimitItemPerMinute(policy.per_minute)
        is_allowed = False
        try:
            async with self._clock.timeout(ANSWER_SECONDS):
                is_allowed = await self._limiter.hit(item, who)
                stats = await self._limiter.get_window_stats(item, who)
        finally:
            if not is_allowed:
                self._local.put_back(who)
        if self._outage.is_on:
            self._recover(self._clock.monotonic())
        reset = max(1, round(stats.reset_time - self._clock.now().timestamp() + 0.5))
        return Verdict(is_allowed, policy, stats.remaining, reset)

    def _is_settled(self) -> bool:
        back_at = self._outage.back_at
        return back_at is None or self._clock.monotonic() - back_at > WINDOW_SECONDS

    def _share(self, policy: Policy) -> int:
        return max(1, policy.per_minute // max(1, self._workers()))

    def _alone(self, who: str, policy: Policy) -> Verdict:
        share = self._share(policy)
        left = self._outage.began_at + WINDOW_SECONDS - self._clock.monotonic()
        if left <= 0:
            return self._local.take_now(who, policy, share)
        verdict = self._local.take_now(who, policy, min(share, self._outage.before.get(who, 0)))
        if verdict.is_allowed or verdict.reset_seconds <= left:
            return verdict
        return msgspec.structs.replace(verdict, reset_seconds=math.ceil(left))

    def _lose(self, reason: str, now: float) -> None:
        if not self._outage.is_on:
            self._outage = _Outage(is_on=True, began_at=now, before=self._local.used())
            self._bus.emit(signals.LimitsLost(at=self._clock.now(), reason=reason, workers=self._workers()))
        self._outage.ask_again_at = now + RETRY_SECONDS

    def _recover(self, now: float) -> None:
        lasted = now - self._outage.began_at
        self._outage = _Outage(back_at=now)
        self._bus.emit(signals.LimitsRecovered(at=self._clock.now(), duration_seconds=lasted))

    async def close(self) -> None:
        bridge: Any = self._storage.bridge
        await bridge.storage.aclose()
