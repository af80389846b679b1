"""The balls of an innings, the newest revision of each, and what a new report of an over changes."""

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime

import msgspec

from longstop.domain.cricket import Delivery, OverReport, Place
from longstop.domain.events import DeliveryRecord
from longstop.ledger.audit import Totals, add_up
from longstop.ledger.figures import Figures


class Stamp(msgspec.Struct, frozen=True):
    """What every new row is marked with."""

    match_id: str
    captured_at: datetime
    payload_sha256: str


class InningsBook:
    """What is known of one innings. An over is settled when it was seen whole after it was finished; one is absent
    that the feed left out when it was asked for it, and that nothing else has shown whole."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.rows = 0
        self.totals = Totals()
        self.settled: set[int] = set()
        self.absent: set[int] = set()
        self.figures = Figures()
        self._overs: dict[int, dict[int, DeliveryRecord]] = {}

    @classmethod
    def from_records(cls, number: int, records: Iterable[DeliveryRecord]) -> "InningsBook":
        book = cls(number)
        for record in records:
            book._put(record)
        book.totals = add_up(book.deliveries())
        return book

    def record(self, place: Place) -> DeliveryRecord | None:
        return self._overs.get(place.over, {}).get(place.position)

    def over(self, over: int) -> dict[int, DeliveryRecord]:
        return self._overs.get(over, {})

    @property
    def last_over(self) -> int:
        return max(self._overs, default=-1)

    @property
    def last_place(self) -> Place | None:
        """The newest ball that stands."""
        return self.last_place_with(())

    def last_place_with(self, records: Iterable[DeliveryRecord]) -> Place | None:
        """The newest ball that would stand if these rows were in the book."""
        changed = {record.place: record.delivery for record in records if record.place.innings == self.number}
        newest = max((place for place, delivery in changed.items() if delivery is not None), default=None)
        for over in sorted(self._overs, reverse=True):
            standing = [
                record.place
                for record in self._overs[over].values()
                if changed.get(record.place, record.delivery) is not None
            ]
            if standing:
                return max(standing) if newest is None else max(newest, *standing)
        return newest

    def records(self) -> Iterator[DeliveryRecord]:
        for over in sorted(self._overs):
            for position in sorted(self._overs[over]):
                yield self._overs[over][position]

    def deliveries(self) -> Iterator[Delivery]:
        for over in self._overs.values():
            for record in over.values():
                if record.delivery is not None:
                    yield record.delivery

    def totals_with(self, records: Iterable[DeliveryRecord]) -> Totals:
        """What the balls would add up to if these rows were in the book."""
        totals = self.totals
        for record in records:
            known = self.record(record.place)
            if known is not None and known.delivery is not None:
                totals = totals.minus(known.delivery)
            if record.delivery is not None:
                totals = totals.plus(record.delivery)
        return totals

    def settle(self, shown: Collection[int], left_out: Collection[int] = ()) -> None:
        """The feed was asked for the overs that it left out, too; what they were it does not say."""
        self.absent |= set(left_out) - self.settled
        self.absent -= set(shown)
        self.settled |= {*shown, *left_out}

    def adopt(self, records: Iterable[DeliveryRecord], totals: Totals) -> None:
        for record in records:
            self._put(record)
        self.totals = totals

    def _put(self, record: DeliveryRecord) -> None:
        over = self._overs.setdefault(record.place.over, {})
        known = over.get(record.place.position)
        self.rows += known is None
        if known is not None:
            self.figures.move(known.delivery, -1)
        self.figures.move(record.delivery, 1)
        over[record.place.position] = record


def changes(book: InningsBook, report: OverReport, stamp: Stamp) -> Iterator[DeliveryRecord]:
    """New rows that make the book say what the report says. A ball that the report lacks was taken away."""
    known = book.over(report.over)
    for delivery in report.deliveries:
        record = known.get(delivery.place.position)
        if record is None or record.delivery is None or not record.delivery.says_the_same_as(delivery):
            yield _revise(record, delivery, stamp)
    for position in sorted(known):
        if position > len(report.deliveries) and known[position].delivery is not None:
            yield withdrawn(known[position], stamp)


def _revise(known: DeliveryRecord | None, delivery: Delivery, stamp: Stamp) -> DeliveryRecord:
    return DeliveryRecord(
        match_id=stamp.match_id,
        place=delivery.place,
        revision=1 if known is None else known.revision + 1,
        delivery=delivery,
        true_at=delivery.bowled_at or stamp.captured_at,
        captured_at=stamp.captured_at,
        payload_sha256=stamp.payload_sha256,
    )


def withdrawn(known: DeliveryRecord, stamp: Stamp) -> DeliveryRecord:
    return DeliveryRecord(
        match_id=stamp.match_id,
        place=known.place,
        revision=known.revision + 1,
        delivery=None,
        true_at=stamp.captured_at,
        captured_at=stamp.captured_at,
        payload_sha256=stamp.payload_sha256,
    )
