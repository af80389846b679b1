"""The pool with the real Chromium: it fetches what it may, as whom it should, and tells what went wrong."""

import asyncio
import shutil
from pathlib import Path

import pytest

from longstop.domain.errors import BrowserError, BrowserLostError, BrowserMissingError, BrowserTimeoutError
from longstop.fetch.browser.fleet import ChromiumOptions
from longstop.fetch.browser.needs import NO_RULES, Allow, ContextNeed, Profile, RouteRules
from longstop.fetch.browser.pool import chromium_pool
from longstop.fetch.browser.roster import PoolOptions
from longstop.observe import signals
from longstop.observe.signals import Signals
from tests.browser.pool.house import CLOCK, HELD, House, show, until
from tests.browser.pool.pool_site import DeafListener, OpenProxy, Site, browsers_of

pytestmark = [
    pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium; `apt-get install chromium`"),
    pytest.mark.req("B4"),
]


async def test_a_lease_comes_and_goes_and_leaves_nothing(house: House) -> None:
    async with house.pool() as pool:
        async with pool.lease(HELD, 60) as lease:
            await show(lease)
            account = pool.accounting()
            assert (account.browsers, account.contexts, account.pages) == (1, 1, 1)
            assert len(browsers_of(house.root)) > 5
        assert pool.accounting().contexts == 0
    (stopped,) = house.of(signals.BrowserStopped)
    assert isinstance(stopped, signals.BrowserStopped)
    assert (stopped.pids_before > 5, stopped.pids_after) == (True, 0)


@pytest.mark.req("A2")
async def test_what_is_blocked_is_really_not_fetched(house: House, site: Site) -> None:
    async with house.pool() as pool, pool.lease(ContextNeed("crex"), 60) as lease:
        await show(lease, site.url)
        await until(lambda: site.hits["/score.json"] == 1, 5)
        await CLOCK.sleep(0.3)
        assert set(site.hits) == {"/", "/score.json", "/script.js"}
        assert {"image", "stylesheet", "frame", "tracker"} <= set(lease.traffic.blocked)
        assert lease.traffic.requests >= 7


@pytest.mark.req("A2")
async def test_without_rules_the_same_page_fetches_all_of_it(house: House, site: Site) -> None:
    async with house.pool() as pool, pool.lease(HELD, 60) as lease:
        await show(lease, site.url)
        await until(lambda: {"/picture.png", "/style.css", "/frame.html", "/own.woff2"} <= set(site.hits), 5)
        assert "/worker.js" not in site.hits, "service workers are blocked always"


@pytest.mark.req("A2")
async def test_only_what_is_allowed_is_fetched_and_the_document_once(house: House, site: Site) -> None:
    rules = RouteRules(allow=(Allow("127.0.0.1", "/", ("document",)), Allow("127.0.0.1", "/score")), blocked_kinds=())
    async with house.pool() as pool, pool.lease(ContextNeed("crex", route=rules), 60) as lease:
        page = await lease.new_page()
        await lease.call(lambda: page.goto(site.url), 10)
        await until(lambda: site.hits["/score.json"] == 1, 5)
        with pytest.raises(BrowserError):
            await lease.call(lambda: page.reload(), 10)
        assert set(site.hits) == {"/", "/score.json"}
        assert site.hits["/"] == 1
        assert lease.traffic.blocked["document"] == 1


@pytest.mark.req("D7")
async def test_a_context_shows_the_profile_it_was_given(house: House, site: Site) -> None:
    profile = Profile("Longstop/1", "de-DE", "Asia/Kolkata", (800, 600), (("X-Asked-By", "longstop"),))
    async with house.pool() as pool, pool.lease(ContextNeed("crex", profile), 60) as lease:
        page = await lease.new_page()
        await lease.call(lambda: page.goto(site.url), 10)
        seen = await lease.call(
            lambda: page.evaluate(
                "[navigator.userAgent, navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone,"
                " innerWidth, innerHeight]"
            ),
            5,
        )
    assert seen[:2] == ["Longstop/1", "de-DE"]
    assert seen[2] in {"Asia/Kolkata", "Asia/Calcutta"}
    assert seen[3:] == [800, 600]


async def test_everything_goes_through_the_proxy_even_to_this_machine(
    house: House, site: Site, proxy: OpenProxy
) -> None:
    listener = DeafListener()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(lambda: listener, local_addr=("127.0.0.1", 0))
    port = transport.get_extra_info("sockname")[1]
    try:
        async with house.pool(proxy=proxy.url) as pool, pool.lease(HELD, 60) as lease:
            await show(lease, site.url)
            await until(lambda: "/score.json" in site.hits, 5)
            page = lease.context.pages[0]
            script = """async port => {
              const peer = new RTCPeerConnection({iceServers: [{urls: `stun:127.0.0.1:${port}`}]})
              peer.createDataChannel("x")
              await peer.setLocalDescription(await peer.createOffer())
              await new Promise(done => setTimeout(done, 700)) }"""
            await lease.call(lambda: page.evaluate(script, port), 5)
    finally:
        transport.close()
    assert sum(site.hits.values()) <= len(proxy.seen)
    assert any("google-analytics" in each for each in proxy.seen)
    of_its_own = [each for each in proxy.seen if site.url not in each and "google-analytics" not in each]
    assert of_its_own == [], "the browser calls nobody of its own accord"
    assert listener.heard == []


async def test_a_context_may_have_a_proxy_of_its_own(house: House, site: Site, proxy: OpenProxy) -> None:
    async with house.pool() as pool:
        async with pool.lease(ContextNeed("other", proxy=proxy.url, route=NO_RULES), 60) as lease:
            await show(lease, site.url)
            assert proxy.seen
        seen = len(proxy.seen)
        async with pool.lease(HELD, 60) as lease:
            await show(lease, site.url)
    assert len(proxy.seen) == seen


async def test_errors_come_in_the_words_of_the_house(house: House, free_port: int) -> None:
    async with house.pool() as pool, pool.lease(HELD, 60) as lease:
        page = await lease.new_page()
        with pytest.raises(BrowserTimeoutError, match=r"within 0\.5 s"):
            await lease.call(lambda: page.evaluate("new Promise(() => {})"), 0.5)
        with pytest.raises(BrowserError, match="nonsense"):
            await lease.call(lambda: page.evaluate("nonsense"), 5)
        assert not lease.lost.is_set()


async def test_a_missing_browser_is_told_with_what_to_do(tmp_path: Path) -> None:
    options = ChromiumOptions(tmp_path / "browser", executable=str(tmp_path / "nothing"))
    with pytest.raises(BrowserMissingError, match="executable_path"):
        await chromium_pool(options, CLOCK, Signals()).start()
    assert not (tmp_path / "browser").exists()


async def test_a_program_that_is_no_browser_is_told_with_its_words(tmp_path: Path, house: House) -> None:
    impostor = tmp_path / "impostor"
    impostor.write_text("#!/bin/sh\necho 'error while loading shared libraries: libnss3.so' >&2\nexit 127\n")
    impostor.chmod(0o755)
    options = PoolOptions(acquire_seconds=1.5)
    pool = chromium_pool(ChromiumOptions(house.root, str(impostor)), CLOCK, house.bus, options)
    await pool.start()
    with pytest.raises(BrowserLostError, match=r"libnss3\.so"):
        await pool.acquire(HELD, 60)
    await pool.stop()
