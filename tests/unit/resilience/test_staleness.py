from datetime import datetime, timedelta
from typing import Any

import pytest

from longstop.domain.cricket import PlayState
from longstop.domain.match import MatchStatus
from longstop.resilience.staleness import (
    Staleness,
    StalenessLimits,
    capture_age_seconds,
    find,
    stall_seconds,
)
from tests.cricket import NOON
from tests.patient import view

LIMITS = StalenessLimits()
BREAKS = [play for play in PlayState if play is not PlayState.PLAY]

pytestmark = pytest.mark.req("B3", "C6")


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def kind(seconds: float, **known: Any) -> Staleness | None:
    found = find(view(**known), at(seconds), LIMITS)
    return found.kind if found else None


def test_a_match_in_play_that_shows_the_same_for_five_minutes_is_frozen_although_polls_succeed() -> None:
    assert kind(299.0, captured_at=at(298.0)) is None
    assert kind(300.0, captured_at=at(299.0)) is Staleness.FROZEN


@pytest.mark.parametrize("play", [*BREAKS, None], ids=str)
def test_a_match_that_is_not_in_play_by_the_sources_word_may_show_the_same_for_ever(play: PlayState | None) -> None:
    assert kind(90_000.0, play=play, captured_at=at(89_998.0)) is None


@pytest.mark.parametrize("status", [status for status in MatchStatus if status is not MatchStatus.LIVE])
def test_a_match_that_is_not_live_is_never_stale(status: MatchStatus) -> None:
    assert kind(90_000.0, status=status) is None


def test_each_return_to_play_begins_the_count_anew() -> None:
    rain = {"changed_at": at(0.0), "in_play_since": at(1000.0)}
    assert kind(1299.0, captured_at=at(1298.0), **rain) is None
    assert kind(1300.0, captured_at=at(1299.0), **rain) is Staleness.FROZEN


@pytest.mark.parametrize("play", [PlayState.PLAY, PlayState.STUMPS, None], ids=str)
def test_a_live_match_without_a_good_capture_is_overdue_after_two_minutes_and_unseen_after_five(
    play: PlayState | None,
) -> None:
    assert kind(119.0, play=play) is None
    assert kind(120.0, play=play) is Staleness.OVERDUE
    assert kind(300.0, play=play) is Staleness.UNSEEN


def test_a_match_that_was_never_captured_counts_from_when_it_was_first_watched() -> None:
    assert kind(120.0, captured_at=None, changed_at=None, play=None) is Staleness.OVERDUE
    assert kind(160.0, captured_at=None, changed_at=None, watched_since=at(100.0)) is None


def test_what_an_earlier_process_captured_long_ago_does_not_count_against_this_one() -> None:
    assert kind(7205.0, captured_at=at(0.0), changed_at=at(0.0), watched_since=at(7200.0)) is None


@pytest.mark.parametrize("rest", ["paused_until", "throttled_until"])
def test_a_match_that_rests_is_not_late_and_its_time_begins_again_after_the_rest(rest: str) -> None:
    assert kind(500.0, **{rest: at(600.0)}) is None
    assert kind(719.0, **{rest: at(600.0)}) is None
    assert kind(720.0, **{rest: at(600.0)}) is Staleness.OVERDUE


def test_an_age_below_zero_is_not_hidden() -> None:
    assert capture_age_seconds(view(captured_at=at(30.0)), NOON) == -30.0


def test_a_stall_is_the_time_since_any_good_poll_while_something_is_live_and_due() -> None:
    broken, well = view("crex_A"), view("crex_B", captured_at=at(80.0))
    assert stall_seconds([broken, well], at(100.0)) == 20.0
    assert stall_seconds([broken], at(100.0)) == 100.0
    assert stall_seconds([], at(100.0)) == 0.0


def test_a_stall_does_not_count_time_in_which_nothing_was_to_be_polled() -> None:
    resting = view(throttled_until=at(1000.0))
    assert stall_seconds([resting], at(999.0)) == 0.0
    assert stall_seconds([resting], at(1060.0)) == 60.0
    assert stall_seconds([view(status=MatchStatus.UPCOMING)], at(9000.0)) == 0.0
