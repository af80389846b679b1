from datetime import timedelta

import pytest

from longstop.domain.scraper_state import ScraperState
from tests.cricket import NOON


@pytest.mark.req("B2", "B8")
@pytest.mark.parametrize(
    ("clock_seconds", "left"), [(0, 300.0), (100, 200.0), (400, -100.0), (-3600, 300.0), (3600, -3300.0)]
)
def test_a_rest_is_never_longer_than_it_was_when_it_was_saved(clock_seconds: int, left: float) -> None:
    state = ScraperState("crex_AB1", "scraper-1", NOON, "too often", paused_until=NOON + timedelta(seconds=300))
    assert state.rest_seconds(NOON + timedelta(seconds=clock_seconds)) == left


def test_who_was_not_resting_does_not_rest() -> None:
    assert ScraperState("crex_AB1", "scraper-1", NOON, "interval").rest_seconds(NOON) == 0.0
