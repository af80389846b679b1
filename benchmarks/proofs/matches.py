"""Every real match there is, through the whole engine, with and without faults: equal to its file, ball by ball."""

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.cricsheet_totals import differences
from benchmarks.figures import Figure, Wishes, at_least, exactly, noted, tell
from benchmarks.shared_data import cricsheet_files
from longstop_origin.replay import ReplayOptions, replay_file

SEEDS = {"none": (1,), "mild": (1, 2, 3)}
WORKERS = 2
SHOWN_MAX = 3


class Played(NamedTuple):
    path: Path
    faults: str
    seed: int
    report: dict[str, Any]
    differences: list[str]


def prove_matches(_: Wishes) -> Iterator[Figure]:
    files = cricsheet_files()
    yield at_least("files", len(files), 1)
    for faults, seeds in SEEDS.items():
        yield from _about(faults, [*_play_all(files, faults, seeds)])


def play(path: Path, faults: str, seed: int) -> Played:
    report = replay_file(path, ReplayOptions(seed=seed, faults=faults))
    return Played(path, faults, seed, report, differences(path, report))


def _play_all(files: list[Path], faults: str, seeds: tuple[int, ...]) -> Iterator[Played]:
    """The longest first, so that no worker is left with one of them at the end."""
    work = [*product(sorted(files, key=lambda path: -path.stat().st_size), seeds)]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(WORKERS, mp_context=context) as pool:
        played = pool.map(play, *zip(*((path, faults, seed) for path, seed in work), strict=True))
        for number, each in enumerate(played, 1):
            if number % 9 == 0 or number == len(work):
                tell(f"{faults} faults: {number} of {len(work)} played")
            yield each


def _about(faults: str, played: list[Played]) -> Iterator[Figure]:
    for name in ("lost", "duplicated", "unexpected", "wrong"):
        yield exactly(f"{faults}: balls {name}", sum(each.report["events"][name] for each in played), 0)
    unlike = [difference for each in played for difference in each.differences]
    for difference in unlike[:SHOWN_MAX]:
        tell(difference)
    yield exactly(f"{faults}: matches clean", sum(each.report["is_clean"] for each in played), len(played))
    yield exactly(f"{faults}: facts that differ from the file", len(unlike), 0)
    yield noted(f"{faults}: balls stored", sum(each.report["events"]["stored"] for each in played))
    yield noted(f"{faults}: faults met", sum(sum(each.report["faults_by_kind"].values()) for each in played))
