"""Many seeds, on as many processes as there are cores; a failing one with the shortest command that shows it again."""

import math
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

from msgspec import Struct

from longstop_origin.storm.findings import WORDS, Report
from longstop_origin.storm.story import run_seed

# So many pieces at most, each handed out when a worker is free: they are busy to the end, all of them.
PIECES_MAX = 10_000


class Outcome(Struct, frozen=True):
    """One seed; `only` are the families of which each alone is needed to make it fail."""

    report: Report
    only: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        words = f" --only {','.join(self.only)}" if self.only and self.only != self.report.families else ""
        return f"longstop storm --seeds {self.report.seed}{words}"


def run_seeds(seeds: Sequence[int], only: Sequence[str] = (), processes: int | None = None) -> Iterator[Outcome]:
    """In the order of the seeds."""
    one = partial(_run_one, only=tuple(only))
    workers = min(processes or len(os.sched_getaffinity(0)), len(seeds))
    if workers <= 1:
        yield from map(one, seeds)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(one, seeds, chunksize=math.ceil(len(seeds) / PIECES_MAX))


def _run_one(seed: int, only: tuple[str, ...]) -> Outcome:
    report = run_seed(seed, only)
    return Outcome(report) if report.is_clean else Outcome(report, shortened(report))


def shortened(report: Report) -> tuple[str, ...]:
    """The families that the first finding needs: each that it can do without is left out."""
    rule = report.findings[0].rule
    needed = list(report.families)
    for family in report.families:
        fewer = [each for each in needed if each != family]
        if fewer and any(found.rule == rule for found in run_seed(report.seed, fewer).findings):
            needed = fewer
    return tuple(needed)


class Summary:
    """What a campaign has seen so far."""

    def __init__(self) -> None:
        self.seeds = 0
        self.failed: list[Outcome] = []
        self.counts = dict.fromkeys(WORDS, 0)
        self.totals = dict.fromkeys(("seconds", "matches", "events", "lives", "faults", "polls"), 0.0)
        self._recovered: list[float] = []

    def add(self, outcome: Outcome) -> None:
        report = outcome.report
        self.seeds += 1
        self._recovered += report.recovered_seconds
        for name in self.totals:
            self.totals[name] += getattr(report, name)
        for word, count in report.counts.items():
            self.counts[word] += count
        if not report.is_clean:
            self.failed.append(outcome)

    def to_dict(self) -> dict[str, Any]:
        return {
            "seeds": self.seeds,
            "is_clean": not self.failed,
            **{name: round(total, 1) for name, total in self.totals.items()},
            "counts": self.counts,
            "recovered_seconds": self.recovered,
            "failed": [
                {"command": each.command, "families": list(each.only), **each.report.to_dict()} for each in self.failed
            ],
        }

    @property
    def recovered(self) -> dict[str, float]:
        """How long the matches took until all was well with them, after the faults had stopped."""
        times = sorted(self._recovered)
        if not times:
            return {"matches": 0, "p50": 0.0, "p99": 0.0, "max": 0.0}
        ranks = {"p50": 0.5, "p99": 0.99, "max": 1.0}
        return {"matches": len(times)} | {
            name: round(times[max(0, math.ceil(rank * len(times)) - 1)], 2) for name, rank in ranks.items()
        }
