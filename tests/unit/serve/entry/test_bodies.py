"""What whoever asks accepts and sends: each kind that cannot be served is a problem of its own, and never a fault of
ours."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from longstop.domain.access import Scope
from longstop.serve.negotiation import accepts_json
from tests.unit.serve.entry.house import House, settings_in

pytestmark = pytest.mark.req("G1")
JSON = "application/json"
UNREADABLE = {
    "no UTF-8": b'{"url":"\xff\xfe"}',
    "nested too deeply": b"[" * 3_500,
    "nested objects": b'{"a":' * 600,
    "half of it": b'{"url":',
    "nothing": b"",
    "two of them": b"{} {}",
    "a lone surrogate": rb'{"url":"\ud800"}',
    "not a number": b'{"url":NaN}',
    "a byte order mark": b'\xef\xbb\xbf{"url":"x"}',
    "a nought byte": b'{"url":"\x00"}',
    "a number of 3,000 digits": b'{"url":' + b"9" * 3_000 + b"}",
}
WITH_BODIES = ("/admin/matches", "/admin/matches/crex_QUY/rung", "/console/login", "/cricket-data")


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    made = House(settings_in(tmp_path))
    await made.open()
    yield made
    await made.close()


@pytest.mark.parametrize("what", UNREADABLE)
@pytest.mark.parametrize("path", WITH_BODIES)
async def test_a_body_that_cannot_be_read_is_the_fault_of_who_sent_it(house: House, path: str, what: str) -> None:
    headers = await house.bearer(*Scope) | {"Content-Type": JSON}
    async with house.client() as client:
        answer = await client.post(path, content=UNREADABLE[what], headers=headers)
    assert answer.status_code == 400, answer.text
    assert answer.json()["type"] == "/problems/bad-parameter"
    assert house.engine.asked == []


@pytest.mark.parametrize("media", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data", "x"])
@pytest.mark.parametrize("path", [*WITH_BODIES, "/token/generate-token"])
async def test_a_body_of_another_kind_is_refused_as_such(house: House, path: str, media: str) -> None:
    if path.startswith("/token") and "form-urlencoded" in media:
        return
    headers = await house.bearer(*Scope) | {"Content-Type": media}
    async with house.client() as client:
        answer = await client.post(path, content=b"url=x", headers=headers)
    assert (answer.status_code, answer.json()["type"]) == (415, "/problems/unsupported-media-type")


async def test_a_verb_without_a_body_takes_any_and_looks_at_none(house: House) -> None:
    headers = await house.bearer(*Scope) | {"Content-Type": "text/plain"}
    async with house.client() as client:
        answer = await client.post("/admin/matches/crex_QUY/pause", content=b"\xff", headers=headers)
    assert answer.status_code == 200


async def test_no_kind_of_schema_but_the_documents_is_there_and_that_is_a_problem_too(house: House) -> None:
    for path in ("/schema/redoc", "/schema/swagger", "/schema/x", "/schema/openapi.json/x", "/schema/%2e%2e"):
        answer = await house.get(path)
        assert (answer.status_code, answer.json()["type"]) == (404, "/problems/not-found"), path
    for path in ("/schema", "/schema/", "/schema/openapi.json", "/schema/openapi.yaml"):
        assert (await house.get(path, accept="application/vnd.oai.openapi+json")).status_code == 200, path


@pytest.mark.parametrize(
    ("told", "is_served"),
    [
        ("application/json", True),
        ("Application/JSON; charset=utf-8", True),
        ("*/*", True),
        ("application/*", True),
        ("text/html, */*;q=0.1", True),
        ("text/html,application/json;q=0.001", True),
        ("application/*;q=0, application/json", True),
        ("", True),
        (" , ", True),
        ("text/html", False),
        ("application/xml", False),
        ("application/json;q=0", False),
        ("application/json ; q = 0.000", False),
        ("application/json;q=0, */*", False),
        ("*/*;q=0", False),
        ("application/*;q=0.0, */*;q=1", False),
    ],
)
async def test_the_most_exact_word_about_json_decides(house: House, told: str, is_served: bool) -> None:
    assert accepts_json(told) is is_served
    answer = await house.get(accept=told, **await house.bearer())
    assert answer.status_code == (200 if is_served else 406)
