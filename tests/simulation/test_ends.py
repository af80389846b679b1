"""How a match ends that its site shows no more: whoever watches, and whatever happened to its scraper before."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from benchmarks.simulated import EPOCH, SOURCE, Simulation, last_end
from benchmarks.weather import Forecast
from longstop import virtual_time
from longstop.domain.errors import SourceFailingError
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchPriority, MatchRef, MatchStatus
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.observe import signals
from longstop.observe.signals import troubles
from longstop.store.contract import MatchRow, WriteBatch
from longstop.store.sqlite import SqliteOptions, SqliteStore
from longstop.supervise.budget import RestartBudget
from longstop.supervise.service import Stop
from longstop.supervise.supervisor import Supervisor
from longstop.supervise.watchdogs.engine_patient import EnginePatient
from longstop.supervise.watchdogs.limits import WatchdogLimits
from longstop.supervise.watchdogs.pack import Watchdogs
from longstop_origin.world import World, WorldOptions
from tests.vanishing import Vanishing

BUDGET = RestartBudget(restarts=0, within_seconds=1.0)


def world(matches: int = 3) -> World:
    return World(WorldOptions(epoch=EPOCH.timestamp(), seed=11, matches=matches, rolling=False))


class Seen:
    """What was said of one match, and of the instance."""

    def __init__(self, simulation: Simulation, match_id: str) -> None:
        self._said: list[Any] = []
        self._match_id = match_id
        simulation.bus.subscribe_all(self._said.append)

    def of(self, kind: type[Any]) -> list[Any]:
        about = (self._match_id, "instance", None)
        return [
            told
            for told in self._said
            if type(told) is kind and getattr(told, "match_id", getattr(told, "subject", None)) in about
        ]

    @property
    def steps(self) -> list[str]:
        return [told.reason for told in self.of(signals.MatchStateChanged)]


async def answers_503(_: FetchRequest, __: Snapshot) -> Snapshot:
    raise SourceFailingError("The source answers 503.")


async def under_watchdogs(simulation: Simulation, stop: Stop) -> Supervisor:
    limits = WatchdogLimits(measures_resources=False)
    patient = EnginePatient(simulation.engine, simulation.clock)
    pack = Watchdogs(patient, lambda: limits, simulation.clock, simulation.bus, beats=simulation.engine.beats)
    supervisor = Supervisor("watchdogs", BUDGET, simulation.clock, simulation.bus)
    for service in pack.services:
        supervisor.start(service, stop)
    return supervisor


async def row_of(simulation: Simulation, match_id: str) -> MatchRow:
    row = await simulation.store.match(match_id)
    assert row is not None
    return row


@pytest.mark.req("A5", "B3")
@pytest.mark.parametrize("still_listed", [False, True])
def test_a_match_that_is_gone_ends_although_the_watchdogs_watch(still_listed: bool) -> None:
    async def play() -> tuple[Seen, MatchRow]:
        simulation = Simulation(world())
        key = simulation.world.listed(EPOCH.timestamp())[0].key
        seen, site = Seen(simulation, f"{SOURCE}_{key}"), Vanishing(simulation, key, still_listed=still_listed)
        await simulation.start()
        stop = Stop(simulation.clock)
        watchdogs = await under_watchdogs(simulation, stop)
        await simulation.clock.sleep(300.0)
        site.is_gone = True
        await simulation.clock.sleep(1900.0 if still_listed else 700.0)
        row = await row_of(simulation, f"{SOURCE}_{key}")
        stop.ask("enough was seen")
        assert await watchdogs.join(5.0) == ()
        await simulation.stop()
        await simulation.close()
        return seen, row

    seen, row = virtual_time.run(play())
    assert (row.status, row.state, row.scraper_status) == (MatchStatus.COMPLETED, MatchState.COMPLETED, "stopped")
    assert seen.steps == ["scraped", "finished"]
    assert len(seen.of(signals.MatchConcluded)) == 1
    if not still_listed:
        # Nobody is late with what the source denies: nothing is restarted, no browser is recycled for it.
        assert seen.of(troubles.RecoveryBegun) == []
        assert {told.after for told in seen.of(troubles.HealthGraded)} <= {"degraded", "healthy"}


@pytest.mark.req("A5", "B8")
def test_a_match_that_has_gone_while_we_were_away_is_completed_all_the_same(tmp_path: Path) -> None:
    async def play() -> tuple[Seen, MatchRow]:
        place = world()
        key = place.listed(EPOCH.timestamp())[0].key
        first = Simulation(place, store=SqliteStore(tmp_path / "kept.db", options=SqliteOptions(inline=True)))
        await first.start()
        await first.clock.sleep(300.0)
        await first.stop()
        await first.close()
        second = Simulation(place, store=SqliteStore(tmp_path / "kept.db", options=SqliteOptions(inline=True)))
        seen, site = Seen(second, f"{SOURCE}_{key}"), Vanishing(second, key)
        site.is_gone = True
        await second.start()
        await second.clock.sleep(700.0)
        row = await row_of(second, f"{SOURCE}_{key}")
        await second.stop()
        await second.close()
        return seen, row

    seen, row = virtual_time.run(play())
    assert (row.status, row.state) == (MatchStatus.COMPLETED, MatchState.COMPLETED)
    assert seen.steps == ["finished"]


@pytest.mark.req("A5")
def test_a_match_that_goes_while_it_is_paused_is_completed() -> None:
    async def play() -> tuple[Seen, MatchRow]:
        simulation = Simulation(world())
        key = simulation.world.listed(EPOCH.timestamp())[0].key
        seen, site = Seen(simulation, f"{SOURCE}_{key}"), Vanishing(simulation, key)
        await simulation.start()
        await simulation.clock.sleep(120.0)
        simulation.weather.forecast = Forecast(harms={key: answers_503})
        await simulation.clock.sleep(120.0)
        simulation.weather.forecast = Forecast()
        site.is_gone = True
        await simulation.clock.sleep(1000.0)
        row = await row_of(simulation, f"{SOURCE}_{key}")
        await simulation.stop()
        await simulation.close()
        return seen, row

    seen, row = virtual_time.run(play())
    assert (row.status, row.state) == (MatchStatus.COMPLETED, MatchState.COMPLETED)
    assert seen.steps == ["scraped", "failed_too_often", "finished"]


@pytest.mark.req("A5")
def test_a_completed_match_is_archived_after_a_day_although_its_page_has_gone() -> None:
    async def play() -> tuple[MatchRow, MatchRow]:
        simulation = Simulation(
            World(WorldOptions(epoch=EPOCH.timestamp(), seed=11, matches=1, speed=60.0, rolling=False))
        )
        key = simulation.world.listed(EPOCH.timestamp())[0].key
        site = Vanishing(simulation, key)
        await simulation.start()
        await simulation.clock.sleep(last_end(simulation.world.listed(EPOCH.timestamp())) + 300.0)
        site.is_gone = True
        await simulation.clock.sleep(3600.0)
        ended = await row_of(simulation, f"{SOURCE}_{key}")
        await simulation.clock.sleep(25 * 3600.0)
        archived = await row_of(simulation, f"{SOURCE}_{key}")
        await simulation.stop()
        await simulation.close()
        return ended, archived

    ended, archived = virtual_time.run(play())
    assert (ended.state, ended.scraper_status) == (MatchState.COMPLETED, "stopped")
    assert archived.state is MatchState.ARCHIVED


@pytest.mark.req("A5")
def test_however_many_have_been_archived_before_the_next_ones_are_found() -> None:
    old = EPOCH - timedelta(days=3)

    def row(key: str, state: MatchState) -> MatchRow:
        status, priority = MatchStatus.COMPLETED, MatchPriority.COMPLETED
        ref = MatchRef(SOURCE, key)
        return MatchRow(
            ref, "", ("A", "B"), status, state, discovered_at=old, last_scraper_update=old, priority=priority
        )

    async def play() -> set[MatchState]:
        simulation = Simulation(world(1))
        await simulation.store.open()
        rows = [row(f"A{number}", MatchState.ARCHIVED) for number in range(1000)]
        rows += [row(f"Z{number}", MatchState.COMPLETED) for number in range(1100)]
        await simulation.store.save(WriteBatch(matches=tuple(rows)))
        await simulation.engine.start()
        await simulation.clock.sleep(60.0)
        found = {each.state for each in await simulation.store.matches(status=MatchStatus.COMPLETED, limit=5000)}
        await simulation.stop()
        await simulation.close()
        return found

    assert virtual_time.run(play()) == {MatchState.ARCHIVED}


@pytest.mark.req("A5", "B3")
def test_a_site_that_denies_everything_ends_no_match() -> None:
    async def play() -> set[MatchStatus]:
        simulation = Simulation(world())
        await simulation.start()
        await simulation.clock.sleep(120.0)
        respond = simulation.site.respond
        simulation.site.respond = lambda request, now: replace(  # type: ignore[method-assign]  # the site of this test
            respond(request, now), status=404, body=b"", parts=None
        )
        await simulation.clock.sleep(3000.0)
        found = {row.status for row in await simulation.store.matches()}
        await simulation.stop()
        await simulation.close()
        return found

    assert virtual_time.run(play()) == {MatchStatus.LIVE}
