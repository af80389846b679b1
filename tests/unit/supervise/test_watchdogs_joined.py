import asyncio
import logging

import pytest

from longstop.observe.metrics import Metrics
from longstop.observe.narration import Narrator
from longstop.observe.signals import Signal, troubles
from longstop.settings import Settings
from longstop.settings.load import load
from longstop.supervise.service import Stop
from longstop.supervise.watchdogs.limits import WatchdogLimits, limits_of, loop_limits_of
from longstop.supervise.watchdogs.loop import LoopLimits
from longstop.supervise.watchdogs.pack import Watchdogs
from tests.cricket import NOON
from tests.patient import CLOCK, Simulated, view
from tests.virtual import Heard, on_virtual_time


@pytest.mark.req("B3")
def test_the_figures_of_the_documents_are_the_defaults_of_the_settings() -> None:
    assert limits_of(Settings()) == WatchdogLimits()
    assert loop_limits_of(Settings()) == LoopLimits()


@pytest.mark.parametrize(("wrong", "is_refused"), [("3", True), ("0", False), ("30", False)])
def test_a_process_does_not_end_before_its_stack_is_told(wrong: str, is_refused: bool) -> None:
    overrides = {"scraper.watchdog.loop_end": wrong}
    if is_refused:
        with pytest.raises(Exception, match="loop_end is not above loop_stall"):
            load(file=None, environ={}, overrides=overrides)
    else:
        load(file=None, environ={}, overrides=overrides)


@pytest.mark.req("B3")
@on_virtual_time
async def test_all_watchdogs_come_round_and_end_when_they_are_asked_to() -> None:
    heard, patient, stop = Heard(), Simulated(view()), Stop(CLOCK)
    limits = WatchdogLimits(measures_resources=False)
    pack = Watchdogs(patient, lambda: limits, CLOCK, heard.bus)
    tasks = [asyncio.create_task(service.run(stop)) for service in pack.services]
    await patient.live_for(3600.0)
    assert heard.all == []
    assert pack.beats.missing() == {}
    stop.ask("the test is over")
    await asyncio.gather(*tasks)
    await CLOCK.sleep(3600.0)
    assert pack.beats.missing() == {}, "who ended in order is not missed"


@pytest.mark.req("B3")
@on_virtual_time
async def test_a_watchdog_that_hangs_is_missed_by_the_others() -> None:
    heard, patient, stop = Heard(), Simulated(view()), Stop(CLOCK)
    limits = WatchdogLimits(measures_resources=False)
    pack = Watchdogs(patient, lambda: limits, CLOCK, heard.bus)
    tasks = [asyncio.create_task(service.run(stop)) for service in pack.services]
    await patient.live_for(60.0)
    tasks[2].cancel()
    await patient.live_for(60.0)
    assert [alarm.subject for alarm in heard.of(troubles.AlarmRaised)] == [pack.matches.name]
    stop.ask("the test is over")
    await asyncio.gather(*tasks, return_exceptions=True)


SAID = [
    (
        troubles.HealthGraded(
            at=NOON,
            before="degraded",
            after="failing",
            event="stalled",
            median_seconds=1.0,
            p95_seconds=2.0,
            max_seconds=130.0,
            stall_seconds=0.0,
        ),
        ("CRITICAL", "health graded"),
        ("longstop_health_grade", {}, 3.0),
    ),
    (
        troubles.StalenessFound(
            at=NOON, match_id="m", kind="frozen", age_seconds=301.0, action="restarted", url="u", captured_at=NOON
        ),
        ("WARNING", "data is stale"),
        ("longstop_stale_found_total", {"kind": "frozen"}, 1.0),
    ),
    (
        troubles.RecoveryJudged(
            at=NOON, entry_id="e", action="soft_restart", subject="m", outcome="failed", duration_seconds=120.0
        ),
        ("WARNING", "recovery judged"),
        ("longstop_recoveries_total", {"action": "soft_restart", "outcome": "failed"}, 1.0),
    ),
    (
        troubles.AlarmRaised(at=NOON, kind="memory_missing", subject="watchdogs", detail="the memory reads 0"),
        ("CRITICAL", "alarm raised"),
        ("longstop_alarms", {"kind": "memory_missing"}, 1.0),
    ),
]


@pytest.mark.req("H2", "B3")
@pytest.mark.parametrize(("signal", "line", "sample"), SAID, ids=lambda each: type(each).__name__)
def test_what_the_watchdogs_find_is_told_in_the_log_and_counted(
    signal: Signal, line: tuple[str, str], sample: tuple[str, dict[str, str], float], caplog
) -> None:
    heard, metrics = Heard(), Metrics()
    metrics.subscribe(heard.bus)
    heard.bus.emit(signal)
    name, labels, value = sample
    assert metrics.registry.get_sample_value(name, labels) == value
    with caplog.at_level(logging.INFO):
        Narrator(logging.getLogger("test.watchdogs")).tell(signal)
    (record,) = caplog.records
    assert (record.levelname, record.msg["event"]) == line


@pytest.mark.req("B3")
def test_a_stale_match_is_told_with_its_address_and_its_last_successful_update(caplog) -> None:
    found = SAID[1][0]
    with caplog.at_level(logging.INFO):
        Narrator(logging.getLogger("test.watchdogs")).tell(found)
    told = caplog.records[0].msg
    assert (told["url"], told["last_successful_update"]) == ("u", "2026-06-01T12:00:00.000+00:00")
