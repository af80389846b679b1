"""A page that tries every way out that a browser has, towards canaries that listen on loopback."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from functools import partial

from aiohttp import web

from longstop.clock import SystemClock


class UdpCanary(asyncio.DatagramProtocol):
    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note

    def datagram_received(self, data: bytes, addr: object) -> None:
        self._note("udp")


class Canaries:
    """Listen beside the site: on another address, on another port, and for datagrams."""

    def __init__(self) -> None:
        self.came: Counter[str] = Counter()
        self._heard = asyncio.Event()
        self._servers: list[asyncio.Server] = []
        self._transport: asyncio.DatagramTransport | None = None
        self.places: dict[str, str] = {}

    async def start(self) -> None:
        for name, host in (("address", "127.0.0.2"), ("port", "127.0.0.1")):
            server = await asyncio.start_server(partial(self._hang_up, name), host, 0)
            self._servers.append(server)
            self.places[name] = f"{host}:{server.sockets[0].getsockname()[1]}"
        loop = asyncio.get_running_loop()
        self._transport, _ = await loop.create_datagram_endpoint(
            lambda: UdpCanary(self._note), local_addr=("127.0.0.2", 0)
        )
        self.places["udp"] = f"127.0.0.2:{self._transport.get_extra_info('sockname')[1]}"

    def _note(self, name: str) -> None:
        self.came[name] += 1
        self._heard.set()

    def _hang_up(self, name: str, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._note(name)
        writer.transport.abort()

    @property
    def packets(self) -> int:
        return sum(self.came.values())

    async def hear_of(self, wanted: dict[str, int], seconds: float) -> None:
        """Until so many have come to each place, or the time is up: datagrams in particular come late."""
        with contextlib.suppress(TimeoutError):
            async with SystemClock().timeout(seconds):
                while any(self.came[place] < count for place, count in wanted.items()):
                    self._heard.clear()
                    await self._heard.wait()

    async def stop(self) -> None:
        for server in self._servers:
            server.close()
            await server.wait_closed()
        if self._transport is not None:
            self._transport.close()


class HostileSite:
    """`/` holds every trick that needs no leaving; `/leave` and `/meta` lead the whole page away."""

    def __init__(self, canaries: Canaries) -> None:
        self._canaries = canaries
        self._runner: web.AppRunner | None = None
        self.base_url = ""

    async def start(self) -> None:
        app = web.Application()
        app.router.add_get("/", self._page)
        app.router.add_get("/leave", self._leave)
        app.router.add_get("/meta", self._meta)
        app.router.add_route("*", "/hop/{left}", self._hop)
        app.router.add_get("/worker.js", self._worker)
        app.router.add_get("/{rest:.*}", self._nothing)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.base_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _page(self, request: web.Request) -> web.Response:
        address = self._canaries.places["address"]
        headers = {
            "Link": f"<http://{address}/link-header>; rel=preload; as=image",
            "Content-Security-Policy-Report-Only": f"img-src 'none'; report-uri http://{address}/csp",
            "NEL": '{"report_to":"x","max_age":60,"success_fraction":1.0}',
            "Report-To": f'{{"group":"x","max_age":60,"endpoints":[{{"url":"http://{address}/nel"}}]}}',
        }
        text = PAGE
        for name, place in self._canaries.places.items():
            text = text.replace(f"%{name}%", place).replace(f"%{name}-host%", place.partition(":")[0])
        return web.Response(text=text, content_type="text/html", headers=headers)

    async def _leave(self, request: web.Request) -> web.Response:
        script = f"<script>location = 'http://{self._canaries.places['address']}/left'</script>"
        return web.Response(text=script, content_type="text/html")

    async def _meta(self, request: web.Request) -> web.Response:
        text = f'<meta http-equiv="refresh" content="0; url=http://{self._canaries.places["address"]}/meta">'
        return web.Response(text=text, content_type="text/html")

    async def _hop(self, request: web.Request) -> web.Response:
        left = int(request.match_info["left"])
        target = f"/hop/{left - 1}" if left else f"http://{self._canaries.places['address']}/hopped"
        return web.Response(status=307, headers={"Location": target, "Access-Control-Allow-Origin": "*"})

    async def _worker(self, request: web.Request) -> web.Response:
        place = self._canaries.places["address"]
        text = f"""
            fetch('http://{place}/from-worker', {{mode: 'no-cors'}}).catch(() => 0);
            try {{ importScripts('http://{place}/imported.js') }} catch (e) {{ }}
            self.addEventListener('install', () => self.skipWaiting());
        """
        return web.Response(text=text, content_type="text/javascript")

    async def _nothing(self, request: web.Request) -> web.Response:
        return web.Response(text="", content_type="text/plain")


PAGE = """<!doctype html><html><head>
<link rel="preconnect" href="http://%address%"><link rel="dns-prefetch" href="//%address%">
<link rel="prefetch" href="http://%address%/prefetch"><link rel="preload" as="script" href="http://%address%/preload">
<link rel="modulepreload" href="http://%address%/m.js"><link rel="stylesheet" href="http://%address%/s.css">
<link rel="icon" href="http://%address%/icon.png"><link rel="manifest" href="http://%address%/manifest.json">
<script type="speculationrules">{"prefetch":[{"source":"list","urls":["http://%address%/speculation"]}]}</script>
<style>@import url("http://%address%/import.css"); body { background: url("http://%port%/background.png") }
@font-face { font-family: f; src: url("http://%address%/font.woff") } body { font-family: f }</style></head><body>text
<img src="http://%address%/beacon.png"><img src="http://%port%/beacon.png"><img src="/hop/0"><img src="/hop/5">
<img src="http://user:pass@%address%/userinfo.png"><img src="http://0x7f000002:%address%/odd.png">
<iframe src="http://%address%/frame"></iframe><iframe src="http://%port%/frame"></iframe>
<iframe src="/hop/3"></iframe><iframe src="/meta"></iframe>
<iframe src="file:///etc/hostname"></iframe><iframe src="view-source:http://%address%/"></iframe>
<iframe src="chrome://version"></iframe>
<iframe src="data:text/html,<img src='http://%address%/from-data'>"></iframe>
<iframe srcdoc="<img src='http://%address%/from-srcdoc'>
  <meta http-equiv=refresh content='0;url=http://%port%/m'>"></iframe>
<object data="http://%address%/object"></object><embed src="http://%address%/embed">
<video src="http://%address%/video" autoplay></video><audio src="http://%address%/audio" autoplay></audio>
<script src="http://%address%/script.js"></script>
<script type="module">import('http://%address%/module.js').catch(() => 0)</script>
<svg><image href="http://%address%/svg.png"/></svg>
<form id="form" action="http://%address%/form" method="post" target="sink"><input name="a" value="b"></form>
<iframe name="sink"></iframe><a id="ping" href="#here" ping="http://%address%/ping">x</a>
<script>
const told = {}, quiet = () => 0, blind = {mode: 'no-cors'};
const place = 'http://%address%', port = '%address%'.split(':')[1];
const opened = socket => new Promise((ok, no) => { socket.onopen = ok; socket.onerror = no });
const asked = url => new Promise((ok, no) => {
  const call = new XMLHttpRequest(); call.open('GET', url); call.onload = ok; call.onerror = no; call.send();
});
const turn = {urls: ['turn:%udp%', 'turn:%address%?transport=tcp'], username: 'a', credential: 'b'};
const tries = {
  fetch: () => fetch(place + '/fetch', blind), port: () => fetch('http://%port%/fetch', blind),
  post: () => fetch(place + '/post', {method: 'POST', body: 'x'.repeat(1000), keepalive: true, ...blind}),
  hop: () => fetch('/hop/5', blind), file: () => fetch('file:///etc/hostname'),
  xhr: () => asked(place + '/xhr'), https: () => fetch('https://%address%/', blind),
  socket: () => opened(new WebSocket('ws://%address%/ws')), secure: () => opened(new WebSocket('wss://%address%/ws')),
  mapped: () => fetch('http://[::ffff:127.0.0.2]:' + port, blind), odd: () => fetch('http://2130706434:' + port, blind),
};
const others = [
  () => navigator.sendBeacon(place + '/beacon', 'x'), () => new EventSource(place + '/events'),
  () => new Worker('/worker.js'), () => new SharedWorker('/worker.js'), () => window.open(place + '/window'),
  () => navigator.serviceWorker.register('/worker.js').catch(quiet),
  () => { const t = new WebTransport('https://%address%/'); t.ready.catch(quiet); t.closed.catch(quiet) },
  () => {
    const peer = new RTCPeerConnection({iceServers: [{urls: 'stun:%udp%'}, turn]});
    peer.createDataChannel('x'); peer.createOffer().then(offer => peer.setLocalDescription(offer));
  },
  () => document.getElementById('form').submit(), () => document.getElementById('ping').click(),
];
const settled = [];
for (const name in tries) {
  try { settled.push(tries[name]().then(() => told[name] = 'through', () => told[name] = 'kept in')) }
  catch (error) { told[name] = 'kept in' }
}
for (const other of others) { try { other() } catch (error) { quiet() } }
const seconds = count => new Promise(ok => setTimeout(ok, count * 1000));
// On a busy machine some of it takes longer than usual: what is not settled yet has not been kept in.
Promise.all([seconds(1.5), Promise.race([Promise.all(settled), seconds(20)])]).then(() => {
  window.told = told; document.title = 'done';
});
</script></body></html>"""
