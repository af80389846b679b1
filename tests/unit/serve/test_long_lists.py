"""Pages of a list that was true at a moment: whoever pages on to the end has seen every match."""

from typing import Any

import msgspec
import pytest

from longstop.domain.match import MatchPriority, MatchStatus
from longstop.serve import lists
from longstop.store.contract import MatchRow
from tests.unit.serve.world import NOON, World, row

pytestmark = pytest.mark.req("G1")
NOW = NOON.isoformat().replace("+00:00", "Z")


async def all_pages(world: World, query: str) -> tuple[list[str], int]:
    found: list[str] = []
    pages, after = 0, ""
    async with world.client() as client:
        while pages < 50:
            body: dict[str, Any] = (await client.get(f"/cricket-data/matches?{query}{after}")).json()
            found += [match["matchId"] for match in body["matches"]]
            pages += 1
            if body["next_after"] is None:
                break
            after = f"&after={body['next_after']}"
    return found, pages


async def test_a_match_behind_all_that_one_page_looks_at_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "SCANNED_MAX", 10)
    world = World()
    for number in range(25):
        world.store.rows[f"crex_L{number:02}"] = row(f"L{number:02}")
    world.store.rows["crex_SOON"] = row("SOON", status=MatchStatus.UPCOMING)
    assert await all_pages(world, f"status=upcoming&as_of={NOW}") == (["crex_SOON"], 3)
    found, _ = await all_pages(world, f"as_of={NOW}&limit=4")
    assert found == list(world.store.rows)


async def test_pages_go_on_from_where_a_match_stands_now_not_from_what_it_was_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All were upcoming then, so their place would be another."""
    world = World()
    for key in "ABC":
        world.store.rows[f"crex_{key}"] = row(key)

    async def as_then(match_id: str, **_: Any) -> MatchRow:
        found = world.store.rows[match_id]
        return msgspec.structs.replace(found, status=MatchStatus.UPCOMING, priority=MatchPriority.IMMINENT)

    monkeypatch.setattr(world.store, "match", as_then)
    assert await all_pages(world, f"as_of={NOW}&limit=1") == (["crex_A", "crex_B", "crex_C"], 3)


async def test_a_match_that_ends_while_it_is_listed_does_not_end_the_list() -> None:
    """The store still has it as live; whoever watches it has heard."""
    world = World()
    for key in "ABC":
        world.add(key)
    async with world.client() as client:
        await client.get("/cricket-data/matches")
        world.score("A", status=MatchStatus.COMPLETED)
        first = (await client.get("/cricket-data/matches?status=live&limit=2")).json()
        rest = (await client.get(f"/cricket-data/matches?status=live&after={first['next_after']}")).json()
    assert [match["matchId"] for body in (first, rest) for match in body["matches"]] == ["crex_B", "crex_C"]
