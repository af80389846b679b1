"""A site that bans addresses, real proxies with addresses of their own, and matches that are captured by them.

A wave of bans comes when a third of the matches is done. What the manager of the exits does is written down.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec
from aiohttp import web

from longstop.clock import SystemClock
from longstop.domain.errors import LongstopError
from longstop.fetch.egress.guard import rules_for
from longstop.fetch.egress.proxy import FilteringProxy
from longstop.fetch.egress.resolver import PinnedResolver
from longstop.fetch.exits.dial import ExitDial
from longstop.fetch.exits.exit import exit_at
from longstop.fetch.exits.outcome import outcome_of
from longstop.fetch.exits.proxy_sessions import ExitEvent, ProxySessionManager, SessionLimits
from longstop.fetch.exits.quarantine import Rest
from longstop.fetch.exits.session import ExitSession
from longstop.fetch.http import HttpFetcher
from longstop.fetch.snapshot import FetchRequest
from longstop.fetch.transport import AiohttpTransport
from tests.servers.tinyproxy import TinyProxy

CLOCK = SystemClock()
ATTEMPTS_MAX = 4
AT_ONCE = 6


class Account(msgspec.Struct):
    """What became of it. `broken_rests` counts sessions that were handed out by an exit that had to rest."""

    matches: int = 0
    captured: int = 0
    attempts: int = 0
    banned_calls: int = 0
    ejected: int = 0
    broken_rests: int = 0

    @property
    def percent(self) -> float:
        return 100.0 * self.captured / max(1, self.matches)


class BanningSite:
    def __init__(self) -> None:
        self.banned: frozenset[str] = frozenset()
        self.refused = 0
        self.port = 0

    async def answer(self, request: web.Request) -> web.Response:
        if request.remote in self.banned:
            self.refused += 1
            return web.Response(status=403)
        return web.json_response({"event": request.path})


@asynccontextmanager
async def banning_site() -> AsyncIterator[BanningSite]:
    site = BanningSite()
    app = web.Application()
    app.router.add_get("/{path:.*}", site.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        site.port = runner.addresses[0][1]
        yield site
    finally:
        await runner.cleanup()


class Wave:
    """`matches` are captured by these proxies, some at once; then a share of the addresses is banned for good."""

    def __init__(self, site: BanningSite, proxies: Sequence[TinyProxy], rest: Rest, seed: int = 1) -> None:
        self.account = Account()
        self._site = site
        self._proxies = proxies
        self._until: dict[str, float] = {}
        self._rng = random.Random(seed)
        exits = [exit_at(proxy.url) for proxy in proxies]
        limits = SessionLimits(matches_max=5, rest=rest)
        self._manager = ProxySessionManager("site", exits, self._rng, limits, tell=self._hear)
        self._door = FilteringProxy(CLOCK)
        self._fetchers: dict[str, HttpFetcher] = {}

    async def run(self, matches: int, banned_share: float) -> Account:
        """The sessions that are in use when it comes are among those that are banned."""
        waiting = asyncio.Queue[str]()
        for number in range(matches):
            waiting.put_nowait(f"match-{number}")
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(AT_ONCE):
                    group.create_task(self._work(waiting, matches, banned_share))
        finally:
            for fetcher in self._fetchers.values():
                await fetcher.close()
            await self._door.close()
        self.account.banned_calls = self._site.refused
        return self.account

    async def _work(self, waiting: "asyncio.Queue[str]", matches: int, share: float) -> None:
        while not waiting.empty():
            if self.account.matches == matches // 3:
                chosen = self._rng.sample(self._proxies, round(share * len(self._proxies)))
                self._site.banned = frozenset(proxy.exit_address for proxy in chosen)
            self.account.matches += 1
            is_captured = await self._captured(waiting.get_nowait())
            self.account.captured += is_captured

    async def _captured(self, key: str) -> bool:
        for _ in range(ATTEMPTS_MAX):
            self.account.attempts += 1
            session = self._manager.take(key, CLOCK.monotonic())
            self.account.broken_rests += self._until.get(session.proxy_id, 0.0) > CLOCK.monotonic()
            error = await self._asked(session, key)
            self._manager.judge(session, key, outcome_of(error), CLOCK.monotonic())
            if error is None:
                return True
        return False

    async def _asked(self, session: ExitSession, key: str) -> LongstopError | None:
        url = f"http://127.0.0.1:{self._site.port}/api/v1/{key}"
        try:
            await (await self._fetcher(session)).fetch(FetchRequest("site", url, "state", key=key))
        except LongstopError as error:
            return error
        return None

    async def _fetcher(self, session: ExitSession) -> HttpFetcher:
        """One for each session, by a port of the filtering proxy that leads to its exit."""
        known = self._fetchers.get(session.session_id)
        if known is None:
            resolver = PinnedResolver(rules_for("site", f"http://127.0.0.1:{self._site.port}"), nowhere, CLOCK)
            dial = ExitDial(session.exit.address, CLOCK)
            lease = await self._door.admit(resolver, session.session_id, dial=dial)
            transport = AiohttpTransport("wave", 4, None, lease.url)
            known = self._fetchers[session.session_id] = HttpFetcher(CLOCK, resolver=resolver, transport=transport)
        return known

    def _hear(self, event: ExitEvent) -> None:
        if event.name == "exit_ejected":
            self.account.ejected += 1
            self._until[event.proxy_id] = CLOCK.monotonic() + event.rests_seconds


async def nowhere(host: str) -> Sequence[str]:
    raise OSError(f"{host} is looked up by nobody here")
