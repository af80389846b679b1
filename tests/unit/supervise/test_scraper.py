"""When a match is looked at again, and what an attempt was worth."""

import asyncio
from itertools import pairwise

import pytest

from longstop.domain.match import MatchStatus
from longstop.observe import signals
from longstop.pipeline import Outcome, OutcomeKind
from longstop.store.contract import LedgerPage
from longstop.supervise.scheduler import SchedulerLimits
from longstop.supervise.scraper import GONE_SECONDS
from tests.cricket import NOON, REF
from tests.scraping import (
    CHANGED,
    CLOCK,
    FAILED,
    GONE,
    HELD,
    UNCHANGED,
    UNREADABLE,
    UPDATED,
    Run,
    Script,
    in_play,
    throttled,
)
from tests.virtual import on_virtual_time


@pytest.mark.req("A1")
@on_virtual_time
async def test_the_beat_of_two_and_a_half_seconds_does_not_drift() -> None:
    polled = await Run(Script(in_play, seconds=0.7)).for_seconds(3600.0)
    assert polled == pytest.approx([number * 2.5 for number in range(1440)])


@on_virtual_time
async def test_a_poll_that_takes_too_long_is_followed_at_once_and_by_no_burst() -> None:
    def outcome(number: int) -> Outcome:
        run.script._seconds = 6.0 if number == 2 else 0.1
        return UPDATED

    run = Run(Script(outcome, seconds=0.1))
    polled = await run.for_seconds(20.0)
    assert polled[:5] == pytest.approx([0.0, 2.5, 5.0, 11.0, 13.5])


@pytest.mark.req("A1")
@on_virtual_time
async def test_a_poll_that_was_held_up_for_long_goes_back_to_its_place_in_the_beat() -> None:
    def outcome(number: int) -> Outcome:
        run.script._seconds = 21.0 if number == 2 else 0.1
        return UPDATED

    run = Run(Script(outcome, seconds=0.1))
    polled = await run.for_seconds(35.0)
    assert polled[:5] == pytest.approx([0.0, 2.5, 5.0, 27.5, 30.0])


@pytest.mark.req("A1")
@on_virtual_time
async def test_a_match_that_comes_late_to_its_turn_keeps_its_place_in_the_beat() -> None:
    run = Run(Script(in_play, seconds=0.1))
    run.scheduler.limits = SchedulerLimits(concurrency=0)
    asyncio.get_running_loop().call_later(9.0, setattr, run.scheduler, "limits", SchedulerLimits())
    asyncio.get_running_loop().call_later(9.0, run.scheduler._news.ring)
    polled = await run.for_seconds(20.0)
    assert polled[:4] == pytest.approx([9.0, 10.0, 12.5, 15.0])


@pytest.mark.parametrize("outcome", [HELD, Outcome(OutcomeKind.NOT_STORED)], ids=lambda outcome: outcome.kind.value)
@on_virtual_time
async def test_a_poll_that_brings_nothing_for_no_fault_of_its_way_is_tried_again_soon(outcome: Outcome) -> None:
    polled = await Run(Script(lambda _: outcome)).for_seconds(60.0)
    assert max(later - sooner for sooner, later in pairwise(polled)) <= 8.0
    assert len(polled) >= 12


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
    polled = await run.for_seconds(100.0)
    assert len(polled) == 2
    assert 2.0 <= polled[1] <= 4.0


@pytest.mark.req("A5", "A6")
@pytest.mark.parametrize(("outcome", "polls"), [(FAILED, 40), (GONE, 9)], ids=["failing", "gone"])
@on_virtual_time
async def test_a_match_that_is_over_and_whole_is_asked_no_more_often_because_it_fails(
    outcome: Outcome, polls: int
) -> None:
    """Three attempts each five minutes, as S2 has them; and nobody pauses what is completed."""
    run = Run(Script(lambda _: outcome), MatchStatus.COMPLETED)
    run.watch.resume_from(LedgerPage((), (), (), 0, None))
    assert len(await run.for_seconds(3600.0)) <= polls
    assert run.heard.of(signals.MatchPaused) == []


@pytest.mark.req("B2", "B8")
@on_virtual_time
async def test_a_pause_is_kept_at_once_for_whoever_comes_after_a_kill() -> None:
    run = Run(Script(lambda _: UPDATED))
    task = run.begin()
    await CLOCK.sleep(10.0)
    await run.assignment.pause(3000.0, "asked for by an operator")
    (kept,) = run.script.saved
    assert kept.paused_until is not None
    assert (kept.paused_until - CLOCK.now()).total_seconds() == pytest.approx(3000.0)
    run.stop.ask("the test is over")
    await task


@pytest.mark.req("A5")
@on_virtual_time
async def test_a_match_that_stays_gone_for_ten_minutes_is_concluded_once() -> None:
    run = Run(Script(lambda _: GONE))
    polled = await run.for_seconds(3600.0)
    assert polled[-1] == pytest.approx(GONE_SECONDS, abs=10.0)
    assert len(polled) < 80
    assert run.script.concluded == 1
    assert [told.reason for told in run.heard.of(signals.ScraperStopped)] == ["gone"]
    assert run.gone == [REF.match_id]


@on_virtual_time
async def test_a_match_that_is_away_for_some_minutes_goes_on() -> None:
    run = Run(Script(lambda number: UPDATED if number % 40 == 0 else GONE))
    polled = await run.for_seconds(3600.0)
    assert len(polled) > 400
    assert run.script.concluded == 0
    assert run.heard.of(signals.ScraperStopped) == []


@pytest.mark.req("B11")
@on_virtual_time
async def test_a_stop_ends_the_pause_at_once() -> None:
    run = Run(Script(lambda _: throttled(3000.0)))
    asyncio.get_running_loop().call_later(5.0, run.stop.ask, "over")
    await run.begin()
    assert CLOCK.monotonic() == pytest.approx(5.0)


@pytest.mark.req("B11")
@on_virtual_time
async def test_a_stop_lets_the_poll_under_way_finish() -> None:
    run = Run(Script(lambda _: UPDATED, seconds=4.0))
    asyncio.get_running_loop().call_later(1.0, run.stop.ask, "over")
    await run.begin()
    assert CLOCK.monotonic() == pytest.approx(4.0)
    assert len(run.script.polled_at) == 1


@on_virtual_time
async def test_the_start_is_told_with_what_a_reader_needs() -> None:
    run = Run(Script(lambda _: UPDATED))
    await run.for_seconds(5.0)
    (started,) = run.heard.of(signals.ScraperStarted)
    assert (started.match_id, started.scraper_id, started.source) == (REF.match_id, "scraper-1", "crex")
    assert (started.url, started.interval_seconds) == (REF.url, 2.5)


@on_virtual_time
async def test_first_polls_are_spread_over_one_beat() -> None:
    run = Run(Script(lambda _: UPDATED))
    assert 0.0 < run.assignment.scraper.first_due() < 2.5


# Retries, as S2 has them.


@pytest.mark.req("A6")
@on_virtual_time
async def test_what_failed_is_tried_three_times_with_growing_and_jittered_pauses_then_abandoned() -> None:
    run = Run(Script(lambda _: FAILED), is_answering=False)
    polled = await run.for_seconds(13.0)
    second, third = polled[1] - polled[0], polled[2] - polled[1]
    assert 2.5 <= second <= 4.0
    assert 4.0 <= third <= 8.0
    (abandoned,) = run.heard.of(signals.TaskAbandoned)
    assert (abandoned.attempts, abandoned.error_type) == (3, "network")


@pytest.mark.req("B2")
@on_virtual_time
async def test_a_match_that_fails_five_times_rests_for_five_minutes_then_begins_afresh() -> None:
    run = Run(Script(lambda number: FAILED if number <= 5 else UPDATED))
    polled = await run.for_seconds(600.0)
    (paused,) = run.heard.of(signals.MatchPaused)
    assert paused.seconds == 300.0
    assert polled[5] - polled[4] == pytest.approx(300.0, abs=1.0)
    assert (run.reloads, run.script.begun_afresh) == (1, 1)
    assert run.script.polled_by[4:6] == ["scraper-1", "scraper-2"]
    assert run.script.steps == ["failed_too_often"]


@pytest.mark.req("B2")
@on_virtual_time
async def test_a_match_whose_source_answers_nobody_does_not_rest_and_is_back_at_once() -> None:
    run = Run(Script(lambda _: UPDATED if CLOCK.monotonic() > 120.0 else FAILED), is_answering=False)
    polled = await run.for_seconds(180.0)
    assert run.heard.of(signals.MatchPaused) == []
    assert min(moment for moment in polled if moment > 120.0) - 120.0 <= 21.0
    assert run.asked >= 1


@pytest.mark.req("B2")
@on_virtual_time
async def test_failures_while_the_source_was_away_do_not_count_when_it_is_back() -> None:
    run = Run(Script(lambda number: FAILED if CLOCK.monotonic() < 60.0 or number % 2 else UPDATED), is_answering=False)
    asyncio.get_running_loop().call_later(60.0, setattr, run, "is_answering", True)
    await run.for_seconds(300.0)
    assert run.heard.of(signals.MatchPaused) == []


@pytest.mark.req("B10")
@on_virtual_time
async def test_more_than_ten_payloads_in_a_row_that_cannot_be_read_are_critical_and_asked_for_every_five_minutes() -> (
    None
):
    run = Run(Script(lambda _: UNREADABLE))
    polled = await run.for_seconds(1000.0)
    (first, *_) = run.heard.of(signals.ErrorRaised)
    assert (first.severity, first.operation) == ("CRITICAL", "parse failures")
    assert first.context["evidence"] == ["error_pages/x.html"]
    assert "11 payloads in a row" in first.error_message
    assert polled[11] - polled[10] == pytest.approx(300.0, abs=1.0)
    assert run.asked == 0
    assert run.script.shut_for[0] == "11 payloads in a row could not be read"


# Pace, as S0 has it.


@pytest.mark.req("A3")
@on_virtual_time
async def test_errors_slow_the_pace_in_three_steps_and_calm_brings_it_back_after_five_minutes() -> None:
    run = Run(Script(lambda number: FAILED if number <= 24 else in_play(number)), is_answering=False)
    await run.for_seconds(1200.0)
    assert [seconds for seconds, _ in run.paces] == [5.0, 10.0, 20.0, 2.5]
    back = [told.at for told in run.heard.of(signals.PaceChanged)][-1]
    recovered = next(moment for number, moment in enumerate(run.script.polled_at) if number == 24)
    assert (back - NOON).total_seconds() - recovered == pytest.approx(300.0, abs=25.0)


@pytest.mark.req("A3")
@on_virtual_time
async def test_ten_looks_without_news_are_a_break_until_something_moves() -> None:
    run = Run(Script(lambda number: CHANGED if number == 15 else UNCHANGED))
    polled = await run.for_seconds(400.0)
    assert run.paces[0] == (30.0, "a break")
    assert polled[10] - polled[9] == pytest.approx(30.0)
    assert run.paces[1] == (2.5, "play")


@pytest.mark.req("A3")
@on_virtual_time
async def test_busy_play_is_polled_every_two_seconds() -> None:
    run = Run(Script(lambda number: CHANGED if number % 3 else UNCHANGED))
    polled = await run.for_seconds(60.0)
    assert run.paces[0] == (2.0, "busy play")
    assert polled[-1] - polled[-2] == pytest.approx(2.0)
