"""What somebody who wants a token may send: a header, JSON, or the form of OAuth 2.0 (client credentials, RFC 6749)."""

import base64
import binascii
from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl, unquote_plus

import msgspec

from longstop.serve.problems import BAD_KEY, UNSUPPORTED_MEDIA, ApiError, bad_parameter

GRANT: Final = "client_credentials"
_FIELDS_MAX: Final = 16
_FIELDS: Final = frozenset({"grant_type", "client_id", "client_secret", "scope", "api_key"})


class Asked(msgspec.Struct, frozen=True):
    """A key in plain, and what is wanted for it."""

    plain: str
    scope: str = ""


class TokenRequest(msgspec.Struct, frozen=True):
    """JSON. The key may come in the header X-API-Key instead."""

    api_key: str = ""
    scope: str = ""


def asked_of(media: str, body: bytes, header_key: str | None, authorization: str | None) -> Asked:
    """The key out of whichever place it stands in; an ApiError when it stands in none."""
    kind = media.partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        return _of_form(body, header_key, authorization)
    if kind not in {"", "application/json"}:
        raise ApiError(UNSUPPORTED_MEDIA, "The body must be application/json or application/x-www-form-urlencoded.")
    try:
        sent = msgspec.json.decode(body or b"{}", type=TokenRequest)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise bad_parameter("body", 'must be JSON such as {"api_key": "lsk_…"}.') from None
    plain = header_key or sent.api_key or (_basic(authorization) or ("", ""))[1]
    if not plain:
        raise ApiError(BAD_KEY, "No key was sent: send it as api_key or in the header X-API-Key.", headers=_CHALLENGE)
    return Asked(plain.strip(), sent.scope)


_CHALLENGE: Final = {"WWW-Authenticate": 'Basic realm="longstop"'}


def _of_form(body: bytes, header_key: str | None, authorization: str | None) -> Asked:
    """With the key in its header it need not be OAuth's: `curl -d` calls a form whatever it sends."""
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_FIELDS_MAX)
    except (UnicodeDecodeError, ValueError):
        raise bad_parameter("body", "must be a form in UTF-8.") from None
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise bad_parameter("body", "has a field twice.")
    if header_key:
        _require_known(fields)
        return Asked(header_key.strip(), fields.get("scope", ""))
    if fields.get("grant_type") != GRANT:
        raise bad_parameter("grant_type", f"must be {GRANT}.")
    secret = fields.get("client_secret") or (_basic(authorization) or ("", ""))[1]
    if not secret:
        raise ApiError(
            BAD_KEY, "No key was sent: send it as client_secret, or as the password of Basic.", headers=_CHALLENGE
        )
    return Asked(secret.strip(), fields.get("scope", ""))


def _require_known(fields: Mapping[str, str]) -> None:
    """Whoever asks for less in words that we do not read must not get all."""
    if not fields.keys() <= _FIELDS or fields.get("grant_type", GRANT) != GRANT:
        raise bad_parameter("body", "must be a form such as scope=read, or JSON with its own Content-Type.")


def _basic(authorization: str | None) -> tuple[str, str] | None:
    """Name and password; the name is not looked at, since the key tells whose it is."""
    scheme, _, encoded = (authorization or "").partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        name, _, password = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None
    return unquote_plus(name), unquote_plus(password)
