"""Keys and revocations in memory: no request waits for a database. Read again within seconds of any change.

With the database away, what was read last goes on: nobody can revoke anything then, and nobody who was let in is shut
out. That nothing can be read is told.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from longstop.clock import Clock
from longstop.domain.access import ApiKey, Revocation
from longstop.domain.errors import SettingsError, StoreError
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.serve.entry.keys import id_of, is_right
from longstop.serve.entry.signing import KeyRing, SigningFile
from longstop.store.entry.access import AccessStore
from longstop.supervise.service import Stop

REFRESH_SECONDS: Final = 2.0


class Directory:
    """`on_change` is told whenever something that was believed may be believed no longer."""

    def __init__(self, store: AccessStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._keys: dict[str, ApiKey] = {}
        self._revoked: dict[str, datetime] = {}
        self._version: int | None = None
        self._listeners: list[Callable[[], None]] = []

    def on_change(self, listener: Callable[[], None]) -> None:
        self._listeners.append(listener)

    async def refresh(self) -> bool:
        """True when something has changed. Raises a StoreError."""
        standing = await self._store.standing(self._version)
        if standing is None:
            return False
        self._learn(standing.keys, standing.revocations)
        self._version = standing.version
        return True

    def _learn(self, keys: Sequence[ApiKey], revocations: Sequence[Revocation]) -> None:
        self._keys = {key.key_id: key for key in keys}
        self._revoked |= {each.jti: each.expires_at for each in revocations}
        now = self._clock.now()
        self._revoked = {jti: until for jti, until in self._revoked.items() if until > now}
        self._tell()

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()

    def key(self, key_id: str) -> ApiKey | None:
        """Also one that has ended."""
        return self._keys.get(key_id)

    def owner_of(self, plain: str) -> ApiKey | None:
        """Whose usable key this is."""
        key = self._keys.get(id_of(plain) or "")
        return key if is_right(plain, key) and key is not None and key.is_usable(self._clock.now()) else None

    def is_revoked(self, jti: str) -> bool:
        return jti in self._revoked

    def has_admin(self) -> bool:
        now = self._clock.now()
        return any(key.is_usable(now) and "admin" in key.scopes for key in self._keys.values())

    async def revoke(self, jti: str, expires_at: datetime) -> None:
        """Here at once, elsewhere with the next look. Raises a StoreError when others cannot be told."""
        self._revoked[jti] = expires_at
        self._tell()
        await self._store.revoke(Revocation(jti, self._clock.now(), expires_at))


class DirectoryKeeping:
    """The service that looks for changes: of keys and revocations, and of the keys that sign."""

    name = "keys and revocations"

    def __init__(
        self,
        directory: Directory,
        clock: Clock,
        bus: Signals,
        signing: SigningFile | None = None,
        on_ring: Callable[[KeyRing], None] = lambda _: None,
    ) -> None:
        self._directory = directory
        self._clock = clock
        self._bus = bus
        self._signing = signing
        self._on_ring = on_ring
        self._is_blind = False

    async def run(self, stop: Stop) -> None:
        while not await stop.pause(REFRESH_SECONDS):
            await self.look()

    async def look(self) -> None:
        try:
            ring = self._signing.changed() if self._signing is not None else None
            if ring is not None:
                self._on_ring(ring)
            await self._directory.refresh()
        except (StoreError, SettingsError) as error:
            self._tell(error.message, error.hint)
        else:
            self._is_blind = False

    def _tell(self, message: str, hint: str) -> None:
        """Once for each outage."""
        if not self._is_blind:
            self._bus.emit(signals.KeysUnreadable(at=self._clock.now(), reason=message, hint=hint))
        self._is_blind = True
