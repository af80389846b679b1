"""Pages without a browser: what the rungs may ask of a tab, answered by the site of the world, or not at all."""

import asyncio
from collections.abc import Sequence
from random import Random
from urllib.parse import parse_qsl, urlsplit

from longstop.clock import Clock
from longstop.domain.errors import BrowserLostError, BrowserTimeoutError, PoolExhaustedError, SourceTimeoutError
from longstop.fetch.answers import error_for
from longstop.fetch.recipe import CapturedCall, Cookie
from longstop.fetch.snapshot import FetchRequest
from longstop.fetch.tabs import TabAnswer
from longstop_origin.exchange import Reply, Request
from longstop_origin.storm.plan import BROWSER, Plan, Spell
from longstop_origin.storm.site import STATE_PATH, StormSite
from longstop_origin.storm.timeline import Timeline

OPEN_SECONDS = (0.2, 0.8)
PAGE_POLL_SECONDS = 2.5
BASE = "http://origin.invalid"


class Browser:
    """The tabs of one life of the process; a browser that dies takes all of them along."""

    def __init__(self, site: StormSite, timeline: Timeline, plan: Plan, clock: Clock) -> None:
        self.site = site
        self.clock = clock
        self.chance = Random(f"{plan.seed}:{BROWSER}:{timeline.seconds:.3f}")
        self.opened = 0
        self.closed = 0
        self._timeline = timeline
        self._plan = plan

    async def new_tab(self, key: str) -> "PageTab":
        trouble = self.trouble
        if trouble is not None and trouble.kind == "none to be had":
            await self.clock.sleep(5.0)
            raise PoolExhaustedError("No browser has a place.")
        self.opened += 1
        return PageTab(self, key)

    @property
    def trouble(self) -> Spell | None:
        found = self._plan.spell(BROWSER, self._timeline.seconds)
        return found if found is not None and self.chance.random() < found.share else None

    def died_since(self, moment: float) -> bool:
        spells = self._plan.spells.get(BROWSER, ())
        return any(spell.kind == "dies" and moment < spell.begins <= self._timeline.seconds for spell in spells)

    @property
    def seconds(self) -> float:
        return self._timeline.seconds

    def answer(self, url: str) -> Reply:
        parts = urlsplit(url)
        return self.site.respond(Request("GET", parts.path, dict(parse_qsl(parts.query))), self._timeline.moment)


class PageTab:
    def __init__(self, browser: Browser, key: str) -> None:
        self.retiring = asyncio.Event()
        self.memory_bytes = 0
        self._browser = browser
        self._key = key
        self._born = browser.seconds
        self._url = ""
        self._newest: CapturedCall | None = None
        self._is_closed = False

    @property
    def is_lost(self) -> bool:
        return self._is_closed or self._browser.died_since(self._born)

    async def open(self, url: str, seconds: float) -> None:
        reply = await self._asked(url, seconds, OPEN_SECONDS)
        if reply.status >= 400:
            raise error_for(reply.status, reply.headers, "page", self._browser.clock.now())
        self._url = url

    async def call(self, request: FetchRequest, seconds: float) -> TabAnswer:
        reply = await self._asked(request.url, seconds)
        return TabAnswer(reply.status, dict(reply.headers), reply.body)

    async def shows(self, selectors: Sequence[str], seconds: float) -> bool:
        await self._work(seconds)
        return True

    async def html(self, seconds: float) -> bytes:
        return (await self._asked(self._url, seconds)).body

    async def picture(self, seconds: float) -> bytes:
        await self._work(seconds)
        return b"\x89PNG\r\n\x1a\n"

    def newest(self) -> CapturedCall | None:
        return self._newest

    async def next_capture(self, after: CapturedCall | None, seconds: float) -> CapturedCall:
        """The page asks for itself; what it is told is taken as it comes."""
        wait = PAGE_POLL_SECONDS - (self._browser.seconds - self._born) % PAGE_POLL_SECONDS
        trouble = self._browser.trouble
        if wait > seconds or (trouble is not None and trouble.kind == "silent"):
            await self._browser.clock.sleep(seconds)
            self._require_alive()
            raise SourceTimeoutError("The page was silent.")
        await self._browser.clock.sleep(wait)
        self._require_alive()
        url = f"{BASE}{STATE_PATH}?key={self._key}"
        reply = await self._asked(url, seconds)
        self._newest = CapturedCall(
            url=url,
            method="GET",
            headers={},
            request_body=None,
            status=reply.status,
            content_type=reply.content_type,
            body=reply.body,
            captured_at=self._browser.clock.now(),
        )
        return self._newest

    async def cookies(self, url: str) -> list[Cookie]:
        return []

    async def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._browser.closed += 1

    async def _asked(self, url: str, seconds: float, takes: tuple[float, float] = (0.01, 0.05)) -> Reply:
        await self._work(seconds, takes)
        reply = self._browser.answer(url)
        await self._wait(reply.delay_seconds, seconds)
        if reply.broken is not None or reply.cut_at is not None:
            raise BrowserTimeoutError("The page's call came to nothing.")
        return reply

    async def _work(self, seconds: float, takes: tuple[float, float] = (0.01, 0.05)) -> None:
        self._require_alive()
        trouble = self._browser.trouble
        kind = trouble.kind if trouble is not None else ""
        factor = 20.0 if kind == "slow" else 1.0
        wanted = 3600.0 if kind == "hangs" else self._browser.chance.uniform(*takes) * factor
        await self._wait(wanted, seconds)

    async def _wait(self, wanted: float, seconds: float) -> None:
        await self._browser.clock.sleep(min(wanted, seconds))
        self._require_alive()
        if wanted > seconds:
            raise BrowserTimeoutError(f"The page did not answer within {seconds:g} s.")

    def _require_alive(self) -> None:
        if self.is_lost:
            raise BrowserLostError("The browser is gone.")
