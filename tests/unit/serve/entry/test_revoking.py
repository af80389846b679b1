"""One token is ended before its time, by its jti or as it is; its key and all others stay."""

from typing import Any

import jwt
import pytest

from longstop.domain.access import Scope
from longstop.store.entry.verb_rows import VerbsAsked
from tests.unit.serve.entry.house import MATCH, House

pytestmark = [pytest.mark.req("G2"), pytest.mark.req("A2")]
REVOKE = "/admin/tokens/revoke"


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def jti_of(token: str) -> str:
    return str(jwt.decode(token, options={"verify_signature": False})["jti"])


@pytest.mark.parametrize("name", ["jti", "token"])
async def test_a_token_that_is_revoked_ends_at_once_and_alone(house: House, name: str) -> None:
    made = await house.key()
    token, other = await house.token(made), await house.token(made)
    assert (await house.get(MATCH, **bearer(token))).status_code == 200
    admin = await house.bearer(Scope.ADMIN, consumer="ops")
    async with house.client(**admin) as client:
        answer = await client.post(REVOKE, json={name: {"jti": jti_of(token), "token": token}[name], "reason": "lost"})
    assert (answer.status_code, answer.json()["jti"]) == (200, jti_of(token))
    assert token not in answer.text
    refused = await house.get(MATCH, **bearer(token))
    assert (refused.status_code, refused.json()["type"]) == (401, "/problems/bad-token")
    assert (await house.get(MATCH, **bearer(other))).status_code == 200
    (told,) = await house.hall.store.verbs(VerbsAsked())
    assert (told.verb, told.subject, told.reason, told.outcome) == ("revoke token", jti_of(token), "lost", "done")
    standing = await house.hall.store.standing()
    assert standing is not None
    assert [each.jti for each in standing.revocations] == [jti_of(token)]


@pytest.mark.parametrize(
    "body",
    [{}, {"jti": "x"}, {"jti": "A" * 32}, {"token": "a.b.c"}, {"jti": "a" * 32, "token": "a.b.c"}],
)
async def test_what_names_no_token_is_refused_and_told(house: House, body: dict[str, Any]) -> None:
    admin = await house.bearer(Scope.ADMIN, consumer="ops")
    async with house.client(**admin) as client:
        answer = await client.post(REVOKE, json=body)
    assert answer.status_code == 404
    await house.hall.audit.flush()
    (told,) = await house.hall.store.verbs(VerbsAsked())
    assert (told.verb, told.outcome, told.consumer) == ("revoke token", "refused", "ops")


async def test_only_who_administers_revokes(house: House) -> None:
    reader = await house.bearer(Scope.READ, Scope.PUSH)
    async with house.client(**reader) as client:
        assert (await client.post(REVOKE, json={"jti": "a" * 32})).status_code == 403


async def test_a_session_of_the_page_is_revoked_in_the_same_way(house: House) -> None:
    made = await house.key(Scope.READ)
    admin = await house.bearer(Scope.ADMIN, consumer="ops")
    async with house.client() as client:
        await client.post("/console/login", json={"api_key": made.plain})
        session = client.cookies["longstop_session"]
        async with house.client(**admin) as operator:
            assert (await operator.post(REVOKE, json={"token": session})).status_code == 200
        assert (await client.get("/console/session")).status_code == 401
