"""One match, whoever scrapes it: failures of ours, replacements, rests."""

from itertools import pairwise

import pytest

from longstop.observe import signals
from longstop.pipeline import Outcome
from longstop.watch import Watch
from tests.cricket import REF
from tests.scraping import CLOCK, FAILED, UPDATED, Run, Script
from tests.virtual import on_virtual_time

# However an attempt fails.


@pytest.mark.req("B3")
@on_virtual_time
async def test_a_fault_of_ours_gives_the_match_a_new_scraper() -> None:
    def outcome(number: int) -> Outcome:
        if number == 2:
            raise KeyError("ours")
        return UPDATED

    run = Run(Script(outcome))
    polled = await run.for_seconds(20.0)
    assert run.script.polled_by[:3] == ["scraper-1", "scraper-1", "scraper-2"]
    assert polled[2] - polled[1] == pytest.approx(0.5)
    (error,) = run.heard.of(signals.ErrorRaised)
    assert (error.severity, error.match_id) == ("ERROR", REF.match_id)
    assert "KeyError" in (error.stack_trace or "")


@pytest.mark.req("B3")
@on_virtual_time
async def test_a_match_that_restarts_cannot_help_rests_and_begins_afresh() -> None:
    def outcome(number: int) -> Outcome:
        if number <= 6:
            raise KeyError("ours")
        return UPDATED

    run = Run(Script(outcome))
    polled = await run.for_seconds(400.0)
    (paused,) = run.heard.of(signals.MatchPaused)
    assert paused.reason == "restarts did not help: 'ours'"
    assert polled[6] - polled[5] > 300.0
    assert len(polled) > 15
    assert [error.severity for error in run.heard.of(signals.ErrorRaised)] == ["ERROR"] * 6 + ["CRITICAL"]


@pytest.mark.req("A6", "B2", "B3")
@on_virtual_time
async def test_a_match_that_hangs_five_times_in_a_row_is_paused_like_one_that_fails() -> None:
    run = Run(Script(lambda _: UPDATED, seconds=1000.0))
    polled = await run.for_seconds(560.0)
    turn = run.scheduler.limits.turn_seconds
    assert len(polled) == 6
    assert [later - sooner for sooner, later in pairwise(polled[:5])] == pytest.approx([turn + 0.5] * 4)
    (paused,) = run.heard.of(signals.MatchPaused)
    assert paused.seconds == 300.0
    assert polled[5] - polled[4] > 300.0
    assert run.script.steps == ["failed_too_often"]
    assert [told.attempts for told in run.heard.of(signals.TaskAbandoned)] == [3, 2]


@pytest.mark.req("B3")
@on_virtual_time
async def test_faults_of_ours_that_come_too_slowly_for_the_budget_are_a_reason_to_rest_too() -> None:
    def outcome(_: int) -> Outcome:
        raise KeyError("ours")

    run = Run(Script(outcome, seconds=20.0))
    polled = await run.for_seconds(400.0)
    assert len(polled) == 6
    assert len(run.heard.of(signals.MatchPaused)) == 1


@pytest.mark.req("B3")
@on_virtual_time
async def test_hangs_with_a_good_poll_between_them_pause_nobody() -> None:
    class Halting(Script):
        async def poll(self, watch: Watch) -> Outcome:
            self._seconds = 1000.0 if len(self.polled_at) % 4 else 0.0
            return await super().poll(watch)

    run = Run(Halting(lambda _: UPDATED))
    await run.for_seconds(1000.0)
    assert len(run.heard.of(signals.ServiceRestarted)) > 10
    assert run.heard.of(signals.MatchPaused) == []


# Make before break.


@pytest.mark.req("B5")
@on_virtual_time
async def test_a_replacement_serves_before_its_predecessor_leaves() -> None:
    run = Run(Script(lambda _: UPDATED))
    task = run.begin()
    await CLOCK.sleep(11.0)
    assert run.assignment.replace("six hours old")
    assert not run.assignment.replace("once more")
    await CLOCK.sleep(9.0)
    run.stop.ask("the test is over")
    await task
    (replaced,) = run.heard.of(signals.ScraperReplaced)
    assert (replaced.before, replaced.after, replaced.reason) == ("scraper-1", "scraper-2", "six hours old")
    assert replaced.gap_seconds <= 2.6
    assert [told.scraper_id for told in run.heard.of(signals.ScraperStopped)] == ["scraper-1"]
    gaps = [later - sooner for sooner, later in pairwise(run.script.polled_at)]
    assert max(gaps) <= 2.5 + 1e-6


@pytest.mark.req("B5")
@on_virtual_time
async def test_a_successor_that_does_not_deliver_leaves_its_predecessor_in_place() -> None:
    run = Run(Script(lambda _: FAILED if run.script.polled_by[-1] == "scraper-2" else UPDATED))
    task = run.begin()
    await CLOCK.sleep(11.0)
    run.assignment.replace("too large")
    await CLOCK.sleep(20.0)
    run.stop.ask("the test is over")
    await task
    (failed,) = run.heard.of(signals.ReplacementFailed)
    assert failed.attempts == 3
    assert run.heard.of(signals.ScraperReplaced) == []
    assert run.script.polled_by[-1] == "scraper-1"
    assert run.heard.of(signals.MatchPaused) == []
