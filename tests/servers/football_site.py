"""A small football site whose match page fires the calls itself, with every sort of trouble a visit may meet.

It counts what it sent, so that what a visit says it cost can be held against it.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

FAMILIES = ("event", "lineups", "incidents", "statistics")
TOKEN = "let-me-in"
# As heavy as such pages are: 1.2 MB of pictures, 300 kB of fonts, styles and film beside 60 kB of what is needed.
PICTURES = 12
PICTURE_BYTES = 100_000
HEAVY = {"/style.css": ("text/css", 120_000), "/own.woff2": ("font/woff2", 80_000), "/film.mp4": ("video/mp4", 100_000)}
SCRIPT_BYTES = 40_000

PAGE = """<!doctype html><title>match</title><link rel="stylesheet" href="/style.css">
<style>@font-face {{ font-family: own; src: url(/own.woff2) }} p {{ font-family: own }}</style><p>match</p>
{pictures}<video src="/film.mp4" preload="auto"></video><script src="/app.js"></script>
<script>window.start({calls}, "{token}")</script>"""
SCRIPT = """window.start = (calls, token) => {
  for (const [path, how] of calls) fetch(path, {headers: {"X-Token": token}, ...how}).catch(() => {})
}
//"""
CHALLENGE = '<!doctype html><form id="challenge-form" action="/cdn-cgi/l/chk_jschl">checking</form>'


class FootballSite:
    """`fires` are the families that a page asks for; `answers` overrides what a family answers: status, type, body."""

    def __init__(self) -> None:
        self.url = ""
        self.hits: Counter[str] = Counter()
        self.seen: list[web.Request] = []
        self.sent_bytes = 0
        self.fires: tuple[str, ...] = FAMILIES
        self.also: list[tuple[str, dict[str, Any]]] = []
        self.answers: dict[str, tuple[int, str, bytes]] = {}
        self.retry_after = ""
        self.redirected: dict[str, str] = {}
        self.page_hangs = False
        self.calls_hang = False
        self.is_challenging = False
        self.robots = ""
        self.banned: set[str] = set()
        self.peers: list[str] = []
        self.refuses_direct = False
        self.needs_token = True
        self.arrived = asyncio.Event()
        self.over = asyncio.Event()

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self._note])
        app.router.add_get("/match/{key}", self._page)
        app.router.add_get("/api/v1/event/{key}", self._call)
        app.router.add_get("/api/v1/event/{key}/{family}", self._call)
        app.router.add_get("/", self._home)
        app.router.add_get("/api/v1/sport/football/scheduled-events/{day}", self._list)
        app.router.add_get("/robots.txt", self._robots)
        app.router.add_get("/app.js", self._script)
        app.router.add_get("/{path:.*}", self._heavy)
        return app

    def page(self, key: str) -> str:
        return f"{self.url}/match/{key}"

    def documents(self) -> int:
        return sum(count for path, count in self.hits.items() if path.startswith("/match/"))

    @web.middleware
    async def _note(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.hits[request.path] += 1
        self.seen.append(request)
        self.peers.append(request.remote or "")
        self.arrived.set()
        if request.remote in self.banned:
            return web.Response(status=403, text="banned")
        response: web.StreamResponse = await handler(request)
        if isinstance(response, web.Response) and isinstance(response.body, bytes):
            self.sent_bytes += len(response.body)
        return response

    async def _page(self, request: web.Request) -> web.Response:
        if self.page_hangs:
            await self.over.wait()
        if self.is_challenging:
            return web.Response(status=403, text=CHALLENGE, content_type="text/html")
        key = request.match_info["key"]
        calls: list[tuple[str, dict[str, Any]]] = [(f"/api/v1/event/{key}{_tail(family)}", {}) for family in self.fires]
        calls += self.also
        pictures = "".join(f'<img src="/picture{number}.png">' for number in range(PICTURES))
        text = PAGE.format(pictures=pictures, calls=json.dumps(calls), token=TOKEN)
        response = web.Response(text=text, content_type="text/html")
        response.set_cookie("visited", key)
        return response

    async def _call(self, request: web.Request) -> web.Response:
        if self.calls_hang:
            await self.over.wait()
        family = request.match_info.get("family", "event")
        if request.path in self.redirected:
            raise web.HTTPFound(self.redirected[request.path])
        if self.is_challenging:
            return web.Response(status=403, text=CHALLENGE, content_type="text/html")
        if self._is_refused(request):
            return web.json_response({"error": {"code": 403}}, status=403)
        status, kind, body = self.answers.get(family, (200, "application/json", _body(request, family)))
        headers = {"Retry-After": self.retry_after} if status == 429 and self.retry_after else None
        return web.Response(status=status, content_type=kind, body=body, headers=headers)

    def _is_refused(self, request: web.Request) -> bool:
        is_direct = "Sec-Fetch-Mode" not in request.headers
        has_token = request.headers.get("X-Token") == TOKEN and "visited" in request.cookies
        return (self.refuses_direct and is_direct) or (self.needs_token and not has_token)

    async def _home(self, _: web.Request) -> web.Response:
        return web.Response(text="<!doctype html><title>today</title>", content_type="text/html")

    async def _list(self, request: web.Request) -> web.Response:
        if self.refuses_direct and "Sec-Fetch-Mode" not in request.headers:
            return web.json_response({"error": {"code": 403}}, status=403)
        return web.json_response({"events": [], "day": request.match_info["day"]})

    async def _robots(self, _: web.Request) -> web.Response:
        return web.Response(text=self.robots)

    async def _script(self, _: web.Request) -> web.Response:
        return web.Response(text=SCRIPT + "x" * SCRIPT_BYTES, content_type="text/javascript")

    async def _heavy(self, request: web.Request) -> web.Response:
        kind, size = HEAVY.get(request.path, ("image/png", PICTURE_BYTES))
        if not (request.path in HEAVY or request.path.startswith("/picture")):
            raise web.HTTPNotFound
        return web.Response(body=bytes(size), content_type=kind)


def _tail(family: str) -> str:
    return "" if family == "event" else f"/{family}"


def _body(request: web.Request, family: str) -> bytes:
    return json.dumps({"family": family, "id": request.match_info["key"], "filling": "x" * 5000}).encode()


@asynccontextmanager
async def football_site() -> AsyncIterator[FootballSite]:
    site = FootballSite()
    runner = web.AppRunner(site.app(), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    site.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield site
    finally:
        site.over.set()
        await runner.cleanup()
