"""The football match page in a real Chromium: it fills itself by its own calls, and most of its weight is not facts."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from playwright.async_api import Page, Response, Route

from longstop_origin.football.fixture import Fixture
from longstop_origin.football.guards import FootballGuards
from longstop_origin.football.server import FootballServer, serve_football
from longstop_origin.football.world import FootballOptions, FootballWorld
from tests.browser.conftest import Visitor
from tests.football import EPOCH

LOADED = "document.body.dataset.state === 'loaded'"
HEAVY = ("image", "media", "font", "stylesheet")
SAVED_AT_LEAST = 0.85


@pytest.fixture
async def server() -> AsyncIterator[FootballServer]:
    moment = [EPOCH]
    world = FootballWorld(FootballOptions(epoch=EPOCH, seed=3, matches=20))
    fixture = chosen(world)
    moment[0] = fixture.final_kickoff - 300
    async with serve_football(world, now=lambda: moment[0]) as running:
        yield running


def chosen(world: FootballWorld) -> Fixture:
    return next(each for each in world.fixtures if each.fate == "played" and each.plan.lead > 1200)


class Calls:
    """The calls of a page, and how they were answered."""

    def __init__(self, page: Page) -> None:
        self.answers: dict[str, Response] = {}
        page.on("response", self._note)

    def _note(self, response: Response) -> None:
        if "/api/v1/event/" in response.url:
            self.answers[response.url.partition("/api/v1/event/")[2]] = response


async def test_the_page_asks_for_its_match_by_itself_and_shows_what_comes(
    server: FootballServer, visitor: Visitor
) -> None:
    fixture = chosen(server.site.world)
    async with visitor.page("about:blank") as page:
        calls = Calls(page)
        await page.goto(f"{server.url}{fixture.story.page}")
        await page.wait_for_function(LOADED)
        told = {call: answer.status for call, answer in calls.answers.items()}
        key = str(fixture.id)
        assert told == {key: 200, f"{key}/lineups": 200, f"{key}/incidents": 404, f"{key}/statistics": 404}
        assert await page.text_content("#teams") == f"{fixture.story.home.name} - {fixture.story.away.name}"
        assert await page.text_content("#lineups") == "confirmed"
        assert await page.locator("#portraits img").count() == 22


async def test_another_match_is_shown_without_loading_the_page_again(server: FootballServer, visitor: Visitor) -> None:
    first, second = server.site.world.fixtures[:2]
    async with visitor.page(f"{server.url}{first.story.page}") as page:
        await page.wait_for_function(LOADED)
        await page.evaluate(f"window.location.hash = 'id:{second.id}'")
        await page.wait_for_function(
            f"document.getElementById('teams').textContent.includes('{second.story.home.name}')"
        )
        documents = [entry for entry in server.site.gate.callers.journal if entry.kind == "page"]
        assert len(documents) == 1


async def test_the_page_shows_its_token_and_nobody_else_has_one(server: FootballServer, visitor: Visitor) -> None:
    server.site.gate.guards = FootballGuards(token=60)
    fixture = chosen(server.site.world)
    async with visitor.page("about:blank") as page:
        calls = Calls(page)
        await page.goto(f"{server.url}{fixture.story.page}")
        await page.wait_for_function(LOADED)
        assert calls.answers[str(fixture.id)].status == 200
        shown = await calls.answers[str(fixture.id)].request.all_headers()
        assert shown["x-requested-with"]
        answer = await page.request.get(f"{server.url}/api/v1/event/{fixture.id}")
        assert answer.status == 403


@pytest.mark.req("D3")
async def test_blocking_what_brings_no_fact_saves_most_of_the_bytes(server: FootballServer, visitor: Visitor) -> None:
    whole = await weight(server, visitor, is_blocked=False)
    lean = await weight(server, visitor, is_blocked=True)
    assert whole > 1_500_000
    assert lean <= (1 - SAVED_AT_LEAST) * whole, f"{lean} of {whole} bytes"


async def weight(server: FootballServer, visitor: Visitor, *, is_blocked: bool) -> int:
    """What the site sent for one page in a browser of its own."""
    before = server.site.bytes_sent
    async with visitor.page("about:blank") as page:
        if is_blocked:
            await page.route("**/*", without_weight)
        await page.goto(f"{server.url}{chosen(server.site.world).story.page}")
        await page.wait_for_function(LOADED)
        await page.wait_for_load_state("networkidle")
    return server.site.bytes_sent - before


async def without_weight(route: Route) -> Any:
    if route.request.resource_type in HEAVY:
        await route.abort()
    else:
        await route.continue_()
