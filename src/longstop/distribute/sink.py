"""Pushes every payload that is kept to another Longstop (`POST /cricket-data`), in order, as often as it takes.

The buffer is the record itself: payloads are durable before they are read, so nothing waits in memory, and what could
not be pushed for hours is pushed when the other side is back. Each has a key, so pushing it twice does no harm.
"""

import hashlib
import random
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

import aiohttp
import msgspec

from longstop.clock import Clock
from longstop.distribute.cursors import Cursors
from longstop.domain.errors import FetchError, SourceTimeoutError, SourceUnreachableError, StoreError
from longstop.domain.match import MatchStatus
from longstop.domain.push import PushedBatch, PushedPayload
from longstop.fetch.answers import error_for
from longstop.fetch.http import HttpFetcher
from longstop.fetch.token_desk import TokenDeskCall
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.resilience.token_keeper import POLICY, TokenKeeper
from longstop.settings.serving import SinkSettings
from longstop.store.contract import Capture, MatchRow

NAME: Final = "sink"
CALL_SECONDS: Final = 15.0
LOOK_SECONDS: Final = 1.0
BATCH_MAX: Final = 20
BATCH_BYTES_MAX: Final = 2 * 1024 * 1024
_ACCEPTED: Final = frozenset({200, 201, 202})
# It has read them and does not want them: damaged, too large, of a source that it does not know.
_NEVER: Final = frozenset({400, 409, 413, 415, 422})
_MATCHES_MAX: Final = 1_000


class Stop(Protocol):
    """The wish to stop, as supervision has it."""

    async def pause(self, seconds: float) -> bool: ...


class Record(Protocol):
    """The reading half of the store that pushing needs."""

    async def matches(
        self, *, status: MatchStatus | None = None, source: str | None = None, limit: int = 1000
    ) -> Sequence[MatchRow]: ...

    async def captures(
        self, match_id: str, *, after: datetime | None = None, limit: int = 100
    ) -> Sequence[Capture]: ...


class Sink:
    """A service of the tree. What a match has new is known from the bus; at the start every match is looked at."""

    name = NAME

    def __init__(
        self,
        wanted: SinkSettings,
        record: Record,
        folder: Path,
        clock: Clock,
        bus: Signals,
        chance: random.Random,
        protect: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._url = f"{wanted.url.rstrip('/')}/cricket-data"
        self._record = record
        self._clock = clock
        self._bus = bus
        self._chance = chance
        self._cursors = Cursors(folder / "sink.json", wanted.url)
        self._http = HttpFetcher(clock)
        desk = f"{wanted.url.rstrip('/')}/token/generate-token"
        call = TokenDeskCall(NAME, desk, wanted.api_key.get_secret_value(), self._http)
        self.keeper = TokenKeeper(NAME, call, clock, bus, chance, protect)
        self._news: dict[str, None] = {}
        self._failures = 0
        for kind in (signals.PollFinished, signals.MatchConcluded):
            bus.subscribe(kind, self._on_news)

    def _on_news(self, signal: Any) -> None:
        """A payload is kept before it is read, so whatever came of the poll there may be one more."""
        if getattr(signal, "outcome", "") != "unchanged":
            self._news[signal.match_id] = None

    async def run(self, stop: Stop) -> None:
        self._cursors.load()
        wait = 0.0
        is_known = False
        async with aiohttp.ClientSession(trust_env=False, cookie_jar=aiohttp.DummyCookieJar()) as session:
            try:
                while not await stop.pause(wait):
                    is_known = is_known or await self._look_at_all()
                    wait = await self._push_news(session)
            finally:
                await self._http.close()

    async def _look_at_all(self) -> bool:
        try:
            rows = await self._record.matches(limit=_MATCHES_MAX)
        except StoreError as error:
            self._tell(error.message, error.hint)
            return False
        self._news |= {row.ref.match_id: None for row in rows}
        return True

    async def _push_news(self, session: aiohttp.ClientSession) -> float:
        """How long to wait before the next look."""
        while self._news:
            match_id = next(iter(self._news))
            del self._news[match_id]
            try:
                await self._push_match(match_id, session)
            except (FetchError, StoreError, OSError) as error:
                self._news[match_id] = None
                return self._failed(error)
        return LOOK_SECONDS

    async def _push_match(self, match_id: str, session: aiohttp.ClientSession) -> None:
        """All that is new of one match, a batch at a time."""
        while True:
            found = await self._record.captures(match_id, after=self._cursors.of(match_id), limit=BATCH_MAX)
            if not found:
                return
            whole = [capture for capture in found if not capture.damage]
            for batch in _batches(whole):
                is_taken = await self.keeper.carry(partial(self._post, batch, session))
                self._pushed(batch, is_taken=is_taken)
            # Those of one moment are never parted, so what comes next is later than the last.
            self._cursors.advance(match_id, found[-1].captured_at)

    async def _post(self, batch: Sequence[Capture], session: aiohttp.ClientSession, token: str) -> bool:
        """False when the other side will never take it: what comes after must not wait for that."""
        body = msgspec.json.encode(PushedBatch(tuple(map(pushed, batch))))
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        try:
            async with (
                self._clock.timeout(CALL_SECONDS),
                session.post(self._url, data=body, headers=headers, allow_redirects=False) as answer,
            ):
                await answer.content.read(64 * 1024)
                if answer.status in _ACCEPTED or answer.status in _NEVER:
                    return answer.status in _ACCEPTED
                raise error_for(answer.status, answer.headers, "push", self._clock.now())
        except TimeoutError as error:
            raise SourceTimeoutError(f"The push took longer than {CALL_SECONDS:g} s.") from error
        except (aiohttp.ClientError, OSError) as error:
            raise SourceUnreachableError(f"The push failed: {type(error).__name__}.") from error

    def _pushed(self, batch: Sequence[Capture], *, is_taken: bool) -> None:
        self._failures = 0
        if not is_taken:
            self._tell(f"{len(batch)} payloads were refused for good.", "See the log of the other side.")
            return
        now = self._clock.now()
        self._bus.emit(
            signals.SinkPushed(
                at=now,
                payloads=len(batch),
                bytes=sum(len(capture.body) for capture in batch),
                behind_seconds=max(0.0, (now - batch[-1].captured_at).total_seconds()),
            )
        )

    def _failed(self, error: Exception) -> float:
        self._failures += 1
        self._tell(getattr(error, "message", str(error)), getattr(error, "hint", ""))
        asked = getattr(error, "retry_after_seconds", 0.0)
        return max(POLICY.delay_seconds(self._failures, self._chance), min(asked, 3_600.0))

    def _tell(self, reason: str, hint: str) -> None:
        self._bus.emit(
            signals.SinkFailed(at=self._clock.now(), reason=reason, failures=max(1, self._failures), hint=hint)
        )


def pushed(capture: Capture) -> PushedPayload:
    """Its natural key, shortened, is the key under which it is pushed."""
    natural = f"{capture.match_id}\n{capture.purpose}\n{capture.captured_at.isoformat()}\n{capture.sha256}"
    return PushedPayload(
        key=hashlib.sha256(natural.encode()).hexdigest(),
        source=capture.source,
        match_key=capture.match_id.removeprefix(f"{capture.source}_"),
        purpose=capture.purpose,
        url=capture.url,
        requested_at=capture.requested_at,
        captured_at=capture.captured_at,
        body=capture.body,
        rung=capture.rung,
        status=capture.status,
        asked=capture.asked,
    )


def _batches(captures: Sequence[Capture]) -> list[list[Capture]]:
    """As large as one push may be; a payload that is larger goes alone."""
    batches: list[list[Capture]] = []
    size = 0
    for capture in captures:
        if not batches or size + len(capture.body) > BATCH_BYTES_MAX:
            batches.append([])
            size = 0
        batches[-1].append(capture)
        size += len(capture.body)
    return batches
