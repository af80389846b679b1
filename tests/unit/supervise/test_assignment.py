"""One match, whoever scrapes it: failures of ours, replacements, rests."""

from itertools import pairwise

import pytest

from longstop.observe import signals
from longstop.pipeline import Outcome
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
