"""What the origin invents is healthy: no moment of it contradicts itself, whatever is corrected meanwhile."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longstop.check import plausibility
from longstop.domain.match import MatchRef
from longstop.sources.crex import CrexSource
from longstop_origin.site import Site
from longstop_origin.world import World, WorldOptions
from tests.crex import snapshot
from tests.unit.origin import readings

EPOCH = 1_700_000_000.0
SOURCE = CrexSource()


@pytest.mark.req("B10")
@given(seed=st.integers(0, 10_000), steps=st.lists(st.floats(1.0, 900.0), min_size=8, max_size=8))
@settings(max_examples=5, deadline=None)
def test_no_moment_of_an_invented_match_is_held(seed: int, steps: list[float]) -> None:
    world = World(WorldOptions(epoch=EPOCH, seed=seed, matches=4, speed=40.0, corrections="storm"))
    site, now = Site(world), EPOCH
    for step in steps:
        now += step
        for fixture in world.listed(now):
            told = SOURCE.parse_state(MatchRef("crex", fixture.key), snapshot(readings.state(site, fixture, now)))
            assert plausibility.judge(told).reasons == (), (seed, fixture.key, now)
