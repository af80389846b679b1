"""Turns however they end: the others never notice."""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import pairwise

import pytest

from longstop.domain.match import MatchPriority
from longstop.supervise.scheduler import UNWIND_SECONDS, Scheduler, SchedulerLimits, TurnOverdueError
from longstop.supervise.service import Stop
from longstop.virtual_time import VirtualTimeLoop
from tests.virtual import noon_clock, on_virtual_time

CLOCK = noon_clock()
BEAT = 2.5


class Match:
    """Takes its turns at a beat; `during` is what else happens in one."""

    def __init__(
        self,
        key: str,
        during: Callable[[], Awaitable[object]] | None = None,
        source: str = "crex",
        priority: MatchPriority = MatchPriority.LIVE,
    ) -> None:
        self.key = key
        self.source = source
        self.priority = priority
        self.began_at: list[float] = []
        self.failures: list[BaseException] = []
        self._during = during
        self._due = 0.0

    async def take(self) -> float | None:
        self.began_at.append(CLOCK.monotonic())
        if self._during is not None:
            await self._during()
        self._due = max(self._due + BEAT, CLOCK.monotonic())
        return self._due

    def fail(self, failure: BaseException) -> float | None:
        self.failures.append(failure)
        return CLOCK.monotonic() + BEAT

    @property
    def gap_max(self) -> float:
        return max(later - sooner for sooner, later in pairwise(self.began_at))


async def lived(scheduler: Scheduler, seconds: float, *matches: Match) -> None:
    stop = Stop(CLOCK)
    for match in matches:
        scheduler.add(match, CLOCK.monotonic())
    task = asyncio.create_task(scheduler.run(stop))
    await CLOCK.sleep(seconds)
    stop.ask("enough")
    await task


async def for_ever() -> None:
    await asyncio.Event().wait()


async def stubborn() -> None:
    """Swallows every cancellation for an hour."""
    until = CLOCK.monotonic() + 3600.0
    while CLOCK.monotonic() < until:
        try:
            await CLOCK.sleep(until - CLOCK.monotonic())
        except asyncio.CancelledError:
            continue


async def raises() -> None:
    raise KeyError("ours")


async def cancels_itself() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await CLOCK.sleep(1.0)


@pytest.mark.req("B3")
@pytest.mark.parametrize("harm", [for_ever, stubborn, raises, cancels_itself], ids=lambda harm: harm.__name__)
@on_virtual_time
async def test_a_match_that_fails_in_its_way_leaves_the_others_beat_untouched(
    harm: Callable[[], Awaitable[None]],
) -> None:
    sick, well = Match("sick", harm), [Match(f"well {number}") for number in range(16)]
    scheduler = Scheduler(CLOCK, SchedulerLimits(concurrency=8, turn_seconds=45.0))
    scheduler.set_places("crex", 4)
    await lived(scheduler, 300.0, sick, *well)
    assert max(match.gap_max for match in well) <= BEAT + 0.01
    assert len(sick.failures) >= 4
    assert len(sick.began_at) >= 4


@on_virtual_time
async def test_a_turn_that_hangs_is_cancelled_at_its_deadline() -> None:
    sick = Match("sick", for_ever)
    await lived(Scheduler(CLOCK, SchedulerLimits(turn_seconds=45.0)), 50.0, sick)
    failure = sick.failures[0]
    assert isinstance(failure, TurnOverdueError)
    assert str(failure) == "no end after 45 s"


@on_virtual_time
async def test_a_turn_that_stood_still_with_the_whole_process_is_given_the_time_to_end() -> None:
    async def frozen() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        loop.call_later(1.0, loop.skip, 90.0)
        await for_ever()

    sick = Match("sick", frozen)
    scheduler = Scheduler(CLOCK, SchedulerLimits(turn_seconds=45.0))
    await lived(scheduler, 92.0, sick)
    assert str(sick.failures[0]) == "no end after 45 s"
    assert scheduler.progress().hanging == 0


@on_virtual_time
async def test_a_turn_that_does_not_even_end_when_cancelled_gives_its_place_to_the_next() -> None:
    sick = Match("sick", stubborn)
    scheduler = Scheduler(CLOCK, SchedulerLimits(concurrency=1, turn_seconds=45.0))
    well = Match("well")
    stop = Stop(CLOCK)
    scheduler.add(sick, 0.0)
    task = asyncio.create_task(scheduler.run(stop))
    await CLOCK.sleep(1.0)
    scheduler.add(well, CLOCK.monotonic())
    await CLOCK.sleep(45.0 + UNWIND_SECONDS)
    assert (scheduler.progress().hanging, len(well.began_at) > 0) == (1, True)
    scheduler.remove("sick")
    await CLOCK.sleep(3600.0)
    assert scheduler.progress().hanging == 0
    stop.ask("enough")
    await task


@pytest.mark.req("A1")
@on_virtual_time
async def test_a_thousand_matches_keep_their_beat_without_drift_or_bunching() -> None:
    matches = [Match(f"m{number}", lambda: CLOCK.sleep(0.02)) for number in range(1000)]
    scheduler = Scheduler(CLOCK, SchedulerLimits(concurrency=256))
    for number, match in enumerate(matches):
        match._due = number / 1000 * BEAT
        scheduler.add(match, match._due)
    await lived(scheduler, 60.0)
    assert max(match.gap_max for match in matches) <= BEAT + 0.02
    assert {len(match.began_at) for match in matches} <= {24, 25}
    last = sorted(match.began_at[-1] for match in matches)
    assert max(later - sooner for sooner, later in pairwise(last)) < 0.05


@pytest.mark.req("A6")
@on_virtual_time
async def test_when_places_are_short_the_live_matches_get_them() -> None:
    def slow() -> Awaitable[object]:
        return CLOCK.sleep(1.0)

    live = [Match(f"live {number}", slow) for number in range(2)]
    over = [Match(f"over {number}", slow, priority=MatchPriority.COMPLETED) for number in range(4)]
    await lived(Scheduler(CLOCK, SchedulerLimits(concurrency=1)), 60.0, *over, *live)
    assert min(len(match.began_at) for match in live) >= 20
    assert sum(len(match.began_at) for match in over) >= 5


@on_virtual_time
async def test_a_source_gets_no_more_places_than_it_has() -> None:
    under_way, most = [0], [0]

    async def counted() -> None:
        under_way[0] += 1
        most[0] = max(most[0], under_way[0])
        await CLOCK.sleep(1.0)
        under_way[0] -= 1

    scheduler = Scheduler(CLOCK)
    scheduler.set_places("crex", 3)
    other = Match("other", source="espn")
    await lived(scheduler, 30.0, *(Match(f"m{number}", counted) for number in range(10)), other)
    assert most[0] == 3
    assert other.gap_max <= BEAT + 0.01


@on_virtual_time
async def test_a_match_that_was_removed_during_its_turn_does_not_come_back() -> None:
    scheduler = Scheduler(CLOCK)
    match = Match("A", lambda: CLOCK.sleep(1.0))
    asyncio.get_running_loop().call_later(0.5, scheduler.remove, "A")
    await lived(scheduler, 30.0, match)
    assert len(match.began_at) == 1


@on_virtual_time
async def test_a_turn_that_was_cancelled_on_purpose_is_no_failure() -> None:
    scheduler = Scheduler(CLOCK)
    match = Match("A", for_ever)
    asyncio.get_running_loop().call_later(0.5, scheduler.cancel, "A")
    await lived(scheduler, 10.0, match)
    assert match.failures == []
    assert scheduler.progress().running == 0


@pytest.mark.req("B11")
@on_virtual_time
async def test_what_is_under_way_when_everything_is_cancelled_is_cancelled_and_named() -> None:
    scheduler = Scheduler(CLOCK)
    scheduler.add(Match("A", for_ever), 0.0)
    stop = Stop(CLOCK)
    task = asyncio.create_task(scheduler.run(stop))
    await CLOCK.sleep(1.0)
    stop.ask("enough")
    await CLOCK.sleep(1.0)
    task.cancel()
    await asyncio.wait([task])
    assert scheduler.late == ("scraper A",)


@on_virtual_time
async def test_progress_tells_what_was_begun_and_what_waits() -> None:
    scheduler = Scheduler(CLOCK, SchedulerLimits(concurrency=1))
    stop = Stop(CLOCK)
    scheduler.add(Match("A", for_ever), 0.0)
    scheduler.add(Match("B"), 0.0)
    task = asyncio.create_task(scheduler.run(stop))
    await CLOCK.sleep(10.0)
    progress = scheduler.progress()
    assert (progress.begun, progress.finished, progress.running) == (1, 0, 1)
    assert progress.waiting[MatchPriority.LIVE] == 1
    assert progress.oldest_wait_seconds == pytest.approx(10.0)
    stop.ask("enough")
    task.cancel()
    await asyncio.wait([task])
