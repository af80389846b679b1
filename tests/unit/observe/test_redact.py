"""Secrets are hidden, ordinary words are not, and no text makes it slow."""

import base64
import re
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop.observe.redact import HIDDEN, Redactor

CANARY = "c4n4ry/S3cr3t+v@lue"

pytestmark = pytest.mark.req("H2")


@pytest.fixture
def redactor() -> Redactor:
    return Redactor()


@pytest.mark.parametrize(
    "words",
    [
        "postgresql://longstop:{}@db:5432/longstop",
        "http://user:{}@proxy.example:8080/path",
        "redis://:{}@cache:6379/0",
        "amqp://guest:{}@broker//",
        "GET /api?access_token={}&page=2",
        "GET /api?X-Amz-Signature={}",
        "token: {}",
        "api_key={}",
        "API-KEY = {}",
        "password='{}'",
        'password="{}"',
        '{{"client_secret": "{}"}}',
        "{{'jwt_secret': '{}'}}",
        'escaped {{\\"password\\": \\"{}\\"}}',
        "SCRAPER_PROXY_PASSWORD={}",
        "Cookie: session={}; theme=dark",
        "Set-Cookie: id={}; HttpOnly",
        "Authorization: Bearer {}",
        "authorization: Basic {}",
        "proxy-authorization: {}",
        "headers['Authorization'] = 'Bearer {}'",
        "passphrase: {}",
        "sentry dsn={}",
        "session_id={}",
    ],
)
def test_what_looks_like_a_secret_is_hidden(redactor: Redactor, words: str) -> None:
    shown = redactor.text(words.format(CANARY))
    assert CANARY not in shown
    assert "c4n4ry" not in shown
    assert HIDDEN in shown


def test_a_secret_with_blanks_is_hidden_to_its_closing_quote(redactor: Redactor) -> None:
    assert redactor.text("password='correct horse battery' next=1") == f"password={HIDDEN} next=1"


def test_tokens_are_hidden_wherever_they_stand(redactor: Redactor) -> None:
    jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl"
    for words in (f"got {jwt} back", "sent bearer abcdefgh12345678", "Basic dXNlcjpwYXNzd29yZA==", "ghp_" + "a1" * 15):
        assert HIDDEN in redactor.text(words), words
    assert "eyJ" not in redactor.text(f"got {jwt} back")


def test_a_private_key_is_hidden_as_a_whole(redactor: Redactor) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow-half\nIBAAKCAQEA\n-----END RSA PRIVATE KEY-----"
    assert redactor.text(f"before {key} after") == f"before {HIDDEN} after"


@pytest.mark.parametrize(
    "words",
    [
        "GET http://127.0.0.1:8000/api/v3/getSV3?key=QUY 200",
        "http://host:8080/path?email=a@b",
        "unexpected token at line 3",
        "basic understanding of the follow-on",
        "compass=north author=someone monkey=1",
        "IND need 45 from 30 balls",
        "tokens used 5",
        "match_key crex_QUY",
    ],
)
def test_ordinary_words_stay_as_they_are(redactor: Redactor, words: str) -> None:
    assert redactor.text(words) == words


def test_values_are_hidden_by_the_name_they_stand_under(redactor: Redactor) -> None:
    given = {
        "url": "http://127.0.0.1/",
        "Authorization": "whatever",
        "nested": {"db_password": 12345, "cookies": ["a"], "ok": 1, "is_secret": True, "token": None},
        "key": "QUY",
        "signing_key": "x",
    }
    shown = redactor.value(given)
    assert shown["Authorization"] == shown["nested"]["db_password"] == shown["nested"]["cookies"] == HIDDEN
    assert shown["signing_key"] == HIDDEN
    assert shown["nested"]["ok"] == 1
    assert shown["nested"]["is_secret"] is True
    assert shown["nested"]["token"] is None
    assert shown["key"] == "QUY"


@pytest.mark.req("D5")
def test_the_name_of_an_exits_session_is_shown_beside_its_exit_and_nowhere_else(redactor: Redactor) -> None:
    shown = {"proxy_pool": "residential", "geo": "DE", "session_id": "a1b2c3d4", "ip_hash": "abc"}
    assert redactor.value({"proxy": shown}) == {"proxy": shown}
    for other in (
        {"session_id": "a1b2c3d4"},
        {"proxy": {"session_id": "a1b2c3d4"}},
        shown | {"cookie": "x"},
        shown | {"session_id": "eyJhbGciOiJIUzI1NiJ9-not-a-name-of-ours"},
        shown | {"session_id": ["a1b2c3d4"]},
    ):
        assert "a1b2c3d4" not in str(redactor.value(other))
        assert "eyJ" not in str(redactor.value(other))
    redactor.protect("a1b2c3d4")
    assert redactor.value(shown)["session_id"] == HIDDEN, "what is known to be a secret is one anywhere"


def disguises(secret: str) -> list[str]:
    raw = secret.encode()
    return [
        secret,
        quote(secret, safe=""),
        quote(secret),
        quote_plus(secret),
        quote(secret, safe="").lower() if secret.islower() else re.sub("%..", lambda m: m[0].lower(), quote(secret)),
        raw.hex(),
        repr(secret)[1:-1],
        *(base64.b64encode(b"u" * size + raw + b"tail" * size).decode() for size in range(3)),
        *(base64.urlsafe_b64encode(b"user:"[:size] + raw).decode() for size in range(5)),
    ]


def test_a_protected_value_is_hidden_in_every_disguise(redactor: Redactor) -> None:
    assert redactor.protect(CANARY)
    for disguise in disguises(CANARY):
        shown = redactor.text(f"before {disguise} after")
        assert disguise not in shown, disguise
        assert HIDDEN in shown, disguise
        assert shown.startswith("before ")


@given(st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=8, max_size=60))
def test_any_protected_value_is_hidden_plain_and_encoded(secret: str) -> None:
    redactor = Redactor()
    redactor.protect(secret)
    for disguise in (secret, quote(secret, safe=""), base64.b64encode(b"me:" + secret.encode()).decode()):
        assert disguise not in redactor.text(f"<{disguise}>")


def test_a_value_too_short_to_tell_from_words_is_refused(redactor: Redactor) -> None:
    assert not redactor.protect("abc")
    assert not redactor.protect(None)
    assert redactor.text("abc") == "abc"


def test_a_secret_that_holds_another_goes_as_a_whole(redactor: Redactor) -> None:
    redactor.protect("hunter22")
    redactor.protect("hunter22-and-more")
    assert redactor.text("x hunter22-and-more y") == f"x {HIDDEN} y"


def test_a_forgotten_value_is_shown_again(redactor: Redactor) -> None:
    redactor.protect("no-longer-secret")
    redactor.forget("no-longer-secret")
    assert redactor.text("no-longer-secret") == "no-longer-secret"


class Nasty:
    def __repr__(self) -> str:
        raise RuntimeError("no words for myself")


def test_anything_becomes_something_json_knows(redactor: Redactor) -> None:
    deep: list[object] = []
    deep.append(deep)
    given = {
        1: Nasty(),
        "big": 10**5000,
        "bytes": b"\xff\x00",
        "deep": deep,
        "many": list(range(10_000)),
        "lone": "\ud800",
    }
    shown = redactor.value(given)
    assert "Nasty" in shown["1"]
    assert len(shown["many"]) < 100
    assert shown["lone"] == "?"
    assert isinstance(shown["big"], str)
    assert len(shown["big"]) < 100


@pytest.mark.parametrize(
    "piece", ["token", "a", "://", "a://b:c", "eyJ", "basic ", "-----BEGIN PRIVATE KEY-----", '"', "a.b-c+", "="]
)
def test_a_megabyte_of_anything_is_cut_and_not_slow(redactor: Redactor, piece: str) -> None:
    shown = redactor.text("password=" + piece * (1_000_000 // len(piece)))
    assert len(shown) < 33_000
