"""Whatever the football site shows, at whatever moment: the reader takes it and no check finds a contradiction."""

from random import Random

import pytest

from longstop.check.football import judge
from longstop.domain.football import FootballEvent
from longstop_origin.football.fixture import Fixture
from tests.football import EPOCH, body, read, report_at, site

MOMENTS = 12


def moments(fixture: Fixture, rng: Random) -> list[float]:
    """Around all that changes: days before, the publication, each whistle, each goal, the end."""
    play, kickoff = fixture.story.play, fixture.final_kickoff
    edges = [kickoff + play.half_begins(1), kickoff + play.half_ends(1), kickoff + play.half_begins(2), fixture.ends_at]
    edges += [kickoff, kickoff + rng.choice(play.happenings).second if play.happenings else kickoff]
    near = [edge + rng.choice((-1, 0, 1)) for edge in edges]
    return sorted([*near, *(kickoff + rng.uniform(-30 * 3600, 3 * 3600) for _ in range(MOMENTS - len(near)))])


@pytest.mark.req("D4")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_answer_at_every_moment_is_read_and_believed(seed: int) -> None:
    at_site, rng, judged = site(seed, matches=100), Random(seed), 0
    for fixture in at_site.world.fixtures:
        previous: FootballEvent | None = None
        for at in moments(fixture, rng):
            report = report_at(at_site, fixture, at)
            verdict = judge(report, previous)
            assert not verdict.reasons, f"match {fixture.id} at {at - fixture.final_kickoff:.0f}: {verdict.reasons}"
            assert report.event is not None
            assert report.event.key == str(fixture.id)
            previous, judged = report.event, judged + 1
    assert judged == 100 * MOMENTS


@pytest.mark.req("D4")
def test_every_list_of_a_day_and_of_what_is_live_is_read_and_believed() -> None:
    at_site = site(matches=100)
    seen = 0
    for hour in range(96):
        for path in ("scheduled-events/2026-03-07", "events/live"):
            status, content = body(at_site, f"/api/v1/sport/football/{path}", EPOCH + hour * 3600 + 11)
            reading = read(content, f"https://football.invalid/{status}")
            assert reading.football is not None
            assert not reading.notes
            assert not judge(reading.football).reasons
            seen += len(reading.football.events or ())
    assert seen > 1000


def test_the_same_seed_makes_the_same_world_and_another_seed_another() -> None:
    path, at = "/api/v1/sport/football/scheduled-events/2026-03-07", EPOCH + 3600
    first, again, other = (body(site(seed), path, at)[1] for seed in (1, 1, 2))
    assert first == again
    assert first != other
