"""From a key to a token to an answer, and how each of them ends."""

import base64
import json
from datetime import timedelta
from pathlib import Path

import jwt
import pytest

from longstop.domain.access import Scope
from longstop.serve.entry.directory import REFRESH_SECONDS
from longstop.serve.entry.hall import Hall
from longstop.settings.serving import AuthSettings
from tests.unit.serve.entry.house import MATCH, TOKEN, House, settings_in

pytestmark = pytest.mark.req("G2")


async def test_a_key_becomes_a_token_that_opens_what_its_scopes_allow(house: House) -> None:
    made = await house.key(Scope.READ)
    async with house.client() as client:
        answer = await client.post(TOKEN, json={"api_key": made.plain})
        given = answer.json()
        assert answer.headers["cache-control"] == "no-store"
        assert (given["token_type"], given["expires_in"], given["scope"]) == ("Bearer", 86_400, "read")
        assert given["token"] == given["access_token"]
        bearer = {"Authorization": f"Bearer {given['access_token']}"}
        assert (await client.get(MATCH, headers=bearer)).status_code == 200
        refused = await client.post("/admin/recycle", headers=bearer)
        assert (refused.status_code, refused.json()["type"]) == (403, "/problems/scope-missing")
        assert 'error="insufficient_scope"' in refused.headers["www-authenticate"]
    claims = jwt.decode(given["access_token"], options={"verify_signature": False})
    assert set(claims) == {"iss", "aud", "sub", "jti", "iat", "exp", "scope"}
    assert made.plain not in json.dumps(claims)


async def test_the_key_may_come_in_any_of_its_forms(house: House) -> None:
    made = await house.key(Scope.READ, Scope.PUSH)
    form = {"grant_type": "client_credentials", "client_id": made.key.key_id}
    basic = base64.b64encode(f"{made.key.key_id}:{made.plain}".encode()).decode()
    async with house.client() as client:
        for sent in (
            await client.post(TOKEN, headers={"X-API-Key": made.plain}),
            await client.post(TOKEN, json={}, headers={"X-API-Key": made.plain}),
            await client.post(TOKEN, data=form | {"client_secret": made.plain}),
            await client.post(TOKEN, data=form, headers={"Authorization": f"Basic {basic}"}),
            await client.post(TOKEN, headers={"Authorization": f"Basic {basic}"}),
        ):
            assert sent.status_code == 200, sent.text
            assert sent.json()["scope"] == "push read"
        narrow = await client.post(TOKEN, data=form | {"client_secret": made.plain, "scope": "read"})
        assert narrow.json()["scope"] == "read"


@pytest.mark.parametrize(
    ("sent", "status", "kind"),
    [
        ({}, 401, "bad-key"),
        ({"content": b""}, 401, "bad-key"),
        ({"content": b"{"}, 400, "bad-parameter"),
        ({"content": b"[1]"}, 400, "bad-parameter"),
        ({"content": b"\xff\xfe"}, 400, "bad-parameter"),
        ({"json": {"api_key": 7}}, 400, "bad-parameter"),
        ({"json": {"api_key": "nonsense"}}, 401, "bad-key"),
        ({"json": {"api_key": "lsk_aaaaaaaa_" + "a" * 52}}, 401, "bad-key"),
        ({"json": {"api_key": "lsk_aaaaaaaa_" + "a" * 52 + "\n"}}, 401, "bad-key"),
        ({"json": {"api_key": "' OR 1=1 --"}}, 401, "bad-key"),
        ({"data": {"grant_type": "password", "client_secret": "x"}}, 400, "bad-parameter"),
        ({"data": {"client_secret": "x"}}, 400, "bad-parameter"),
        ({"data": {"grant_type": "client_credentials"}}, 401, "bad-key"),
        ({"content": b"<xml/>", "headers": {"content-type": "text/xml"}}, 415, "unsupported-media-type"),
        ({"content": b"x" * 10_000}, 413, "too-large"),
        ({"headers": {"Authorization": "Basic !!!"}}, 401, "bad-key"),
        ({"headers": {"X-API-Key": b"\xd0\xba\xff"}}, 401, "bad-key"),
    ],
    ids=str,
)
async def test_what_is_no_key_gets_no_token(house: House, sent: dict[str, object], status: int, kind: str) -> None:
    async with house.client() as client:
        answer = await client.post(TOKEN, **sent)  # type: ignore[arg-type]  # each row fits
    assert (answer.status_code, answer.json()["type"]) == (status, f"/problems/{kind}")


async def test_more_than_the_key_may_do_is_not_given(house: House) -> None:
    made = await house.key(Scope.READ)
    async with house.client() as client:
        more = await client.post(TOKEN, json={"api_key": made.plain, "scope": "read admin"})
        assert (more.status_code, more.json()["type"]) == (403, "/problems/scope-missing")
        odd = await client.post(TOKEN, json={"api_key": made.plain, "scope": "root"})
        assert odd.status_code == 400


async def test_who_may_administer_may_also_read(house: House) -> None:
    assert (await house.get(**await house.bearer(Scope.ADMIN))).status_code == 200


async def test_a_token_ends_when_its_time_has_come(house: House) -> None:
    bearer = await house.bearer()
    house.clock.advance(86_399)
    assert (await house.get(**bearer)).status_code == 200
    house.clock.advance(1)
    answer = await house.get(**bearer)
    assert (answer.status_code, answer.json()["detail"]) == (401, "The token has run out.")
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]


async def test_a_revoked_key_ends_its_tokens_in_every_process_within_seconds(house: House, tmp_path: Path) -> None:
    made = await house.key()
    bearer = {"Authorization": f"Bearer {await house.token(made)}"}
    other = House(settings_in(tmp_path))
    await other.open()
    assert (await other.get(**bearer)).status_code == 200
    assert (await house.get(**bearer)).status_code == 200
    await house.hall.store.end_key(made.key.key_id, house.clock.now())
    assert REFRESH_SECONDS <= 3
    for each in (house, other):
        keeping = each.hall.services[0]
        await keeping.look()  # type: ignore[attr-defined]  # what the service does each two seconds
        answer = await each.get(**bearer)
        assert (answer.status_code, answer.json()["type"]) == (401, "/problems/bad-token")
        async with each.client() as client:
            assert (await client.post(TOKEN, json={"api_key": made.plain})).status_code == 401
    await other.close()


async def test_one_token_is_revoked_and_the_others_of_its_key_go_on(house: House) -> None:
    made = await house.key()
    first, second = await house.token(made), await house.token(made)
    claims = jwt.decode(first, options={"verify_signature": False})
    await house.hall.directory.revoke(claims["jti"], house.clock.now() + timedelta(days=1))
    assert (await house.get(Authorization=f"Bearer {first}")).status_code == 401
    assert (await house.get(Authorization=f"Bearer {second}")).status_code == 200


async def test_a_key_that_is_replaced_and_its_tokens_end_with_the_overlap(house: House) -> None:
    made = await house.key()
    bearer = {"Authorization": f"Bearer {await house.token(made)}"}
    await house.end(made.key, seconds=600)
    house.clock.advance(599)
    assert (await house.get(**bearer)).status_code == 200
    house.clock.advance(2)
    assert (await house.get(**bearer)).status_code == 401


async def test_a_key_that_runs_out_takes_its_tokens_with_it(house: House) -> None:
    bearer = await house.bearer(expires_at=house.clock.now() + timedelta(hours=1))
    house.clock.advance(3_599)
    assert (await house.get(**bearer)).status_code == 200
    house.clock.advance(1)
    assert (await house.get(**bearer)).status_code == 401


async def test_a_new_signing_key_is_known_before_it_signs_and_the_old_one_is_believed(
    house: House, tmp_path: Path
) -> None:
    other = House(settings_in(tmp_path))
    await other.open()
    made = await house.key()
    await other.hall.directory.refresh()
    old = await house.token(made)
    file = house.hall._signing
    assert file is not None
    added = file.rotate(house.clock.now(), timedelta(hours=24))
    await house.hall.services[0].look()  # type: ignore[attr-defined]  # what the service does each two seconds
    still = await house.token(made)
    assert jwt.get_unverified_header(still)["kid"] == jwt.get_unverified_header(old)["kid"]
    house.clock.advance(11)
    new = await house.token(made)
    assert jwt.get_unverified_header(new)["kid"] == added.kid
    other.clock.advance(11)
    await other.hall.services[0].look()  # type: ignore[attr-defined]  # the same
    for token in (old, still, new):
        assert (await other.get(Authorization=f"Bearer {token}")).status_code == 200
    house.clock.advance(86_400)
    file.rotate(house.clock.now(), timedelta(hours=24))
    assert len(json.loads(file.path.read_bytes())) == 2
    await other.close()


async def test_secrets_of_the_settings_lead_to_the_same_tokens_everywhere(tmp_path: Path) -> None:
    old, new = "vQ3nT8zK1xW6pL0rY5bM2hJ9dF7gS4cA", "9b1f6c0e2a7d4853b0c9e1f7a2d64835"

    def auth(secret: str, before: str = "") -> AuthSettings:
        return AuthSettings.model_validate({"jwt_secret": secret, "jwt_secret_before": before})

    first = House(settings_in(tmp_path, auth=auth(old)))
    await first.open()
    bearer = await first.bearer()
    rotated, strange = House(settings_in(tmp_path, auth=auth(new, old))), House(settings_in(tmp_path, auth=auth(new)))
    for house, status in ((rotated, 200), (strange, 401)):
        await house.open()
        assert (await house.get(**bearer)).status_code == status
        await house.close()
    await first.close()
    assert not (tmp_path / "access" / "signing-keys.json").exists()


async def test_a_first_start_makes_an_admin_key_that_only_its_owner_reads(tmp_path: Path) -> None:
    house = House(settings_in(tmp_path))
    file = await house.hall.open()
    assert file == tmp_path / "access" / "admin-key"
    assert {each.stat().st_mode & 0o077 for each in (tmp_path / "access").iterdir()} == {0}
    async with house.client() as client:
        answer = await client.post(TOKEN, json={"api_key": file.read_text()})
        assert answer.json()["scope"] == "admin push read"
    plain = file.read_text()
    await house.close()
    again = Hall(settings_in(tmp_path), house.clock, house.heard.bus)
    assert await again.open() == file
    assert file.read_text() == plain
    assert len(await again.store.keys()) == 1
    await again.close()


async def test_on_this_machine_reading_is_open_and_nothing_else_is(house: House) -> None:
    assert (await house.get(peer="127.0.0.1")).status_code == 200
    for headers in ({"host": "evil.example"}, {"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
        answer = await house.get(peer="127.0.0.1", **headers)
        assert (answer.status_code, answer.json()["type"]) == (403, "/problems/not-from-here")
    assert (await house.get(peer="127.0.0.1", Authorization="Bearer nonsense")).status_code == 401
    assert (await house.get()).status_code == 401
    async with house.client("127.0.0.1") as client:
        assert (await client.post("/admin/recycle")).status_code == 401


async def test_reading_can_be_shut_and_administration_be_opened_while_running(house: House, tmp_path: Path) -> None:
    auth = AuthSettings(open_reading=False, open_admin=True)
    house.hall.retune(settings_in(tmp_path, auth=auth))
    assert (await house.get(peer="127.0.0.1")).status_code == 401
    async with house.client("127.0.0.1") as client:
        assert (await client.post("/admin/recycle")).status_code == 200


@pytest.mark.parametrize(
    ("body", "scope"),
    [(b"", "push read"), (b"scope=read", "read"), (b"grant_type=client_credentials&scope=read", "read")],
)
async def test_a_key_in_its_header_counts_whatever_kind_the_body_is(house: House, body: bytes, scope: str) -> None:
    made = await house.key(Scope.READ, Scope.PUSH)
    headers = {"X-API-Key": made.plain, "Content-Type": "application/x-www-form-urlencoded"}
    async with house.client() as client:
        answer = await client.post(TOKEN, content=body, headers=headers)
        assert (answer.status_code, answer.json().get("scope")) == (200, scope)
        for odd in (b'{"scope": "read"}', b"scopes=read", b"grant_type=password"):
            assert (await client.post(TOKEN, content=odd, headers=headers)).status_code == 400
