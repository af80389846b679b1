"""The rows as they became durable, one match each: a mirror of the database that rules can be held against cheaply."""

from datetime import datetime

from longstop.domain.cricket import Place
from longstop.domain.events import DeliveryRecord, Gap, MatchEvent
from longstop.ledger.audit import Totals
from longstop.store.contract import LiveRow


class MatchRecords:
    def __init__(self) -> None:
        self.balls: dict[Place, DeliveryRecord] = {}
        self.totals: dict[int, Totals] = {}
        self.last_seq = 0
        self.gaps: dict[str, Gap] = {}
        self.live: LiveRow | None = None
        self.mismatched_since: dict[int, float] = {}

    def put_ball(self, record: DeliveryRecord) -> bool:
        """False when it was there before, or a later one is."""
        known = self.balls.get(record.place)
        if known is not None and known.revision >= record.revision:
            return False
        totals = self.totals.get(record.place.innings, Totals())
        if known is not None and known.delivery is not None:
            totals = totals.minus(known.delivery)
        if record.delivery is not None:
            totals = totals.plus(record.delivery)
        self.totals[record.place.innings] = totals
        self.balls[record.place] = record
        return True

    def put_event(self, event: MatchEvent) -> int:
        """How many numbers it leaves out."""
        missing = event.seq - self.last_seq - 1
        self.last_seq = max(self.last_seq, event.seq)
        return max(0, missing)

    def put_live(self, row: LiveRow) -> datetime | None:
        """The source's time of the row before, where this one takes its place and goes behind it."""
        before = self.live
        if before is not None and (row.sequence, row.captured_at) <= (before.sequence, before.captured_at):
            return None
        self.live = row
        if before is None or before.source_at is None or row.source_at is None or row.source_at >= before.source_at:
            return None
        return before.source_at

    def standing(self) -> list[Place]:
        return [place for place, record in self.balls.items() if record.delivery is not None]
