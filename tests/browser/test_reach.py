"""Who cannot use a mouse, cannot see, or has lost the connection: the page is for them too."""

import re

import pytest
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]  # it has no types
from playwright.async_api import Page, expect

from longstop.domain.match import MatchStatus
from tests.browser.conftest import Scheme, Visitor
from tests.browser.stage import Site
from tests.unit.serve.world import records

pytestmark = pytest.mark.req("H5")

# A row is ringed as a whole, a choice by the word beside it.
RING = """() => {
    const whole = document.activeElement.closest('.match, label') ?? document.activeElement;
    const ringed = whole.querySelector('input:focus-visible + span') ?? whole;
    const style = getComputedStyle(ringed);
    return ringed.matches('.skip') || (parseFloat(style.outlineWidth) > 0 && style.outlineStyle !== 'none');
}"""


async def test_everything_can_be_reached_by_keyboard(site: Site, visitor: Visitor) -> None:
    site.world.add("AAA", title="Match AAA")
    site.world.add("BBB", title="Match BBB")
    site.world.add("CCC", title="Final CCC", status=MatchStatus.UPCOMING, is_watched=False)
    async with visitor.page(site.url) as page:
        press = page.keyboard.press
        await expect(page.locator(".match")).to_have_count(3)
        await press("Tab")
        await expect(page.locator(".skip")).to_be_focused()
        await press("/")
        await expect(page.locator("#find")).to_be_focused()
        await page.keyboard.type("match")
        await expect(page.locator(".match")).to_have_count(2)
        await press("ArrowDown")
        await press("j")
        second = page.locator(".match", has_text="Match BBB").locator("a.teams")
        await expect(second).to_be_focused()
        await press("k")
        await press("ArrowDown")
        await expect(second).to_be_focused()
        await press("Enter")
        await page.wait_for_url("**/match/crex_BBB")
        await expect(page.locator("#match h1")).to_be_focused()
        await press("Tab")
        await expect(page.get_by_role("button", name="Restart")).to_be_focused()
        await press("Enter")
        await expect(page.locator("#ask-yes")).to_be_focused()
        await press("Enter")
        await expect(page.locator("#ask-outcome")).to_have_text("Done: restart, crex_BBB.")
        await press("Escape")
        await expect(page.get_by_role("button", name="Restart")).to_be_focused()
        await press("Escape")
        await page.wait_for_url(site.url + "/")
        await expect(second).to_be_focused()
        await press("?")
        await expect(page.locator("#keys")).to_be_visible()
        await press("Escape")
        await press("Escape")
        await expect(page.locator(".match")).to_have_count(3)
    assert visitor.complaints == []


async def test_what_is_focused_can_be_seen(site: Site, visitor: Visitor) -> None:
    site.world.add()
    async with visitor.page(site.url) as page:
        await expect(page.locator(".match .word")).to_have_count(1)
        seen = set()
        for _ in range(14):
            await page.keyboard.press("Tab")
            name = await page.evaluate("document.activeElement.className || document.activeElement.id")
            seen.add(name)
            if name:
                assert await page.evaluate(RING), name
        assert {"skip", "wordmark", "find", "teams"} <= seen


async def test_back_of_the_browser_leads_back(site: Site, visitor: Visitor) -> None:
    site.world.add()
    async with visitor.page(site.url) as page:
        await page.locator(".match .teams").click()
        await expect(page.locator("#match h1")).to_have_text("India v Australia")
        await page.go_back()
        await expect(page.locator("#headline")).to_be_visible()
        await expect(page.locator(".match .teams")).to_be_focused()
        await page.go_forward()
        await expect(page.locator("#match h1")).to_have_text("India v Australia")


async def faults_of(page: Page) -> list[str]:
    result = await Axe().run(page)
    violations = result.response["violations"]
    return [
        f"{each['id']}: {node['html'][:160]}"
        for each in violations
        if each["impact"] in {"serious", "critical", "moderate"}
        for node in each["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_no_fault_on_either_page(site: Site, visitor: Visitor, scheme: Scheme) -> None:
    site.world.add("AAA")
    site.world.score("AAA")
    site.world.add("BBB")
    for _ in range(6):
        site.world.fail("BBB")
    site.world.open_gap("AAA")
    site.world.reject("runs fell", key="AAA")
    site.world.add("CCC", status=MatchStatus.UPCOMING, is_watched=False)
    site.world.add("DDD", status=MatchStatus.COMPLETED, is_watched=False)
    site.world.store.ball_rows["crex_AAA"] = records(20)
    async with visitor.page(site.url, scheme=scheme) as page:
        await expect(page.locator(".match .word")).to_have_count(4)
        assert await faults_of(page) == []
        await page.click("#actions-button")
        await page.get_by_role("button", name="Watch a match…").click()
        assert await faults_of(page) == []
        await page.keyboard.press("Escape")
        await page.locator(".match a[href='/match/crex_AAA']").click()
        await page.locator("#match .sheet summary").nth(1).click()
        await expect(page.locator("#match .over")).to_have_count(4)
        assert await faults_of(page) == []


async def test_a_lost_connection_is_said_and_its_return_too(site: Site, visitor: Visitor) -> None:
    site.world.add()
    site.world.score()
    async with visitor.page(site.url) as page:
        await expect(page.locator(".match")).to_have_count(1)
        await site.go_away()
        lost = page.locator("#lost")
        await expect(lost).to_be_visible(timeout=15_000)
        await expect(lost).to_contain_text("What you see was true")
        await expect(page.locator("#link-words")).to_have_text("Lost")
        await expect(page.locator("#spoken")).to_have_text("Connection to Longstop lost")
        await expect(page.locator(".match .score").first).to_have_text("234")
        await site.server.start()
        await expect(lost).to_be_hidden(timeout=20_000)
        await expect(page.locator(".match")).to_have_count(1)
        await expect(page.locator("#link-words")).to_have_text("Live", timeout=20_000)


async def test_without_a_stream_the_page_asks(site: Site, visitor: Visitor) -> None:
    site.world.add()
    async with visitor.page("about:blank") as page:
        await page.route("**/ops/stream*", lambda route: route.fulfill(status=503))
        await page.goto(site.url)
        await expect(page.locator("#link-words")).to_have_text("Asking each second", timeout=10_000)
        site.world.add("NEW")
        await expect(page.locator(".match")).to_have_count(2, timeout=10_000)


async def test_the_age_runs_on_between_two_frames(site: Site, visitor: Visitor) -> None:
    site.world.add()
    async with visitor.page("about:blank") as page:
        await page.route("**/ops/stream*", lambda route: route.fulfill(status=503))
        await page.goto(site.url)
        await expect(page.locator(".seconds")).to_have_text("0 s")
        await page.route("**/ops/board*", lambda route: route.abort())
        await expect(page.locator(".seconds")).to_have_text(re.compile("^[2-9] s$"), timeout=10_000)


async def test_a_hidden_page_hears_nothing_and_takes_up_again(site: Site, visitor: Visitor) -> None:
    site.world.add()
    async with visitor.page(site.url) as page:
        await expect(page.locator(".match")).to_have_count(1)
        hide = "hidden => { Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});"
        turn = hide + " document.dispatchEvent(new Event('visibilitychange')); }"
        await page.evaluate(turn, True)
        heard = await page.evaluate("longstopCost.frames")
        site.world.add("NEW")
        await page.wait_for_timeout(1_500)
        assert await page.evaluate("longstopCost.frames") == heard
        async with page.expect_request("**/ops/stream?after=*.*.*"):
            await page.evaluate(turn, False)
        await expect(page.locator(".match")).to_have_count(2)
