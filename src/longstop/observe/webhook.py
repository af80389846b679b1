"""Alerts to the outside: each is posted as JSON to one address, in the background, for as long as that makes sense.

    AlertRaised ─► queue (bounded, the oldest goes) ─► one sender: a deadline each call, retries, then given up

The address is a secret and appears nowhere. Nothing is sent to any other: redirects are not followed, and neither a
proxy nor a cookie is taken from anywhere. Whatever is sent passes the redactor, like a line of the log.
"""

import asyncio
import random
from collections import deque
from collections.abc import Coroutine
from typing import Any, Final, Protocol

import aiohttp
import msgspec
import orjson

from longstop.clock import Clock
from longstop.domain.errors import (
    FetchError,
    SourceFailingError,
    SourceThrottledError,
    SourceTimeoutError,
    SourceUnreachableError,
    UnexpectedStatusError,
)
from longstop.observe import signals as facts
from longstop.observe.redact import REDACTOR
from longstop.observe.signals import AlertRaised, Signals
from longstop.resilience.backoff import BackoffPolicy, retried

RETRY_AFTER_SECONDS_MAX: Final = 60.0
BODY_BYTES_MAX: Final = 64 * 1024
ONCE: Final = BackoffPolicy(retries=0)


class Stop(Protocol):
    """The wish to stop, as supervision has it."""

    @property
    def is_wanted(self) -> bool: ...

    async def wait(self) -> None: ...


class WebhookOptions(msgspec.Struct, frozen=True):
    """`flush_seconds`: what waits at the end is tried once more, and not for longer than this."""

    queue_max: int = 100
    call_seconds: float = 5.0
    flush_seconds: float = 3.0
    backoff: BackoffPolicy = BackoffPolicy()


class _CrowdedOut(msgspec.Struct):
    """Alerts that found no room: how many the log, and how many the other side has not been told of."""

    last: AlertRaised | None = None
    untold: int = 0
    unsaid: int = 0

    def add(self, alert: AlertRaised) -> None:
        self.last = alert
        self.untold += 1
        self.unsaid += 1


class Webhook:
    """A service of the tree. Putting something in never waits and never fails."""

    name = "webhook"

    def __init__(
        self, url: str, clock: Clock, bus: Signals, chance: random.Random, options: WebhookOptions = WebhookOptions()
    ) -> None:
        self._url = url
        self._clock = clock
        self._bus = bus
        self._chance = chance
        self._options = options
        self._queue: deque[AlertRaised] = deque()
        self._under_way: AlertRaised | None = None
        self._arrived = asyncio.Event()
        self._crowded_out = _CrowdedOut()

    def subscribe(self) -> None:
        self._bus.subscribe(AlertRaised, self.put)

    def readdress(self, url: str) -> None:
        """From the next call on; an empty address sends nothing."""
        self._url = url

    def put(self, alert: AlertRaised) -> None:
        if not self._url:
            return
        if len(self._queue) >= self._options.queue_max:
            self._crowded_out.add(self._queue.popleft())
        self._queue.append(alert)
        self._arrived.set()

    async def run(self, stop: Stop) -> None:
        async with self._session() as session:
            while not stop.is_wanted:
                if not self._queue and self._under_way is None:
                    self._arrived.clear()
                    await _unless(stop, self._wait())
                else:
                    await _unless(stop, self._send_first(session))
            await self._flush(session)

    async def _wait(self) -> None:
        await self._arrived.wait()

    async def _send_first(self, session: aiohttp.ClientSession) -> None:
        """Whoever interrupts this finds the alert still under way."""
        self._tell_crowded_out()
        alert = self._under_way = self._under_way or self._queue.popleft()
        await self._carry(alert, session, self._options.backoff)
        self._under_way = None

    async def _flush(self, session: aiohttp.ClientSession) -> None:
        try:
            async with self._clock.timeout(self._options.flush_seconds):
                while self._queue or self._under_way is not None:
                    alert = self._under_way = self._under_way or self._queue.popleft()
                    await self._carry(alert, session, ONCE)
                    self._under_way = None
        except TimeoutError:
            left = [*([self._under_way] if self._under_way is not None else []), *self._queue]
            self._tell_lost(left[-1], "the end came first", len(left))
            self._under_way = None
            self._queue.clear()

    async def _carry(self, alert: AlertRaised, session: aiohttp.ClientSession, backoff: BackoffPolicy) -> None:
        began, attempts = self._clock.monotonic(), 0
        dropped = self._crowded_out.unsaid
        body = body_of(alert, dropped)

        async def attempt() -> None:
            nonlocal attempts
            attempts += 1
            await self._post(session, body)

        try:
            await retried(attempt, backoff, self._clock, self._chance, _may_heal)
        except FetchError as error:
            self._tell_lost(alert, error.message)
            return
        self._crowded_out.unsaid -= dropped
        self._bus.emit(
            facts.AlertDelivered(
                at=self._clock.now(),
                alert=alert.alert,
                match_id=alert.match_id,
                attempts=attempts,
                duration_seconds=self._clock.monotonic() - began,
            )
        )

    async def _post(self, session: aiohttp.ClientSession, body: bytes) -> None:
        """No words of the client's errors are repeated: they may hold the address."""
        if not self._url:
            raise UnexpectedStatusError("There is no address any more.")
        try:
            async with (
                self._clock.timeout(self._options.call_seconds),
                session.post(self._url, data=body, allow_redirects=False) as answer,
            ):
                _judge(answer.status, answer.headers.get("Retry-After", ""))
        except TimeoutError:
            raise SourceTimeoutError(f"It did not answer within {self._options.call_seconds:g} s.") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise SourceUnreachableError(f"It cannot be reached: {type(error).__name__}.") from None

    def _session(self) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            headers={"Content-Type": "application/json", "User-Agent": "longstop"},
            timeout=aiohttp.ClientTimeout(total=None),
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,
        )

    def _tell_crowded_out(self) -> None:
        count, last = self._crowded_out.untold, self._crowded_out.last
        self._crowded_out.untold = 0
        if count and last is not None:
            self._tell_lost(last, "too many wait", count)

    def _tell_lost(self, alert: AlertRaised, reason: str, count: int = 1) -> None:
        self._bus.emit(
            facts.AlertLost(
                at=self._clock.now(), alert=alert.alert, match_id=alert.match_id, reason=reason, count=count
            )
        )


def body_of(alert: AlertRaised, dropped: int) -> bytes:
    """`text` is what chat rooms show; all else is for programs. `dropped` alerts found no room before this one."""
    about = f" {alert.match_id}:" if alert.match_id else ""
    document: dict[str, Any] = {
        "text": f"[{alert.severity}]{about} {alert.message}",
        "severity": alert.severity,
        "type": alert.alert,
        "match_id": alert.match_id,
        "message": alert.message,
        "hint": alert.hint,
        "time": alert.at,
        "context": alert.context,
        "held_back": alert.held_back,
        "dropped": dropped,
    }
    body = orjson.dumps(REDACTOR.value(document))
    if len(body) <= BODY_BYTES_MAX:
        return body
    return orjson.dumps(REDACTOR.value(document | {"context": {"cut": f"{len(body)} bytes"}}))


def _judge(status: int, retry_after: str) -> None:
    if 200 <= status < 300:
        return
    if status == 429:
        asked = float(retry_after) if retry_after.isascii() and retry_after.isdigit() else 0.0
        raise SourceThrottledError("It answered 429.", retry_after_seconds=min(asked, RETRY_AFTER_SECONDS_MAX))
    if status >= 500:
        raise SourceFailingError(f"It answered {status}.")
    raise UnexpectedStatusError(f"It answered {status}.")


def _may_heal(error: BaseException) -> bool:
    """What the other side does not want, it will not want a second later either."""
    return isinstance(error, FetchError) and not isinstance(error, UnexpectedStatusError)


async def _unless(stop: Stop, work: Coroutine[Any, Any, None]) -> None:
    """Does the work, unless the stop comes first."""
    working, stopping = asyncio.create_task(work), asyncio.create_task(_wait_for(stop))
    try:
        await asyncio.wait((working, stopping), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
    finally:
        working.cancel()
        stopping.cancel()
        await asyncio.gather(working, stopping, return_exceptions=True)


async def _wait_for(stop: Stop) -> None:
    await stop.wait()
