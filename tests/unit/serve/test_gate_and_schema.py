"""Headers, HEAD, the OpenAPI document, and that nothing here calls anybody else."""

import re

import pytest

from tests.unit.serve.world import World

PATHS = ("/", "/health", "/livez", "/cricket-data/matches", "/ops/board", "/schema", "/console/console.js", "/nothing")


@pytest.fixture
def world() -> World:
    made = World()
    made.add()
    return made


@pytest.mark.parametrize("path", PATHS)
async def test_every_answer_carries_the_security_headers(world: World, path: str) -> None:
    async with world.client() as client:
        headers = (await client.get(path)).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-request-id"]
    assert headers["cache-control"] in {"no-store", "no-cache", "private, no-cache"}


@pytest.mark.parametrize("path", ["/health", "/cricket-data/match-info/crex_QUY", "/"])
async def test_head_is_get_without_the_body(world: World, path: str) -> None:
    async with world.client() as client:
        got, head = await client.get(path), await client.head(path)
    assert head.status_code == got.status_code == 200
    assert head.content == b""
    assert head.headers["content-length"] == str(len(got.content))


async def test_the_document_describes_every_route_and_its_headers(world: World) -> None:
    async with world.client() as client:
        document = (await client.get("/schema")).json()
        assert (await client.get("/schema/openapi.json")).json() == document
        assert (await client.get("/schema/openapi.yaml")).status_code == 200
    assert document["openapi"].startswith("3.1")
    paths = document["paths"]
    assert set(paths) >= {
        "/health",
        "/livez",
        "/cricket-data/matches",
        "/cricket-data/match-info/{match_id}",
        "/cricket-data/matches/{match_id}/events",
        "/cricket-data/matches/{match_id}/deliveries",
    }
    assert "/ops/board" not in paths
    answers = paths["/cricket-data/match-info/{match_id}"]["get"]["responses"]
    assert "X-Data-Age-Seconds" in answers["200"]["headers"]
    assert {"400", "404", "503"} <= set(answers)
    assert "application/problem+json" in answers["404"]["content"]


@pytest.mark.req("H5")
async def test_no_page_asks_anybody_else(world: World) -> None:
    async with world.client() as client:
        for path in (
            "/",
            "/console/console.css",
            "/match/crex_QUY",
            "/console/console.js",
            "/console/theme.js",
            "/favicon.svg",
        ):
            text = (await client.get(path)).text.replace("http://www.w3.org/2000/svg", "")
            assert not re.search(r"(?:https?:)?//[\w.-]+\.\w+", text), path
            assert "innerHTML" not in text
            assert "insertAdjacentHTML" not in text
        page = (await client.get("/")).text
        assert not re.search(r"<script(?![^>]*\bsrc=)", page)
        assert not re.search(r"\son\w+=", page)
        assert " style=" not in page
        for path in ("/schema/redoc", "/schema/swagger", "/schema/elements", "/schema/rapidoc", "/schema/scalar"):
            assert (await client.get(path)).status_code == 404


async def test_an_unchanged_file_is_not_sent_again(world: World) -> None:
    async with world.client() as client:
        first = await client.get("/console/console.js")
        again = await client.get("/console/console.js", headers={"if-none-match": first.headers["etag"]})
    assert first.headers["content-type"].startswith("text/javascript")
    assert again.status_code == 304
    # A browser would put it in the place of the page's own, and shut the page.
    assert "content-security-policy" not in again.headers
    assert again.content == b""
