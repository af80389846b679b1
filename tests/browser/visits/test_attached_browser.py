"""Visits in a browser that runs already: through our own proxy all the same, and without harm to whose it is."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from longstop.clock import SystemClock
from longstop.domain.errors import BrowserError, BrowserLostError, SettingsError
from longstop.fetch.browser.attached import AttachedFleet, CdpAddress
from longstop.fetch.browser.fleet import ChromiumOptions
from longstop.fetch.browser.needs import ContextNeed
from longstop.fetch.browser.pool import BrowserPool
from longstop.observe.signals import Signals
from tests.browser.visits.stage import Stage
from tests.servers.football_site import FAMILIES
from tests.servers.running_chromium import RunningChromium, running_chromium

pytestmark = [pytest.mark.timeout(120), pytest.mark.req("D6"), pytest.mark.req("D7")]
SECRET = "a-token-of-the-debugger"


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[RunningChromium]:
    async with running_chromium(tmp_path / "theirs") as browser:
        yield browser


def cdp(url: str) -> dict[str, str]:
    return {"scraper.browser.use_cdp": "true", "scraper.browser.cdp_url": url}


async def test_a_visit_is_made_in_it_by_our_own_proxy_and_it_lives_on(stage: Stage, browser: RunningChromium) -> None:
    async with stage.visitor(cdp(browser.url)) as visitor:
        visit = await stage.visit(visitor, stage.order("1"))
        assert set(visit.snapshots) == set(FAMILIES)
        assert visit.network.bytes_in > stage.site.sent_bytes, "every byte went by the filtering proxy"
        assert (await stage.visit(visitor, stage.order("2"))).rung == "replay"
    assert browser.is_alive
    await browser.contexts_were_closed()


async def test_cookies_go_from_one_visit_to_the_next_and_never_into_its_owners_jar(
    stage: Stage, browser: RunningChromium
) -> None:
    stage.site.refuses_direct = True
    async with stage.visitor(cdp(browser.url)) as visitor:
        for key in ("1", "2"):
            await stage.visit(visitor, stage.order(key))
    first, second = (each for each in stage.site.seen if each.path.startswith("/match/"))
    assert ("visited" in first.cookies, second.cookies.get("visited")) == (False, "1")


async def test_one_that_is_not_there_is_told_with_what_to_do_and_without_its_address(
    stage: Stage, free_port: int
) -> None:
    url = f"http://127.0.0.1:{free_port}/?token={SECRET}"
    async with stage.visitor(cdp(url)) as visitor:
        with pytest.raises(BrowserLostError, match="cdp_url") as told:
            await stage.visit(visitor, stage.order("1"))
    assert SECRET not in str(told.value)
    assert not [each for each in stage.told if SECRET in repr(each)]


async def test_one_that_goes_in_a_visit_costs_that_visit_and_is_told(stage: Stage, browser: RunningChromium) -> None:
    async with stage.visitor(cdp(browser.url)) as visitor:
        await stage.visit(visitor, stage.order("1"))
        stage.site.refuses_direct = True
        browser.kill()
        with pytest.raises(BrowserError):
            await stage.visit(visitor, stage.order("2"))


async def test_without_the_filtering_proxy_no_context_is_opened_in_it(tmp_path: Path, browser: RunningChromium) -> None:
    bus = Signals()
    fleet = AttachedFleet(ChromiumOptions(tmp_path / "ours"), CdpAddress(browser.url), SystemClock(), bus)
    pool = BrowserPool(fleet, SystemClock(), bus)
    await pool.start()
    with pytest.raises(BrowserError, match="no filtering proxy"):
        await pool.acquire(ContextNeed("sofascore"), 60)
    await pool.stop()
    assert browser.is_alive
    await browser.contexts_were_closed()


async def test_a_page_in_it_has_no_way_past_the_proxy(tmp_path: Path, browser: RunningChromium, stage: Stage) -> None:
    """Where the command line is not ours, datagrams are taken out of the page."""
    bus = Signals()
    fleet = AttachedFleet(ChromiumOptions(tmp_path / "ours"), CdpAddress(browser.url), SystemClock(), bus)
    pool = BrowserPool(fleet, SystemClock(), bus)
    await pool.start()
    try:
        async with pool.lease(ContextNeed("sofascore", proxy="http://127.0.0.1:9"), 60) as lease:
            page = await lease.new_page()
            assert await lease.call(lambda: page.evaluate("typeof RTCPeerConnection"), 5) == "undefined"
            with pytest.raises(Exception, match="PROXY"):
                await lease.call(lambda: page.goto(stage.site.url + "/app.js"), 10)
    finally:
        await pool.stop()
    assert not stage.site.hits


async def test_stealth_in_it_is_refused_at_the_start(stage: Stage, browser: RunningChromium) -> None:
    with pytest.raises(SettingsError):
        async with stage.visitor({**cdp(browser.url), "sources.sofascore.stealth": "true"}):
            pass
