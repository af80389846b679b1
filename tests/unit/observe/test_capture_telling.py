"""What is counted, logged and raised of captures, by the names of S3."""

import logging
from datetime import UTC, datetime
from typing import Any

import pytest

from longstop.domain.capture import CaptureIntegrity, ExitView, NetworkFigures
from longstop.observe.alerts import Alerts
from longstop.observe.metrics import Metrics
from longstop.observe.narration import Narrator
from longstop.observe.signals import AlertRaised, Signals
from longstop.observe.signals import captures as facts

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
WHOLE: dict[str, Any] = {"at": NOW, "source": "sofascore", "run_id": "r1", "match_id": "7", "source_event_id": "501"}


def attempt(status: str, reason: str = "") -> facts.CaptureAttempted:
    return facts.CaptureAttempted(
        **WHOLE,
        attempt=2,
        state="DONE" if not reason else "SOFT_FAIL",
        status=status,
        reason=reason,
        rung="intercept",
        duration_seconds=1.5,
        exit=ExitView("residential", "DE", "s1", "abc"),
        network=NetworkFigures(20_000, 12, 8, 2),
    )


def captured(rate: float = 0.5, *, is_confirmed: bool = True) -> facts.MatchCaptured:
    whole = CaptureIntegrity(rate, ("lineups.home.xi",), 1, 3, ("xi_missing",))
    return facts.MatchCaptured(
        **WHOLE,
        schema_version="sofascore.event.v1",
        captured_at=NOW,
        kickoff_at=NOW,
        integrity=whole,
        is_confirmed=is_confirmed,
        is_news=True,
        null_rate_max=0.2,
    )


class Scene:
    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        self.bus, self.metrics, self.alerts = Signals(), Metrics(), list[AlertRaised]()
        self.metrics.subscribe(self.bus)
        Alerts(10).subscribe(self.bus)
        self.bus.subscribe(AlertRaised, self.alerts.append)
        narrator = Narrator(logging.getLogger("captures"))
        self.bus.subscribe_all(narrator.tell)
        caplog.set_level(logging.INFO, "captures")
        self._log = caplog

    def value(self, name: str, **labels: str) -> float | None:
        return self.metrics.registry.get_sample_value(name, labels)

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [record.msg for record in self._log.records if isinstance(record.msg, dict)]


@pytest.mark.req("D4")
def test_attempts_are_counted_by_the_names_of_the_document(caplog: pytest.LogCaptureFixture) -> None:
    scene = Scene(caplog)
    for told in (attempt("success"), attempt("soft_fail", "timeout"), attempt("hard_fail", "schema_break")):
        scene.bus.emit(told)
    scene.bus.emit(attempt("skipped", "circuit_open"))
    scene.bus.emit(captured())
    assert scene.value("scraper_attempts_total", source="sofascore") == 3
    assert scene.value("scraper_success_total", source="sofascore") == 1
    assert scene.value("scraper_fail_total", source="sofascore", type="soft", reason="timeout") == 1
    assert scene.value("scraper_fail_total", source="sofascore", type="hard", reason="schema_break") == 1
    assert scene.value("scraper_bytes_in_est_total", source="sofascore") == 60_000
    assert scene.value("scraper_requests_total", type="page") == 36
    assert scene.value("scraper_requests_blocked_total", type="page") == 24
    assert scene.value("integrity_null_rate_sum", source="sofascore") == 0.5
    assert scene.value("integrity_required_missing_total", source="sofascore") == 1


@pytest.mark.req("D5")
def test_a_line_has_the_fields_of_the_document(caplog: pytest.LogCaptureFixture) -> None:
    scene = Scene(caplog)
    scene.bus.emit(attempt("soft_fail", "429"))
    scene.bus.emit(captured())
    line, integrity = scene.lines[0], scene.lines[1]["integrity"]
    assert line.keys() >= {"timestamp", "service", "run_id", "match_id", "source_event_id", "attempt", "state"}
    assert line["proxy"] == {"proxy_pool": "residential", "geo": "DE", "session_id": "s1", "ip_hash": "abc"}
    assert line["network"].keys() == {"bytes_in_est", "requests_total", "requests_blocked", "xhr_captured_count"}
    assert line["result"] == {"status": "soft_fail", "error_type": "429", "http_status": None, "duration_ms": 1500.0}
    assert integrity["schema_version"] == "sofascore.event.v1"
    assert integrity["null_field_rate"] == 0.5
    assert integrity["missing_required_fields"] == ("lineups.home.xi",)


@pytest.mark.req("D4")
def test_what_the_document_asks_to_be_told_of_is_told(caplog: pytest.LogCaptureFixture) -> None:
    scene = Scene(caplog)
    scene.bus.emit(
        facts.SchemaBroken(
            at=NOW, source="sofascore", contract="sofascore.lineups.v1", match_id="7", message="It breaks."
        )
    )
    scene.bus.emit(facts.ChallengePersisted(at=NOW, source="sofascore", match_id="7", attempts=3))
    scene.bus.emit(facts.CircuitOpened(at=NOW, source="sofascore", open_seconds=900, reason="too many failed"))
    scene.bus.emit(captured(0.1))
    scene.bus.emit(captured(is_confirmed=False))
    scene.bus.emit(captured())
    assert [each.alert for each in scene.alerts] == [
        "schema break",
        "challenge",
        "circuit opened",
        "data integrity degraded",
    ]
    assert scene.value("longstop_capture_circuit_open", source="sofascore") == 1
    scene.bus.emit(facts.CircuitClosed(at=NOW, source="sofascore"))
    assert scene.value("longstop_capture_circuit_open", source="sofascore") == 0
    assert {"schema_break", "anti_bot_challenge", "circuit_opened", "circuit_closed"} <= {
        line["event"] for line in scene.lines
    }
