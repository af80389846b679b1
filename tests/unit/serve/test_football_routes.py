"""Football over the API: matches by kickoff, line-ups as they were known, with their age."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import msgspec
import pytest

from longstop.domain.capture import SnapshotType
from longstop.domain.football import Side
from longstop.serve.api import create_app
from longstop.serve.entry.hall import open_to_this_machine
from longstop.serve.reading import Instance, ReadModel
from longstop.store.contract import WriteBatch
from longstop.store.sqlite import SqliteStore
from tests.football_records import NOON, at, match, sheet
from tests.unit.serve.world import StandingClock, World

LINEUPS = "/football/matches/7/lineups"


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    world, store = World(), SqliteStore(None)
    await store.open()
    confirmed = sheet(3, is_confirmed=True, snapshot=SnapshotType.CONFIRMED, formation="4-4-2")
    flagged = msgspec.structs.replace(sheet(4, formation="5-5-0"), after_kickoff=True)
    rows = (sheet(), sheet(side=Side.AWAY, first=100), confirmed, flagged)
    await store.save(WriteBatch(football=(match(), match(8, kickoff_at=at(30))), lineups=rows))
    model = ReadModel(
        store=store,
        board=world.model.board,
        names=world.model.names,
        clock=StandingClock(at(5)),
        instance=Instance("longstop", "0"),
        football=store,
    )
    app = create_app(model, open_to_this_machine(model.clock, model.bus))
    transport = httpx.ASGITransport(app, client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as made:
        yield made
    await store.close()


async def asked(client: httpx.AsyncClient, path: str, **query: Any) -> Any:
    answer = await client.get(path, params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.req("D9")
async def test_matches_are_listed_by_kickoff(client: httpx.AsyncClient) -> None:
    told = await asked(client, "/football/matches")
    assert [each["match_id"] for each in told["matches"]] == [7, 8]
    told = await asked(client, "/football/matches", kickoff_from="2026-06-02T00:00:00Z")
    assert [each["match_id"] for each in told["matches"]] == [8]


@pytest.mark.req("D2")
async def test_line_ups_are_told_as_they_were_known(client: httpx.AsyncClient) -> None:
    now = await asked(client, LINEUPS)
    assert {side: each["formation"] for side, each in now["current"].items()} == {"home": "4-4-2", "away": "4-3-3"}
    assert len(now["history"]) == 3, "a flagged one is left out"
    then = await asked(client, LINEUPS, as_of=at(2).isoformat())
    assert then["current"]["home"]["formation"] == "4-3-3"
    assert (await asked(client, LINEUPS, as_of=NOON.isoformat()))["current"] == {}


@pytest.mark.req("D2")
async def test_an_answer_says_how_old_it_is_and_is_sent_once(client: httpx.AsyncClient) -> None:
    first = await client.get(LINEUPS)
    assert first.headers["x-data-freshness"] == "2026-06-01T15:00:00.000Z"
    assert first.headers["x-data-age-seconds"] == "7200"
    again = await client.get(LINEUPS, headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304


async def test_what_is_not_there_is_a_problem_with_a_name(client: httpx.AsyncClient) -> None:
    assert (await client.get("/football/matches/99/lineups")).status_code == 404
    assert (await client.get(f"{LINEUPS}?as_of=yesterday")).status_code == 400
    assert (await client.get("/football/matches?limit=0")).status_code == 400
    assert (await client.get("/football/matches/x/lineups")).status_code == 404
