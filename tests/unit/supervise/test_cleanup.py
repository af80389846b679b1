"""What nobody needs goes: every half hour what was forgotten, and more of it when memory is short."""

import asyncio
import os
from pathlib import Path

import pytest

from longstop.fetch.browser.orphans import Orphan, OrphanReport
from longstop.fetch.browser.processes import Identity
from longstop.observe import signals
from longstop.resilience.memory import MB
from longstop.supervise.cleanup import Cleanup, CleanupLimits
from longstop.supervise.hands import ScraperView, Stage
from longstop.supervise.service import Stop
from tests.unit.supervise.wards import FakeBrowsers, FakeHands, scraper
from tests.virtual import Heard, noon_clock, on_virtual_time

CLOCK = noon_clock()
LONG = 1801.0


class Cleaned:
    def __init__(self, *views: ScraperView) -> None:
        self.hands = FakeHands(*views)
        self.browsers = FakeBrowsers()
        self.heard = Heard()
        self.memory: dict[str, int] = {}
        self.cleanup = Cleanup(self.hands, self.browsers, lambda: self.memory, CleanupLimits, CLOCK, self.heard.bus)

    def stopped(self) -> list[str]:
        return [match_id for what, match_id, _ in self.hands.done if what == "drop"]

    def finished(self) -> signals.CleanupFinished:
        (told,) = self.heard.of(signals.CleanupFinished)
        assert isinstance(told, signals.CleanupFinished)
        return told


@pytest.mark.req("B4")
@on_virtual_time
async def test_every_thirty_minutes_orphans_are_looked_for() -> None:
    """S0, story 2.4 and FR-009."""
    house = Cleaned()
    stop = Stop(CLOCK)
    cleaning = asyncio.create_task(house.cleanup.run(stop))
    await CLOCK.sleep(3 * 1800.0 + 1.0)
    stop.ask("seen enough")
    await cleaning
    assert house.browsers.sweeps == len(house.heard.of(signals.CleanupFinished)) == 3


@pytest.mark.req("B4")
@on_virtual_time
async def test_a_round_says_how_many_it_ended_and_what_they_held() -> None:
    house = Cleaned()
    orphans = (Orphan(Identity(7, 1), "chromium", "m:u1", 90 * MB), Orphan(Identity(8, 1), "node", "m:u1", 40 * MB))
    house.browsers.report = OrphanReport(orphans, (Path("var/browser/old"),))
    await house.cleanup.round()
    told = house.finished()
    assert (told.orphans, told.orphan_bytes, told.folders, told.scrapers) == (2, 130 * MB, 1, 0)


@on_virtual_time
async def test_a_round_stops_a_scraper_whose_match_was_put_off() -> None:
    soon = scraper("SOON", stage=Stage.UPCOMING, idle_seconds=LONG, starts_in_seconds=600.0)
    later = scraper("LATER", stage=Stage.UPCOMING, idle_seconds=LONG, starts_in_seconds=7200.0)
    house = Cleaned(soon, later)
    house.memory["LATER"] = 12 * MB
    await house.cleanup.round()
    assert house.stopped() == ["LATER"]
    (told,) = house.heard.of(signals.ScraperIdled)
    assert (told.match_id, told.pid, told.memory_bytes, told.idle_seconds) == ("LATER", os.getpid(), 12 * MB, LONG)


@on_virtual_time
async def test_a_round_leaves_alone_whatever_the_life_of_a_match_still_asks_for() -> None:
    """Rain for hours, the night between two days, the visits of a match that is over, a source that is away."""
    house = Cleaned(
        scraper("RAIN", stage=Stage.BREAK, idle_seconds=5 * LONG),
        scraper("OVER", stage=Stage.OVER, idle_seconds=5 * LONG),
        scraper("AWAY", idle_seconds=5 * LONG),
    )
    await house.cleanup.round()
    assert house.stopped() == []


@pytest.mark.req("B6")
@on_virtual_time
async def test_when_memory_is_short_the_idle_go_those_that_are_over_first_and_none_in_play() -> None:
    house = Cleaned(
        scraper("COMING", stage=Stage.UPCOMING, idle_seconds=LONG),
        scraper("STUMPS", stage=Stage.BREAK, idle_seconds=LONG),
        scraper("PLAY", idle_seconds=LONG),
        scraper("OVER", stage=Stage.OVER, idle_seconds=LONG),
        scraper("TEA", stage=Stage.BREAK, idle_seconds=1799.0),
    )
    await house.cleanup.relieve()
    assert house.stopped() == ["OVER", "STUMPS", "COMING"]
    assert (house.finished().reason, house.finished().scrapers) == ("memory is short", 3)
    assert house.browsers.sweeps == 1


@on_virtual_time
async def test_a_sweep_that_cannot_be_made_is_told_and_costs_the_round_nothing_else() -> None:
    put_off = scraper("A", stage=Stage.UPCOMING, idle_seconds=LONG, starts_in_seconds=7200.0)
    house = Cleaned(put_off)
    house.browsers.error = PermissionError("no")
    await house.cleanup.round()
    assert house.stopped() == ["A"]
    (failed,) = house.heard.of(signals.ReadingFailed)
    assert failed.reading == "orphans"
    assert house.finished().orphans == 0
