"""GET /health as the documents draw it, from memory alone."""

import time
from typing import Any

import httpx
import msgspec
import pytest

from longstop.observe import signals as facts
from longstop.serve.vitals import health_report
from tests.unit.serve.world import NOON, World

pytestmark = pytest.mark.req("G3")

SCRAPER = {
    "scraper_id",
    "match_id",
    "url",
    "start_time",
    "last_update",
    "uptime_seconds",
    "error_count",
    "total_errors",
    "total_updates",
    "health_status",
    "memory_mb",
    "cpu_percent",
    "polling_interval",
}


@pytest.fixture
def world() -> World:
    return World()


async def health(world: World) -> tuple[int, dict[str, Any]]:
    async with world.client() as client:
        answer = await client.get("/health")
        return answer.status_code, answer.json()


async def test_every_field_of_the_documents_is_there(world: World) -> None:
    world.add("A")
    world.add("B")
    world.signals.emit(
        facts.ResourcesMeasured(at=NOON, rss_bytes=200 * 1024 * 1024, cpu_percent=12.5, tasks=1, open_files=1)
    )
    status, body = await health(world)
    assert status == 200
    assert body["status"] == "healthy"
    assert body["timestamp"] == "2025-11-12T12:00:00Z"
    assert body["active_scraper_count"] == body["total_matches_scraping"] == 2
    assert set(body["scrapers"][0]) == SCRAPER
    assert body["scrapers"][0]["polling_interval"] == 2.5
    assert body["resources"] == {
        "total_memory_mb": 200.0,
        "average_memory_mb": 100.0,
        "peak_memory_mb": 200.0,
        "total_cpu_percent": 12.5,
    }
    assert body["errors"] == {"last_minute": 0, "last_hour": 0, "circuit_breakers": []}
    assert set(body["performance"]) == {"average_latency_ms", "p95_latency_ms", "updates_per_minute"}
    assert body["performance"]["updates_per_minute"] == 2
    assert set(body["per_match_status"][0]) == {"match_id", "url", "last_update_iso8601", "error_count", "memory_mb"}
    assert body["total_memory_mb"] == 200.0
    assert body["uptime_seconds"] == 600


@pytest.mark.req("B5")
async def test_memory_is_told_by_match_and_what_is_not_known_is_null(world: World) -> None:
    megabyte = 1024 * 1024
    world.add("A")
    world.add("B")
    world.signals.emit(
        facts.ScrapersMeasured(
            at=NOON,
            process_bytes=200 * megabyte,
            browser_bytes=50 * megabyte,
            memory_bytes={"crex_A": 150 * megabyte},
        )
    )
    world.signals.emit(
        facts.ResourcesMeasured(at=NOON, rss_bytes=200 * megabyte, cpu_percent=1.0, tasks=1, open_files=1)
    )
    _, body = await health(world)
    assert {told["match_id"]: told["memory_mb"] for told in body["scrapers"]} == {"crex_A": 150.0, "crex_B": None}
    assert [told["memory_mb"] for told in body["per_match_status"]] == [150.0, None]
    assert body["total_memory_mb"] == body["resources"]["peak_memory_mb"] == 250.0
    world.signals.emit(facts.ScrapersMeasured(at=NOON, process_bytes=0, browser_bytes=0, memory_bytes={}))
    _, body = await health(world)
    assert [told["memory_mb"] for told in body["scrapers"]] == [None, None]


async def test_down_is_a_503_and_the_rest_is_not(world: World) -> None:
    world.add("A")
    world.clock.advance(130)
    assert (await health(world))[0] == 200
    assert (await health(world))[1]["status"] == "degraded"
    world.stop("A")
    status, body = await health(world)
    assert (status, body["status"]) == (503, "down")
    assert body["active_scraper_count"] == 0
    assert body["total_matches_scraping"] == 1


async def test_health_never_asks_the_database(world: World) -> None:
    world.add()
    world.store.is_hanging = True
    assert (await health(world))[0] == 200
    assert world.store.reads == 0


async def test_errors_are_counted_by_the_minute_and_the_hour(world: World) -> None:
    world.add()
    for _ in range(5):
        world.fail()
    world.clock.advance(90)
    world.poll()
    world.fail(None)
    _, body = await health(world)
    assert body["errors"]["last_minute"] == 1
    assert body["errors"]["last_hour"] == 6
    assert body["scrapers"][0]["total_errors"] == 5
    assert body["scrapers"][0]["error_count"] == 0


async def test_health_can_be_switched_off(world: World) -> None:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=world.app(has_health=False)), base_url="http://127.0.0.1"
    ) as client:
        assert (await client.get("/health")).status_code == 404
        assert (await client.get("/livez")).status_code == 200


def test_a_thousand_matches_are_told_within_ten_milliseconds(world: World) -> None:
    for number in range(1_000):
        world.start(f"M{number}")
        world.poll(f"M{number}")
    spent = []
    for _ in range(20):
        began = time.process_time_ns()
        msgspec.json.encode(health_report(world.model))
        spent.append(time.process_time_ns() - began)
    assert min(spent) < 10_000_000
