"""Balls that the source took back together with their over. No report speaks of that over any more, so no report
withdraws them: that they are gone is told by what the source shows ending before them.

It takes two to say so: the board must be behind the ledger, and be no further than level with it once they are gone.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from longstop.domain.cricket import InningsScore, OverReport
from longstop.domain.events import DeliveryRecord
from longstop.ledger import audit
from longstop.ledger.audit import Mismatch
from longstop.ledger.deliveries import InningsBook, Stamp, withdrawn
from longstop.ledger.gaps import FeedPage


def taken_back(
    book: InningsBook,
    score: InningsScore,
    reports: Iterable[OverReport],
    pages: Sequence[FeedPage],
    records: Iterable[DeliveryRecord],
    stamp: Stamp,
) -> tuple[DeliveryRecord, ...]:
    """`records` is what the reports and pages change already."""
    known = [record for record in records if record.place.innings == book.number]
    if not _is_ahead(audit.compare(score, book.totals_with(known))):
        return ()
    beyond = set(_beyond(book, score, [report.over for report in reports if report.innings == book.number], pages))
    gone = [withdrawn(record, stamp) for record in book.records() if record.place.over in beyond and record.delivery]
    if not gone or _is_behind(audit.compare(score, book.totals_with([*known, *gone]))):
        return ()
    return tuple(gone)


def _is_ahead(found: Mismatch | None) -> bool:
    return found is not None and min(found.runs, found.wickets, found.legal_balls) < 0


def _is_behind(found: Mismatch | None) -> bool:
    return found is not None and max(found.runs, found.wickets, found.legal_balls) > 0


def _beyond(book: InningsBook, score: InningsScore, shown: Collection[int], pages: Sequence[FeedPage]) -> Iterator[int]:
    """Overs of the book behind the last one that the recent list shows, or that the feed was asked for and has not."""
    of_innings = [page for page in pages if page.asked.innings == book.number]
    reported = {report.over for page in of_innings for report in page.overs} | set(shown)
    newest = max(shown, default=-1 if _has_not_begun(score) else book.last_over)
    for over in range(book.last_over + 1):
        is_denied = any(_denies(page, over) for page in of_innings)
        if over not in reported and (over > newest or is_denied):
            yield over


def _has_not_begun(score: InningsScore) -> bool:
    return not (score.legal_balls or score.wickets or score.runs > score.penalty_awarded)


def _denies(page: FeedPage, over: int) -> bool:
    return page.asked.first_over <= over <= page.asked.last_over and over > page.last_over
