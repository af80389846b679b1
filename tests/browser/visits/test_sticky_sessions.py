"""After one page the other matches of a sticky session are asked for directly, by the same exit."""

import asyncio
import json
from datetime import date

import pytest

from longstop.sources.sofascore import requests
from tests.browser.visits.stage import Stage
from tests.servers.football_site import FAMILIES

pytestmark = [pytest.mark.timeout(120), pytest.mark.req("D3"), pytest.mark.req("D6")]


async def test_the_next_matches_of_a_session_need_no_page(stage: Stage) -> None:
    async with stage.visitor() as visitor:
        first = await stage.visit(visitor, stage.order("1"))
        for key in ("2", "3", "4"):
            visit = await stage.visit(visitor, stage.order(key))
            assert stage.steps == ["asked_directly", "caught"]
            assert (visit.rung, set(visit.snapshots)) == ("replay", set(FAMILIES))
            assert {json.loads(each.body)["id"] for each in visit.snapshots.values()} == {key}
            assert visit.exit == first.exit
            assert 0 < visit.network.bytes_in < first.network.bytes_in
            assert (visit.network.requests_total, visit.network.calls_captured) == (4, 0)
    assert stage.site.documents() == 1


async def test_a_session_that_is_refused_directly_goes_back_to_a_page_within_the_attempt(stage: Stage) -> None:
    stage.site.refuses_direct = True
    async with stage.visitor() as visitor:
        for key in ("1", "2"):
            assert (await stage.visit(visitor, stage.order(key))).rung == "intercept"
    assert stage.site.documents() == 2
    assert stage.site.hits["/api/v1/event/2"] == 2, "once directly, once by the page"
    last = [each for each in stage.site.seen if each.path == "/match/2"]
    assert last[0].cookies["visited"] == "1", "the session's cookies went along"


async def test_a_session_ends_with_its_batch_and_its_cookies_with_it(stage: Stage) -> None:
    async with stage.visitor({"scraper.proxy.sticky_max_matches": "2"}) as visitor:
        visits = [await stage.visit(visitor, stage.order(key)) for key in ("1", "2", "3")]
    assert [each.rung for each in visits] == ["intercept", "replay", "intercept"]
    assert len({each.exit.session_id for each in visits}) == 2
    page = [each for each in stage.site.seen if each.path == "/match/3"]
    assert "visited" not in page[0].cookies


async def test_rotating_sessions_serve_one_match_each(stage: Stage) -> None:
    async with stage.visitor({"scraper.proxy.mode": "rotating"}) as visitor:
        visits = [await stage.visit(visitor, stage.order(key)) for key in ("1", "2")]
    assert [each.rung for each in visits] == ["intercept", "intercept"]


async def test_line_ups_are_not_there_yet_for_a_match_that_is_asked_directly(stage: Stage) -> None:
    async with stage.visitor() as visitor:
        await stage.visit(visitor, stage.order("1"))
        stage.site.answers["lineups"] = (404, "application/json", b"{}")
        visit = await stage.visit(visitor, stage.order("2"))
    assert visit.rung == "replay"
    assert set(visit.refusals) == {"lineups"}


async def test_the_list_of_a_day_goes_by_the_session_too(stage: Stage) -> None:
    async with stage.visitor() as visitor:
        day = date(2026, 11, 20)
        listed = await visitor.list(requests.scheduled(stage.site.url, day))
        assert json.loads(listed.body)["day"] == "2026-11-20"
        await stage.visit(visitor, stage.order("1"))
    assert stage.site.documents() == 1


async def test_a_list_that_is_refused_directly_is_asked_for_inside_the_first_page(stage: Stage) -> None:
    stage.site.refuses_direct = True
    async with stage.visitor() as visitor:
        request = requests.scheduled(stage.site.url, date(2026, 11, 20))
        listed, again = await asyncio.gather(visitor.list(request), visitor.list(request))
        assert json.loads(listed.body) == json.loads(again.body)
        assert (await stage.visit(visitor, stage.order("1"))).rung == "intercept"
    assert stage.site.hits["/"] == 2


async def test_nothing_of_a_session_is_ever_written_down(stage: Stage) -> None:
    async with stage.visitor() as visitor:
        await stage.visit(visitor, stage.order("1"))
        written = b"".join(each.read_bytes() for each in stage.folder.glob("*.json"))
        assert b"visited" not in written
        assert b"let-me-in" not in written
    assert b"let-me-in" not in b"".join(each.read_bytes() for each in stage.folder.rglob("*") if each.is_file())
