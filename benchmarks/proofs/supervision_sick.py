"""One match hangs, one eats memory, one makes our own code raise, one answers garbage: do the others notice?

The real engine on the real clock, with the site in the same process, so that each match can have weather of its own.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from benchmarks.figures import Figure, Wishes, at_least, below, exactly, noted
from benchmarks.processes import empty_folder
from benchmarks.simulated import Conditions, Simulation, unclean
from benchmarks.weather import Eats, Forecast, Harm, always, answers_garbage, hangs, raises
from longstop.clock import SystemClock
from longstop.observe import signals
from longstop.store.sqlite import SqliteStore
from longstop_origin.world import World, WorldOptions

MATCHES = 20
WELL = 16
SPEED = 5.0
LATENCY_SECONDS = 0.05
WARM_UP_SECONDS = 10.0
CADENCE_SECONDS = 2.75
MB = 1024 * 1024


class Cadence:
    """The time between the beginnings of a match's polls, of those matches that are in play."""

    def __init__(self, simulation: Simulation) -> None:
        self.began: dict[str, list[float]] = defaultdict(list)
        self.seconds: dict[str, float] = {}
        self._clock = simulation.clock
        simulation.bus.subscribe(signals.PollFinished, self._on_poll)
        simulation.bus.subscribe(signals.PaceChanged, self._on_pace)

    def _on_poll(self, poll: signals.PollFinished) -> None:
        self.began[poll.match_id].append(self._clock.monotonic() - poll.duration_seconds)

    def _on_pace(self, pace: signals.PaceChanged) -> None:
        """Who goes over to another pace is measured anew."""
        self.seconds[pace.match_id] = pace.seconds
        self.began[pace.match_id].clear()

    def gaps(self, match_ids: set[str]) -> list[float]:
        at_the_beat = [known for known in match_ids if self.seconds.get(known, 2.5) <= 2.5]
        return sorted(later - sooner for known in at_the_beat for sooner, later in pairwise(self.began[known]))


def prove_sick(wishes: Wishes) -> Iterator[Figure]:
    with empty_folder("sick") as folder:
        yield from asyncio.run(_lived(folder, wishes.minutes * 60))


async def _lived(folder: Path, seconds: float) -> list[Figure]:
    epoch = datetime.now(UTC)
    place = World(WorldOptions(epoch=epoch.timestamp(), seed=4, matches=MATCHES, speed=SPEED, rolling=False))
    store = SqliteStore(folder / "sick.db", clock=SystemClock())
    # No adapting: what is asked is whether the beat is kept.
    wanted = Conditions(seed=4, is_adaptive=False)
    simulation = Simulation(place, wanted, store, Forecast(always(LATENCY_SECONDS)), clock=SystemClock())
    cadence = Cadence(simulation)
    await simulation.start()
    try:
        await asyncio.sleep(WARM_UP_SECONDS)
        keys = [assignment.watch.ref.key for assignment in simulation.engine.assignments()]
        eats = Eats(8 * MB, 512 * MB)
        harms: tuple[Harm, ...] = (hangs, eats, raises, answers_garbage)
        sick = dict(zip(keys, harms, strict=False))
        simulation.weather.forecast = Forecast(always(LATENCY_SECONDS), harms=sick)
        cadence.began.clear()
        cpu = time.process_time()
        await asyncio.sleep(seconds)
        cpu = time.process_time() - cpu
        well = {f"crex_{key}" for key in keys[len(harms) :]}
        gaps = cadence.gaps(well)
        simulation.weather.forecast = Forecast()
        for assignment in simulation.engine.assignments():
            simulation.engine.wake(assignment.key)
        await simulation.settle()
        await simulation.stop()
        wrong = unclean(await simulation.verdicts())
    finally:
        await simulation.close()
    return [
        exactly("matches that are well", len(well), WELL),
        at_least("beats measured", len(gaps), 100),
        below("beat of the others, p95", gaps[int(len(gaps) * 0.95)] if gaps else float("inf"), CADENCE_SECONDS, "s"),
        noted("beat of the others, max", gaps[-1] if gaps else 0.0, "s"),
        noted("memory eaten", f"{len(eats.held) * 8} MB"),
        noted("share of one core, the site included", f"{cpu / seconds:.0%}"),
        exactly("matches that are not whole at the end", len(wrong), 0),
    ]
