"""How often somebody may ask: a window of a minute that moves with time, exact to the single request.

Fixed windows would let twice as many through around their edge. What is refused does not count, so whoever waits as
long as he is told gets in.
"""

import math
from collections import OrderedDict, deque
from functools import lru_cache
from typing import Final, Protocol

import msgspec

from longstop.clock import Clock

WINDOW_SECONDS: Final = 60.0
# Sums of moments are not exact; whoever comes to the second when he was told to is let in.
_ROUNDING_SECONDS: Final = 1e-6
_NAMES_MAX: Final = 20_000


class Policy(msgspec.Struct, frozen=True):
    """So many requests in a window. The name is shown to the consumer."""

    name: str
    per_minute: int


class Verdict(msgspec.Struct, frozen=True):
    """`reset_seconds`: until the next place becomes free again."""

    is_allowed: bool
    policy: Policy
    remaining: int
    reset_seconds: int

    def headers(self) -> list[tuple[bytes, bytes]]:
        """As the IETF's draft has them, and as everybody had them before."""
        left, reset = self.remaining, self.reset_seconds
        policy, limit, name = _told(self.policy)
        return [
            policy,
            limit,
            (b"ratelimit", b"%b;r=%d;t=%d" % (name, left, reset)),
            (b"x-ratelimit-remaining", b"%d" % left),
            (b"x-ratelimit-reset", b"%d" % reset),
        ]


@lru_cache(maxsize=64)
def _told(policy: Policy) -> tuple[tuple[bytes, bytes], tuple[bytes, bytes], bytes]:
    """What is the same in each answer under this policy."""
    name, quota = f'"{policy.name}"'.encode(), policy.per_minute
    window = b"%b;q=%d;w=%d" % (name, quota, int(WINDOW_SECONDS))
    return (b"ratelimit-policy", window), (b"x-ratelimit-limit", b"%d" % quota), name


class Limiter(Protocol):
    async def take(self, who: str, policy: Policy) -> Verdict:
        """One request of theirs; counted when it is allowed."""
        ...

    async def look(self, who: str, policy: Policy) -> Verdict:
        """Whether one more would be allowed; counted is nothing."""
        ...

    async def close(self) -> None: ...


class LocalLimiter:
    """In the memory of this process. Who was not seen for longest is forgotten first, never somebody whose window is
    full while there are others."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._windows: OrderedDict[str, deque[float]] = OrderedDict()

    async def take(self, who: str, policy: Policy) -> Verdict:
        return self.take_now(who, policy)

    async def look(self, who: str, policy: Policy) -> Verdict:
        return self.look_now(who, policy)

    async def close(self) -> None:
        """There is nothing to close."""

    def look_now(self, who: str, policy: Policy) -> Verdict:
        now = self._clock.monotonic()
        window, most = self._window(who, now), policy.per_minute
        return Verdict(len(window) < most, policy, max(0, most - len(window)), _reset(window, most, now))

    def take_now(self, who: str, policy: Policy, cap: int | None = None) -> Verdict:
        """`cap`: let no more than so many through, though the policy would."""
        now = self._clock.monotonic()
        window = self._window(who, now)
        most = policy.per_minute if cap is None else min(cap, policy.per_minute)
        used = len(window)
        is_allowed = used < most
        if is_allowed:
            window.append(now)
            used += 1
        return Verdict(is_allowed, policy, max(0, most - used), _reset(window, most, now))

    def used(self) -> dict[str, int]:
        """By everybody, in the last minute."""
        horizon = self._clock.monotonic() - WINDOW_SECONDS
        counts = {who: sum(moment > horizon for moment in window) for who, window in self._windows.items()}
        return {who: count for who, count in counts.items() if count}

    def put_back(self, who: str) -> None:
        """The last one did not happen after all."""
        window = self._windows.get(who)
        if window:
            window.pop()

    def _window(self, who: str, now: float) -> deque[float]:
        window = self._windows.get(who)
        if window is None:
            window = self._windows[who] = deque()
            if len(self._windows) > _NAMES_MAX:
                self._forget(now)
        else:
            self._windows.move_to_end(who)
        horizon = now - WINDOW_SECONDS + _ROUNDING_SECONDS
        while window and window[0] <= horizon:
            window.popleft()
        return window

    def _forget(self, now: float) -> None:
        """Those at the front were seen longest ago; one of them is forgotten even if it is too soon for that."""
        self._windows.popitem(last=False)
        while self._windows:
            who, window = next(iter(self._windows.items()))
            if window and window[-1] > now - WINDOW_SECONDS:
                return
            del self._windows[who]


def _reset(window: deque[float], most: int, now: float) -> int:
    """Whole seconds, never too few. Where more are in than may be, several have to leave before somebody gets in."""
    if not window:
        return int(WINDOW_SECONDS)
    first = window[0] if len(window) <= most else window[len(window) - most] if most else window[-1]
    return max(1, math.ceil(first + WINDOW_SECONDS - _ROUNDING_SECONDS - now))
