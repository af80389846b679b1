"""API keys: made of chance, shown once, recognised by their hash.

A key is `lsk_<id>_<secret>`. The id finds its row; what is kept of the whole is SHA-256. A slow hash would protect
words that people choose; 256 bits of chance cannot be guessed, and a fast hash cannot be used to tire us.
"""

import hashlib
import hmac
import re
import secrets
from base64 import b32encode
from datetime import datetime
from typing import Final

import msgspec

from longstop.domain.access import ApiKey, Scope, Tier, require_consumer

PREFIX: Final = "lsk_"
_ID_BYTES: Final = 5
_SECRET_BYTES: Final = 32
_KEY: Final = re.compile(r"lsk_([a-z2-7]{8})_[a-z2-7]{52}", re.ASCII)
_KEY_ID: Final = re.compile(r"[a-z2-7]{8}", re.ASCII)
# What an unknown key is compared with, so that it takes as long as a known one.
_NOBODY: Final = hashlib.sha256(b"no key").hexdigest()


class NewKey(msgspec.Struct, frozen=True):
    """`plain` is shown to whoever asked for it, once, and kept nowhere."""

    plain: str
    key: ApiKey


def make_key(
    consumer: str,
    scopes: frozenset[Scope],
    now: datetime,
    *,
    tier: Tier = Tier.STANDARD,
    label: str = "",
    expires_at: datetime | None = None,
) -> NewKey:
    key_id = _letters(_ID_BYTES)
    plain = f"{PREFIX}{key_id}_{_letters(_SECRET_BYTES)}"
    key = ApiKey(
        key_id=key_id,
        consumer=require_consumer(consumer),
        tier=tier,
        scopes=scopes,
        key_hash=hash_of(plain),
        created_at=now,
        label=label,
        expires_at=expires_at,
    )
    return NewKey(plain, key)


def _letters(count: int) -> str:
    return b32encode(secrets.token_bytes(count)).decode("ascii").rstrip("=").lower()


def hash_of(plain: str) -> str:
    return hashlib.sha256(plain.encode()).hexdigest()


def id_of(plain: str) -> str | None:
    """Under which id to look; None when this is no key of ours."""
    found = _KEY.fullmatch(plain)
    return found[1] if found else None


def is_key_id(text: str) -> bool:
    return _KEY_ID.fullmatch(text) is not None


def is_right(plain: str, key: ApiKey | None) -> bool:
    """In the same time whether the key is known or not."""
    return hmac.compare_digest(hash_of(plain), _NOBODY if key is None else key.key_hash) and key is not None
