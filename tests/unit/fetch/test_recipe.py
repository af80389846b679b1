import base64
from datetime import timedelta

import msgspec
import pytest

from longstop.domain.errors import EgressRefusedError, RecordRefusedError
from longstop.fetch.egress.guard import rules_for
from longstop.fetch.recipe import CapturedCall, Cookie, Recipe, Ripeness, learn, names_key, stored_recipe
from longstop.fetch.snapshot import FetchRequest
from tests.cricket import NOON, at

SITE = "http://127.0.0.1:8100"


def token(expires_at: float) -> str:
    parts = ({"alg": "HS256"}, {"exp": expires_at})
    head, claims = (base64.urlsafe_b64encode(msgspec.json.encode(part)).rstrip(b"=").decode() for part in parts)
    return f"{head}.{claims}.c2lnbmF0dXJl"


def call(**changes: object) -> CapturedCall:
    usual = CapturedCall(
        url=f"{SITE}/api/v3/getSV3?key=QUY&lang=en",
        method="GET",
        headers={"accept": "application/json", "authorization": f"Bearer {token(at(30).timestamp())}"},
        request_body=None,
        status=200,
        content_type="application/json",
        body=b"{}",
        captured_at=NOON,
    )
    return msgspec.structs.replace(usual, **changes)


def request(key: str, purpose: str = "state") -> FetchRequest:
    return FetchRequest("crex", f"{SITE}/x?key={key}", purpose, headers=(("Accept", "text/html"),), key=key)


@pytest.mark.req("A2")
def test_a_call_about_another_match_is_not_taken_for_this_ones() -> None:
    assert names_key("QUY", f"{SITE}/api?key=QUY&lang=en", None)
    assert names_key("QUY", f"{SITE}/api", b'{"match":"QUY"}')
    assert not names_key("QUY", f"{SITE}/api?key=QUZ", None)
    assert not names_key("QUY", f"{SITE}/api?key=QUYS", b'{"match":"XQUY"}')


@pytest.mark.req("A2")
def test_a_recipe_learnt_from_one_match_serves_the_others() -> None:
    recipe = learn("crex", "state", "QUY", call(), [])
    asked = recipe.request_for(request("AB1"))
    assert asked.url == f"{SITE}/api/v3/getSV3?key=AB1&lang=en"
    assert dict(asked.headers)["authorization"].startswith("Bearer ")


def test_a_key_inside_another_word_is_no_key() -> None:
    recipe = learn("crex", "state", "QUY", call(url=f"{SITE}/QUYX/state?key=QUY"), [])
    assert recipe.request_for(request("AB1")).url == f"{SITE}/QUYX/state?key=AB1"


def test_the_body_of_a_posted_call_carries_the_key_too() -> None:
    recipe = learn("crex", "feed", "QUY", call(method="POST", request_body=b'{"matchKey":"QUY"}'), [])
    assert recipe.request_for(request("AB1", "feed")).body == b'{"matchKey":"AB1"}'


@pytest.mark.req("D7")
def test_what_the_browser_says_of_itself_is_not_repeated() -> None:
    headers = {"sec-fetch-site": "same-origin", "sec-ch-ua": "x", "host": "h", "cookie": "a=b", "x-app": "7"}
    assert learn("crex", "state", "QUY", call(headers=headers), []).headers == (("x-app", "7"),)


def test_cookies_are_sent_as_one_header() -> None:
    recipe = learn("crex", "state", "QUY", call(), [Cookie("sid", "1"), Cookie("wall", "2")])
    assert ("Cookie", "sid=1; wall=2") in recipe.request_for(request("AB1")).headers


def test_the_first_thing_that_runs_out_ends_the_recipe() -> None:
    cookies = [Cookie("sid", "1", at(20)), Cookie("other", "2", at(4000))]
    assert learn("crex", "state", "QUY", call(), cookies).expires_at == at(20)
    assert learn("crex", "state", "QUY", call(), []).expires_at == at(30)


@pytest.mark.parametrize("payload", [b"[]", b'{"exp":true}', b'{"exp":1e400}', b"\xff\xfe", b'{"exp":"soon"}'])
def test_a_token_that_does_not_say_when_it_ends_ends_nothing(payload: bytes) -> None:
    text = f"abcd.{base64.urlsafe_b64encode(payload).decode().rstrip('=')}xxxx.abcd"
    assert learn("crex", "state", "QUY", call(headers={"authorization": text}), []).expires_at is None


@pytest.mark.parametrize(
    ("seconds", "ripeness"),
    [(0, Ripeness.FRESH), (19, Ripeness.FRESH), (20, Ripeness.AGING), (29, Ripeness.AGING), (30, Ripeness.EXPIRED)],
)
def test_a_recipe_ages_in_the_last_third_of_its_life(seconds: float, ripeness: Ripeness) -> None:
    assert learn("crex", "state", "QUY", call(), []).ripeness(NOON + timedelta(seconds=seconds)) is ripeness


def test_a_call_of_another_kind_keeps_its_address_and_its_own_headers() -> None:
    recipe = learn("crex", "state", "QUY", call(), [Cookie("sid", "1")])
    dressed = recipe.dress(request("AB1", "feed"))
    assert dressed.url == request("AB1").url
    assert [value for name, value in dressed.headers if name.lower() == "accept"] == ["text/html"]
    assert ("Cookie", "sid=1") in dressed.headers


def test_a_recipe_shows_no_secret_when_it_is_printed() -> None:
    recipe = learn("crex", "state", "QUY", call(), [Cookie("sid", "cookie-secret")])
    assert "secret" not in repr(recipe)
    assert "Bearer" not in repr(recipe)


def test_a_recipe_survives_being_stored() -> None:
    recipe = learn("crex", "state", "QUY", call(), [Cookie("sid", "1", at(20))])
    assert msgspec.json.decode(msgspec.json.encode(recipe), type=Recipe) == recipe


@pytest.mark.req("A2")
def test_what_had_run_out_when_the_call_was_made_does_not_end_the_recipe() -> None:
    """An old session that lies about in a cookie would make every recipe a dead one, and each poll a lesson."""
    plain = call(headers={})
    stale = [Cookie("old", token(at(-3600).timestamp())), Cookie("gone", "", NOON), Cookie("click", "1", at(1))]
    assert learn("crex", "state", "QUY", plain, stale).expires_at is None
    session = Cookie("session", token(at(5).timestamp()))
    assert learn("crex", "state", "QUY", plain, [*stale, session]).expires_at == at(5)


@pytest.mark.req("B8")
def test_a_stored_recipe_that_leads_elsewhere_or_is_damaged_is_left_aside() -> None:
    """Else every poll after the restart would be refused by our own guard, for as long as the recipe lasts."""
    recipe = learn("crex", "state", "QUY", call(), [])
    payload = msgspec.json.encode(recipe)
    assert stored_recipe(payload, rules_for("crex", SITE)) == recipe
    with pytest.raises(EgressRefusedError):
        stored_recipe(payload, rules_for("crex", "http://127.0.0.1:8200"))
    for broken in (b"", b"null", payload[:40], b"\xff"):
        with pytest.raises(RecordRefusedError):
            stored_recipe(broken, rules_for("crex", SITE))


def test_a_short_key_in_the_name_of_the_host_is_no_key() -> None:
    recipe = learn("sofascore", "event", "1", call(url=f"{SITE}/api/v1/event/1?of=1"), [])
    assert recipe.url == f"{SITE}/api/v1/event/{{key}}?of={{key}}"
