"""What a poll costs: `make bench`.

CPU per poll from fetch to stored of Longstop's own pipeline, beside that of a bare loop over the same live states in
the same run. Rounds of the two alternate, the world stands still while they are measured, and medians are told, so that
a busy machine disturbs both alike. Only the CPU time of this process counts, its threads included; that of the origin,
which is another process, is told apart.
"""

import argparse
import asyncio
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import uvloop

from benchmarks.figures import ROOT, machine, shown, tell, write_json
from benchmarks.polling import BareLoop, OwnLoop
from benchmarks.processes import Running, empty_folder, origin, post_json
from benchmarks.simulated import EPOCH, Simulation
from longstop import virtual_time
from longstop_origin.world import World, WorldOptions

RESULT = ROOT / "var" / "bench" / "house.json"
MATCHES = 60
SPEED = 60.0
# At that speed about one ball falls in each match between two rounds.
BETWEEN_ROUNDS_SECONDS = 0.6
SECONDS_MAX = 80.0
MICROS = 1e6

Poll = Callable[[], Awaitable[Counter[str]]]


@dataclass
class Samples:
    """Seconds of CPU per poll, one value a round."""

    own_changed: list[float] = field(default_factory=list)
    own_unchanged: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)
    origin_cpu_seconds: float = 0.0
    requests: int = 0


async def _measured(poll: Poll) -> tuple[float, Counter[str]]:
    before = time.process_time()
    outcomes = await poll()
    return time.process_time() - before, outcomes


class Bench:
    def __init__(self, url: str, site: Running, folder: Path) -> None:
        self._url = url
        self._site = site
        self._own = OwnLoop(url, folder / "own.db")
        self._bare = BareLoop(url, folder / "bare.db", self._own.connections)
        self._samples = Samples()

    async def run(self, seconds: float) -> Samples:
        deadline = time.monotonic() + seconds
        async with aiohttp.ClientSession() as session:
            try:
                await self._open()
                number = 0
                while time.monotonic() < deadline:
                    await self._advance(session)
                    await self._round(own_first=number % 2 == 0)
                    number += 1
                    if number % 10 == 0:
                        tell(f"{number} rounds of {len(self._own.keys)} matches")
            finally:
                await self._bare.close()
                await self._own.close()
        return self._samples

    async def _open(self) -> None:
        await self._own.open()
        await self._bare.open(self._own.keys)
        await self._bare.poll()

    async def _advance(self, session: aiohttp.ClientSession) -> None:
        await post_json(session, f"{self._url}/_origin/unfreeze")
        await asyncio.sleep(BETWEEN_ROUNDS_SECONDS)
        await post_json(session, f"{self._url}/_origin/freeze")

    async def _round(self, *, own_first: bool) -> None:
        before = self._site.usage().cpu_seconds
        for turn in (self._own_turn, self._bare_turn) if own_first else (self._bare_turn, self._own_turn):
            await turn()
        self._samples.origin_cpu_seconds += self._site.usage().cpu_seconds - before
        self._samples.requests += 4 * len(self._own.keys)

    async def _own_turn(self) -> None:
        """The first poll meets what has changed, the second the very same bytes."""
        changed, first = await _measured(self._own.poll)
        unchanged, second = await _measured(self._own.poll)
        if set(second) != {"unchanged"} or set(first) - {"updated", "unchanged"}:
            return
        each_unchanged = unchanged / second["unchanged"]
        self._samples.own_unchanged.append(each_unchanged)
        if first["updated"]:
            self._samples.own_changed.append((changed - first["unchanged"] * each_unchanged) / first["updated"])

    async def _bare_turn(self) -> None:
        """Twice too: it does the same work whether anything changed or not."""
        for _ in range(2):
            used, outcomes = await _measured(self._bare.poll)
            self._samples.bare.append(used / outcomes["kept"])


def polled(seconds: float) -> dict[str, Any]:
    with empty_folder("bench") as folder:
        words = ("--matches", str(MATCHES), "--speed", f"{SPEED:g}", "--seed", "11")
        site, url = origin(*words, folder=folder / "origin")
        with site, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            samples = runner.run(Bench(url, site, folder).run(seconds))
    changed, unchanged, bare = (
        statistics.median(each) * MICROS for each in (samples.own_changed, samples.own_unchanged, samples.bare)
    )
    return {
        "rounds": len(samples.own_unchanged),
        "changed_us": changed,
        "unchanged_us": unchanged,
        "bare_us": bare,
        "origin_us_per_request": samples.origin_cpu_seconds / samples.requests * MICROS,
    }


async def _one_match(matches: int, seconds: float) -> dict[str, Any]:
    world = World(WorldOptions(epoch=EPOCH.timestamp(), seed=11, matches=matches))
    simulation = Simulation(world)
    before = time.process_time()
    await simulation.run_for(seconds)
    used = time.process_time() - before
    await simulation.close()
    return {
        "us_per_poll": used / simulation.polls * MICROS,
        "polls": simulation.polls,
        "changed_share": simulation.report.polls["updated"] / simulation.polls,
    }


def replayed(matches: int = 8, seconds: float = 1800.0) -> dict[str, Any]:
    """The engine on virtual time at the speed of life: its price, and how many polls of a match in play change."""
    return virtual_time.run(_one_match(matches, seconds))


def measure(seconds: float) -> dict[str, Any]:
    """`mix` is a match in play at the speed of life: most polls bring nothing new."""
    tell("the engine on virtual time")
    virtual = replayed()
    tell(f"{MATCHES} matches over loopback for {seconds:g} s")
    found = polled(seconds)
    share = virtual["changed_share"]
    mix = share * found["changed_us"] + (1 - share) * found["unchanged_us"]
    ratios = {name: found[f"{name}_us"] / found["bare_us"] for name in ("changed", "unchanged")}
    return {
        **found,
        "mix_us": mix,
        "ratio": {**ratios, "mix": mix / found["bare_us"]},
        "virtual": virtual,
        "machine": machine(),
    }


def table(found: dict[str, Any]) -> str:
    share = found["virtual"]["changed_share"]
    rows = [("poll", "Longstop", "bare loop", "ratio")]
    names = {"changed": "changed", "unchanged": "unchanged", "mix": f"mix in play ({share:.0%} changed)"}
    for name, words in names.items():
        own, bare = found[f"{name}_us"], found["bare_us"]
        rows.append((words, f"{own:.0f} us", f"{bare:.0f} us", f"{found['ratio'][name]:.2f}"))
    lines = [f"{first:<28}{second:>12}{third:>12}{fourth:>8}" for first, second, third, fourth in rows]
    lines.append(f"medians of {found['rounds']} rounds; CPU per poll from fetch to stored, all threads of this process")
    lines.append(f"the origin beside it: {found['origin_us_per_request']:.0f} us per request")
    virtual = found["virtual"]["us_per_poll"]
    lines.append(f"replay on virtual time: {virtual:.0f} us per poll, the origin's world included")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.house", description=__doc__)
    parser.add_argument("--seconds", type=float, default=40.0, help="how long the rounds go on (%(default)g)")
    found = measure(min(max(parser.parse_args().seconds, 2.0), SECONDS_MAX))
    print(table(found))
    print(f"Written to {shown(write_json(RESULT, found))}.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
