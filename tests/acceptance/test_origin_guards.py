"""The guards on a real socket, met by a plain client and by a real Chromium."""

import asyncio
import json
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any

import aiohttp
import psutil
import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright
from playwright.async_api import Error as PageError
from playwright.async_api import TimeoutError as PageTimeoutError

from longstop.clock import SystemClock
from longstop_origin.exchange import Request
from longstop_origin.guards import Guards
from longstop_origin.pages import match_path
from longstop_origin.server import OriginServer, serve
from longstop_origin.site import Site
from longstop_origin.world import World, WorldOptions

# One browser for all of them: to start one takes longer than most of what is done with it.
pytestmark = pytest.mark.asyncio(loop_scope="module")

EPOCH = 1_700_000_000.0
STATE = "/api/v3/getSV3"
PATIENCE_MILLISECONDS = 8000
FLAGS = [
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PLAIN = {"team": ".team-content", "name": ".team-name", "runs": ".runs span", "headline": ".result-box span"}
PLAIN |= {"over": "#slideOver .overs-slide", "ball": ".over-ball", "batter": ".batsmen-name", "bowler": ".bowler-name"}
SHIFTED = {"team": ".score-team", "name": ".score-team-name", "runs": ".score-figures span"}
SHIFTED |= {"headline": ".score-headline span", "over": "#recentOvers .recent-over", "ball": ".recent-ball"}
SHIFTED |= {"batter": ".score-batter-name", "bowler": ".score-bowler-name"}

# Everything of the page that a reader of its DOM would take, under the selectors given.
READ = """(at) => {
  const texts = (box, selector) => [...box.querySelectorAll(selector)].map((node) => node.textContent);
  return {
    teams: [...document.querySelectorAll(at.team)].map((team) => [texts(team, at.name)[0], ...texts(team, at.runs)]),
    headline: texts(document, at.headline),
    balls: [...document.querySelectorAll(at.over)].map((over) => texts(over, at.ball)),
    players: [...texts(document, at.batter), ...texts(document, at.bowler)],
  };
}"""


class Watch:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = EPOCH

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest_asyncio.fixture(loop_scope="module")
async def server(watch: Watch) -> AsyncIterator[OriginServer]:
    world = World(WorldOptions(epoch=EPOCH, seed=1, matches=3, speed=40.0))
    async with serve(world, now=watch) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def client(server: OriginServer) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(server.url) as session:
        yield session


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """The system's Chromium, else the one that came with Playwright."""
    async with async_playwright() as driver:
        path = shutil.which("chromium")
        try:
            running = await driver.chromium.launch(executable_path=path, args=FLAGS, chromium_sandbox=False)
        except PageError as error:
            pytest.skip(f"there is no browser to start: {error.message.splitlines()[0]}")
        yield running
        await running.close()


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser: Browser) -> AsyncIterator[Page]:
    context = await browser.new_context()
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    yield await context.new_page()
    await context.close()


def guard(server: OriginServer, *words: str) -> None:
    server.site.gate.guards = Guards.from_words(["poll=0.2", *words])


def expected(server: OriginServer, now: float) -> dict[str, Any]:
    """What a reader of the page should see, from the JSON of the same world without guards."""
    site = Site(server.site.world)
    fixture = site.world.listed(now)[0]
    state = json.loads(site.respond(Request("GET", STATE, {"key": fixture.key}), now).body)
    names = {code: name for name, code in fixture.codes.players.items()}
    latest = [state[score].split("&")[-1].split("(") for score in ("j", "k")]
    return {
        "teams": [[team.short, *score] for team, score in zip(fixture.script.teams, latest, strict=True)],
        "headline": [state["B"]],
        "balls": [[ball["u"] for ball in over["b"]] for over in state["rb"][::-1]],
        "players": [names[figures.split(".")[0]] for figures in (state["p1"], state["p2"], state["bw"]) if figures],
    }


async def open_match(page: Page, server: OriginServer) -> None:
    await page.goto(server.url + match_path(server.site.world.listed(EPOCH)[0]))


async def until(page: Page, is_so: Callable[[], bool]) -> None:
    """Waits for what the server counts, as long as the page is expected to need."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PATIENCE_MILLISECONDS / 1000
    while not is_so():
        assert loop.time() < deadline, "the page did not do it in time"
        await page.wait_for_timeout(20)


async def shows(page: Page, selectors: dict[str, str], wanted: dict[str, Any]) -> None:
    """Waits until the page shows exactly this."""
    script = f"([at, wanted]) => JSON.stringify(({READ})(at)) === JSON.stringify(wanted)"
    try:
        await page.wait_for_function(script, arg=[selectors, wanted])
    except PageTimeoutError:
        assert await page.evaluate(READ, selectors) == wanted


GUARDED = {
    "token": (["token=30"], PLAIN, 401),
    "cookie": (["cookie"], PLAIN, 403),
    "page only": (["page-only"], PLAIN, 403),
    "login": (["login=600"], PLAIN, 302),
    "all of them": (["token=30", "cookie", "page-only", "login=600", "token-scope=match"], PLAIN, 403),
    "from the server": (["server-rendered"], PLAIN, 404),
    "shifted": (["server-rendered", "dom=shifted"], SHIFTED, 404),
}


@pytest.mark.parametrize("name", GUARDED)
async def test_a_page_shows_the_live_score_where_a_plain_client_is_refused(
    name: str, page: Page, server: OriginServer, client: aiohttp.ClientSession, watch: Watch
) -> None:
    words, selectors, status = GUARDED[name]
    guard(server, *words)
    key = server.site.world.listed(EPOCH)[0].key
    async with client.get(STATE, params={"key": key}, allow_redirects=False) as answer:
        assert answer.status == status
    watch.now += 20
    await open_match(page, server)
    seen = []
    for _ in range(2):
        seen.append(expected(server, watch.now))
        await shows(page, selectors, seen[-1])
        watch.now += 15
    assert seen[0] != seen[1]


async def test_the_known_selectors_find_nothing_on_an_alien_page(page: Page, server: OriginServer) -> None:
    guard(server, "server-rendered", "dom=alien")
    await open_match(page, server)
    await until(page, lambda: server.site.requests["partial 200"] > 1)
    for selectors in (PLAIN, SHIFTED):
        assert await page.evaluate(READ, selectors) == {"teams": [], "headline": [], "balls": [], "players": []}


async def test_a_page_renews_its_token_before_it_ends(page: Page, server: OriginServer) -> None:
    guard(server, "token=1")
    await open_match(page, server)
    await until(page, lambda: server.site.gate.token_grants >= 3)
    assert server.site.gate.refused == {}


async def test_a_page_whose_token_was_refused_gets_another(page: Page, server: OriginServer, watch: Watch) -> None:
    guard(server, "token=30")
    await open_match(page, server)
    await shows(page, PLAIN, expected(server, watch.now))
    watch.now += 31
    await shows(page, PLAIN, expected(server, watch.now))
    assert server.site.gate.refused == {"token": 1}


async def test_guards_are_changed_from_outside(
    client: aiohttp.ClientSession, server: OriginServer, page: Page, watch: Watch
) -> None:
    params = {"key": server.site.world.listed(EPOCH)[0].key}

    async def state() -> int:
        async with client.get(STATE, params=params) as answer:
            return answer.status

    assert await state() == 200
    async with client.post("/_origin/guards", json={"page-only": True, "poll": 0.2}) as answer:
        assert await answer.json() == {"page-only": True, "poll": 0.2}
    assert await state() == 403
    await open_match(page, server)
    await shows(page, PLAIN, expected(server, watch.now))
    async with client.post("/_origin/guards", json={"page-only": None}) as answer:
        assert await answer.json() == {"poll": 0.2}
    assert await state() == 200
    async with client.get("/_origin/stats") as answer:
        stats = await answer.json()
    assert (stats["page_loads"], stats["token_grants"], stats["refused"]) == (1, 0, {"page-only": 1})
    assert any("Chrome" in name for name in stats["user_agents"])


async def test_a_silent_page_stops_asking(page: Page, server: OriginServer, watch: Watch) -> None:
    guard(server, "silent=0.5", "poll=0.1")
    await open_match(page, server)
    await until(page, lambda: server.site.requests[f"{STATE} 200"] > 0)
    await page.wait_for_timeout(700)
    asked = server.site.requests[f"{STATE} 200"]
    watch.now += 30
    await page.wait_for_timeout(500)
    assert server.site.requests[f"{STATE} 200"] == asked
    assert await page.evaluate("1 + 1") == 2


async def test_a_page_that_hangs_answers_nothing_more(page: Page, server: OriginServer) -> None:
    guard(server, "hang=0.3", "poll=0.1")
    await open_match(page, server)
    await asyncio.sleep(0.5)
    asked = server.site.requests[f"{STATE} 200"]
    with pytest.raises(TimeoutError):
        async with SystemClock().timeout(0.7):
            await page.evaluate("1 + 1")
    assert server.site.requests[f"{STATE} 200"] == asked


async def test_a_heavy_page_keeps_what_it_takes(page: Page, server: OriginServer) -> None:
    guard(server, "heavy=6000")
    await open_match(page, server)
    before = _memory_of_children()
    await page.wait_for_function("document.querySelectorAll('.left-over i').length >= 100")
    assert _memory_of_children() - before > 100 * 1024 * 1024


def _memory_of_children() -> int:
    return sum(child.memory_info().rss for child in psutil.Process().children(recursive=True))


async def test_a_challenge_is_shown_as_a_page(page: Page, server: OriginServer) -> None:
    guard(server, "challenge=403")
    await open_match(page, server)
    assert await page.locator("#challenge-form").count() == 1


async def test_a_hostile_page_reaches_its_canary_in_every_way(page: Page, server: OriginServer) -> None:
    """Where nothing stops it. Whoever guards a browser has to see none of these."""
    heard: set[str] = set()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = await reader.readline()
        if line:
            heard.add(line.split()[1].decode())
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(listen, "127.0.0.1", 0) as canary:
        address = canary.sockets[0].getsockname()
        await page.goto(f"{server.url}/_trap/page?canary=http://127.0.0.1:{address[1]}", wait_until="commit")
        ways = {"iframe", "img", "object", "video", "script", "style", "form", "fetch", "xhr", "beacon", "socket"}
        ways |= {"events", "worker", "prefetch", "preload", "refresh"}
        await until(page, lambda: {f"/{way}" for way in ways} <= heard)


async def test_a_browser_unpacks_every_bomb(page: Page, server: OriginServer) -> None:
    await page.goto(f"{server.url}/robots.txt")
    script = "async (kind) => (await (await fetch('/_trap/bomb?mb=20&kind=' + kind)).arrayBuffer()).byteLength"
    sizes = [await page.evaluate(script, kind) for kind in ("gzip", "gzip2", "deflate", "br")]
    assert sizes == [20 * 1024 * 1024] * 4


# Traps on the wire


async def test_a_drip_arrives_bit_by_bit(client: aiohttp.ClientSession) -> None:
    loop = asyncio.get_running_loop()
    before = loop.time()
    async with client.get("/_trap/drip", params={"seconds": "0.4", "bytes_per_second": "20"}) as answer:
        pieces = [piece async for piece in answer.content.iter_any()]
    assert loop.time() - before >= 0.4
    assert len(pieces) > 3


async def test_an_endless_answer_ends_with_its_reader(client: aiohttp.ClientSession) -> None:
    async with client.get("/_trap/endless") as answer:
        assert len(await answer.content.readexactly(20 * 1024 * 1024)) == 20 * 1024 * 1024
    async with client.get(STATE, params={"key": "A"}) as answer:
        assert answer.status == 404


async def test_a_slow_close_holds_the_connection(client: aiohttp.ClientSession) -> None:
    async with client.get("/_trap/slow-close", params={"seconds": "30"}) as answer:
        assert await answer.content.readany() == b'{"whole":true}'
        assert not answer.content.at_eof()


async def test_huge_headers_are_sent(server: OriginServer) -> None:
    reader, writer = await asyncio.open_connection(server.host, server.port, limit=4 * 1024 * 1024)
    writer.write(b"GET /_trap/headers?kb=512 HTTP/1.1\r\nHost: origin\r\n\r\n")
    assert len(await reader.readuntil(b"\r\n\r\n")) > 512 * 1024
    writer.close()
    await writer.wait_closed()


async def run_origin(*guards: str) -> asyncio.subprocess.Process:
    words = ["--announce", "--port", "0", "--matches", "1", *(word for name in guards for word in ("--guard", name))]
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "longstop_origin",
        *words,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def test_the_command_takes_guards() -> None:
    running = await run_origin("token=30", "page-only")
    try:
        assert running.stdout is not None
        url = json.loads(await running.stdout.readline())["url"]
        async with aiohttp.ClientSession(url) as session, session.get("/_origin/guards") as answer:
            assert await answer.json() == {"token": 30, "page-only": True}
    finally:
        # Its input ends, and it with it.
        await running.communicate(b"")
    assert running.returncode == 0


async def test_the_command_refuses_a_guard_that_is_none() -> None:
    refused = await run_origin("tokens=30")
    _, said = await refused.communicate(b"")
    assert refused.returncode != 0
    assert b"There is no guard 'tokens'." in said
