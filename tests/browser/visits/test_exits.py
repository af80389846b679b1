"""Visits by real proxies, each with a password and an address of its own: nothing goes beside them."""

import json

import pytest

from longstop.domain.errors import ExitFailedError, LongstopError, SourceRefusedError
from longstop.fetch.visits.visit import Visit, Visitor
from tests.browser.visits.stage import Stage
from tests.servers.football_site import FAMILIES
from tests.servers.socks import socks_proxy
from tests.servers.tinyproxy import PASSWORD, TinyProxies

pytestmark = [pytest.mark.timeout(120), pytest.mark.req("D6"), pytest.mark.req("D7")]


def by(*urls: str, **more: str) -> dict[str, str]:
    return {
        "sources.sofascore.use_proxy": "true",
        "scraper.proxy.urls": json.dumps(urls),
        **{name.replace("__", "."): value for name, value in more.items()},
    }


async def until_brought(stage: Stage, visitor: Visitor, key: str) -> tuple[Visit, list[LongstopError]]:
    """As the service does it: again, while that may help."""
    failures: list[LongstopError] = []
    while True:
        try:
            return await stage.visit(visitor, stage.order(key)), failures
        except LongstopError as error:
            assert len(failures) < 4, failures
            failures.append(error)


async def test_pages_calls_and_robots_leave_by_the_exit_and_by_nothing_else(
    stage: Stage, tiny_proxies: TinyProxies
) -> None:
    (proxy,) = tiny_proxies.take(1)
    async with stage.visitor(by(proxy.url)) as visitor:
        first = await stage.visit(visitor, stage.order("1"))
        second = await stage.visit(visitor, stage.order("2"))
    assert (set(first.snapshots), first.rung, second.rung) == (set(FAMILIES), "intercept", "replay")
    assert set(stage.site.peers) == {proxy.exit_address}
    assert stage.site.hits["/robots.txt"] == 1
    assert first.network.bytes_in > 0 < second.network.bytes_in


async def test_no_word_of_a_proxy_is_told(stage: Stage, tiny_proxies: TinyProxies) -> None:
    (proxy,) = tiny_proxies.take(1)
    async with stage.visitor(by(proxy.url)) as visitor:
        visit = await stage.visit(visitor, stage.order("1"))
    told = repr((visit, stage.told)) + "".join(each.read_text() for each in stage.folder.glob("*.json"))
    assert PASSWORD not in told
    assert str(proxy.port) not in told
    assert (visit.exit.pool, bool(visit.exit.proxy_hash)) == ("urls", True)


async def test_a_ban_changes_the_exit_and_the_banned_one_is_not_used_again(
    stage: Stage, tiny_proxies: TinyProxies
) -> None:
    proxies = tiny_proxies.take(4)
    async with stage.visitor(by(*(each.url for each in proxies))) as visitor:
        first = await stage.visit(visitor, stage.order("1"))
        banned = stage.site.peers[-1]
        stage.site.banned.add(banned)
        visit, failures = await until_brought(stage, visitor, "2")
        assert [type(each) for each in failures] == [SourceRefusedError]
        assert visit.exit.session_id != first.exit.session_id
        before = len(stage.site.peers)
        for key in ("3", "4", "5"):
            await stage.visit(visitor, stage.order(key))
    assert banned not in stage.site.peers[before:]
    page = next(each for each in stage.site.seen if each.path == "/match/2" and each.remote != banned)
    assert "visited" not in page.cookies, "cookies end with their session"


async def test_an_exit_that_is_not_there_is_told_as_that_and_left(
    stage: Stage, tiny_proxies: TinyProxies, free_port: int
) -> None:
    (proxy,) = tiny_proxies.take(1)
    dead = f"http://{proxy.user}:{proxy.password}@127.0.0.1:{free_port}"
    async with stage.visitor(by(dead, proxy.url)) as visitor:
        for key in ("1", "2"):
            _, failures = await until_brought(stage, visitor, key)
            assert all(isinstance(each, ExitFailedError) for each in failures), failures
            assert PASSWORD not in repr(failures)
    assert set(stage.site.peers) == {proxy.exit_address}


async def test_a_socks_proxy_serves_as_well(stage: Stage) -> None:
    async with socks_proxy(exit_address="127.0.0.9") as proxy, stage.visitor(by(proxy.url)) as visitor:
        visit = await stage.visit(visitor, stage.order("1"))
    assert set(visit.snapshots) == set(FAMILIES)
    assert set(stage.site.peers) == {"127.0.0.9"}


async def test_the_visitor_fits_to_the_country_of_the_exit(stage: Stage, tiny_proxies: TinyProxies) -> None:
    (proxy,) = tiny_proxies.take(1)
    async with stage.visitor(by(f"{proxy.url}#DE")) as visitor:
        visit = await stage.visit(visitor, stage.order("1"))
        await stage.visit(visitor, stage.order("2"))
    assert visit.exit.country == "DE"
    spoken = {each.headers["Accept-Language"].split(",")[0] for each in stage.site.seen if "/robots" not in each.path}
    assert spoken == {"de-DE"}


async def test_a_session_by_each_exit_serves_matches_at_the_same_time(stage: Stage, tiny_proxies: TinyProxies) -> None:
    proxies = tiny_proxies.take(2)
    async with stage.visitor(by(*(each.url for each in proxies), scraper__proxy__mode="rotating")) as visitor:
        visits = [await stage.visit(visitor, stage.order(key)) for key in ("1", "2")]
    assert {each.rung for each in visits} == {"intercept"}
    assert set(stage.site.peers) == {each.exit_address for each in proxies}
