"""What a successor should know, what was done to get well again, and how it went before."""

import itertools
from collections.abc import Sequence

import msgspec
import pytest

from longstop.domain.recovery import RecoveryOutcome
from longstop.domain.scraper_state import ScraperState
from longstop.store.contract import Store, WriteBatch
from tests.contract.store.conftest import Backend
from tests.contract.store.samples import MATCH, at, audit, failure, health, state


async def save_states(store: Store, states: Sequence[ScraperState]) -> None:
    for each in states:
        await store.save(WriteBatch(states=(each,)))


@pytest.mark.req("B8")
async def test_a_snapshot_outlives_a_restart(backend: Backend) -> None:
    store = await backend.store()
    await save_states(store, [state(), state(5, match_id="crex_AB2")])
    await store.close()
    store = await backend.store()
    assert await store.states([MATCH, "crex_NOBODY"]) == {MATCH: state()}
    assert await store.states([]) == {}


@pytest.mark.req("B8")
async def test_the_newest_snapshot_stays_whatever_the_order(store: Store) -> None:
    rows = [state(10, sequence=4), state(20, sequence=3), state(15, sequence=9)]
    for number, order in enumerate(itertools.permutations(rows)):
        match_id = f"crex_O{number}"
        moved = [msgspec.structs.replace(each, match_id=match_id) for each in (*order, *order)]
        await save_states(store, moved)
        assert (await store.states([match_id]))[match_id].saved_at == at(20)


async def test_of_two_snapshots_of_one_moment_the_same_stays_whatever_the_order(store: Store) -> None:
    first, second = state(reason="interval"), state(reason="shutdown", sequence=2)
    third = msgspec.structs.replace(second, errors=1)
    kept = set()
    for number, order in enumerate(itertools.permutations([first, second, third])):
        match_id = f"crex_O{number}"
        await save_states(store, [msgspec.structs.replace(each, match_id=match_id) for each in order])
        found = (await store.states([match_id]))[match_id]
        kept.add((found.reason, found.errors))
    assert len(kept) == 1
    assert kept < {("shutdown", 0), ("shutdown", 1)}


async def test_the_newest_snapshot_of_one_batch_stays(store: Store) -> None:
    await store.save(WriteBatch(states=(state(3), state(7), state(1))))
    assert (await store.states([MATCH]))[MATCH].saved_at == at(7)


async def test_a_judged_entry_replaces_its_unjudged_self_and_never_the_other_way(store: Store) -> None:
    judged = audit(outcome=RecoveryOutcome.PARTIAL)
    await store.save(WriteBatch(audits=(audit(),)))
    assert list(await store.audits()) == [audit()]
    for entry in (judged, audit(), judged):
        await store.save(WriteBatch(audits=(entry,)))
        assert list(await store.audits()) == [judged]


async def test_the_later_judgement_counts_whatever_the_order(store: Store) -> None:
    rows = [
        audit(),
        audit(outcome=RecoveryOutcome.PARTIAL, judged=60),
        audit(outcome=RecoveryOutcome.SUCCESS, judged=120),
        audit(outcome=RecoveryOutcome.FAILED, judged=90),
    ]
    for number, order in enumerate(itertools.permutations(rows)):
        for row in order:
            await store.save(WriteBatch(audits=(msgspec.structs.replace(row, entry_id=f"a{number}"),)))
    assert {entry.outcome for entry in await store.audits()} == {RecoveryOutcome.SUCCESS}


async def test_the_audit_is_told_newest_first(store: Store) -> None:
    rows = (audit("b", done=2), audit("a", done=1), audit("c", done=2), audit("B", done=2), audit("d", done=0.999999))
    await store.save(WriteBatch(audits=rows))
    assert [entry.entry_id for entry in await store.audits()] == ["B", "b", "c", "a", "d"]
    assert [entry.entry_id for entry in await store.audits(limit=2)] == ["B", "b"]
    assert list(await store.audits(limit=-1)) == []


async def test_errors_are_told_newest_first_by_match_or_scraper(store: Store) -> None:
    rows = (
        failure("e1", seconds=1),
        failure("e2", seconds=3, scraper_id="s2"),
        failure("e3", seconds=2, match_id="crex_AB2", scraper_id="s2"),
        failure("e4", seconds=4, match_id=None, is_resolved=True),
    )
    await store.save(WriteBatch(errors=rows))
    assert list(await store.errors(limit=1)) == [rows[3]]
    assert [row.error_id for row in await store.errors()] == ["e4", "e2", "e3", "e1"]
    assert [row.error_id for row in await store.errors(match_id=MATCH)] == ["e2", "e1"]
    assert [row.error_id for row in await store.errors(scraper_id="s2")] == ["e2", "e3"]
    assert [row.error_id for row in await store.errors(match_id=MATCH, scraper_id="s2")] == ["e2"]
    assert list(await store.errors(match_id="crex_NOBODY")) == []


async def test_health_is_told_newest_first_by_match_or_scraper(store: Store) -> None:
    rows = (
        health(1),
        health(3, scraper_id="s2"),
        health(2, match_id="crex_AB2", scraper_id="s2"),
        health(4, match_id=None),
    )
    await store.save(WriteBatch(health=rows))
    assert list(await store.health()) == [rows[3], rows[1], rows[2], rows[0]]
    assert list(await store.health(match_id=MATCH, limit=1)) == [rows[1]]
    assert list(await store.health(scraper_id="s1")) == [rows[3], rows[0]]
    assert list(await store.health(match_id="crex_AB2", scraper_id="s1")) == []
