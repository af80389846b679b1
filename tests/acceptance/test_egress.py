"""A1: nothing leaves for where it may not go, neither by our own calls nor by a real browser."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from longstop.clock import SystemClock
from longstop.fetch.browser.command_line import switches
from longstop.fetch.egress.guard import rules_for
from longstop.fetch.egress.proxy import FilteringProxy, Lease
from longstop.fetch.egress.resolver import PinnedResolver
from tests.acceptance.hostile_page import Canaries, HostileSite

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = os.environ.get("LONGSTOP_CHROMIUM") or shutil.which("chromium") or ""
LOAD_MILLIS = 40_000
HEAR_SECONDS = 20.0
AT_LEAST = {"address": 21, "port": 1, "udp": 1}


@pytest.fixture
async def canaries() -> AsyncIterator[Canaries]:
    made = Canaries()
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
async def site(canaries: Canaries) -> AsyncIterator[HostileSite]:
    made = HostileSite(canaries)
    await made.start()
    yield made
    await made.stop()


async def no_name(host: str) -> list[str]:
    raise AssertionError(host)


@asynccontextmanager
async def leased(site: HostileSite, *, with_password: bool) -> AsyncIterator[tuple[FilteringProxy, Lease]]:
    proxy = FilteringProxy(SystemClock())
    resolver = PinnedResolver(rules_for("crex", site.base_url), no_name, SystemClock())
    try:
        yield proxy, await proxy.admit(resolver, "hostile page", with_password=with_password)
    finally:
        await proxy.close()


async def let_loose(
    site: HostileSite,
    proxy: Mapping[str, str] | None,
    hear: Callable[[], Awaitable[None]] | None = None,
) -> dict[str, str]:
    """Opens the hostile pages in a real Chromium, and returns what the page itself could tell. The browser stays
    until `hear` has heard enough."""
    playwright = pytest.importorskip("playwright.async_api", reason="the extra `browser` is not installed")
    if not CHROMIUM:
        pytest.skip("there is no chromium on this machine; set LONGSTOP_CHROMIUM")
    async with playwright.async_playwright() as driver:
        # As the pool starts it, but for the mark by which the pool finds its own.
        arguments = switches("", None)[1:] if proxy else []
        browser = await driver.chromium.launch(executable_path=CHROMIUM, args=arguments)
        context = await browser.new_context(proxy=proxy)
        page = await context.new_page()
        # Some of what the page asks for may hang for as long as it likes; it says by its title that its tries are over.
        await page.goto(site.base_url, timeout=LOAD_MILLIS, wait_until="commit")
        await page.wait_for_function("document.title === 'done'", timeout=LOAD_MILLIS)
        told: dict[str, str] = await page.evaluate("window.told")
        assert not [frame.url for frame in page.frames if frame.url.startswith(("file:", "chrome:"))]
        for way_out in ("/leave", "/meta", "/hop/5"):
            await leave(page, site.base_url + way_out, playwright.Error)
        if hear is not None:
            await hear()
        await browser.close()
    return told


async def leave(page: Any, url: str, error: type[Exception]) -> None:
    other = await page.context.new_page()
    try:
        await other.goto(url, timeout=LOAD_MILLIS)
        await other.wait_for_url(lambda now: not now.startswith(url), timeout=2000)
    except error:
        pass  # it was kept in, or led to an error page; what counts is who came to the canaries
    finally:
        await other.close()


@pytest.mark.req("D3")
@pytest.mark.parametrize("with_password", [False, True])
async def test_a_hostile_page_in_a_real_browser_reaches_nobody(
    site: HostileSite, canaries: Canaries, with_password: bool
) -> None:
    async with leased(site, with_password=with_password) as (proxy, lease):
        told = await let_loose(site, lease.playwright_proxy())
        assert canaries.packets == 0, canaries.came
        assert lease.traffic.refused > 20
        assert lease.traffic.requests > lease.traffic.refused
        assert {each.reason for each in proxy.refusals} <= {"host", "port", "address"}
    assert told["file"] == told["secure"] == told["socket"] == "kept in"


async def test_the_same_page_without_the_proxy_reaches_the_canaries(site: HostileSite, canaries: Canaries) -> None:
    """The control: these tricks work, so a canary that hears nothing means something."""
    await let_loose(site, None, lambda: canaries.hear_of(AT_LEAST, HEAR_SECONDS))
    assert {place: min(canaries.came[place], count) for place, count in AT_LEAST.items()} == AT_LEAST, canaries.came


@pytest.mark.req("D3")
def test_no_forbidden_address_is_ever_connected_to() -> None:
    """In a process that watches its own connect calls and stops those to other machines; without a network where the
    machine lets us make such a place."""
    command = [sys.executable, "-m", "tests.acceptance.forbidden_addresses"]
    alone = ["unshare", "-Urn", *command]
    can_be_alone = (
        shutil.which("unshare")
        and subprocess.run(["unshare", "-Urn", "true"], capture_output=True, check=False).returncode == 0
    )
    done = subprocess.run(
        alone if can_be_alone else command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["forbidden_connects"] == []
    assert found["names_looked_up"] == []
    assert found["allowed_connects"] > 0
    assert found["refused"] == found["tried"] > 240
