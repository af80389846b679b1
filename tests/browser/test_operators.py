"""What operators see and do beside the list: sources, who asked for what, and what was kept of a failure."""

import pytest
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]  # it has no types
from playwright.async_api import Page, expect

from longstop.domain.access import Scope
from longstop.observe import signals as facts
from tests.browser.conftest import Scheme, Visitor
from tests.browser.test_login import GuardedSite, guarded, sign_in
from tests.unit.serve.world import NOON

pytestmark = pytest.mark.req("H5", "G3")
__all__ = ["guarded"]
FILE = "error_pages/20251112T120000000000Z_crex_QUY.html"
HOSTILE = b"<script>document.title = 'taken'; alert(1)</script><h1>An old page</h1>"


async def shown(page: Page, site: GuardedSite, *scopes: Scope) -> None:
    await page.click("#desk-open")
    await expect(page.locator("#login")).to_be_visible()
    await sign_in(page, await site.key(*scopes))


async def test_a_source_is_switched_off_and_on_and_the_audit_tells_who_did(
    guarded: GuardedSite, visitor: Visitor
) -> None:
    async with visitor.page(guarded.url) as page:
        await shown(page, guarded, Scope.ADMIN)
        crex = page.locator("#sources .source", has_text="crex").first
        await expect(crex).to_contain_text("on · 1 match")
        await crex.get_by_role("button", name="Switch off…").click()
        await expect(page.locator("#ask")).to_contain_text("Switch off: crex")
        await page.locator("#ask-yes").click()
        await expect(page.locator("#ask-outcome")).to_have_text("Done: switch off, crex.")
        await page.keyboard.press("Escape")
        await expect(crex).to_contain_text("off")
        await expect(page.locator("#audit .happening").first).to_contain_text("disable source")
        await expect(page.locator("#audit .happening").first).to_contain_text("crex · done, asked by operator")
        await expect(crex.get_by_role("button", name="Switch on…")).to_be_focused()
        await page.keyboard.press("Enter")
        await page.keyboard.press("Enter")
        await expect(page.locator("#ask-outcome")).to_have_text("Done: switch on, crex.")
    assert guarded.operator.asked == ["source crex off", "source crex on"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_no_fault_with_what_operators_see(
    guarded: GuardedSite, visitor: Visitor, scheme: Scheme
) -> None:
    async with visitor.page(guarded.url, scheme=scheme, width=390 if scheme == "dark" else 1280) as page:
        await shown(page, guarded, Scope.ADMIN)
        await expect(page.locator("#sources .source")).to_have_count(2)
        await page.locator(".needs summary").last.click()
        found = await Axe().run(page)
        assert [(each["id"], each["nodes"][0]["html"]) for each in found.response["violations"]] == []
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_a_source_that_is_not_ready_says_why_and_offers_no_switch(guarded: GuardedSite, visitor: Visitor) -> None:
    async with visitor.page(guarded.url) as page:
        await shown(page, guarded, Scope.ADMIN)
        espn = page.locator("#sources .source", has_text="espn").last
        await expect(espn).to_contain_text("off · not ready")
        await expect(espn.get_by_role("button")).to_have_count(0)
        await espn.get_by_text("why").click()
        await expect(espn).to_contain_text("cannot watch espn yet")


async def test_what_operators_did_goes_with_their_login_and_readers_never_see_it(
    guarded: GuardedSite, visitor: Visitor
) -> None:
    async with visitor.page(guarded.url) as page:
        await shown(page, guarded, Scope.READ)
        await expect(page.locator("#desk-words")).to_contain_text("the scope admin is needed")
        await expect(page.locator("#desk-told")).to_be_hidden()
        await page.click("#session")
        await expect(page.locator("#session")).to_have_text("Sign in")
        await shown(page, guarded, Scope.ADMIN)
        await expect(page.locator("#sources .source")).to_have_count(2)
        await page.reload()
        await expect(page.locator("#sources .source")).to_have_count(2)
        await page.click("#session")
        await expect(page.locator("#desk-told")).to_be_hidden()
        await expect(page.locator("#sources .source")).to_have_count(0)


async def test_older_entries_of_the_audit_come_when_asked_for(guarded: GuardedSite, visitor: Visitor) -> None:
    for number in range(15):
        guarded.world.signals.emit(
            facts.AdminVerbUsed(
                at=NOON,
                verb=f"verb {number}",
                outcome="refused",
                request_id="r",
                detail="<img src=x onerror=alert(1)>",
                consumer="mallory",
            )
        )
    async with visitor.page(guarded.url) as page:
        await shown(page, guarded, Scope.ADMIN)
        lines = page.locator("#audit .happening")
        await expect(lines).to_have_count(12)
        # What was asked for before the login is there too: refused, once.
        await expect(lines.first).to_contain_text("refused, asked by anonymous")
        await expect(lines.nth(1)).to_contain_text("verb 14")
        await page.click("#audit-older")
        await expect(lines).to_have_count(16)
        await expect(lines.last).to_contain_text("verb 0")
        await expect(page.locator("#audit-older")).to_be_hidden()
    assert visitor.dialogs == []


async def test_what_was_kept_of_a_failure_opens_after_a_login_as_text(guarded: GuardedSite, visitor: Visitor) -> None:
    guarded.kept[FILE] = HOSTILE
    guarded.world.signals.emit(
        facts.ErrorRaised(
            at=NOON,
            severity="ERROR",
            error_type="parsing",
            error_message="The payload is no JSON.",
            hint="Look at the file.",
            match_id="crex_QUY",
            context={"evidence": [FILE, "../../etc/passwd"]},
        )
    )
    async with visitor.page(guarded.match_url()) as page:
        await expect(page.locator("#match")).to_contain_text("kept: ../../etc/passwd")
        link = page.get_by_role("link", name=FILE)
        await expect(page.locator("#match a[href*=evidence]")).to_have_count(1)
        await link.click()
        await expect(page.locator("#login-words")).to_contain_text("opened with a login")
        async with page.context.expect_page() as opened:
            await sign_in(page, await guarded.key(Scope.ADMIN))
        beside = await opened.value
        await expect(beside.locator("body")).to_contain_text(HOSTILE.decode())
        assert await beside.title() != "taken"
        async with page.context.expect_page() as again:
            await link.click()
        await expect((await again.value).locator("body")).to_contain_text("An old page")
    assert visitor.dialogs == []
