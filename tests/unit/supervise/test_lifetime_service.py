"""Six hours on virtual time: quiet moments are used, crowds are spread, nobody outlives the limit."""

import pytest

from longstop.observe import signals
from longstop.resilience.lifetime import LifetimeLimits, due_seconds
from longstop.resilience.rhythm import Rhythm
from longstop.supervise.hands import Stage
from longstop.supervise.lifetime import Lifetime
from tests.unit.supervise.wards import FakeHands, scraper
from tests.virtual import Heard, noon_clock, on_virtual_time

CLOCK = noon_clock()
LIMITS = LifetimeLimits()
STEADY = Rhythm(recent=(True, False) * 5)
BUSY = Rhythm(recent=(True,) * 10)

pytestmark = pytest.mark.req("B5")


class Aging:
    def __init__(self, hands: FakeHands) -> None:
        self.hands = hands
        self.heard = Heard()
        self.lifetime = Lifetime(hands, lambda: LIMITS, CLOCK, self.heard.bus)
        self.replaced_at: dict[str, float] = {}

    async def live(self, seconds: float, step: float = 10.0) -> None:
        for _ in range(round(seconds / step)):
            self.hands.grow_older(step)
            before = len(self.hands.done)
            self.lifetime.round()
            for _, match_id, _ in self.hands.done[before:]:
                self.replaced_at.setdefault(match_id, CLOCK.monotonic())
            await CLOCK.sleep(step)


@on_virtual_time
async def test_after_six_hours_a_scraper_in_steady_play_is_replaced_once() -> None:
    """S0, story 1.3 and edge case 7."""
    house = Aging(FakeHands(scraper(age_seconds=0.0, rhythm=STEADY)))
    await house.live(6.5 * 3600)
    assert house.hands.done == [("restart", "A", "lifetime")]
    assert house.replaced_at["A"] == pytest.approx(due_seconds("A 0", LIMITS), abs=11)
    (order,) = house.heard.of(signals.ReplacementOrdered)
    assert (order.action, order.reason) == ("replace", "lifetime")
    assert order.detail.startswith("its time has come")


@on_virtual_time
async def test_a_break_shortly_before_its_time_is_used() -> None:
    house = Aging(FakeHands(scraper(age_seconds=0.0, rhythm=STEADY)))
    near = due_seconds("A 0", LIMITS) - LIMITS.window_seconds / 2
    await house.live(near)
    assert house.hands.done == []
    house.hands.change("A", stage=Stage.BREAK)
    await house.live(20)
    assert house.hands.done == [("restart", "A", "lifetime")]


@on_virtual_time
async def test_a_match_that_is_never_quiet_is_replaced_at_six_hours_at_the_latest() -> None:
    house = Aging(FakeHands(scraper(age_seconds=0.0, rhythm=BUSY)))
    await house.live(LIMITS.limit_seconds + LIMITS.grace_seconds + 20)
    assert len(house.hands.done) == 1
    due = due_seconds("A 0", LIMITS)
    assert due < house.replaced_at["A"] <= min(due + LIMITS.grace_seconds, LIMITS.limit_seconds) + 10


@on_virtual_time
async def test_a_thousand_of_the_same_age_are_not_replaced_in_one_moment_not_even_in_a_break() -> None:
    old = due_seconds("nobody", LIMITS)
    house = Aging(FakeHands(*(scraper(f"M{n}", age_seconds=old, stage=Stage.BREAK) for n in range(1000))))
    await house.live(1200)
    assert len(house.replaced_at) == 1000
    moments = list(house.replaced_at.values())
    assert max(moments.count(moment) for moment in set(moments)) <= 12


@on_virtual_time
async def test_a_replacement_that_did_not_happen_is_ordered_again_after_a_minute() -> None:
    house = Aging(FakeHands(scraper(age_seconds=LIMITS.limit_seconds, rhythm=STEADY)))
    house.hands.is_obeyed = False
    await house.live(130)
    assert len(house.hands.done) == 3


@on_virtual_time
async def test_a_test_match_of_48_hours_is_watched_by_eight_scrapers_one_after_the_other() -> None:
    house = Aging(FakeHands(scraper(age_seconds=0.0, rhythm=STEADY)))
    await house.live(48 * 3600)
    assert len(house.hands.done) in {8, 9}
