"""The list of matches, page by page: each match once, whatever its start is, whatever is asked for."""

import msgspec
import pytest

from longstop.domain.match import MatchPriority, MatchRef, MatchStatus
from longstop.store.contract import MatchPlace, MatchRow, Store, WriteBatch
from tests.contract.store.samples import at, full_batch

ROW = full_batch().matches[0]


def row(key: str, priority: MatchPriority, starts: float | None, source: str = "crex") -> MatchRow:
    return msgspec.structs.replace(
        ROW,
        ref=MatchRef(source, key, ""),
        priority=priority,
        status=MatchStatus.LIVE,
        starts_at=None if starts is None else at(starts),
    )


ROWS = tuple(
    row(f"K{number}", MatchPriority(number % 3), None if number % 4 == 0 else number % 5, ("crex", "espn")[number % 2])
    for number in range(23)
)


@pytest.mark.req("G1")
@pytest.mark.parametrize("source", [None, "espn"])
@pytest.mark.parametrize("limit", [1, 4, 50])
async def test_pages_tell_each_match_once_in_the_order_of_the_whole_list(
    store: Store, limit: int, source: str | None
) -> None:
    await store.save(WriteBatch(matches=ROWS))
    whole = await store.matches(source=source, status=MatchStatus.LIVE)
    found: list[MatchRow] = []
    after = None
    while page := await store.matches(source=source, status=MatchStatus.LIVE, limit=limit, after=after):
        found += page
        after = MatchPlace.of(page[-1])
    assert found == list(whole)
    assert len(found) == len([each for each in ROWS if source in (None, each.ref.source)])
