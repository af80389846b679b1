"""What is odd though every sum agrees, and the overs that are looked at once more for it.

Three things are odd: figures of a player that the balls do not give, numbers of balls or overs that leave some out,
and a source whose own count of changes went on by more than we have seen. Each is looked into once: when the source
shows the same again, it is the source that contradicts itself, and nothing is made up to reconcile it.
"""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from longstop.domain.cricket import Delivery
from longstop.domain.events import DeliveryRecord
from longstop.domain.observation import Observation
from longstop.ledger import figures
from longstop.ledger.deliveries import InningsBook
from longstop.ledger.figures import Doubt

# A source that counts what it does not show would have us read for ever.
JUMP_REST_SECONDS = 30.0

Books = Callable[[int], InningsBook]


class Doubtful(msgspec.Struct, frozen=True):
    """What a draft found odd: whose figures, and which overs are to be looked at, by innings. Where the sums disagree
    the figures do too, and tell nothing."""

    figures: tuple[Doubt, ...] = ()
    overs: dict[int, frozenset[int]] = {}
    has_jumped: bool = False
    is_sound: bool = True


class Doubts:
    def __init__(self, books: Books, overs_per_call: int) -> None:
        self._books = books
        self._overs_per_call = overs_per_call
        self._known: set[Doubt] = set()
        self._seen: Observation | None = None
        self._jumped_at: float | None = None

    def find(self, observation: Observation, records: Sequence[DeliveryRecord], changes: int, at: float) -> Doubtful:
        """`changes` is how many of the source's changes this observation explains; `at` is now, in seconds."""
        found = self._figures(observation, records)
        overs: dict[int, set[int]] = {}
        if found:
            book = self._books(found[0].innings)
            overs[book.number] = set(figures.overs_in_doubt(found, book.records()))
        for number, missing in self._left_out(records):
            overs.setdefault(number, set()).update(missing)
        has_jumped = self._has_jumped(observation, changes, at)
        if has_jumped:
            self._look_back(observation, overs)
        return Doubtful(tuple(found), {number: frozenset(each) for number, each in overs.items() if each}, has_jumped)

    def remember(self, observation: Observation, found: Doubtful, at: float) -> None:
        """What is looked into now is known; of a player who is right again, it is forgotten."""
        self._seen = observation
        if not found.is_sound:
            return
        current = observation.current_innings
        shown = {figures_of.player for figures_of in observation.batting}
        if observation.bowling is not None:
            shown.add(observation.bowling.player)
        number = current.number if current else 0
        known = {doubt for doubt in self._known if doubt.innings == number and doubt.player not in shown}
        self._known = known | set(self._all(observation, ())) | set(found.figures)
        if found.has_jumped:
            self._jumped_at = at

    def _figures(self, observation: Observation, records: Sequence[DeliveryRecord]) -> list[Doubt]:
        return [doubt for doubt in self._all(observation, records) if doubt not in self._known]

    def _all(self, observation: Observation, records: Sequence[DeliveryRecord]) -> list[Doubt]:
        current = observation.current_innings
        if current is None:
            return []
        book = self._books(current.number)
        return figures.doubts(observation, book.figures, _moves(book, records))

    def _left_out(self, records: Sequence[DeliveryRecord]) -> Iterator[tuple[int, set[int]]]:
        """Overs that a newer one has passed by, and overs with a hole in their positions."""
        for number in {record.place.innings for record in records}:
            book = self._books(number)
            last = book.last_over
            newer = [record.place.over for record in records if record.place.innings == number]
            begun = min((over for over in newer if over > last), default=last + 1)
            missing = set(range(last + 1, begun)) - set(newer)
            if begun > last + 1 and last >= 0 and last not in book.settled and last not in newer:
                missing.add(last)
            yield number, missing | _with_holes(book, records)

    def _has_jumped(self, observation: Observation, changes: int, at: float) -> bool:
        before = self._seen
        if before is None or before.sequence is None or observation.sequence is None:
            return False
        if self._jumped_at is not None and at - self._jumped_at < JUMP_REST_SECONDS:
            return False
        told = changes + (before.play is not observation.play) + (before.announcement != observation.announcement)
        return observation.sequence - before.sequence > told

    def _look_back(self, observation: Observation, overs: dict[int, set[int]]) -> None:
        """The overs just before those that are shown: one call."""
        current = observation.current_innings
        if current is None:
            return
        shown = [report.over for report in observation.overs if report.innings == current.number]
        first = min(shown, default=0)
        overs.setdefault(current.number, set()).update(range(max(0, first - self._overs_per_call), first))


def _moves(book: InningsBook, records: Sequence[DeliveryRecord]) -> Iterator[tuple[Delivery | None, int]]:
    for record in records:
        if record.place.innings == book.number:
            known = book.record(record.place)
            yield known.delivery if known is not None else None, -1
            yield record.delivery, 1


def _with_holes(book: InningsBook, records: Sequence[DeliveryRecord]) -> set[int]:
    """A report of an over is of the whole over, so a hole can only come from rows that were lost."""
    touched = {record.place.over for record in records if record.place.innings == book.number}
    return {over for over in touched if _has_hole(book, over, records)}


def _has_hole(book: InningsBook, over: int, records: Sequence[DeliveryRecord]) -> bool:
    rows = dict(book.over(over))
    rows |= {r.place.position: r for r in records if (r.place.innings, r.place.over) == (book.number, over)}
    standing = [position for position, record in rows.items() if record.delivery is not None]
    return bool(standing) and max(standing) != len(standing)
