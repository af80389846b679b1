"""The documents' names, labels that end with their match, and a bound on the series."""

import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from longstop.domain.errors import PortTakenError
from longstop.observe import signals as facts
from longstop.observe.freshness import AgeHistogram
from longstop.observe.health import Board
from longstop.observe.metrics import Metrics, MetricsServer, serve_metrics

NOON = datetime(2025, 11, 12, 12, tzinfo=UTC)

pytestmark = pytest.mark.req("H1")

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


class Fed:
    def __init__(self, matches_max: int = 240) -> None:
        self.metrics = Metrics(matches_max=matches_max)
        self.board = Board(NOON)
        self.ages = AgeHistogram()
        self.bus = facts.Signals()
        self.metrics.subscribe(self.bus)
        self.board.subscribe(self.bus)
        self.metrics.watch(self.board, self.ages, lambda: NOON + timedelta(seconds=7))

    def start(self, match_id: str = "m", scraper_id: str = "s") -> None:
        self.bus.emit(facts.ScraperStarted(at=NOON, match_id=match_id, scraper_id=scraper_id, source="crex"))

    def stop(self, match_id: str = "m", scraper_id: str = "s") -> None:
        self.bus.emit(facts.ScraperStopped(at=NOON, match_id=match_id, scraper_id=scraper_id, reason="x"))

    def live(self, match_id: str = "m") -> None:
        """Everything that makes series of a match."""
        self.bus.emit(
            facts.PollFinished(
                at=NOON, match_id=match_id, source="crex", rung="replay", outcome="updated", duration_seconds=0.1
            )
        )
        self.bus.emit(
            facts.EventsStored(at=NOON, match_id=match_id, source="crex", count=2, corrections=1, stored_seconds=0.02)
        )
        self.measure(**{match_id: 7})
        self.fail(match_id)

    def measure(self, **memory_bytes: int) -> None:
        self.bus.emit(facts.ScrapersMeasured(at=NOON, process_bytes=9, browser_bytes=3, memory_bytes=memory_bytes))

    def fail(self, match_id: str | None = "m", error_type: str = "network") -> None:
        self.bus.emit(
            facts.ErrorRaised(at=NOON, severity="WARN", error_type=error_type, error_message="x", match_id=match_id)
        )

    def samples(self) -> Samples:
        text = generate_latest(self.metrics.registry).decode()
        families = text_string_to_metric_families(text)
        return {(s.name, tuple(sorted(s.labels.items()))): s.value for family in families for s in family.samples}

    def value(self, name: str, **labels: str) -> float | None:
        return self.samples().get((name, tuple(sorted(labels.items()))))


@pytest.fixture
def fed() -> Fed:
    return Fed()


def test_every_name_of_the_documents_is_there(fed: Fed) -> None:
    fed.start()
    fed.live()
    fed.ages.add(2.0)
    fed.bus.emit(facts.ResourcesMeasured(at=NOON, rss_bytes=5, cpu_percent=1, tasks=1, open_files=1))
    assert fed.value("scraper_errors_total", match_id="m", error_type="network") == 1
    assert fed.value("scraper_updates_total", match_id="m") == 1
    assert fed.value("scraper_update_latency_seconds_count", match_id="m") == 1
    assert fed.value("scraper_memory_bytes", match_id="all") == 5
    assert fed.value("active_scrapers_count") == 1
    assert fed.value("data_staleness_seconds", match_id="m") == 7
    assert fed.value("scraper_scrapes_total", domain="crex", status="success") == 1
    assert fed.value("scraper_freshness_seconds_bucket", le="10") == 1
    assert fed.value("scraper_freshness_seconds_count") == 1
    assert fed.value("longstop_events_total", domain="crex") == 2


@pytest.mark.req("B5")
def test_memory_is_shown_by_match_and_not_shown_when_it_is_not_known(fed: Fed) -> None:
    fed.start("a")
    fed.start("b")
    fed.measure(a=5, b=6, unlabelled=8, small=1)
    assert fed.value("scraper_memory_bytes", match_id="a") == 5
    assert fed.value("scraper_memory_bytes", match_id="other") == 8
    assert fed.value("scraper_memory_bytes", match_id="browsers") == 3
    fed.measure(a=7)
    assert fed.value("scraper_memory_bytes", match_id="a") == 7
    assert fed.value("scraper_memory_bytes", match_id="b") is None
    assert fed.value("scraper_memory_bytes", match_id="other") is None


@pytest.mark.req("B5", "B6")
def test_bounds_that_were_passed_and_starts_that_were_refused_are_counted(fed: Fed) -> None:
    fed.bus.emit(facts.MemoryRose(at=NOON, level="soft", memory_bytes=2, limit_bytes=1))
    fed.bus.emit(facts.ReadingFailed(at=NOON, reading="process memory", reason="x"))
    fed.bus.emit(facts.StartRefused(at=NOON, match_id="m", available_bytes=1, needed_bytes=2, retry_seconds=60.0))
    fed.bus.emit(facts.ReplacementOrdered(at=NOON, match_id="m", scraper_id="s", action="replace", reason="lifetime"))
    assert fed.value("longstop_memory_alerts_total", level="soft") == 1
    assert fed.value("longstop_readings_failed_total", reading="process memory") == 1
    assert fed.value("longstop_starts_refused_total") == 1
    assert fed.value("longstop_replacements_total", reason="lifetime", action="replace") == 1


@pytest.mark.req("B7")
def test_what_waits_for_the_database_can_be_seen(fed: Fed) -> None:
    waiting = facts.BacklogMeasured(
        at=NOON,
        spool_records=7,
        spool_bytes=900,
        spool_bytes_max=1000,
        oldest_seconds=61.0,
        buffered=3,
        down_seconds=62.0,
    )
    fed.bus.emit(facts.StoreLost(at=NOON, reason="It is down."))
    fed.bus.emit(waiting)
    fed.bus.emit(facts.WritesDropped(at=NOON, items=4, total=4, reason="no room"))
    fed.bus.emit(facts.SpoolFound(at=NOON, records=3, damaged=2, torn_bytes=0))
    assert fed.value("longstop_spool_records") == 7
    assert fed.value("longstop_spool_bytes") == 900
    assert fed.value("longstop_spool_bytes_max") == 1000
    assert fed.value("longstop_spool_oldest_seconds") == 61
    assert fed.value("longstop_buffer_items") == 3
    assert fed.value("longstop_database_down_seconds") == 62
    assert fed.value("longstop_database_losses_total") == 1
    assert fed.value("longstop_writes_dropped_total") == 4
    assert fed.value("longstop_spool_damaged_total") == 2
    fed.bus.emit(facts.BacklogMeasured(at=NOON))
    assert fed.value("longstop_spool_records") == 0
    assert fed.value("longstop_database_down_seconds") == 0


def test_labels_end_with_their_match(fed: Fed) -> None:
    fed.start()
    fed.live()
    fed.stop()
    assert not [key for key in fed.samples() if ("match_id", "m") in key[1]]
    assert fed.value("active_scrapers_count") == 0


def test_a_late_signal_does_not_bring_a_match_back(fed: Fed) -> None:
    fed.start()
    fed.stop()
    fed.live()
    assert not [key for key in fed.samples() if ("match_id", "m") in key[1]]
    assert fed.value("scraper_errors_total", match_id="other", error_type="network") == 1


def test_a_replaced_scraper_keeps_its_matchs_series(fed: Fed) -> None:
    fed.start(scraper_id="old")
    fed.live()
    fed.start(scraper_id="new")
    fed.stop(scraper_id="old")
    assert fed.value("scraper_updates_total", match_id="m") == 1
    assert fed.value("active_scrapers_count") == 1


def test_errors_of_nobody_and_of_unknown_kinds_are_counted(fed: Fed) -> None:
    fed.fail(None)
    fed.start()
    for number in range(50):
        fed.fail(error_type=f"made-up-{number}")
    assert fed.value("scraper_errors_total", match_id="none", error_type="network") == 1
    assert fed.value("scraper_errors_total", match_id="m", error_type="other") == 50


def test_the_number_of_series_is_bounded(fed: Fed) -> None:
    """Attack A11: whatever the labels, at most 5,000 series, and flat after the matches ended."""
    for number in range(3_000):
        fed.start(f"m{number}", f"s{number}")
        for _ in range(3):
            fed.live(f"m{number}")
        fed.fail(f"m{number}", error_type=f"kind-{number}")
    for number in range(20_000):
        fed.fail(f"random-{number}", error_type=f"random-{number}")
    assert len(fed.samples()) <= 5_000
    for number in range(3_000):
        fed.stop(f"m{number}", f"s{number}")
    assert len(fed.samples()) < 200


def test_matches_without_labels_are_told_by_their_worst() -> None:
    fed = Fed(matches_max=1)
    for match_id in ("a", "b", "c"):
        fed.start(match_id)
    fed.bus.emit(
        facts.PollFinished(
            at=NOON + timedelta(seconds=5), match_id="b", source="x", rung="r", outcome="updated", duration_seconds=0
        )
    )
    assert fed.value("data_staleness_seconds", match_id="a") == 7
    assert fed.value("data_staleness_seconds", match_id="other") == 7


def test_open_gaps_never_fall_below_none(fed: Fed) -> None:
    gap: dict[str, Any] = {"match_id": "m", "innings": 1}
    fed.bus.emit(facts.GapClosed(at=NOON, gap_id="from before the restart", open_seconds=9, **gap))
    assert fed.value("longstop_gaps_open") == 0
    more: dict[str, Any] = {"missing_runs": 1, "missing_wickets": 0, "missing_balls": 1}
    fed.bus.emit(facts.GapOpened(at=NOON, gap_id="g", cause="x", **more, **gap))
    fed.bus.emit(facts.GapOpened(at=NOON, gap_id="g", cause="x", **more, **gap))
    assert fed.value("longstop_gaps_open") == 1


def test_gaps_that_were_given_up_are_counted_apart_until_they_are_repaired(fed: Fed) -> None:
    gap: dict[str, Any] = {"match_id": "m", "innings": 1, "gap_id": "g"}
    more: dict[str, Any] = {"missing_runs": 1, "missing_wickets": 0, "missing_balls": 1}
    fed.bus.emit(facts.GapOpened(at=NOON, cause="x", **more, **gap))
    fed.bus.emit(facts.GapClosed(at=NOON, open_seconds=9, state="unrecoverable", **gap))
    assert (fed.value("longstop_gaps_open"), fed.value("longstop_gaps_unrecoverable")) == (0, 1)
    fed.bus.emit(facts.GapClosed(at=NOON, open_seconds=9, **gap))
    assert fed.value("longstop_gaps_unrecoverable") == 0


@pytest.fixture
def served(fed: Fed) -> Iterator[MetricsServer]:
    server = serve_metrics(fed.metrics.registry, "127.0.0.1", 0)
    yield server
    server.stop()


def test_metrics_are_served_from_their_own_port(served: MetricsServer) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{served.port}/metrics", timeout=5) as answer:
        text = answer.read().decode()
    assert "# TYPE active_scrapers_count gauge" in text
    assert "_created" not in text


def test_a_taken_port_is_one_clear_sentence(served: MetricsServer, fed: Fed) -> None:
    with pytest.raises(PortTakenError, match=f"127.0.0.1:{served.port}.*Choose another metrics port"):
        serve_metrics(fed.metrics.registry, "127.0.0.1", served.port)


def test_stopping_frees_the_port_and_may_be_repeated(fed: Fed) -> None:
    server = serve_metrics(fed.metrics.registry, "127.0.0.1", 0)
    server.stop()
    server.stop()
    serve_metrics(fed.metrics.registry, "127.0.0.1", server.port).stop()
