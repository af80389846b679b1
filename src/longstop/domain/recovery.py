"""What was done to get well again, and what came of it. The fields are the documents' (S2, recovery audit entry)."""

from datetime import datetime
from enum import Enum

import msgspec


class RecoveryAction(Enum):
    BROWSER_RECYCLE = "browser_recycle"
    SOFT_RESTART = "soft_restart"
    MANUAL_TRIGGER = "manual_trigger"
    CONTEXT_POOL_RESET = "context_pool_reset"


class RecoveryOutcome(Enum):
    """Judged after the fact: well within 120 s, better but not well, or as bad as before."""

    SUCCESS = "success"
    PARTIAL = "partial"
    FAILED = "failed"


class RecoveryAuditEntry(msgspec.Struct, frozen=True):
    """`subject` is whom it was done to: a match id, or the instance. Without an outcome it is not judged yet."""

    entry_id: str
    at: datetime
    action: RecoveryAction
    trigger: str
    subject: str
    outcome: RecoveryOutcome | None = None
    judged_at: datetime | None = None
    duration_seconds: float = 0.0
    metadata: dict[str, str | int | float | bool | None] = {}
