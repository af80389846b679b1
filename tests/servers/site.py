"""What a real HTTP server answers that goes wrong in every way a source can."""

import asyncio
import gzip
import zlib
from collections.abc import Awaitable, Callable
from functools import cache

from aiohttp import web

from longstop.fetch.snapshot import FetchRequest

MEBIBYTE = 1024 * 1024
BOMB_BYTES = 200 * MEBIBYTE
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Site:
    """What it was asked is in `seen`; `quiet` is set while no call is being answered."""

    def __init__(self) -> None:
        self.seen: list[web.Request] = []
        self.peers: list[object] = []
        self.open_now = 0
        self.sent_bytes = 0
        self.arrived = asyncio.Event()
        self.quiet = asyncio.Event()
        self.base_url = ""

    def request(self, path: str, deadline_seconds: float | None = None) -> FetchRequest:
        return FetchRequest("crex", f"{self.base_url}{path}", "state", deadline_seconds=deadline_seconds)

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self.note])
        for path, handler in {
            "/answer": self.answer,
            "/hang": self.hang,
            "/drip": self.drip,
            "/flood": self.flood,
            "/bomb/{kind}": self.bomb,
            "/encoded": self.encoded,
            "/compressed": self.compressed,
            "/size": self.size,
        }.items():
            app.router.add_get(path, handler)
        return app

    @web.middleware
    async def note(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        self.seen.append(request)
        self.peers.append(request.transport.get_extra_info("peername") if request.transport else None)
        self.arrived.set()
        self.open_now += 1
        self.quiet.clear()
        try:
            return await handler(request)
        finally:
            self.open_now -= 1
            if not self.open_now:
                self.quiet.set()

    async def answer(self, request: web.Request) -> web.Response:
        query = request.query
        headers = {name[2:].replace("_", "-"): value for name, value in query.items() if name.startswith("h_")}
        return web.Response(status=int(query.get("status", "200")), body=b'{"ok":true}', headers=headers)

    async def hang(self, request: web.Request) -> web.Response:
        await asyncio.Event().wait()
        raise AssertionError

    async def drip(self, request: web.Request) -> web.StreamResponse:
        response = await begun(request)
        while True:
            await response.write(b" ")
            await asyncio.sleep(0.05)

    async def flood(self, request: web.Request) -> web.StreamResponse:
        response = await begun(request)
        while True:
            await response.write(bytes(65536))
            self.sent_bytes += 65536

    async def bomb(self, request: web.Request) -> web.Response:
        kind = request.match_info["kind"]
        headers = {"Content-Encoding": {"nested": "gzip", "zip": "deflate"}.get(kind, "gzip")}
        return web.Response(body=bombs()[kind], headers=headers)

    async def encoded(self, request: web.Request) -> web.Response:
        return web.Response(body=b"\x8b\x01\x80{}\x03", headers={"Content-Encoding": request.query["as"]})

    async def compressed(self, request: web.Request) -> web.Response:
        return web.Response(body=gzip.compress(b'{"ok":true}'), headers={"Content-Encoding": "gzip"})

    async def size(self, request: web.Request) -> web.Response:
        return web.Response(body=bytes(int(request.query["bytes"])))


async def begun(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    response.enable_chunked_encoding()
    await response.prepare(request)
    return response


@cache
def bombs() -> dict[str, bytes]:
    """Zeros, small on the wire: packed once, packed twice, and packed by the other method."""
    packed = _packed(31)
    return {"zeros": packed, "nested": gzip.compress(packed), "zip": _packed(15)}


def _packed(window: int) -> bytes:
    packer = zlib.compressobj(1, zlib.DEFLATED, window)
    block = bytes(MEBIBYTE)
    return b"".join(packer.compress(block) for _ in range(BOMB_BYTES // len(block))) + packer.flush()
