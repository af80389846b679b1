"""`make screenshots`: the operations page in light and dark, on a desktop and a phone, into var/screenshots."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from playwright.async_api import Browser, Page, async_playwright, expect

from tests.browser.conftest import SWITCHES, chromium_path
from tests.browser.season import FAILING, Season

FOLDER = Path("var/screenshots")
SCREENS = (("desktop", 1440, 900), ("phone", 390, 844))
Scene = Callable[[Page, Season], Awaitable[None]]


async def board(page: Page, season: Season) -> None:
    await page.goto(season.site.url)
    await expect(page.locator(".match .word").first).to_be_visible()


async def match(page: Page, season: Season) -> None:
    await page.goto(season.site.match_url("crex_M2"))
    await expect(page.locator("#match .over").first).to_be_visible()


async def stale_match(page: Page, season: Season) -> None:
    await page.goto(season.site.match_url(f"crex_M{FAILING}"))
    await expect(page.locator("#match .over").first).to_be_visible()


async def gap(page: Page, season: Season) -> None:
    await page.goto(season.site.match_url("crex_M3"))
    await expect(page.locator("#match .over").first).to_be_visible()


async def confirmation(page: Page, season: Season) -> None:
    await match(page, season)
    await page.get_by_role("button", name="Restart").click()


async def login(page: Page, season: Season) -> None:
    await board(page, season)
    await page.click("#session")


async def operators(page: Page, season: Season) -> None:
    """What the verbs are asked for is answered by the picture, since nobody keeps an audit of this season."""
    entry = {"request_id": "r", "key_id": "k", "at": "2026-11-12T12:03:00Z", "reason": "", "detail": ""}
    entries = [
        entry | {"entry_id": "3", "verb": "pause", "subject": "crex_M2", "consumer": "dora", "outcome": "done"},
        entry
        | {"entry_id": "2", "verb": "enable source", "subject": "espn", "consumer": "dora", "outcome": "failed"}
        | {"detail": "espn cannot be switched on: this Longstop cannot watch espn yet."},
        entry
        | {"entry_id": "1", "verb": "recycle", "subject": "instance", "consumer": "visitor", "outcome": "refused"}
        | {"detail": "It needs the scope admin; the token has read."},
    ]
    audit = {"entries": entries, "count": 3, "next": "1", "recoveries": []}
    await page.route("**/admin/audit*", lambda route: route.fulfill(json=audit))
    await board(page, season)
    await page.click("#desk-open")
    await page.locator("#desk").scroll_into_view_if_needed()
    await expect(page.locator("#audit .happening")).to_have_count(3)


async def keys(page: Page, season: Season) -> None:
    await board(page, season)
    await page.keyboard.press("?")


async def lost(page: Page, season: Season) -> None:
    await board(page, season)
    await page.route("**/ops/**", lambda route: route.abort())
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await expect(page.locator("#lost")).to_be_visible(timeout=15_000)


SCENES: dict[str, Scene] = {
    scene.__name__.replace("_", "-"): scene
    for scene in (board, match, stale_match, gap, confirmation, login, operators, keys, lost)
}
WHOLE = {"match", "gap", "stale-match"}


async def take(browser: Browser, season: Season, wanted: set[str]) -> None:
    for scheme in ("light", "dark"):
        for screen, width, height in SCREENS:
            context = await browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
            )
            for name in [name for name in SCENES if not wanted or name in wanted]:
                page = await context.new_page()
                await SCENES[name](page, season)
                await page.screenshot(path=FOLDER / f"{name}-{screen}-{scheme}.png", full_page=name in WHOLE)
                await page.close()
            await context.close()


async def main(wanted: set[str]) -> None:
    season = Season()
    season.break_the_ledger()
    await season.site.server.start()
    async with async_playwright() as playwright:
        path = chromium_path(playwright.chromium.executable_path)
        browser = await playwright.chromium.launch(executable_path=path, args=list(SWITCHES))
        await take(browser, season, wanted)
        await browser.close()
    await season.site.close()


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(set(sys.argv[1:])))
    sys.stdout.write(f"The pictures lie in {FOLDER}.\n")
