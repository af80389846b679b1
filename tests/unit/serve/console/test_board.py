"""What the page is told: everything once, then what changed, and the truth about the database."""

import asyncio
import time
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from longstop.domain.match import MatchStatus
from longstop.observe import signals as facts
from longstop.observe.signals import troubles
from longstop.serve.console.board import OpsBoard
from longstop.serve.console.bookmarks import bookmark_of
from tests.unit.serve.world import NOON, SECOND, World
from tests.unit.serve.world import row as match_row

pytestmark = pytest.mark.req("H5")


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def ops(world: World) -> OpsBoard:
    return OpsBoard(world.model, "life1", look_seconds=0.0)


async def ask(ops: OpsBoard, after: str = "") -> dict[str, Any]:
    """As a page reads it: what is empty is left out on the wire."""
    frame = await ops.frame(bookmark_of(after))
    empty: dict[str, Any] = {"rows": [], "pulse": [], "ages": [], "news": [], "members": None, "is_whole": False}
    told: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(frame))
    return empty | told


async def test_a_row_tells_the_score_and_the_last_balls(world: World, ops: OpsBoard) -> None:
    world.add()
    world.score()
    (row,) = (await ask(ops))["rows"]
    assert [(line["full"], line.get("score")) for line in row["lines"]] == [("India", "234"), ("Australia", "95/3")]
    assert [line.get("batting", False) for line in row["lines"]] == [False, True]
    assert row["balls"] == ["1", "0", "1", "0", "1", "0", "|", "4", "W", "6"]
    assert row["note"] == "AUS need 140 from 225 balls"
    assert row["about"] == "3rd ODI · ODI · Australia tour of India"


async def test_a_match_whose_teams_nobody_has_told_is_called_by_what_is_known(world: World, ops: OpsBoard) -> None:
    world.store.rows["crex_Z1"] = match_row("Z1", teams=("", ""), title="Z1")
    world.store.rows["crex_Z2"] = match_row("Z2", teams=("", ""), title="")
    world.store.rows["crex_Z3"] = match_row("Z3", teams=("IN", ""), title="Z3")
    rows = (await ask(ops))["rows"]
    assert sorted([line["full"] for line in row["lines"]] for row in rows) == [
        ["India", ""],
        ["Z1", ""],
        ["crex_Z2", ""],
    ]


async def test_only_what_changed_is_sent_again(world: World, ops: OpsBoard) -> None:
    world.add("A")
    world.add("B")
    world.score("A")
    first = await ask(ops)
    assert first["is_whole"] is True
    assert [len(first["rows"]), len(first["pulse"]), len(first["members"])] == [2, 2, 2]
    world.clock.advance(2)
    world.poll("A")
    numbers = {row["id"]: row["n"] for row in first["rows"]}
    same = await ask(ops, first["bookmark"])
    assert [same["rows"], same["members"], same["is_whole"]] == [[], None, False]
    assert [beat[0] for beat in same["pulse"]] == [numbers["crex_A"]]
    world.score("A", innings=(msgspec.structs.replace(SECOND, runs=99),))
    newer = await ask(ops, same["bookmark"])
    assert [row["id"] for row in newer["rows"]] == ["crex_A"]
    assert (await ask(ops, newer["bookmark"]))["rows"] == []


async def test_each_page_gets_what_it_has_not_seen(world: World, ops: OpsBoard) -> None:
    world.add("A")
    early = await ask(ops)
    world.score("A")
    await ask(ops)
    world.clock.advance(1)
    world.fail("A")
    late = await ask(ops, early["bookmark"])
    assert late["rows"][0]["trouble"]["kind"] == "network"
    assert len(late["rows"]) == len(late["pulse"]) == 1


@pytest.mark.parametrize("mark", ["life0.999.0", "life1.999999.0", "nonsense", "", "life1.-1.0", "x" * 64])
async def test_a_page_from_another_life_gets_everything(world: World, ops: OpsBoard, mark: str) -> None:
    world.add()
    await ask(ops)
    answer = await ask(ops, mark)
    assert answer["is_whole"] is True
    assert len(answer["rows"]) == 1
    assert answer["bookmark"].startswith("life1.")


async def test_a_match_that_goes_is_told_by_the_members(world: World, ops: OpsBoard) -> None:
    world.add("A")
    world.add("B")
    first = await ask(ops)
    world.signals.emit(
        facts.MatchStateChanged(at=NOON, match_id="crex_B", before="completed", after="archived", reason="aged")
    )
    del world.store.rows["crex_B"]
    ops._read_at = None
    gone = await ask(ops, first["bookmark"])
    numbers = {row["id"]: row["n"] for row in first["rows"]}
    assert gone["members"] == [numbers["crex_A"]]


async def test_a_page_of_another_life_is_told_when_there_is_nothing_any_more(ops: OpsBoard) -> None:
    answer = await ask(ops, "life0.7.0")
    assert (answer["is_whole"], answer["members"]) == (True, [])


async def test_the_worst_have_the_lowest_grade(world: World, ops: OpsBoard) -> None:
    world.add("SICK")
    for _ in range(6):
        world.fail("SICK")
    world.add("WELL")
    world.add("SOON", status=MatchStatus.UPCOMING, is_watched=False)
    world.add("DONE", status=MatchStatus.COMPLETED, is_watched=False)
    answer = await ask(ops)
    ids = {row["n"]: row["id"] for row in answer["rows"]}
    grades = {ids[beat[0]]: beat[2] for beat in answer["pulse"]}
    assert grades == {"crex_SICK": 0, "crex_WELL": 2, "crex_SOON": 4, "crex_DONE": 5}


async def test_a_frozen_or_resting_match_needs_attention(world: World, ops: OpsBoard) -> None:
    world.add("ICE")
    world.add("BED")
    found = troubles.StalenessFound(at=NOON, match_id="crex_ICE", kind="frozen", age_seconds=300, action="restarted")
    world.signals.emit(found)
    world.signals.emit(facts.MatchPaused(at=NOON, match_id="crex_BED", scraper_id="s", seconds=600, reason="errors"))
    answer = await ask(ops)
    rows = {row["id"]: row for row in answer["rows"]}
    assert [beat[2] for beat in answer["pulse"]] == [1, 1]
    assert rows["crex_ICE"]["stale"] is True
    assert rows["crex_BED"]["rests_until"] == int(NOON.timestamp() * 1000) + 600_000


async def test_a_row_tells_its_pace_with_the_reason_and_what_is_held_back(world: World, ops: OpsBoard) -> None:
    world.add()
    world.signals.emit(
        facts.PaceChanged(at=NOON, match_id="crex_QUY", before_seconds=2.5, seconds=30, reason="a break")
    )
    world.reject("runs fell from 95 to 12")
    (row,) = (await ask(ops))["rows"]
    assert (row["pace"], row["pace_why"]) == (30, "a break")
    assert row["held"]["reasons"] == ["runs fell from 95 to 12"]


@pytest.mark.req("H5", "B5")
async def test_the_pulse_tells_the_memory_of_a_match_as_far_as_it_is_known(world: World, ops: OpsBoard) -> None:
    world.add("A")
    world.add("B")
    world.signals.emit(
        facts.ScrapersMeasured(at=NOON, process_bytes=9, browser_bytes=0, memory_bytes={"crex_A": 1_100_000})
    )
    assert [beat[5] for beat in (await ask(ops))["pulse"]] == [2, None]


async def test_a_live_match_nobody_watches_ages_into_trouble(world: World, ops: OpsBoard) -> None:
    world.add(is_watched=False)
    world.clock.advance(130)
    assert (await ask(ops))["pulse"][0][2] == 1
    world.clock.advance(200)
    assert (await ask(ops))["pulse"][0][2] == 0


async def test_the_ages_of_a_match_are_sent_as_they_grow(world: World, ops: OpsBoard) -> None:
    world.add()
    first = await ask(ops)
    world.clock.advance(16)
    grown = await ask(ops, first["bookmark"])
    ((number, letters),) = grown["ages"]
    assert number == first["rows"][0]["n"]
    assert len(letters) == 1
    assert (await ask(ops, grown["bookmark"]))["ages"] == []


async def test_happenings_come_once_and_count_again(world: World, ops: OpsBoard) -> None:
    world.add()
    alert = facts.AlertRaised(
        at=NOON, alert="stale match", severity="ERROR", message="it is late", match_id="crex_QUY", hint="look"
    )
    world.signals.emit(alert)
    first = await ask(ops)
    (told,) = first["news"]
    assert (told["level"], told["what"], told["match"]) == ("error", "stale match", "crex_QUY")
    assert (await ask(ops, first["bookmark"]))["news"] == []
    world.signals.emit(alert)
    (again,) = (await ask(ops, first["bookmark"]))["news"]
    assert (again["id"], again["count"]) == (told["id"], 2)


async def test_the_head_tells_what_waits_and_what_is_held(world: World, ops: OpsBoard) -> None:
    world.add()
    world.signals.emit(
        facts.BrowsersMeasured(
            at=NOON, pool="plain", browsers=1, contexts=2, pages=3, pids=9, pss_bytes=5 * 1024**2, waiting=4
        )
    )
    world.signals.emit(facts.BacklogMeasured(at=NOON, spool_records=7, spool_bytes=10, spool_bytes_max=100, buffered=2))
    head = (await ask(ops))["head"]
    assert (head["status"], head["grade"]) == ("healthy", "healthy")
    assert head["ages"] == {"p50": 0.0, "p95": 0.0, "max": 0.0, "late": 0}
    assert head["pools"] == [{"name": "plain", "browsers": 1, "contexts": 2, "pages": 3, "waiting": 4, "megabytes": 5}]
    assert (head["backlog"]["spooled"], head["backlog"]["spool_percent"], head["backlog"]["buffered"]) == (7, 10.0, 2)


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
    world.open_gap()
    answer = await ask(ops)
    assert answer["rows"][0]["gaps"] == 1
    assert answer["news"][-1]["text"] == "Innings 1: 2 balls, 3 runs missing."


async def test_the_route_takes_any_mark_and_refuses_what_is_too_long(world: World) -> None:
    async with world.client() as client:
        assert (await client.get("/ops/board?after=" + "x" * 65)).status_code == 400
        assert (await client.get("/ops/board?after=x")).json()["is_whole"] is True


async def test_a_thousand_matches_cost_little_when_a_few_hundred_move(world: World, ops: OpsBoard) -> None:
    for number in range(1_000):
        world.add(f"M{number}")
        world.score(f"M{number}")
    mark = (await ask(ops))["bookmark"]
    spent, body = [], b""
    for _ in range(10):
        world.clock.advance(1)
        for number in range(0, 1_000, 3):
            world.poll(f"M{number}")
        began = time.process_time_ns()
        frame = await ops.frame(bookmark_of(mark))
        body = msgspec.json.encode(frame)
        spent.append(time.process_time_ns() - began)
        mark = frame.bookmark
    assert len(body) < 20_000
    assert min(spent) < 40_000_000
