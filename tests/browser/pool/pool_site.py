"""A small site that counts what is fetched from it, a proxy that lets everything through and counts it, and a look at
the processes there are."""

import asyncio
import contextlib
import os
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

from aiohttp import ClientSession, web

from longstop.fetch.browser import processes
from longstop.fetch.browser.orphans import marked

PAGE = """<!doctype html><title>match</title>
<link rel="stylesheet" href="/style.css">
<style>@font-face { font-family: own; src: url(/own.woff2) } p { font-family: own }</style>
<p>score</p><img src="/picture.png"><video src="/film.mp4" preload="auto"></video>
<iframe src="/frame.html"></iframe>
<script src="/script.js"></script>
<script>fetch("/score.json").then(r => r.json()).then(s => { document.title = s.score })
fetch("http://www.google-analytics.com/collect").catch(() => {})
if (navigator.serviceWorker) navigator.serviceWorker.register("/worker.js").catch(() => {})</script>"""

KINDS = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".mp4": "video/mp4",
    ".woff2": "font/woff2",
}
BODIES = {"/score.json": '{"score": "100/2"}', "/": PAGE, "/script.js": "window.ran = true", "/worker.js": "1"}


class Site:
    def __init__(self) -> None:
        self.hits: Counter[str] = Counter()
        self.url = ""

    async def answer(self, request: web.Request) -> web.Response:
        self.hits[request.path] += 1
        content_type = KINDS.get(Path(request.path).suffix, "text/html")
        return web.Response(text=BODIES.get(request.path, ""), content_type=content_type)


class OpenProxy:
    """For plain HTTP only, which is all that the test's site speaks."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.url = ""

    async def answer(self, request: web.BaseRequest) -> web.Response:
        address = request.raw_path
        self.seen.append(f"{request.method} {address}")
        if request.method == "CONNECT" or "127.0.0.1" not in address:
            return web.Response(status=403)
        async with ClientSession() as session, session.get(address) as inner:
            return web.Response(body=await inner.read(), content_type=inner.content_type)


@contextlib.asynccontextmanager
async def open_site() -> AsyncIterator[Site]:
    site = Site()
    app = web.Application()
    app.router.add_get("/{path:.*}", site.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.5)
    async with _listening(runner) as site.url:
        yield site


@contextlib.asynccontextmanager
async def open_proxy() -> AsyncIterator[OpenProxy]:
    proxy = OpenProxy()
    async with _listening(web.ServerRunner(web.Server(proxy.answer), shutdown_timeout=0.5)) as proxy.url:
        yield proxy


@contextlib.asynccontextmanager
async def _listening(runner: web.BaseRunner) -> AsyncIterator[str]:
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


class DeafListener(asyncio.DatagramProtocol):
    """Hears datagrams and answers none."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []

    def datagram_received(self, data: bytes, addr: tuple[str | None, int]) -> None:
        self.heard.append(data)


def browsers_of(root: Path) -> list[int]:
    """Every living process that belongs to a browser below this folder, whoever started it."""
    table = processes.all_processes()
    names = {path.name for path in root.glob("*")} or {"none"}
    ours = {pid for pid in table if (mark := marked(pid)) and mark.partition(":")[0] in names}
    sessions = processes.in_sessions(table, [pid for pid in ours if table[pid].session == pid])
    whole = ours | sessions | processes.descendants(table, ours)
    return sorted(pid for pid in whole if not table[pid].is_zombie)


def zombie_children() -> list[str]:
    us = os.getpid()
    return [each.name for each in processes.all_processes().values() if each.parent == us and each.is_zombie]
