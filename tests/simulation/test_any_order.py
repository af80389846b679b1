"""Whatever boards of a real match come, dropped, repeated or in any order: the record is that of the newest, or tells
what is missing from it."""

from functools import cache
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longstop import virtual_time
from longstop.clock import LoopClock
from longstop.domain.errors import SourceFailingError
from longstop.domain.events import Gap, GapState
from longstop.domain.match import MatchListing, MatchRef, MatchStatus
from longstop.fetch.snapshot import STATE, FetchRequest, Snapshot
from longstop.ledger.match_ledger import LedgerLimits
from longstop.observe.signals import Signals
from longstop.pipeline import Pipeline
from longstop.serve.account import account_of
from longstop.sources.registry import create
from longstop.store.sqlite import SqliteStore
from longstop.watch import Watch
from longstop_origin.cricsheet import load_cricsheet
from longstop_origin.judging import Account, Verdict, judge
from longstop_origin.replay.fetcher import BASE_URL, WorldFetcher
from longstop_origin.site import Site
from longstop_origin.world import World
from tests.cricket import NOON

FILE = "t20i/1187679.json"
LAST_POLLS = 40
BEAT_SECONDS = 2.5
Order = list[tuple[float, bool]]


@cache
def world_of(path: Path) -> World:
    return World.from_scripts([load_cricsheet(path)], epoch=NOON.timestamp(), corrections="storm", seed=3)


class Showing:
    """The site as it was at a moment that the test chooses; its ball feed may be away."""

    def __init__(self, world: World) -> None:
        (self.fixture,) = world.listed(NOON.timestamp())
        self.moment = NOON.timestamp()
        self.has_feed = True
        self._inner = WorldFetcher(Site(world), LoopClock(NOON), moment=lambda: self.moment)

    def at(self, share: float) -> None:
        """Of the whole match, a little past its end included."""
        start = NOON.timestamp()
        self.moment = start + 1.0 + share * (self.fixture.ends_at - start + 60.0)

    async def fetch(self, request: FetchRequest) -> Snapshot:
        if request.purpose != STATE and not self.has_feed:
            raise SourceFailingError("The feed is away.")
        return await self._inner.fetch(request)

    async def close(self) -> None:
        """There is nothing to close."""


async def kept(world: World, order: Order, *, has_feed_at_last: bool) -> tuple[Verdict, list[Gap]]:
    showing, clock = Showing(world), LoopClock(NOON)
    store = SqliteStore(None, clock=clock)
    await store.open()
    pipeline = Pipeline(create("crex", BASE_URL), showing, store, clock, Signals())
    ref = MatchRef("crex", showing.fixture.key, f"{BASE_URL}/match")
    watch = Watch(MatchListing(ref, "A v B", ("", ""), MatchStatus.LIVE), "one", NOON, LedgerLimits())

    async def poll() -> None:
        await pipeline.poll(watch)
        await pipeline.record_overdue(watch)
        await clock.sleep(BEAT_SECONDS)

    for share, has_feed in order:
        showing.at(share)
        showing.has_feed = has_feed
        await poll()
    showing.at(max(share for share, _ in order))
    showing.has_feed = has_feed_at_last
    for _ in range(LAST_POLLS):
        await poll()
    account = msgspec.convert(await account_of(store, ref.match_id), Account)
    gaps = list(await store.gaps(ref.match_id))
    await store.close()
    return judge(showing.fixture, world.time(showing.moment), account), gaps


orders = st.lists(
    st.tuples(st.sampled_from([number / 60 for number in range(1, 61)]), st.booleans()), min_size=1, max_size=14
)


@pytest.mark.req("B9", "C1", "C2", "C3")
@given(orders)
@settings(max_examples=25, deadline=None)
def test_any_boards_in_any_order_end_in_the_record_of_the_newest(shared_data: Path, order: Order) -> None:
    world = world_of(shared_data / "cricsheet" / FILE)
    verdict, gaps = virtual_time.run(kept(world, order, has_feed_at_last=True))
    assert verdict.is_clean, (verdict.counts, verdict.faults)
    assert [gap for gap in gaps if gap.state is not GapState.REPAIRED] == []


@pytest.mark.req("B9", "C1", "C2")
@given(orders)
@settings(max_examples=25, deadline=None)
def test_what_no_feed_fills_is_a_gap_and_nothing_is_made_up(shared_data: Path, order: Order) -> None:
    world = world_of(shared_data / "cricsheet" / FILE)
    verdict, gaps = virtual_time.run(kept(world, order, has_feed_at_last=False))
    counts = verdict.counts
    assert (counts.duplicated, counts.unexpected) == (0, 0), (counts, verdict.faults)
    assert counts.lost == 0 or [gap for gap in gaps if gap.state is not GapState.REPAIRED]
