"""All that is known of one match: its ledger by overs, its card, its gaps, and what its log says."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from longstop.domain.events import DeliveryRecord
from longstop.observe import signals as facts
from tests.unit.serve.world import FIRST, NOON, World, ball, records

pytestmark = pytest.mark.req("H5")


@pytest.fixture
def world() -> World:
    made = World()
    made.add()
    made.score(innings=(msgspec.structs.replace(FIRST, runs=21, wickets=0, legal_balls=12, overs="2.0", extras=None),))
    made.store.ball_rows["crex_QUY"] = records(12)
    return made


async def dossier(world: World, match_id: str = "crex_QUY") -> dict[str, Any]:
    async with world.client() as client:
        answer = await client.get(f"/ops/matches/{match_id}")
    assert answer.status_code == 200
    told: dict[str, Any] = answer.json()
    return told


async def test_the_ledger_comes_by_overs_and_agrees_with_the_board(world: World) -> None:
    (sheet,) = (await dossier(world))["sheets"]
    assert [(over["number"], over["balls"], over["total"]) for over in sheet["overs"]] == [
        (2, ["1", "2", "3", "4", "0", "1"], "21/0"),
        (1, ["0", "1", "2", "3", "4", "0"], "10/0"),
    ]
    assert sheet["audit"]["words"] == ""


async def test_a_board_that_claims_more_is_told_with_the_difference(world: World) -> None:
    world.score(innings=(msgspec.structs.replace(FIRST, runs=23, wickets=1, legal_balls=12, extras=None),))
    (sheet,) = (await dossier(world))["sheets"]
    assert sheet["audit"]["words"] == "2 runs missing, 1 wicket missing"


async def test_a_correction_marks_its_ball_and_is_listed(world: World) -> None:
    first = world.store.ball_rows["crex_QUY"][0]
    world.store.ball_rows["crex_QUY"].append(
        msgspec.structs.replace(first, revision=2, delivery=ball(1, 0, 1, 6), captured_at=NOON + timedelta(seconds=60))
    )
    told = await dossier(world)
    assert told["sheets"][0]["overs"][-1]["corrected"] == [0]
    assert [(each["place"], each["before"], each["after"]) for each in told["corrections"]] == [("1.0.1", "0", "6")]


async def test_a_withdrawn_ball_is_gone_from_its_over(world: World) -> None:
    last = world.store.ball_rows["crex_QUY"][-1]
    world.store.ball_rows["crex_QUY"].append(msgspec.structs.replace(last, revision=2, delivery=None))
    told = await dossier(world)
    assert told["sheets"][0]["overs"][0]["balls"] == ["1", "2", "3", "4", "0"]
    assert told["corrections"][0]["after"] == ""


async def test_the_log_of_the_match_is_sorted_for_people(world: World) -> None:
    emit = world.signals.emit
    world.fail(message="the source did not answer")
    world.fail(message="the source did not answer")
    world.reject("runs fell")
    emit(facts.RungChanged(at=NOON, match_id="crex_QUY", before="replay", after="in_page", reason="502"))
    emit(facts.PaceChanged(at=NOON, match_id="crex_QUY", before_seconds=2.5, seconds=30, reason="a break"))
    journal = (await dossier(world))["journal"]
    assert [(each["what"], each["count"]) for each in journal["errors"]] == [("network", 2)]
    assert [each["text"] for each in journal["verdicts"]] == ["replay → in_page: 502", "runs fell"]
    assert [(each["before"], each["after"]) for each in journal["paces"]] == [(2.5, 30)]


async def test_an_unchanged_dossier_is_not_sent_again(world: World) -> None:
    async with world.client() as client:
        first = await client.get("/ops/matches/crex_QUY")
        world.clock.advance(3)
        world.poll()
        again = await client.get("/ops/matches/crex_QUY", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("match_id", ["..%2f..%2fetc", "crex_%00", "crex_" + "x" * 300, "crex_<script>", "a_b_c d"])
async def test_a_hostile_id_is_refused(world: World, match_id: str) -> None:
    async with world.client() as client:
        answer = await client.get(f"/ops/matches/{match_id}")
    assert answer.status_code in {400, 404}
    assert answer.headers["content-type"].startswith("application/problem+json")


async def test_a_match_that_nobody_knows_is_a_problem(world: World) -> None:
    async with world.client() as client:
        answer = await client.get("/ops/matches/crex_NOBODY")
    assert (answer.status_code, answer.json()["type"]) == (404, "/problems/unknown-match")


async def test_a_test_match_of_two_thousand_balls_is_told_in_moments(world: World) -> None:
    rows: list[DeliveryRecord] = [
        msgspec.structs.replace(record, place=bowled.place, delivery=bowled)
        for record in records(1)
        for bowled in (ball(1, n // 6, n % 6 + 1, n % 5) for n in range(2_000))
    ]
    world.store.ball_rows["crex_QUY"] = rows
    async with world.client() as client:
        answer = await client.get("/ops/matches/crex_QUY")
    assert len(answer.content) < 80_000
