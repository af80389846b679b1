"""A kickoff that moved: what was captured at or after the new one was not known before it, whatever was thought."""

from collections.abc import Iterable
from datetime import datetime

import msgspec

from longstop.domain.capture import SnapshotType
from longstop.domain.football_record import LineUpRecord


def flagged_by(kickoff: datetime, known: Iterable[LineUpRecord]) -> tuple[LineUpRecord, ...]:
    """Those that have to be flagged now, flagged. What was flagged once stays so."""
    return tuple(
        msgspec.structs.replace(record, after_kickoff=True)
        for record in known
        if not record.after_kickoff and record.snapshot is not SnapshotType.POST_MATCH and record.captured_at >= kickoff
    )
