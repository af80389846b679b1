"""The calendar of the football site: who plays when, what moves, and when line-ups come out."""

from collections import Counter
from statistics import mean

import pytest

from longstop_origin.football.fixture import CANCELLED, CONFIRMED, NEVER, PLAYED, UNPUBLISHED, Fixture
from longstop_origin.football.standing import standing
from longstop_origin.football.world import DAY, FootballOptions, FootballWorld
from tests.football import EPOCH, body, part_read, site

WORLD = FootballWorld(FootballOptions(epoch=EPOCH, seed=9, matches=300, days=6))


def one(world: FootballWorld = WORLD) -> Fixture:
    return next(
        each for each in world.fixtures if each.fate == PLAYED and each.plan.lead > 2400 and not each.plan.moves
    )


def fresh() -> Fixture:
    return one(FootballWorld(FootballOptions(epoch=EPOCH, seed=9, matches=30)))


def test_no_club_plays_twice_on_a_day() -> None:
    seen = Counter(
        (team, fixture.announcements[0].kickoff // DAY)
        for fixture in WORLD.fixtures
        for team in (fixture.story.home.id, fixture.story.away.id)
    )
    assert len(seen) == 600
    assert max(seen.values()) == 1


def test_line_ups_come_out_an_hour_before_on_average_and_a_few_too_late() -> None:
    leads = [each.final_kickoff - each.published_at for each in WORLD.fixtures if each.fate == PLAYED]
    assert mean(leads) == pytest.approx(3600, rel=0.1)
    assert 0 < sum(lead < 0 for lead in leads) < 20
    assert max(leads) - min(leads) > 1800


def test_all_that_a_calendar_can_do_happens_in_some_hundred_matches() -> None:
    assert {each.plan.before for each in WORLD.fixtures} == set(UNPUBLISHED)
    assert len({each.fate for each in WORLD.fixtures}) == 3
    moved = [each for each in WORLD.fixtures if len(each.announcements) > 1]
    earlier = [each for each in moved if each.final_kickoff < each.announcements[0].kickoff]
    assert len(moved) > len(earlier) > 3
    for fixture in moved:
        told = fixture.announcements[1]
        assert told.at < min(told.kickoff, fixture.announcements[0].kickoff)


def test_what_is_called_off_has_no_line_ups_and_says_so() -> None:
    off = next(each for each in WORLD.fixtures if each.fate == CANCELLED)
    assert off.published_at == NEVER
    assert standing(off, off.fate_at()).status[0] == 70
    assert standing(off, off.fate_at() - 1).status[0] == 0


def test_a_kickoff_that_is_moved_takes_the_publication_with_it() -> None:
    fixture = fresh()
    lead, kickoff = fixture.plan.lead, fixture.final_kickoff
    fixture.move(kickoff + 7200, kickoff - 6 * 3600)
    assert fixture.published_at == kickoff + 7200 - lead
    assert fixture.kickoff(kickoff - 6 * 3600 - 1) == kickoff
    assert fixture.kickoff(kickoff - 6 * 3600) == kickoff + 7200


def test_line_ups_that_are_out_stay_out_when_the_kickoff_moves() -> None:
    fixture = fresh()
    published, kickoff = fixture.published_at, fixture.final_kickoff
    fixture.move(kickoff + 7200, published + 1)
    assert fixture.published_at == published
    assert fixture.lineup_kind(published + 2) == CONFIRMED


@pytest.mark.parametrize("seconds", [0, 60])
def test_a_match_that_has_begun_cannot_be_moved_or_called_off(seconds: int) -> None:
    fixture = fresh()
    at = fixture.final_kickoff + seconds
    with pytest.raises(ValueError, match="has not begun"):
        fixture.move(at + 3600, at)
    with pytest.raises(ValueError, match="has begun"):
        fixture.call_off(CANCELLED, at)


def test_ratings_of_the_season_are_shown_before_and_those_of_the_match_after_it() -> None:
    of = site(9, matches=30)
    fixture = one(of.world)
    path = f"/api/v1/event/{fixture.id}/lineups"
    _, before = body(of, path, fixture.final_kickoff - 1)
    _, after = body(of, path, fixture.ends_at + 1)
    assert before.count(b'"avgRating"') > 30
    assert b'"statistics"' not in before
    assert b'"avgRating"' not in after
    reading = part_read(of, fixture, "/lineups", fixture.ends_at + 1)
    assert not isinstance(reading, str)
    assert reading.football is not None
    assert reading.football.lineups is not None
    assert reading.football.lineups.has_ratings
