"""The watchdogs before the whole engine on virtual time: silent through every break, awake when a match freezes."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace

from benchmarks.simulated import EPOCH, SOURCE, Conditions, Simulation
from longstop import virtual_time
from longstop.clock import Clock
from longstop.domain.cricket import PlayState
from longstop.observe import signals
from longstop.observe.signals import troubles
from longstop.resilience.staleness import MatchView
from longstop.supervise.budget import RestartBudget
from longstop.supervise.discovery import Discovery
from longstop.supervise.service import Stop
from longstop.supervise.supervisor import Supervisor
from longstop.supervise.watchdogs.engine_patient import EnginePatient
from longstop.supervise.watchdogs.limits import WatchdogLimits
from longstop.supervise.watchdogs.pack import Watchdogs
from longstop.supervise.watchdogs.patient import Figures
from longstop_origin.exchange import Reply, Request
from longstop_origin.world import World, WorldOptions

BUDGET = RestartBudget(restarts=0, within_seconds=1.0)


class Engaged(EnginePatient):
    """The engine; whatever was done to it is written down."""

    def __init__(self, simulation: Simulation) -> None:
        super().__init__(simulation.engine, simulation.clock, self._recycle_seen)
        self.restarted: list[str] = []
        self.recycles = 0
        self.seen: set[PlayState] = set()

    def matches(self) -> Sequence[MatchView]:
        views = super().matches()
        self.seen.update(view.play for view in views if view.play is not None)
        return views

    def restart(self, match_id: str, reason: str) -> bool:
        self.restarted.append(match_id)
        return super().restart(match_id, reason)

    async def _recycle_seen(self, reason: str) -> Figures:
        self.recycles += 1
        return {}


class Watched:
    """A simulation with its watchdogs, and what they said."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.patient = Engaged(simulation)
        self.said: list[Any] = []
        bus, clock = simulation.bus, simulation.clock
        bus.subscribe_all(
            lambda signal: self.said.append(signal) if type(signal).__module__ == troubles.__name__ else None
        )
        limits = WatchdogLimits(measures_resources=False)
        self.pack = Watchdogs(self.patient, lambda: limits, clock, bus, beats=simulation.engine.beats)

    async def live(self, seconds: float, midway: Callable[[], None] = lambda: None) -> None:
        simulation = self.simulation
        await simulation.start()
        stop = Stop(simulation.clock)
        supervisor = Supervisor("watchdogs", BUDGET, simulation.clock, simulation.bus)
        for service in self.pack.services:
            supervisor.start(service, stop)
        await simulation.clock.sleep(seconds / 2)
        midway()
        await simulation.clock.sleep(seconds / 2)
        stop.ask("enough was seen")
        assert await supervisor.join(5.0) == ()
        await simulation.stop()
        await simulation.close()

    def of(self, kind: type[Any]) -> list[Any]:
        return [each for each in self.said if type(each) is kind]


def world(matches: int, **options: Any) -> World:
    return World(WorldOptions(**({"epoch": EPOCH.timestamp(), "seed": 11, "matches": matches} | options)))


class FrozenSite:
    """From a moment on, every call about one match is answered with what was true at that moment."""

    def __init__(self, simulation: Simulation, key: str, clock: Clock) -> None:
        self._respond = simulation.site.respond
        self._key = key
        self._clock = clock
        self.frozen_at: datetime | None = None
        simulation.site.respond = self.respond  # type: ignore[method-assign]  # the site of this test

    def freeze(self) -> None:
        self.frozen_at = self._clock.now()

    def respond(self, request: Request, now: float) -> Reply:
        is_about = self._key in request.query.values()
        return self._respond(request, self.frozen_at.timestamp() if self.frozen_at and is_about else now)


@pytest.mark.req("C6")
@pytest.mark.parametrize("seed", [12, 14])
def test_normal_matches_with_rain_and_all_breaks_raise_no_alarm_in_four_hours(seed: int) -> None:
    """Ten at a time, of each format and at every stage; polled every 10 s, since only the watchdogs are looked at."""

    async def play() -> Watched:
        watched = Watched(Simulation(world(10, seed=seed), Conditions(poll_seconds=10.0)))
        await watched.live(4 * 3600.0)
        return watched

    watched = virtual_time.run(play())
    assert watched.said == []
    assert watched.patient.seen == set(PlayState) - {PlayState.UNKNOWN}


@pytest.mark.req("C6", "B3")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_match_that_freezes_in_play_is_told_within_fifteen_seconds_after_the_threshold(seed: int) -> None:
    async def play() -> tuple[Watched, str, datetime]:
        place = world(4, seed=seed, rolling=False)
        simulation = Simulation(place)
        watched = Watched(simulation)
        site: list[FrozenSite] = []

        def freeze() -> None:
            playing = [
                each for each in simulation.engine.watches if each.accepted and each.accepted.play is PlayState.PLAY
            ]
            site.append(FrozenSite(simulation, playing[0].ref.key, simulation.clock))
            site[0].freeze()

        await watched.live(1000.0, freeze)
        assert site[0].frozen_at is not None
        return watched, f"{SOURCE}_{site[0]._key}", site[0].frozen_at

    watched, match_id, frozen_at = virtual_time.run(play())
    (told,) = watched.of(troubles.StalenessFound)
    assert (told.match_id, told.kind) == (match_id, "frozen")
    assert told.changed_at is not None
    assert timedelta(0) <= told.at - told.changed_at - timedelta(seconds=300) <= timedelta(seconds=15)
    assert told.changed_at <= frozen_at + timedelta(seconds=2.5)
    assert watched.patient.restarted == [match_id]
    outcomes = [each.outcome for each in watched.of(troubles.RecoveryJudged)]
    assert outcomes == ["failed"], "a fresh scraper that sees the same has found nothing new"
    assert [each.subject for each in watched.of(troubles.RecoveryWithheld)] == [match_id]


@pytest.mark.req("B3", "H3")
def test_a_discovery_that_hangs_is_begun_anew_and_finds_matches_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> Watched:
        simulation = Simulation(world(2, rolling=False))
        watched = Watched(simulation)
        whole = Discovery._look

        async def hang_once(self: Discovery) -> bool:
            monkeypatch.setattr(Discovery, "_look", whole)
            await asyncio.Event().wait()
            return True

        simulation.bus.subscribe(signals.SourceListed, watched.said.append)
        await watched.live(800.0, lambda: monkeypatch.setattr(Discovery, "_look", hang_once))
        return watched

    watched = virtual_time.run(play())
    lists = [told.at for told in watched.of(signals.SourceListed)]
    longest = max(later - sooner for sooner, later in pairwise(lists))
    assert 130.0 <= longest.total_seconds() <= 180.0
    (judged,) = watched.of(troubles.RecoveryJudged)
    assert (judged.subject, judged.outcome) == ("discovery crex", "success")


@pytest.mark.req("B3", "H3")
def test_a_source_that_answers_nobody_is_failing_within_two_minutes_and_recycled() -> None:
    async def play() -> Watched:
        simulation = Simulation(world(4, rolling=False))
        watched = Watched(simulation)

        def cut() -> None:
            respond = simulation.site.respond
            simulation.site.respond = lambda request, now: replace(  # type: ignore[method-assign]  # the site of this test
                respond(request, now), status=500, body=b"", parts=None
            )

        await watched.live(400.0, cut)
        return watched

    watched = virtual_time.run(play())
    graded = watched.of(troubles.HealthGraded)
    assert [each.event for each in graded] == ["aged", "stalled", "recycled"]
    assert watched.patient.recycles == 1
    assert (graded[-1].at - EPOCH).total_seconds() <= 200.0 + 90.0 + 15.0
