"""Any boards of a match, some of them dropped, repeated or reordered, end in the same ledger or in recorded gaps."""

import asyncio
import zlib
from functools import cache
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longstop import virtual_time
from longstop.clock import LoopClock
from longstop.domain.events import Gap, GapState
from longstop.domain.match import MatchListing, MatchRef, MatchStatus
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.ledger.match_ledger import LedgerLimits
from longstop.observe.signals import Signals
from longstop.pipeline import Pipeline
from longstop.serve.account import account_of
from longstop.sources.registry import create
from longstop.store.sqlite import SqliteStore
from longstop.watch import Watch
from longstop_origin.cricsheet import load_cricsheet
from longstop_origin.exchange import Reply, Request
from longstop_origin.fixture import Fixture
from longstop_origin.judging import Account, Verdict, judge
from longstop_origin.oracle import CanonicalBall, truth_of
from longstop_origin.replay.fetcher import BASE_URL, WorldFetcher
from longstop_origin.replay.run import EPOCH
from longstop_origin.site import Site
from longstop_origin.storm.poison import without_overs
from longstop_origin.world import World, WorldOptions
from tests.simulation.test_replay import SMALL

SPEED = 60.0
BOARDS = 40
LAST_LOOKS = 8
SUMMED = ("runs_batter", "wides", "noballs", "byes", "legbyes", "penalty")


@cache
def world(seed: int) -> World:
    options = WorldOptions(
        epoch=EPOCH.timestamp(), seed=seed, speed=SPEED, matches=1, rolling=False, join_in_progress=False,
        corrections="storm",
    )  # fmt: skip
    return World(options)


class Shown:
    """The site as it was at whatever moment is turned to; its feed may have lost some overs."""

    def __init__(self, place: World, lost: float) -> None:
        self.at = EPOCH.timestamp()
        self._site = Site(place)
        self._lost = lost

    def is_lost(self, innings: int, over: int) -> bool:
        return zlib.crc32(f"{innings}:{over}".encode()) / 2**32 < self._lost

    def respond(self, request: Request, _: float) -> Reply:
        reply = self._site.respond(request, self.at)
        if "getBallFeeds" in request.path and reply.status == 200 and self._lost:
            return msgspec.structs.replace(reply, body=without_overs(reply.body, self.is_lost))
        return reply


Over = tuple[int, int]


class Ended(msgspec.Struct, frozen=True):
    """Overs with a ball that is not kept (`missing`), or not as it was shown last (`stale`), so that a sum shows it
    (`uneven`)."""

    verdict: Verdict
    missing: set[Over]
    stale: set[Over]
    uneven: set[Over]
    gaps: list[Gap]


async def played(place: World, moments: list[float], lost: float) -> Ended:
    fixture = place.listed(EPOCH.timestamp())[0]
    clock, shown = LoopClock(EPOCH), Shown(place, lost)
    store = SqliteStore(None, clock=clock)
    await store.open()
    source = create("crex", BASE_URL)
    pipeline = Pipeline(source, _Aged(shown, clock), store, clock, Signals())
    ref = MatchRef("crex", fixture.key, f"{BASE_URL}/{fixture.key}")
    watch = Watch(MatchListing(ref, "", ("", ""), MatchStatus.LIVE), "one", clock.now(), LedgerLimits())
    for moment in [*moments, *[max(moments)] * LAST_LOOKS]:
        shown.at = EPOCH.timestamp() + moment
        await pipeline.poll(watch)
        await pipeline.record_overdue(watch)
        await clock.sleep(2.5)
    ended = await _ended(store, fixture, EPOCH.timestamp() + max(moments))
    await store.close()
    return ended


class _Aged(WorldFetcher):
    async def fetch(self, request: FetchRequest) -> Snapshot:
        await asyncio.sleep(0.01)
        return await super().fetch(request)


async def _ended(store: SqliteStore, fixture: Fixture, at: float) -> Ended:
    match_id = f"crex_{fixture.key}"
    account = await account_of(store, match_id)
    kept = {(ball["innings"], ball["over"], ball["position"]): ball for ball in account["balls"]}
    missing, stale, uneven = set[Over](), set[Over](), set[Over]()
    for true in truth_of(fixture, at).balls:
        ball = kept.get((true.key.innings, true.key.over, true.key.position))
        if ball is None:
            missing.add((true.key.innings, true.key.over))
        elif msgspec.convert(ball, CanonicalBall) != true:
            stale.add((true.key.innings, true.key.over))
            if any(ball[name] != getattr(true, name) for name in SUMMED) or len(ball["wickets"]) != len(true.wickets):
                uneven.add((true.key.innings, true.key.over))
    gaps = [gap for gap in await store.gaps(match_id) if gap.state is not GapState.REPAIRED]
    verdict = judge(fixture, at, msgspec.convert(account, Account))
    return Ended(verdict, missing, stale, uneven, gaps)


def disturbed(chance: Random, end: float) -> list[float]:
    """Boards in order, of which some are dropped, some come again, and some in another order."""
    moments = [end * number / BOARDS for number in range(1, BOARDS + 1)]
    shown = [moment for moment in moments for _ in range(chance.choice((0, 1, 1, 1, 2)))] or moments
    for _ in range(chance.randrange(8)):
        here, there = chance.randrange(len(shown)), chance.randrange(len(shown))
        shown[here], shown[there] = shown[there], shown[here]
    return shown


def check(place: World, order: int, lost: float, share: float) -> None:
    """A correction within an over that the feed has lost is shown by sums at most, if it changes any."""
    fixture = place.listed(EPOCH.timestamp())[0]
    end = share * (fixture.ends_at - EPOCH.timestamp())
    ended = virtual_time.run(played(place, disturbed(Random(order), end), lost))
    counts = ended.verdict.counts
    assert (counts.duplicated, counts.unexpected, ended.verdict.faults) == (0, 0, [])
    told = {(gap.innings, over) for gap in ended.gaps for over in range(gap.first_over, gap.last_over + 1)}
    shown = Shown(place, lost)
    assert ended.missing | ended.uneven <= told
    assert all(shown.is_lost(*over) for over in ended.missing | ended.stale)


ORDERS, SHARES = st.integers(0, 10**6), st.floats(0.05, 1.05)
LOST = st.sampled_from([0.0, 0.0, 0.1, 0.4, 1.0])


@pytest.mark.req("C1", "C2", "C7")
@given(st.integers(1, 6), ORDERS, LOST, SHARES)
@settings(max_examples=40, deadline=None)
def test_scoreboards_in_any_order_end_in_the_same_ledger_or_in_recorded_gaps(
    seed: int, order: int, lost: float, share: float
) -> None:
    check(world(seed), order, lost, share)


@cache
def real_world(path: Path) -> World:
    return World.from_scripts([load_cricsheet(path)], epoch=EPOCH.timestamp(), speed=SPEED, corrections="storm")


@pytest.mark.req("C1", "C2", "C7")
@given(name=st.sampled_from(SMALL), order=ORDERS, lost=LOST, share=SHARES)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_so_do_those_of_real_matches(shared_data: Path, name: str, order: int, lost: float, share: float) -> None:
    check(real_world(shared_data / "cricsheet" / name), order, lost, share)
