"""A visit to a match page in a real Chromium: what it brings, what it leaves alone, and what it costs."""

import asyncio
import json

import pytest

from longstop.domain.capture import CAPTURE_ATTEMPT, AttemptState
from longstop.domain.errors import (
    BrowserError,
    ChallengeError,
    EmptyPayloadError,
    MatchGoneError,
    RobotsRefusedError,
    SourceRefusedError,
    SourceThrottledError,
    SourceTimeoutError,
)
from tests.browser.visits.stage import CLOCK, Stage
from tests.servers.football_site import FAMILIES

pytestmark = [pytest.mark.timeout(120), pytest.mark.req("D3")]
FROM_A_PAGE = ["browser_leased", "sent", "arrived", "caught"]


async def test_one_page_brings_all_families_and_nothing_heavy(stage: Stage) -> None:
    async with stage.visitor() as visitor:
        visit = await stage.visit(visitor, stage.order("77"))
    assert set(visit.snapshots) == set(FAMILIES)
    assert {json.loads(each.body)["id"] for each in visit.snapshots.values()} == {"77"}
    assert (visit.rung, {each.rung for each in visit.snapshots.values()}) == ("intercept", {"intercept"})
    assert stage.steps == FROM_A_PAGE
    assert stage.site.documents() == 1
    assert not [path for path in stage.site.hits if path.endswith((".png", ".css", ".woff2", ".mp4"))]
    for each in visit.snapshots.values():
        assert each.requested_at <= each.fetched_at <= CLOCK.now()


@pytest.mark.req("D5")
async def test_its_steps_are_those_of_an_attempt(stage: Stage) -> None:
    async with stage.visitor() as visitor:
        for key in ("1", "2"):
            await stage.visit(visitor, stage.order(key))
            state = AttemptState.INIT
            for step in stage.steps:
                state = CAPTURE_ATTEMPT.advance(state, step)
            assert state is AttemptState.CAPTURED


async def test_what_it_says_it_cost_is_what_the_site_has_sent(stage: Stage) -> None:
    async with stage.visitor() as visitor:
        visit = await stage.visit(visitor, stage.order("77"))
    bodies, network = stage.site.sent_bytes, visit.network
    assert bodies < network.bytes_in < bodies + 1000 * sum(stage.site.hits.values()), "heads are counted too"
    asked = sum(stage.site.hits.values()) - stage.site.hits["/robots.txt"]
    assert network.requests_total == asked + network.requests_blocked
    assert network.requests_blocked >= 14
    assert network.calls_captured == 4


async def test_only_what_is_on_the_list_is_captured(stage: Stage) -> None:
    """Another match, a family that is not wanted, another kind of content, a redirect, a host of somebody else."""
    stage.site.answers["statistics"] = (200, "text/html", b"<p>not today</p>")
    stage.site.redirected["/api/v1/event/77/incidents"] = "/api/v1/event/78/incidents"
    stage.site.also = [
        ("/api/v1/event/78", {}),
        ("/api/v1/event/77/votes", {}),
        ("http://localhost:9/api/v1/event/77", {}),
    ]
    async with stage.visitor() as visitor:
        visit = await stage.visit(visitor, stage.order("77"))
    assert set(visit.snapshots) == {"event", "lineups"}
    assert {json.loads(each.body)["id"] for each in visit.snapshots.values()} == {"77"}
    assert set(visit.refusals) == {"incidents", "statistics"}
    assert stage.site.hits["/api/v1/event/78"] == 1, "the page asked for it, and it was not taken"
    assert stage.site.hits["/api/v1/event/78/incidents"] == 2, "once by the page, once from inside it; taken never"


async def test_a_family_that_the_page_does_not_ask_for_is_asked_for_inside_it_once(stage: Stage) -> None:
    stage.site.fires = ("event",)
    async with stage.visitor() as visitor:
        visit = await stage.visit(visitor, stage.order("77"))
    rungs = {family: each.rung for family, each in visit.snapshots.items()}
    assert rungs == {"event": "intercept", "lineups": "in_page", "incidents": "in_page", "statistics": "in_page"}
    assert {stage.site.hits[f"/api/v1/event/77/{family}"] for family in FAMILIES[1:]} == {1}


async def test_a_page_that_fires_nothing_is_asked_from_inside_it(stage: Stage) -> None:
    stage.site.fires, stage.site.needs_token = (), False
    async with stage.visitor() as visitor:
        visit = await stage.visit(visitor, stage.order("77"))
    assert {each.rung for each in visit.snapshots.values()} == {"in_page"}
    assert visit.network.calls_captured == 0


async def test_line_ups_that_are_not_there_yet_are_no_failure(stage: Stage) -> None:
    stage.site.answers["lineups"] = (404, "application/json", b'{"error": {"code": 404}}')
    async with stage.visitor() as visitor:
        visit = await stage.visit(visitor, stage.order("77"))
        assert isinstance(visit.refusals["lineups"], MatchGoneError)
        stage.site.answers["event"] = (404, "application/json", b"{}")
        with pytest.raises(MatchGoneError):
            await stage.visit(visitor, stage.order("78"))


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ((200, "application/json", b""), EmptyPayloadError),
        ((403, "application/json", b"{}"), SourceRefusedError),
        ((429, "application/json", b"{}"), SourceThrottledError),
    ],
)
async def test_a_required_family_that_is_refused_fails_by_its_own_name(
    stage: Stage, answer: tuple[int, str, bytes], error: type[Exception]
) -> None:
    stage.site.answers["lineups"] = answer
    async with stage.visitor() as visitor:
        with pytest.raises(error, match="lineups"):
            await stage.visit(visitor, stage.order("77"))
        assert stage.site.hits["/api/v1/event/77/lineups"] == 1, "what was refused is not asked again at once"


async def test_one_that_is_not_required_is_told_and_no_failure(stage: Stage) -> None:
    stage.site.answers["statistics"] = (403, "application/json", b"{}")
    async with stage.visitor() as visitor:
        visit = await stage.visit(visitor, stage.order("77"))
    assert set(visit.snapshots) == {"event", "lineups", "incidents"}
    assert isinstance(visit.refusals["statistics"], SourceRefusedError)


@pytest.mark.parametrize("trouble", ["page_hangs", "calls_hang"])
async def test_a_page_that_hangs_costs_no_more_than_its_deadline(stage: Stage, trouble: str) -> None:
    setattr(stage.site, trouble, True)
    async with stage.visitor() as visitor:
        began = CLOCK.monotonic()
        with pytest.raises(SourceTimeoutError):
            await stage.visit(visitor, stage.order("77", deadline_seconds=4.0))
        assert CLOCK.monotonic() - began < 8.0


async def test_a_browser_that_is_killed_in_a_visit_costs_that_visit_only(stage: Stage) -> None:
    stage.site.calls_hang = True
    async with stage.visitor(quiet_seconds=20.0) as visitor:
        visiting = asyncio.create_task(stage.visit(visitor, stage.order("77")))
        while not any("/api/" in path for path in stage.site.hits):
            await CLOCK.sleep(0.02)
        for process in stage.chromium():
            process.kill()
        with pytest.raises(BrowserError):
            await visiting
        stage.site.calls_hang = False
        assert (await stage.visit(visitor, stage.order("77"))).rung == "intercept"


@pytest.mark.req("D7")
@pytest.mark.parametrize("is_direct", [True, False])
async def test_a_challenge_is_told_at_once_and_takes_the_session_with_it(stage: Stage, is_direct: bool) -> None:
    async with stage.visitor() as visitor:
        stage.site.is_challenging = not is_direct
        first = await stage.visit(visitor, stage.order("1")) if is_direct else None
        stage.site.is_challenging = True
        with pytest.raises(ChallengeError):
            await stage.visit(visitor, stage.order("2"))
        assert stage.site.documents() == 1, "it is not solved, and no page is opened to look at it"
        stage.site.is_challenging = False
        after = await stage.visit(visitor, stage.order("3"))
    assert first is None or after.exit.session_id != first.exit.session_id
    page = next(each for each in stage.site.seen if each.path == "/match/3")
    assert "visited" not in page.cookies, "its cookies were thrown away"
    assert after.rung == "intercept"


@pytest.mark.req("D7")
async def test_a_page_that_its_robots_forbid_is_not_opened(stage: Stage) -> None:
    stage.site.robots = "User-agent: *\nDisallow: /match/\n"
    async with stage.visitor() as visitor:
        with pytest.raises(RobotsRefusedError):
            await stage.visit(visitor, stage.order("77"))
    assert set(stage.site.hits) == {"/robots.txt"}
