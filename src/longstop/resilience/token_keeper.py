"""The client side of tokens: one is got when it is first needed, kept as long as its own `exp` allows, and renewed once
when it is refused.

While none can be had the waits grow to 32 s and whoever calls is told how long; a token that is still good goes on
being used. After five minutes without success that is told as degraded.
"""

import asyncio
import base64
import binascii
import json
import random
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import FetchError, SourceRefusedError, TokenUnavailableError
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.resilience.backoff import BackoffPolicy

T = TypeVar("T")

POLICY: Final = BackoffPolicy(max_seconds=32.0)
DEGRADED_SECONDS: Final = 300.0
# Renewed so long before its end, so that none runs out on its way.
MARGIN_SECONDS: Final = 30.0
_LIFE_SECONDS_UNTOLD: Final = 300.0


class Grant(msgspec.Struct, frozen=True):
    """A token as it was given. Without `expires_in_seconds` its own `exp` tells, else five minutes are assumed."""

    token: str
    expires_in_seconds: float | None = None


class TokenKeeper:
    """`obtain` asks for a new one and raises a FetchError. Many may call at once; one of them asks."""

    def __init__(
        self,
        whose: str,
        obtain: Callable[[], Awaitable[Grant]],
        clock: Clock,
        bus: Signals,
        chance: random.Random,
        protect: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._whose = whose
        self._obtain = obtain
        self._clock = clock
        self._bus = bus
        self._chance = chance
        self._protect = protect
        self._asking = asyncio.Lock()
        self._token = ""
        self._good_until = 0.0
        self._failures = 0
        self._failing_since: float | None = None
        self._ask_again_at = 0.0
        self._is_degraded = False

    @property
    def is_degraded(self) -> bool:
        return self._is_degraded

    async def carry(self, call: Callable[[str], Awaitable[T]]) -> T:
        """The call with a token; once more with a new one when it is refused. A second refusal is the caller's."""
        token = await self.token()
        try:
            return await call(token)
        except SourceRefusedError:
            renewed = await self._renewed(token)
        try:
            result = await call(renewed)
        except SourceRefusedError:
            self._fail("a new token was refused as well")
            raise
        self._succeed()
        return result

    async def token(self) -> str:
        """The one that is there while it is good. Raises TokenUnavailableError."""
        if self._token and self._clock.monotonic() < self._good_until - MARGIN_SECONDS:
            return self._token
        async with self._asking:
            if self._token and self._clock.monotonic() < self._good_until - MARGIN_SECONDS:
                return self._token
            try:
                return await self._ask()
            except TokenUnavailableError:
                # Near its end, but not beyond it.
                if self._token and self._clock.monotonic() < self._good_until:
                    return self._token
                raise

    async def _renewed(self, refused: str) -> str:
        """Somebody else may have renewed it while we waited."""
        async with self._asking:
            if self._token != refused and self._token:
                return self._token
            self._token = ""
            return await self._ask()

    async def _ask(self) -> str:
        wait = self._ask_again_at - self._clock.monotonic()
        if wait > 0:
            raise TokenUnavailableError(f"No token of {self._whose} could be had.", retry_after_seconds=wait)
        try:
            grant = await self._obtain()
        except FetchError as error:
            self._fail(error.message)
            left = max(0.0, self._ask_again_at - self._clock.monotonic())
            raise TokenUnavailableError(
                f"No token of {self._whose} can be had: {error.message}", retry_after_seconds=left
            ) from error
        self._protect(grant.token)
        self._token, self._good_until = grant.token, self._clock.monotonic() + self._life_of(grant)
        self._succeed()
        return self._token

    def _life_of(self, grant: Grant) -> float:
        told = exp_of(grant.token)
        lives = [grant.expires_in_seconds, None if told is None else told - self._clock.now().timestamp()]
        return min((life for life in lives if life is not None), default=_LIFE_SECONDS_UNTOLD)

    def _fail(self, reason: str) -> None:
        now = self._clock.monotonic()
        self._failures += 1
        self._ask_again_at = now + POLICY.delay_seconds(self._failures, self._chance)
        if self._failing_since is None:
            self._failing_since = now
        self._bus.emit(
            signals.TokenFailed(at=self._clock.now(), whose=self._whose, reason=reason, failures=self._failures)
        )
        if now - self._failing_since >= DEGRADED_SECONDS and not self._is_degraded:
            self._is_degraded = True
            self._bus.emit(
                signals.AccessDegraded(
                    at=self._clock.now(), whose=self._whose, reason=reason, seconds=now - self._failing_since
                )
            )

    def _succeed(self) -> None:
        since, self._failing_since = self._failing_since, None
        self._failures, self._ask_again_at = 0, 0.0
        if since is not None:
            lasted = self._clock.monotonic() - since
            self._is_degraded = False
            self._bus.emit(signals.AccessRegained(at=self._clock.now(), whose=self._whose, duration_seconds=lasted))


def exp_of(token: str) -> float | None:
    """What a JWT says about its own end. It is not ours to check, only to read."""
    parts = token.split(".")
    if len(parts) != 3 or len(token) > 16_384:
        return None
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        return None
    exp = claims.get("exp") if isinstance(claims, dict) else None
    return float(exp) if isinstance(exp, int | float) and not isinstance(exp, bool) and 0 < exp < 2**40 else None
