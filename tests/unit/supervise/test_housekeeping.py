"""The services that look after resources, joined as bootstrap joins them."""

import asyncio

import pytest

from longstop.domain.errors import InsufficientMemoryError
from longstop.observe import signals
from longstop.resilience.memory import MB
from longstop.settings import Settings
from longstop.supervise.hands import Stage
from longstop.supervise.housekeeping import Housekeeping, ResourceLimits, resource_limits
from longstop.supervise.service import Stop
from tests.unit.supervise.wards import FakeBrowsers, FakeHands, FakeMachine, scraper
from tests.virtual import Heard, noon_clock, on_virtual_time

CLOCK = noon_clock()


def test_the_limits_are_those_of_the_settings() -> None:
    assert resource_limits(Settings()) == ResourceLimits()


class House:
    def __init__(self, hands: FakeHands) -> None:
        self.hands = hands
        self.browsers = FakeBrowsers()
        self.machine = FakeMachine()
        self.heard = Heard()
        self.surrendered: list[object] = []
        self.keeping = Housekeeping(
            hands, self.browsers, ResourceLimits, self.surrendered.append, CLOCK, self.heard.bus, self.machine
        )
        self.stop = Stop(CLOCK)
        self.tasks = [asyncio.create_task(service.run(self.stop)) for service in self.keeping.services()]

    async def end(self) -> None:
        self.stop.ask("the test is over")
        await asyncio.gather(*self.tasks)


async def begin_nothing() -> None:
    pass


@pytest.mark.req("B5")
@on_virtual_time
async def test_a_scraper_that_eats_memory_is_replaced_within_a_minute_and_the_others_keep_theirs() -> None:
    """S0, story 2.1: its pages grow by 100 MB a minute."""
    house = House(FakeHands(*(scraper(match_id) for match_id in "ABCD")))
    house.heard.bus.subscribe(signals.ReplacementOrdered, lambda _: house.browsers.pages.clear())
    for minute in range(20):
        if not house.hands.done:
            house.browsers.pages = {"A": (minute + 1) * 100 * MB}
        await CLOCK.sleep(60.0)
    assert house.hands.done == [("restart", "A", "memory")]
    assert [rose.level for rose in house.heard.of(signals.MemoryRose)] == ["high", "soft"]
    assert house.surrendered == []
    await house.end()


@pytest.mark.req("B6")
@on_virtual_time
async def test_a_refused_start_makes_room_writes_down_who_has_what_and_comes_in() -> None:
    """S0, edge case 6, from the refusal to the start."""
    house = House(FakeHands(scraper("OVER", stage=Stage.OVER, idle_seconds=3600.0), scraper("PLAY")))
    house.machine.process = 300 * MB
    await CLOCK.sleep(10.0)
    house.machine.available = 400 * MB
    with pytest.raises(InsufficientMemoryError):
        await house.keeping.admission.admit("NEW", begin_nothing)
    await CLOCK.sleep(2.0)
    assert house.hands.done == [("drop", "OVER", "idle: memory is short")]
    (broken_down,) = house.heard.of(signals.MemoryBrokenDown)
    assert broken_down.largest == {"OVER": 100 * MB, "PLAY": 100 * MB}
    assert (house.browsers.sweeps, house.machine.releases) == (1, 1)
    house.machine.available = 800 * MB
    await CLOCK.sleep(60.0)
    assert len(house.heard.of(signals.StartRetried)) == 1
    assert house.keeping.admission.waiting == ()
    await house.end()


@pytest.mark.req("B5")
@on_virtual_time
async def test_ten_scrapers_for_twelve_hours_are_each_replaced_and_nothing_is_left_behind() -> None:
    """S0, stories 1.3 and 4.2: 12 h of ten matches."""
    house = House(FakeHands(*(scraper(str(number), age_seconds=0.0) for number in range(10))))
    for _ in range(12 * 60):
        house.hands.grow_older(60.0)
        await CLOCK.sleep(60.0)
    restarts = [match_id for what, match_id, _ in house.hands.done if what == "restart"]
    assert {restarts.count(str(number)) for number in range(10)} <= {1, 2}
    assert len(set(restarts)) == 10
    assert house.browsers.sweeps == 24
    assert house.heard.of(signals.MemoryRose) == []
    await house.end()
