"""How often somebody may ask: a window of a minute that moves with time, exact to the single request.

Fixed windows would let twice as many through around their edge. What is refused does not count, so whoever waits as
long as he is told gets in.
"""

import math
from collections import OrderedDict, deque
from typing import Final, Protocol

import msgspec

from longstop.clock import Clock

WINDOW_SECONDS: Final = 60.0
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
        name, quota = self.policy.name, self.policy.per_minute
        left, reset = self.remaining, self.reset_seconds
        return [
            (b"ratelimit-policy", f'"{name}";q={quota};w={WINDOW_SECONDS:.0f}'.encode()),
            (b"ratelimit", f'"{name}";r={left};t={reset}'.encode()),
            (b"x-ratelimit-limit", str(quota).encode()),
            (b"x-ratelimit-remaining", str(left).encode()),
            (b"x-ratelimit-reset", str(reset).encode()),
        ]


class Limiter(Protocol):
    async def take(self, who: str, policy: Policy) -> Verdict:
        """One request of theirs; counted when it is allowed."""
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

    async def close(self) -> None:
        """There is nothing to close."""

    def take_now(self, who: str, policy: Policy, cap: int | None = None) -> Verdict:
        """`cap`: let no more than so many through, though the policy would."""
        now = self._clock.monotonic()
        window = self._window(who, now)
        most = policy.per_minute if cap is None else min(cap, policy.per_minute)
        is_allowed = len(window) < most
        if is_allowed:
            window.append(now)
        return Verdict(is_allowed, policy, max(0, most - len(window)), self._reset(window, most, now))

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
        horizon = now - WINDOW_SECONDS
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

    @staticmethod
    def _reset(window: deque[float], most: int, now: float) -> int:
        """With a cap below what is used already, more than one has to leave before somebody gets in."""
        if not window:
            return math.ceil(WINDOW_SECONDS) if most == 0 else 0
        index = max(0, min(len(window) - 1, len(window) - most))
        return max(1, math.ceil(window[index] + WINDOW_SECONDS - now))
