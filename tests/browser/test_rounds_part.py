"""The rounds on the operations page: how far each is, and the dead letters of one that failed."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]  # it has no types
from playwright.async_api import expect

from longstop.clock import SystemClock
from longstop.domain.rounds import Lease, RoundRef
from longstop.jobs.rounds.desk import RoundsDesk
from longstop.observe.signals import Signals
from longstop.serve.rounds.progress import Progress
from longstop.serve.rounds.routes import RoundsCounter
from longstop.store.rounds.journal import RoundJournal
from longstop.store.sqlite import SqliteStore
from tests.browser.conftest import Scheme, Visitor
from tests.browser.stage import Site
from tests.contract.store.round_samples import error, job, listing, match, taker
from tests.unit.serve.world import NOON

pytestmark = pytest.mark.req("H5", "E4")
REFS = {name: RoundRef("brasileirao", "serie-a", 2026, number) for number, name in enumerate(("fine", "bad", "new"), 1)}


class Rounds:
    """A site with a journal: one round done, one with a dead letter, one only asked for."""

    def __init__(self, folder: Path) -> None:
        self.store = SqliteStore(folder / "rounds.db")
        self.journal = RoundJournal(self.store)
        clock = SystemClock()
        desk = RoundsDesk(self.journal, clock, Signals())
        # Nothing is read again here, so nobody is there who could.
        counter = RoundsCounter("brasileirao", desk, None, Progress(desk, clock))  # type: ignore[arg-type]  # see above
        self.site = Site(rounds=counter)

    async def open(self) -> None:
        await self.store.open()
        await self.listed("fine")
        for lease in await self.taken():
            await self.journal.finish(lease, match(self.key(lease)), NOON)
        await self.listed("bad")
        first, *rest = await self.taken()
        await self.journal.fail(first, error(is_permanent=True), ("error_pages/x.html",), NOON, None)
        for lease in rest:
            await self.journal.finish(lease, match(self.key(lease)), NOON)
        await self.journal.ask(job("new", REFS["new"], at=NOON))
        await self.site.server.start()

    async def listed(self, name: str) -> None:
        await self.journal.ask(job(name, REFS[name], at=NOON - timedelta(minutes=5)))
        (lease,) = await self.journal.take_jobs("brasileirao", taker(at=NOON))
        found = [listing(f"{name}{number}") for number in range(10)]
        await self.journal.list_round(lease, found, NOON)

    async def taken(self) -> list[Lease]:
        return await self.journal.take("brasileirao", taker(at=NOON))

    def key(self, lease: Lease) -> str:
        assert lease.task is not None
        return lease.task.key

    async def close(self) -> None:
        await self.site.close()
        await self.store.close()


@pytest.fixture
async def rounds(tmp_path: Path) -> AsyncIterator[Rounds]:
    made = Rounds(tmp_path)
    await made.open()
    yield made
    await made.close()


async def test_a_round_that_failed_shows_its_dead_letters_by_keyboard(rounds: Rounds, visitor: Visitor) -> None:
    async with visitor.page(rounds.site.url) as page:
        lines = page.locator("#rounds .round")
        await expect(lines).to_have_count(3)
        await expect(lines.first).to_contain_text("serie-a 2026, round 3")
        await expect(lines.first).to_contain_text("Its matches are not known yet")
        failed = page.locator(".round", has_text="round 2")
        await expect(failed).to_contain_text("9 of 10 done, 1 failed")
        await expect(page.locator(".round", has_text="round 1").locator("details")).to_be_hidden()
        await page.keyboard.press("r")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await expect(failed.locator(".letters li")).to_contain_text("Home bad0 v Away bad0")
        await expect(failed.locator(".letters li")).to_contain_text("It broke.")
        await expect(failed.locator(".letters li")).to_contain_text("error_pages/x.html")
    assert visitor.complaints == []


async def test_a_bar_adds_up_and_moves_while_somebody_looks(rounds: Rounds, visitor: Visitor) -> None:
    async with visitor.page(rounds.site.url) as page:
        bar = page.locator(".round", has_text="round 2").locator(".bar")
        await expect(bar).to_have_attribute("aria-label", "9 of 10 done, 1 failed")
        widths = await bar.evaluate("each => [...each.children].map((part) => part.offsetWidth)")
        assert sum(widths) == pytest.approx(await bar.evaluate("each => each.clientWidth"), abs=3)
        assert widths[0] == pytest.approx(9 * widths[1], rel=0.05)
        await rounds.journal.retry({"bad": ["bad0"]}, NOON)
        await expect(bar).to_have_attribute("aria-label", "9 of 10 done, 1 pending", timeout=15_000)


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_no_fault_with_rounds(rounds: Rounds, visitor: Visitor, scheme: Scheme) -> None:
    async with visitor.page(rounds.site.url, scheme=scheme, width=390 if scheme == "dark" else 1280) as page:
        await page.locator(".round summary:visible").click()
        await expect(page.locator(".letters li")).to_have_count(1)
        found = await Axe().run(page)
        assert [(each["id"], each["nodes"][0]["html"]) for each in found.response["violations"]] == []
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
