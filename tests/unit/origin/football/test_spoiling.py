"""What the football site spoils on purpose is told apart by the reader, family by family."""

import pytest

from longstop.domain.errors import EmptyPayloadError, MisfiledPayloadError, PayloadError, SchemaBreakError
from longstop.domain.match import MatchRef
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.sources.sofascore import parser
from longstop_origin.football.fixture import Fixture
from longstop_origin.football.guards import FootballGuards
from longstop_origin.football.site import FootballSite
from longstop_origin.guards import GuardError
from tests.cricket import NOON
from tests.football import EPOCH, body, read, site

PATHS = {"event": "", "lineups": "/lineups", "incidents": "/incidents", "statistics": "/statistics"}


def spoilt(**guards: object) -> tuple[FootballSite, Fixture]:
    of = site(9, matches=30)
    of.gate.guards = FootballGuards().changed({name.replace("_", "-"): value for name, value in guards.items()})
    return of, next(each for each in of.world.fixtures if each.fate == "played" and len(each.story.play.happenings) > 3)


@pytest.mark.req("D4")
@pytest.mark.parametrize("kind", ["renamed", "retyped"])
@pytest.mark.parametrize("family", PATHS)
def test_a_changed_schema_of_one_family_breaks_its_contract_and_no_other(family: str, kind: str) -> None:
    of, fixture = spoilt(schema=family, schema_kind=kind)
    for name, part in PATHS.items():
        _, content = body(of, f"/api/v1/event/{fixture.id}{part}", fixture.ends_at + 9)
        if name == family:
            with pytest.raises((SchemaBreakError, PayloadError)) as caught:
                read(content, "match")
            assert isinstance(caught.value, SchemaBreakError)
        else:
            assert read(content, "match").football is not None


@pytest.mark.parametrize("kind", ["renamed", "retyped"])
def test_a_changed_schema_of_the_lists_breaks_them(kind: str) -> None:
    of, _ = spoilt(schema="list", schema_kind=kind)
    _, content = body(of, "/api/v1/sport/football/scheduled-events/2026-03-07", EPOCH)
    with pytest.raises(SchemaBreakError):
        read(content, "day")


def test_another_match_under_this_key_is_another_match() -> None:
    of, fixture = spoilt(swapped="event")
    _, content = body(of, f"/api/v1/event/{fixture.id}", EPOCH)
    snapshot = Snapshot(FetchRequest("sofascore", "match", "event"), 200, content, NOON, NOON)
    with pytest.raises(MisfiledPayloadError):
        parser.parse_event(MatchRef("sofascore", str(fixture.id), ""), snapshot)


def test_an_emptied_answer_is_empty_and_a_heavy_one_heavy_and_readable() -> None:
    of, fixture = spoilt(empty="event", heavy="lineups", heavy_kb=500)
    with pytest.raises(EmptyPayloadError):
        read(body(of, f"/api/v1/event/{fixture.id}", EPOCH)[1], "match")
    _, content = body(of, f"/api/v1/event/{fixture.id}/lineups", fixture.ends_at)
    assert len(content) > 500 * 1024
    assert read(content, "match").football is not None


def test_a_share_of_faults_hits_that_share_of_the_calls() -> None:
    of, fixture = spoilt(down="503", share=40)
    statuses = [body(of, f"/api/v1/event/{fixture.id}", EPOCH)[0] for _ in range(100)]
    assert 38 <= statuses.count(503) <= 42


def test_what_is_taken_away_from_the_guards_is_as_if_it_had_never_been_there() -> None:
    guards = FootballGuards.from_words(["limit=30", "schema=lineups", "token=60"])
    assert guards.shown() == {"limit": 30, "schema": "lineups", "token": 60.0}
    assert guards.changed({"limit": None, "schema": "", "token": False}) == FootballGuards()


@pytest.mark.parametrize("word", ["limits=3", "limit=many", "limit=0", "down=201", "schema=everything", "share=101"])
def test_a_guard_that_nobody_can_set_up_is_refused_in_a_sentence(word: str) -> None:
    with pytest.raises(GuardError, match=r"\."):
        FootballGuards.from_words([word])
