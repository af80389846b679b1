"""The user stories of the documents that need hours, on virtual time: the real engine in seconds.

Every one ends with everything that was kept held against the truth: nothing lost, nothing twice, nothing wrong.
"""

from collections.abc import Awaitable, Callable
from itertools import pairwise
from random import Random
from typing import Any

import msgspec
import pytest

from benchmarks.simulated import EPOCH, Conditions, Simulation, unclean
from benchmarks.weather import Forecast, answers_garbage, hangs, raises, rising
from longstop import virtual_time
from longstop.observe import signals
from longstop_origin.invented import League
from longstop_origin.model import invent_match
from longstop_origin.timing import REAL_NIGHT, with_times
from longstop_origin.world import World, WorldOptions

MINUTE, HOUR = 60.0, 3600.0


class Life:
    """What was seen from outside while it lasted."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.all: list[signals.Signal] = []
        simulation.bus.subscribe_all(self.all.append)

    def of(self, kind: type[Any]) -> list[Any]:
        return [signal for signal in self.all if isinstance(signal, kind)]

    def fresh_at(self, match_id: str) -> list[float]:
        """When good data came, in seconds of the world."""
        good = (poll for poll in self.of(signals.PollFinished) if poll.match_id == match_id and poll.fresh_at)
        return [(poll.at - EPOCH).total_seconds() for poll in good]

    def longest_gap(self, match_id: str, until: float) -> float:
        moments = [moment for moment in self.fresh_at(match_id) if moment < until]
        return max(later - sooner for sooner, later in pairwise(moments))

    def longest_gap_in_play(self, until: float) -> float:
        """Between two good looks, where the pace was that of play when the first of them came."""
        seen: dict[str, float] = {}
        paces: dict[str, float] = {}
        longest = 0.0
        for told in self.all:
            if isinstance(told, signals.PaceChanged):
                paces[told.match_id] = told.seconds
            if not isinstance(told, signals.PollFinished) or not told.fresh_at:
                continue
            moment = (told.at - EPOCH).total_seconds()
            was = seen.get(told.match_id, moment)
            if moment < until and paces.get(told.match_id, 2.5) <= 20.0:
                longest = max(longest, moment - was)
            seen[told.match_id] = moment
        return longest

    def beats_of(self, match_ids: list[str], until: float) -> list[float]:
        return [self.longest_gap(match_id, until) for match_id in match_ids]

    @property
    def match_ids(self) -> list[str]:
        return [told.match_id for told in self.of(signals.MatchDiscovered)]


def lived(
    seconds: float,
    forecast: Forecast | None = None,
    during: Callable[[Life], Awaitable[None]] | None = None,
    **options: Any,
) -> Life:
    async def live() -> Life:
        matches = {"epoch": EPOCH.timestamp(), "seed": 11, "matches": 1, "rolling": False} | options
        simulation = Simulation(World(WorldOptions(**matches)), Conditions(seed=1), forecast=forecast)
        life = Life(simulation)
        await simulation.start()
        try:
            if during is not None:
                await during(life)
            await simulation.clock.sleep(max(0.0, seconds - simulation.clock.monotonic()))
            simulation.weather.forecast = Forecast()
            await simulation.settle()
            await simulation.stop()
            assert unclean(await simulation.verdicts()) == {}
        finally:
            await simulation.close()
        return life

    return virtual_time.run(live())


@pytest.mark.req("B1", "B9", "A1")
def test_story_1_a_network_that_is_gone_for_ten_seconds_each_quarter_of_an_hour_costs_no_more_than_thirty() -> None:
    outages = tuple((at, at + 10.0) for at in range(900, 7200, 900))
    life = lived(2 * HOUR, Forecast(outages=outages), matches=3)
    assert len(life.match_ids) == 3
    assert 10.0 < life.longest_gap_in_play(2 * HOUR) <= 30.0
    # In a break nobody looks more often than every thirty seconds, cable or no cable.
    over = {told.match_id for told in life.of(signals.MatchConcluded)}
    assert max(life.beats_of([known for known in life.match_ids if known not in over], 2 * HOUR)) <= 30.0 + 10.0 + 8.0
    assert life.of(signals.MatchPaused) == []


@pytest.mark.req("B3")
def test_story_1_a_scraper_that_crashes_is_back_within_a_minute_and_disturbs_nobody() -> None:
    crashed_at = 300.0

    async def crash(life: Life) -> None:
        await life.simulation.clock.sleep(crashed_at)
        victim = life.simulation.engine.assignments()[0]
        life.simulation.weather.forecast = Forecast(harms={victim.watch.ref.key: raises})
        await life.simulation.clock.sleep(6.0)
        life.simulation.weather.forecast = Forecast()

    life = lived(15 * MINUTE, during=crash, matches=4)
    victim, *others = [assignment.key for assignment in life.simulation.engine.assignments()]
    back = min(moment for moment in life.fresh_at(victim) if moment > crashed_at + 6.0)
    assert back - crashed_at <= 60.0
    assert len(life.of(signals.ServiceRestarted)) >= 1
    assert {told.service for told in life.of(signals.ServiceRestarted)} == {f"scraper {victim}"}
    calm = lived(15 * MINUTE, matches=4)
    assert life.beats_of(others, 15 * MINUTE) == calm.beats_of(others, 15 * MINUTE)


@pytest.mark.req("B2")
def test_story_2_five_failures_pause_a_match_for_five_minutes_and_it_begins_afresh() -> None:
    async def spoil(life: Life) -> None:
        await life.simulation.clock.sleep(120.0)
        victim = life.simulation.engine.assignments()[0]
        life.simulation.weather.forecast = Forecast(harms={victim.watch.ref.key: answers_garbage})
        await life.simulation.clock.sleep(600.0)
        life.simulation.weather.forecast = Forecast()

    life = lived(30 * MINUTE, during=spoil, matches=2)
    victim = life.of(signals.MatchPaused)[0].match_id
    scrapers = [told.scraper_id for told in life.of(signals.ScraperStarted) if told.match_id == victim]
    assert len(scrapers) >= 2
    assert life.of(signals.MatchPaused)[0].seconds == 300.0
    steps = [told.reason for told in life.of(signals.MatchStateChanged) if told.match_id == victim]
    assert steps[:3] == ["scraped", "failed_too_often", "recovered"]


@pytest.mark.req("B3")
def test_story_2_matches_that_hang_raise_and_answer_garbage_leave_sixteen_others_their_beat() -> None:
    async def spoil(life: Life) -> None:
        await life.simulation.clock.sleep(20.0)
        keys = [assignment.watch.ref.key for assignment in life.simulation.engine.assignments()]
        sick = dict(zip(keys, (hangs, raises, answers_garbage), strict=False))
        life.simulation.weather.forecast = Forecast(harms=sick)

    life = lived(5 * MINUTE, during=spoil, matches=19)
    keys = [assignment.key for assignment in life.simulation.engine.assignments()]
    calm = lived(5 * MINUTE, matches=19)
    assert len(keys) == 19
    assert life.beats_of(keys[3:], 5 * MINUTE) == calm.beats_of(keys[3:], 5 * MINUTE)


@pytest.mark.req("A3", "A4")
def test_story_5_half_an_hour_of_growing_latency_and_errors_is_lived_through_without_a_ball_lost() -> None:
    """From 100 ms to 3 s, and from no errors to one in five."""
    worsening = Forecast(latency_seconds=rising(0.1, 3.0, 1800.0), failing_share=rising(0.0, 0.2, 1800.0))
    life = lived(40 * MINUTE, worsening, matches=5)
    polls = life.of(signals.PollFinished)
    failed = [poll for poll in polls if poll.outcome == "failed"]
    assert len(failed) > 20
    # Nobody asked more because things went wrong.
    first, last = (
        [poll for poll in polls if low <= (poll.at - EPOCH).total_seconds() < low + 300] for low in (0, 1500)
    )
    assert len(last) <= len(first)
    assert {told.reason for told in life.of(signals.PaceChanged)} >= {"play"}


@pytest.mark.req("B8", "A5")
def test_a_match_of_two_days_with_its_nights_is_never_taken_for_over_and_loses_nothing() -> None:
    league = League(1, 3)
    script = invent_match(league.pairing(0), "Test", Random("two days"))
    script = with_times(msgspec.structs.replace(script, key="TWO"), 3, night=REAL_NIGHT)
    life = lived(49 * HOUR, matches=0, scripts=[script], join_in_progress=False)
    assert [told.reason for told in life.of(signals.MatchStateChanged)] == ["scraped"]
    paces = {told.reason for told in life.of(signals.PaceChanged)}
    assert "a break" in paces
    assert "the match is over and whole" not in paces
    assert life.of(signals.MatchPaused) == []
