"""The database going away and coming back, and what waits for it meanwhile."""

from longstop.observe.signals.bus import Signal


class StoreLost(Signal, frozen=True, kw_only=True):
    """From now on what is critical goes to the spool."""

    reason: str
    hint: str = ""


class StoreRecovered(Signal, frozen=True, kw_only=True):
    """`records` were brought from the spool."""

    down_seconds: float
    records: int


class BacklogMeasured(Signal, frozen=True, kw_only=True):
    """What waits on disk and in memory. `down_seconds` 0: the database answers."""

    spool_records: int = 0
    spool_bytes: int = 0
    spool_bytes_max: int = 1
    oldest_seconds: float = 0.0
    quarantined: int = 0
    buffered: int = 0
    buffered_bytes: int = 0
    down_seconds: float = 0.0


class BacklogWaited(BacklogMeasured, frozen=True, kw_only=True):
    """The same, told once a minute to whoever should do something about it."""


class SpoolFilled(Signal, frozen=True, kw_only=True):
    """At 100 the spool takes no more."""

    level_percent: float
    bytes: int
    bytes_max: int


class WalGrew(Signal, frozen=True, kw_only=True):
    """Somebody looks at the past of an SQLite file, and nothing of what came since can be moved into it."""

    bytes: int
    bytes_max: int


class WalShrank(Signal, frozen=True, kw_only=True):
    bytes: int


class SpoolFound(Signal, frozen=True, kw_only=True):
    """`damaged` records are lost to a fault of the disk; a torn tail was never acknowledged."""

    records: int
    damaged: int
    torn_bytes: int


class WritesDropped(Signal, frozen=True, kw_only=True):
    """`total` since the start."""

    items: int
    total: int
    reason: str
