"""`/status` in the documents' shape, and `/readyz`: what is missing is said."""

import dataclasses
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from longstop.domain.recovery import RecoveryAction, RecoveryAuditEntry, RecoveryOutcome
from longstop.observe import signals as facts
from longstop.observe.signals import troubles
from longstop.operations import InstanceOperations
from longstop.serve.reading import NoOperations, Progress
from longstop.settings import Settings
from tests.unit.serve.world import NOON, World

pytestmark = pytest.mark.req("G3")

SUMMARY = {
    *("grade", "freshness_stats", "queue_depth", "active_tasks", "failure_ratio", "paused_matches"),
    *("last_success_time", "config_snapshot", "audit_entries", "generated_at"),
}
STATS = {"median", "p50", "p95", "max", "count", "samples"}
ENTRY = {"entry_id", "timestamp", "action_type", "trigger_condition", "outcome", "duration_seconds", "metadata"}


class Operated(NoOperations):
    is_started = True

    def progress(self) -> Progress:
        return Progress(waiting=7, running=3)

    def recoveries(self) -> tuple[RecoveryAuditEntry, ...]:
        outcomes = (None, RecoveryOutcome.SUCCESS)
        return tuple(
            RecoveryAuditEntry(str(n), NOON, RecoveryAction.BROWSER_RECYCLE, "uptime", "instance", outcomes[n % 2])
            for n in range(12)
        )

    def thresholds(self) -> dict[str, Any]:
        return {"CONCURRENCY_CAP": 256}


class NotStarted(NoOperations):
    is_started = False


def operated(world: World, operations: NoOperations) -> World:
    world.model = dataclasses.replace(world.model, operations=operations)
    return world


async def status_of(world: World) -> dict[str, Any]:
    async with world.client() as client:
        answer = await client.get("/status")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


async def test_the_summary_has_the_fields_of_the_documents_and_no_other() -> None:
    world = operated(World(), Operated())
    world.add()
    found = await status_of(world)
    assert set(found) == SUMMARY
    assert set(found["freshness_stats"]) == STATS
    assert {frozenset(entry) for entry in found["audit_entries"]} == {frozenset(ENTRY)}
    assert (found["queue_depth"], found["active_tasks"], found["grade"]) == (7, 3, "healthy")
    assert len(found["audit_entries"]) == 10
    assert found["config_snapshot"] == {"CONCURRENCY_CAP": 256}
    assert found["generated_at"] == NOON.timestamp()


async def test_freshness_is_that_of_the_matches_in_play() -> None:
    world = World()
    for number in range(20):
        world.add(f"M{number}")
        world.clock.advance(1)
    stats = (await status_of(world))["freshness_stats"]
    assert stats["samples"] == sorted(float(age) for age in range(1, 21))
    assert (stats["median"], stats["p50"], stats["p95"], stats["max"], stats["count"]) == (10.0, 10.0, 19.0, 20.0, 20)


async def test_an_instance_that_has_done_nothing_says_so() -> None:
    found = await status_of(World())
    assert found["last_success_time"] is None
    assert found["failure_ratio"] == 0.0
    assert found["freshness_stats"]["count"] == 0


async def test_failures_pauses_and_the_grade_are_told() -> None:
    world = World()
    world.add("A")
    world.start("B")
    for _ in range(3):
        world.poll("B", outcome="failed")
    world.signals.emit(
        facts.MatchPaused(at=NOON, match_id="crex_B", scraper_id="s-B", seconds=300, reason="it failed 5 times")
    )
    world.signals.emit(
        troubles.HealthGraded(
            at=NOON,
            before="healthy",
            after="degraded",
            event="aged",
            median_seconds=61,
            p95_seconds=70,
            max_seconds=70,
            stall_seconds=0,
        )
    )
    found = await status_of(world)
    assert found["failure_ratio"] == 0.75
    assert found["paused_matches"] == ["crex_B"]
    assert found["grade"] == "degraded"
    assert found["last_success_time"] == NOON.timestamp()
    world.clock.advance(timedelta(minutes=11).total_seconds())
    assert (await status_of(world))["failure_ratio"] == 0.0


async def test_the_summary_asks_no_database() -> None:
    world = World()
    world.add()
    world.store.is_down = True
    before = world.store.reads
    await status_of(world)
    assert world.store.reads == before


async def test_an_instance_is_ready_when_its_engine_and_its_database_are() -> None:
    world = World()
    async with world.client() as client:
        assert (await client.get("/readyz")).json() == {"status": "ready", "reasons": []}
        world.store.is_down = True
        answer = await client.get("/readyz")
    assert answer.status_code == 503
    assert "database" in answer.json()["reasons"][0]
    assert "hunter2" not in answer.text


async def test_an_engine_that_has_not_started_is_a_reason() -> None:
    async with operated(World(), NotStarted()).client() as client:
        answer = await client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["reasons"] == ["The engine has not started yet."]


def test_the_thresholds_are_the_settings_without_secrets() -> None:
    settings = Settings()
    shown = InstanceOperations(lambda: None, lambda: None, lambda: settings).thresholds()
    assert shown["CONCURRENCY_CAP"] == 256
    assert shown["STALENESS_THRESHOLD_SECONDS"] == 300.0
    assert not any("secret" in name or "webhook" in name for name in shown)
    assert msgspec.json.encode(shown)
