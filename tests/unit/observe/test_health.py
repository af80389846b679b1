"""The documents' rules, and a board that learns from signals alone."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from longstop.observe import signals as facts
from longstop.observe.health import Board
from longstop.observe.health_rules import Vitals, overall_health, scraper_health

NOON = datetime(2025, 11, 12, 12, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


@pytest.mark.req("G3")
@pytest.mark.parametrize(
    ("errors", "staleness", "health"),
    [
        (0, 0, "healthy"),
        (2, 120, "healthy"),
        (3, 0, "degraded"),
        (0, 120.1, "degraded"),
        (5, 300, "degraded"),
        (6, 0, "failing"),
        (0, 300.1, "failing"),
    ],
)
def test_a_scraper_is_judged_as_the_documents_say(errors: int, staleness: float, health: str) -> None:
    assert scraper_health(errors, staleness) == health


def vitals(**more: Any) -> Vitals:
    fields: dict[str, Any] = {
        "active": 5,
        "unwell": 0,
        "unwatched": 0,
        "errors_last_minute": 0,
        "uptime_seconds": 3600.0,
        "list_age_seconds": 10.0,
    }
    return Vitals(**(fields | more))


@pytest.mark.req("G3")
@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({}, "healthy"),
        ({"errors_last_minute": 4}, "healthy"),
        ({"errors_last_minute": 5}, "degraded"),
        ({"errors_last_minute": 10}, "degraded"),
        ({"errors_last_minute": 11}, "down"),
        ({"unwell": 1}, "degraded"),
        ({"active": 0, "unwatched": 1}, "down"),
        ({"active": 0, "list_age_seconds": None, "is_idle_by_choice": True}, "healthy"),
        ({"active": 0, "unwatched": 1, "is_idle_by_choice": True}, "healthy"),
        ({"active": 0, "errors_last_minute": 5, "is_idle_by_choice": True}, "degraded"),
        ({"active": 0, "errors_last_minute": 11, "is_idle_by_choice": True}, "down"),
        ({"active": 0}, "healthy"),
        ({"active": 0, "list_age_seconds": 301.0}, "down"),
        ({"active": 0, "list_age_seconds": None, "uptime_seconds": 10.0}, "degraded"),
        ({"active": 0, "list_age_seconds": None, "uptime_seconds": 61.0}, "down"),
        ({"active": 0, "errors_last_minute": 11}, "down"),
        ({"active": 200, "errors_last_minute": 99}, "healthy"),
        ({"active": 200, "errors_last_minute": 100}, "degraded"),
        ({"active": 200, "errors_last_minute": 201}, "down"),
    ],
)
def test_the_instance_is_judged_as_the_documents_say(more: dict[str, Any], status: str) -> None:
    assert overall_health(vitals(**more)) == status


class Fed:
    """A board and the signals that feed it."""

    def __init__(self) -> None:
        self.board = Board(NOON)
        self.bus = facts.Signals()
        self.board.subscribe(self.bus)

    def start(self, match_id: str = "m", seconds: float = 0, scraper_id: str = "s", **more: Any) -> None:
        self.bus.emit(
            facts.ScraperStarted(at=at(seconds), match_id=match_id, scraper_id=scraper_id, source="crex", **more)
        )

    def stop(self, match_id: str = "m", seconds: float = 0, scraper_id: str = "s") -> None:
        self.bus.emit(facts.ScraperStopped(at=at(seconds), match_id=match_id, scraper_id=scraper_id, reason="x"))

    def poll(self, match_id: str = "m", seconds: float = 0, outcome: str = "unchanged", **more: Any) -> None:
        self.bus.emit(
            facts.PollFinished(
                at=at(seconds),
                match_id=match_id,
                source="crex",
                rung="replay",
                outcome=outcome,
                duration_seconds=0.1,
                **more,
            )
        )

    def fail(self, match_id: str | None = "m", seconds: float = 0, message: str = "no answer") -> None:
        self.bus.emit(
            facts.ErrorRaised(
                at=at(seconds), severity="WARN", error_type="network", error_message=message, match_id=match_id
            )
        )


@pytest.fixture
def fed() -> Fed:
    return Fed()


def test_a_capture_counts_also_when_it_changed_nothing(fed: Fed) -> None:
    fed.start()
    fed.poll(seconds=10, captured_at=at(9.5))
    watched = fed.board.match("m")
    assert watched is not None
    assert watched.staleness_seconds(at(12.5)) == 3.0
    assert watched.changed_at is None
    fed.poll(seconds=20, outcome="updated", is_changed=True)
    assert watched.changed_at == at(20)
    assert watched.total_updates == 2


def test_what_never_came_is_as_old_as_its_scraper(fed: Fed) -> None:
    fed.start()
    assert list(fed.board.ages_in_play(at(400))) == [400.0]
    assert fed.board.status(at(400)) == "degraded"


def test_nobody_is_late_in_a_break_and_a_successor_knows_of_it(fed: Fed) -> None:
    fed.start()
    fed.bus.emit(
        facts.PaceChanged(at=at(0), match_id="m", before_seconds=2.5, seconds=30, reason="a break", is_break=True)
    )
    assert list(fed.board.ages_in_play(at(25))) == []
    fed.start(seconds=25, scraper_id="successor", interval_seconds=30)
    assert list(fed.board.ages_in_play(at(25))) == []
    fed.start(seconds=50, scraper_id="begins afresh", interval_seconds=2.5)
    assert list(fed.board.ages_in_play(at(60))) == [10.0]


def test_failures_count_in_a_row_and_a_success_ends_them(fed: Fed) -> None:
    fed.start()
    for second in range(6):
        fed.fail(seconds=second)
        fed.poll(seconds=second, outcome="failed")
    watched = fed.board.match("m")
    assert watched is not None
    assert watched.health(at(6)) == "failing"
    assert (watched.error_count, watched.total_errors) == (6, 6)
    fed.poll(seconds=7)
    assert watched.health(at(7)) == "healthy"
    assert (watched.error_count, watched.total_errors) == (0, 6)


def test_a_held_payload_is_no_success(fed: Fed) -> None:
    fed.start()
    fed.poll(outcome="held")
    watched = fed.board.match("m")
    assert watched is not None
    assert watched.captured_at is None
    assert watched.error_count == 1


def test_errors_leave_the_windows_with_time(fed: Fed) -> None:
    for second in range(8):
        fed.fail(None, seconds=second)
    assert fed.board.errors_last_minute(at(8)) == 8
    assert fed.board.errors_last_minute(at(62)) == 5
    assert fed.board.errors_last_minute(at(120)) == 0
    assert fed.board.errors_last_hour(at(120)) == 8
    assert fed.board.errors_last_hour(at(3700)) == 0


def test_the_end_of_a_predecessor_is_not_the_end_of_the_match(fed: Fed) -> None:
    fed.start(scraper_id="old")
    fed.start(scraper_id="new")
    fed.stop(scraper_id="old")
    assert len(fed.board.active()) == 1
    fed.stop(scraper_id="new")
    assert fed.board.active() == []
    assert fed.board.status(at(1)) == "down"


def test_a_finished_match_is_not_missed(fed: Fed) -> None:
    fed.bus.emit(facts.SourceListed(at=at(0), source="crex", matches=1, live=0))
    fed.start()
    fed.bus.emit(facts.MatchStateChanged(at=at(1), match_id="m", before="active", after="completed", reason="finished"))
    fed.stop(seconds=2)
    assert fed.board.status(at(3)) == "healthy"
    assert fed.board.vitals(at(3)).unwatched == 0


def test_an_archived_match_leaves_the_board(fed: Fed) -> None:
    fed.start()
    fed.bus.emit(facts.MatchStateChanged(at=at(1), match_id="m", before="completed", after="archived", reason="aged"))
    assert fed.board.match("m") is None


def test_the_last_error_is_kept_without_its_secrets(fed: Fed) -> None:
    fed.start()
    fed.fail(message="no answer from http://u:canary@host/ " + "x" * 1000)
    watched = fed.board.match("m")
    assert watched is not None
    assert "canary" not in watched.last_error_message
    assert len(watched.last_error_message) <= 300


def test_gaps_are_counted_by_their_id(fed: Fed) -> None:
    fed.start()
    gap: dict[str, Any] = {"match_id": "m", "innings": 1}
    for gap_id in ("a", "b", "a"):
        fed.bus.emit(
            facts.GapOpened(
                at=NOON, gap_id=gap_id, cause="x", missing_runs=1, missing_wickets=0, missing_balls=1, **gap
            )
        )
    fed.bus.emit(facts.GapClosed(at=NOON, gap_id="a", open_seconds=1, **gap))
    watched = fed.board.match("m")
    assert watched is not None
    assert watched.gaps == {"b"}


def test_latency_is_that_of_the_recent_past(fed: Fed) -> None:
    for milliseconds in range(1, 101):
        fed.bus.emit(
            facts.EventsStored(
                at=NOON, match_id="m", source="s", count=1, corrections=0, stored_seconds=milliseconds / 1000
            )
        )
    assert fed.board.latency_ms() == (50.5, 95.0)
    for _ in range(5000):
        fed.bus.emit(
            facts.EventsStored(at=NOON, match_id="m", source="s", count=1, corrections=0, stored_seconds=0.002)
        )
    assert fed.board.latency_ms() == (2.0, 2.0)


def test_the_board_does_not_grow_without_bound(fed: Fed) -> None:
    fed.start("kept")
    for number in range(6_000):
        fed.start(f"m{number}")
        fed.stop(f"m{number}")
    assert len(fed.board.matches()) <= 5_000
    assert fed.board.match("kept") is not None
    assert fed.board.match("m5999") is not None


def test_a_clock_set_back_breaks_nothing(fed: Fed) -> None:
    fed.start(seconds=100)
    fed.poll(seconds=100)
    fed.poll(seconds=-3600)
    watched = fed.board.match("m")
    assert watched is not None
    assert watched.captured_at == at(100)
    assert watched.staleness_seconds(at(-3600)) == 0.0


@pytest.mark.req("G3")
def test_a_thousand_matches_are_judged_in_two_milliseconds(fed: Fed) -> None:
    for number in range(1_000):
        fed.start(f"m{number}")
        fed.poll(f"m{number}")
    spent = []
    for _ in range(30):
        began = time.process_time_ns()
        fed.board.vitals(at(1))
        spent.append(time.process_time_ns() - began)
    assert min(spent) < 2_000_000
