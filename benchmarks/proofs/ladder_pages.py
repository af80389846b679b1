"""Replay is forbidden: 25 matches on intercept, then 10 on dom, fresh and within 4 GB."""

from collections.abc import Iterator

from benchmarks.figures import Figure, Wishes, below, exactly, noted
from benchmarks.proofs.ladder_stage import Seen, Stage, about_ages, about_end, about_record, held, pss_peak_bytes

MEMORY_GB = 4.0
SHARE_OF_TIME = 0.2


def prove_intercept(wishes: Wishes) -> Iterator[Figure]:
    """The site answers only its own page; the calls beside are made from inside it."""
    stage = Stage(25, ("page-only",), ("scraper.fetch.rungs=intercept",), speed=wishes.speed)
    seen = held(stage, _seconds(wishes))
    yield from _about(seen, "intercept")
    yield from about_record(seen)
    yield from about_end(seen)


def prove_dom(wishes: Wishes) -> Iterator[Figure]:
    """The page is all there is: it shows the score and no ball of the past, so no ball is judged."""
    stage = Stage(10, ("server-rendered",), ("scraper.fetch.rungs=dom",), speed=wishes.speed, has_feed=False)
    seen = held(stage, _seconds(wishes))
    yield from _about(seen, "dom")
    yield from about_end(seen)


def _seconds(wishes: Wishes) -> float:
    return max(30.0, wishes.minutes * 60 * SHARE_OF_TIME)


def _about(seen: Seen, rung: str) -> Iterator[Figure]:
    yield noted("watched", round(seen.seconds), "s")
    yield exactly(f"matches on {rung}", seen.scene.rungs[rung], sum(seen.scene.rungs.values()))
    yield from about_ages(seen)
    peak = max(seen.scene.footprints, key=lambda each: each.pss_bytes)
    yield below("PSS of all our processes, at the most", pss_peak_bytes(seen) / 2**30, MEMORY_GB, "GB")
    yield noted("processes, then", peak.processes)
    first, last = seen.scene.footprints[0], seen.scene.footprints[-1]
    yield noted("share of one core", f"{(last.cpu_seconds - first.cpu_seconds) / (last.at - first.at):.0%}")
