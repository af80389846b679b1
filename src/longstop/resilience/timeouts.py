"""How long to wait for a site, from how long it took lately. Pure; the numbers are the documents'."""

from collections.abc import Collection

import msgspec

MEASURED_REQUESTS = 10
SLOW_SECONDS = 2.0
QUICK_SECONDS = 0.5
SLOWER_FACTOR = 1.5
QUICKER_FACTOR = 0.8
PAGE_SECONDS_MIN = 15.0
SELECTOR_SECONDS_SLOW = 10.0


class Timeouts(msgspec.Struct, frozen=True):
    page_seconds: float = 30.0
    navigation_seconds: float = 30.0
    selector_seconds: float = 5.0


def adapt(base: Timeouts, latencies: Collection[float]) -> Timeouts:
    """Judged over the last ten requests, and only once there are ten: fewer say too little.

    A mean above 2 s raises page and navigation by half and selector waits to 10 s; below 500 ms lowers page and
    navigation by a fifth, never under 15 s (and never above what was configured).
    """
    if len(latencies) < MEASURED_REQUESTS:
        return base
    recent = list(latencies)[-MEASURED_REQUESTS:]
    mean = sum(recent) / len(recent)
    if mean > SLOW_SECONDS:
        return Timeouts(
            page_seconds=base.page_seconds * SLOWER_FACTOR,
            navigation_seconds=base.navigation_seconds * SLOWER_FACTOR,
            selector_seconds=max(base.selector_seconds, SELECTOR_SECONDS_SLOW),
        )
    if mean < QUICK_SECONDS:
        return Timeouts(
            page_seconds=_quicker(base.page_seconds),
            navigation_seconds=_quicker(base.navigation_seconds),
            selector_seconds=base.selector_seconds,
        )
    return base


def _quicker(seconds: float) -> float:
    return min(seconds, max(PAGE_SECONDS_MIN, seconds * QUICKER_FACTOR))
