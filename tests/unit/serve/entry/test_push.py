"""POST /cricket-data at the door: who may, what is refused with which words, and that the same twice is the same."""

import base64
import tracemalloc
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from longstop.domain.access import Scope
from longstop.serve.freshness import iso
from longstop.serve.problems import ApiError
from longstop.serve.push_form import BODY_BYTES_MAX, payloads_of
from tests.unit.serve.entry.house import House
from tests.unit.store.test_pushes import payload

pytestmark = pytest.mark.req("G1")

PATH = "/cricket-data"


def sent(number: int, **changes: Any) -> dict[str, Any]:
    made: dict[str, Any] = msgspec.to_builtins(payload(number))
    return made | changes


async def pushed(house: House, body: Any, bearer: dict[str, str], **headers: str) -> Any:
    async with house.client() as client:
        return await client.post(PATH, json=body, headers=bearer | headers)


async def test_one_or_several_are_taken_at_once_and_can_be_looked_up(house: House) -> None:
    bearer = await house.bearer(Scope.PUSH)
    one = await pushed(house, sent(1), bearer)
    several = await pushed(house, {"payloads": [sent(2), sent(3)]}, bearer)
    assert (one.status_code, several.status_code) == (202, 202)
    assert len(several.json()["items"]) == 2
    async with house.client() as client:
        found = await client.get(several.headers["location"], headers=bearer)
        assert found.json() == several.json()
        others = await client.get(several.headers["location"], headers=await house.bearer(Scope.PUSH, consumer="else"))
        assert others.status_code == 404
        assert (await client.get("/cricket-data/pushes/nothing", headers=bearer)).status_code == 404
    assert house.pushes.waiting_count == 3


async def test_the_same_push_again_gets_the_same_answer_and_another_under_its_key_a_conflict(house: House) -> None:
    bearer = await house.bearer(Scope.PUSH)
    first = await pushed(house, sent(1), bearer, **{"Idempotency-Key": "a"})
    again = await pushed(house, sent(1), bearer, **{"Idempotency-Key": "a"})
    assert (again.status_code, again.json()) == (202, first.json())
    other = await pushed(house, sent(2), bearer, **{"Idempotency-Key": "a"})
    assert (other.status_code, other.json()["type"]) == (409, "/problems/push-conflict")
    assert house.pushes.waiting_count == 1


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({}, "missing required field"),
        ([], "object"),
        ({"payloads": []}, "length"),
        ({"payloads": [sent(1)] * 101}, "length"),
        ({"payloads": [sent(1)], "more": 1}, "unknown field `more`"),
        (sent(1, colour="red"), "unknown field `colour`"),
        (sent(1, body="§"), "base64"),
        (sent(1, match_key="../x"), "regex"),
        (sent(1, captured_at="2026-01-31T12:00:00"), "timezone"),
        (sent(1, status=404), "status"),
        (sent(1, captured_at="0001-01-01T00:00:00+14:00"), "captured_at: must lie between"),
        (sent(1, requested_at="9999-12-31T23:59:59-14:00"), "requested_at: must lie between"),
        (sent(1, captured_at="0001-01-01T00:00:00Z"), "captured_at: must lie between"),
        ({"payloads": [sent(1), sent(2, requested_at="9999-12-31T23:59:59Z")]}, "requested_at: must lie between"),
    ],
)
async def test_what_is_no_push_is_refused_with_a_sentence(house: House, body: Any, says: str) -> None:
    answer = await pushed(house, body, await house.bearer(Scope.PUSH))
    assert answer.status_code == 400, answer.text
    assert says in answer.json()["detail"]
    assert house.pushes.waiting_count == 0


async def test_a_full_house_says_when_to_come_again(house: House) -> None:
    bearer = await house.bearer(Scope.PUSH)
    await pushed(house, {"payloads": [sent(number) for number in range(10)]}, bearer)
    answer = await pushed(house, sent(11), bearer)
    assert (answer.status_code, answer.json()["type"]) == (503, "/problems/pushes-full")
    assert int(answer.headers["retry-after"]) > 0


async def test_a_body_beyond_the_bound_is_refused(house: House) -> None:
    bearer = await house.bearer(Scope.PUSH)
    async with house.client() as client:
        answer = await client.post(PATH, content=b"x" * (16 * 1024 * 1024 + 1), headers=bearer)
    assert answer.status_code == 413


BOMBS = {
    "keys": lambda: b"{" + b",".join(b'"%07x":1' % number for number in range(1_250_000)) + b"}",
    "the same key": lambda: b"{" + b",".join([b'"payloads":[]'] * 1_000_000) + b"}",
    "keys beside a batch": lambda: b'{"payloads":[],' + b",".join(b'"%07x":1' % n for n in range(1_250_000)) + b"}",
    "numbers": lambda: b'{"payloads":[' + b"1," * 7_000_000 + b"1]}",
    "payloads": lambda: b'{"payloads":[' + b",".join([msgspec.json.encode(payload(1))] * 50_000)[: 15 * 2**20],
    "objects": lambda: b"[" + b"{}," * 5_000_000 + b"{}]",
    "depth": lambda: b'{"a":' + b"[" * 15_000_000,
    "lists": lambda: b'{"payloads":[' + b"[]," * 5_000_000 + b"[]]}",
}


@pytest.mark.req("A5")
@pytest.mark.parametrize("kind", BOMBS)
def test_a_body_that_would_become_much_larger_is_refused_before_it_does(kind: str) -> None:
    bomb = BOMBS[kind]()
    assert len(bomb) <= BODY_BYTES_MAX
    tracemalloc.start()
    try:
        with pytest.raises(ApiError) as refused:
            payloads_of(bomb)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert refused.value.kind.status == 400
    assert peak < 4 * 2**20


async def test_a_large_push_is_taken_whole(house: House) -> None:
    bearer = await house.bearer(Scope.PUSH)
    large = [sent(number, body=base64.b64encode(bytes([number]) * 1_000_000).decode()) for number in range(9)]
    answer = await pushed(house, {"payloads": large}, bearer)
    assert (answer.status_code, len(answer.json()["items"])) == (202, 9)


async def test_who_may_only_read_may_not_push(house: House) -> None:
    assert (await pushed(house, sent(1), await house.bearer(Scope.READ))).status_code == 403
    assert (await pushed(house, sent(1), {})).status_code == 401


async def test_nothing_was_captured_after_it_came(house: House) -> None:
    """A clock that is ahead would make it young; a payload that is far ahead is left to be refused for it."""
    bearer, now = await house.bearer(Scope.PUSH), house.clock.now()
    ahead = {"captured_at": iso(now + timedelta(minutes=4)), "requested_at": iso(now + timedelta(minutes=3))}
    far = dict.fromkeys(ahead, iso(now + timedelta(hours=1)))
    before = dict.fromkeys(ahead, iso(now - timedelta(hours=1)))
    first = await pushed(house, {"payloads": [sent(1, **ahead), sent(2, **far), sent(3, **before)]}, bearer)
    taken = [item.payload for item in await house.pushes.waiting(10)]
    assert [payload.captured_at - now for payload in taken] == [timedelta(0), timedelta(hours=1), timedelta(hours=-1)]
    assert taken[0].requested_at == now
    house.world.clock.advance(60)
    again = await pushed(house, {"payloads": [sent(1, **ahead), sent(2, **far), sent(3, **before)]}, bearer)
    assert (again.status_code, again.json()["id"]) == (202, first.json()["id"])
    assert house.pushes.waiting_count == 3
