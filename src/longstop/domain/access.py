"""Who may ask for what: consumers, their keys, what a key may do and how often, and the record of what they did."""

import re
from datetime import datetime
from enum import StrEnum
from typing import Final

import msgspec

from longstop.domain.errors import InputError

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)


class Scope(StrEnum):
    """What a key may do. Who may administer may also read and push."""

    READ = "read"
    PUSH = "push"
    ADMIN = "admin"


class Tier(StrEnum):
    """How often a consumer may ask; the figures are settings."""

    STANDARD = "standard"
    PREMIUM = "premium"


class ApiKey(msgspec.Struct, frozen=True):
    """`key_hash` is SHA-256 of the whole key, in hexadecimal: the key itself is known to its owner alone. `key_id` is
    the part of the key by which it is found."""

    key_id: str
    consumer: str
    tier: Tier
    scopes: frozenset[Scope]
    key_hash: str
    created_at: datetime
    label: str = ""
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    replaced_by: str | None = None

    def is_usable(self, now: datetime) -> bool:
        return not self._has_come(self.revoked_at, now) and not self._has_come(self.expires_at, now)

    def state(self, now: datetime) -> str:
        if self._has_come(self.revoked_at, now):
            return "revoked"
        return "expired" if self._has_come(self.expires_at, now) else "active"

    @staticmethod
    def _has_come(moment: datetime | None, now: datetime) -> bool:
        return moment is not None and moment <= now


class Revocation(msgspec.Struct, frozen=True):
    """One token that must not be believed any more. Kept until it would have run out by itself."""

    jti: str
    revoked_at: datetime
    expires_at: datetime


class AccessEntry(msgspec.Struct, frozen=True):
    """One request that was answered. Every text in it is one of ours or was checked: nothing a caller made up.

    `endpoint` is the route and not the address; `data_age_seconds` is how old the data was that it got.
    """

    entry_id: int
    at: datetime
    consumer: str
    key_id: str
    method: str
    endpoint: str
    status: int
    duration_ms: float
    request_id: str
    data_age_seconds: float | None = None


class VerbEntry(msgspec.Struct, frozen=True):
    """One use of a verb of /admin, whatever came of it: done, failed or refused. Later entries have higher numbers."""

    entry_id: int
    at: datetime
    consumer: str
    key_id: str
    verb: str
    subject: str
    reason: str
    outcome: str
    detail: str
    request_id: str


def allows(scopes: frozenset[Scope], wanted: Scope) -> bool:
    return wanted in scopes or Scope.ADMIN in scopes


def require_consumer(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{name[:40]!r} cannot be the name of a consumer.",
            hint="Use small letters, digits, dots, dashes and underscores, 64 at most, as in acme-website.",
        )
    return name
