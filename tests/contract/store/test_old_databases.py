"""A database of any older Longstop is brought forward with all that it holds."""

from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]  # it brings no types
import pytest

from longstop.domain.events import GapState
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchStatus
from longstop.store.contract import FeedCursor, RecipeRow, WriteBatch
from longstop.store.open import open_store
from longstop.store.schema import current_revision, head_revision, upgrade
from tests.contract.store.old_databases import make_old
from tests.contract.store.samples import MATCH, at, audit, capture, full_batch, state
from tests.contract.store.test_migrations import differences


@pytest.fixture(params=["sqlite", "postgres"])
async def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    url = f"sqlite:///{tmp_path}/store.db"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
        connection = await asyncpg.connect(url)
        await connection.execute("DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public")
        await connection.close()
    yield url
    upgrade(url)  # the next test of this module finds the schema it expects


@pytest.mark.parametrize("revision", ["0001", "0002", "0003", "0004"])
async def test_an_old_database_is_brought_forward_with_all_it_holds(
    new_url: str, revision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_old(new_url, revision, monkeypatch)
    assert current_revision(new_url) == revision
    assert upgrade(new_url) == head_revision()
    assert await differences(new_url) == []
    store = open_store(new_url)
    await store.open()
    page = await store.ledger(MATCH)
    assert (len(page.deliveries), page.last_seq) == (2, 3)
    assert [gap.state for gap in page.gaps] == [GapState.OPEN, GapState.REPAIRED]
    assert [gap.state for gap in await store.gaps(MATCH, as_of=at(2))] == [GapState.OPEN, GapState.OPEN]
    assert [gap.state for gap in await store.gaps(MATCH, as_of=at(3))] == [GapState.OPEN, GapState.REPAIRED]
    assert set(await store.live([MATCH], as_of=at(3))) == {MATCH}
    assert [(fed.event.match_id, fed.event.seq) for fed in await store.feed(FeedCursor())] == [
        (MATCH, 3),
        (MATCH, 1),
        (MATCH, 2),
    ]
    known = await store.match(MATCH, as_of=at(1))
    assert known is not None
    assert known.status is MatchStatus.LIVE
    kept = await store.match(MATCH)
    assert kept is not None
    assert (kept.state, kept.last_scraper_update, kept.state_at) == (MatchState.ACTIVE, at(3), None)
    recipe = RecipeRow("crex", "state", b"x", at(0))
    more = full_batch("AB2")
    await store.save(
        WriteBatch(matches=more.matches, live=more.live, recipes=(recipe,), states=(state(),), audits=(audit(),))
    )
    assert list(await store.recipes("crex")) == [recipe]
    await store.keep([capture()])
    assert list(await store.captures(MATCH)) == [capture()]
    assert len(await store.states([MATCH])) == len(await store.audits()) == 1
    await store.close()
