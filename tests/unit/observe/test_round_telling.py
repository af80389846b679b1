"""Rounds as figures and alerts."""

import pytest
from prometheus_client import CollectorRegistry

from longstop.observe import signals as facts
from longstop.observe.alerts import Alerts
from longstop.observe.round_metrics import RoundMetrics
from tests.cricket import NOON
from tests.virtual import Heard


def settled(state: str) -> facts.RoundSettled:
    return facts.RoundSettled(at=NOON, source="brasileirao", job_id="j1", round="serie-a 2026, round 3", state=state)


@pytest.mark.req("H4")
def test_a_round_that_ended_with_dead_letters_is_an_alert_and_others_are_none() -> None:
    heard = Heard()
    Alerts(10).subscribe(heard.bus)
    for state in ("DONE", "CANCELLED", "FAILED"):
        heard.bus.emit(settled(state))

    (alert,) = heard.of(facts.AlertRaised)
    assert (alert.alert, alert.severity, alert.context["job_id"]) == ("round failed", "ERROR", "j1")
    assert "longstop rounds dead" in alert.hint


@pytest.mark.req("H1")
def test_what_rounds_come_to_is_counted_by_source() -> None:
    registry, bus = CollectorRegistry(), facts.Signals()
    RoundMetrics(registry).subscribe(bus)
    worked = {"at": NOON, "source": "brasileirao", "job_id": "j1", "match_id": "m", "attempt": 1}
    for outcome in ("stored", "stored", "dead"):
        bus.emit(facts.RoundWorked(outcome=outcome, duration_seconds=0.1, **worked))  # type: ignore[arg-type]  # a dict
    bus.emit(settled("FAILED"))

    def count(name: str, **labels: str) -> float | None:
        return registry.get_sample_value(name, {"source": "brasileirao", **labels})

    assert count("longstop_rounds_tasks_total", outcome="stored") == 2
    assert count("longstop_rounds_tasks_total", outcome="dead") == 1
    assert count("longstop_rounds_jobs_total", state="FAILED") == 1
