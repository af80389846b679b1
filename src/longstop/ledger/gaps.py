"""What is missing, and where to look for it.

The ledger suspects an innings as soon as the balls and the board disagree. First it asks for overs it never saw
whole; when there are none, it reads the innings again from the newest over to the oldest. A disagreement that
lasts becomes a gap, which is shown until the source fills it. When the source has shown all that it has, after the
innings ended, the gap is given up: it stays on record with its cause, and is closed should the source show more.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime

import msgspec

from longstop.domain.cricket import InningsScore, OverReport
from longstop.domain.events import Gap, GapState
from longstop.ledger.audit import Mismatch
from longstop.ledger.deliveries import InningsBook


class OverRange(msgspec.Struct, frozen=True):
    innings: int
    first_over: int
    last_over: int


class FeedPage(msgspec.Struct, frozen=True):
    """Overs that were asked for, and what the ball feed said of them."""

    asked: OverRange
    overs: tuple[OverReport, ...]
    last_over: int
    payload_sha256: str


class Suspicion(msgspec.Struct, frozen=True):
    """An innings whose balls and board disagree since `since`; `reread_before` is where reading again goes on. How long
    it has lasted is told by seconds of a clock that nobody sets: `began`, `read_at`."""

    since: datetime
    began: float
    mismatch: Mismatch
    reread_before: int | None = None
    gap: Gap | None = None
    # Overs that the source has shown since the innings ended, without what is missing; and when it was asked last.
    overs_read: frozenset[int] = frozenset()
    read_at: float | None = None

    @property
    def is_given_up(self) -> bool:
        return self.gap is not None and self.gap.state is GapState.UNRECOVERABLE

    def has_lasted(self, now: float, seconds: float) -> bool:
        return now - self.began >= seconds

    def rests(self, now: float, seconds: float) -> bool:
        """What was given up is asked for again, but not at every poll."""
        at = self.began if self.read_at is None else self.read_at
        return self.is_given_up and now - at < seconds

    def having_read(self, overs: Collection[int] | None, now: float, *, has_asked: bool) -> "Suspicion":
        """`overs` None: the innings goes on, and what is not shown yet may still be."""
        return msgspec.structs.replace(
            self,
            overs_read=frozenset[int]() if overs is None else self.overs_read | frozenset(overs),
            read_at=now if has_asked else self.read_at,
        )


EXHAUSTED = "the ball feed was read from end to end after the innings had ended, and does not show it"


def last_over_claimed(score: InningsScore) -> int:
    """The newest over that the board speaks of: 31.1 is in over 31, 20.0 has finished over 19."""
    whole, _, balls = score.overs.partition(".")
    return int(whole or 0) - (0 if int(balls or 0) else 1)


def missing_overs(book: InningsBook, last_over: int, shown: Collection[int]) -> list[int]:
    """Where what is missing can be: what was not seen whole, or else anywhere."""
    return named_overs(book, last_over, shown) or list(range(last_over + 1))


def named_overs(book: InningsBook, last_over: int, shown: Collection[int]) -> list[int]:
    """The overs that were not seen whole, those included that the feed was asked for and left out."""
    return sorted({*unsettled_overs(book, last_over, shown), *(book.absent - set(shown))})


def unsettled_overs(book: InningsBook, last_over: int, shown: Collection[int]) -> list[int]:
    return [over for over in range(last_over + 1) if over not in book.settled and over not in shown]


def into_ranges(innings: int, overs: Iterable[int], overs_per_call: int) -> list[OverRange]:
    """Neighbouring overs share a call, as many as the source allows."""
    ranges: list[OverRange] = []
    for over in sorted(overs):
        last = ranges[-1] if ranges else None
        if last and over == last.last_over + 1 and over - last.first_over < overs_per_call:
            ranges[-1] = OverRange(innings, last.first_over, over)
        else:
            ranges.append(OverRange(innings, over, over))
    return ranges


def reread_range(innings: int, before: int, overs_per_call: int) -> OverRange:
    return OverRange(innings, max(0, before - overs_per_call), before - 1)


def open_gap(match_id: str, suspicion: Suspicion, overs: Collection[int], now: datetime) -> Gap:
    found = suspicion.mismatch
    return Gap(
        match_id=match_id,
        gap_id=f"{found.innings}:{suspicion.since.isoformat()}",
        innings=found.innings,
        first_over=min(overs, default=0),
        last_over=max(overs, default=0),
        state=GapState.OPEN,
        cause=f"{found.describe()} more than the balls show",
        opened_at=now,
        missing_runs=found.runs,
        missing_wickets=found.wickets,
        missing_balls=found.legal_balls,
    )


def widened(suspicion: Suspicion, overs: Collection[int]) -> Gap | None:
    """More is missing than the gap on record tells of."""
    gap, found = suspicion.gap, suspicion.mismatch
    if gap is None or suspicion.is_given_up or not overs:
        return None
    first, last = min(gap.first_over, *overs), max(gap.last_over, *overs)
    if (first, last) == (gap.first_over, gap.last_over):
        return None
    return msgspec.structs.replace(
        gap,
        first_over=first,
        last_over=last,
        missing_runs=found.runs,
        missing_wickets=found.wickets,
        missing_balls=found.legal_balls,
    )


def steps(match_id: str, suspicion: Suspicion, overs: Collection[int], why: str, now: datetime) -> Iterator[Gap]:
    """A gap is opened, and given up when there is a reason to."""
    gap = suspicion.gap
    if gap is None:
        gap = open_gap(match_id, suspicion, overs, now)
        yield gap
    if why:
        yield give_up(widened(suspicion, overs) or gap, why, now)


def close_gap(gap: Gap, state: GapState, now: datetime) -> Gap:
    return msgspec.structs.replace(gap, state=state, closed_at=now)


def give_up(gap: Gap, why: str, now: datetime) -> Gap:
    return msgspec.structs.replace(close_gap(gap, GapState.UNRECOVERABLE, now), cause=f"{gap.cause}; {why}")


def with_gaps(suspicions: Mapping[int, Suspicion], rows: Iterable[Gap]) -> dict[int, Suspicion]:
    opened = {gap.innings: gap for gap in rows if gap.state is not GapState.REPAIRED}
    return {
        number: msgspec.structs.replace(found, gap=opened[number]) if number in opened else found
        for number, found in suspicions.items()
    }
