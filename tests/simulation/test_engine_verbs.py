"""What is asked of the engine while it runs, on virtual time with real matches: nothing is lost by it."""

from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any

import pytest

from benchmarks.simulated import EPOCH, Conditions, Simulation, unclean
from longstop import virtual_time
from longstop.domain.errors import InputError, StoreError
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchStatus
from longstop.observe import signals
from longstop_origin.world import World, WorldOptions

MATCHES = 3


class Heard:
    def __init__(self, simulation: Simulation) -> None:
        self.all: list[signals.Signal] = []
        simulation.bus.subscribe_all(self.all.append)

    def of(self, kind: type[Any]) -> list[Any]:
        return [signal for signal in self.all if isinstance(signal, kind)]


def played(ask: Callable[[Simulation], Awaitable[None]], faults: str = "none", **options: Any) -> Heard:
    """Some minutes at ten times life, during which something is asked; everything kept is judged at the end."""

    async def play() -> Heard:
        place = World(WorldOptions(epoch=EPOCH.timestamp(), seed=5, matches=MATCHES, speed=10.0, **options))
        simulation = Simulation(place, Conditions(faults=faults, seed=5))
        heard = Heard(simulation)
        await simulation.start()
        try:
            await simulation.clock.sleep(60.0)
            await ask(simulation)
            await simulation.clock.sleep(120.0)
            await simulation.settle()
            await simulation.stop()
            assert unclean(await simulation.verdicts()) == {}
        finally:
            await simulation.close()
        return heard

    return virtual_time.run(play())


def keys(simulation: Simulation) -> list[str]:
    return [assignment.key for assignment in simulation.engine.assignments()]


@pytest.mark.req("B5", "B8")
@pytest.mark.parametrize("faults", ["none", "mild"])
def test_every_scraper_is_replaced_again_and_again_without_a_ball_lost_or_a_beat_missed(faults: str) -> None:
    async def replace_all(simulation: Simulation) -> None:
        for _ in range(20):
            for key in keys(simulation):
                simulation.engine.restart(key, "the test wishes it")
            await simulation.clock.sleep(6.0)

    heard = played(replace_all, faults)
    replaced = heard.of(signals.ScraperReplaced)
    assert len(replaced) >= 15 * MATCHES
    resumed = heard.of(signals.ScraperResumed)
    assert len(resumed) >= len(replaced)
    assert [told.disagreements for told in resumed if told.disagreements] == []
    if faults == "none":
        assert max(told.gap_seconds for told in replaced) <= 5.1


@pytest.mark.req("B5", "B9")
def test_scrapers_that_are_killed_in_their_tracks_lose_nothing() -> None:
    async def kill_all(simulation: Simulation) -> None:
        for number in range(40):
            for key in keys(simulation):
                assert simulation.engine.kill(key, "the test wishes it")
            await simulation.clock.sleep(0.05 * number)

    heard = played(kill_all)
    assert len(heard.of(signals.ScraperStarted)) > 20


def test_a_match_that_is_paused_rests_until_it_is_woken() -> None:
    async def pause_one(simulation: Simulation) -> None:
        engine, key = simulation.engine, keys(simulation)[0]
        assert await engine.pause(key, 3600.0, "the test wishes it")
        watch = next(each for each in engine.watches if each.ref.match_id == key)
        polled = watch.captured_at
        assert watch.state is MatchState.PAUSED
        await simulation.clock.sleep(60.0)
        assert watch.captured_at == polled
        row = await simulation.store.match(key)
        assert row is not None
        assert (row.state, row.scraper_status) == (MatchState.PAUSED, "paused")
        assert not engine.restart(key, "not while it rests")
        assert engine.wake(key)
        await simulation.clock.sleep(10.0)
        woken = next(each for each in engine.watches if each.ref.match_id == key)
        assert woken.state is MatchState.ACTIVE
        assert not engine.wake(key)

    heard = played(pause_one)
    steps = [(told.before, told.after, told.reason) for told in heard.of(signals.MatchStateChanged)]
    assert ("active", "paused", "failed_too_often") in steps
    assert ("paused", "active", "recovered") in steps


def test_a_match_that_is_dropped_comes_back_when_it_is_listed_after_its_rest() -> None:
    async def drop_one(simulation: Simulation) -> None:
        key = keys(simulation)[0]
        assert await simulation.engine.drop(key, "the test wishes it")
        assert key not in keys(simulation)
        await simulation.clock.sleep(330.0)
        assert key in keys(simulation)

    played(drop_one)


def test_a_match_is_begun_by_its_address_once() -> None:
    async def begin(simulation: Simulation) -> None:
        key = keys(simulation)[0]
        url = next(each.ref.url for each in simulation.engine.watches if each.ref.match_id == key)
        assert await simulation.engine.begin(url) == key
        assert keys(simulation).count(key) == 1
        with pytest.raises(InputError, match="No source"):
            await simulation.engine.begin("http://127.0.0.1/nothing/of/ours")

    played(begin)


@pytest.mark.req("C6")
def test_a_match_that_is_named_and_that_its_source_does_not_have_is_never_said_to_be_live() -> None:
    async def begin(simulation: Simulation) -> None:
        known = simulation.engine.watches[0].ref
        match_id = await simulation.engine.begin(known.url.replace(known.key, "N0NE"))
        assert match_id == "crex_N0NE"
        await simulation.clock.sleep(20.0)
        row = await simulation.store.match(match_id)
        assert row is not None
        assert (row.status, row.last_scraper_update) == (MatchStatus.UPCOMING, None)
        assert await simulation.engine.drop(match_id, "it is not there")

    polled = [each for each in played(begin).of(signals.PollFinished) if each.match_id == "crex_N0NE"]
    assert len(polled) >= 5, "it may be in play, so it is asked for as if it were"
    assert {each.outcome for each in polled} == {"gone"}


def test_what_is_asked_about_a_match_that_nobody_watches_is_not_done() -> None:
    async def ask(simulation: Simulation) -> None:
        engine = simulation.engine
        assert not engine.restart("crex_NONE", "x")
        assert not engine.kill("crex_NONE", "x")
        assert not engine.wake("crex_NONE")
        assert not await engine.pause("crex_NONE", 1.0, "x")
        assert not await engine.drop("crex_NONE", "x")

    played(ask)


@pytest.mark.req("A5")
def test_a_match_that_has_been_over_for_a_day_is_archived() -> None:
    async def play() -> tuple[list[Any], Any, list[str]]:
        place = World(
            WorldOptions(epoch=EPOCH.timestamp(), seed=2, matches=1, speed=60.0, rolling=False, join_in_progress=False)
        )
        simulation = Simulation(place)
        heard = Heard(simulation)
        await simulation.start()
        await simulation.clock.sleep(2 * 86400.0)
        left = keys(simulation)
        await simulation.stop()
        rows = await simulation.store.matches()
        await simulation.close()
        return heard.all, rows[0], left

    told, row, left = virtual_time.run(play())
    steps = [signal.reason for signal in told if isinstance(signal, signals.MatchStateChanged)]
    assert steps == ["scraped", "finished", "aged"]
    assert (row.state, row.scraper_status, left) == (MatchState.ARCHIVED, "stopped", [])
    (concluded,) = (signal for signal in told if isinstance(signal, signals.MatchConcluded))
    assert concluded.is_verified


@pytest.mark.req("F1", "G3")
def test_a_source_is_switched_off_and_on_again_without_a_ball_lost() -> None:
    watched: list[int] = []

    async def switch(simulation: Simulation) -> None:
        engine = simulation.engine
        department = engine.department("crex")
        assert department is not None
        await engine.switch_off(department, "the test wishes it")
        watched.append(len(keys(simulation)))
        await simulation.clock.sleep(40.0)
        watched.append(len(keys(simulation)))
        with pytest.raises(InputError):
            await engine.begin("http://127.0.0.1/nothing")
        await engine.switch_on(department)
        await simulation.clock.sleep(5.0)
        watched.append(len(keys(simulation)))

    heard = played(switch)
    assert watched == [0, 0, MATCHES]
    listed = [told.at for told in heard.of(signals.SourceListed)]
    assert max((later - before).total_seconds() for before, later in pairwise(listed)) > 40.0


@pytest.mark.req("F1", "B8")
@pytest.mark.parametrize("faults", ["none", "mild"])
def test_what_scrapers_know_is_saved_when_their_source_is_switched_off(faults: str) -> None:
    async def switch(simulation: Simulation) -> None:
        engine, before = simulation.engine, set(keys(simulation))
        (department,) = engine.departments
        sequences = {watch.ref.match_id: watch for watch in engine.watches}
        await engine.switch_off(department, "the test wishes it")
        assert (keys(simulation), engine.gather()) == ([], 0)
        states = await simulation.store.states(sorted(before))
        assert {key: state.sequence for key, state in states.items()} == {
            key: sequences[key].sequence for key in before
        }
        # Who had waited for memory comes to a closed door.
        await department.roster.take([watch.listing for watch in sequences.values()])
        assert keys(simulation) == []
        await engine.switch_on(department)
        assert set(keys(simulation)) >= before

    heard = played(switch, faults)
    assert [told.disagreements for told in heard.of(signals.ScraperResumed) if told.disagreements] == []


@pytest.mark.req("F1")
def test_a_source_that_cannot_be_switched_on_stays_off(monkeypatch: pytest.MonkeyPatch) -> None:
    async def switch(simulation: Simulation) -> None:
        engine = simulation.engine
        (department,) = engine.departments
        await engine.switch_off(department, "the test wishes it")

        async def broken(*_: Any, **__: Any) -> Any:
            raise StoreError("The database does not answer.")

        with monkeypatch.context() as patched:
            patched.setattr(simulation.store, "states", broken)
            with pytest.raises(StoreError):
                await engine.switch_on(department)
        assert (keys(simulation), department.roster.is_open) == ([], False)
        await engine.switch_on(department)
        assert len(keys(simulation)) == MATCHES

    played(switch)
