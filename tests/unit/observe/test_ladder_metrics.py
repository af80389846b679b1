import pytest
from prometheus_client import CollectorRegistry

from longstop.observe import signals as facts
from longstop.observe.ladder_metrics import LadderMetrics
from longstop.observe.signals import Signals
from tests.cricket import NOON


def poll(rung: str, outcome: str = "updated") -> facts.PollFinished:
    return facts.PollFinished(
        at=NOON,
        match_id="crex_A",
        source="crex",
        rung=rung,
        outcome=outcome,
        duration_seconds=0.2,
        bytes_in=10,
        is_changed=True,
        captured_at=NOON,
    )


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


@pytest.fixture
def bus(registry: CollectorRegistry) -> Signals:
    made = Signals()
    LadderMetrics(registry).subscribe(made)
    return made


def value(registry: CollectorRegistry, name: str, **labels: str) -> float | None:
    return registry.get_sample_value(name, labels)


@pytest.mark.req("A2")
def test_each_rung_has_its_own_figures(bus: Signals, registry: CollectorRegistry) -> None:
    for rung in ("replay", "replay", "dom"):
        bus.emit(poll(rung))
    bus.emit(poll("", "failed"))
    counted = {
        rung: value(registry, "longstop_rung_polls_total", domain="crex", rung=rung, outcome=outcome)
        for rung, outcome in (("replay", "updated"), ("dom", "updated"), ("none", "failed"))
    }
    assert counted == {"replay": 2, "dom": 1, "none": 1}
    assert value(registry, "longstop_rung_seconds_count", domain="crex", rung="replay") == 2


def test_a_rung_that_nobody_knows_makes_no_new_series(bus: Signals, registry: CollectorRegistry) -> None:
    for number in range(50):
        bus.emit(poll(f"odd{number}"))
    assert value(registry, "longstop_rung_polls_total", domain="crex", rung="none", outcome="updated") == 50


@pytest.mark.req("D3")
def test_what_pages_move_is_counted_by_source(bus: Signals, registry: CollectorRegistry) -> None:
    for _ in range(2):
        bus.emit(facts.PagesTransferred(at=NOON, source="crex", requests=10, refused=3, bytes_in=1000, bytes_out=200))
    assert value(registry, "longstop_page_bytes_total", domain="crex", way="in") == 2000
    assert value(registry, "longstop_page_requests_total", domain="crex", outcome="refused") == 6
    assert value(registry, "longstop_page_requests_total", domain="crex", outcome="made") == 14


@pytest.mark.req("B5")
def test_what_browsers_hold_is_shown_with_the_largest_context_of_a_source(
    bus: Signals, registry: CollectorRegistry
) -> None:
    bus.emit(
        facts.BrowsersMeasured(
            at=NOON,
            pool="plain",
            browsers=2,
            contexts=3,
            pages=3,
            pids=20,
            pss_bytes=900,
            waiting=0,
            contexts_bytes=(("crex", 100), ("crex", 300)),
        )
    )
    assert value(registry, "longstop_browser_pss_bytes", pool="plain") == 900
    assert value(registry, "longstop_browser_context_bytes_max", domain="crex") == 300


@pytest.mark.req("B10")
def test_which_selector_found_a_field_is_counted_and_so_is_drift(bus: Signals, registry: CollectorRegistry) -> None:
    for place in (0, 0, 1, 9):
        bus.emit(facts.SelectorsMatched(at=NOON, source="crex", places=(("runs", place),)))
    bus.emit(facts.SelectorDrifted(at=NOON, source="crex", field="runs"))
    found = {
        place: value(registry, "longstop_selector_matches_total", domain="crex", field="runs", place=place)
        for place in ("0", "1", "later")
    }
    assert found == {"0": 2, "1": 1, "later": 1}
    assert value(registry, "longstop_selector_drifts_total", domain="crex", field="runs") == 1
