"""The engine on virtual time: an hour of a match in well under a second."""

import time
from collections.abc import Iterator

from benchmarks.figures import Figure, Wishes, below, exactly, holds, noted
from benchmarks.simulated import EPOCH, Simulation, unclean
from longstop import virtual_time
from longstop_origin.oracle import Counts
from longstop_origin.world import World, WorldOptions

HOUR_SECONDS = 3600.0
SEED = 7


def prove_hours(_: Wishes) -> Iterator[Figure]:
    for matches in (1, 5):
        began = time.perf_counter()
        simulation, counts, wrong = virtual_time.run(_hour_of(matches))
        seconds = time.perf_counter() - began
        per_match = seconds / matches
        words = f"3,600 virtual seconds of {matches} match{'es' * (matches > 1)}"
        if matches == 1:
            yield below(f"{words}, real", seconds, 0.5, "s")
        else:
            yield below(f"{words}, real, for each", per_match, 0.5, "s")
        yield noted("polls", simulation.polls)
        yield exactly("balls lost", counts.lost, 0)
        yield holds("all clean", not wrong, f"{counts.stored} balls stored", "nothing wrong")


async def _hour_of(matches: int) -> tuple[Simulation, Counts, object]:
    world = World(WorldOptions(epoch=EPOCH.timestamp(), seed=SEED, matches=matches))
    simulation = Simulation(world)
    try:
        await simulation.run_for(HOUR_SECONDS)
        verdicts = await simulation.verdicts()
    finally:
        await simulation.close()
    return simulation, sum((each.counts for each in verdicts.values()), Counts()), unclean(verdicts)
