"""How soon a match is looked at again, and why."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop.resilience.pace import PaceLimits, Standing, choose, first_delay

LIMITS = PaceLimits()


@pytest.mark.req("A1")
@pytest.mark.parametrize(
    ("standing", "seconds", "reason"),
    [
        (Standing(), 2.5, "play"),
        (Standing(is_upcoming=True), 30.0, "the match has not begun"),
        (Standing(is_gone=True), 10.0, "the source does not show the match"),
        (Standing(is_finished=True), 300.0, "the match is over and whole"),
        (Standing(is_gone=True, is_upcoming=True), 10.0, "the source does not show the match"),
        (Standing(is_finished=True, is_gone=True, is_upcoming=True), 300.0, "the match is over and whole"),
        (Standing(throttled_seconds=60.0), 60.0, "the source asked for a pause"),
        (Standing(throttled_seconds=0.5), 2.5, "the source asked for a pause"),
        (Standing(throttled_seconds=-1.0), 2.5, "play"),
    ],
)
def test_each_standing_has_its_pace(standing: Standing, seconds: float, reason: str) -> None:
    assert (choose(standing, LIMITS).seconds, choose(standing, LIMITS).reason) == (seconds, reason)


@pytest.mark.req("B1")
@given(finished=st.booleans(), upcoming=st.booleans(), gone=st.booleans(), pause=st.floats(0.001, 1e6, allow_nan=False))
def test_a_pause_asked_for_never_brings_us_back_sooner(
    finished: bool, upcoming: bool, gone: bool, pause: float
) -> None:
    unasked = choose(Standing(finished, upcoming, gone), LIMITS)
    asked = choose(Standing(finished, upcoming, gone, pause), LIMITS)
    assert asked.seconds == max(pause, unasked.seconds)


@given(
    finished=st.booleans(),
    upcoming=st.booleans(),
    gone=st.booleans(),
    baseline=st.floats(0.1, 3600),
)
def test_nobody_is_polled_without_a_pause(finished: bool, upcoming: bool, gone: bool, baseline: float) -> None:
    limits = PaceLimits(baseline_seconds=baseline)
    assert choose(Standing(finished, upcoming, gone), limits).seconds >= min(baseline, limits.gone_seconds)


@given(number=st.integers(-(2**63), 2**63), interval=st.floats(0, 3600))
def test_the_first_poll_comes_within_one_interval(number: int, interval: float) -> None:
    assert 0 <= first_delay(number, interval) <= interval


def test_many_matches_do_not_start_in_step() -> None:
    delays = sorted(first_delay(number * 7919, 2.5) for number in range(1000))
    assert len(set(delays)) == 1000
    assert max(after - before for before, after in pairwise(delays)) < 0.01
