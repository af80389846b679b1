"""Attack A8: eighty scripts in whatever a source may say. None runs, none calls anybody, each is shown as it is."""

from datetime import timedelta
from urllib.parse import urlsplit

import msgspec
import pytest
from playwright.async_api import Page, expect

from longstop.domain.cricket import Dismissal
from longstop.domain.events import DeliveryRecord, Gap, GapState
from longstop.domain.match import Names
from longstop.observe import signals as facts
from tests.browser.conftest import Visitor
from tests.browser.payloads import PAYLOADS
from tests.browser.stage import Site
from tests.unit.serve.world import FIRST, NAMES, NOON, SECOND, ball

pytestmark = pytest.mark.req("H5")

OWN_SCRIPTS, OWN_FORMS = ":not([src^='/console/'])", ":not(.find):not([method=dialog])"
STRANGE = f"script{OWN_SCRIPTS}, form{OWN_FORMS}, img, iframe, object, embed, base, style, math"


@pytest.fixture
def hostile(site: Site) -> Site:
    """Each payload is a team, a title, a series, a format, a ground, an announcement and an error; all are players."""
    world = site.world
    world.names = Names(
        players={f"P{n}": payload for n, payload in enumerate(PAYLOADS)},
        teams=dict(NAMES.teams) | {f"T{n}": payload for n, payload in enumerate(PAYLOADS)},
        teams_short={f"T{n}": payload for n, payload in enumerate(PAYLOADS)},
        series={f"S{n}": payload for n, payload in enumerate(PAYLOADS)},
    )
    for number, payload in enumerate(PAYLOADS):
        teams = (f"T{number}", "AU")
        world.add(f"M{number}", teams=teams, title=payload, series=f"S{number}", format=payload, venue=payload)
        innings = (msgspec.structs.replace(SECOND, team=f"T{number}"),)
        world.score(f"M{number}", teams=teams, innings=innings, announcement=payload, last_event=payload)
        world.fail(f"M{number}", message=payload)
        world.reject(payload, key=f"M{number}")
    return site


def tell_all(site: Site, key: str) -> None:
    """Everything that one page of a match can hold, with every payload in it."""
    world, match_id = site.world, f"crex_{key}"
    innings = (msgspec.structs.replace(FIRST, team="T0"), msgspec.structs.replace(SECOND, team="T1"))
    world.score(key, teams=("T0", "T1"), innings=innings, announcement=PAYLOADS[0])
    world.store.ball_rows[match_id] = [
        DeliveryRecord(match_id, bowled.place, 1, bowled, NOON, NOON, "ab" * 32)
        for n in range(len(PAYLOADS))
        for bowled in [
            msgspec.structs.replace(
                ball(2, n, 1, dismissals=(Dismissal(f"P{n}", PAYLOADS[n], (f"P{n}",)),)), batter=f"P{n}", bowler=f"P{n}"
            )
        ]
    ]
    for n, payload in enumerate(PAYLOADS):
        at = NOON + timedelta(seconds=n)
        alert = facts.AlertRaised(
            at=at, alert=payload, severity="ERROR", message=payload, match_id=match_id, hint=payload
        )
        world.signals.emit(alert)
        world.signals.emit(facts.PaceChanged(at=at, match_id=match_id, before_seconds=2, seconds=2 + n, reason=payload))
    world.store.gap_rows[match_id] = [
        Gap(match_id, f"g{n}", 2, n, n, GapState.OPEN, payload, NOON) for n, payload in enumerate(PAYLOADS)
    ]


async def assert_unharmed(page: Page, visitor: Visitor, site: Site) -> None:
    assert await page.evaluate("window.hit") is None
    assert await page.locator(STRANGE).count() == 0
    assert visitor.complaints == []
    assert visitor.dialogs == []
    assert {urlsplit(url).netloc for url in visitor.requests} == {urlsplit(site.url).netloc}


async def test_eighty_scripts_in_the_list_run_nothing_and_call_nobody(hostile: Site, visitor: Visitor) -> None:
    assert len(set(PAYLOADS)) >= 80
    async with visitor.page(hostile.url) as page:
        await expect(page.locator(".match")).to_have_count(len(PAYLOADS))
        # From end to end, so that every row has been unfolded once.
        for place in range(0, len(PAYLOADS), 8):
            await page.locator(".match").nth(place).scroll_into_view_if_needed()
        shown = set(await page.locator(".match .line:first-child .team").all_text_contents())
        assert shown == {*PAYLOADS}
        await page.fill("#find", "<script>")
        await expect(page.locator("#found")).to_contain_text(f"of {len(PAYLOADS)}")
        await assert_unharmed(page, visitor, hostile)


async def test_eighty_scripts_on_the_page_of_a_match_run_nothing_and_call_nobody(
    hostile: Site, visitor: Visitor
) -> None:
    tell_all(hostile, "M0")
    async with visitor.page(hostile.match_url("crex_M0")) as page:
        await expect(page.locator("#match .sheet")).to_have_count(2)
        await page.get_by_role("button", name="All 81 overs").click()
        closed = page.locator("#match details:not([open]) > summary")
        while await closed.count():
            await closed.first.click()
        bowlers = set(await page.locator("#match .over .bowler").all_text_contents())
        assert bowlers == {*PAYLOADS}
        # A script in a table, in a list and in a dialog is a script all the same.
        await page.get_by_role("button", name="Restart").click()
        await assert_unharmed(page, visitor, hostile)


async def test_every_html_answer_has_the_policy(site: Site, visitor: Visitor) -> None:
    """Also what is an error: the pages of problems are JSON, and say so."""
    paths = ("/", "/match/crex_QUY", "/match/%3Cscript%3E", "/nothing", "/match/", "/ops/matches/x", "/%00", "/admin")
    for path in paths:
        async with visitor.page("about:blank") as page:
            answer = await page.goto(site.url + path)
            assert answer is not None
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.status == 200 or answer.headers["content-type"].startswith("application/problem+json")


async def test_the_policy_stops_what_gets_in_all_the_same(site: Site, visitor: Visitor) -> None:
    """Should markup ever reach the page, it still runs nothing."""
    site.world.add()
    async with visitor.page(site.url) as page:
        await expect(page.locator(".match")).to_have_count(1)
        await page.evaluate(
            """() => { for (const text of ["<img src=x onerror='window.hit=1'>", "<svg onload='window.hit=1'></svg>"])
                document.body.insertAdjacentHTML("beforeend", text);
                const script = document.createElement("script");
                script.textContent = "window.hit=1";
                document.body.append(script); }"""
        )
        await page.wait_for_timeout(300)
        assert await page.evaluate("window.hit") is None
    assert any("Content Security Policy" in complaint for complaint in visitor.complaints)
