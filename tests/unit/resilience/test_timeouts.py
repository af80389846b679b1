"""The documents' numbers: 30 s becomes 45 s for a slow site and 24 s for a quick one, judged over ten requests."""

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop.resilience.timeouts import Timeouts, adapt

USUAL = Timeouts()
seconds = st.floats(0.1, 600)


@pytest.mark.req("A4")
def test_a_slow_site_gets_half_as_much_time_again() -> None:
    assert adapt(USUAL, [2.5] * 10) == Timeouts(page_seconds=45.0, navigation_seconds=45.0, selector_seconds=10.0)


@pytest.mark.req("A4")
def test_a_quick_site_gets_a_fifth_less() -> None:
    assert adapt(USUAL, [0.1] * 10) == Timeouts(page_seconds=24.0, navigation_seconds=24.0, selector_seconds=5.0)


@pytest.mark.req("A4")
@pytest.mark.parametrize(
    ("configured", "expected"), [(18.75, 15.0), (18.0, 15.0), (16.0, 15.0), (15.0, 15.0), (20.0, 16.0)]
)
def test_no_site_gets_less_than_fifteen_seconds(configured: float, expected: float) -> None:
    found = adapt(Timeouts(configured, configured, 5.0), [0.1] * 10)
    assert (found.page_seconds, found.navigation_seconds) == (expected, expected)


def test_who_configured_less_than_fifteen_seconds_keeps_it() -> None:
    assert adapt(Timeouts(8.0, 4.0, 1.0), [0.1] * 10) == Timeouts(8.0, 4.0, 1.0)


@pytest.mark.req("A4")
@pytest.mark.parametrize(("mean", "page"), [(0.5, 30.0), (0.499, 24.0), (1.0, 30.0), (2.0, 30.0), (2.001, 45.0)])
def test_between_half_a_second_and_two_all_stays(mean: float, page: float) -> None:
    assert adapt(USUAL, [mean] * 10).page_seconds == page


def test_it_is_the_mean_that_counts() -> None:
    assert adapt(USUAL, [20.1] + [0.0] * 9).page_seconds == 45.0
    assert adapt(USUAL, [4.0] + [0.0] * 9).page_seconds == 24.0


@pytest.mark.req("A4")
@pytest.mark.parametrize("requests", range(10))
def test_fewer_than_ten_requests_say_too_little(requests: int) -> None:
    assert adapt(USUAL, [9.0] * requests) == USUAL


@pytest.mark.req("A4")
def test_only_the_last_ten_requests_count() -> None:
    assert adapt(USUAL, [60.0] * 90 + [1.0] * 10) == USUAL
    assert adapt(USUAL, [1.0] * 90 + [3.0] * 10).page_seconds == 45.0


def test_waits_for_elements_that_are_longer_already_stay() -> None:
    assert adapt(Timeouts(selector_seconds=12.0), [3.0] * 10).selector_seconds == 12.0


@pytest.mark.parametrize("kind", [list, tuple, deque])
def test_the_latencies_may_come_in_any_row(kind: type) -> None:
    """A ring of the last ones cannot be sliced."""
    assert adapt(USUAL, kind([3.0] * 12)).page_seconds == 45.0


def test_the_latencies_are_left_alone() -> None:
    ring = deque([3.0] * 12)
    adapt(USUAL, ring)
    assert ring == deque([3.0] * 12)


@given(page=seconds, navigation=seconds, selector=seconds, latencies=st.lists(st.floats(0, 120), max_size=30))
def test_it_stays_within_its_bounds(page: float, navigation: float, selector: float, latencies: list[float]) -> None:
    base = Timeouts(page, navigation, selector)
    found = adapt(base, latencies)
    for before, after in ((page, found.page_seconds), (navigation, found.navigation_seconds)):
        assert min(before, 15.0, before * 1.5) <= after <= before * 1.5
        assert after >= before * 0.8
    assert selector <= found.selector_seconds <= max(selector, 10.0)
    assert adapt(base, latencies) == found, "judged anew from what was configured, so nothing piles up"
