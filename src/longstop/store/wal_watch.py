"""How long the WAL of an SQLite file is. It stays short, unless somebody else looks at the past: what was written since
cannot be moved into the file then, and the WAL grows until the disk is full. Nobody here can end that; it is told."""

from typing import Protocol, runtime_checkable

from longstop.clock import Clock
from longstop.observe import signals
from longstop.observe.signals import Signals


@runtime_checkable
class KeepsWal(Protocol):
    @property
    def wal_bytes(self) -> int:
        """As of the last write."""
        ...


class WalWatch:
    """Told when the bound is passed, and at each doubling; and when it is short again."""

    def __init__(self, store: object, bytes_max: int, clock: Clock) -> None:
        self._store = store if isinstance(store, KeepsWal) else None
        self._bytes_max = bytes_max
        self._clock = clock
        self._told_bytes = 0

    def look(self, bus: Signals) -> None:
        size = self._store.wal_bytes if self._store is not None else 0
        if size >= max(self._bytes_max, 2 * self._told_bytes):
            self._told_bytes = size
            bus.emit(signals.WalGrew(at=self._clock.now(), bytes=size, bytes_max=self._bytes_max))
        elif self._told_bytes and size < self._bytes_max:
            self._told_bytes = 0
            bus.emit(signals.WalShrank(at=self._clock.now(), bytes=size))
