"""Every browser replaced each 20 s while its pages are in use: no match misses more than one poll."""

from collections.abc import Iterator

from benchmarks.figures import Figure, Wishes, at_least, below, noted
from benchmarks.proofs.ladder_stage import Stage, about_end, about_record, held, percentile

MATCHES = 8
EACH_SECONDS = 20.0
POLL_SECONDS = 2.5
PAGE_SECONDS = 1.0


def prove_recycling(wishes: Wishes) -> Iterator[Figure]:
    """A gap is what lies between two captures beyond the poll that always lies between them. A page that asks each
    second may have had its answer up to that long before we came for it."""
    sets = ("scraper.fetch.rungs=intercept", f"scraper.lifecycle.max_lifetime_hours={EACH_SECONDS / 3600:.5f}")
    guards = ("page-only", f"poll={PAGE_SECONDS:g}")
    seen = held(Stage(MATCHES, guards, sets, speed=wishes.speed), max(65.0, wishes.minutes * 12))
    gaps = seen.scene.captures.gaps()
    yield at_least("browsers recycled", seen.told("browser recycled"), int(seen.seconds / EACH_SECONDS / 2))
    yield noted("between two captures, p50", percentile(gaps, 0.5), "s")
    yield noted("between two captures, p99", percentile(gaps, 0.99), "s")
    yield noted("between two captures, max", max(gaps, default=float("inf")), "s")
    longest = max(gaps, default=float("inf")) - POLL_SECONDS - PAGE_SECONDS
    yield below("longest gap beyond a poll and the page's own second", max(0.0, longest), POLL_SECONDS, "s")
    yield from about_record(seen)
    yield from about_end(seen)
