"""The clock of the day is set while things are under way: what was written before counts from then."""

from datetime import UTC, datetime, timedelta

import pytest

from longstop.resilience.clock_steps import ClockSteps

NOON = datetime(2026, 3, 29, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)

pytestmark = pytest.mark.req("B3", "C6")


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def steps(*looks: tuple[datetime, float]) -> ClockSteps:
    found = ClockSteps()
    for now, elapsed in looks:
        found.look(now, elapsed)
    return found


def test_without_a_step_every_moment_is_what_it_says() -> None:
    seen = steps((at(0), 0.0), (at(5), 5.0), (at(10.5), 10.0))
    assert seen.moment(at(-9000)) == at(-9000)
    assert seen.moment(at(60)) == at(60)
    assert seen.moment(None) is None


def test_what_was_written_before_the_clock_went_ahead_is_no_older_than_the_step() -> None:
    seen = steps((at(0), 0.0), (at(5) + HOUR, 5.0))
    assert seen.moment(at(4)) == at(5) + HOUR
    seen.look(at(15) + HOUR, 15.0)
    assert seen.moment(at(4)) == at(5) + HOUR
    assert seen.moment(at(12) + HOUR) == at(12) + HOUR


def test_what_was_written_before_the_clock_went_back_is_no_younger_than_the_step() -> None:
    seen = steps((at(0), 0.0), (at(5) - HOUR, 5.0))
    seen.look(at(305) - HOUR, 305.0)
    assert seen.moment(at(4)) == at(5) - HOUR
    assert seen.moment(at(300) - HOUR) == at(300) - HOUR


def test_a_process_that_stood_still_is_no_step_of_the_clock() -> None:
    seen = steps((at(0), 0.0), (at(90), 90.0))
    assert seen.moment(at(0)) == at(0)
