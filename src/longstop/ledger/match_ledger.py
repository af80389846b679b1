"""The ledger of one match: drafts what an observation adds, and adopts a draft once it is durable.

Drafting changes nothing, so a write that failed is simply drafted again from what is newest then.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

import msgspec

from longstop.domain.cricket import InningsScore, InningsState, PlayState, Result
from longstop.domain.events import DeliveryRecord, Gap, GapState, InningsRecord, MatchEvent
from longstop.domain.match import MatchStatus
from longstop.domain.observation import Observation
from longstop.ledger import audit, gaps, telling
from longstop.ledger.audit import Mismatch, Totals
from longstop.ledger.deliveries import InningsBook, Stamp
from longstop.ledger.doubts import Doubtful, Doubts
from longstop.ledger.gaps import FeedPage, OverRange, Suspicion
from longstop.ledger.reading import Shown, new_records, shown_overs


class LedgerLimits(msgspec.Struct, frozen=True):
    overs_per_call: int = 10
    calls_per_poll: int = 8
    gap_after_seconds: float = 7.0
    ask_again_seconds: float = 300.0


class LedgerState(msgspec.Struct, frozen=True):
    """What a ledger starts from; the store has it."""

    deliveries: Sequence[DeliveryRecord] = ()
    innings: Sequence[InningsRecord] = ()
    gaps: Sequence[Gap] = ()
    last_seq: int = 0
    status: MatchStatus | None = None
    play: PlayState | None = None
    result: Result | None = None


class Draft(msgspec.Struct, frozen=True):
    """What would be written, and what the books would say then. `widened` are gaps that stand on record already."""

    observation: Observation
    at: float
    records: tuple[DeliveryRecord, ...]
    innings: tuple[InningsRecord, ...]
    events: tuple[MatchEvent, ...]
    gaps: tuple[Gap, ...]
    widened: tuple[Gap, ...]
    totals: dict[int, Totals]
    suspicions: dict[int, Suspicion]
    pages: tuple[FeedPage, ...]
    complete_through: str | None
    last_seq: int
    doubtful: Doubtful = Doubtful()

    @property
    def is_whole(self) -> bool:
        return not self.suspicions

    @property
    def corrections(self) -> int:
        return sum(record.revision > 1 for record in self.records)


class MatchLedger:
    def __init__(
        self, match_id: str, state: LedgerState = LedgerState(), limits: LedgerLimits = LedgerLimits()
    ) -> None:
        self.match_id = match_id
        self._limits = limits
        self._books: dict[int, InningsBook] = {}
        self._innings = {record.score.number: record for record in state.innings}
        self._suspicions: dict[int, Suspicion] = {}
        # What was read back from a store was never held against a board by us: nobody knows what it lacks.
        self._is_proven = not state.innings
        self._open_gaps = {gap.innings: gap for gap in state.gaps if gap.state is not GapState.REPAIRED}
        self._to_sync: dict[int, set[int]] = {}
        self._doubts = Doubts(self.book, limits.overs_per_call)
        self._last_over_shown: dict[int, int] = {}
        self._last_seq = state.last_seq
        self._status = state.status
        self._play = state.play
        self._result = state.result
        for number in {record.place.innings for record in state.deliveries}:
            rows = (record for record in state.deliveries if record.place.innings == number)
            self._books[number] = InningsBook.from_records(number, rows)

    @property
    def is_whole(self) -> bool:
        """Nothing is missing and nothing waits to be read again, by the board that it was held against last."""
        return self._is_proven and not self._suspicions and not self._to_sync

    @property
    def is_settled(self) -> bool:
        """Nothing waits to be read: whole, or what is missing is given up."""
        is_given_up = all(each.is_given_up for each in self._suspicions.values())
        return self._is_proven and not self._to_sync and is_given_up

    def may_rest(self, now: float) -> bool:
        """The same bytes again need not be looked at; but what was given up is asked for again now and then."""
        patience = self._limits.ask_again_seconds
        return not self._to_sync and all(each.rests(now, patience) for each in self._suspicions.values())

    def is_gap_due(self, now: float) -> bool:
        patience = self._limits.gap_after_seconds
        return any(each.gap is None and each.has_lasted(now, patience) for each in self._suspicions.values())

    @property
    def rows(self) -> int:
        """How many balls it holds."""
        return sum(book.rows for book in self._books.values())

    @property
    def result(self) -> Result | None:
        return self._result

    def book(self, innings: int) -> InningsBook:
        return self._books.get(innings) or InningsBook(innings)

    def records(self) -> Iterator[DeliveryRecord]:
        """The newest revision of every ball, withdrawals included."""
        for number in sorted(self._books):
            yield from self._books[number].records()

    def read_again(self, scores: Iterable[InningsScore]) -> None:
        """Orders a full sync of these innings: every over is looked at once more."""
        for score in scores:
            self._to_sync[score.number] = set(range(self._last_over(score) + 1))

    def draft(
        self, observation: Observation, pages: Sequence[FeedPage] = (), given_up: str = "", at: float | None = None
    ) -> Draft:
        """`given_up` tells why the source will show no more: every gap ends with that. `at` is now by the monotonic
        clock; whoever has none, since nothing goes on now, goes by when each observation was captured."""
        at = observation.provenance.captured_at.timestamp() if at is None else at
        stamp = Stamp(self.match_id, observation.provenance.captured_at, observation.provenance.payload_sha256)
        records = new_records(self.book, observation, pages, stamp)
        innings = self._new_innings(observation)
        totals = self._totals_with(records, observation)
        suspicions = self._suspect(observation, totals, at)
        shown = shown_overs(observation, pages)
        gap_rows = self._gap_rows(observation, suspicions, shown, given_up, at)
        widened = self._widened(observation, suspicions, shown, gap_rows)
        suspicions = gaps.with_gaps(suspicions, (*gap_rows, *widened))
        teller = telling.Teller(self.match_id, stamp.captured_at, self._last_seq)
        events = teller.tell(records, innings, self._new_facts(observation), gap_rows)
        return Draft(
            observation=observation,
            at=at,
            records=records,
            innings=innings,
            events=events,
            gaps=gap_rows,
            widened=widened,
            totals=totals,
            suspicions=suspicions,
            pages=tuple(pages),
            complete_through=self._complete_through(observation, records, suspicions),
            last_seq=self._last_seq + len(events),
            doubtful=self._find_doubtful(observation, records, innings, suspicions, at),
        )

    def adopt(self, draft: Draft) -> None:
        """The draft is durable: the books say so from now on."""
        for number, totals in draft.totals.items():
            book = self._books.setdefault(number, InningsBook(number))
            book.adopt((record for record in draft.records if record.place.innings == number), totals)
        self._is_proven = True
        self._suspicions = dict(draft.suspicions)
        self._settle(draft)
        self._look_into(draft)
        self.read_again(self._due_for_sync(draft))
        self._mark_read(draft)
        self._innings.update((record.score.number, record) for record in draft.innings)
        self._open_gaps = {innings: found.gap for innings, found in draft.suspicions.items() if found.gap}
        self._last_seq = draft.last_seq
        self._status = draft.observation.status
        self._play = draft.observation.play
        self._result = draft.observation.result or self._result

    def wanted(self, draft: Draft) -> tuple[OverRange, ...]:
        """The overs to ask the ball feed for before this draft is written, the most urgent first."""
        shown = shown_overs(draft.observation)
        wanted: list[OverRange] = []
        for score in draft.observation.innings:
            wanted += self._wanted_of(score, shown.get(score.number, frozenset()), draft)
        return tuple(wanted[: self._limits.calls_per_poll])

    # How a draft is made.

    def _new_innings(self, observation: Observation) -> tuple[InningsRecord, ...]:
        rows = []
        for score in observation.innings:
            known = self._innings.get(score.number)
            if known is None or telling.facts_of(known.score) != telling.facts_of(score):
                revision = 1 if known is None else known.revision + 1
                stamp = observation.provenance
                rows.append(InningsRecord(self.match_id, revision, score, stamp.captured_at, stamp.source_at))
        return tuple(rows)

    def _totals_with(self, records: Sequence[DeliveryRecord], observation: Observation) -> dict[int, Totals]:
        touched = {record.place.innings for record in records} | {score.number for score in observation.innings}
        return {
            number: self.book(number).totals_with(record for record in records if record.place.innings == number)
            for number in touched
        }

    def _suspect(self, observation: Observation, totals: dict[int, Totals], at: float) -> dict[int, Suspicion]:
        found = {}
        for score in observation.innings:
            mismatch = audit.compare(score, totals[score.number])
            if mismatch is not None:
                found[score.number] = self._suspicion(mismatch, observation.provenance.captured_at, at)
        return found

    def _suspicion(self, mismatch: Mismatch, now: datetime, at: float) -> Suspicion:
        known = self._suspicions.get(mismatch.innings)
        gap = self._open_gaps.get(mismatch.innings)
        if known is None:
            return Suspicion(since=now, began=at, mismatch=mismatch, gap=gap)
        read = known.overs_read if known.mismatch == mismatch else frozenset[int]()
        return msgspec.structs.replace(known, mismatch=mismatch, gap=known.gap or gap, overs_read=read)

    def _find_doubtful(
        self,
        observation: Observation,
        records: Sequence[DeliveryRecord],
        innings: Sequence[InningsRecord],
        suspicions: dict[int, Suspicion],
        at: float,
    ) -> Doubtful:
        current = observation.current_innings
        if current is not None and current.number in suspicions:
            return Doubtful(is_sound=False)
        return self._doubts.find(observation, records, len(records) + len(innings), at)

    def _gap_rows(
        self, observation: Observation, suspicions: dict[int, Suspicion], shown: Shown, given_up: str, at: float
    ) -> tuple[Gap, ...]:
        now = observation.provenance.captured_at
        rows = [
            gaps.close_gap(gap, GapState.REPAIRED, now)
            for innings, gap in self._open_gaps.items()
            if innings not in suspicions
        ]
        for score in observation.innings:
            suspicion = suspicions.get(score.number)
            if suspicion is not None and not suspicion.is_given_up:
                overs = self._missing(score, shown.get(score.number, frozenset()))
                why = given_up or (gaps.EXHAUSTED if self._is_exhausted(score, suspicion) else "")
                if given_up or suspicion.has_lasted(at, self._limits.gap_after_seconds):
                    rows += gaps.steps(self.match_id, suspicion, overs, why, now)
        return tuple(rows)

    def _widened(
        self, observation: Observation, suspicions: dict[int, Suspicion], shown: Shown, rows: Sequence[Gap]
    ) -> tuple[Gap, ...]:
        stepping = {gap.innings for gap in rows}
        found = []
        for score in observation.innings:
            suspicion = suspicions.get(score.number)
            if suspicion is not None and score.number not in stepping:
                overs = shown.get(score.number, frozenset())
                named = gaps.named_overs(self.book(score.number), self._last_over(score), overs)
                found.append(gaps.widened(suspicion, named))
        return tuple(gap for gap in found if gap is not None)

    def _is_exhausted(self, score: InningsScore, suspicion: Suspicion) -> bool:
        overs = set(range(self._last_over(score) + 1))
        return score.state is not InningsState.LIVE and bool(overs) and overs <= suspicion.overs_read

    def _new_facts(self, observation: Observation) -> telling.NewFacts:
        result = observation.result
        return telling.NewFacts(
            status=observation.status if observation.status is not self._status else None,
            play=observation.play if observation.play is not self._play else None,
            result=result if result is not None and result != self._result else None,
            true_at=observation.provenance.source_at or observation.provenance.captured_at,
        )

    def _complete_through(
        self, observation: Observation, records: Sequence[DeliveryRecord], suspicions: dict[int, Suspicion]
    ) -> str | None:
        """Up to which ball the record is known to be whole: before the first innings in doubt, its settled overs."""
        for score in observation.innings:
            if score.number in suspicions:
                return f"{score.number}.{min(self._missing(score, frozenset()), default=0)}.0"
        current = observation.current_innings
        if current is None:
            return None
        last = self.book(current.number).last_place_with(records)
        return str(last) if last else f"{current.number}.0.0"

    # Where to look for what is missing.

    def _wanted_of(self, score: InningsScore, shown: frozenset[int], draft: Draft) -> list[OverRange]:
        size = self._limits.overs_per_call
        suspicion = draft.suspicions.get(score.number)
        doubtful = draft.doubtful.overs.get(score.number, frozenset())
        if suspicion is not None and not suspicion.rests(draft.at, self._limits.ask_again_seconds):
            overs = self._unsettled(score, shown)
            if overs:
                return gaps.into_ranges(score.number, overs, size)
            if score.number in self._suspicions:
                return self._reread(score, suspicion, shown)
        return gaps.into_ranges(score.number, (self._to_sync.get(score.number, set()) | doubtful) - shown, size)

    def _reread(self, score: InningsScore, suspicion: Suspicion, shown: frozenset[int]) -> list[OverRange]:
        before = suspicion.reread_before or min(shown, default=self._last_over(score) + 1)
        if before <= 0:
            before = self._last_over(score) + 1
        return [gaps.reread_range(score.number, before, self._limits.overs_per_call)] if before > 0 else []

    def _unsettled(self, score: InningsScore, shown: frozenset[int]) -> list[int]:
        return gaps.unsettled_overs(self.book(score.number), self._last_over(score), shown)

    def _missing(self, score: InningsScore, shown: frozenset[int]) -> list[int]:
        return gaps.missing_overs(self.book(score.number), self._last_over(score), shown)

    def _last_over(self, score: InningsScore) -> int:
        book = self.book(score.number)
        return max(gaps.last_over_claimed(score), book.last_over, self._last_over_shown.get(score.number, -1))

    # What adopting remembers.

    def _due_for_sync(self, draft: Draft) -> tuple[InningsScore, ...]:
        """An innings that has just ended; and all of them when something moves after the end of the match."""
        if draft.observation.result is not None and draft.events:
            return draft.observation.innings
        ended = {row.score.number for row in draft.innings if row.score.state is not InningsState.LIVE}
        return tuple(score for score in draft.observation.innings if score.number in ended)

    def _look_into(self, draft: Draft) -> None:
        for number, overs in draft.doubtful.overs.items():
            self._to_sync.setdefault(number, set()).update(overs)
        self._doubts.remember(draft.observation, draft.doubtful, draft.at)

    def _settle(self, draft: Draft) -> None:
        current = draft.observation.current_innings
        for number, overs in shown_overs(draft.observation).items():
            is_over = current is None or number < current.number or current.state is not InningsState.LIVE
            newest = max(overs)
            self._books[number].settle({over for over in overs if is_over or over < newest})
        for page in draft.pages:
            self._settle_page(page, draft)

    def _settle_page(self, page: FeedPage, draft: Draft) -> None:
        number = page.asked.innings
        self._last_over_shown[number] = max(page.last_over, self._last_over_shown.get(number, -1))
        ended = any(
            score.number == number and score.state is not InningsState.LIVE for score in draft.observation.innings
        )
        book = self._books.setdefault(number, InningsBook(number))
        passed = [report for report in page.overs if ended or report.over < page.last_over]
        book.settle(
            {report.over for report in passed if report.deliveries},
            {report.over for report in passed if not report.deliveries},
        )
        suspicion = self._suspicions.get(number)
        if suspicion is not None:
            self._suspicions[number] = msgspec.structs.replace(suspicion, reread_before=page.asked.first_over)

    def _mark_read(self, draft: Draft) -> None:
        """What this draft looked at need not be looked at again."""
        read = {(number, over) for number, overs in shown_overs(draft.observation).items() for over in overs}
        for page in draft.pages:
            asked = page.asked
            read |= {(asked.innings, over) for over in range(asked.first_over, asked.last_over + 1)}
        for innings in tuple(self._to_sync):
            self._to_sync[innings] -= {over for number, over in read if number == innings}
            if not self._to_sync[innings]:
                del self._to_sync[innings]
        for score in draft.observation.innings:
            suspicion = self._suspicions.get(score.number)
            if suspicion is not None:
                overs = {over for number, over in read if number == score.number}
                has_asked = any(page.asked.innings == score.number for page in draft.pages)
                is_over = score.state is not InningsState.LIVE
                self._suspicions[score.number] = suspicion.having_read(
                    overs if is_over else None, draft.at, has_asked=has_asked
                )
