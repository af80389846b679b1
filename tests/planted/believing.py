"""Bugs of what is believed and what becomes of it: the checks, the ledger, the pipeline."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from longstop.capturing import Shelf
from longstop.check import plausibility, surprises
from longstop.domain.events import GapState
from longstop.ledger import audit, deliveries, gaps, reading
from longstop.ledger.deliveries import InningsBook
from longstop.ledger.match_ledger import MatchLedger
from longstop.pipeline import Pipeline
from longstop.store.contract import LedgerPage
from longstop.watch import Watch
from tests.planted.planting import Bed

replace = msgspec.structs.replace
bug = Bed()


@bug("key without innings")
def _(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(reading, "_over_of", lambda report: (0, report.over))


@bug("half-applied correction")
def _(patch: pytest.MonkeyPatch) -> None:
    """The runs are put right, and who made them is not."""
    whole = deliveries._revise

    def revise(known: Any, delivery: Any, stamp: Any) -> Any:
        if known is not None and known.delivery is not None:
            delivery = replace(delivery, batter=known.delivery.batter, extras=known.delivery.extras)
        return whole(known, delivery, stamp)

    patch.setattr(deliveries, "_revise", revise)


@bug("a ball that was taken back stays")
def _(patch: pytest.MonkeyPatch) -> None:
    whole = deliveries.changes

    def changes(*given: Any) -> Iterator[Any]:
        return (record for record in whole(*given) if record.delivery is not None)

    patch.setattr(reading, "changes", changes)


@bug("corrections are not noticed")
def _(patch: pytest.MonkeyPatch) -> None:
    whole = deliveries.changes

    def changes(*given: Any) -> Iterator[Any]:
        return (record for record in whole(*given) if record.revision == 1)

    patch.setattr(reading, "changes", changes)


@bug("an over that the feed leaves out is taken back")
def _(patch: pytest.MonkeyPatch) -> None:
    def left_out(_: Any, score: Any, __: Any, gone: Any) -> list[Any]:
        return [row for row in gone if row.place.innings == score.number]

    patch.setattr(reading, "_left_out", left_out)


@bug("gap closed without evidence")
def _(patch: pytest.MonkeyPatch) -> None:
    whole = gaps.steps

    def steps(*given: Any) -> Iterator[Any]:
        for gap in whole(*given):
            yield gap
            if gap.state is GapState.OPEN:
                yield gaps.close_gap(gap, GapState.REPAIRED, given[-1])

    patch.setattr(gaps, "steps", steps)


@bug("a gap is not recorded")
def _(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(gaps, "steps", lambda *_: iter(()))


@bug("complete_through claims what is missing")
def _(patch: pytest.MonkeyPatch) -> None:
    whole = MatchLedger._complete_through
    patch.setattr(MatchLedger, "_complete_through", lambda self, seen, records, _: whole(self, seen, records, {}))


@bug("sums are not held against the board")
def _(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(audit, "compare", lambda *_: None)


@bug("what is missing is not asked for")
def _(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(MatchLedger, "wanted", lambda *_: ())


@bug("the draft is adopted before it is durable")
def _(patch: pytest.MonkeyPatch) -> None:
    whole = Pipeline._save

    async def save(self: Pipeline, watch: Watch, batch: Any) -> None:
        ledger = watch.ledger
        try:
            await whole(self, watch, batch)
        finally:
            watch._ledger = ledger
            for record in batch.deliveries:
                book = ledger._books.setdefault(record.place.innings, InningsBook(record.place.innings))
                book.adopt((record,), book.totals_with((record,)))

    patch.setattr(Pipeline, "_save", save)


@bug("events are numbered anew in each life")
def _(patch: pytest.MonkeyPatch) -> None:
    _with_page(patch, lambda page: replace(page, last_seq=0))


@bug("snapshot resumed without check")
def _(patch: pytest.MonkeyPatch) -> None:
    """What the last life knew is gone by, and the balls of the record are not read."""
    _with_page(patch, lambda page: replace(page, deliveries=(), innings=()))


def _with_page(patch: pytest.MonkeyPatch, change: Any) -> None:
    whole = Watch.resume_from

    def resume_from(self: Watch, page: LedgerPage, row: Any = None) -> None:
        whole(self, change(page), row)

    patch.setattr(Watch, "resume_from", resume_from)


@bug("poison published")
def _(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(plausibility, "_against_itself", lambda _: iter(()))


@bug("stale body believed newer")
def _(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(plausibility, "is_older", lambda *_: False)


@bug("another match's data taken in")
def _(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(surprises, "strangers", lambda *_: iter(()))


@bug("parsed before it was kept")
def _(patch: pytest.MonkeyPatch) -> None:
    async def keep(_: Shelf, __: Watch, snapshot: Any, ___: str = "") -> Any:
        return snapshot

    patch.setattr(Shelf, "keep", keep)
