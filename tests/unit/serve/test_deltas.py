"""The rolling buffer of five states, and what changed between two of them, as S2 computes it."""

import hashlib
from typing import Any

import msgspec
import pytest

from longstop.domain.cricket import InningsScore
from longstop.domain.match import MatchStatus
from longstop.observe import signals as facts
from tests.unit.serve.world import FIRST, World, observation, row

pytestmark = [pytest.mark.req("A8"), pytest.mark.req("G1")]

MATCH = "/cricket-data/matches/crex_QUY"
CORE = {
    *("match_id", "domain_id", "title", "status", "teams", "score", "current_innings", "toss", "venue", "start_time"),
    *("last_event", "metadata"),
}


def tell(world: World, sequence: int, runs: int) -> None:
    second = InningsScore(2, "AU", runs, 3, 75, "12.3")
    world.clock.advance(2.5)
    world.signals.emit(
        facts.ScoreStored(
            at=world.clock.now(),
            match_id="crex_QUY",
            scraper_id="s-QUY",
            sequence=sequence,
            observation=observation(at=world.clock.now(), innings=(FIRST, second)),
        )
    )


async def ask(client: Any, path: str) -> Any:
    answer = await client.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_delta_has_the_changed_fields_and_the_jump_of_the_sequence() -> None:
    world = World()
    world.add()
    async with world.client() as client:
        await ask(client, f"{MATCH}/delta")
        for sequence, runs in ((320, 95), (321, 95), (324, 99)):
            tell(world, sequence, runs)
        changed = await ask(client, f"{MATCH}/delta?since=320")
        last = await ask(client, f"{MATCH}/delta")
    assert (changed["_diff_type"], changed["_sequence_delta"]) == ("update", 4)
    assert changed["score"]["team_b"]["runs"] == 99
    assert changed["sequence_number"] == 324
    assert not {"teams", "title", "toss", "status"} & set(changed)
    assert (last["_sequence_delta"], last["sequence_number"]) == (3, 324)
    assert last["_metadata"]["data_age_seconds"] == 0


async def test_without_a_state_to_compare_with_everything_is_told() -> None:
    world = World()
    world.add()
    async with world.client() as client:
        after_a_restart = await ask(client, f"{MATCH}/delta?since=300")
        tell(world, 320, 95)
        unknown = await ask(client, f"{MATCH}/delta?since=7")
        same = await ask(client, f"{MATCH}/delta?since=320")
    assert after_a_restart["_diff_type"] == unknown["_diff_type"] == "initial"
    assert set(after_a_restart) >= CORE
    assert after_a_restart["sequence_number"] == 312
    assert "_sequence_delta" not in unknown
    assert (same["_diff_type"], same["_sequence_delta"]) == ("update", 0)


async def test_five_states_are_kept_each_with_sequence_origin_and_checksum() -> None:
    world = World()
    world.add()
    async with world.client() as client:
        await ask(client, f"{MATCH}/snapshots")
        for sequence in range(320, 328):
            tell(world, sequence, sequence)
        found = (await ask(client, f"{MATCH}/snapshots"))["snapshots"]
    assert [each["sequence_number"] for each in found] == [323, 324, 325, 326, 327]
    newest = found[-1]
    assert set(newest) == {
        *("match_id", "domain_id", "normalized_payload", "created_at", "sequence_number", "provenance", "checksum"),
    }
    assert set(newest["normalized_payload"]) >= CORE
    assert newest["provenance"]["score"]["source"] == "crex"
    canonical = msgspec.json.encode(newest["normalized_payload"], order="sorted")
    assert newest["checksum"] == hashlib.sha256(canonical).hexdigest()
    assert newest["created_at"] == world.clock.now().timestamp()


async def test_a_match_that_was_only_listed_has_no_states() -> None:
    world = World()
    world.store.rows["crex_NEW"] = row("NEW", status=MatchStatus.UPCOMING)
    async with world.client() as client:
        assert (await ask(client, "/cricket-data/matches/crex_NEW/snapshots"))["snapshots"] == []
        assert (await ask(client, "/cricket-data/matches/crex_NEW/delta"))["_diff_type"] == "initial"
