"""What a page fetches for itself: answers of the wanted kind are read at once, before it moves on and they are gone."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Final

from longstop.clock import Clock
from longstop.domain.errors import BrowserError, FetchError, SourceThrottledError
from longstop.fetch.answers import error_for
from longstop.fetch.browser.lease import Lease
from longstop.fetch.recipe import CapturedCall, names_key

if TYPE_CHECKING:
    from playwright.async_api import Response

BODY_SECONDS: Final = 4.0
BODIES_AT_ONCE: Final = 4
CALLED_KINDS: Final = frozenset({"xhr", "fetch"})

# Address and content type of an answer: is it one that brings the state of a match? Without a type, is it asked for
# where the state lies? A refusal comes as any type.
IsWanted = Callable[[str, str | None], bool]


class Listener:
    """`newest` is the last good answer to a call of the page about its match; `changed` tells that something came."""

    def __init__(self, lease: Lease, key: str, is_wanted: IsWanted, clock: Clock, body_bytes_max: int) -> None:
        self._lease = lease
        self._key = key
        self._is_wanted = is_wanted
        self._clock = clock
        self._body_bytes_max = body_bytes_max
        self._reading: set[asyncio.Task[None]] = set()
        self._refused: tuple[float, FetchError] | None = None
        self.newest: CapturedCall | None = None
        self.changed = asyncio.Event()

    def on_response(self, response: "Response") -> None:
        if response.request.resource_type not in CALLED_KINDS:
            return
        if response.status >= 400 and self._is_ours(response, None):
            self._refuse(response)
        elif response.status == 200 and self._is_ours(response, response.headers.get("content-type", "")):
            self._begin_reading(response)

    def refusal(self) -> FetchError | None:
        """What the page was told instead of its last answer; a wish for a pause counts from when it was told."""
        if self._refused is None:
            return None
        told_at, error = self._refused
        if not isinstance(error, SourceThrottledError):
            return error
        left = max(0.0, error.retry_after_seconds - (self._clock.monotonic() - told_at))
        return SourceThrottledError(error.message, retry_after_seconds=left)

    def is_throttled(self) -> bool:
        return self._refused is not None and isinstance(self._refused[1], SourceThrottledError)

    def close(self) -> None:
        for task in tuple(self._reading):
            task.cancel()

    def _is_ours(self, response: "Response", content_type: str | None) -> bool:
        is_wanted = self._is_wanted(response.url, content_type)
        return is_wanted and names_key(self._key, response.url, response.request.post_data_buffer)

    def _refuse(self, response: "Response") -> None:
        error = error_for(response.status, response.headers, "page's own", self._clock.now())
        self._refused = (self._clock.monotonic(), error)
        self.changed.set()

    def _begin_reading(self, response: "Response") -> None:
        if len(self._reading) >= BODIES_AT_ONCE:
            return
        task = asyncio.create_task(self._read(response, self._clock.now()))
        self._reading.add(task)
        task.add_done_callback(self._reading.discard)

    async def _read(self, response: "Response", now: datetime) -> None:
        try:
            body = await self._lease.call(response.body, BODY_SECONDS)
            headers = await self._lease.call(response.request.all_headers, BODY_SECONDS)
        except BrowserError:
            # The page has gone elsewhere or died; its next call is read again.
            return
        if len(body) > self._body_bytes_max or self._is_overtaken(now):
            return
        self._refused = None
        self.newest = CapturedCall(
            url=response.url,
            method=response.request.method,
            headers=headers,
            request_body=response.request.post_data_buffer,
            status=response.status,
            content_type=response.headers.get("content-type", ""),
            body=body,
            captured_at=now,
        )
        self.changed.set()

    def _is_overtaken(self, now: datetime) -> bool:
        """Bodies end in another order than they began."""
        return self.newest is not None and self.newest.captured_at > now
