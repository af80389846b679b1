"""The world: one clock, matches that start, end and follow each other, and answers that depend on the time alone."""

import pytest

from longstop_origin.oracle import truth_of
from longstop_origin.script import MatchScript
from longstop_origin.site import Site
from longstop_origin.world import World, WorldOptions
from tests.unit.origin import readings
from tests.unit.origin.documents import document
from tests.unit.origin.test_cricsheet_odd import read

EPOCH = 1_700_000_000.0


def invented(matches: int = 10, speed: float = 40.0, **more: object) -> World:
    return World(WorldOptions(epoch=EPOCH, seed=4, matches=matches, speed=speed, **more))  # type: ignore[arg-type] # options as they come


@pytest.fixture(scope="module")
def script() -> MatchScript:
    return read(document())


def test_ten_invented_matches_are_of_mixed_formats() -> None:
    formats = [fixture.script.format for fixture in invented().listed(EPOCH)]
    assert {"T20", "ODI", "Test"} <= set(formats)
    assert len(formats) == 10


def test_all_are_live_from_the_first_second_at_different_stages() -> None:
    world = invented()
    fixtures = world.listed(EPOCH)
    assert [fixture.status(EPOCH) for fixture in fixtures] == [1] * 10
    shares = [fixture.elapsed(EPOCH) / fixture.script.end_seconds for fixture in fixtures]
    assert max(shares) - min(shares) > 0.3
    assert all(world.board(fixture, EPOCH).state == "P" for fixture in fixtures)


def test_without_joining_all_begin_at_the_beginning() -> None:
    assert {fixture.starts_at for fixture in invented(join_in_progress=False).listed(EPOCH)} == {EPOCH}


@pytest.mark.parametrize("after", [0.0, 60.0, 600.0, 3600.0, 7200.0])
def test_there_are_always_as_many_live_matches_as_slots(after: float) -> None:
    now = EPOCH + after
    live = [fixture for fixture in invented(speed=200.0).listed(now) if fixture.status(now) == 1]
    assert len(live) == 10


def test_a_world_that_does_not_roll_comes_to_its_end() -> None:
    world = invented(speed=1000.0, rolling=False)
    later = EPOCH + 3600.0
    assert all(fixture.status(later) == 2 for fixture in world.begun(later))
    assert len(list(world.begun(later))) == 10


def test_the_list_holds_what_is_near_and_what_ended_lately() -> None:
    world = invented(speed=200.0)
    for now in (EPOCH + 500.0, EPOCH + 1234.0):
        for fixture in world.listed(now):
            assert fixture.starts_at <= now + world._slots.announced_before
            assert fixture.ends_at >= now - world._slots.listed_after


def test_the_list_stays_the_same_until_it_says() -> None:
    world = invented(speed=200.0)
    now = EPOCH + 300.0
    for _ in range(20):
        until = world.listed_until(now)
        before = [(fixture.key, fixture.status(now)) for fixture in world.listed(now)]
        nearly = until - 0.001
        assert until > now
        assert [(fixture.key, fixture.status(nearly)) for fixture in world.listed(nearly)] == before
        now = until + 0.001


def test_matches_long_over_are_still_known() -> None:
    world = invented(matches=4, speed=1000.0)
    first = next(fixture for fixture in world.listed(EPOCH) if fixture.status(EPOCH) == 1)
    before = truth_of(first, first.ends_at + 0.1)
    later = EPOCH + 1000.0
    assert len(list(world.begun(later))) > 50
    again = world.fixture(first.key, later)
    assert again is not None
    assert truth_of(again, later) == before


def test_a_rolling_world_stays_small() -> None:
    world = invented(matches=4, speed=1000.0)
    now = EPOCH
    for _ in range(100):
        now += 10.0
        for fixture in world.listed(now):
            world.board(fixture, now)
    assert len(list(world.begun(now))) > 100
    assert len(world._slots._fixtures) <= 60
    assert len(world._boards) <= 60


def test_a_match_is_unknown_before_it_is_announced() -> None:
    world, probe = invented(speed=200.0), invented(speed=200.0)
    later = EPOCH + 1000.0
    coming = [fixture for fixture in probe.begun(later) if fixture.starts_at > EPOCH + probe._slots.announced_before]
    assert coming
    assert world.fixture(coming[0].key, EPOCH) is None
    assert world.fixture(coming[0].key, later) is not None


def test_keys_are_unique_whatever_kind_the_matches_are(script: MatchScript) -> None:
    world = invented(matches=4, speed=500.0, scripts=[script, script])
    keys = [fixture.key for fixture in world.begun(EPOCH + 600.0)]
    assert len(set(keys)) == len(keys) > 12


def test_unknown_keys_are_nobody() -> None:
    world = invented()
    assert [world.fixture(key, EPOCH) for key in ("", "ZZZZ", "nonsense", "C0000", "é")] == [None] * 5


def test_equal_worlds_say_equal_things() -> None:
    one, other = Site(invented()), Site(invented())
    for step in range(5):
        now = EPOCH + 17.3 * step
        for left, right in zip(one.world.listed(now), other.world.listed(now), strict=True):
            assert readings.state(one, left, now) == readings.state(other, right, now)


def test_another_seed_is_another_world() -> None:
    other = World(WorldOptions(epoch=EPOCH, seed=5, matches=10, speed=40.0))
    assert invented().listed(EPOCH)[0].script != other.listed(EPOCH)[0].script


def test_the_past_can_be_asked_after_the_future() -> None:
    world = invented()
    fixture = world.listed(EPOCH)[0]
    early = [(innings.runs, innings.wickets) for innings in world.board(fixture, EPOCH).innings]
    world.board(fixture, EPOCH + 60.0)
    assert [(innings.runs, innings.wickets) for innings in world.board(fixture, EPOCH).innings] == early


def test_frozen_time_stands_and_goes_on_where_it_stood() -> None:
    world = invented()
    world.freeze(EPOCH + 10.0)
    world.freeze(EPOCH + 15.0)
    assert (world.is_frozen, world.time(EPOCH + 100.0)) == (True, EPOCH + 10.0)
    world.unfreeze(EPOCH + 110.0)
    assert (world.is_frozen, world.time(EPOCH + 111.0)) == (False, EPOCH + 11.0)
    world.unfreeze(EPOCH + 120.0)
    assert world.time(EPOCH + 121.0) == EPOCH + 21.0


def test_a_staggered_world_announces_what_is_to_come(script: MatchScript) -> None:
    world = World(WorldOptions(epoch=EPOCH, scripts=[script] * 3, stagger_seconds=100.0))
    now = EPOCH + 150.0
    assert [fixture.status(now) for fixture in world.listed(now)] == [1, 1, 0]
    assert len(list(world.begun(now))) == 2
    board = world.board(world.listed(now)[2], now)
    assert (board.state, board.innings, board.headline) == ("N", [], "")


@pytest.mark.parametrize("speed", [0.0, -1.0, 0.5, 1001.0, float("nan")])
def test_an_impossible_speed_is_refused(speed: float) -> None:
    with pytest.raises(ValueError, match="from 1 to 1000"):
        World(WorldOptions(epoch=EPOCH, speed=speed))


def test_every_name_can_be_looked_up_by_its_code(script: MatchScript) -> None:
    world = invented(scripts=[script])
    for fixture in world.listed(EPOCH):
        codes = fixture.codes
        assert all(world.player_name(code) == name for name, code in codes.players.items())
        assert all((world.team_name(code) or ("",))[0] == name for name, code in codes.teams.items())
        assert world.series_name(codes.series) == fixture.script.series
        assert {team.name: team.short for team in fixture.script.teams}.keys() <= codes.teams.keys()


def test_codes_of_different_names_are_different() -> None:
    world = invented(matches=60)
    players = {name: code for fixture in world.listed(EPOCH) for name, code in fixture.codes.players.items()}
    assert len(set(players.values())) == len(players)
