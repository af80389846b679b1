"""What an observation, and the pages of the ball feed that were asked for with it, would change in the books."""

from collections.abc import Callable, Iterable, Sequence

import msgspec

from longstop.domain.cricket import InningsScore, OverReport
from longstop.domain.events import DeliveryRecord
from longstop.domain.observation import Observation
from longstop.ledger.audit import compare
from longstop.ledger.deliveries import InningsBook, Stamp, changes
from longstop.ledger.gaps import FeedPage
from longstop.ledger.taken_back import taken_back

# The overs of each innings that were shown with their balls.
Shown = dict[int, frozenset[int]]
Books = Callable[[int], InningsBook]


def new_records(
    books: Books, observation: Observation, pages: Sequence[FeedPage], stamp: Stamp
) -> tuple[DeliveryRecord, ...]:
    """What the recent list shows is newer than what the feed showed, so it has the last word."""
    found: dict[tuple[int, int], list[DeliveryRecord]] = {}
    left_out: dict[tuple[int, int], list[DeliveryRecord]] = {}
    for page in pages:
        page_stamp = msgspec.structs.replace(stamp, payload_sha256=page.payload_sha256)
        for report in page.overs:
            rows = list(changes(books(report.innings), report, page_stamp))
            (found if report.deliveries else left_out)[_over_of(report)] = rows
    for report in observation.overs:
        found[_over_of(report)] = list(changes(books(report.innings), report, stamp))
        left_out.pop(_over_of(report), None)
    records = [record for rows in found.values() for record in rows]
    gone = [record for rows in left_out.values() for record in rows]
    for score in observation.innings:
        records += _left_out(books(score.number), score, records, gone)
        records += taken_back(books(score.number), score, observation.overs, pages, records, stamp)
    return tuple(sorted(records, key=lambda record: record.place))


def _over_of(report: OverReport) -> tuple[int, int]:
    return report.innings, report.over


def _left_out(
    book: InningsBook, score: InningsScore, records: Iterable[DeliveryRecord], gone: Iterable[DeliveryRecord]
) -> tuple[DeliveryRecord, ...]:
    """`gone` withdraws overs that the feed leaves out. A source may have lost them as well as taken them back: they are
    gone when the board does not count their balls any more, and only then."""
    rows = tuple(row for row in gone if row.place.innings == score.number)
    others = [row for row in records if row.place.innings == score.number]
    is_believed = bool(rows) and compare(score, book.totals_with([*others, *rows])) is None
    return rows if is_believed else ()


def shown_overs(observation: Observation, pages: Sequence[FeedPage] = ()) -> Shown:
    shown: dict[int, set[int]] = {}
    for report in (*observation.overs, *(report for page in pages for report in page.overs if report.deliveries)):
        shown.setdefault(report.innings, set()).add(report.over)
    return {number: frozenset(overs) for number, overs in shown.items()}
