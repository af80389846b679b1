"""The page of one match in a real browser."""

from datetime import timedelta

import msgspec
import pytest
from playwright.async_api import Locator, Page, expect

from longstop.domain.errors import IllegalTransitionError
from longstop.domain.events import Gap, GapState
from longstop.observe import signals as facts
from tests.browser.conftest import Visitor
from tests.browser.stage import Site
from tests.unit.serve.world import FIRST, NOON, SECOND, ball, records

pytestmark = pytest.mark.req("H5")


@pytest.fixture
def told(site: Site) -> Site:
    """A match with balls, a correction, a gap, a payload that was held back, an error with evidence, a new pace."""
    world = site.world
    world.add()
    world.score()
    balls = records(13)
    corrected = ball(1, 0, 3, 6)
    balls.append(msgspec.structs.replace(balls[2], revision=2, delivery=corrected, captured_at=NOON + timedelta(60)))
    world.store.ball_rows["crex_QUY"] = balls
    world.store.gap_rows["crex_QUY"] = [
        Gap("crex_QUY", "g", 1, 2, 3, GapState.OPEN, "the feed does not answer", NOON, missing_balls=9, missing_runs=4)
    ]
    emit = world.signals.emit
    emit(
        facts.ErrorRaised(
            at=NOON,
            severity="ERROR",
            error_type="parsing",
            error_message="The payload is no JSON.",
            hint="Look at the file.",
            match_id="crex_QUY",
            context={"evidence": ["error_pages/20251112T120000000000Z_crex_QUY.html"]},
        )
    )
    emit(facts.PaceChanged(at=NOON, match_id="crex_QUY", before_seconds=2.5, seconds=30, reason="a break"))
    world.reject("runs fell from 95 to 12")
    return site


def part(page: Page, title: str) -> Locator:
    return page.locator("#match .side section", has=page.get_by_role("heading", name=title))


async def test_a_match_has_a_page_with_all_that_is_known_of_it(told: Site, visitor: Visitor) -> None:
    async with visitor.page(told.match_url()) as page:
        match = page.locator("#match")
        await expect(match.locator("h1")).to_have_text("India v Australia")
        await expect(match.locator(".bigscore .score")).to_have_text(["234", "95/3"])
        await expect(match.locator(".facts")).to_contain_text("every 30 s")
        await expect(match.locator(".facts")).to_contain_text("Wankhede Stadium")
        await expect(part(page, "Gaps")).to_contain_text("Innings 1, overs 3 to 4 · 9 balls, 4 runs missing")
        await expect(part(page, "Held back")).to_contain_text("runs fell from 95 to 12")
        await expect(part(page, "Errors")).to_contain_text("kept: error_pages/20251112T120000000000Z_crex_QUY.html")
        await expect(part(page, "Corrections")).to_contain_text("2 became 6")
        await expect(part(page, "Pace")).to_contain_text("a break; before that every 2.5 s")
        await expect(part(page, "Sources")).to_contain_text("payload abababab")
    assert visitor.complaints == []


async def test_the_ledger_is_shown_by_overs_and_held_against_the_board(told: Site, visitor: Visitor) -> None:
    async with visitor.page(told.match_url()) as page:
        sheets = page.locator("#match .sheet")
        await expect(sheets.locator("h2")).to_contain_text(["Australia 95/3", "India 234"])
        await sheets.nth(1).locator("summary").click()
        overs = sheets.nth(1).locator(".over")
        await expect(overs.locator(".number")).to_have_text(["3", "2", "1"])
        first = overs.nth(2)
        await expect(first.locator(".balls")).to_have_attribute("aria-label", "dot, 1, 6, corrected, 3, 4, dot")
        await expect(first.locator(".sum")).to_have_text("14 runs")
        await expect(sheets.nth(1).locator(".audit")).to_contain_text("Board and balls differ: ")
        card = sheets.nth(1).locator("table").first
        await expect(card.locator("tbody tr").first).to_contain_text("Smriti Mandhana")


async def test_an_over_that_is_not_in_the_record_is_shown_as_missing(told: Site, visitor: Visitor) -> None:
    rows = told.world.store.ball_rows["crex_QUY"]
    told.world.store.ball_rows["crex_QUY"] = [row for row in rows if row.place.over != 1]
    async with visitor.page(told.match_url()) as page:
        await page.locator("#match .sheet summary").nth(1).click()
        await expect(page.locator("#match .over.missing")).to_have_text("2Not in the record")


async def test_a_ball_appears_on_the_page_of_its_match(told: Site, visitor: Visitor) -> None:
    async with visitor.page(told.match_url()) as page:
        over = page.locator("#match .over")
        await expect(page.locator("#match .sheet")).to_have_count(2)
        await expect(over).to_have_count(3)
        new = records(1)[0]
        bowled = ball(2, 12, 4, 4)
        told.world.store.ball_rows["crex_QUY"].append(msgspec.structs.replace(new, place=bowled.place, delivery=bowled))
        told.world.score(innings=(FIRST, msgspec.structs.replace(SECOND, runs=99)))
        await expect(page.locator("#match .bigscore .score").nth(1)).to_have_text("99/3")
        await expect(over).to_have_count(4, timeout=8_000)


async def test_a_match_that_nobody_knows_is_said_to_be_unknown(site: Site, visitor: Visitor) -> None:
    async with visitor.page(site.match_url("crex_NOBODY")) as page:
        await expect(page.locator("#match")).to_contain_text("No match has the id crex_NOBODY.")
        await expect(page.locator("#match .acts")).to_be_hidden()
        await page.click(".back")
        await expect(page.locator("#headline")).to_be_visible()


async def test_a_match_whose_teams_nobody_has_told_is_called_by_its_key(site: Site, visitor: Visitor) -> None:
    site.world.add("Z9X", teams=("", ""), title="Z9X", is_watched=False)
    async with visitor.page(site.url) as page:
        link = page.get_by_role("link", name="Z9X")
        box = await link.bounding_box()
        assert box is not None
        assert box["height"] > 10
        await link.click()
        await expect(page.locator("#match h1")).to_have_text("Z9X")
        await expect(page.locator("#match .acts")).to_be_visible()


async def test_without_the_database_the_page_shows_what_memory_knows(told: Site, visitor: Visitor) -> None:
    told.world.store.is_down = True
    async with visitor.page(told.match_url()) as page:
        await expect(page.locator("#match")).to_contain_text("The database does not answer: this is what is known")
        await expect(page.locator("#match .bigscore .score")).to_have_text(["234", "95/3"])


async def test_a_verb_is_confirmed_first_and_its_outcome_is_told(told: Site, visitor: Visitor) -> None:
    async with visitor.page(told.match_url()) as page:
        await page.get_by_role("button", name="Restart").click()
        dialog = page.locator("#ask")
        await expect(dialog).to_contain_text("Restart: India v Australia, 3rd ODI")
        await dialog.get_by_role("button", name="Cancel").click()
        assert told.operator.asked == []
        await page.get_by_role("button", name="Restart").click()
        await dialog.get_by_role("button", name="Restart").click()
        await expect(page.locator("#ask-outcome")).to_have_text("Done: restart, crex_QUY.")
        assert told.operator.asked == ["restart crex_QUY"]
        await page.keyboard.press("Escape")
        await expect(dialog).to_be_hidden()
        await expect(page.get_by_role("button", name="Restart")).to_be_focused()


async def test_the_way_to_a_match_can_be_chosen(told: Site, visitor: Visitor) -> None:
    async with visitor.page(told.match_url()) as page:
        await page.get_by_role("button", name="Choose its way").click()
        await page.select_option("#ask select", "dom")
        await page.locator("#ask-yes").click()
        await expect(page.locator("#ask-outcome")).to_have_text("Done: choose its way, crex_QUY.")
        assert told.operator.asked == ["rung crex_QUY dom"]


async def test_a_verb_that_is_refused_says_why(told: Site, visitor: Visitor) -> None:
    told.operator.refusal = IllegalTransitionError("crex_QUY is being replaced already.")
    async with visitor.page(told.match_url()) as page:
        await page.get_by_role("button", name="Pause").click()
        await page.locator("#ask").get_by_role("button", name="Pause").click()
        await expect(page.locator("#ask-outcome")).to_contain_text("crex_QUY is being replaced already.")
        await expect(page.locator("#ask-yes")).to_be_enabled()


async def test_what_does_not_suit_a_match_is_not_offered(told: Site, visitor: Visitor) -> None:
    async with visitor.page(told.match_url()) as page:
        await expect(page.get_by_role("button", name="Resume")).to_be_disabled()
        told.world.signals.emit(
            facts.MatchPaused(at=NOON, match_id="crex_QUY", scraper_id="s", seconds=600, reason="asked for")
        )
        await expect(page.get_by_role("button", name="Resume")).to_be_enabled()
        await expect(page.get_by_role("button", name="Pause")).to_be_disabled()
        await expect(page.locator("#match .word")).to_have_text("Resting")


async def test_verbs_of_the_instance_are_in_a_menu(site: Site, visitor: Visitor) -> None:
    async with visitor.page(site.url) as page:
        await page.click("#actions-button")
        await page.get_by_role("button", name="Watch a match…").click()
        await page.locator("#ask input").fill("http://127.0.0.1/match")
        await page.keyboard.press("Enter")
        await expect(page.locator("#ask-outcome")).to_have_text("Done: watch a match, crex_NEW.")
        await page.keyboard.press("Escape")
        await page.click("#actions-button")
        await page.get_by_role("button", name="Reload settings…").click()
        await page.locator("#ask").get_by_role("button", name="Reload").click()
        await expect(page.locator("#ask-outcome")).to_have_text("Done: nothing has changed.")
        assert site.operator.asked == ["start http://127.0.0.1/match", "reload"]
