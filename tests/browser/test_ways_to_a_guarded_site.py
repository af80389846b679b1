"""Every way to a site, as it is joined for a real run: our own calls, and a real Chromium behind the filtering proxy.

The site is the origin, with its guards up. Nothing is mocked but the store, which only keeps recipes here.
"""

import importlib.util
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from longstop.approach import Approaches
from longstop.clock import SystemClock
from longstop.domain.errors import ExtraMissingError, FetchError, SettingsError
from longstop.domain.match import MatchRef
from longstop.fetch.snapshot import Snapshot
from longstop.fetch.source_fetcher import SourceFetcher
from longstop.observe.signals import BrowserStarted, PagesTransferred, RecipeLearnt, Signal, Signals
from longstop.settings import load
from longstop.sources import registry
from longstop.sources.contract import Missing
from longstop.store.contract import RecipeRow, Store, WriteBatch
from longstop_origin.guards import Guards
from longstop_origin.pages import match_path
from longstop_origin.server import OriginServer, serve
from longstop_origin.world import World, WorldOptions
from tests.browser.conftest import chromium_path

CLOCK = SystemClock()
SEED = 1
pytestmark = pytest.mark.timeout(120)


class Shelf:
    """Of a store, what recipes need."""

    def __init__(self) -> None:
        self.rows: list[RecipeRow] = []

    async def recipes(self, source: str) -> list[RecipeRow]:
        return self.rows

    async def save(self, batch: WriteBatch) -> None:
        self.rows = [*batch.recipes]


class House:
    def __init__(self, folder: Path, server: OriginServer) -> None:
        self.folder = folder
        self.server = server
        self.shelf = Shelf()
        self.told: list[Signal] = []

    def count(self, kind: type[Signal]) -> int:
        return sum(isinstance(each, kind) for each in self.told)

    def guard(self, *words: str) -> None:
        self.server.site.gate.guards = Guards.from_words(["poll=0.2", *words])

    def refs(self) -> list[MatchRef]:
        listed = self.server.site.world.listed(CLOCK.now().timestamp())
        return [MatchRef("crex", each.key, self.server.url + match_path(each)) for each in listed]

    @asynccontextmanager
    async def approach(self, **sets: str) -> AsyncIterator[tuple[Any, SourceFetcher]]:
        """One life of the process, as far as it fetches."""
        overrides = {
            "storage.root": str(self.folder),
            "scraper.browser.executable_path": chromium_path(""),
            "sources.crex.rate_limits.min_interval_seconds": "0.02",
            **{name.replace("__", "."): value for name, value in sets.items()},
        }
        settings = load(file=None, environ={}, overrides=overrides).settings
        bus = Signals()
        bus.subscribe_all(self.told.append)
        source = registry.create("crex", self.server.url)
        approaches = Approaches(settings, cast(Store, self.shelf), CLOCK, bus, is_simulated=False)
        try:
            yield source, (await approaches.start((source,)))["crex"]
        finally:
            await approaches.stop()


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    pytest.importorskip("playwright.async_api", reason="the extra `browser` is not installed")
    world = World(WorldOptions(epoch=CLOCK.now().timestamp() - 60, seed=SEED, matches=2, speed=5.0))
    async with serve(world, now=lambda: CLOCK.now().timestamp()) as server:
        yield House(tmp_path, server)
    assert not [path for path in (tmp_path / "browser").glob("*") if path.is_dir()]


async def state(source: Any, fetcher: SourceFetcher, ref: MatchRef) -> Snapshot:
    """One that can be read, and is about this match."""
    snapshot: Snapshot = await fetcher.fetch(source.live_state(ref))
    if snapshot.body[:1] == b"{":
        assert source.parse_state(ref, snapshot).teams
    return snapshot


@pytest.mark.req("A2")
async def test_a_guarded_call_is_learnt_once_and_a_restart_needs_no_browser(house: House) -> None:
    house.guard("token=30")
    one, other = house.refs()[:2]
    async with house.approach() as (source, fetcher):
        shots = [await state(source, fetcher, ref) for ref in (one, other, one)]
    assert [shot.rung for shot in shots] == ["replay"] * 3
    moved = [each for each in house.told if isinstance(each, PagesTransferred)]
    assert moved[-1].source == "crex"
    assert sum(each.bytes_in for each in moved) > 1000
    assert (house.count(RecipeLearnt), house.count(BrowserStarted)) == (1, 1)
    async with house.approach() as (source, fetcher):
        assert (await state(source, fetcher, other)).rung == "replay"
    assert (house.count(RecipeLearnt), house.count(BrowserStarted)) == (1, 1)


@pytest.mark.req("A2")
@pytest.mark.parametrize("guards", [("token=2",), ("cookie",), ("login=600",), ("token=30", "cookie", "login=600")])
async def test_what_the_page_is_given_opens_the_way_for_our_own_calls(house: House, guards: tuple[str, ...]) -> None:
    house.guard(*guards)
    async with house.approach() as (source, fetcher):
        for ref in house.refs()[:2]:
            assert (await state(source, fetcher, ref)).rung == "replay"


@pytest.mark.req("A2")
async def test_a_ball_feed_that_is_refused_first_does_not_spoil_what_is_learnt(house: House) -> None:
    house.guard("token=30")
    ref = house.refs()[0]
    async with house.approach() as (source, fetcher):
        missing = Missing(1, 0, 2)
        feed = await fetcher.fetch(source.ball_feed(ref, missing))
        assert source.parse_feed(ref, missing, feed).overs is not None
        feed = await fetcher.fetch(source.ball_feed(ref, missing))
        assert source.parse_feed(ref, missing, feed).overs is not None
        assert (await state(source, fetcher, ref)).rung == "replay"


@pytest.mark.req("A2")
async def test_a_call_that_only_the_page_may_make_is_made_inside_it_with_its_token(house: House) -> None:
    house.guard("page-only", "token=30")
    async with house.approach(scraper__fetch__rungs="replay, in_page") as (source, fetcher):
        for ref in house.refs()[:2]:
            assert (await state(source, fetcher, ref)).rung == "in_page"
        names = await fetcher.fetch(source.names_for(["A"], [], []))
        assert names.status == 200


@pytest.mark.req("A2")
async def test_a_page_is_listened_to_and_opened_anew_when_it_falls_silent(house: House) -> None:
    house.guard("page-only", "silent=2")
    ref = house.refs()[0]
    sets = {"scraper__fetch__rungs": "intercept", "scraper__browser__timeouts__silence": "3"}
    async with house.approach(**sets, scraper__lifecycle__poll_deadline="2") as (source, fetcher):
        shots = [await state(source, fetcher, ref) for _ in range(3)]
        assert {shot.rung for shot in shots} == {"intercept"}
        loads = house.server.site.gate.page_loads
        heard = 0
        for _ in range(40):
            try:
                await state(source, fetcher, ref)
            except FetchError:
                continue
            heard += 1
            if house.server.site.gate.page_loads > loads:
                break
        assert house.server.site.gate.page_loads > loads
        assert (await state(source, fetcher, ref)).rung == "intercept"


@pytest.mark.req("A2")
async def test_what_the_page_shows_is_the_last_way_and_its_shifted_selectors_are_counted(house: House) -> None:
    house.guard("server-rendered")
    ref = house.refs()[0]
    async with house.approach(scraper__fetch__rungs="dom") as (source, fetcher):
        shown = source.parse_state(ref, await fetcher.fetch(source.live_state(ref)))
        assert dict(shown.matched)["runs"] == 0
    house.guard("server-rendered", "dom=shifted")
    async with house.approach(scraper__fetch__rungs="dom") as (source, fetcher):
        shown = source.parse_state(ref, await fetcher.fetch(source.live_state(ref)))
        assert dict(shown.matched)["runs"] > 0


@pytest.mark.req("D7")
async def test_a_challenge_is_a_failure_and_nothing_is_solved(house: House) -> None:
    house.guard("challenge=403")
    async with house.approach() as (source, fetcher):
        with pytest.raises(FetchError):
            await fetcher.fetch(source.live_state(house.refs()[0]))


@pytest.mark.req("D7")
async def test_by_default_pages_and_calls_say_honestly_who_we_are(house: House) -> None:
    house.guard("token=30")
    async with house.approach() as (source, fetcher):
        await state(source, fetcher, house.refs()[0])
    assert all(agent.startswith("Longstop/") for agent in house.server.site.gate.user_agents)


@pytest.mark.req("D7")
async def test_where_it_is_asked_for_pages_and_calls_look_like_one_browser(house: House) -> None:
    pytest.importorskip("curl_cffi", reason="the extra `coherent` is not installed")
    house.guard("token=30")
    async with house.approach(sources__crex__coherent_tls="true") as (source, fetcher):
        assert (await state(source, fetcher, house.refs()[0])).rung == "replay"
    agents = [agent for agent in house.server.site.gate.user_agents if not agent.startswith("Longstop/")]
    assert agents
    assert all("Chrome/" in agent and "Headless" not in agent for agent in agents)


@pytest.mark.req("D7")
async def test_a_stealthy_browser_does_not_say_that_it_is_driven(house: House) -> None:
    pytest.importorskip("patchright", reason="the extra `stealth` is not installed")
    house.guard("page-only", "token=30")
    sets = {"scraper__fetch__rungs": "intercept, dom", "sources__crex__stealth": "true"}
    async with house.approach(**sets) as (source, fetcher):
        assert (await state(source, fetcher, house.refs()[0])).rung == "intercept"
    # We ask for robots.txt under our own name, whatever pages are opened as.
    agents = [agent for agent in house.server.site.gate.user_agents if not agent.startswith("Longstop/")]
    assert agents
    assert all("Chrome/" in agent and "Headless" not in agent for agent in agents)


@pytest.mark.req("D7")
async def test_stealth_without_its_part_stops_the_start(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "patchright" else real(name))
    with pytest.raises(ExtraMissingError, match=r"sources\.crex\.stealth is on"):
        async with house.approach(sources__crex__stealth="true"):
            raise AssertionError


@pytest.mark.req("D7")
async def test_a_profile_that_contradicts_itself_stops_the_start(house: House) -> None:
    with pytest.raises(SettingsError, match="time zone"):
        async with house.approach(sources__crex__profile__time_zone="Mars/Base"):
            raise AssertionError


@pytest.mark.req("B4")
async def test_a_browser_that_had_nowhere_to_write_costs_the_pages_and_not_the_start(house: House) -> None:
    """A full disk, or a folder that may not be written."""
    (house.folder / "browser").write_text("in the way")
    async with house.approach() as (source, fetcher):
        assert (await state(source, fetcher, house.refs()[0])).rung == "replay"
    assert any("nowhere to write" in getattr(each, "error_message", "") for each in house.told)
