"""Which signals become alerts, how often, and that errors a minute are counted by match."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from longstop.observe import signals as facts
from longstop.observe.alerts import FOLDED_MAX, Alerts
from longstop.observe.error_rates import MATCHES_MAX, REMEMBERED_MAX, ErrorRates
from longstop.observe.signals import troubles
from tests.cricket import NOON
from tests.virtual import Heard

pytestmark = pytest.mark.req("H4")


class Watch:
    """A bus with alerts on it, and a clock."""

    def __init__(self, per_minute: int = 10) -> None:
        self.heard = Heard()
        self.alerts = Alerts(per_minute)
        self.alerts.subscribe(self.heard.bus)
        self.now = NOON

    def fail(self, severity: str = "WARN", seconds: float = 1.0, match_id: str | None = "crex_A", **more: Any) -> None:
        self.now += timedelta(seconds=seconds)
        fields: dict[str, Any] = {"error_type": "network", "error_message": "no answer"} | more
        self.heard.bus.emit(facts.ErrorRaised(at=self.now, severity=severity, match_id=match_id, **fields))

    @property
    def raised(self) -> list[facts.AlertRaised]:
        return self.heard.of(facts.AlertRaised)


@pytest.mark.req("B10")
def test_a_critical_error_is_an_alert_with_all_that_is_known() -> None:
    watch = Watch()
    watch.fail(
        "CRITICAL",
        error_type="parsing",
        error_message="11 payloads in a row could not be read.",
        hint="Mend the selector.",
        operation="poll",
        url="http://127.0.0.1/x",
        context={"selector": ".score > b", "field": "score"},
    )
    (alert,) = watch.raised
    assert (alert.alert, alert.severity, alert.match_id) == ("critical error", "CRITICAL", "crex_A")
    assert (alert.message, alert.hint) == ("11 payloads in a row could not be read.", "Mend the selector.")
    assert alert.context == {
        "selector": ".score > b",
        "field": "score",
        "error_type": "parsing",
        "operation": "poll",
        "url": "http://127.0.0.1/x",
    }


def test_what_is_less_than_critical_is_no_alert_by_itself() -> None:
    watch = Watch()
    for severity in ("WARN", "ERROR", "INFO"):
        watch.fail(severity)
    assert watch.raised == []


def test_more_than_ten_errors_a_minute_of_one_match_are_an_alert_with_their_kinds() -> None:
    watch = Watch()
    for number in range(10):
        watch.fail(error_type="parsing" if number % 3 == 0 else "network", seconds=5)
        watch.fail(match_id="crex_B", seconds=0)
        watch.fail(match_id=None, seconds=0)
    assert watch.raised == []
    watch.fail(seconds=5, error_message="the last one")
    (alert,) = watch.raised
    assert (alert.alert, alert.severity, alert.match_id) == ("error rate", "ERROR", "crex_A")
    assert alert.message == "11 errors within a minute, more than 10."
    assert alert.context == {"errors": {"network": 7, "parsing": 4}, "last_error": "the last one"}
    assert alert.is_news


def test_ten_errors_a_minute_for_an_hour_are_none_too_many() -> None:
    watch = Watch()
    for _ in range(600):
        watch.fail(seconds=6)
    assert watch.raised == []


def test_the_same_alert_is_raised_once_in_five_minutes_and_says_what_was_held_back() -> None:
    watch = Watch()
    for _ in range(60):
        watch.fail("CRITICAL", seconds=10, match_id="crex_A")
    assert [alert.held_back for alert in watch.raised] == [0, 29]
    assert (watch.raised[1].at - watch.raised[0].at).total_seconds() == 300
    watch.fail("CRITICAL", match_id="crex_B")
    assert watch.raised[-1].match_id == "crex_B"


def test_a_refused_settings_file_is_an_alert() -> None:
    watch = Watch()
    watch.heard.bus.emit(
        facts.ConfigurationRefused(at=NOON, reason="SIGHUP", generation=1, message="Two bad.", faults=("a", "b"))
    )
    (alert,) = watch.raised
    assert (alert.alert, alert.severity, alert.context["faults"]) == ("settings refused", "ERROR", ["a", "b"])


def test_what_is_remembered_stays_bounded() -> None:
    watch = Watch(per_minute=3)
    for number in range(MATCHES_MAX + 100):
        watch.fail("CRITICAL", seconds=0, match_id=f"crex_{number}")
    for _ in range(10_000):
        watch.fail(seconds=0)
    assert len(watch.alerts._folds) <= FOLDED_MAX
    assert len(watch.alerts.rates._recent) <= MATCHES_MAX
    assert len(watch.alerts.rates._recent["crex_A"]) <= REMEMBERED_MAX


def test_another_rate_holds_from_the_next_error_on() -> None:
    rates = ErrorRates(2)
    error = facts.ErrorRaised(at=NOON, severity="WARN", error_type="network", error_message="x", match_id="m")
    assert [rates.count(error) is not None for _ in range(3)] == [False, False, True]
    rates.per_minute = 150
    assert [rates.count(error) for _ in range(147)] == [None] * 147
    assert rates.count(error) is not None


@pytest.mark.req("B7")
def test_a_database_that_is_away_and_a_spool_that_fills_are_alerts_long_before_it_is_full() -> None:
    watch = Watch()
    watch.heard.bus.emit(facts.StoreLost(at=NOON, reason="It is down.", hint="Bring it back."))
    for level in (50.0, 80.0, 95.0, 100.0):
        watch.heard.bus.emit(facts.SpoolFilled(at=NOON, level_percent=level, bytes=5, bytes_max=10))
    assert [(alert.alert, alert.severity) for alert in watch.raised] == [
        ("database away", "ERROR"),
        ("spool filled", "WARN"),
        ("spool filled", "ERROR"),
        ("spool filled", "CRITICAL"),
        ("spool full", "CRITICAL"),
    ]


@pytest.mark.req("B9")
def test_only_records_that_are_lost_make_what_a_start_finds_an_alert() -> None:
    watch = Watch()
    watch.heard.bus.emit(facts.SpoolFound(at=NOON, records=9, damaged=0, torn_bytes=40))
    watch.heard.bus.emit(facts.SpoolFound(at=NOON, records=9, damaged=2, torn_bytes=0))
    assert [(alert.alert, alert.message) for alert in watch.raised] == [
        ("spool damaged", "2 records of the spool are damaged.")
    ]


MATCH: dict[str, Any] = {"at": NOON, "match_id": "crex_A"}
RESUMED = facts.ScraperResumed(**MATCH, scraper_id="s", saved_seconds_ago=1.0, reason="interval")
ALERTS = [
    (
        troubles.StalenessFound(**MATCH, kind="frozen", age_seconds=301.0, action="restarted"),
        ("stale match", "ERROR", "crex_A"),
    ),
    (facts.BreakerOpened(**MATCH, rung="dom", open_seconds=60.0, reason="x"), ("breaker opened", "WARN", "crex_A")),
    (
        troubles.AlarmRaised(at=NOON, kind="memory_missing", subject="process", detail="0 bytes"),
        ("blind watchdog", "CRITICAL", None),
    ),
    (troubles.LoopStalled(at=NOON, duration_seconds=7.0), ("loop stalled", "CRITICAL", None)),
    (facts.MatchConcluded(**MATCH, reason="over", is_verified=False), ("match not whole", "ERROR", "crex_A")),
    (facts.MatchConcluded(**MATCH, reason="over", is_verified=True), None),
    (msgspec.structs.replace(RESUMED, disagreements=("x",)), ("state lost", "CRITICAL", "crex_A")),
    (RESUMED, None),
]


@pytest.mark.parametrize(("signal", "expected"), ALERTS, ids=lambda each: type(each).__name__)
def test_what_a_watchdog_or_a_scraper_finds_out_is_an_alert(signal: Any, expected: Any) -> None:
    watch = Watch()
    watch.heard.bus.emit(signal)
    told = [(alert.alert, alert.severity, alert.match_id) for alert in watch.raised]
    assert told == ([] if expected is None else [expected])


def test_two_alarms_of_the_house_are_two_alerts_and_the_same_one_again_is_none() -> None:
    watch = Watch()
    for subject in ("scheduler", "naming crex", "scheduler"):
        watch.heard.bus.emit(troubles.AlarmRaised(at=NOON, kind="service away", subject=subject, detail="for 90 s"))
    assert [alert.context["subject"] for alert in watch.raised] == ["scheduler", "naming crex"]
