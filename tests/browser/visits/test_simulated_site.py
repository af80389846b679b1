"""The real visitor at the simulated football site, in a real Chromium and through real proxies: nothing is stood in."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest

from longstop.domain.errors import LongstopError, MatchGoneError
from longstop.domain.match import MatchRef
from longstop.fetch.exits.outcome import Outcome, outcome_of
from longstop.fetch.visits.visit import Visit, Visitor
from longstop.sources.sofascore import parser
from longstop_origin.football.fixture import Fixture
from longstop_origin.football.guards import FootballGuards
from longstop_origin.football.server import FootballServer, serve_football
from longstop_origin.football.world import FootballOptions, FootballWorld
from tests.browser.visits.stage import Stage
from tests.servers.football_site import FootballSite
from tests.servers.tinyproxy import TinyProxies

pytestmark = [pytest.mark.timeout(120), pytest.mark.req("D3")]
EPOCH = 1_772_776_800.0
SAVED_AT_LEAST = 0.85
FULL_PAGE_BYTES_MIN = 1_800_000


class Simulated:
    """Two matches that are published, a few minutes before the first of them."""

    def __init__(self, server: FootballServer, stage: Stage) -> None:
        self.server, self.stage = server, stage

    @property
    def url(self) -> str:
        return self.server.url

    def page(self, key: str) -> str:
        fixture = self.server.site.world.fixture(key)
        assert fixture is not None
        return f"{self.url}{fixture.story.page}"

    @property
    def kinds(self) -> list[str]:
        return [entry.kind for entry in self.server.site.gate.callers.journal]

    async def visit(self, visitor: Visitor, fixture: Fixture) -> Visit:
        return await self.stage.visit(visitor, self.stage.order(str(fixture.id)))


@asynccontextmanager
async def simulated(folder: Path) -> AsyncIterator[tuple[Simulated, Fixture, Fixture]]:
    world = FootballWorld(FootballOptions(epoch=EPOCH, seed=3, matches=20))
    early = [each for each in world.fixtures if each.fate == "played" and each.plan.lead > 1200]
    first, *_, second = sorted(early, key=lambda each: each.final_kickoff)
    at = first.final_kickoff - 300
    second.publish(at - 1)
    async with serve_football(world, now=lambda: at) as server:
        stage = Stage(folder / "var", cast("FootballSite", None))
        made = Simulated(server, stage)
        stage.site = cast("FootballSite", made)
        yield made, first, second


async def test_one_page_serves_two_matches_with_a_token_that_only_a_page_gives(tmp_path: Path) -> None:
    async with simulated(tmp_path) as (made, first, second), made.stage.visitor() as visitor:
        made.server.site.gate.guards = FootballGuards(token=600)
        visits = [await made.visit(visitor, each) for each in (first, second)]
    assert [visit.rung for visit in visits] == ["intercept", "replay"]
    for fixture, visit in zip((first, second), visits, strict=True):
        ref = MatchRef("sofascore", str(fixture.id), "")
        assert parser.parse_event(ref, visit.snapshots["event"]).home.name == fixture.story.home.name
        assert parser.parse_lineups(visit.snapshots["lineups"]).starters_missing == 0
        assert isinstance(visit.refusals.get("incidents"), MatchGoneError)
    assert made.kinds.count("page") == 1


async def test_a_visit_costs_a_small_part_of_the_whole_page(tmp_path: Path) -> None:
    async with simulated(tmp_path) as (made, first, second), made.stage.visitor() as visitor:
        page, replay = [await made.visit(visitor, each) for each in (first, second)]
    assert page.network.bytes_in <= (1 - SAVED_AT_LEAST) * FULL_PAGE_BYTES_MIN
    assert replay.network.bytes_in < page.network.bytes_in / 2


@pytest.mark.req("D6")
async def test_a_banned_exit_is_left_for_another_and_not_used_again(tmp_path: Path, tiny_proxies: TinyProxies) -> None:
    proxies = tiny_proxies.take(3)
    sets = {"sources.sofascore.use_proxy": "true", "scraper.proxy.urls": ",".join(each.url for each in proxies)}
    async with simulated(tmp_path) as (made, first, _), made.stage.visitor(sets) as visitor:
        callers = made.server.site.gate.callers
        callers.ban([each.exit_address for each in proxies[:1]], EPOCH * 2)
        outcomes = [await outcome(made, visitor, first) for _ in range(4)]
    assert outcomes[-1] is Outcome.GOOD
    assert outcomes.count(Outcome.CHALLENGED) <= 1
    assert set(callers.known) <= {each.exit_address for each in proxies}


async def outcome(made: Simulated, visitor: Visitor, fixture: Fixture) -> Outcome:
    try:
        await made.visit(visitor, fixture)
    except LongstopError as error:
        return outcome_of(error)
    return Outcome.GOOD
