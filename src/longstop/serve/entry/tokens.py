"""Our tokens: JWTs with one algorithm, one header and one set of claims. Whatever differs is refused.

A reader that understands little cannot be talked into much: no address in a token is followed, no algorithm chosen, no
extension honoured.
"""

import base64
import binascii
import json
import re
import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

import jwt
import msgspec

from longstop.clock import Clock
from longstop.domain.access import Scope
from longstop.serve.entry.keys import is_key_id
from longstop.serve.entry.signing import KeyRing

ALGORITHM: Final = "HS256"
TOKEN_CHARS_MAX: Final = 2_048
SKEW_SECONDS: Final = 5
_HEADER: Final = frozenset({"alg", "typ", "kid"})
_CLAIMS: Final = frozenset({"iss", "aud", "sub", "jti", "iat", "exp", "scope"})
_SHAPE: Final = re.compile(r"([A-Za-z0-9_-]{10,512})\.([A-Za-z0-9_-]{10,1400})\.([A-Za-z0-9_-]{43})", re.ASCII)
_JTI: Final = re.compile(r"[0-9a-f]{32}", re.ASCII)
_SECONDS_MAX: Final = 2**40


class Audience(StrEnum):
    """What a token is for. One for the API does not open the page, and the other way round."""

    API = "longstop-api"
    CONSOLE = "longstop-console"


class Claims(msgspec.Struct, frozen=True):
    """What a token says, once it is believed."""

    key_id: str
    jti: str
    scopes: frozenset[Scope]
    issued_at: datetime
    expires_at: datetime
    audience: Audience


class NotBelieved(Exception):  # noqa: N818 - it never leaves this room; the door turns it into an answer
    """This token is none of ours, or is no longer good. `reason` is one word for a metric."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Tokens:
    """Gives them out and reads them. `life` is how long the longest of ours may live."""

    def __init__(self, ring: KeyRing, issuer: str, clock: Clock, life: Callable[[], timedelta]) -> None:
        self.ring = ring
        self._issuer = issuer
        self._clock = clock
        self._life = life

    def issue(
        self, key_id: str, scopes: frozenset[Scope], life: timedelta, audience: Audience = Audience.API
    ) -> tuple[str, Claims]:
        now = self._clock.now().replace(microsecond=0)
        claims = Claims(key_id, secrets.token_hex(16), scopes, now, now + life, audience)
        signer = self.ring.signer(self._clock.now())
        payload = {
            "iss": self._issuer,
            "aud": audience.value,
            "sub": key_id,
            "jti": claims.jti,
            "iat": int(now.timestamp()),
            "exp": int(claims.expires_at.timestamp()),
            "scope": " ".join(sorted(scopes)),
        }
        token = jwt.encode(payload, signer.secret, ALGORITHM, headers={"kid": signer.kid})
        return token, claims

    def read(self, token: str, audience: Audience) -> Claims:
        """Raises NotBelieved. The signature is checked before a single claim is looked at."""
        if len(token) > TOKEN_CHARS_MAX:
            raise NotBelieved("too long")
        found = _SHAPE.fullmatch(token)
        if found is None:
            raise NotBelieved("no token")
        header, signature = _object(found[1], _HEADER), found[3]
        if header["alg"] != ALGORITHM or header["typ"] != "JWT" or not isinstance(header["kid"], str):
            raise NotBelieved("header")
        key = self.ring.known(header["kid"])
        if key is None:
            raise NotBelieved("kid")
        _decoded(signature)
        try:
            # Times are ours to judge, by the clock that was handed in; the rest is read again strictly.
            jwt.decode_complete(token, key.secret, [ALGORITHM], options=_SIGNATURE_ONLY)
        except jwt.PyJWTError:
            raise NotBelieved("signature") from None
        return self._judged(_object(found[2], _CLAIMS), audience)

    def _judged(self, payload: dict[str, Any], audience: Audience) -> Claims:
        if payload["iss"] != self._issuer or payload["aud"] != audience.value:
            raise NotBelieved("not for us")
        key_id, jti = payload["sub"], payload["jti"]
        if not (isinstance(key_id, str) and is_key_id(key_id) and isinstance(jti, str) and _JTI.fullmatch(jti)):
            raise NotBelieved("claims")
        issued_at, expires_at = _moment(payload["iat"]), _moment(payload["exp"])
        now = self._clock.now()
        if expires_at <= now:
            raise NotBelieved("expired")
        if (
            issued_at > now + timedelta(seconds=SKEW_SECONDS)
            or not timedelta(0) < expires_at - issued_at <= self._life()
        ):
            raise NotBelieved("times")
        return Claims(key_id, jti, _scopes(payload["scope"]), issued_at, expires_at, audience)


_SIGNATURE_ONLY: Final[Any] = {
    "verify_signature": True,
    "verify_exp": False,
    "verify_iat": False,
    "verify_nbf": False,
    "verify_aud": False,
    "verify_iss": False,
    "verify_sub": False,
    "verify_jti": False,
    "require": sorted(_CLAIMS),
}


def _decoded(part: str) -> bytes:
    """One spelling for one value: the spare bits at the end of base64 must be what they are when we write them."""
    try:
        raw = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except (binascii.Error, ValueError):
        raise NotBelieved("encoding") from None
    if base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii") != part:
        raise NotBelieved("encoding")
    return raw


def _object(part: str, names: frozenset[str]) -> dict[str, Any]:
    """A JSON object with exactly these names, each of them once."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in pairs}) != len(pairs):
            raise NotBelieved("twice")
        return dict(pairs)

    try:
        found = json.loads(_decoded(part).decode("utf-8"), object_pairs_hook=once)
    except (ValueError, RecursionError):
        raise NotBelieved("json") from None
    if not isinstance(found, dict) or found.keys() != names:
        raise NotBelieved("names")
    return found


def _moment(seconds: Any) -> datetime:
    if type(seconds) is not int or not 0 < seconds < _SECONDS_MAX:
        raise NotBelieved("times")
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        raise NotBelieved("times") from None


def _scopes(text: Any) -> frozenset[Scope]:
    if not isinstance(text, str) or not text or text != text.strip():
        raise NotBelieved("scope")
    try:
        return frozenset(Scope(word) for word in text.split(" "))
    except ValueError:
        raise NotBelieved("scope") from None
