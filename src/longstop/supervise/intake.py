"""Works off what was pushed: of each match one payload after the other, as they came, several matches at once.

A match that is watched here as well has one ledger: who is handed a payload takes a turn of it, as its scraper does.
What is interrupted is still in the journal and is taken again; the ledger knows it by then, so nothing is there twice.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final, Protocol

import msgspec

from longstop.capturing import Shelf
from longstop.check.surprises import INSISTED_SECONDS
from longstop.clock import Clock
from longstop.domain.errors import (
    MalformedPayloadError,
    PayloadError,
    RecordRefusedError,
    StoreError,
    UnknownSourceError,
)
from longstop.domain.match import MatchListing, MatchRef, MatchStatus
from longstop.domain.push import PushedPayload, PushVerdict, WaitingPayload
from longstop.fetch.snapshot import STATE
from longstop.ledger.match_ledger import LedgerLimits
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.sources import registry
from longstop.sources.contract import Source
from longstop.store.contract import MatchRow, Store
from longstop.supervise.assignment import Assignment
from longstop.supervise.service import Stop
from longstop.supervise.turns import Turns
from longstop.taking import HandedPipeline, Judgement, fault_of, snapshot_of
from longstop.watch import Watch, listed_row

NAME: Final = "intake"
LOOK_SECONDS: Final = 0.1
GAPS_SECONDS: Final = 1.0
RETRY_SECONDS: Final = 2.0
AT_ONCE_MAX: Final = 50
WATCHES_MAX: Final = 1_000
# A payload at which we stumbled that often is put aside, or nothing behind it would ever be read.
STUMBLES_MAX: Final = 2
_BELIEVED: Final = ("It was not believed at first, and left standing for a minute.",)


class Journal(Protocol):
    waiting_count: int

    async def waiting(self, limit: int) -> Sequence[WaitingPayload]: ...

    async def judge(self, item_id: str, verdict: PushVerdict, reasons: Sequence[str] = ()) -> None: ...


class Watched(Protocol):
    """What is asked of the engine."""

    turns: Turns

    def assignment(self, match_id: str) -> Assignment | None: ...


class Held(msgspec.Struct, frozen=True):
    """What surprised and nothing has followed yet; `at` is by our own clock, since when it stands."""

    item: WaitingPayload
    at: float


class Intake:
    """A service of the tree."""

    name = NAME

    def __init__(
        self,
        journal: Journal,
        store: Store,
        engine: Callable[[], Watched],
        sources: Sequence[Source],
        clock: Clock,
        bus: Signals,
        shelf: Shelf,
    ) -> None:
        self._journal = journal
        self._store = store
        self._engine = engine
        self._sources = {source.manifest.name: source for source in sources}
        self._clock = clock
        self._bus = bus
        self._shelf = shelf
        self._pipelines: dict[str, HandedPipeline] = {}
        self._watches: OrderedDict[str, Watch] = OrderedDict()
        self._held: dict[str, Held] = {}
        self._begun: dict[str, int] = {}
        self._gaps_at = 0.0
        bus.subscribe(signals.SpoolFound, self._read_again)

    def _read_again(self, found: signals.SpoolFound) -> None:
        """A record that was damaged may have lost what these ledgers take for durable."""
        if found.damaged:
            self._watches.clear()

    async def run(self, stop: Stop) -> None:
        wait = 0.0
        while not await stop.pause(wait):
            wait = await self.look()

    async def look(self) -> float:
        """How long to wait before the next look."""
        try:
            if self._journal.waiting_count:
                is_all_done = await self._work_off(await self._journal.waiting(AT_ONCE_MAX))
                return 0.0 if is_all_done else LOOK_SECONDS
            await self._look_after()
            return LOOK_SECONDS
        except StoreError as error:
            self._tell_trouble(error)
            return RETRY_SECONDS

    async def _work_off(self, found: Sequence[WaitingPayload]) -> bool:
        of_match = sorted(found, key=lambda item: item.payload.match_id)
        groups = [list(items) for _, items in groupby(of_match, key=lambda item: item.payload.match_id)]
        done = await asyncio.gather(*(self._work_off_match(items) for items in groups), return_exceptions=True)
        for outcome in done:
            if isinstance(outcome, BaseException):
                raise outcome
        return all(done)

    async def _work_off_match(self, items: Sequence[WaitingPayload]) -> bool:
        """False when it must wait."""
        match_id = items[0].payload.match_id
        lock = self._engine().turns.of(match_id)
        for item in items:
            async with lock:
                assignment = self._engine().assignment(match_id)
                if assignment is not None and assignment.is_replacing:
                    return False  # the successor that is tried out is the one that writes
                judged = await self._judge(item, assignment)
            self._begun.pop(item.id, None)
            await self._journal.judge(item.id, judged.verdict, judged.reasons)
            self._tell(item.payload, judged)
        return True

    async def _judge(self, item: WaitingPayload, assignment: Assignment | None) -> Judgement:
        pushed = item.payload
        fault = fault_of(pushed, self._clock)
        if fault:
            return _rejected(fault)
        if self._begun.get(item.id, 0) >= STUMBLES_MAX:
            return _rejected("We stumbled over it; that is a fault of ours. The log has it, and the payload is kept.")
        try:
            pipeline = self._pipeline(pushed.source)
            self._begun[item.id] = self._begun.get(item.id, 0) + 1
            watch = assignment.watch if assignment else await self._own_watch(pushed)
            await self._believe_what_lasted(watch, pushed)
            judged = await pipeline.take(watch, pushed)
        except (UnknownSourceError, PayloadError, RecordRefusedError) as error:
            return _rejected(str(error))
        except StoreError:
            self._begun.pop(item.id, None)  # no fault of the payload's
            raise
        if assignment is not None:
            self._watches.pop(pushed.match_id, None)
        self._note_held(item, judged, watch, is_alone=assignment is None)
        return judged

    def _note_held(self, item: WaitingPayload, judged: Judgement, watch: Watch, *, is_alone: bool) -> None:
        """Whoever scrapes the match as well sees for himself whether the source insists."""
        match_id, pushed = item.payload.match_id, item.payload
        if judged.verdict is PushVerdict.HELD and watch.patience.is_tried and is_alone:
            before = self._held.get(match_id)
            is_same = before is not None and before.item.payload.body == pushed.body
            self._held[match_id] = before if before is not None and is_same else Held(item, self._clock.monotonic())
        elif pushed.purpose == STATE and judged.verdict not in (PushVerdict.OLDER, PushVerdict.REJECTED):
            self._held.pop(match_id, None)

    async def _believe_what_lasted(self, watch: Watch, following: PushedPayload) -> None:
        """What was pushed late was told late, and stood for as long as the next one says."""
        held = self._held.get(following.match_id)
        if held is not None and following.purpose == STATE and watch.patience.has_lasted(following.captured_at):
            await self._insist(watch, held)

    async def _insist(self, watch: Watch, held: Held) -> None:
        pushed = held.item.payload
        try:
            is_believed = await self._pipeline(pushed.source).insist(watch, pushed)
        except (PayloadError, RecordRefusedError):
            is_believed = False
        self._held.pop(pushed.match_id, None)
        if is_believed:
            judged = Judgement(PushVerdict.ACCEPTED, _BELIEVED)
            await self._journal.judge(held.item.id, judged.verdict, judged.reasons)
            self._tell(pushed, judged)

    def _pipeline(self, name: str) -> HandedPipeline:
        """Of a source that is watched here, or of any that could be."""
        found = self._pipelines.get(name)
        if found is None:
            source = self._sources[name] = self._sources.get(name) or registry.create(name)
            found = self._pipelines[name] = HandedPipeline(source, self._store, self._clock, self._bus, self._shelf)
        return found

    async def _own_watch(self, pushed: PushedPayload) -> Watch:
        """Of a match that nobody watches here."""
        match_id = pushed.match_id
        watch = self._watches.pop(match_id, None)
        if watch is None:
            row = await self._store.match(match_id) or self._enter(pushed)
            listing = MatchListing(
                row.ref, row.title, row.teams, row.status, row.format, row.series, row.venue, row.starts_at
            )
            watch = Watch(listing, NAME, self._clock.now(), LedgerLimits(), row.state)
        self._watches[match_id] = watch
        if len(self._watches) > WATCHES_MAX:
            self._held.pop(self._watches.popitem(last=False)[0], None)
        return watch

    def _enter(self, pushed: PushedPayload) -> MatchRow:
        """A match is entered with the first payload that is believed, not because somebody names it: until then the
        record has no row of it."""
        ref = MatchRef(pushed.source, pushed.match_key)
        if pushed.purpose != STATE:
            raise MalformedPayloadError("Balls without a state: none of this match was pushed before them.")
        self._sources[pushed.source].parse_state(ref, snapshot_of(pushed))
        return listed_row(MatchListing(ref, ref.key, ("", ""), MatchStatus.UPCOMING), self._clock.now())

    async def _look_after(self) -> None:
        """Matches of which nothing comes just now, each second."""
        if self._clock.monotonic() < self._gaps_at:
            return
        self._gaps_at = self._clock.monotonic() + GAPS_SECONDS
        for match_id, watch in tuple(self._watches.items()):
            async with self._engine().turns.of(match_id):
                if self._engine().assignment(match_id) is None:
                    await self._look_after_match(match_id, watch)

    async def _look_after_match(self, match_id: str, watch: Watch) -> None:
        held = self._held.get(match_id)
        if held is not None and self._clock.monotonic() - held.at >= INSISTED_SECONDS:
            await self._insist(watch, held)
        await self._pipeline(watch.ref.source).record_overdue(watch)

    def _tell(self, pushed: PushedPayload, judged: Judgement) -> None:
        now = self._clock.now()
        self._bus.emit(
            signals.PushJudged(
                at=now,
                match_id=pushed.match_id,
                purpose=pushed.purpose,
                verdict=judged.verdict.value,
                reasons=judged.reasons,
                age_seconds=max(0.0, (now - pushed.captured_at).total_seconds()),
                waiting=self._journal.waiting_count,
            )
        )

    def _tell_trouble(self, error: StoreError) -> None:
        self._bus.emit(
            signals.ErrorRaised(
                at=self._clock.now(),
                severity="WARN",
                error_type=error.kind,
                error_message=error.message,
                hint=error.hint,
                operation=NAME,
            )
        )


def _rejected(reason: str) -> Judgement:
    return Judgement(PushVerdict.REJECTED, (reason,))
