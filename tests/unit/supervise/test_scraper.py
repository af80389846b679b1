import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from longstop.domain.errors import MatchGoneError, SourceFailingError, SourceThrottledError
from longstop.domain.match import MatchListing, MatchStatus
from longstop.ledger.match_ledger import LedgerLimits
from longstop.observe import signals
from longstop.pipeline import Outcome, OutcomeKind
from longstop.resilience.pace import PaceLimits
from longstop.store.contract import LedgerPage
from longstop.supervise.scraper import GONE_SECONDS, Scraper
from longstop.supervise.service import Stop
from longstop.watch import Watch
from tests.cricket import NOON, REF
from tests.virtual import Heard, noon_clock, on_virtual_time

CLOCK = noon_clock()
LIMITS = PaceLimits()
UPDATED = Outcome(OutcomeKind.UPDATED)
UNCHANGED = Outcome(OutcomeKind.UNCHANGED)
GONE = Outcome(OutcomeKind.GONE, error=MatchGoneError("Gone."))
FAILED = Outcome(OutcomeKind.FAILED, error=SourceFailingError("It broke."))
HELD = Outcome(OutcomeKind.HELD, reasons=("older",))


def throttled(seconds: float) -> Outcome:
    return Outcome(OutcomeKind.THROTTLED, error=SourceThrottledError("Slow.", retry_after_seconds=seconds))


class Script:
    """Stands in for the pipeline: says what it is told to, as slowly as it is told to."""

    def __init__(self, outcome: Callable[[int], Outcome], seconds: float = 0.0) -> None:
        self.polled_at: list[float] = []
        self.concluded = 0
        self._outcome = outcome
        self._seconds = seconds

    async def poll(self, watch: Watch) -> Outcome:
        self.polled_at.append(CLOCK.monotonic())
        await CLOCK.sleep(self._seconds)
        outcome = self._outcome(len(self.polled_at))
        watch.polled(outcome.is_success, CLOCK.now())
        return outcome

    async def conclude(self, watch: Watch) -> None:
        self.concluded += 1


class Run:
    """One scraper that has polled before, so that it begins at once."""

    def __init__(self, script: Script, status: MatchStatus = MatchStatus.LIVE, has_polled: bool = True) -> None:
        self.heard = Heard()
        self.script = script
        self.watch = Watch(MatchListing(REF, "A v B", ("CD", "EF"), status), "scraper-1", NOON, LedgerLimits())
        self.watch.captured_at = NOON if has_polled else None
        self.stop = Stop(CLOCK)
        pipeline: Any = script
        self.scraper = Scraper(self.watch, pipeline, LIMITS, CLOCK, self.heard.bus)

    async def for_seconds(self, seconds: float) -> list[float]:
        task = asyncio.create_task(self.scraper.run(self.stop))
        await asyncio.wait([task], timeout=seconds)
        self.stop.ask("the test is over")
        await task
        return self.script.polled_at


@pytest.mark.req("A1")
@on_virtual_time
async def test_the_beat_of_two_and_a_half_seconds_does_not_drift() -> None:
    polled = await Run(Script(lambda _: UPDATED, seconds=0.7)).for_seconds(3600.0)
    assert polled == pytest.approx([number * 2.5 for number in range(1440)])


@on_virtual_time
async def test_a_poll_that_takes_too_long_is_followed_at_once_and_by_no_burst() -> None:
    def outcome(number: int) -> Outcome:
        run.script._seconds = 6.0 if number == 2 else 0.1
        return UPDATED

    run = Run(Script(outcome, seconds=0.1))
    polled = await run.for_seconds(20.0)
    assert polled[:5] == pytest.approx([0.0, 2.5, 5.0, 11.0, 13.5])


@pytest.mark.req("B3")
@pytest.mark.parametrize(
    "outcome", [FAILED, HELD, Outcome(OutcomeKind.NOT_STORED)], ids=lambda outcome: outcome.kind.value
)
@on_virtual_time
async def test_a_poll_that_brings_nothing_is_tried_again_at_the_beat(outcome: Outcome) -> None:
    polled = await Run(Script(lambda _: outcome)).for_seconds(20.0)
    assert polled == pytest.approx([number * 2.5 for number in range(9)][: len(polled)])
    assert len(polled) >= 8


@pytest.mark.req("B1")
@on_virtual_time
async def test_a_throttled_match_pauses_as_long_as_the_source_asked_from_its_answer_on() -> None:
    script = Script(lambda number: throttled(30.0) if number == 1 else UPDATED, seconds=1.0)
    polled = await Run(script).for_seconds(40.0)
    assert polled[:3] == pytest.approx([0.0, 31.0, 33.5])


@on_virtual_time
async def test_a_short_wish_does_not_make_us_faster_than_the_beat() -> None:
    polled = await Run(Script(lambda _: throttled(0.1))).for_seconds(10.1)
    assert polled == pytest.approx([0.0, 2.5, 5.0, 7.5, 10.0])


@on_virtual_time
async def test_a_match_that_has_not_begun_is_looked_at_rarely() -> None:
    polled = await Run(Script(lambda _: UPDATED), MatchStatus.UPCOMING).for_seconds(100.0)
    assert polled == pytest.approx([0.0, 30.0, 60.0, 90.0])


@pytest.mark.req("A5")
@on_virtual_time
async def test_a_match_that_is_over_and_whole_is_looked_at_every_five_minutes() -> None:
    run = Run(Script(lambda _: UNCHANGED), MatchStatus.COMPLETED)
    run.watch.resume_from(LedgerPage((), (), (), 0, None))
    assert await run.for_seconds(1000.0) == pytest.approx([0.0, 300.0, 600.0, 900.0])


@on_virtual_time
async def test_a_match_that_is_over_but_fails_is_asked_again_soon() -> None:
    run = Run(Script(lambda number: FAILED if number == 1 else UNCHANGED), MatchStatus.COMPLETED)
    run.watch.resume_from(LedgerPage((), (), (), 0, None))
    assert await run.for_seconds(100.0) == pytest.approx([0.0, 2.5])


@pytest.mark.req("A5")
@on_virtual_time
async def test_a_match_that_stays_gone_for_ten_minutes_is_concluded_once() -> None:
    run = Run(Script(lambda _: GONE))
    polled = await run.for_seconds(3600.0)
    assert polled[-1] == pytest.approx(GONE_SECONDS, abs=10.0)
    assert len(polled) < 80
    assert run.script.concluded == 1
    assert [told.reason for told in run.heard.of(signals.ScraperStopped)] == ["gone"]


@on_virtual_time
async def test_a_match_that_is_away_for_some_minutes_goes_on() -> None:
    run = Run(Script(lambda number: UPDATED if number % 40 == 0 else GONE))
    polled = await run.for_seconds(3600.0)
    assert len(polled) > 400
    assert run.script.concluded == 0
    assert [told.reason for told in run.heard.of(signals.ScraperStopped)] == ["stopped"]


@pytest.mark.req("B11")
@on_virtual_time
async def test_a_stop_ends_the_pause_at_once() -> None:
    run = Run(Script(lambda _: throttled(3000.0)))
    asyncio.get_running_loop().call_later(5.0, run.stop.ask, "over")
    await run.scraper.run(run.stop)
    assert CLOCK.monotonic() == pytest.approx(5.0)


@pytest.mark.req("B11")
@on_virtual_time
async def test_a_stop_lets_the_poll_under_way_finish() -> None:
    run = Run(Script(lambda _: UPDATED, seconds=4.0))
    asyncio.get_running_loop().call_later(1.0, run.stop.ask, "over")
    await run.scraper.run(run.stop)
    assert CLOCK.monotonic() == pytest.approx(4.0)
    assert len(run.script.polled_at) == 1


@on_virtual_time
async def test_the_start_and_the_stop_are_told_with_what_a_reader_needs() -> None:
    run = Run(Script(lambda _: UPDATED))
    await run.for_seconds(5.0)
    (started,) = run.heard.of(signals.ScraperStarted)
    assert (started.match_id, started.scraper_id, started.source) == (REF.match_id, "scraper-1", "crex")
    assert (started.url, started.interval_seconds) == (REF.url, 2.5)
    (stopped,) = run.heard.of(signals.ScraperStopped)
    assert (stopped.match_id, stopped.reason) == (REF.match_id, "stopped")


@on_virtual_time
async def test_the_first_poll_of_a_new_match_is_spread_over_one_beat() -> None:
    polled = await Run(Script(lambda _: UPDATED), has_polled=False).for_seconds(20.0)
    assert 0.0 < polled[0] < 2.5
    assert polled[1] - polled[0] == pytest.approx(2.5)


@on_virtual_time
async def test_a_match_that_goes_on_after_a_restart_does_not_wait() -> None:
    assert (await Run(Script(lambda _: UPDATED)).for_seconds(1.0))[0] == 0.0


@on_virtual_time
async def test_a_fault_of_ours_comes_out_for_supervision() -> None:
    def outcome(_: int) -> Outcome:
        raise KeyError("ours")

    run = Run(Script(outcome))
    with pytest.raises(KeyError):
        await run.scraper.run(run.stop)
