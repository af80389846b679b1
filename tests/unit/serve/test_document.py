"""What the OpenAPI document says of every route: who is let in, how he is refused, and what an answer looks like."""

from typing import Any

import pytest

from tests.unit.serve.test_admin import Office

pytestmark = pytest.mark.req("G1")


@pytest.fixture
async def document() -> dict[str, Any]:
    async with Office().client() as client:
        await client.get("/schema")
        found: dict[str, Any] = (await client.get("/schema/openapi.json")).json()
    return found


def operations(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{method} {path}", operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
    ]


async def test_every_route_with_a_rule_tells_who_is_let_in_and_how_others_are_refused(document: dict[str, Any]) -> None:
    assert set(document["components"]["securitySchemes"]) == {"token", "session"}
    found = dict(operations(document))
    guarded = [name for name in found if name.split(" ")[1].startswith(("/cricket-data", "/admin"))]
    assert len(guarded) > 15
    for name in guarded:
        assert {"token": []} in found[name]["security"], name
        assert ({} in found[name]["security"]) == (" /cricket-data/" in name and name.startswith("get")), name
        for status in ("401", "403", "429"):
            content = found[name]["responses"][status]["content"]["application/problem+json"]
            assert {shown["value"]["status"] for shown in content["examples"].values()} == {int(status)}, name
    assert "security" not in found["get /health"]


async def test_every_route_that_is_read_shows_an_answer(document: dict[str, Any]) -> None:
    bare = [
        name
        for name, operation in operations(document)
        if name.startswith(("get /cricket-data", "get /health", "get /status", "get /livez", "get /readyz"))
        and not any("examples" in content for content in operation["responses"]["200"]["content"].values())
    ]
    assert bare == []


async def test_files_are_told_with_each_kind_they_come_in(document: dict[str, Any]) -> None:
    found = dict(operations(document))
    export = found["get /cricket-data/matches/{match_id}/export"]["responses"]["200"]["content"]
    assert set(export) == {"application/json", "text/csv", "application/vnd.apache.parquet"}
    kept = found["get /admin/evidence/{folder}/{name}"]["responses"]["200"]["content"]
    assert set(kept) == {"text/plain", "image/png"}
    for name, operation in found.items():
        assert ("415" in operation["responses"]) == ("requestBody" in operation), name
