"""Change is told, sameness is not."""

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from longstop.observe import signals as facts
from longstop.observe.narration import Narrator

NOON = datetime(2025, 11, 12, 12, tzinfo=UTC)

pytestmark = pytest.mark.req("H2")


class Heard(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.said: list[tuple[int, dict[str, Any]]] = []

    def emit(self, record: logging.LogRecord) -> None:
        assert isinstance(record.msg, dict)
        self.said.append((record.levelno, record.msg))

    @property
    def events(self) -> list[str]:
        return [told["event"] for _, told in self.said]


class Story:
    """A narrator, what it said, and a clock."""

    def __init__(self, logger: logging.Logger, heard: Heard) -> None:
        self.narrator = Narrator(logger)
        self.heard = heard
        self.now = NOON

    def poll(self, outcome: str = "unchanged", match_id: str = "m") -> None:
        self.narrator.tell(
            facts.PollFinished(
                at=self.now, match_id=match_id, source="crex", rung="replay", outcome=outcome, duration_seconds=0.1
            )
        )

    def fail(
        self, match_id: str | None = "m", kind: str = "network", severity: str = "WARN", seconds: float = 2.5
    ) -> None:
        self.now += timedelta(seconds=seconds)
        self.narrator.tell(
            facts.ErrorRaised(at=self.now, severity=severity, error_type=kind, error_message="x", match_id=match_id)
        )


@pytest.fixture
def story() -> Iterator[Story]:
    logger = logging.getLogger("test.narration")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    heard = Heard()
    logger.addHandler(heard)
    yield Story(logger, heard)
    logger.removeHandler(heard)


def test_a_poll_that_goes_well_is_not_told(story: Story) -> None:
    for _ in range(100):
        story.poll()
    assert story.heard.events == []


def test_a_failing_match_is_told_first_then_each_tenth(story: Story) -> None:
    for _ in range(20):
        story.fail(seconds=0.1)
    assert [told.get("occurrences", 1) for _, told in story.heard.said] == [1, 10, 20]


def test_a_slowly_failing_match_is_told_each_minute(story: Story) -> None:
    for _ in range(7):
        story.fail(seconds=20)
    assert [told.get("occurrences", 1) for _, told in story.heard.said] == [1, 4, 7]


def test_recovery_is_told_once_with_what_it_was(story: Story) -> None:
    for _ in range(3):
        story.fail()
        story.poll("failed")
    story.now += timedelta(seconds=2)
    story.poll("updated")
    story.poll("updated")
    assert story.heard.events == ["error raised", "match recovered"]
    recovered = story.heard.said[-1][1]
    assert recovered["failures"] == 3
    assert recovered["down_seconds"] == 7.0


def test_another_kind_of_error_is_news(story: Story) -> None:
    story.fail(kind="network")
    story.fail(kind="network")
    story.fail(kind="parsing")
    assert [told["error_type"] for _, told in story.heard.said] == ["network", "parsing"]


def test_one_match_does_not_silence_another(story: Story) -> None:
    story.fail(match_id="a")
    story.fail(match_id="b")
    assert [told["match_id"] for _, told in story.heard.said] == ["a", "b"]


def test_critical_is_always_told(story: Story) -> None:
    for _ in range(3):
        story.fail(severity="CRITICAL")
    assert [level for level, _ in story.heard.said] == [logging.CRITICAL] * 3


def test_after_a_recovery_the_next_failure_is_a_first_one(story: Story) -> None:
    story.fail()
    story.poll("updated")
    story.fail()
    assert story.heard.events == ["error raised", "match recovered", "error raised"]


def test_memory_stays_bounded_with_endless_names(story: Story) -> None:
    for number in range(20_000):
        story.fail(match_id=f"m{number}", kind=f"k{number}", seconds=0)
    for number in range(100):
        story.fail(match_id="m", kind=f"k{number}", seconds=0)
    assert len(story.narrator._streaks) <= 5_000
    assert len(story.narrator._streaks["m"]) <= 11


def test_gaps_and_steps_of_the_engine_are_told(story: Story) -> None:
    gap: dict[str, Any] = {"match_id": "m", "gap_id": "g", "innings": 1}
    opened = facts.GapOpened(at=NOON, cause="ball missing", missing_runs=1, missing_wickets=0, missing_balls=1, **gap)
    story.narrator.tell(opened)
    story.narrator.tell(facts.GapClosed(at=NOON, open_seconds=2.0, **gap))
    story.narrator.tell(
        facts.EventsStored(at=NOON, match_id="m", source="s", count=1, corrections=0, stored_seconds=0.1)
    )
    story.narrator.tell(
        facts.EventsStored(at=NOON, match_id="m", source="s", count=1, corrections=1, stored_seconds=0.1)
    )
    assert story.heard.events == ["gap opened", "gap closed", "events stored"]
    assert [level for level, _ in story.heard.said] == [logging.WARNING, logging.INFO, logging.INFO]


@pytest.mark.req("B2")
def test_a_reload_is_told_with_its_changes_and_warns_of_what_needs_a_restart(story: Story) -> None:
    told = facts.ConfigurationReloaded(at=NOON, reason="SIGHUP", generation=2, applied=("a.b: 1 → 2",))
    story.narrator.tell(told)
    waiting = facts.ConfigurationReloaded(at=NOON, reason="SIGHUP", generation=3, needs_restart=("api.port: 1 → 2",))
    story.narrator.tell(waiting)
    (level, fields), (level_waiting, fields_waiting) = story.heard.said
    assert (level, fields["applied"]) == (logging.INFO, ("a.b: 1 → 2",))
    assert (level_waiting, fields_waiting["needs_restart"]) == (logging.WARNING, ("api.port: 1 → 2",))
    assert "needs a restart" in fields_waiting["hint"]


@pytest.mark.req("B2")
def test_a_refused_file_is_an_error_with_all_its_faults(story: Story) -> None:
    story.narrator.tell(
        facts.ConfigurationRefused(
            at=NOON, reason="SIGHUP", generation=1, message="2 cannot be used.", faults=("a", "b")
        )
    )
    ((level, fields),) = story.heard.said
    assert (level, fields["error_type"], fields["faults"]) == (logging.ERROR, "settings", ("a", "b"))


@pytest.mark.req("G3")
def test_each_verb_is_told_and_a_page_that_tries_for_ever_does_not_fill_the_log(story: Story) -> None:
    story.narrator.tell(facts.AdminVerbUsed(at=NOON, verb="pause", outcome="done", match_id="m"))
    story.narrator.tell(facts.AdminVerbUsed(at=NOON, verb="pause", outcome="failed", match_id="m", detail="why"))
    for _ in range(30):
        story.narrator.tell(facts.AdminVerbUsed(at=NOON, verb="reload", outcome="refused", detail="not ours"))
    assert story.heard.events == ["admin verb used"] * 2 + ["admin verb refused"] * 4
    assert [level for level, _ in story.heard.said[:2]] == [logging.INFO, logging.WARNING]


def test_a_database_that_is_away_is_told_with_what_waits_for_it(story: Story) -> None:
    story.narrator.tell(facts.StoreLost(at=NOON, reason="It is down.", hint="Bring it back."))
    story.narrator.tell(facts.BacklogMeasured(at=NOON, spool_records=3))
    story.narrator.tell(facts.BacklogWaited(at=NOON, spool_records=7, buffered=2, oldest_seconds=60.0))
    story.narrator.tell(facts.StoreRecovered(at=NOON, down_seconds=61.0, records=7))
    assert story.heard.events == ["database lost", "database still away", "database recovered"]
    level, told = story.heard.said[1]
    assert level == logging.WARNING
    assert (told["spool_records"], told["buffered"], told["oldest_seconds"]) == (7, 2, 60.0)


@pytest.mark.parametrize(
    ("signal", "level"),
    [
        (facts.SpoolFilled(at=NOON, level_percent=50.0, bytes=5, bytes_max=10), logging.WARNING),
        (facts.SpoolFilled(at=NOON, level_percent=95.0, bytes=9, bytes_max=10), logging.CRITICAL),
        (facts.SpoolFound(at=NOON, records=3, damaged=0, torn_bytes=9), logging.INFO),
        (facts.SpoolFound(at=NOON, records=3, damaged=1, torn_bytes=0), logging.CRITICAL),
    ],
)
def test_what_the_spool_has_to_say_is_as_loud_as_it_is_bad(story: Story, signal: facts.Signal, level: int) -> None:
    story.narrator.tell(signal)
    assert [said for said, _ in story.heard.said] == [level]


def test_a_flood_of_dropped_writes_does_not_flood_the_log(story: Story) -> None:
    for number in range(1, 26):
        story.narrator.tell(facts.WritesDropped(at=NOON, items=1, total=number, reason="no room"))
    assert [told["total"] for _, told in story.heard.said] == [1, 10, 20]
