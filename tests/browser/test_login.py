"""A login from the page: an API key becomes a session, and the verbs want one."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from longstop.domain.access import Scope
from longstop.serve.entry.hall import Hall
from longstop.serve.entry.keys import make_key
from longstop.settings.serving import AuthSettings
from tests.browser.conftest import Visitor
from tests.browser.stage import Site
from tests.unit.serve.entry.house import settings_in
from tests.unit.serve.world import World

pytestmark = pytest.mark.req("H5", "G2")


class GuardedSite(Site):
    """With real keys; `open_reading` off shows nothing to whoever is not known."""

    def __init__(self, folder: Path, *, open_reading: bool) -> None:
        self.hall: Hall | None = None
        self._settings = settings_in(folder, auth=AuthSettings(open_reading=open_reading))
        super().__init__(lambda world: self._hall_of(world).entry())
        self.world.add()
        self.world.score()

    def _hall_of(self, world: World) -> Hall:
        self.hall = Hall(self._settings, world.clock, world.signals)
        return self.hall

    async def key(self, *scopes: Scope) -> str:
        assert self.hall is not None
        made = make_key("operator", frozenset(scopes), self.world.clock.now())
        await self.hall.store.add_key(made.key)
        await self.hall.directory.refresh()
        return made.plain


async def started(site: GuardedSite) -> AsyncIterator[GuardedSite]:
    assert site.hall is not None
    await site.hall.open()
    await site.server.start()
    yield site
    await site.close()
    await site.hall.close()


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[GuardedSite]:
    async for site in started(GuardedSite(tmp_path, open_reading=True)):
        yield site


@pytest.fixture
async def shut(tmp_path: Path) -> AsyncIterator[GuardedSite]:
    async for site in started(GuardedSite(tmp_path, open_reading=False)):
        yield site


async def sign_in(page: Page, key: str) -> None:
    await page.fill("#login-key", key)
    await page.keyboard.press("Enter")


async def test_a_verb_asks_for_a_login_and_is_done_after_it(guarded: GuardedSite, visitor: Visitor) -> None:
    async with visitor.page(guarded.match_url()) as page:
        await page.get_by_role("button", name="Restart").click()
        await page.locator("#ask-yes").click()
        await expect(page.locator("#login-words")).to_have_text("Restart needs a login.")
        assert guarded.operator.asked == []
        await sign_in(page, await guarded.key(Scope.ADMIN))
        await expect(page.locator("#ask-outcome")).to_have_text("Done: restart, crex_QUY.")
        assert guarded.operator.asked == ["restart crex_QUY"]
        await expect(page.locator("#session")).to_have_text("Sign out operator")


async def test_a_login_outlives_a_reload_and_ends_when_told(guarded: GuardedSite, visitor: Visitor) -> None:
    async with visitor.page(guarded.url) as page:
        await page.click("#session")
        await sign_in(page, await guarded.key(Scope.ADMIN))
        await expect(page.locator("#session")).to_have_text("Sign out operator")
        await page.reload()
        await expect(page.locator("#session")).to_have_text("Sign out operator")
        assert "longstop_session" not in await page.evaluate("document.cookie")
        await page.click("#session")
        await expect(page.locator("#session")).to_have_text("Sign in")
        assert await page.context.cookies() == []


async def test_a_wrong_key_is_refused_with_a_hint(guarded: GuardedSite, visitor: Visitor) -> None:
    async with visitor.page(guarded.url) as page:
        await page.click("#session")
        await sign_in(page, "lsk_wrong")
        await expect(page.locator("#login-outcome")).to_contain_text("The API key is not good")
        await expect(page.locator("#login-key")).to_be_focused()


async def test_a_key_that_may_only_read_is_told_so(guarded: GuardedSite, visitor: Visitor) -> None:
    async with visitor.page(guarded.match_url()) as page:
        await page.click("#session")
        await sign_in(page, await guarded.key(Scope.READ))
        await expect(page.locator("#session")).to_have_text("Sign out operator")
        await page.get_by_role("button", name="Pause").click()
        await page.locator("#ask-yes").click()
        await expect(page.locator("#ask-outcome")).to_contain_text("It needs the scope admin")
        assert guarded.operator.asked == []


async def test_where_reading_is_not_open_nothing_is_shown_before_a_login(shut: GuardedSite, visitor: Visitor) -> None:
    async with visitor.page(shut.url) as page:
        await expect(page.locator("#locked")).to_be_visible()
        await expect(page.locator("#login")).to_be_visible()
        assert await page.locator(".match").count() == 0
        await sign_in(page, await shut.key(Scope.READ))
        await expect(page.locator(".match")).to_have_count(1)
        await expect(page.locator("#locked")).to_be_hidden()
        await expect(page.locator("#link-words")).to_have_text("Live")
