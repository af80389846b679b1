"""A file is asked for by its name, by its media type, or by both where they agree."""

import pytest

from tests.unit.serve.world import World, records

pytestmark = pytest.mark.req("G1")

EXPORT = "/cricket-data/matches/crex_QUY/export"
JSON, CSV, PARQUET = "application/json", "text/csv", "application/vnd.apache.parquet"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("kind", "accept", "answered"),
    [
        ("csv", CSV, CSV),
        ("csv", "text/*", CSV),
        ("csv", "*/*", CSV),
        ("csv", None, CSV),
        ("csv", BROWSER, CSV),
        ("csv", JSON, None),
        ("csv", "*/*, text/csv;q=0", None),
        ("cricsheet", JSON, JSON),
        ("cricsheet", CSV, None),
        ("parquet", PARQUET, PARQUET),
        ("parquet", "application/*", PARQUET),
        ("parquet", JSON, None),
        (None, None, JSON),
        (None, "*/*", JSON),
        (None, BROWSER, JSON),
        (None, CSV, CSV),
        (None, PARQUET, PARQUET),
        (None, "application/json;q=0.4, text/csv;q=0.8", CSV),
        (None, "application/json;q=0.8, text/csv;q=0.4", JSON),
        (None, "image/png", None),
    ],
)
async def test_the_type_is_what_was_accepted_and_of_what_is_not_nothing_is_sent(
    kind: str | None, accept: str | None, answered: str | None
) -> None:
    world = World()
    world.add()
    world.store.ball_rows["crex_QUY"] = records(3)
    async with world.client() as client:
        del client.headers["accept"]
        answer = await client.get(
            EXPORT, params={"format": kind} if kind else {}, headers={"accept": accept} if accept else {}
        )
    if answered is None:
        assert (answer.status_code, answer.json()["type"]) == (406, "/problems/not-acceptable")
    else:
        assert answer.status_code == 200
        assert answer.headers["content-type"].partition(";")[0] == answered
