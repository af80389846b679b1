"""Days of football on virtual time, before the simulated site: what is due is captured, and nothing after kickoff."""

from itertools import pairwise
from typing import Any

import pytest

from benchmarks.football_days import EPOCH, Days, Scene, played
from longstop.observe.signals import captures as facts
from longstop_origin.football import weather

MATCHES, DAYS, HOURS = 16, 1, 26.0


def scene(**changes: Any) -> Scene:
    told: dict[str, Any] = {"matches": MATCHES, "days": DAYS, "hours": HOURS}
    return Scene(**told | changes)


def require_clean(days: Days) -> None:
    assert days.verdict.due >= MATCHES * 3 // 4, "the world owes a test of something"
    assert days.verdict.findings == ()
    assert (days.after_kickoff, days.doubled) == (0, 0)
    assert all(row.captured_at < row.kickoff_at for row in days.rows)


@pytest.mark.req("D2")
@pytest.mark.req("D9")
@pytest.mark.parametrize("seed", [7, 8, 9])
def test_every_line_up_that_came_out_is_captured_before_kickoff(seed: int) -> None:
    require_clean(played(scene(seed=seed)))


@pytest.mark.req("D9")
def test_a_process_that_ends_goes_on_where_it_stood_and_keeps_nothing_twice() -> None:
    days = played(scene(restarts=(9.5, 15.2, 17.0, 18.1)))
    require_clean(days)
    undisturbed = played(scene())
    assert {(row.match_id, row.side, row.snapshot) for row in days.rows} == {
        (row.match_id, row.side, row.snapshot) for row in undisturbed.rows
    }
    assert days.visits < 1.5 * undisturbed.visits, "a restart looks at no match that it need not look at"


@pytest.mark.req("B1")
@pytest.mark.req("D5")
def test_a_rough_sea_costs_attempts_and_no_line_up() -> None:
    days = played(scene(sky=weather.ROUGH))
    require_clean(days)
    assert days.attempts["soft_fail"] > 0
    assert days.success >= 0.95


@pytest.mark.req("D6")
def test_a_wave_of_bans_is_survived_by_other_exits() -> None:
    days = played(scene(banned_percent=40.0, ban_hours=(14.0, 20.0)))
    require_clean(days)
    assert days.success >= 0.95
    assert days.used_while_resting == 0


@pytest.mark.req("B2")
def test_a_source_that_is_down_gets_no_call_but_probes() -> None:
    down = (15.0, 19.0)
    began, ended = (EPOCH.timestamp() + hours * 3600 for hours in down)
    spell = weather.Spell(weather.DOWN, began, ended)
    days = played(scene(matches=60, sky=weather.Weather(spells=(spell,))))
    opened = [each for each in days.told if isinstance(each, facts.CircuitOpened)]
    attempts = [
        each
        for each in days.told
        if isinstance(each, facts.CaptureAttempted) and each.status in ("soft_fail", "hard_fail", "success")
    ]
    before = [each for each in attempts if began <= each.at.timestamp() and each.at <= opened[0].at]
    assert len(before) <= 30 + 4, "it opens within thirty attempts, and those that were under way"
    for earlier, later in pairwise(opened):
        between = [each for each in attempts if earlier.at < each.at <= later.at]
        assert 1 <= len(between) <= 3 + 3, "three probes, and at the first opening what was under way"
    for earlier, later in list(pairwise(opened))[1:]:
        assert len([each for each in attempts if earlier.at < each.at <= later.at]) <= 3
    assert [type(each) for each in days.told if isinstance(each, facts.CircuitClosed)] == [facts.CircuitClosed]
    closed = next(each for each in days.told if isinstance(each, facts.CircuitClosed))
    assert closed.at.timestamp() - ended < 16 * 60
    assert (days.after_kickoff, days.verdict.late, days.verdict.duplicated, days.verdict.wrong) == (0, 0, 0, 0)
