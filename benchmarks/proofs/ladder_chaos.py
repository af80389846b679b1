"""Browser, renderer or driver killed or stopped at random while pages are held: new data within 15 s each time."""

import asyncio
import random
import signal
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

import psutil

from benchmarks.figures import Figure, Wishes, at_least, below, noted, tell
from benchmarks.proofs.ladder_stage import (
    Scene,
    Stage,
    about_end,
    about_record,
    held,
    percentile,
    pss_peak_bytes,
)

MATCHES = 6
KILLS = 50
BETWEEN_SECONDS = 7.0
BACK_SECONDS = 15.0
PATIENCE_SECONDS = 45.0
VICTIMS = ("browser", "renderer", "driver")
SIGNALS = (signal.SIGKILL, signal.SIGSTOP)
SEED = 3


class Chaos:
    """Hits, waits until every match was captured again, and notes how long each took."""

    def __init__(self, hits: int) -> None:
        self._hits = hits
        self._chance = random.Random(SEED)
        self.done: Counter[str] = Counter()
        self.returns: list[float] = []
        self.never = 0

    async def __call__(self, scene: Scene) -> None:
        # Each kind is hit equally often, in an order that nobody knows.
        plan = [(victim, number) for number in SIGNALS for victim in VICTIMS] * (self._hits // 6 + 1)
        plan = plan[: self._hits]
        self._chance.shuffle(plan)
        for victim, number in plan:
            await self._hit(scene, victim, number)

    async def _hit(self, scene: Scene, victim: str, number: signal.Signals) -> None:
        process = await self._pick(scene, victim)
        if process is None:
            return
        matches = set(scene.captures.playing)
        moment = datetime.now(UTC)
        process.send_signal(number)
        name = f"{number.name} {victim}"
        self.done[name] += 1
        await asyncio.sleep(BETWEEN_SECONDS)
        slowest = await self._until_back(scene, matches, moment)
        tell(f"{sum(self.done.values())}: {name}, all matches back within {slowest:.1f} s")

    async def _pick(self, scene: Scene, victim: str) -> psutil.Process | None:
        for _ in range(100):
            if found := await asyncio.to_thread(scene.tree.of_kind, victim):
                return self._chance.choice(found)
            await asyncio.sleep(0.2)
        return None

    async def _until_back(self, scene: Scene, matches: set[str], moment: datetime) -> float:
        while True:
            waited = (datetime.now(UTC) - moment).total_seconds()
            # One that is over meanwhile is captured no more.
            pending = [
                match for match in matches & scene.captures.live if scene.captures.next_after(match, moment) is None
            ]
            if not pending or waited > PATIENCE_SECONDS:
                break
            await asyncio.sleep(0.2)
        found = [seconds for match in matches if (seconds := scene.captures.next_after(match, moment)) is not None]
        self.never += len(pending)
        self.returns += [*found, *(waited for _ in pending)]
        return max([*found, *(waited for _ in pending)], default=0.0)


def prove_chaos(wishes: Wishes) -> Iterator[Figure]:
    chaos = Chaos(wishes.kills)
    stage = Stage(MATCHES, ("page-only",), ("scraper.fetch.rungs=intercept,dom",), speed=wishes.speed)
    seen = held(stage, wishes.kills * PATIENCE_SECONDS, chaos)
    yield at_least("killed or stopped", sum(chaos.done.values()), wishes.kills)
    yield noted("of these", ", ".join(f"{count} {name}" for name, count in sorted(chaos.done.items())))
    yield noted("next capture of a match after a hit, p50", percentile(chaos.returns, 0.5), "s")
    yield noted("next capture of a match after a hit, p99", percentile(chaos.returns, 0.99), "s")
    yield below("next capture of a match after a hit, max", max(chaos.returns, default=float("inf")), BACK_SECONDS, "s")
    yield noted("browsers lost", seen.told("browser lost"))
    yield noted("browsers started", seen.told("browser started"))
    yield noted("PSS of all our processes, at the most", pss_peak_bytes(seen) / 2**20, "MB")
    yield from about_record(seen)
    yield from about_end(seen)
