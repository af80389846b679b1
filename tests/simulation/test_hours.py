"""What the stories of the documents ask for over hours: lifetimes as they are set, stability, the pace of each time."""

import asyncio

import msgspec
import pytest

from benchmarks.weather import Forecast, always
from longstop.observe import signals
from longstop.resilience.lifetime import LifetimeLimits
from longstop.resilience.pace import PaceLimits
from tests.simulation.test_resources import Kept, kept
from tests.simulation.test_stories import HOUR, MINUTE, Life, lived

SIX_HOURS = LifetimeLimits().limit_seconds


def slowly(house: Kept) -> None:
    """A look each twenty seconds: it is hours that are looked at here."""
    engine = house.simulation.engine
    engine.reconfigure(msgspec.structs.replace(engine.options, pace=PaceLimits(baseline_seconds=20.0)))


@pytest.mark.req("B5", "B8", "B9")
def test_stories_1_and_4_in_twelve_hours_each_scraper_is_replaced_at_six_and_nothing_grows() -> None:
    tasks: list[int] = []
    ages: list[float] = []
    weights: list[int] = []

    async def play(house: Kept) -> None:
        slowly(house)
        for _ in range(12):
            await house.sleep(HOUR)
            views = house.hands.scrapers()
            tasks.append(len(asyncio.all_tasks()))
            ages.append(max(view.age_seconds for view in views))
            weights.append(max(view.weight_bytes for view in views))

    house = kept(play, speed=1.0, matches=2)
    assert SIX_HOURS - 2 * HOUR < max(ages) <= SIX_HOURS
    replaced = [told for told in house.heard.of(signals.ScraperReplaced) if told.reason == "lifetime"]
    assert len({told.match_id for told in replaced}) >= 2
    assert max(told.gap_seconds for told in replaced) <= 300.0
    assert max(tasks) - min(tasks) <= 3
    assert max(weights) < 4 * 1024 * 1024
    assert house.surrendered == []


@pytest.mark.req("A3")
def test_story_5_a_source_that_fails_is_asked_less_and_less_until_it_has_been_well_for_five_minutes() -> None:
    failing = (5 * MINUTE, 15 * MINUTE)

    async def spoil(life: Life) -> None:
        await life.simulation.clock.sleep(failing[0])
        life.simulation.weather.forecast = Forecast(failing_share=always(1.0))
        await life.simulation.clock.sleep(failing[1] - failing[0])
        life.simulation.weather.forecast = Forecast()

    life = lived(25 * MINUTE, during=spoil, matches=1)
    (match_id,) = life.match_ids
    paces = [told for told in life.of(signals.PaceChanged) if told.match_id == match_id]
    asked = [(told.seconds, told.reason) for told in paces if "errors" in told.reason]
    assert [seconds for seconds, _ in asked[:3]] == [5.0, 10.0, 20.0]
    well_again = next(moment for moment in life.fresh_at(match_id) if moment >= failing[1])
    assert well_again - failing[1] <= 20.0 + 5.0
    back = next(told for told in paces if told.at.timestamp() > paces[0].at.timestamp() and told.before_seconds == 20.0)
    assert back.seconds <= 5.0
    last_failure = max(poll.at for poll in life.of(signals.PollFinished) if poll.outcome == "failed")
    assert 300.0 <= (back.at - last_failure).total_seconds() <= 320.0


@pytest.mark.req("A3")
def test_story_5_the_pace_follows_busy_play_and_breaks() -> None:
    """Twenty times life brings something new at nearly every look."""
    life = lived(20 * MINUTE, matches=3, speed=20.0)
    told = {(each.seconds, each.reason) for each in life.of(signals.PaceChanged)}
    assert (2.0, "busy play") in told
    assert (30.0, "a break") in told
