"""The list of matches in a real browser: what an operator sees, and by what it is moved."""

import msgspec
import pytest
from playwright.async_api import expect

from longstop.domain.cricket import OverReport
from longstop.domain.match import MatchStatus, Names
from longstop.observe import signals as facts
from tests.browser.conftest import Scheme, Visitor
from tests.browser.stage import Site
from tests.unit.serve.world import SECOND, WICKET, ball, records

pytestmark = pytest.mark.req("H5")

WIDTHS = (320, 390, 820, 1280, 1920)


async def test_a_wicket_appears_without_a_reload(site: Site, visitor: Visitor) -> None:
    site.world.add()
    site.world.score()
    async with visitor.page(site.url) as page:
        australia = page.locator(".match .line").nth(1)
        await expect(page.locator("#headline")).to_have_text("1 match live and fresh")
        await expect(page.locator("#link-words")).to_have_text("Live")
        await expect(australia.locator(".score")).to_have_text("95/3")
        await page.evaluate("window.stayed = true")
        overs = (
            OverReport(
                2, 12, (ball(2, 12, 1, 4), ball(2, 12, 2, dismissals=WICKET), ball(2, 12, 3, dismissals=WICKET))
            ),
        )
        site.world.score(innings=(msgspec.structs.replace(SECOND, wickets=4, runs=96),), overs=overs)
        await expect(australia.locator(".score")).to_have_text("96/4")
        await expect(page.locator(".match .ball.wicket")).to_have_count(2)
        await expect(page.locator(".match .balls")).to_have_attribute("aria-label", "Last balls: 4, wicket, wicket")
        assert await page.evaluate("window.stayed") is True
    assert visitor.complaints == []


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
        await expect(page.locator("#headline")).to_have_text("3 matches live, 1 needs attention")
        site.world.poll("ZZZ")
        await expect(page.locator("#s-play .match")).to_have_count(3)
    assert visitor.complaints == []


async def test_the_worst_come_first_and_of_those_the_oldest(site: Site, visitor: Visitor) -> None:
    for key in ("OLD", "OLDER", "SICK", "WELL"):
        site.world.add(key, title=f"Match {key}")
    site.world.clock.advance(40)
    site.world.poll("OLD")
    site.world.clock.advance(130)
    site.world.poll("WELL")
    site.world.poll("SICK")
    for _ in range(6):
        site.world.fail("SICK")
    async with visitor.page(site.url) as page:
        await expect(page.locator(".match .word")).to_have_text(["Failing", "Degraded", "Degraded", "In play"])
        for at, key in enumerate(("SICK", "OLDER", "OLD", "WELL")):
            await expect(page.locator(".match").nth(at)).to_contain_text(f"Match {key}")


async def test_a_gap_is_shown_on_its_match_and_among_what_happened(site: Site, visitor: Visitor) -> None:
    site.world.add("AAA")
    site.world.add("BBB")
    async with visitor.page(site.url) as page:
        await expect(page.locator(".match")).to_have_count(2)
        site.world.open_gap("BBB")
        flag = page.locator(".match .flag.gap")
        await expect(flag).to_have_text("1 gap open")
        await expect(page.locator("#news .happening").first).to_contain_text("2 balls, 3 runs missing")
        await page.locator('label:has(input[value="gaps"])').click()
        await expect(page.locator(".match")).to_have_count(1)
        site.world.signals.emit(
            facts.GapClosed(at=site.world.clock.now(), match_id="crex_BBB", gap_id="g", innings=1, open_seconds=4)
        )
        await expect(page.locator(".match")).to_have_count(0)
        await expect(page.locator("#news .happening").first).to_contain_text("gap repaired")


async def test_how_bad_something_is_is_said_in_words_and_by_a_shape(site: Site, visitor: Visitor) -> None:
    site.world.add("AAA")
    site.world.add("BBB")
    for _ in range(6):
        site.world.fail("BBB")
    async with visitor.page(site.url) as page:
        await expect(page.locator(".match .word")).to_have_text(["Failing", "In play"])
        shape = "node => { const s = getComputedStyle(node); return [s.clipPath, s.borderRadius].join(' '); }"
        shapes = [await mark.evaluate(shape) for mark in await page.locator(".match .state .mark").all()]
        assert len(set(shapes)) == 2


async def test_the_instance_and_its_alerts_are_told(site: Site, visitor: Visitor) -> None:
    site.world.add()
    emit, now = site.world.signals.emit, site.world.clock.now()
    emit(facts.BrowsersMeasured(at=now, pool="plain", browsers=2, contexts=2, pages=3, pids=9, pss_bytes=1, waiting=4))
    emit(facts.BacklogMeasured(at=now, spool_records=7, down_seconds=61))
    emit(
        facts.AlertRaised(
            at=now, alert="stale match", severity="ERROR", message="It is overdue.", match_id="crex_QUY", hint="Wait."
        )
    )
    async with visitor.page(site.url) as page:
        await expect(page.locator("#f-browsers")).to_contain_text("4 wait")
        await expect(page.locator("#f-store")).to_contain_text("Away")
        await expect(page.locator("#f-store")).to_contain_text("for 1 min 1 s · 7 wait")
        told = page.locator("#news .happening").first
        await expect(told).to_contain_text("Error: stale match")
        await expect(told.get_by_role("link")).to_have_text("India v Australia, 3rd ODI")


async def test_matches_are_found_by_text_state_and_source(site: Site, visitor: Visitor) -> None:
    site.world.add("AAA", title="Match AAA")
    site.world.add("BBB", title="Match BBB", source="other")
    site.world.add("CCC", title="Final CCC", status=MatchStatus.UPCOMING, is_watched=False)
    async with visitor.page(site.url) as page:
        rows = page.locator(".match")
        await expect(rows).to_have_count(3)
        await page.fill("#find", "match aaa")
        await expect(rows).to_have_count(1)
        await expect(page.locator("#found")).to_have_text("1 of 3")
        await page.fill("#find", "nobody")
        await expect(page.locator("#nothing")).to_have_text("No match fits. Esc shows all again.")
        await page.keyboard.press("Escape")
        await expect(rows).to_have_count(3)
        await page.locator('label:has(input[value="upcoming"])').click()
        await expect(rows).to_have_count(1)
        await page.locator('label:has(input[value="all"])').click()
        await page.select_option("#source", "other")
        await expect(rows).to_have_count(1)


async def test_a_database_that_is_away_is_said(site: Site, visitor: Visitor) -> None:
    site.world.store.is_down = True
    site.world.start()
    site.world.score()
    async with visitor.page(site.url) as page:
        await expect(page.locator("#store-lost")).to_be_visible()
        await expect(page.locator("#f-store")).to_contain_text("Away")
        await expect(page.locator(".match")).to_have_count(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_it_fits_every_width_in_both_schemes(site: Site, visitor: Visitor, scheme: Scheme) -> None:
    site.world.names = Names(
        teams={"IN": "Saint Bartholomew-on-the-Water Wanderers and District Eleven", "AU": "Q" * 90}
    )
    site.world.add()
    site.world.score(announcement="Match reduced to 38 overs a side after a long delay for rain and bad light")
    site.world.store.ball_rows["crex_QUY"] = records(70)
    site.world.fail(message="x" * 280)
    site.world.open_gap()
    async with visitor.page(site.url, scheme=scheme) as page:
        await expect(page.locator(".match .word")).to_have_text("In play")
        assert await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") is (scheme == "dark")
        for width in WIDTHS:
            await page.set_viewport_size({"width": width, "height": 900})
            assert await page.evaluate("document.documentElement.scrollWidth") <= width, width
            ball_box = await page.locator(".match .ball").first.bounding_box()
            story = await page.locator(".match .story").bounding_box()
            assert ball_box is not None
            assert story is not None
            assert ball_box["x"] + ball_box["width"] <= story["x"] + story["width"] + 1, width
        await page.locator(".match .teams").click()
        await expect(page.locator("#match .over")).to_have_count(12)
        for width in WIDTHS:
            await page.set_viewport_size({"width": width, "height": 900})
            assert await page.evaluate("document.documentElement.scrollWidth") <= width, width
    assert visitor.complaints == []


async def test_light_and_dark_can_be_chosen_and_stay_chosen(site: Site, visitor: Visitor) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    async with visitor.page(site.url, scheme="light") as page:
        system = await page.evaluate(ground)
        await page.click("#theme")
        assert await page.evaluate(ground) == system
        await page.keyboard.press("t")
        await expect(page.locator("#theme")).to_have_attribute("aria-label", "Theme: dark")
        dark = await page.evaluate(ground)
        assert dark != system
        await page.reload()
        assert await page.evaluate(ground) == dark


async def test_whoever_asked_for_less_motion_gets_none(site: Site, visitor: Visitor) -> None:
    site.world.add()
    site.world.score()
    async with visitor.page(site.url, is_calm=True) as page:
        await expect(page.locator(".match .score").nth(1)).to_have_text("95/3")
        site.world.score(innings=(msgspec.structs.replace(SECOND, wickets=4),))
        await expect(page.locator(".match .line.fell")).to_have_count(1)
        assert await page.evaluate("document.getAnimations().length") == 0
