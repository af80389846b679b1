"""Six hours, in a quiet moment, and not all at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop.resilience.lifetime import (
    Life,
    LifetimeLimits,
    due_seconds,
    is_quiet,
    replaced_at_once_max,
    why_replace,
)
from longstop.resilience.rhythm import Rhythm

LIMITS = LifetimeLimits()
BUSY = Rhythm(recent=(True,) * 8 + (False,) * 2)
STEADY = Rhythm(recent=(True, False) * 5)
QUIET = Rhythm(recent=(False,) * 9 + (True,))
SILENT = Rhythm(recent=(True, False, False, False, False, False), unchanged=5)

pytestmark = pytest.mark.req("B5")


def life(age_seconds: float, rhythm: Rhythm = STEADY, scraper_id: str = "s", *, is_in_break: bool = False) -> Life:
    return Life(scraper_id, age_seconds, rhythm, is_in_break)


@pytest.mark.parametrize(("rhythm", "expected"), [(BUSY, False), (STEADY, False), (QUIET, True), (SILENT, True)])
def test_a_match_is_quiet_when_little_of_it_changes(rhythm: Rhythm, expected: bool) -> None:
    assert is_quiet(life(0, rhythm)) is expected


def test_a_break_is_quiet_and_a_match_of_which_little_is_known_is_not() -> None:
    assert is_quiet(life(0, BUSY, is_in_break=True))
    assert not is_quiet(life(0, Rhythm()))


def test_a_young_scraper_is_left_alone_even_in_a_break() -> None:
    assert why_replace(life(5 * 3600 - 1, SILENT, is_in_break=True), LIMITS) is None


def test_near_its_time_a_scraper_goes_in_the_first_quiet_moment() -> None:
    near = due_seconds("s", LIMITS) - LIMITS.window_seconds + 1
    assert why_replace(life(near, STEADY), LIMITS) is None
    assert why_replace(life(near, QUIET), LIMITS) == "its time is near and the match is quiet"


def test_at_its_time_it_waits_for_nothing_but_the_end_of_a_busy_moment() -> None:
    due = due_seconds("s", LIMITS)
    assert why_replace(life(due, BUSY), LIMITS) is None
    assert why_replace(life(due, STEADY), LIMITS) == "its time has come"


@given(st.text(max_size=40), st.sampled_from([BUSY, STEADY, QUIET, SILENT, Rhythm()]), st.floats(18.0, 604_800.0))
def test_whatever_the_match_does_the_limit_is_the_end(name: str, rhythm: Rhythm, limit: float) -> None:
    limits = LifetimeLimits(limit)
    assert limits.limit_seconds - limits.window_seconds <= due_seconds(name, limits) <= limits.limit_seconds
    assert limits.grace_seconds <= 600.0
    assert why_replace(life(limit, rhythm, name), limits) is not None
    assert why_replace(life(limit - 2 * limits.window_seconds - 1, rhythm, name), limits) is None


def test_scrapers_that_began_together_come_due_apart() -> None:
    dues = sorted(due_seconds(f"scraper {number}", LIMITS) for number in range(1000))
    in_one_minute = max(sum(due <= other < due + 60 for other in dues) for due in dues)
    assert in_one_minute <= 60


def test_so_many_go_at_once_that_all_are_through_within_half_a_window() -> None:
    assert replaced_at_once_max(1, 10, LIMITS) == 1
    assert replaced_at_once_max(1000, 10, LIMITS) == 12
