"""Retries of calls that are not polls: 1, 2, 4, 8, 16 s with jitter, `Retry-After` honoured, never for what waiting
cannot mend.

`delays` is for loops that wait by themselves; `retried` carries one call through, on tenacity.
"""

import random
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

import msgspec
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from longstop.clock import Clock
from longstop.domain.errors import LongstopError, SourceThrottledError

ResultT = TypeVar("ResultT")


class BackoffPolicy(msgspec.Struct, frozen=True):
    """`retries` come after the first attempt; `jitter` is the share of a delay that chance may add."""

    retries: int = 5
    base_seconds: float = 1.0
    max_seconds: float = 16.0
    jitter: float = 0.25

    def delay_seconds(self, retry: int, chance: random.Random) -> float:
        """Before this retry, the first being 1."""
        # Bounded before the power, which would be beyond any number for a count of thousands.
        plain = min(self.max_seconds, self.base_seconds * 2.0 ** min(retry - 1, 30))
        return plain * (1.0 + chance.uniform(0.0, self.jitter))


def delays(policy: BackoffPolicy, chance: random.Random) -> Iterator[float]:
    """Without end: after the last step the longest delay stays."""
    retry = 0
    while True:
        retry += 1
        yield policy.delay_seconds(retry, chance)


async def retried(
    call: Callable[[], Awaitable[ResultT]],
    policy: BackoffPolicy,
    clock: Clock,
    chance: random.Random,
    is_transient: Callable[[BaseException], bool] | None = None,
) -> ResultT:
    """The result of the first attempt that succeeds; the last failure when none does."""

    def wait(state: RetryCallState) -> float:
        failure = state.outcome.exception() if state.outcome is not None else None
        asked = failure.retry_after_seconds if isinstance(failure, SourceThrottledError) else 0.0
        return max(asked, policy.delay_seconds(state.attempt_number, chance))

    retrying = AsyncRetrying(
        sleep=clock.sleep,
        wait=wait,
        stop=stop_after_attempt(policy.retries + 1),
        retry=retry_if_exception(is_transient or heals),
        reraise=True,
    )
    return await retrying(call)


def heals(error: BaseException) -> bool:
    """Whether waiting alone may mend it; the errors of the house say so themselves."""
    return isinstance(error, LongstopError) and error.heals
