"""A thousand matches on one page."""

import msgspec
import pytest
from playwright.async_api import Page, expect

from tests.browser.conftest import Visitor
from tests.browser.stage import Site
from tests.unit.serve.world import SECOND

MATCHES = 1_000
NODES_MAX = 16_000
# One frame of a screen at 60 Hz is 16 ms: an update must not be seen as a stutter, also on a busy machine.
UPDATE_MS_MAX = 100.0
LONGEST_MS_MAX = 400


async def next_frames(page: Page, count: int) -> None:
    """Asked again and again: the page's policy lets nobody wait inside it by a text."""
    wanted = count + int(await page.evaluate("longstopCost.frames"))
    while await page.evaluate("longstopCost.frames") < wanted:
        await page.wait_for_timeout(100)


@pytest.mark.req("H5")
async def test_a_thousand_matches_stay_quick(site: Site, visitor: Visitor) -> None:
    for number in range(MATCHES):
        site.world.add(f"M{number}", title=f"Match {number:04}")
        site.world.score(f"M{number}")
    async with visitor.page(site.url) as page:
        await expect(page.locator(".match")).to_have_count(MATCHES, timeout=20_000)
        assert await page.evaluate("document.querySelectorAll('*').length") < NODES_MAX
        await page.evaluate(
            """() => { Object.assign(longstopCost, {frames: 0, worst: 0, total: 0});
                window.longest = 0; new PerformanceObserver(list => {
                for (const entry of list.getEntries()) window.longest = Math.max(window.longest, entry.duration);
            }).observe({type: 'longtask'}); }"""
        )
        for turn in range(4):
            site.world.clock.advance(1)
            for number in range(turn, MATCHES, 3):
                site.world.poll(f"M{number}")
            for number in range(turn, MATCHES, 20):
                site.world.score(f"M{number}", innings=(msgspec.structs.replace(SECOND, runs=96 + turn),))
            await next_frames(page, 2)
        first = page.locator(".match", has_text="Match 0000")
        await expect(first.locator(".score").nth(1)).to_have_text("96/3")
        cost = await page.evaluate("longstopCost")
        assert cost["total"] / cost["frames"] < UPDATE_MS_MAX
        assert await page.evaluate("window.longest") < LONGEST_MS_MAX
        await page.keyboard.press("End")
        await expect(page.locator(".match").last.locator(".word")).to_have_count(1)
        assert await page.evaluate("document.querySelectorAll('*').length") < NODES_MAX
        await page.fill("#find", "match 0999")
        await expect(page.locator(".match")).to_have_count(1)
    assert visitor.complaints == []
