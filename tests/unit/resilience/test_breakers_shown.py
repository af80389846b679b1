"""Which of many breakers are shown."""

import pytest

from longstop.resilience.breaker import worst_first
from tests.unit.resilience.test_breaker import admitted, breaker


@pytest.mark.req("G4")
def test_of_many_breakers_those_are_shown_that_were_asked_and_the_worst_first() -> None:
    unasked, well, flaky, shut = breaker(), breaker(), breaker(), breaker(threshold=1)
    admitted(well).succeed(0.0)
    admitted(flaky).fail(0.0)
    admitted(shut).fail(0.0)
    views = [subject.view() for subject in (unasked, well, flaky, shut)]
    assert worst_first(views, 9) == [views[3], views[2], views[1]]
    assert worst_first(views, 1) == [views[3]]
