"""What one page brings of a match: the answers to its own calls that are on the list, each read at once.

A family is told once, as a payload or as a refusal; a payload that comes after a refusal counts, since pages try again.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final

from longstop.clock import Clock
from longstop.domain.errors import (
    BrowserError,
    ChallengeError,
    EmptyPayloadError,
    LongstopError,
    OversizedBodyError,
    SourceThrottledError,
    UnexpectedStatusError,
)
from longstop.fetch.answers import error_for
from longstop.fetch.browser.lease import Lease
from longstop.fetch.recipe import CapturedCall
from longstop.fetch.snapshot import Snapshot
from longstop.fetch.tabs import TabAnswer
from longstop.fetch.visits.allow_list import CALLED_KINDS, AllowList
from longstop.fetch.visits.visit import VisitOrder

if TYPE_CHECKING:
    from playwright.async_api import Response

BODY_SECONDS: Final = 4.0
BODIES_AT_ONCE: Final = 16
INTERCEPTED: Final = "intercept"
IN_PAGE: Final = "in_page"

# Is this answer a challenge? Status, headers, the body; the error to raise when it is.
Recognise = Callable[[int, Mapping[str, str], bytes], ChallengeError | None]


class Gathering:
    def __init__(
        self,
        lease: Lease,
        order: VisitOrder,
        allow: AllowList,
        recognise: Recognise,
        clock: Clock,
        body_bytes_max: int,
    ) -> None:
        self._lease = lease
        self.order = order
        self._allow = allow
        self._recognise = recognise
        self._clock = clock
        self._body_bytes_max = body_bytes_max
        self._reading: set[asyncio.Task[None]] = set()
        self.snapshots: dict[str, Snapshot] = {}
        self.calls: dict[str, CapturedCall] = {}
        self.refusals: dict[str, LongstopError] = {}
        self.challenge: ChallengeError | None = None
        # What we have asked for inside the page ourselves, which is no call of its own.
        self.asked: set[str] = set()
        self.changed = asyncio.Event()

    @property
    def is_complete(self) -> bool:
        """Nothing more will be waited for: all that is wanted was told, or the site said what ends the visit."""
        is_over = self.challenge is not None or any(map(_ends_all, self.refusals.values()))
        return is_over or self.order.calls.keys() <= self.snapshots.keys() | self.refusals.keys()

    @property
    def is_reading(self) -> bool:
        return bool(self._reading)

    def missing(self) -> list[str]:
        """Wanted, and neither brought nor refused; what is required comes first."""
        found = self.order.calls.keys() - self.snapshots.keys() - self.refusals.keys()
        return sorted(found, key=lambda each: (each not in self.order.required, each))

    def on_response(self, response: "Response") -> None:
        """A redirect is followed by the page and believed by nobody: what it leads to was not asked for."""
        if len(self._reading) >= BODIES_AT_ONCE or response.request.redirected_from is not None:
            return
        kind = response.request.resource_type
        if kind == "document":
            self._spawn(self._read_document(response))
        elif kind in CALLED_KINDS:
            purpose = self._allow.family(response.request.method, response.url)
            if purpose is not None and purpose not in self.asked and not 300 <= response.status < 400:
                self._spawn(self._read(purpose, response, self._clock.now()))

    def take(self, purpose: str, answer: TabAnswer, asked_at: datetime) -> None:
        """The answer to a call that we made inside the page. Where a redirect led is somewhere else."""
        if answer.is_redirected:
            self.refusals[purpose] = UnexpectedStatusError(f"The {purpose} call was redirected.")
        elif purpose not in self.snapshots:
            self._judge(purpose, answer.status, answer.headers, answer.body, asked_at, IN_PAGE)

    async def settle(self) -> None:
        """What is being read is read to its end; each reading has its own deadline."""
        while self._reading:
            await asyncio.wait(set(self._reading))

    async def close(self) -> None:
        reading = tuple(self._reading)
        for task in reading:
            task.cancel()
        await asyncio.gather(*reading, return_exceptions=True)

    def _spawn(self, reading: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(reading)
        self._reading.add(task)
        task.add_done_callback(self._read_to_its_end)

    def _read_to_its_end(self, task: "asyncio.Task[None]") -> None:
        self._reading.discard(task)
        self.changed.set()

    async def _read_document(self, response: "Response") -> None:
        body = await self._body(response)
        if body is not None and self.challenge is None:
            self.challenge = self._recognise(response.status, response.headers, body)

    async def _read(self, purpose: str, response: "Response", asked_at: datetime) -> None:
        body = await self._body(response)
        if body is None:
            return
        self._judge(purpose, response.status, response.headers, body, asked_at, INTERCEPTED)
        if purpose in self.snapshots and purpose not in self.calls:
            await self._note_call(purpose, response, body)

    async def _body(self, response: "Response") -> bytes | None:
        """None when it is gone already: the page went on, or died, which is noticed elsewhere. Of one that is empty
        the browser says the same."""
        if response.headers.get("content-length") == "0":
            return b""
        try:
            return await self._lease.call(response.body, BODY_SECONDS)
        except BrowserError:
            return None

    async def _note_call(self, purpose: str, response: "Response", body: bytes) -> None:
        request = response.request
        try:
            headers = await self._lease.call(request.all_headers, BODY_SECONDS)
        except BrowserError:
            return
        self.calls[purpose] = CapturedCall(
            url=response.url,
            method=request.method,
            headers=headers,
            request_body=request.post_data_buffer,
            status=response.status,
            content_type=response.headers.get("content-type", ""),
            body=body,
            captured_at=self._clock.now(),
        )

    def _judge(
        self, purpose: str, status: int, headers: Mapping[str, str], body: bytes, asked_at: datetime, rung: str
    ) -> None:
        error = self._error_of(purpose, status, headers, body)
        if error is None:
            self.refusals.pop(purpose, None)
            self.snapshots[purpose] = Snapshot(
                request=self.order.calls[purpose],
                status=status,
                body=body,
                requested_at=asked_at,
                fetched_at=self._clock.now(),
                rung=rung,
                headers=dict(headers),
            )
        elif purpose not in self.snapshots:
            self.refusals[purpose] = error
        self.changed.set()

    def _error_of(self, purpose: str, status: int, headers: Mapping[str, str], body: bytes) -> LongstopError | None:
        challenge = self._recognise(status, headers, body)
        if challenge is not None:
            self.challenge = self.challenge or challenge
            return challenge
        if status != 200:
            return error_for(status, headers, purpose, self._clock.now())
        return content_error(purpose, headers.get("content-type", ""), body, self._allow, self._body_bytes_max)


def content_error(
    purpose: str, content_type: str, body: bytes, allow: AllowList, body_bytes_max: int
) -> LongstopError | None:
    """What is wrong with a good answer before anybody reads it."""
    if not body.strip():
        return EmptyPayloadError(f"The {purpose} call was answered with nothing.")
    if not allow.is_content(content_type):
        return UnexpectedStatusError(f"The {purpose} call was answered with another kind of content.")
    if len(body) > body_bytes_max:
        return OversizedBodyError(f"The {purpose} answer is larger than {body_bytes_max} bytes.")
    return None


def _ends_all(error: LongstopError) -> bool:
    """A wish for a pause is meant for all families."""
    return isinstance(error, SourceThrottledError)
