"""What a caller is told when something is wrong, and what is never told."""

from typing import Any

import httpx
import pytest

from longstop.domain.errors import InsufficientMemoryError
from longstop.serve.problems import CATALOGUE
from tests.unit.serve.world import World

pytestmark = pytest.mark.req("G1")


@pytest.fixture
def world() -> World:
    return World()


async def ask(world: World, path: str, method: str = "GET", **more: Any) -> httpx.Response:
    async with world.client() as client:
        return await client.request(method, path, **more)


def problem(answer: httpx.Response, status: int, name: str) -> dict[str, Any]:
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = answer.json()
    assert body["type"] == f"/problems/{name}"
    assert body["status"] == status
    assert body["hint"]
    assert body["request_id"] == answer.headers["x-request-id"]
    return body


async def test_an_unknown_match_is_not_found(world: World) -> None:
    for path in ("/cricket-data/match-info/crex_NONE", "/cricket-data/matches/crex_NONE/events"):
        body = problem(await ask(world, path), 404, "unknown-match")
        assert body["detail"] == "No match has the id crex_NONE."


@pytest.mark.parametrize(
    "hostile",
    [
        "..%2f..%2fetc%2fpasswd",
        "%00",
        "a%20b",
        "crex_",
        "_QUY",
        "crex_%2e%2e",
        "x" * 200,
        "crex_Q%0d%0aSet-Cookie:a",
        "%F0%9F%8F%8F",
        "';--",
    ],
)
async def test_a_hostile_id_never_reaches_the_store(world: World, hostile: str) -> None:
    for path in (
        "/cricket-data/match-info/{}",
        "/cricket-data/matches/{}/events",
        "/cricket-data/matches/{}/deliveries",
    ):
        answer = await ask(world, path.format(hostile))
        assert answer.status_code in {400, 404}
        assert answer.headers["content-type"] == "application/problem+json"
    assert world.store.reads == 0


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("limit=0", {"limit"}),
        ("limit=1001", {"limit"}),
        ("limit=ten", {"limit"}),
        ("status=alive", {"status"}),
        ("source=../x", {"source"}),
        ("source=", {"source"}),
        ("limit=x&status=y", {"limit", "status"}),
    ],
)
async def test_every_bad_parameter_is_named(world: World, query: str, named: set[str]) -> None:
    body = problem(await ask(world, f"/cricket-data/matches?{query}"), 400, "bad-parameter")
    assert {fault["parameter"] for fault in body["errors"]} == named


async def test_a_wrong_status_is_told_which_there_are(world: World) -> None:
    body = problem(await ask(world, "/cricket-data/matches?status=alive"), 400, "bad-parameter")
    assert body["detail"] == "status: must be one of upcoming, live, completed, abandoned"


async def test_a_wrong_format_is_told_which_there_are(world: World) -> None:
    world.add()
    path = "/cricket-data/matches/crex_QUY/export?format=xml"
    body = problem(await ask(world, path), 400, "bad-parameter")
    assert body["detail"] == "format: must be one of cricsheet, csv, parquet"


async def test_the_media_type_of_a_csv_names_its_charset_once(world: World) -> None:
    world.add()
    answer = await ask(world, "/cricket-data/matches/crex_QUY/export?format=csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"


@pytest.mark.parametrize(
    "query", ["after=-1", "after=x", "after=1.5", f"after={2**53 + 1}", "limit=1001", "after=9" + "9" * 400]
)
async def test_a_cursor_is_a_whole_number_within_bounds(world: World, query: str) -> None:
    problem(await ask(world, f"/cricket-data/matches/crex_QUY/events?{query}"), 400, "bad-parameter")


@pytest.mark.parametrize(
    "moment", ["yesterday", "2025-13-01", "1e9", "", "0001-01-01T00:00:00%2B23:59", "9999-12-31T23:59:59-23:00"]
)
async def test_a_moment_that_is_none_is_refused(world: World, moment: str) -> None:
    world.add()
    body = problem(await ask(world, f"/cricket-data/matches/crex_QUY/deliveries?as_of={moment}"), 400, "bad-parameter")
    assert "2025-11-12T10:30:00Z" in body["detail"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
async def test_nothing_can_be_written(world: World, method: str) -> None:
    for path in ("/health", "/cricket-data/matches", "/"):
        answer = await ask(world, path, method)
        problem(answer, 405, "method-not-allowed")
        assert {"GET", "HEAD"} <= set(answer.headers["allow"].split(", "))


async def test_an_address_without_a_route_is_a_problem(world: World) -> None:
    for path in ("/nothing", "/cricket-data", "/cricket-data/matches/", "/console/../api.py", "/console/secret.py"):
        answer = await ask(world, path)
        assert answer.status_code in {200, 404}
        if answer.status_code == 404:
            problem(answer, 404, "not-found")


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("application/json", 200),
        ("application/*;q=0.5", 200),
        ("text/html,application/xhtml+xml,*/*;q=0.8", 200),
        ("", 200),
        ("text/csv", 406),
        ("application/json;q=0", 406),
        ("application/json; q=0", 406),
    ],
)
async def test_only_json_is_spoken(world: World, accept: str, status: int) -> None:
    answer = await ask(world, "/livez", headers={"accept": accept})
    assert answer.status_code == status
    page = await ask(world, "/", headers={"accept": "text/html"})
    assert page.status_code == 200


async def test_a_database_that_is_away_is_said_without_its_address(world: World) -> None:
    world.store.is_down = True
    answer = await ask(world, "/cricket-data/matches")
    problem(answer, 503, "store-unavailable")
    assert answer.headers["retry-after"] == "5"
    assert "hunter2" not in answer.text
    assert "postgresql" not in answer.text


@pytest.mark.req("B6")
async def test_a_start_for_which_there_is_no_memory_is_told_with_the_time_of_the_next_try(world: World) -> None:
    def short(_: str) -> Any:
        raise InsufficientMemoryError("Insufficient memory resources: 300 MB are available.", retry_after_seconds=59.2)

    world.add()
    object.__setattr__(world.model, "names", short)
    answer = await ask(world, "/cricket-data/match-info/crex_QUY")
    body = problem(answer, 503, "insufficient-memory")
    assert body["title"] == "Insufficient memory resources"
    assert body["detail"] == "Insufficient memory resources: 300 MB are available."
    assert answer.headers["retry-after"] == "60"


async def test_our_own_mistake_shows_nothing_of_the_inside(world: World) -> None:
    def broken(_: str) -> Any:
        raise ZeroDivisionError("/secret/path token=canary")

    world.add()
    object.__setattr__(world.model, "names", broken)
    answer = await ask(world, "/cricket-data/match-info/crex_QUY")
    problem(answer, 500, "internal")
    for word in ("canary", "secret", "Traceback", "ZeroDivision", ".py"):
        assert word not in answer.text


async def test_an_address_that_is_too_long_is_refused(world: World) -> None:
    problem(await ask(world, "/" + "a" * 2_000), 414, "address-too-long")
    problem(await ask(world, "/health?" + "a" * 3_000), 414, "address-too-long")


async def test_a_harmless_request_id_is_kept_and_another_replaced(world: World) -> None:
    kept = await ask(world, "/livez", headers={"x-request-id": "abc-1.2_3"})
    assert kept.headers["x-request-id"] == "abc-1.2_3"
    for hostile in ("a b", "x" * 65, '{"a":1}'):
        replaced = await ask(world, "/livez", headers={"x-request-id": hostile})
        assert replaced.headers["x-request-id"] != hostile


async def test_every_type_can_be_looked_up(world: World) -> None:
    for name, kind in CATALOGUE.items():
        answer = await ask(world, f"/problems/{name}")
        assert answer.json()["title"] == kind.title
    problem(await ask(world, "/problems/none"), 404, "not-found")
