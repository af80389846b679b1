"""Whose memory it is: what is known is shared, what is not known is never little."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop.resilience.memory import MB, SCRAPER_BYTES, Holding, MemoryLimits, Pressure, pressure_of, shares, weigh

LIMITS = MemoryLimits()

pytestmark = pytest.mark.req("B5")


def test_what_the_process_grew_by_is_shared_by_what_each_holds() -> None:
    told = shares([Holding("A", 1 * MB), Holding("B", 3 * MB)], process_bytes=500 * MB, baseline_bytes=100 * MB)
    assert told == {"A": 100 * MB, "B": 300 * MB}


def test_pages_are_added_to_the_share_of_their_match() -> None:
    told = shares([Holding("A", MB, 90 * MB), Holding("B", MB)], process_bytes=120 * MB, baseline_bytes=100 * MB)
    assert told == {"A": 100 * MB, "B": 10 * MB}


def test_a_page_that_was_not_measured_leaves_its_match_unknown() -> None:
    told = shares([Holding("A", MB, 0), Holding("B", MB)], process_bytes=120 * MB, baseline_bytes=100 * MB)
    assert told == {"B": 10 * MB}


@pytest.mark.parametrize("reading", [None, 0, -1])
def test_without_a_reading_of_the_process_nothing_is_told(reading: int | None) -> None:
    assert shares([Holding("A", MB)], reading, 0) == {}


def test_a_scraper_without_weight_is_unknown_and_takes_nothing_from_the_others() -> None:
    assert shares([Holding("A", 0), Holding("B", MB)], 110 * MB, 100 * MB) == {"B": 10 * MB}


def test_a_process_that_shrank_below_its_beginning_still_holds_what_is_held() -> None:
    assert shares([Holding("A", 2 * MB), Holding("B", MB)], 90 * MB, 100 * MB) == {"A": 2 * MB, "B": MB}


@given(
    st.lists(st.integers(1, 10**9), min_size=1, max_size=50),
    st.integers(1, 10**11),
    st.integers(0, 10**11),
)
def test_the_shares_add_up_to_what_there_is_to_share(weights: list[int], process: int, baseline: int) -> None:
    told = shares([Holding(str(number), weight) for number, weight in enumerate(weights)], process, baseline)
    grown = max(process - baseline, sum(weights))
    assert len(told) == len(weights)
    assert all(told[str(number)] >= weight for number, weight in enumerate(weights))
    assert grown - len(weights) <= sum(told.values()) <= grown


@pytest.mark.parametrize("reading", [None, 0, -5])
def test_a_reading_of_nothing_is_unknown_and_never_fine(reading: int | None) -> None:
    assert pressure_of(reading, LIMITS) is Pressure.UNKNOWN


@pytest.mark.parametrize(
    ("megabytes", "expected"),
    [
        (1, Pressure.FINE),
        (1228, Pressure.FINE),
        (1229, Pressure.HIGH),
        (1536, Pressure.HIGH),
        (1537, Pressure.SOFT),
        (2048, Pressure.SOFT),
        (2049, Pressure.HARD),
    ],
)
def test_the_bounds_are_those_of_the_documents(megabytes: int, expected: Pressure) -> None:
    assert pressure_of(megabytes * MB, LIMITS) is expected


def test_a_scraper_weighs_more_with_each_thing_it_holds() -> None:
    assert weigh(0, 0, 0) == SCRAPER_BYTES
    assert weigh(600, 0, 0) > weigh(240, 0, 0) > weigh(0, 40_000, 0) > weigh(0, 0, 22) > SCRAPER_BYTES
