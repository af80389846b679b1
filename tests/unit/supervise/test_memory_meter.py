"""The meter tells whose memory it is, and mistrusts its own inputs."""

import asyncio

import pytest

from longstop.observe import signals
from longstop.resilience.memory import MB
from longstop.supervise.hands import Stage
from longstop.supervise.memory import FROZEN_SECONDS, INTERVAL_SECONDS, MemoryMeter
from longstop.supervise.service import Stop
from tests.unit.supervise.wards import FakeBrowsers, FakeHands, FakeMachine, scraper
from tests.virtual import Heard, noon_clock, on_virtual_time

CLOCK = noon_clock()

pytestmark = pytest.mark.req("B5")


class Held:
    """Bounds that only write down what they are given."""

    def __init__(self) -> None:
        self.given: list[tuple[dict[str, int], int]] = []

    def hold(self, views: object, told: object, process_bytes: int) -> None:
        assert isinstance(told, dict)
        self.given.append((told, process_bytes))


class Metered:
    def __init__(self, hands: FakeHands) -> None:
        self.hands = hands
        self.machine = FakeMachine()
        self.browsers = FakeBrowsers()
        self.bounds = Held()
        self.heard = Heard()
        self.meter = MemoryMeter(hands, self.machine, self.browsers, self.bounds, CLOCK, self.heard.bus)

    def failures(self) -> list[str]:
        return [failed.reading for failed in self.heard.of(signals.ReadingFailed)]


@on_virtual_time
async def test_each_is_told_its_share_of_what_came_after_the_start() -> None:
    house = Metered(FakeHands(scraper("A"), scraper("B", weight_bytes=3 * MB)))
    house.machine.process = 500 * MB
    house.browsers.pages = {"A": 60 * MB}
    house.meter.round()
    (told,) = house.heard.of(signals.ScrapersMeasured)
    assert told.memory_bytes == house.meter.told == {"A": 160 * MB, "B": 300 * MB}
    assert (told.process_bytes, told.browser_bytes) == (500 * MB, 60 * MB)
    assert house.bounds.given == [(told.memory_bytes, 500 * MB)]


@on_virtual_time
async def test_it_looks_every_few_seconds_until_it_is_told_to_stop() -> None:
    house = Metered(FakeHands(scraper()))
    stop = Stop(CLOCK)
    watching = asyncio.create_task(house.meter.run(stop))
    await CLOCK.sleep(3 * INTERVAL_SECONDS + 1.0)
    stop.ask("seen enough")
    await watching
    assert len(house.heard.of(signals.ScrapersMeasured)) == 3


@pytest.mark.parametrize("reading", [None, 0])
@on_virtual_time
async def test_a_process_that_cannot_be_measured_is_an_alarm_and_nobody_is_judged(reading: int | None) -> None:
    house = Metered(FakeHands(scraper()))
    house.machine.process = reading
    house.meter.round()
    assert house.failures() == ["process memory"]
    assert house.meter.told == {}
    assert house.bounds.given == []


@on_virtual_time
async def test_an_alarm_that_lasts_is_told_once_a_minute() -> None:
    house = Metered(FakeHands(scraper()))
    house.machine.process = None
    for _ in range(25):
        house.meter.round()
        await CLOCK.sleep(5.0)
    assert house.failures() == ["process memory"] * 3


@on_virtual_time
async def test_a_figure_that_never_moves_while_matches_are_in_play_is_not_believed() -> None:
    house = Metered(FakeHands(scraper()))
    for _ in range(int(FROZEN_SECONDS / 60)):
        house.meter.round()
        await CLOCK.sleep(60.0)
    assert house.failures() == []
    house.meter.round()
    assert house.failures() == ["process memory"]
    house.machine.process = 101 * MB
    house.meter.round()
    await CLOCK.sleep(60.0)
    house.meter.round()
    assert len(house.failures()) == 1


@on_virtual_time
async def test_a_figure_may_stand_still_while_nothing_is_in_play() -> None:
    house = Metered(FakeHands(scraper(stage=Stage.UPCOMING)))
    for _ in range(100):
        house.meter.round()
        await CLOCK.sleep(60.0)
    assert house.failures() == []


@on_virtual_time
async def test_scrapers_that_weigh_nothing_are_an_alarm() -> None:
    house = Metered(FakeHands(scraper("A", weight_bytes=0), scraper("B")))
    house.meter.round()
    assert house.failures() == ["scraper weight"]
    assert list(house.meter.told) == ["B"]


@pytest.mark.req("B6")
@on_virtual_time
async def test_the_breakdown_names_the_largest_and_adds_up_the_rest() -> None:
    house = Metered(FakeHands(*(scraper(f"M{number:02}", weight_bytes=(number + 1) * MB) for number in range(30))))
    house.machine.process = 565 * MB
    house.browsers.pages = {"M29": 0}
    house.meter.round()
    house.meter.break_down(available_bytes=300 * MB)
    (told,) = house.heard.of(signals.MemoryBrokenDown)
    assert list(told.largest)[:2] == ["M28", "M27"]
    assert (len(told.largest), told.others, told.unmeasured) == (20, 9, 1)
    assert sum(told.largest.values()) + told.others_bytes == 435 * MB
    assert (told.available_bytes, told.process_bytes) == (300 * MB, 565 * MB)
