"""The login of the operations page: a cookie no script reads, a word the page repeats, and an end."""

from typing import Any

import httpx
import pytest

from longstop.domain.access import Scope
from longstop.observe.signals import AdminVerbUsed
from longstop.serve.entry.keys import NewKey
from longstop.settings.serving import LimitSettings
from tests.unit.serve.entry.house import ELSEWHERE, MATCH, House, settings_in

pytestmark = [pytest.mark.req("H5"), pytest.mark.req("G2")]
HOME = "http://127.0.0.1:8000"


async def logged_in(client: httpx.AsyncClient, made: NewKey) -> dict[str, Any]:
    answer = await client.post("/console/login", json={"api_key": made.plain})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def test_a_login_opens_the_page_and_its_verbs(house: House) -> None:
    made = await house.key(Scope.ADMIN, consumer="ops")
    async with house.client(ELSEWHERE) as client:
        assert (await client.get("/console/session")).status_code == 401
        answer = await client.post("/console/login", json={"api_key": made.plain})
        cookie = answer.headers["set-cookie"]
        for part in ("longstop_session=", "HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"):
            assert part in cookie
        assert "Secure" not in cookie
        session = answer.json()
        assert (session["consumer"], session["scopes"]) == ("ops", ["admin"])
        assert session["csrf_token"] not in cookie
        assert (await client.get("/console/session")).json() == session
        assert (await client.get("/ops/board")).status_code == 200
        assert (await client.get(MATCH)).headers["ratelimit-policy"] == '"standard";q=100;w=60'
        word = {"X-CSRF-Token": session["csrf_token"]}
        assert (await client.post("/admin/recycle", headers={**word, "Origin": HOME})).status_code == 200
    (told,) = house.heard.of(AdminVerbUsed)
    assert (told.verb, told.outcome, told.consumer) == ("recycle", "done", "ops")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-CSRF-Token": ""},
        {"X-CSRF-Token": "0" * 64},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
    ids=str,
)
async def test_what_another_page_sends_with_the_cookie_is_refused(house: House, headers: dict[str, str]) -> None:
    made = await house.key(Scope.ADMIN)
    async with house.client() as client:
        session = await logged_in(client, made)
        good = {"X-CSRF-Token": session["csrf_token"]} if "X-CSRF-Token" not in headers and headers else {}
        for path in ("/admin/recycle", "/admin/matches/crex_QUY/stop", "/console/logout"):
            answer = await client.post(path, headers=good | headers)
            assert (answer.status_code, answer.json()["type"]) == (403, "/problems/not-from-here")
        assert (await client.get("/console/session")).status_code == 200
    assert house.engine.asked == []


async def test_a_logout_ends_the_session_for_good(house: House) -> None:
    made = await house.key(Scope.READ)
    async with house.client() as client:
        session = await logged_in(client, made)
        kept = client.cookies["longstop_session"]
        answer = await client.post("/console/logout", headers={"X-CSRF-Token": session["csrf_token"]})
        assert answer.json() == {"is_logged_in": False}
        assert "Max-Age=0" in answer.headers["set-cookie"]
        client.cookies.clear()
        refused = await client.get(MATCH, headers={"Cookie": f"longstop_session={kept}"})
        assert (refused.status_code, refused.json()["type"]) == (401, "/problems/bad-token")
    standing = await house.hall.store.standing()
    assert standing is not None
    assert len(standing.revocations) == 1


async def test_a_login_is_no_token_of_the_api(house: House) -> None:
    made = await house.key(Scope.READ)
    async with house.client() as client:
        await logged_in(client, made)
        session = client.cookies["longstop_session"]
        client.cookies.clear()
        assert (await client.get(MATCH, headers={"Authorization": f"Bearer {session}"})).status_code == 401


async def test_over_https_the_cookie_is_for_https_only(house: House, tmp_path: Any) -> None:
    behind = House(settings_in(tmp_path, limits=LimitSettings(trusted_proxies=("192.0.2.0/24",))))
    await behind.open()
    made = await behind.key(Scope.READ)
    sent: dict[str, Any] = {"json": {"api_key": made.plain}, "headers": {"X-Forwarded-Proto": "https"}}
    async with behind.client() as client:
        assert "; Secure" in (await client.post("/console/login", **sent)).headers["set-cookie"]
    async with behind.client("198.51.100.1") as client:
        assert "; Secure" not in (await client.post("/console/login", **sent)).headers["set-cookie"]
    await behind.close()


async def test_a_wrong_key_logs_nobody_in(house: House) -> None:
    async with house.client() as client:
        answer = await client.post("/console/login", json={"api_key": "lsk_aaaaaaaa_" + "a" * 52})
        assert (answer.status_code, answer.json()["type"]) == (401, "/problems/bad-key")
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}], ids=str)
async def test_a_foreign_page_logs_nobody_in(house: House, headers: dict[str, str]) -> None:
    made = await house.key(Scope.READ)
    async with house.client() as client:
        answer = await client.post("/console/login", json={"api_key": made.plain}, headers=headers)
        assert (answer.status_code, answer.json()["type"]) == (403, "/problems/not-from-here")
        assert "set-cookie" not in answer.headers
