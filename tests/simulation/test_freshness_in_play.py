"""The promise of ten seconds holds in play. In a break, drinks and strategic time-outs too, a match is looked at every
half minute, as the documents want it, and nobody calls that late."""

import pytest

from benchmarks.simulated import EPOCH, Simulation
from longstop import virtual_time
from longstop.observe.freshness import FreshnessMeter, FreshnessSummary
from longstop.observe.health import Board
from longstop.observe.signals import scrapers
from longstop_origin.world import World, WorldOptions

HOURS_SECONDS = 2 * 3600.0


@pytest.mark.req("A1", "A3")
def test_a_break_of_any_kind_makes_no_match_late() -> None:
    summary, paces = virtual_time.run(_watched())
    breaks = [pace for pace in paces if pace.is_break]
    assert {each.seconds for each in breaks} == {30.0}
    assert len(breaks) >= 3
    assert summary.max_seconds < 10.0


async def _watched() -> tuple[FreshnessSummary, list[scrapers.PaceChanged]]:
    simulation = Simulation(World(WorldOptions(epoch=EPOCH.timestamp(), seed=7, matches=4)))
    board, paces = Board(simulation.clock.now()), list[scrapers.PaceChanged]()
    board.subscribe(simulation.bus)
    simulation.bus.subscribe(scrapers.PaceChanged, paces.append)
    meter = FreshnessMeter(simulation.clock, board.ages_in_play)
    await simulation.start()
    until = simulation.clock.monotonic() + HOURS_SECONDS
    while simulation.clock.monotonic() < until:
        meter.sample()
        await simulation.clock.sleep(1.0)
    await simulation.stop()
    await simulation.close()
    return meter.summary(), paces


def test_a_match_in_a_break_is_looked_at_at_once_when_somebody_asks() -> None:
    assert virtual_time.run(_seconds_until_seen()) < 1.0


async def _seconds_until_seen() -> float:
    simulation = Simulation(World(WorldOptions(epoch=EPOCH.timestamp(), seed=7, matches=4)))
    begun: list[scrapers.PaceChanged] = []
    simulation.bus.subscribe(scrapers.PaceChanged, lambda signal: begun.append(signal) if signal.is_break else None)
    await simulation.start()
    while not begun:
        await simulation.clock.sleep(1.0)
    asked_at = simulation.clock.now()
    simulation.engine.hasten(begun[0].match_id)
    await simulation.clock.sleep(0.9)
    (watch,) = [each for each in simulation.engine.watches if each.ref.match_id == begun[0].match_id]
    seen_after = ((watch.captured_at or EPOCH) - asked_at).total_seconds()
    await simulation.stop()
    await simulation.close()
    return seen_after if seen_after >= 0 else float("inf")
