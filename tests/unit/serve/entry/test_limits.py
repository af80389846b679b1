"""How often somebody may ask: exact at every edge, by consumer and by address, and told truly."""

import asyncio
import random
import re
from bisect import bisect_left
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop.clock import SystemClock
from longstop.domain.access import Scope, Tier
from longstop.serve.entry.addresses import Addresses
from longstop.serve.entry.limits import WINDOW_SECONDS, LocalLimiter, Policy
from longstop.settings.serving import LimitSettings
from tests.unit.serve.entry.house import ELSEWHERE, MATCH, TOKEN, House, settings_in

pytestmark = pytest.mark.req("G2")
POLICY = Policy("standard", 10)


class Wheel(SystemClock):
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.at = 1_000.0

    def monotonic(self) -> float:
        return self.at


def most_in_any_window(moments: list[float]) -> int:
    """By brute force over every window that begins with a request."""
    return max(
        (bisect_left(moments, begin + WINDOW_SECONDS) - number for number, begin in enumerate(moments)), default=0
    )


@given(st.lists(st.floats(0, 30), min_size=1, max_size=200))
def test_in_no_minute_more_than_the_limit_get_in_and_who_waits_does(gaps: list[float]) -> None:
    wheel, accepted = Wheel(), []
    limiter = LocalLimiter(wheel)
    for gap in gaps:
        wheel.at += gap
        verdict = limiter.take_now("a", POLICY)
        if verdict.is_allowed:
            accepted.append(wheel.at)
            continue
        assert 1 <= verdict.reset_seconds <= WINDOW_SECONDS + 1
        wheel.at += verdict.reset_seconds
        assert limiter.take_now("a", POLICY).is_allowed
        accepted.append(wheel.at)
    assert most_in_any_window(accepted) <= POLICY.per_minute


def test_a_burst_on_both_sides_of_an_edge_gets_no_more() -> None:
    """What a fixed window lets through twice."""
    wheel = Wheel()
    limiter = LocalLimiter(wheel)
    wheel.at += 59.9
    assert sum(limiter.take_now("a", POLICY).is_allowed for _ in range(50)) == 10
    wheel.at += 0.2
    assert sum(limiter.take_now("a", POLICY).is_allowed for _ in range(50)) == 0
    wheel.at += 59.8
    assert sum(limiter.take_now("a", POLICY).is_allowed for _ in range(50)) == 10


def test_what_is_refused_does_not_count() -> None:
    wheel = Wheel()
    limiter = LocalLimiter(wheel)
    for _ in range(6_000):
        limiter.take_now("a", POLICY)
        wheel.at += 0.01
    wheel.at += 1
    assert limiter.take_now("a", POLICY).is_allowed


def test_a_hundred_thousand_names_fill_no_memory_and_push_out_nobody_who_is_full() -> None:
    wheel = Wheel()
    limiter = LocalLimiter(wheel)
    for _ in range(10):
        limiter.take_now("full", POLICY)
    for number in range(100_000):
        wheel.at += 0.0005
        limiter.take_now(f"address {number}", POLICY)
        if number % 1_000 == 0:
            assert not limiter.take_now("full", POLICY).is_allowed
    assert len(limiter._windows) <= 20_001


async def test_consumers_are_counted_apart_and_all_keys_of_one_together(house: House) -> None:
    first = await house.bearer(consumer="acme")
    second = await house.bearer(consumer="acme")
    other = await house.bearer(consumer="other")
    async with house.client() as client:
        answers = [await client.get(MATCH, headers=(first, second)[number % 2]) for number in range(100)]
        # Each of the two tokens was a request too.
        assert [answer.status_code for answer in answers] == [200] * 98 + [429] * 2
        assert (await client.get(MATCH, headers=other)).status_code == 200


async def test_logins_share_the_limit_of_their_consumer_with_everything_else(house: House) -> None:
    made = await house.key(Scope.READ)
    answers: list[httpx.Response] = []
    async with house.client() as client:
        for _ in range(4):
            answers.append(await client.post("/console/login", json={"api_key": made.plain}))
            answers += [await client.get(path) for path in (MATCH, "/ops/board", "/cricket-data/matches") * 15]
        bearer = {"Authorization": f"Bearer {client.cookies['longstop_session']}"}
        client.cookies.clear()
        answers.append(await client.post(TOKEN, json={"api_key": made.plain}, headers=bearer))
    assert sum(answer.status_code == 200 for answer in answers) == 100
    assert {answer.status_code for answer in answers[100:]} == {429}


async def test_each_answer_says_where_its_consumer_stands(house: House) -> None:
    bearer = await house.bearer()
    async with house.client() as client:
        answer = await client.get(MATCH, headers=bearer)
        assert answer.headers["ratelimit-policy"] == '"standard";q=100;w=60'
        assert re.fullmatch(r'"standard";r=98;t=\d+', answer.headers["ratelimit"])
        assert (answer.headers["x-ratelimit-limit"], answer.headers["x-ratelimit-remaining"]) == ("100", "98")
        for _ in range(98):
            await client.get("/cricket-data/match-info/crex_NOBODY", headers=bearer)
        refused = await client.get(MATCH, headers=bearer)
    problem = refused.json()
    assert (refused.status_code, problem["type"]) == (429, "/problems/too-many-requests")
    assert 58 <= int(refused.headers["retry-after"]) <= 60
    assert refused.headers["x-ratelimit-remaining"] == "0"
    assert re.fullmatch(r'"standard";r=0;t=\d+', refused.headers["ratelimit"])


async def test_the_premium_tier_has_its_own_limit(house: House) -> None:
    bearer = await house.bearer(tier=Tier.PREMIUM)
    async with house.client() as client:
        answers = [await client.get("/cricket-data/matches?limit=1", headers=bearer) for _ in range(1_001)]
    assert sum(answer.status_code == 200 for answer in answers) == 999
    assert answers[-1].headers["ratelimit-policy"] == '"premium";q=1000;w=60'


async def bypasses(client: httpx.AsyncClient, bearer: dict[str, str]) -> list[httpx.Response]:
    chance = random.Random(4)
    paths = [MATCH, MATCH + "/", "//cricket-data/match-info/crex_QUY", f"{MATCH}?x=%d", "/cricket-data//matches"]
    answers = []
    for number in range(400):
        some = f"198.51.100.{number % 250}"
        headers = chance.choice(
            [
                {"X-Forwarded-For": some},
                {"X-Real-IP": some},
                {"Forwarded": f"for={some}"},
                {"X-Client-IP": some, "True-Client-IP": some, "CF-Connecting-IP": some},
                {"authorization": bearer["Authorization"].replace("Bearer", "bEARER")},
                {"X-Forwarded-Host": some, "Host": "127.0.0.1:8000"},
                {"X-Request-Id": f"r{number}"},
                {"Cookie": f"a={number}"},
                {"User-Agent": some, "Accept-Language": some},
            ]
        )
        path = paths[number % len(paths)]
        method = ("GET", "HEAD")[number % 2]
        sent = {key: value for key, value in bearer.items() if "authorization" not in headers} | headers
        answers.append(await client.request(method, path % number if "%d" in path else path, headers=sent))
    return answers


async def test_no_header_no_method_and_no_spelling_gets_more(house: House) -> None:
    bearer = await house.bearer()
    async with house.client() as client:
        answers = await bypasses(client, bearer)
    accepted = [answer for answer in answers if answer.status_code not in {429, 404}]
    assert len(accepted) <= 99
    assert sum(answer.status_code == 429 for answer in answers) >= 200


@pytest.mark.parametrize("path", [MATCH, TOKEN, "/console/login"])
async def test_whoever_guesses_is_stopped_by_his_address_and_nobody_else(house: House, path: str) -> None:
    bearer = await house.bearer()

    async def guess(client: httpx.AsyncClient, number: int) -> httpx.Response:
        lie = {"X-Forwarded-For": f"198.51.100.{number}"}
        if path == MATCH:
            return await client.get(path, headers=lie | {"Authorization": f"Bearer guess{number}"})
        return await client.post(path, headers=lie, json={"api_key": f"lsk_aaaaaaaa_{'a' * 51}{'abcdefg'[number % 7]}"})

    async with house.client() as client:
        answers = [await guess(client, number) for number in range(60)]
        assert [answer.status_code for answer in answers] == [401] * 30 + [429] * 30
        told = answers[-1].headers
        assert int(told["retry-after"]) <= 60
        assert told["ratelimit"] == f'"attempts";r=0;t={told["retry-after"]}'
        assert (told["x-ratelimit-limit"], told["x-ratelimit-remaining"]) == ("30", "0")
        assert (await client.get(MATCH, headers=bearer)).status_code == 200
    async with house.client("192.0.2.200") as client:
        assert (await guess(client, 1)).status_code == 401


@pytest.mark.parametrize("path", [TOKEN, "/console/login"])
async def test_an_address_that_guessed_too_often_does_not_learn_that_a_key_is_right(house: House, path: str) -> None:
    made = await house.key()
    async with house.client() as client:
        for number in range(30):
            wrong = f"lsk_aaaaaaaa_{'a' * 51}{'abcdefg'[number % 7]}"
            assert (await client.post(path, json={"api_key": wrong})).status_code == 401
        right = await client.post(path, json={"api_key": made.plain})
        assert (right.status_code, right.json()["type"]) == (429, "/problems/too-many-requests")
        assert int(right.headers["retry-after"]) > 0
    async with house.client("192.0.2.200") as client:
        assert (await client.post(path, json={"api_key": made.plain})).status_code == 200


async def test_a_reader_at_this_machine_is_not_limited(house: House) -> None:
    async with house.client("127.0.0.1") as client:
        assert {(await client.get("/cricket-data/matches?limit=1")).status_code for _ in range(150)} == {200}


async def test_new_limits_hold_from_the_next_request_on(house: House, tmp_path: Path) -> None:
    bearer = await house.bearer()
    assert (await house.get(**bearer)).headers["x-ratelimit-limit"] == "100"
    house.hall.retune(settings_in(tmp_path, limits=LimitSettings(standard_per_minute=3)))
    statuses = [(await house.get(**bearer)).status_code for _ in range(3)]
    assert statuses == [200, 429, 429]


def scope(peer: str, *forwarded: str) -> dict[str, Any]:
    return {"client": (peer, 1), "headers": [(b"x-forwarded-for", value.encode()) for value in forwarded]}


@pytest.mark.parametrize(
    ("trusted", "peer", "forwarded", "whose"),
    [
        ((), "192.0.2.1", ("198.51.100.1",), "192.0.2.1"),
        (("10.0.0.0/8",), "192.0.2.1", ("198.51.100.1",), "192.0.2.1"),
        (("10.0.0.0/8",), "10.1.1.1", ("198.51.100.1",), "198.51.100.1"),
        (("10.0.0.0/8",), "10.1.1.1", ("203.0.113.9, 198.51.100.1",), "198.51.100.1"),
        (("10.0.0.0/8",), "10.1.1.1", ("203.0.113.9", "198.51.100.1"), "198.51.100.1"),
        (("10.0.0.0/8",), "10.1.1.1", ("198.51.100.1, 10.2.2.2",), "198.51.100.1"),
        (("10.0.0.0/8",), "10.1.1.1", ("198.51.100.1, nonsense",), "10.1.1.1"),
        (("10.0.0.0/8",), "10.1.1.1", ("nonsense, 198.51.100.1",), "198.51.100.1"),
        (("10.0.0.0/8",), "10.1.1.1", (), "10.1.1.1"),
        (("10.0.0.0/8",), "10.1.1.1", (", ".join(["10.2.2.2"] * 5_000),), "10.2.2.2"),
        ((), "2001:db8::1", (), "2001:db8::/64"),
        ((), "2001:db8::ffff:1", (), "2001:db8::/64"),
        ((), "::ffff:192.0.2.1", (), "192.0.2.1"),
        (("10.0.0.0/8",), "::ffff:10.1.1.1", ("198.51.100.1",), "198.51.100.1"),
        ((), "unix", (), "unknown"),
    ],
)
def test_an_address_is_believed_as_far_as_the_proxies_are_ours(
    trusted: tuple[str, ...], peer: str, forwarded: tuple[str, ...], whose: str
) -> None:
    assert Addresses(trusted).of(scope(peer, *forwarded)) == whose


async def test_behind_a_trusted_proxy_guessers_are_told_apart(tmp_path: Path) -> None:
    house = House(settings_in(tmp_path, limits=LimitSettings(trusted_proxies=("192.0.2.0/24",), attempts_per_minute=3)))
    await house.open()
    async with house.client(ELSEWHERE) as client:
        for guesser in ("198.51.100.1", "198.51.100.2"):
            statuses = [
                (await client.get(MATCH, headers={"X-Forwarded-For": f"{number}.1.1.1, {guesser}"})).status_code
                for number in range(5)
            ]
            assert statuses == [401, 401, 401, 429, 429]
    await house.close()


async def test_many_at_once_get_no_more(house: House) -> None:
    bearer = await house.bearer(Scope.READ)
    async with house.client() as client:
        answers = await asyncio.gather(*(client.get(MATCH, headers=bearer) for _ in range(150)))
    assert sum(answer.status_code == 200 for answer in answers) == 99


async def test_what_a_token_does_not_allow_counts_as_well(house: House) -> None:
    bearer = await house.bearer(Scope.READ)
    async with house.client() as client:
        statuses = [(await client.post("/admin/recycle", headers=bearer)).status_code for _ in range(110)]
    assert statuses == [403] * 99 + [429] * 11


@pytest.mark.parametrize("first", [0.0, 0.1, 12345.678, 2.0**33 + 0.3])
async def test_whoever_comes_to_the_second_when_he_was_told_to_is_let_in_and_not_before(first: float) -> None:
    clock = Ticking(first)
    limiter, policy = LocalLimiter(clock), Policy("small", 2)
    assert limiter.take_now("acme", policy).reset_seconds == 60
    clock.seconds += 0.25
    limiter.take_now("acme", policy)
    refused = limiter.take_now("acme", policy)
    assert (refused.is_allowed, refused.reset_seconds) == (False, 60)
    clock.seconds = first + 59.9
    assert not limiter.take_now("acme", policy).is_allowed
    assert limiter.take_now("acme", policy).reset_seconds == 1
    clock.seconds = first + 60
    assert limiter.take_now("acme", policy).is_allowed


class Ticking(SystemClock):
    """Moved by the test."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def monotonic(self) -> float:
        return self.seconds
