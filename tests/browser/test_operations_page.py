"""The operations page in a real browser: what an operator sees, and what nobody can make it do."""

from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import msgspec
import pytest
from playwright.async_api import expect

from longstop.domain.cricket import OverReport
from longstop.domain.match import MatchStatus, Names
from longstop.serve.server import ApiServer
from tests.browser.conftest import Scheme, Visitor
from tests.unit.serve.world import NAMES, SECOND, WICKET, World, ball

pytestmark = pytest.mark.req("H5")

PAYLOADS = (
    "<script>window.hit=1</script>",
    "<img src=x onerror=window.hit=1>",
    "<svg/onload=window.hit=1>",
    '"><script>window.hit=1</script>',
    "'-window.hit=1-'",
    "javascript:window.hit=1",
    "{{constructor.constructor('window.hit=1')()}}",
    "</template><script>window.hit=1</script>",
    "</title><script>window.hit=1</script>",
    "<iframe srcdoc='<script>parent.hit=1</script>'>",
    "<a href=javascript:window.hit=1>x</a>",
    "<style>*{display:none}</style>",
    "<base href=//evil.invalid/>",
    "<meta http-equiv=refresh content='0;url=//evil.invalid'>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=window.hit=1>",
    "\u202egnp.exe\u202d \u0000 \U0001f3cf",
    "&lt;script&gt;window.hit=1&lt;/script&gt;",
    "${window.hit=1}",
    "]]><script>window.hit=1</script>",
    "<img src='//evil.invalid/x.png'>",
)


class Site:
    """A world with a server in front of it that can go away and come back."""

    def __init__(self) -> None:
        self.world = World()
        self.server = ApiServer(self.world.app(), "127.0.0.1", 0)

    @property
    def url(self) -> str:
        return self.server.url

    async def restart(self) -> None:
        port = self.server.port
        await self.server.stop()
        self.server = ApiServer(self.world.app(), "127.0.0.1", port)


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    made = Site()
    await made.server.start()
    yield made
    await made.server.stop(deadline_seconds=1)


async def test_a_score_change_appears_without_a_reload(site: Site, visitor: Visitor) -> None:
    site.world.add()
    site.world.score()
    async with visitor.page(site.url) as page:
        australia = page.locator(".match .line").nth(1)
        await expect(page.locator("h1")).to_have_text("1 match live and fresh")
        await expect(australia.locator(".score")).to_have_text("95/3")
        await page.evaluate("window.stayed = true")
        overs = (
            OverReport(
                2, 12, (ball(2, 12, 1, 4), ball(2, 12, 2, dismissals=WICKET), ball(2, 12, 3, dismissals=WICKET))
            ),
        )
        site.world.score(innings=(msgspec.structs.replace(SECOND, wickets=4, runs=96),), overs=overs)
        await expect(australia.locator(".score")).to_have_text("96/4")
        await expect(page.locator(".ball.wicket")).to_have_count(2)
        await expect(page.locator(".balls")).to_have_attribute("aria-label", "Last balls: 4, wicket, wicket")
        assert await page.evaluate("window.stayed") is True
    assert visitor.complaints == []


async def test_hostile_names_run_nothing_and_call_nobody(site: Site, visitor: Visitor) -> None:
    """Attack A8."""
    site.world.names = Names(
        teams=dict(NAMES.teams) | {f"T{n}": payload for n, payload in enumerate(PAYLOADS)},
        teams_short={f"T{n}": payload for n, payload in enumerate(PAYLOADS)},
        series={f"S{n}": payload for n, payload in enumerate(PAYLOADS)},
    )
    for number, payload in enumerate(PAYLOADS):
        match_id = site.world.add(
            f"M{number}", teams=(f"T{number}", "AU"), title=payload, series=f"S{number}", format=payload
        )
        innings = (msgspec.structs.replace(SECOND, team=f"T{number}"),)
        site.world.score(f"M{number}", teams=(f"T{number}", "AU"), innings=innings, announcement=payload)
        site.world.fail(f"M{number}", message=payload)
        assert match_id in {watched.match_id for watched in site.world.board.matches()}
    async with visitor.page(site.url) as page:
        await expect(page.locator(".match")).to_have_count(len(PAYLOADS))
        await expect(page.locator(".trouble:visible")).to_have_count(len(PAYLOADS))
        await page.fill("#find", "<script>")
        await expect(page.locator("#found")).to_contain_text("of 20")
        assert await page.evaluate("window.hit") is None
        assert await page.locator(".match script, .match img, .match iframe, .match style, base").count() == 0
        await page.fill("#find", "")
        await expect(page.locator(".match")).to_have_count(len(PAYLOADS))
        assert set(await page.locator(".team").all_text_contents()) == {*PAYLOADS, "Australia"}
    assert visitor.complaints == []
    assert visitor.dialogs == []
    assert {urlsplit(url).netloc for url in visitor.requests} == {urlsplit(site.url).netloc}


async def test_a_lost_connection_is_said_and_its_return_too(site: Site, visitor: Visitor) -> None:
    site.world.add()
    site.world.score()
    async with visitor.page(site.url) as page:
        await expect(page.locator(".match")).to_have_count(1)
        await site.restart()
        lost = page.locator("#lost")
        await expect(lost).to_be_visible(timeout=15_000)
        await expect(lost).to_contain_text("What you see was true")
        await expect(page.locator("#spoken")).to_have_text("Connection to Longstop lost")
        await expect(page.locator(".match .score").first).to_have_text("234")
        await site.server.start()
        await expect(lost).to_be_hidden(timeout=15_000)
        await expect(page.locator(".match")).to_have_count(1)


async def test_a_match_that_goes_stale_rises_to_the_top(site: Site, visitor: Visitor) -> None:
    for key in ("AAA", "BBB", "ZZZ"):
        site.world.add(key, title=f"Match {key}")
    async with visitor.page(site.url) as page:
        await expect(page.locator("#s-play .match")).to_have_count(3)
        site.world.clock.advance(130)
        site.world.poll("AAA")
        site.world.poll("BBB")
        worst = page.locator(".match").first
        await expect(worst).to_contain_text("Match ZZZ")
        await expect(worst.locator(".word")).to_have_text("Degraded")
        await expect(worst.locator(".seconds")).to_have_text("2 min 10 s")
        await expect(page.locator("h1")).to_have_text("3 matches live, 1 needs attention")
        site.world.poll("ZZZ")
        await expect(page.locator("#s-play .match")).to_have_count(3)
    assert visitor.complaints == []


async def test_the_age_runs_on_between_two_answers(site: Site, visitor: Visitor) -> None:
    site.world.add()
    async with visitor.page(site.url) as page:
        await expect(page.locator(".seconds")).to_have_text("0 s")
        await page.route("**/ops/board*", lambda route: route.abort())
        await expect(page.locator(".seconds")).to_have_text("2 s", timeout=10_000)


async def test_a_database_that_is_away_is_said(site: Site, visitor: Visitor) -> None:
    site.world.store.is_down = True
    site.world.start()
    site.world.score()
    async with visitor.page(site.url) as page:
        await expect(page.locator("#store-lost")).to_be_visible()
        await expect(page.locator(".match")).to_have_count(1)


async def test_everything_can_be_reached_by_keyboard(site: Site, visitor: Visitor) -> None:
    site.world.add("AAA", title="Match AAA")
    site.world.add("BBB", title="Match BBB")
    site.world.add("CCC", title="Final CCC", status=MatchStatus.UPCOMING, is_watched=False)
    async with visitor.page(site.url) as page:
        await expect(page.locator(".match")).to_have_count(3)
        await page.keyboard.press("Tab")
        await expect(page.locator(".skip")).to_be_focused()
        await page.keyboard.press("/")
        await expect(page.locator("#find")).to_be_focused()
        await page.keyboard.type("match")
        await expect(page.locator(".match")).to_have_count(2)
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("ArrowDown")
        focused = page.locator(".match", has_text="Match BBB").locator("a.teams")
        await expect(focused).to_be_focused()
        await page.keyboard.press("ArrowUp")
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/cricket-data/match-info/crex_BBB")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 390, 820, 1280, 1920])
async def test_it_fits_every_width_in_both_schemes(site: Site, visitor: Visitor, width: int, scheme: Scheme) -> None:
    site.world.names = Names(
        teams={"IN": "Saint Bartholomew-on-the-Water Wanderers and District Eleven", "AU": "Q" * 90}
    )
    site.world.add()
    site.world.score(announcement="Match reduced to 38 overs a side after a long delay for rain and bad light")
    site.world.fail(message="x" * 280)
    async with visitor.page(site.url, width=width, scheme=scheme) as page:
        await expect(page.locator(".match .word")).to_have_text("In play")
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        dark = await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
        assert dark is (scheme == "dark")
        ball_box = await page.locator(".ball").first.bounding_box()
        story = await page.locator(".story").bounding_box()
        assert ball_box is not None
        assert story is not None
        assert ball_box["x"] + ball_box["width"] <= story["x"] + story["width"] + 1
    assert visitor.complaints == []


async def test_a_hidden_page_asks_nothing(site: Site, visitor: Visitor) -> None:
    site.world.add()
    async with visitor.page(site.url) as page:
        await expect(page.locator(".match")).to_have_count(1)
        hide = "hidden => { Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});"
        turn = hide + " document.dispatchEvent(new Event('visibilitychange')); }"
        await page.evaluate(turn, True)
        await page.wait_for_load_state("networkidle")
        asked = len(visitor.requests)
        await page.wait_for_timeout(2_500)
        assert len(visitor.requests) == asked
        async with page.expect_request("**/ops/board*"):
            await page.evaluate(turn, False)


async def test_a_thousand_matches_stay_quick(site: Site, visitor: Visitor) -> None:
    for number in range(1_000):
        site.world.add(f"M{number}", title=f"Match {number:04}")
        site.world.score(f"M{number}")
    async with visitor.page(site.url) as page:
        await expect(page.locator(".match")).to_have_count(1_000, timeout=20_000)
        await page.evaluate(
            """() => { window.longest = 0; new PerformanceObserver(list => {
                for (const entry of list.getEntries()) window.longest = Math.max(window.longest, entry.duration);
            }).observe({type: 'longtask'}); }"""
        )
        for number in range(0, 1_000, 10):
            site.world.score(f"M{number}", innings=(msgspec.structs.replace(SECOND, runs=96),))
        first = page.locator(".match", has_text="Match 0000")
        await expect(first.locator(".score").nth(1)).to_have_text("96/3")
        for _ in range(3):
            async with page.expect_response("**/ops/board*"):
                pass
        assert await page.evaluate("window.longest") < 400
        await page.fill("#find", "match 0999")
        await expect(page.locator(".match")).to_have_count(1)
    assert visitor.complaints == []
