"""A2: of more than sixty forged tokens none is accepted, whoever asks and in whatever way they are sent."""

import jwt
import pytest

from longstop.domain.access import Scope
from longstop.serve.entry.tokens import Audience, NotBelieved
from tests.unit.serve.entry.forgeries import Forger
from tests.unit.serve.entry.house import MATCH, House

pytestmark = pytest.mark.req("G2")
FOR_THE_PAGE = "aud='longstop-console'"


async def forger(house: House) -> Forger:
    token = await house.token(await house.key(*Scope))
    tokens = house.hall._tokens
    return Forger(token, tokens.ring.signer(house.clock.now()), int(house.clock.now().timestamp()))


async def test_of_all_forged_tokens_none_is_accepted(house: House) -> None:
    made = await forger(house)
    rows = list(made.all())
    assert len({token for _, token in rows}) >= 150
    assert house.hall._passes.caller(made.token.encode(), Audience.API).consumer == "acme"
    accepted = []
    for name, token in rows:
        for audience in Audience:
            if name == FOR_THE_PAGE and audience is Audience.CONSOLE:
                continue  # well signed, and for the page: that is what it is
            try:
                house.hall._passes.caller(token.encode("utf-8"), audience)
            except NotBelieved:
                continue
            accepted.append((name, audience))
    assert not accepted, "; ".join(f"{name} as {audience}" for name, audience in accepted)


async def test_over_http_each_of_them_is_a_401_and_nothing_else(house: House) -> None:
    made = await forger(house)
    sent = 0
    async with house.client("127.0.0.1") as client:
        assert (await client.get(MATCH, headers={"Authorization": f"Bearer {made.token}"})).status_code == 200
        for name, token in made.all():
            house.hall._limiter._windows.clear()  # type: ignore[attr-defined]  # attempts have a test of their own
            raw = b"Bearer " + token.encode("utf-8")
            answer = await client.get(MATCH, headers=[(b"authorization", raw)])
            assert (answer.status_code, answer.json()["type"]) == (401, "/problems/bad-token"), name
            assert token[:40] not in answer.text or len(token) < 8, name
            sent += 1
    assert sent >= 150


async def test_a_forged_token_is_refused_as_a_session_too(house: House) -> None:
    made = await forger(house)
    async with house.client("127.0.0.1") as client:
        for name, token in made.all():
            if name == FOR_THE_PAGE:
                continue
            house.hall._limiter._windows.clear()  # type: ignore[attr-defined]  # attempts have a test of their own
            cookie = b"longstop_session=" + token.encode("utf-8").replace(b";", b"")
            answer = await client.get(MATCH, headers=[(b"cookie", cookie)])
            assert answer.status_code == 401, name
        answer = await client.get(MATCH, headers={"cookie": f"longstop_session={made.token}"})
        assert answer.status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        [(b"authorization", b"Basic %s")],
        [(b"authorization", b"%s")],
        [(b"authorization", b"Bearer%s")],
        [(b"authorization", b"Bearer  %s")],
        [(b"authorization", b"Token %s")],
        [(b"authorization", b"Bearer %s, Bearer %s")],
        [(b"authorization", b"Bearer %s"), (b"authorization", b"Bearer other")],
        [(b"authorization", b"Bearer other"), (b"authorization", b"Bearer %s")],
        [(b"authorization", b"Bearer %s"), (b"authorization", b"Bearer %s")],
        [(b"proxy-authorization", b"Bearer %s")],
        [(b"x-authorization", b"Bearer %s")],
        [(b"cookie", b"longstop_session=%s; longstop_session=%s")],
        [(b"cookie", b"token=%s")],
        [(b"x-original-authorization", b"Bearer %s")],
    ],
    ids=str,
)
async def test_a_good_token_in_the_wrong_place_opens_nothing(house: House, headers: list[tuple[bytes, bytes]]) -> None:
    token = (await forger(house)).token.encode()
    filled = [(name, value.replace(b"%s", token)) for name, value in headers]
    async with house.client() as client:
        assert (await client.get(MATCH, headers=filled)).status_code == 401
        assert (await client.get(f"{MATCH}?access_token={token.decode()}")).status_code == 401


async def test_the_scheme_may_be_written_in_any_case(house: House) -> None:
    token = (await forger(house)).token
    assert (await house.get(Authorization=f"bEaReR {token}")).status_code == 200


async def test_what_was_believed_is_not_believed_when_a_letter_changes(house: House) -> None:
    """What is remembered is remembered of the whole token."""
    made = await forger(house)
    for place in range(0, len(made.token), 7):
        letter = "A" if made.token[place] != "A" else "B"
        changed = made.token[:place] + letter + made.token[place + 1 :]
        with pytest.raises(NotBelieved):
            house.hall._passes.caller(changed.encode(), Audience.API)


async def test_a_stranger_with_the_same_library_and_another_secret_gets_nowhere(house: House) -> None:
    made = await forger(house)
    for algorithm in ("HS256", "HS384", "HS512"):
        token = jwt.encode(made.claims, "x" * 64, algorithm, headers={"kid": made.key.kid})
        assert (await house.get(Authorization=f"Bearer {token}")).status_code == 401
