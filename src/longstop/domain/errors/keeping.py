"""What could not be kept, or taken, or held in memory."""

from longstop.domain.errors.root import LongstopError


class StoreError(LongstopError):
    """The record could not be kept."""

    kind = "database"
    exit_code = 74


class StoreUnavailableError(StoreError):
    heals = True
    default_hint = "Check that the database is up; writes are repeated until they hold."


class SpoolFullError(StoreUnavailableError):
    default_hint = "Bring the database back, or raise storage.spool.max_size_mb and free some disk space."


class RecordRefusedError(StoreError):
    """The fault is in what was handed in, so waiting and repeating are in vain."""

    default_hint = "Nothing of the batch was written; see where it came from."


class WritingOverError(StoreError):
    """Nothing that this process writes from now on could be relied on, so it has to end."""


class PlaceLostError(WritingOverError):
    """Another process has taken over while this one stood still: two must not write one record."""

    exit_code = 77
    default_hint = "Leave the other one running; nothing was written twice. What this one had spooled stays on disk."


class SyncFailedError(WritingOverError):
    """After a failed sync nobody knows what is on the disk but one who reads it anew, so the process has to end."""

    exit_code = 73
    default_hint = "Look at the disk, then start again: what was acknowledged is read back from it."


class SpoolBrokenError(SyncFailedError):
    pass


class DatabaseSyncError(SyncFailedError):
    pass


class StoreClosedError(StoreError):
    default_hint = "The store was asked after it was closed."


class MemoryShortError(LongstopError):
    """There is not enough memory."""

    kind = "memory"
    exit_code = 71


class InsufficientMemoryError(MemoryShortError):
    """No scraper was started. `retry_after_seconds` is when it is tried again; None when too many wait already."""

    heals = True
    default_hint = "End other programs, watch fewer matches, or give the machine or container more memory."

    def __init__(self, message: str, *, retry_after_seconds: float | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_seconds = retry_after_seconds


class OutOfMemoryError(MemoryShortError):
    default_hint = "It ends and is to be started again; if it comes back, watch fewer matches or raise the hard limit."


class LeaseLostError(LongstopError):
    """The work was taken over meanwhile; what was brought for it is not written."""

    kind = "lease"
    default_hint = "Whoever holds it now finishes it; nothing is to be done."


class PushError(LongstopError):
    """What was pushed is not taken."""

    kind = "push"


class PushConflictError(PushError):
    default_hint = "Use a key once, for one content."


class PushesFullError(PushError):
    heals = True
    default_hint = "Push it again when Retry-After has passed; nothing of it was taken."
