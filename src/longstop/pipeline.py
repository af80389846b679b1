"""One poll, told as it happens: fetch → keep → parse → check → ledger → store.

It ends in one of a closed set of outcomes. What a source or a database does wrong is an outcome, not an exception;
only our own mistakes escape from here, and supervision deals with them.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Protocol

import msgspec

from longstop.announcing import Announcer
from longstop.capturing import Shelf, asked_of
from longstop.check import plausibility
from longstop.check.drift import SelectorDrift
from longstop.clock import Clock, age_seconds
from longstop.domain.errors import (
    FetchError,
    LongstopError,
    MatchGoneError,
    PayloadError,
    SourceThrottledError,
    StoreError,
)
from longstop.domain.observation import Observation
from longstop.domain.scraper_state import ScraperState
from longstop.fetch.evidence import EvidenceStore
from longstop.fetch.snapshot import Fetcher, Snapshot
from longstop.ledger.gaps import FeedPage, OverRange
from longstop.ledger.match_ledger import Draft
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.resuming import disagreements, recalled
from longstop.sources.contract import Missing, Source
from longstop.store.contract import LedgerPage, Store, WriteBatch
from longstop.watch import Watch, batch_of, row_as
from longstop.witnessing import Looker, Witness

# A long match is read to its end in so many rounds, each of a few calls; more would be no conclusion.
FINAL_ROUNDS_MAX = 40
GONE = "the source shows the match no more"


class OutcomeKind(Enum):
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    HELD = "held"
    FAILED = "failed"
    THROTTLED = "throttled"
    GONE = "gone"
    NOT_STORED = "not_stored"


class Outcome(msgspec.Struct, frozen=True):
    kind: OutcomeKind
    error: LongstopError | None = None
    reasons: tuple[str, ...] = ()
    is_changed: bool = False
    events: int = 0
    bytes_in: int = 0

    @property
    def is_success(self) -> bool:
        return self.kind in (OutcomeKind.UPDATED, OutcomeKind.UNCHANGED)

    @property
    def retry_after_seconds(self) -> float:
        return self.error.retry_after_seconds if isinstance(self.error, SourceThrottledError) else 0.0


class Climber(Looker, Protocol):
    """What the pipeline tells a fetcher that knows several ways to the source."""

    def distrust(self, key: str, error: PayloadError) -> None: ...

    def shut(self, key: str, reason: str) -> None: ...

    async def let_go(self, key: str) -> None: ...


class Pipeline:
    """The hallway. One instance serves all matches of one source."""

    def __init__(
        self,
        source: Source,
        fetcher: Fetcher,
        store: Store,
        clock: Clock,
        signals: Signals,
        climber: Climber | None = None,
        evidence: EvidenceStore | None = None,
        shelf: Shelf | None = None,
    ) -> None:
        self._source = source
        self._fetcher = fetcher
        self._climber = climber
        self._witness = Witness(evidence, climber)
        self._drift = SelectorDrift()
        self._store = store
        self._shelf = shelf or Shelf(store)
        self._clock = clock
        self._signals = signals
        self._announcer = Announcer(clock, signals)

    async def poll(self, watch: Watch) -> Outcome:
        started = self._clock.monotonic()
        outcome = await self._attempt(watch)
        watch.polled(outcome.is_success, self._clock.now())
        self._tell(watch, outcome, self._clock.monotonic() - started)
        if watch.is_finished:
            self._tell_concluded(watch, "the match is over")
            await self.let_go(watch)
        return outcome

    async def let_go(self, watch: Watch) -> None:
        """Nothing needs to be held open for this match any more."""
        if self._climber is not None:
            await self._climber.let_go(watch.ref.key)

    def shut(self, watch: Watch, reason: str) -> None:
        """What comes of this match cannot be read, whatever way it comes."""
        if self._climber is not None:
            self._climber.shut(watch.ref.key, reason)

    async def afresh(self, watch: Watch) -> None:
        """Whatever way was found to this match, it is looked for again from the top."""
        await self.let_go(watch)

    async def conclude(self, watch: Watch) -> None:
        """The source has dropped a match for good: what can still be had is read, then what is known is final."""
        try:
            await self._sync_finally(watch)
            await self._give_up(watch)
            steps = watch.conclude()
            if watch.last_word is not None:
                await self._store.save(WriteBatch(matches=(row_as(watch, "stopped", self._clock.now()),)))
            self._announcer.steps(watch, steps)
        except StoreError as error:
            self._tell_error(watch, error, "conclusion")
        self._tell_concluded(watch, "the source shows it no more")

    async def step(self, watch: Watch, event: str, scraper_status: str, known: tuple[ScraperState, ...] = ()) -> None:
        """A step of the match's life that no payload makes, with what its scraper knows where that must not wait. What
        the store misses it is told with the next one."""
        steps = watch.advance(event)
        self._announcer.steps(watch, steps)
        row = row_as(watch, scraper_status, self._clock.now())
        try:
            await self._store.save(WriteBatch(matches=(row,), states=known))
        except StoreError as error:
            self._tell_error(watch, error, event)

    async def _sync_finally(self, watch: Watch) -> None:
        """Every over once more, as far as the feed still has it."""
        observation = watch.last_word
        if observation is None or not watch.has_ledger:
            return
        watch.ledger.read_again(observation.innings)
        for _ in range(FINAL_ROUNDS_MAX):
            draft = await self._post(watch, observation)
            if not draft.pages or watch.ledger.is_whole:
                return

    async def _give_up(self, watch: Watch) -> None:
        """What is still missing when the source says no more stays missing, and the record tells why."""
        if watch.has_ledger and not watch.ledger.is_whole:
            await self._record_gaps(watch, GONE)

    async def record_overdue(self, watch: Watch) -> None:
        """What stays missing is on record in time, also while the source fails, hangs, or is not believed."""
        if not watch.is_gap_due(self._clock.monotonic()):
            return
        try:
            await self._record_gaps(watch)
        except StoreError as error:
            self._tell_error(watch, error, "gaps")

    async def _record_gaps(self, watch: Watch, given_up: str = "") -> None:
        async with watch.posting:
            observation = watch.last_word
            if observation is None:
                return
            now = msgspec.structs.replace(observation.provenance, captured_at=self._clock.now())
            observation = msgspec.structs.replace(observation, provenance=now)
            draft = watch.ledger.draft(observation, given_up=given_up, at=self._clock.monotonic())
            if draft.records and not given_up:
                return  # somebody else has written newer balls: whoever reads them tells what is missing
            await self._save(watch, WriteBatch(gaps=draft.gaps, events=draft.events))
            watch.ledger.adopt(draft)
            self._announcer.facts(watch, draft)

    async def _attempt(self, watch: Watch) -> Outcome:
        try:
            await self._remember(watch)
            asked = self._source.live_state(watch.ref)
            snapshot = await self._fetcher.fetch(msgspec.structs.replace(asked, is_conditional=watch.may_skip))
            watch.rung = snapshot.rung
            if watch.has_seen(snapshot, self._clock.monotonic()):
                return Outcome(OutcomeKind.UNCHANGED, bytes_in=len(snapshot.body))
            return await self._judge(watch, await self._shelf.keep(watch, snapshot))
        except MatchGoneError as error:
            return Outcome(OutcomeKind.GONE, error=error)
        except SourceThrottledError as error:
            return Outcome(OutcomeKind.THROTTLED, error=error)
        except FetchError as error:
            error.evidence = await self._witness.keep(watch.ref, None)
            return Outcome(OutcomeKind.FAILED, error=error)
        except PayloadError as error:
            return Outcome(OutcomeKind.FAILED, error=error)
        except StoreError as error:
            return Outcome(OutcomeKind.NOT_STORED, error=error)

    async def _judge(self, watch: Watch, snapshot: Snapshot) -> Outcome:
        observation = await self._parse(watch, snapshot)
        is_insisted = watch.patience.is_worn_out(snapshot.fetched_at)
        verdict = plausibility.judge(observation, watch.accepted, watch.record, is_insisted=is_insisted)
        watch.patience.note(verdict, snapshot.fetched_at)
        if not verdict.is_accepted:
            return Outcome(OutcomeKind.HELD, reasons=verdict.reasons, bytes_in=len(snapshot.body))
        return await self._record(watch, observation, snapshot)

    async def _parse(self, watch: Watch, snapshot: Snapshot) -> Observation:
        """A payload that cannot be read speaks against the way it came, and is kept for whoever mends the reading."""
        try:
            observation = self._source.parse_state(watch.ref, snapshot)
        except PayloadError as error:
            error.evidence = await self._witness.keep(watch.ref, snapshot.body)
            if self._climber is not None:
                self._climber.distrust(watch.ref.key, error)
            raise
        if observation.matched:
            self._note_selectors(observation)
        return observation

    def _note_selectors(self, observation: Observation) -> None:
        source = observation.ref.source
        before = set(self._drift.drifting(source))
        self._drift.note(source, dict(observation.matched))
        self._signals.emit(signals.SelectorsMatched(at=self._clock.now(), source=source, places=observation.matched))
        for field in sorted(set(self._drift.drifting(source)) - before):
            self._signals.emit(signals.SelectorDrifted(at=self._clock.now(), source=source, field=field))

    async def _remember(self, watch: Watch) -> None:
        """The ledger goes on from what is stored: at first, and after a write of which nobody knows the fate."""
        if watch.has_ledger:
            return
        page = await self._store.ledger(watch.ref.match_id)
        row = await self._store.match(watch.ref.match_id) if page.live else None
        watch.resume_from(page, row)
        if page.live is not None and row is not None:
            watch.recalled = recalled(page.live, row)
        if watch.prior is not None:
            self._tell_resumed(watch, watch.prior, page)
            watch.prior = None

    async def _record(self, watch: Watch, observation: Observation, snapshot: Snapshot) -> Outcome:
        draft = await self._post(watch, observation)
        changed_before = watch.changed_at
        self._announcer.steps(watch, watch.accept(draft, snapshot))
        self._announcer.score(watch, draft)
        is_changed = watch.changed_at is not changed_before
        return Outcome(
            OutcomeKind.UPDATED, is_changed=is_changed, events=len(draft.events), bytes_in=len(snapshot.body)
        )

    async def _post(self, watch: Watch, observation: Observation, handed: Sequence[FeedPage] = ()) -> Draft:
        """What this observation adds to the ledger, made durable; only then the ledger believes it."""
        extracted = self._clock.monotonic()
        draft = watch.ledger.draft(observation, handed, at=extracted)
        wanted = watch.ledger.wanted(draft)
        pages = [*handed, *await self._fetch_missing(watch, wanted, observation)]
        may_have_moved = bool(wanted) or watch.posting.locked()
        async with watch.posting:
            if may_have_moved:
                draft = watch.ledger.draft(observation, pages, at=self._clock.monotonic())
            latency = self._clock.monotonic() - extracted
            await self._save(watch, batch_of(watch, draft, latency))
            watch.ledger.adopt(draft)
        self._announcer.stored(watch, draft, self._clock.monotonic() - extracted)
        return draft

    async def _save(self, watch: Watch, batch: WriteBatch) -> None:
        """Failed, cancelled, whatever: until it has come back well, nobody knows whether a write held."""
        is_durable = False
        try:
            await self._store.save(batch)
            is_durable = True
        finally:
            if not is_durable:
                watch.forget_ledger()

    async def _fetch_missing(
        self, watch: Watch, wanted: Sequence[OverRange], observation: Observation
    ) -> list[FeedPage]:
        """What the feed does not give now stays wanted; the scoreboard is recorded all the same."""
        pages: list[FeedPage] = []
        for overs in wanted:
            try:
                pages.append(await self._fetch_page(watch, overs, observation))
            except (FetchError, PayloadError) as error:
                self._tell_error(watch, error, "ball feed")
                break
        return pages

    async def _fetch_page(self, watch: Watch, overs: OverRange, observation: Observation) -> FeedPage:
        missing = Missing(overs.innings, overs.first_over, overs.last_over)
        snapshot = await self._fetcher.fetch(self._source.ball_feed(watch.ref, missing))
        snapshot = await self._shelf.keep(watch, snapshot, asked_of(missing))
        feed = self._source.parse_feed(watch.ref, missing, snapshot)
        plausibility.require_plausible_feed(feed.overs, feed.sequence, observation)
        return FeedPage(overs, feed.overs, feed.last_over, feed.payload_sha256)

    def _tell(self, watch: Watch, outcome: Outcome, duration: float) -> None:
        if outcome.kind is OutcomeKind.HELD:
            self._tell_held(watch, outcome.reasons)
        elif outcome.error is not None:
            self._tell_error(watch, outcome.error, "poll")
        self._signals.emit(
            signals.PollFinished(
                at=self._clock.now(),
                match_id=watch.ref.match_id,
                source=watch.ref.source,
                rung=watch.rung,
                outcome=outcome.kind.value,
                duration_seconds=duration,
                bytes_in=outcome.bytes_in,
                is_changed=outcome.is_changed,
                captured_at=watch.captured_at if outcome.is_success else None,
            )
        )

    def _tell_held(self, watch: Watch, reasons: tuple[str, ...]) -> None:
        self._signals.emit(
            signals.ObservationRejected(
                at=self._clock.now(), match_id=watch.ref.match_id, source=watch.ref.source, reasons=reasons
            )
        )

    def _tell_error(self, watch: Watch, error: LongstopError, operation: str) -> None:
        self._signals.emit(
            signals.ErrorRaised(
                at=self._clock.now(),
                severity="WARN" if error.heals else "ERROR",
                error_type=error.kind,
                error_message=error.message,
                hint=error.hint,
                match_id=watch.ref.match_id,
                scraper_id=watch.scraper_id,
                operation=operation,
                url=watch.ref.url,
                attempt=watch.failures_in_a_row,
                context={"evidence": list(error.evidence)}
                if isinstance(error, PayloadError) and error.evidence
                else {},
            )
        )

    def _tell_resumed(self, watch: Watch, prior: ScraperState, page: LedgerPage) -> None:
        """What the last life knew must stand in the record. If it does not, every over is read once more."""
        found = disagreements(prior, page)
        if found and page.live is not None:
            watch.ledger.read_again(page.live.innings)
        self._signals.emit(
            signals.ScraperResumed(
                at=self._clock.now(),
                match_id=watch.ref.match_id,
                scraper_id=watch.scraper_id,
                saved_seconds_ago=age_seconds(self._clock.now(), prior.saved_at),
                reason=prior.reason,
                disagreements=found,
            )
        )

    def _tell_concluded(self, watch: Watch, reason: str) -> None:
        """Once in a life: whether everything that the board claimed stands in the record."""
        if watch.is_concluded:
            return
        watch.is_concluded = True
        self._signals.emit(
            signals.MatchConcluded(
                at=self._clock.now(),
                match_id=watch.ref.match_id,
                reason=reason,
                is_verified=watch.has_ledger and watch.ledger.is_whole,
            )
        )
