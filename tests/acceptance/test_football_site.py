"""The football site on a real socket: who calls by which address, what it refuses, and what its doors tell."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from longstop_origin.football.fixture import Fixture
from longstop_origin.football.passes import COOKIE, HEADER, answer_to
from longstop_origin.football.server import FootballServer, serve_football
from longstop_origin.football.world import FootballOptions, FootballWorld
from longstop_origin.server import OriginAddressError
from tests.football import EPOCH, READER, read
from tests.servers.tinyproxy import TinyProxies

DAY_LIST = "/api/v1/sport/football/scheduled-events/2026-03-07"
JSON = dict[str, Any]


class Browsing:
    """A client with a clock of its own: the site's time is what the test says."""

    def __init__(self, server: FootballServer, session: aiohttp.ClientSession, moment: list[float]) -> None:
        self.server, self._session, self._moment = server, session, moment

    @property
    def fixture(self) -> Fixture:
        """One that is published before its kickoff, and played."""
        world = self.server.site.world
        return next(each for each in world.fixtures if each.fate == "played" and each.plan.lead > 1200)

    def at(self, seconds: float) -> None:
        self._moment[0] = seconds

    async def get(
        self, path: str, proxy: str | None = None, patience: float = 30.0, headers: dict[str, str] | None = None
    ) -> tuple[int, bytes]:
        options = aiohttp.ClientTimeout(total=patience)
        url = f"{self.server.url}{path}"
        async with self._session.get(url, proxy=proxy, headers=headers, timeout=options) as answer:
            return answer.status, await answer.read()

    async def door(self, method: str, name: str, body: object = None) -> Any:
        async with self._session.request(method, f"{self.server.url}/_origin/{name}", json=body) as answer:
            return await answer.json()


@pytest.fixture
async def browsing() -> AsyncIterator[Browsing]:
    moment = [EPOCH]
    world = FootballWorld(FootballOptions(epoch=EPOCH, seed=3, matches=30))
    async with serve_football(world, now=lambda: moment[0]) as server, aiohttp.ClientSession() as session:
        yield Browsing(server, session, moment)


async def test_the_lists_and_calls_of_a_match_are_served_as_the_reader_expects_them(browsing: Browsing) -> None:
    status, content = await browsing.get(DAY_LIST)
    football = read(content, f"{READER.base_url}/{status}").football
    assert football is not None
    assert len(football.events or ()) >= 8
    fixture = browsing.fixture
    browsing.at(fixture.final_kickoff - 60)
    for part in ("", "/lineups"):
        status, content = await browsing.get(f"/api/v1/event/{fixture.id}{part}")
        assert status == 200
        assert read(content, "match").football is not None
    assert await browsing.get(f"/api/v1/event/{fixture.id}/incidents") == (
        404,
        b'{"error":{"code":404,"message":"Not Found"}}',
    )


@pytest.mark.req("D6")
async def test_a_ban_hits_the_address_that_a_proxy_leaves_by_and_no_other(
    browsing: Browsing, tiny_proxies: TinyProxies
) -> None:
    first, second = tiny_proxies.take(2)
    await browsing.door("POST", "ban", {"addresses": [first.exit_address], "seconds": 600})
    assert await browsing.get(DAY_LIST, first.url) == (403, b'{"error":{"code":403,"reason":"challenge"}}')
    assert (await browsing.get(DAY_LIST, second.url))[0] == 200
    browsing.at(EPOCH + 601)
    assert (await browsing.get(DAY_LIST, first.url))[0] == 200
    told = (await browsing.door("GET", "stats"))["addresses"]
    assert {address: caller["while_banned"] for address, caller in told.items()} == {"127.0.0.2": 1, "127.0.0.3": 0}


async def test_a_banned_address_sees_a_challenge_for_a_page(browsing: Browsing) -> None:
    await browsing.door("POST", "ban", {"addresses": ["127.0.0.1"], "seconds": 600})
    status, content = await browsing.get(browsing.fixture.story.page)
    assert status == 403
    assert b'id="challenge-form"' in content


async def test_who_asks_too_often_is_told_when_to_come_back_and_banned_when_he_does_not(browsing: Browsing) -> None:
    await browsing.door("POST", "guards", {"limit": 3, "retry-after": 7, "ban-after": 2, "ban": 100})
    answers = [(await browsing.get(DAY_LIST))[0] for _ in range(6)]
    assert answers == [200, 200, 200, 429, 429, 403]
    browsing.at(EPOCH + 101)
    assert (await browsing.get(DAY_LIST))[0] == 200


async def test_a_call_needs_what_a_page_was_given_and_only_for_a_while(browsing: Browsing) -> None:
    await browsing.door("POST", "guards", {"token": 60})
    path = f"/api/v1/event/{browsing.fixture.id}"
    assert (await browsing.get(path))[0] == 403
    site = browsing.server.site
    session = site.gate.passes.begin()
    shown = {HEADER: answer_to(site.gate.passes.given(session, EPOCH)), "Cookie": f"{COOKIE}={session}"}
    assert (await browsing.get(path, headers=shown))[0] == 200
    assert (await browsing.get(path, headers={**shown, HEADER: "8-0.0"}))[0] == 403
    browsing.at(EPOCH + 61)
    assert await browsing.get(path, headers=shown) == (403, b'{"error":{"code":403,"reason":"token expired"}}')
    assert (await browsing.door("GET", "stats"))["sessions"] == {session[:12]: 3}


@pytest.mark.parametrize(
    ("guards", "status"),
    [({"down": "503"}, 503), ({"empty": "event"}, 200), ({"heavy": "event"}, 200), ({"schema": "event"}, 200)],
)
async def test_what_goes_wrong_is_switched_on_and_off_while_it_runs(
    browsing: Browsing, guards: JSON, status: int
) -> None:
    path = f"/api/v1/event/{browsing.fixture.id}"
    sound = await browsing.get(path)
    await browsing.door("POST", "guards", guards)
    spoilt = await browsing.get(path)
    assert spoilt[0] == status
    assert spoilt[1] != sound[1]
    await browsing.door("DELETE", "guards")
    assert await browsing.get(path) == sound


async def test_a_site_that_is_down_breaks_connections_or_never_answers(browsing: Browsing) -> None:
    await browsing.door("POST", "guards", {"down": "reset"})
    with pytest.raises(aiohttp.ClientError):
        await browsing.get(DAY_LIST)
    await browsing.door("POST", "guards", {"down": "hang"})
    with pytest.raises(TimeoutError):
        await browsing.get(DAY_LIST, patience=0.2)
    # A client may try once more by itself after a reset.
    assert {entry.why for entry in browsing.server.site.gate.callers.journal} == {"reset", "hang"}


async def test_a_kickoff_is_moved_and_a_line_up_published_on_demand(browsing: Browsing) -> None:
    fixture = browsing.fixture
    key, kickoff = str(fixture.id), fixture.kickoff(EPOCH)
    told = await browsing.door("POST", "move", {"key": key, "minutes": -15})
    assert told["kickoff"] == kickoff - 900
    told = await browsing.door("POST", "publish", {"key": key})
    assert told["published_at"] == EPOCH
    _, content = await browsing.get(f"/api/v1/event/{key}/lineups")
    football = read(content, "match").football
    assert football is not None
    assert football.lineups is not None
    assert football.lineups.is_confirmed
    browsing.at(kickoff)
    assert "has not begun" in (await browsing.door("POST", "move", {"key": key, "minutes": 5}))["error"]


async def test_the_journal_tells_each_request_once_and_in_order(browsing: Browsing) -> None:
    for _ in range(3):
        await browsing.get(DAY_LIST)
    whole = await browsing.door("GET", "requests")
    assert [entry["number"] for entry in whole] == [1, 2, 3]
    assert {(entry["address"], entry["kind"], entry["status"]) for entry in whole} == {("127.0.0.1", "list", 200)}
    assert [entry["number"] for entry in await browsing.door("GET", "requests?since=2")] == [3]


@pytest.mark.parametrize(
    ("name", "body"),
    [("guards", {"limits": 3}), ("guards", {"limit": "many"}), ("ban", {"whom": 1}), ("move", {"key": "1"}), ("x", 1)],
)
async def test_a_door_that_does_not_understand_says_so_in_a_sentence(
    browsing: Browsing, name: str, body: object
) -> None:
    assert len((await browsing.door("POST", name, body))["error"]) > 10


async def test_the_football_site_listens_on_this_machine_only() -> None:
    world = FootballWorld(FootballOptions(epoch=EPOCH, matches=1))
    with pytest.raises(OriginAddressError):
        async with serve_football(world, now=lambda: EPOCH, host="192.0.2.1"):
            pass
