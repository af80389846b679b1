"""What the page is sent: rows when they change, a pulse always, and the truth about the database."""

import asyncio
import time
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from longstop.domain.match import MatchStatus
from longstop.observe import signals as facts
from longstop.serve.console.board import OpsBoard
from tests.unit.serve.world import NOON, SECOND, World

pytestmark = pytest.mark.req("H5")


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def ops(world: World) -> OpsBoard:
    return OpsBoard(world.model, "life-1")


async def ask(ops: OpsBoard, after: int = 0, epoch: str = "life-1") -> dict[str, Any]:
    answer: dict[str, Any] = msgspec.to_builtins(await ops.answer(after, epoch))
    return answer


async def test_a_row_tells_the_score_and_the_last_balls(world: World, ops: OpsBoard) -> None:
    world.add()
    world.score()
    (row,) = (await ask(ops))["rows"]
    assert [(line["full"], line.get("score")) for line in row["lines"]] == [("India", "234"), ("Australia", "95/3")]
    assert [line.get("batting", False) for line in row["lines"]] == [False, True]
    assert row["balls"] == ["1", "0", "1", "0", "1", "0", "|", "4", "W", "6"]
    assert row["note"] == "AUS need 140 from 225 balls"
    assert row["about"] == "3rd ODI · ODI · Australia tour of India"


async def test_a_row_is_sent_again_only_when_it_changed(world: World, ops: OpsBoard) -> None:
    world.add("A")
    world.add("B")
    world.score("A")
    first = await ask(ops)
    assert len(first["rows"]) == 2
    world.poll("A")
    same = await ask(ops, first["revision"])
    assert same["rows"] == []
    assert len(same["pulse"]) == 2
    world.score("A", innings=(msgspec.structs.replace(SECOND, runs=99),))
    (changed,) = (await ask(ops, first["revision"]))["rows"]
    assert changed["id"] == "crex_A"


async def test_every_page_is_brought_up_from_where_it_is(world: World, ops: OpsBoard) -> None:
    world.add("A")
    world.score("A")
    old = await ask(ops)
    world.score("A")
    newer = await ask(ops, old["revision"])
    world.add("B")
    world.score("B")
    assert {row["id"] for row in (await ask(ops, old["revision"]))["rows"]} == {"crex_A", "crex_B"}
    assert {row["id"] for row in (await ask(ops, newer["revision"]))["rows"]} == {"crex_B"}


async def test_a_page_from_another_life_gets_everything(world: World, ops: OpsBoard) -> None:
    world.add()
    await ask(ops)
    answer = await ask(ops, 999, "life-0")
    assert len(answer["rows"]) == 1
    assert answer["epoch"] == "life-1"


async def test_the_worst_have_the_lowest_grade(world: World, ops: OpsBoard) -> None:
    world.add("SICK")
    for _ in range(6):
        world.fail("SICK")
    world.add("WELL")
    world.add("SOON", status=MatchStatus.UPCOMING, is_watched=False)
    world.add("DONE", status=MatchStatus.COMPLETED, is_watched=False)
    grades = {beat[0]: beat[2] for beat in (await ask(ops))["pulse"]}
    assert grades == {"crex_SICK": 0, "crex_WELL": 2, "crex_SOON": 4, "crex_DONE": 5}
    assert (await ask(ops))["rows"][0]["trouble"]["kind"] == "network"


@pytest.mark.req("H5", "B5")
async def test_the_pulse_tells_the_memory_of_a_match_as_far_as_it_is_known(world: World, ops: OpsBoard) -> None:
    world.add("A")
    world.add("B")
    world.signals.emit(
        facts.ScrapersMeasured(at=NOON, process_bytes=9, browser_bytes=0, memory_bytes={"crex_A": 1_100_000})
    )
    assert {beat[0]: beat[5] for beat in (await ask(ops))["pulse"]} == {"crex_A": 2, "crex_B": None}


async def test_a_live_match_nobody_watches_ages_into_trouble(world: World, ops: OpsBoard) -> None:
    world.add(is_watched=False)
    world.clock.advance(130)
    assert (await ask(ops))["pulse"][0][2] == 1
    world.clock.advance(200)
    assert (await ask(ops))["pulse"][0][2] == 0


async def test_without_the_database_the_board_goes_on_and_says_so(world: World, ops: OpsBoard) -> None:
    world.store.is_down = True
    world.start()
    world.score()
    answer = await ask(ops)
    assert answer["head"]["store_answers"] is False
    assert answer["rows"][0]["lines"][0]["full"] == "India"


async def test_a_database_that_hangs_holds_the_page_up_once_and_briefly(world: World, ops: OpsBoard) -> None:
    world.add()
    world.store.is_hanging = True
    answers = await asyncio.gather(*(ask(ops) for _ in range(5)))
    assert world.store.reads == 1
    assert answers[0]["head"]["store_answers"] is False


async def test_many_pages_share_one_reading_of_the_store(world: World, ops: OpsBoard) -> None:
    world.add()
    await asyncio.gather(*(ask(ops) for _ in range(50)))
    assert world.store.reads <= 5


async def test_finished_matches_leave_the_page_after_a_day(world: World, ops: OpsBoard) -> None:
    old: dict[str, Any] = {"last_scraper_update": NOON - timedelta(hours=25), "starts_at": NOON - timedelta(hours=30)}
    world.add("OLD", status=MatchStatus.COMPLETED, is_watched=False, **old)
    world.add("NEW", status=MatchStatus.COMPLETED, is_watched=False)
    assert [row["id"] for row in (await ask(ops))["rows"]] == ["crex_NEW"]


async def test_an_open_gap_shows_on_its_match(world: World, ops: OpsBoard) -> None:
    world.add()
    world.signals.emit(
        facts.GapOpened(
            at=NOON,
            match_id="crex_QUY",
            gap_id="g",
            innings=1,
            cause="x",
            missing_runs=1,
            missing_wickets=0,
            missing_balls=1,
        )
    )
    assert (await ask(ops))["rows"][0]["gaps"] == 1


async def test_the_route_refuses_what_is_no_revision(world: World) -> None:
    async with world.client() as client:
        assert (await client.get("/ops/board?after=-1")).status_code == 400
        assert (await client.get("/ops/board?after=0&epoch=" + "x" * 33)).status_code == 400
        assert (await client.get("/ops/board")).json()["pulse"] == []


async def test_a_thousand_quiet_matches_cost_little(world: World, ops: OpsBoard) -> None:
    for number in range(1_000):
        world.add(f"M{number}")
        world.score(f"M{number}")
    known = (await ask(ops))["revision"]
    spent, body = [], b""
    for _ in range(10):
        began = time.process_time_ns()
        body = msgspec.json.encode(await ops.answer(known, "life-1"))
        spent.append(time.process_time_ns() - began)
    assert len(body) < 60_000
    assert min(spent) < 25_000_000
