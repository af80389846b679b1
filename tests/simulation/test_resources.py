"""The engine with all who look after its resources, on virtual time with real matches; only the machine is made up."""

from collections.abc import Awaitable, Callable

import msgspec
import pytest

from benchmarks.simulated import EPOCH, Simulation, unclean
from longstop import virtual_time
from longstop.domain.errors import InsufficientMemoryError, LongstopError
from longstop.observe import signals
from longstop.resilience.lifetime import LifetimeLimits
from longstop.resilience.memory import MB
from longstop.supervise.engine import Engine
from longstop.supervise.engine_hands import EngineHands
from longstop.supervise.hands import Stage
from longstop.supervise.housekeeping import Housekeeping, ResourceLimits
from longstop_origin.world import World, WorldOptions
from tests.simulation.test_engine_verbs import Heard, keys
from tests.unit.supervise.wards import FakeBrowsers, FakeMachine

MATCHES = 3


class Kept:
    """A simulation whose engine is looked after. `machine` and `browsers` are the test's."""

    def __init__(self, limits: ResourceLimits, **options: object) -> None:
        place = WorldOptions(epoch=EPOCH.timestamp(), seed=5, matches=MATCHES, speed=10.0)
        self.simulation = Simulation(World(msgspec.structs.replace(place, **options)))
        self.heard = Heard(self.simulation)
        self.machine = FakeMachine()
        self.browsers = FakeBrowsers()
        self.surrendered: list[LongstopError] = []
        simulation = self.simulation
        hands = EngineHands(lambda: simulation.engine, simulation.clock)
        self.keeping = Housekeeping(
            hands,
            self.browsers,
            lambda: limits,
            self.surrendered.append,
            simulation.clock,
            simulation.bus,
            self.machine,
        )
        self.hands = hands
        parts = msgspec.structs.replace(simulation.engine.parts, admit=self.keeping.admission.admit)
        simulation.engine = Engine(parts, simulation.engine.options)

    async def start(self) -> None:
        await self.simulation.store.open()
        await self.simulation.engine.start(*self.keeping.services())

    async def sleep(self, seconds: float) -> None:
        await self.simulation.clock.sleep(seconds)


def kept(
    play: Callable[[Kept], Awaitable[None]],
    limits: ResourceLimits = ResourceLimits(),  # noqa: B008 - frozen
    **options: object,
) -> Kept:
    """Whatever was done for want of memory or of youth, nothing is lost by it."""

    async def whole() -> Kept:
        house = Kept(limits, **options)
        await house.start()
        try:
            await play(house)
            await house.simulation.settle()
            await house.simulation.stop()
            assert unclean(await house.simulation.verdicts()) == {}
        finally:
            await house.simulation.close()
        return house

    return virtual_time.run(whole())


@pytest.mark.req("B5", "B8", "B9")
def test_scrapers_are_replaced_by_age_one_after_the_other_and_nothing_is_lost() -> None:
    """S0, story 1.3 and edge case 7, with ten minutes for six hours."""
    limit = LifetimeLimits(600.0)

    async def play(house: Kept) -> None:
        for _ in range(40):
            await house.sleep(60.0)
            ages = [view.age_seconds for view in house.hands.scrapers()]
            assert max(ages) <= limit.limit_seconds + 10.0

    house = kept(play, ResourceLimits(lifetime=limit))
    replaced = [told for told in house.heard.of(signals.ScraperReplaced) if told.reason == "lifetime"]
    assert len(replaced) >= 3 * MATCHES
    over = {told.match_id: told.at for told in house.heard.of(signals.MatchStateChanged) if told.after == "completed"}
    in_play = [told for told in replaced if told.match_id not in over or told.at < over[told.match_id]]
    assert 0.0 < max(told.gap_seconds for told in in_play) <= 30.0
    assert all(order.is_accepted for order in house.heard.of(signals.ReplacementOrdered))


@pytest.mark.req("B5", "B9")
def test_a_match_whose_pages_eat_memory_is_replaced_then_killed_and_the_others_are_left_alone() -> None:
    """S0, story 2.1 and FR-006."""

    async def play(house: Kept) -> None:
        await house.sleep(62.0)
        key = keys(house.simulation)[0]
        before = {view.match_id: view.scraper_id for view in house.hands.scrapers()}
        house.browsers.pages = {key: 1600 * MB}
        await house.sleep(6.0)
        house.browsers.pages = {}
        await house.sleep(54.0)
        after = {view.match_id: view.scraper_id for view in house.hands.scrapers()}
        assert after[key] != before[key]
        house.browsers.pages = {key: 2100 * MB}
        await house.sleep(6.0)
        house.browsers.pages = {}
        await house.sleep(54.0)
        last = {view.match_id: view.scraper_id for view in house.hands.scrapers()}
        assert last[key] not in {before[key], after[key]}
        assert {other: last[other] for other in last if other != key} == {
            other: before[other] for other in before if other != key
        }

    house = kept(play)
    assert [order.action for order in house.heard.of(signals.ReplacementOrdered)] == ["replace", "kill"]
    assert [rose.level for rose in house.heard.of(signals.MemoryRose)] == ["soft", "hard"]
    assert house.surrendered == []


@pytest.mark.req("B6", "B9")
def test_without_memory_no_match_begins_and_all_begin_by_themselves_when_there_is_some() -> None:
    async def play(house: Kept) -> None:
        await house.sleep(1.0)
        for key in keys(house.simulation):
            assert await house.simulation.engine.drop(key, "the test wishes it")
        house.machine.available = 300 * MB
        await house.sleep(400.0)
        assert keys(house.simulation) == []
        waiting = set(house.keeping.admission.waiting)
        assert len(waiting) >= MATCHES
        house.machine.available = 8000 * MB
        await house.sleep(62.0)
        assert set(keys(house.simulation)) >= waiting
        await house.sleep(60.0)

    house = kept(play)
    refused = house.heard.of(signals.StartRefused)
    assert {told.match_id for told in refused} <= {told.match_id for told in house.heard.of(signals.MatchDiscovered)}
    assert house.heard.of(signals.ErrorRaised) == []
    assert house.heard.of(signals.MemoryBrokenDown)


@pytest.mark.req("B6")
def test_an_address_that_is_handed_in_is_refused_with_a_reason_and_begun_later() -> None:
    async def play(house: Kept) -> None:
        await house.sleep(30.0)
        watch = house.simulation.engine.watches[0]
        house.machine.available = 300 * MB
        assert await house.simulation.engine.begin(watch.ref.url) == watch.ref.match_id, "it is watched already"
        await house.simulation.engine.drop(watch.ref.match_id, "the test wishes it")
        with pytest.raises(InsufficientMemoryError, match="Insufficient memory resources"):
            await house.simulation.engine.begin(watch.ref.url)
        house.machine.available = 8000 * MB
        await house.sleep(400.0)
        assert watch.ref.match_id in keys(house.simulation)

    kept(play)


@pytest.mark.req("B5")
def test_what_is_seen_of_a_scraper_is_what_it_is() -> None:
    async def play(house: Kept) -> None:
        await house.sleep(120.0)
        views = house.hands.scrapers()
        assert len(views) == MATCHES
        watches = {watch.ref.match_id: watch for watch in house.simulation.engine.watches}
        for view in views:
            watch = watches[view.match_id]
            assert view.scraper_id == watch.scraper_id
            assert 0 < view.age_seconds <= 120.0
            assert view.weight_bytes > watch.ledger.rows * 700 > 0
            assert view.idle_seconds < 120.0
            assert view.stage in Stage
        told = house.heard.of(signals.ScrapersMeasured)[-1].memory_bytes
        heaviest = max(views, key=lambda view: view.weight_bytes)
        assert told[heaviest.match_id] == max(told.values())

    kept(play)
