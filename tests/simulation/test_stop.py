"""A stop keeps to its time, whatever hangs, and what is known is kept at its beginning already."""

import asyncio

import pytest

from benchmarks.simulated import EPOCH, Simulation
from benchmarks.weather import Forecast, hangs
from longstop import virtual_time
from longstop.store.contract import WriteBatch
from longstop_origin.world import World, WorldOptions

pytestmark = pytest.mark.req("B11", "B8")


def simulated() -> Simulation:
    return Simulation(World(WorldOptions(epoch=EPOCH.timestamp(), seed=11, matches=3, rolling=False)))


def test_a_match_that_hangs_does_not_keep_a_stop_beyond_its_time() -> None:
    async def play() -> tuple[float, tuple[str, ...], list[float]]:
        simulation = simulated()
        saved: list[float] = []
        save = simulation.store.save

        async def noted(batch: WriteBatch) -> None:
            if batch.states:
                saved.append(simulation.clock.monotonic())
            await save(batch)

        simulation.store.save = noted  # type: ignore[method-assign]  # the store of this test
        await simulation.start()
        await simulation.clock.sleep(121.0)
        key = simulation.engine.assignments()[0].watch.ref.key
        simulation.weather.forecast = Forecast(harms={key: hangs})
        await simulation.clock.sleep(17.0)
        began = simulation.clock.monotonic()
        late = await simulation.engine.stop("SIGTERM")
        ended = simulation.clock.monotonic()
        await simulation.close()
        return ended - began, late, [moment - began for moment in saved if moment >= began]

    seconds, late, saved = virtual_time.run(play())
    assert seconds <= 20.0, "a third of the time is left for the stores, the browsers and the API"
    assert len([name for name in late if name.startswith("scraper ")]) == 1
    assert saved[0] == 0.0


def test_a_store_that_hangs_does_not_keep_a_stop_either() -> None:
    async def play() -> float:
        simulation = simulated()
        await simulation.start()
        await simulation.clock.sleep(60.0)

        async def hang(batch: WriteBatch) -> None:
            await asyncio.Event().wait()

        simulation.store.save = hang  # type: ignore[method-assign]  # the store of this test
        began = simulation.clock.monotonic()
        await simulation.engine.stop("SIGTERM")
        ended = simulation.clock.monotonic()
        await simulation.close()
        return ended - began

    assert virtual_time.run(play()) <= 30.0
