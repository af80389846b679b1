"""Storms by the thousand, the bugs that they must find, and real matches played through storms of faults."""

import multiprocessing
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, Wishes, at_least, below, exactly, holds, noted, tell
from benchmarks.shared_data import cricsheet_files
from longstop_origin.replay import ReplayOptions, replay_file
from longstop_origin.storm.campaign import Summary, run_seeds
from longstop_origin.storm.findings import WORDS
from tests.planted.listing import BUGS
from tests.planted.planting import Found, first_found

SEEDS = 2000
SEEDS_A_BUG = 1000
BUGS_LEAST = 25
TOLD_EVERY = 250
REPLAY_SEEDS = (1, 2, 3)
WORKERS = 2


def prove_storms(_: Wishes) -> Iterator[Figure]:
    summary, began = Summary(), time.monotonic()
    for outcome in run_seeds(range(1, SEEDS + 1)):
        summary.add(outcome)
        if not outcome.report.is_clean:
            tell(f"{outcome.command}: {outcome.report.findings[0]}")
        if summary.seeds % TOLD_EVERY == 0:
            tell(f"{summary.seeds} of {SEEDS} storms are over")
    took = time.monotonic() - began
    yield exactly("storms", summary.seeds, SEEDS)
    for word in WORDS:
        yield exactly(word, summary.counts[word], 0)
    yield at_least("faults", summary.totals["faults"], 1000)
    yield at_least("critical events", summary.totals["events"], 1_000_000)
    times = summary.recovered
    yield below("recovered, p50", times["p50"], 5.0, "s")
    yield below("recovered, p99", times["p99"], 20.0, "s")
    yield holds("recovered, at most", times["max"] <= 30.5, f"{times['max']:g} s", "<= 30 s")
    yield at_least("storms a minute", 60 * summary.seeds / took, 300)
    yield noted("virtual hours", round(summary.totals["seconds"] / 3600, 1))
    yield noted("lives of the process", summary.totals["lives"])


def prove_planted(_: Wishes) -> Iterator[Figure]:
    """The list, with the first seed that finds each."""
    yield at_least("bugs planted", len(BUGS), BUGS_LEAST)
    with ProcessPoolExecutor(WORKERS) as pool:
        for bug, found in zip(BUGS, pool.map(_first_found, range(len(BUGS))), strict=True):
            seen = "not found" if found is None else f"seed {found.seed}"
            if found is not None:
                tell(f"{bug.name}: {found.finding[:120]}")
            yield holds(bug.name, found is not None, seen, f"a seed <= {SEEDS_A_BUG}")


def _first_found(number: int) -> Found | None:
    return first_found(BUGS[number], range(1, SEEDS_A_BUG + 1))


def prove_replays(_: Wishes) -> Iterator[Figure]:
    files = cricsheet_files()
    work = [*product(sorted(files, key=lambda path: -path.stat().st_size), REPLAY_SEEDS)]
    context = multiprocessing.get_context("spawn")
    reports: list[dict[str, Any]] = []
    with ProcessPoolExecutor(WORKERS, mp_context=context) as pool:
        for report in pool.map(_played, work):
            reports.append(report)
            if not report["is_clean"]:
                tell(f"{report['file']}: {report['events']} {report['faults'][:3]}")
    yield at_least("files", len(files), 1)
    yield exactly("replays", len(reports), len(files) * len(REPLAY_SEEDS))
    for name in ("lost", "duplicated", "unexpected", "wrong"):
        yield exactly(f"balls {name}", sum(report["events"][name] for report in reports), 0)
    yield exactly("matches that are whole", sum(report["is_clean"] for report in reports), len(reports))
    yield exactly("gaps left open", sum(report["gaps"]["open"] for report in reports), 0)
    yield noted("gaps recorded and closed", sum(report["gaps"]["recorded"] for report in reports))
    yield noted("balls stored", sum(report["events"]["stored"] for report in reports))


def _played(work: tuple[Path, int]) -> dict[str, Any]:
    path, seed = work
    return replay_file(path, ReplayOptions(seed=seed, faults="storm"))
