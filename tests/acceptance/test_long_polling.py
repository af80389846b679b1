"""Consumers who poll with a cursor and wait: they get a ball when it is bowled, and an empty answer when none is."""

import asyncio
from datetime import timedelta

import aiohttp
import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longstop.domain.match import MatchStatus
from longstop.serve.api import create_app
from longstop.serve.entry.hall import open_to_this_machine
from longstop.serve.reading import Instance, ReadModel
from longstop.store.contract import WriteBatch
from longstop.store.open import open_store
from tests.acceptance.served import Place
from tests.unit.serve.world import NAMES, NOON, World, events, live_row, records, row

pytestmark = [pytest.mark.req("C7"), pytest.mark.req("G1")]


async def ask(place: Place, path: str, status: int = 200) -> dict[str, object]:
    async with aiohttp.ClientSession() as client, client.get(place.url(path)) as answer:
        assert answer.status == status, await answer.text()
        found: dict[str, object] = await answer.json(content_type=None)
        return found


@pytest.mark.parametrize(
    "path", ["/cricket-data/matches/crex_QUY/events?after=12&wait=20", "/cricket-data/events?after={end}&wait=20"]
)
async def test_who_waits_is_told_as_soon_as_something_happens(place: Place, path: str) -> None:
    end = str(await place.store.feed_end())
    waiting = asyncio.create_task(ask(place, path.replace("{end}", end)))
    newest = place.streams.newest
    while not (newest._followed or newest._of_all):  # noqa: ASYNC110 - nothing else tells a test
        await asyncio.sleep(0.005)
    await place.bring(events(13)[12:])
    told = (await waiting)["events"]
    assert isinstance(told, list)
    assert len(told) == 1


async def test_who_waits_in_vain_is_answered_after_his_time(place: Place) -> None:
    began = asyncio.get_running_loop().time()
    body = await ask(place, "/cricket-data/matches/crex_QUY/events?after=12&wait=0.3")
    assert body["events"] == []
    assert body["next_after"] == 12
    assert 0.25 < asyncio.get_running_loop().time() - began < 5


async def test_all_events_are_read_page_by_page_without_loss_or_repetition(place: Place) -> None:
    seen, after, has_more = [], "0", True
    while has_more:
        body = await ask(place, f"/cricket-data/events?after={after}&limit=5")
        assert isinstance(body["events"], list)
        seen += [each["told"]["event"]["seq"] for each in body["events"]]
        after, has_more = str(body["next_after"]), bool(body["has_more"])
    assert seen == list(range(1, 13))


@pytest.mark.req("C4")
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(second=st.integers(-5, 30))
def test_every_answer_as_of_a_moment_agrees_with_every_other(
    tmp_path_factory: pytest.TempPathFactory, second: int
) -> None:
    asyncio.run(_agree(tmp_path_factory, second))


async def _agree(folders: pytest.TempPathFactory, second: int) -> None:
    world = World()
    store = open_store(f"sqlite:///{folders.mktemp('as-of')}/longstop.db", clock=world.clock)
    await store.open()
    for number in range(20):
        moment = NOON + timedelta(seconds=number)
        is_over = number >= 15
        await store.save(
            WriteBatch(
                matches=(
                    row(
                        status=MatchStatus.COMPLETED if is_over else MatchStatus.LIVE,
                        last_scraper_update=moment,
                        discovered_at=NOON,
                    ),
                ),
                live=(live_row(at=moment, sequence=number + 1),),
                deliveries=(records(20)[number],),
                events=(events(20)[number],),
            )
        )
    moment = NOON + timedelta(seconds=second)
    known = max(0, min(second + 1, 20))
    model = ReadModel(store, world.board, lambda _: NAMES, world.clock, Instance("test", "0.1.0"))
    transport = httpx.ASGITransport(app=create_app(model, open_to_this_machine(world.clock, world.signals)))
    as_of = f"as_of={moment.isoformat().replace('+00:00', 'Z')}"
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        info = await client.get(f"/cricket-data/match-info/crex_QUY?{as_of}")
        balls = await client.get(f"/cricket-data/matches/crex_QUY/deliveries?{as_of}")
        told = await client.get(f"/cricket-data/matches/crex_QUY/events?{as_of}")
        listed = (await client.get(f"/cricket-data/matches?{as_of}")).json()
    await store.close()
    if not known:
        assert {info.status_code, balls.status_code, told.status_code} == {404}
        assert listed["matches"] == []
        return
    assert info.json()["_metadata"]["sequence"] == known
    assert info.json()["_metadata"]["as_of"] == balls.json()["as_of"]
    assert info.json()["status"] == listed["matches"][0]["status"] == ("completed" if known > 15 else "live")
    assert info.json()["_metadata"]["data_age_seconds"] == max(0, second - known + 1)
    assert balls.json()["count"] == len(told.json()["events"]) == known
    assert [ball["place"] for ball in info.json()["last_balls"]] == [
        each["ball"]["place"] for each in balls.json()["deliveries"][-12:]
    ]
