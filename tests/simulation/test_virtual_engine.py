"""The engine, real code, on virtual time: hours in moments, many matches, matches that come and go."""

import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.simulated import EPOCH, SOURCE, Conditions, Simulation, last_end, unclean
from benchmarks.weather import Forecast, always
from longstop import virtual_time
from longstop.domain.match import MatchStatus
from longstop.observe import signals
from longstop.serve.account import account_of
from longstop.store.sqlite import SqliteOptions, SqliteStore
from longstop_origin.oracle import Counts
from longstop_origin.world import World, WorldOptions
from tests.vanishing import Vanishing

HOUR_SECONDS = 3600.0
# Well under a second; the figure itself, a fifth of one, is told by `make proof-house`.
CPU_SECONDS_A_MATCH_HOUR = 0.8


def world(matches: int, **options: Any) -> World:
    return World(WorldOptions(**({"epoch": EPOCH.timestamp(), "seed": 7, "matches": matches} | options)))


def total(simulation_verdicts: dict[str, Any]) -> Counts:
    return sum((verdict.counts for verdict in simulation_verdicts.values()), Counts())


async def lived(simulation: Simulation, seconds: float) -> Counts:
    """One life of the engine, and everything it kept judged."""
    try:
        await simulation.run_for(seconds)
        verdicts = await simulation.verdicts()
        assert unclean(verdicts) == {}
        return total(verdicts)
    finally:
        await simulation.close()


@pytest.mark.parametrize("matches", [1, 4])
def test_an_hour_of_a_match_takes_well_under_a_second(matches: int) -> None:
    async def hour() -> tuple[Simulation, Counts]:
        simulation = Simulation(world(matches), Conditions(is_adaptive=False))
        return simulation, await lived(simulation, HOUR_SECONDS)

    before = time.process_time()
    simulation, counts = virtual_time.run(hour())
    assert (time.process_time() - before) / matches < CPU_SECONDS_A_MATCH_HOUR
    assert simulation.polls >= matches * HOUR_SECONDS / 2.5
    assert counts.stored > 50 * matches


@pytest.mark.req("A1")
def test_a_live_match_is_polled_every_two_and_a_half_seconds() -> None:
    async def hour() -> Simulation:
        simulation = Simulation(world(1, rolling=False), Conditions(is_adaptive=False))
        await lived(simulation, HOUR_SECONDS)
        return simulation

    simulation = virtual_time.run(hour())
    state_calls = simulation.site.requests["/api/v3/getSV3 200"]
    assert state_calls == pytest.approx((HOUR_SECONDS + 90) / 2.5, abs=3)


@pytest.mark.req("B9", "C3")
@pytest.mark.parametrize("faults", ["none", "mild", "storm"])
def test_matches_of_all_formats_are_kept_whole_side_by_side(faults: str) -> None:
    """Joined when they were under way, at ten times life, with what goes wrong at that level."""

    async def play() -> Counts:
        simulation = Simulation(world(5, speed=10.0, corrections=faults), Conditions(faults=faults, seed=3))
        return await lived(simulation, 900.0)

    counts = virtual_time.run(play())
    assert counts.stored > 1000


@pytest.mark.req("A5")
@pytest.mark.parametrize("seed", [1, 2])
def test_invented_matches_are_kept_whole_to_their_end(seed: int) -> None:
    """From the first ball, with balls that are corrected and taken away, until each has its result."""

    async def play() -> tuple[Counts, list[Any]]:
        place = world(2, seed=seed, speed=40.0, rolling=False, join_in_progress=False, corrections="storm")
        simulation = Simulation(place, Conditions(faults="mild", seed=seed))
        ends = last_end(place.listed(EPOCH.timestamp()))
        counts = await lived(simulation, ends + 400.0)
        return counts, [watch.status for watch in simulation.engine.watches]

    counts, statuses = virtual_time.run(play())
    assert counts.stored > 300
    assert set(statuses) == {MatchStatus.COMPLETED}


@pytest.mark.req("A7")
def test_a_match_that_appears_in_the_middle_is_found_and_kept() -> None:
    """The slot of a match that ends is taken by the next one."""

    async def play() -> tuple[Counts, set[str], set[str]]:
        place = world(1, speed=60.0)
        simulation = Simulation(place)
        await simulation.start()
        await simulation.clock.sleep(60.0)
        at_first = {watch.ref.key for watch in simulation.engine.watches}
        (first,) = [each for each in place.listed(EPOCH.timestamp()) if each.key in at_first]
        await simulation.clock.sleep(first.ends_at - EPOCH.timestamp() + 60.0)
        await simulation.settle()
        await simulation.stop()
        verdicts = await simulation.verdicts()
        await simulation.close()
        assert unclean(verdicts) == {}
        return total(verdicts), at_first, {watch.ref.key for watch in simulation.engine.watches}

    counts, at_first, at_last = virtual_time.run(play())
    assert len(at_first) == 1
    assert at_first < at_last
    assert counts.stored > 0


@pytest.mark.req("A5", "B3")
def test_a_match_that_disappears_disturbs_no_other_and_keeps_what_it_had() -> None:
    async def play() -> tuple[Simulation, str, int, int, Counts]:
        place = world(3, speed=10.0, rolling=False)
        simulation = Simulation(place)
        key = place.listed(EPOCH.timestamp())[0].key
        site = Vanishing(simulation, key)
        await simulation.start()
        await simulation.clock.sleep(300.0)
        site.is_gone = True
        kept = len((await account_of(simulation.store, f"{SOURCE}_{key}"))["balls"])
        await simulation.clock.sleep(300.0)
        await simulation.settle()
        await simulation.stop()
        still = len((await account_of(simulation.store, f"{SOURCE}_{key}"))["balls"])
        others = {name: each for name, each in (await simulation.verdicts()).items() if name != key}
        await simulation.close()
        assert unclean(others) == {}
        return simulation, key, kept, still, total(others)

    simulation, key, kept, still, others = virtual_time.run(play())
    assert kept == still > 0
    assert others.stored > 0
    assert simulation.report.restarts == 0
    missed = simulation.site.requests["/api/v3/getSV3 404"]
    # Asked for a minute, then left alone but for a look now and then.
    assert 0 < missed <= 60, key


@pytest.mark.req("A5")
@pytest.mark.parametrize("away_seconds", [20.0, 300.0])
def test_a_match_that_is_away_for_a_while_is_taken_up_again(away_seconds: float) -> None:
    async def play() -> Counts:
        place = world(1, speed=10.0, rolling=False)
        simulation = Simulation(place)
        site = Vanishing(simulation, place.listed(EPOCH.timestamp())[0].key)
        await simulation.start()
        for _ in range(2):
            await simulation.clock.sleep(100.0)
            site.is_gone = True
            await simulation.clock.sleep(away_seconds)
            site.is_gone = False
        await simulation.clock.sleep(100.0)
        await simulation.settle()
        await simulation.stop()
        verdicts = await simulation.verdicts()
        await simulation.close()
        assert unclean(verdicts) == {}
        return total(verdicts)

    assert virtual_time.run(play()).stored > 0


@pytest.mark.req("B8")
def test_an_engine_that_starts_again_on_its_record_changes_nothing_that_was_kept(tmp_path: Path) -> None:
    """The world stands still, so the second life can add nothing; were it to repeat anything, it would show."""

    def file_store() -> SqliteStore:
        return SqliteStore(tmp_path / "kept.db", options=SqliteOptions(inline=True))

    async def play() -> list[Any]:
        place = world(3, speed=10.0)
        kept = []
        for _ in range(2):
            simulation = Simulation(place, store=file_store())
            await simulation.run_for(300.0)
            kept.append({key: await account_of(simulation.store, f"{SOURCE}_{key}") for key in keys(simulation)})
            await simulation.close()
        return kept

    first, second = virtual_time.run(play())
    assert first == second
    assert all(account["balls"] for account in first.values())


@pytest.mark.req("A1", "A6")
def test_matches_that_were_all_held_up_at_once_go_back_to_their_places_in_the_beat() -> None:
    """Four hundred, spread over the beat; twenty seconds in which nothing is answered must not bunch them."""

    async def play() -> tuple[int, int]:
        simulation = Simulation(world(400, rolling=False), Conditions(is_adaptive=False))
        began: dict[str, float] = {}
        simulation.bus.subscribe(
            signals.PollFinished,
            lambda poll: began.update({poll.match_id: (poll.at - EPOCH).total_seconds() - poll.duration_seconds}),
        )
        await simulation.start()
        await simulation.clock.sleep(30.0)
        before = fullest(began)
        simulation.weather.forecast = Forecast(always(20.0), deadline_seconds=30.0)
        await simulation.clock.sleep(20.0)
        simulation.weather.forecast = Forecast()
        await simulation.clock.sleep(60.0)
        after = fullest(began)
        await simulation.engine.stop("enough was seen")
        await simulation.close()
        return before, after

    before, after = virtual_time.run(play())
    assert after <= 2 * before


def fullest(began: dict[str, float], slots: int = 25, beat: float = 2.5) -> int:
    """How many begin in the fullest part of the beat."""
    return max(Counter(int(moment % beat / beat * slots) for moment in began.values()).values())


def keys(simulation: Simulation) -> list[str]:
    return sorted(watch.ref.key for watch in simulation.engine.watches)


@pytest.mark.req("B8", "B9")
def test_an_engine_that_was_away_for_a_while_reads_what_it_missed(tmp_path: Path) -> None:
    async def play() -> tuple[int, Counts]:
        place = world(3, speed=10.0, rolling=False)
        first = Simulation(place, store=SqliteStore(tmp_path / "kept.db", options=SqliteOptions(inline=True)))
        await first.start()
        await first.clock.sleep(200.0)
        await first.stop()
        before = sum([len((await account_of(first.store, f"{SOURCE}_{key}"))["balls"]) for key in keys(first)])
        await first.close()
        await first.clock.sleep(300.0)
        second = Simulation(place, store=SqliteStore(tmp_path / "kept.db", options=SqliteOptions(inline=True)))
        return before, await lived(second, 200.0)

    before, counts = virtual_time.run(play())
    assert counts.stored > before + 100
