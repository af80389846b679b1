"""All that stands between the street and the rooms, joined: keys, tokens, the door, limits, the book of visitors."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from litestar import Router

from longstop.clock import Clock
from longstop.domain.access import Scope, Tier
from longstop.domain.errors import StoreError
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.serve.entry.addresses import Addresses
from longstop.serve.entry.audit import AdminAudit
from longstop.serve.entry.audit_routes import AuditDesk, audit_router
from longstop.serve.entry.directory import Directory, DirectoryKeeping
from longstop.serve.entry.door import Door, Openness
from longstop.serve.entry.giving import TokenDesk
from longstop.serve.entry.journal import AccessJournal, AccessLines, Keeping
from longstop.serve.entry.keys import make_key
from longstop.serve.entry.limits import Limiter, LocalLimiter, Policy
from longstop.serve.entry.passes import Passes
from longstop.serve.entry.revoking import LIFE_MAX, RevokingDesk, revoking_router
from longstop.serve.entry.routes import entry_routers
from longstop.serve.entry.signing import KeyRing, SigningFile, ring_of_settings
from longstop.serve.entry.tokens import Audience, Tokens
from longstop.settings import Settings
from longstop.store.address import SqliteAddress, parse_address
from longstop.store.entry.access import AccessStore, access_store
from longstop.supervise.service import Service

SETTINGS_TAKEN: Final = (
    "api.auth.token_ttl_hours",
    "api.auth.session_ttl_hours",
    "api.auth.open_reading",
    "api.auth.open_admin",
    "api.limits.standard_per_minute",
    "api.limits.premium_per_minute",
    "api.limits.attempts_per_minute",
    "api.limits.workers",
    "storage.retention.access_log_days",
    "storage.retention.access_log_rows_max",
    "storage.retention.admin_audit_days",
)
_FIRST: Final = "admin"


@dataclass(frozen=True, slots=True)
class Entry:
    """What the application needs of it. `on_change` tells when somebody may not be let in any more."""

    door: Door
    journal: AccessJournal | None = None
    audit: AdminAudit | None = None
    routers: Sequence[Router] = ()
    on_change: Callable[[Callable[[], None]], None] = lambda _: None


def folder_of(settings: Settings) -> Path:
    return Path(settings.storage.root) / "access"


def store_of(settings: Settings, clock: Clock) -> AccessStore:
    return access_store(settings.database.url.get_secret_value(), folder_of(settings), clock)


def signing_file(settings: Settings) -> SigningFile | None:
    """None when the settings bring the secret."""
    if settings.api.auth.jwt_secret.get_secret_value():
        return None
    return SigningFile(folder_of(settings) / "signing-keys.json")


class Hall:
    """`open` before the first request, `close` after the last; `services` belong into the tree."""

    def __init__(self, settings: Settings, clock: Clock, bus: Signals) -> None:
        self._settings = settings
        self._clock = clock
        self._bus = bus
        self.store = store_of(settings, clock)
        self._signing = signing_file(settings)
        self.directory = Directory(self.store, clock)
        self._tokens = Tokens(self._ring(), settings.api.auth.issuer or "longstop", clock, lambda: LIFE_MAX)
        self._passes = Passes(self._tokens, self.directory, clock, self._policy)
        self._limiter = _limiter(self, settings, clock, bus)
        addresses = Addresses(settings.api.limits.trusted_proxies)
        self.door = Door(self._passes, self._limiter, addresses, self._openness, self._attempts, clock, bus)
        lines = AccessLines(Path(settings.storage.root) / "access.log")
        self.journal = AccessJournal(self.store, lines, clock, bus, self._keeping)
        self.audit = AdminAudit(self.store, clock, bus, lambda: self._settings.storage.retention.admin_audit_days)
        keeping = DirectoryKeeping(self.directory, clock, bus, self._signing, self._rering)
        self.services: tuple[Service, ...] = (keeping, self.journal, self.audit)

    def entry(self) -> Entry:
        desk = TokenDesk(self.directory, self._tokens, self.door, self._life, lambda key: self._policy(key.tier))
        audits = audit_router(AuditDesk(self.store, self.audit, self._clock))
        revoking = revoking_router(RevokingDesk(self.directory, self._tokens, self.audit, self._clock, self._bus))
        routers = [*entry_routers(desk, self.store, self._clock), audits, revoking]
        return Entry(self.door, self.journal, self.audit, routers, self.directory.on_change)

    async def open(self) -> Path | None:
        """Reads who there is. Where nobody may administer, and all is in our own files, it makes the first key and
        tells in which file it lies. A database that is away does not keep the rest from starting."""
        try:
            await self.directory.refresh()
            return await self._first_key()
        except StoreError as error:
            self._bus.emit(signals.KeysUnreadable(at=self._clock.now(), reason=error.message, hint=error.hint))
            return None

    async def close(self) -> None:
        await self._limiter.close()
        await self.store.close()

    def retune(self, settings: Settings) -> None:
        self._settings = settings
        self._passes.forget()

    async def _first_key(self) -> Path | None:
        file = folder_of(self._settings) / "admin-key"
        if not isinstance(parse_address(self._settings.database.url.get_secret_value()), SqliteAddress):
            return None
        if self.directory.has_admin():
            return file if file.exists() else None
        made = make_key(_FIRST, frozenset(Scope), self._clock.now(), tier=Tier.PREMIUM, label="made at the first start")
        _write_private(file, made.plain + "\n")
        await self.store.add_key(made.key)
        await self.directory.refresh()
        return file

    def _ring(self) -> KeyRing:
        auth = self._settings.api.auth
        secret, before = auth.jwt_secret.get_secret_value(), auth.jwt_secret_before.get_secret_value()
        now = self._clock.now()
        return ring_of_settings(secret, before, now) if self._signing is None else self._signing.open(now)

    def _rering(self, ring: KeyRing) -> None:
        self._tokens.ring = ring
        self._passes.forget()

    def _life(self, audience: Audience) -> timedelta:
        auth = self._settings.api.auth
        return timedelta(hours=auth.token_ttl_hours if audience is Audience.API else auth.session_ttl_hours)

    def _policy(self, tier: Tier) -> Policy:
        """The same for tokens and logins: a tier belongs to the consumer."""
        limits = self._settings.api.limits
        per_minute = limits.premium_per_minute if tier is Tier.PREMIUM else limits.standard_per_minute
        return Policy(tier.value, per_minute)

    def _attempts(self) -> Policy:
        return Policy("attempts", self._settings.api.limits.attempts_per_minute)

    def _openness(self) -> Openness:
        auth = self._settings.api.auth
        return Openness(auth.open_reading, auth.open_admin)

    def _keeping(self) -> Keeping:
        retention = self._settings.storage.retention
        return Keeping(retention.access_log_days, retention.access_log_rows_max)

    def workers(self) -> int:
        return self._settings.api.limits.workers


def open_to_this_machine(clock: Clock, bus: Signals, *, admin: bool = False) -> Entry:
    """Without keys and tokens: for what is served to nobody else, as in tests."""
    openness = Openness(admin=admin)
    attempts = Policy("attempts", 1_000_000)
    return Entry(Door(None, LocalLimiter(clock), Addresses(), lambda: openness, lambda: attempts, clock, bus))


def _limiter(hall: Hall, settings: Settings, clock: Clock, bus: Signals) -> Limiter:
    url = settings.redis.url.get_secret_value()
    if not url:
        return LocalLimiter(clock)
    from longstop.serve.entry.shared_limits import SharedLimiter

    return SharedLimiter(url, clock, bus, hall.workers)


def _write_private(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file.unlink(missing_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w") as out:
        out.write(text)
