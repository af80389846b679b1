"""Pages that open as slowly as told and say what they are told, on virtual time."""

import asyncio
from collections.abc import Sequence

import msgspec

from longstop.clock import LoopClock
from longstop.domain.errors import BrowserTimeoutError, FetchError, PoolExhaustedError, SourceTimeoutError
from longstop.fetch.recipe import CapturedCall, Cookie
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.fetch.tabs import TabAnswer
from tests.cricket import NOON

CLOCK = LoopClock(NOON)
SITE = "http://127.0.0.1:8100"


def asked(key: str = "AB1", purpose: str = "state", page: str = f"{SITE}/match") -> FetchRequest:
    return FetchRequest("crex", f"{SITE}/{purpose}?key={key}", purpose, key=key, page=page)


def captured(key: str = "AB1", token: str = "one", body: bytes = b"{}") -> CapturedCall:
    return CapturedCall(
        url=f"{SITE}/shown?key={key}",
        method="GET",
        headers={"authorization": f"Bearer {token}"},
        request_body=None,
        status=200,
        content_type="application/json",
        body=body,
        captured_at=CLOCK.now(),
    )


def not_older(_: FetchRequest, candidate: Snapshot, trusted: Snapshot) -> bool:
    """Bodies are numbers here, and count up."""
    return candidate.body >= trusted.body


class Site(msgspec.Struct):
    """What the pages of these tests do, and what was seen of it."""

    open_seconds: float = 0.1
    answers: list[int] = []
    opened: list["FakeTab"] = []
    asked: list[FetchRequest] = []
    waited: list[tuple[tuple[str, ...], float]] = []
    says: list[CapturedCall] = []
    deadlines: list[float] = []
    is_full: bool = False

    async def new_tab(self, key: str) -> "FakeTab":
        if self.is_full:
            raise PoolExhaustedError("No place in a browser came free.")
        tab = FakeTab(self, key)
        self.opened.append(tab)
        return tab


class FakeTab:
    def __init__(self, site: Site, key: str) -> None:
        self.site = site
        self.key = key
        self.is_lost = False
        self.is_closed = False
        self.retiring = asyncio.Event()
        self.memory_bytes = 0
        self.said: CapturedCall | None = None
        self.says: CapturedCall | None = None
        self.failure: Exception | None = None
        self.refusal: FetchError | None = None

    async def open(self, url: str, seconds: float) -> None:
        self.site.deadlines.append(seconds)
        await CLOCK.sleep(min(seconds, self.site.open_seconds))
        if self.site.open_seconds > seconds:
            raise BrowserTimeoutError("The page did not open.")

    async def call(self, request: FetchRequest, seconds: float) -> TabAnswer:
        self.site.asked.append(request)
        return TabAnswer(self.site.answers.pop(0) if self.site.answers else 200, {}, b"{}")

    async def shows(self, selectors: Sequence[str], seconds: float) -> bool:
        self.site.waited.append((tuple(selectors), seconds))
        return True

    async def html(self, seconds: float) -> bytes:
        if self.failure is not None:
            raise self.failure
        return b"<p></p>"

    async def picture(self, seconds: float) -> bytes:
        return b"PNG"

    def newest(self) -> CapturedCall | None:
        return self.said

    async def next_capture(self, after: CapturedCall | None, seconds: float) -> CapturedCall:
        if self.refusal is not None:
            raise self.refusal
        if self.says is not None or self.site.says:
            await CLOCK.sleep(0.1)
            self.said = self.says if self.says is not None else self.site.says.pop(0)
            return self.said
        await CLOCK.sleep(seconds)
        raise SourceTimeoutError("The page was silent.")

    async def cookies(self, url: str) -> list[Cookie]:
        return []

    async def close(self) -> None:
        self.is_closed = True
