"""What is remembered of one match while it is watched, and how a draft becomes rows."""

import asyncio
from collections.abc import Collection
from datetime import datetime

import msgspec

from longstop.check.surprises import Patience, Record
from longstop.clock import age_seconds
from longstop.domain.cricket import Delivery, Place
from longstop.domain.errors import StoreClosedError
from longstop.domain.events import DeliveryRecord
from longstop.domain.lifecycle import MATCH_LIFECYCLE, MatchState
from longstop.domain.machine import Transition
from longstop.domain.match import MatchListing, MatchPriority, MatchRef, MatchStatus
from longstop.domain.observation import Observation
from longstop.domain.scraper_state import ScraperState
from longstop.fetch.snapshot import Snapshot
from longstop.ledger.match_ledger import Draft, LedgerLimits, LedgerState, MatchLedger
from longstop.resilience.memory import weigh
from longstop.store.contract import LedgerPage, LiveRow, MatchRow, WriteBatch

MatchStep = Transition[MatchState]


class Codes:
    """Who was seen in this match, for those who look up names."""

    def __init__(self, listing: MatchListing) -> None:
        self.players: set[str] = set()
        self.teams: set[str] = {code for code in listing.teams if code}
        self.series: set[str] = {listing.series} if listing.series else set()
        # How many there were when each of them had a name: as long as nobody comes, nobody need be asked about.
        self.named = -1

    @property
    def count(self) -> int:
        return len(self.players) + len(self.teams) + len(self.series)

    def see(self, observation: Observation, records: tuple[DeliveryRecord, ...]) -> None:
        self.teams.update(observation.teams)
        self.players.update(figures.player for figures in observation.batting)
        if observation.bowling is not None:
            self.players.add(observation.bowling.player)
        for score in observation.innings:
            self.players.update(score.absent_hurt)
        for record in records:
            if record.delivery is not None:
                self._see_ball(record.delivery)

    def _see_ball(self, delivery: Delivery) -> None:
        self.players.update((delivery.batter, delivery.non_striker, delivery.bowler))
        for dismissal in delivery.dismissals:
            self.players.update((dismissal.player, *dismissal.fielders))
        for replacement in delivery.replacements:
            self.players.add(replacement.player_in)
            if replacement.player_out:
                self.players.add(replacement.player_out)


class Watch:
    """One match under observation. When a write's fate is unknown, its ledger is read back from the store."""

    def __init__(
        self,
        listing: MatchListing,
        scraper_id: str,
        started_at: datetime,
        limits: LedgerLimits,
        state: MatchState = MATCH_LIFECYCLE.initial,
        prior: ScraperState | None = None,
    ) -> None:
        """`prior` is what the scraper before this one knew; the ledger that is read from the store must agree."""
        self.listing = listing
        self.scraper_id = scraper_id
        self.started_at = started_at
        self.state = state
        self.prior = prior
        self.status = listing.status
        self.rung = "replay"
        self.accepted: Observation | None = None
        # What the life before this one was told last, as the store has it.
        self.recalled: Observation | None = None
        self.captured_at: datetime | None = None
        self.changed_at = prior.changed_at if prior else None
        self.failures_in_a_row = 0
        self.sequence = 0
        self.is_concluded = False
        self.patience = Patience()
        self.codes = Codes(listing)
        # Who drafts from the ledger and adopts the draft once it is written is alone with it meanwhile.
        self.posting = asyncio.Lock()
        self._limits = limits
        self._ledger: MatchLedger | None = None
        self._body: bytes | None = None
        # The hash of the payload that was kept last, by purpose and by what was asked.
        self.kept: dict[tuple[str, str], str] = {}

    @property
    def ref(self) -> MatchRef:
        return self.listing.ref

    @property
    def priority(self) -> MatchPriority:
        return _priority_of(self.status)

    @property
    def is_upcoming(self) -> bool:
        """As the source says. Of a match that was only named by its address nobody knows: it may well be in play."""
        was_told = self.last_word is not None or any(self.listing.teams)
        return self.status is MatchStatus.UPCOMING and was_told

    def is_important(self, words: Collection[str]) -> bool:
        """Finals and popular teams, as far as somebody has named them."""
        if not words:
            return False
        shown = f"{self.listing.title} {self.listing.series} {' '.join(self.listing.teams)}".casefold()
        return any(word.casefold() in shown for word in words)

    def unchanged_seconds(self, now: datetime) -> float:
        return 0.0 if self.changed_at is None else age_seconds(now, self.changed_at)

    def starts_in_seconds(self, now: datetime) -> float | None:
        starts_at = self.listing.starts_at
        return None if starts_at is None else (starts_at - now).total_seconds()

    @property
    def last_place(self) -> Place | None:
        """The newest ball of the record."""
        if self._ledger is None or self.accepted is None or self.accepted.current_innings is None:
            return None
        return self._ledger.book(self.accepted.current_innings.number).last_place

    @property
    def last_word(self) -> Observation | None:
        """What the source said last, to this life or to the one before it."""
        return self.accepted or self.recalled

    @property
    def has_ledger(self) -> bool:
        return self._ledger is not None

    @property
    def ledger(self) -> MatchLedger:
        if self._ledger is None:
            raise StoreClosedError(f"The ledger of {self.ref.match_id} has not been read from the store yet.")
        return self._ledger

    @property
    def is_finished(self) -> bool:
        """Over, and every ball of it was read once more after the end."""
        is_over = self.status in (MatchStatus.COMPLETED, MatchStatus.ABANDONED)
        return is_over and self._ledger is not None and self._ledger.is_settled

    @property
    def record(self) -> Record:
        """What is known of the match before this life has seen it: from the life before, or from the list."""
        known = self.recalled
        if known is None:
            return Record(self.listing.teams, is_listed=True)
        return Record(known.teams, known.provenance.source_at, len(known.innings))

    def is_gap_due(self, now: float) -> bool:
        """Something has been missing for so long that it has to be told."""
        return self.accepted is not None and self._ledger is not None and self._ledger.is_gap_due(now)

    def is_settled_since(self, moment: datetime) -> bool:
        """Seen after that moment (or finished before it), with nothing left to look for."""
        if self._ledger is None or not self._ledger.is_settled or self.captured_at is None:
            return False
        return self.captured_at > moment or self.is_over

    def resume_from(self, page: LedgerPage, row: MatchRow | None = None) -> None:
        """`row` has the status that was told last; until something live is stored, none was."""
        live = page.live
        self.sequence = live.sequence if live else 0
        self._ledger = MatchLedger(
            self.ref.match_id,
            LedgerState(
                deliveries=page.deliveries,
                innings=page.innings,
                gaps=page.gaps,
                last_seq=page.last_seq,
                status=row.status if live and row else None,
                play=live.play if live else None,
                result=live.result if live else None,
            ),
            self._limits,
        )

    def forget_ledger(self) -> None:
        self._ledger = None
        self._body = None

    @property
    def may_skip(self) -> bool:
        """Nothing is left to look for, so an answer that says only "unchanged" is enough."""
        return self._body is not None and self._ledger is not None and self._ledger.is_whole

    def has_seen(self, snapshot: Snapshot, now: float) -> bool:
        """The very same bytes again, and nothing left to look for: there is nothing to do."""
        return snapshot.status == 304 or (snapshot.body == self._body and self.ledger.may_rest(now))

    @property
    def _goes_on(self) -> bool:
        """The first look of a successor: what is new to it was known before, unless it makes an event."""
        return self.accepted is None and self.changed_at is not None

    def is_news(self, observation: Observation) -> bool:
        """Whether it says anything new. A source that only re-stamps its clock has said nothing."""
        before = self.accepted
        if before is None:
            return True
        restamped = msgspec.structs.replace(
            observation, provenance=before.provenance, sequence=before.sequence, matched=before.matched
        )
        return restamped != before

    def accept(self, draft: Draft, snapshot: Snapshot) -> list[MatchStep]:
        """Takes over what is stored now; returns the steps of the match's life that this made."""
        observation = draft.observation
        self.codes.see(observation, draft.records)
        if draft.events or (self.is_news(observation) and not self._goes_on):
            self.changed_at = observation.provenance.captured_at
        self.accepted = observation
        self.sequence += 1
        self.status = observation.status
        self._body = snapshot.body
        return [self._advance(event) for event in ("scraped", "recovered", "finished") if self._applies(event)]

    def posted(self, draft: Draft) -> None:
        """Balls were added to the state that is believed already."""
        self.codes.see(draft.observation, draft.records)
        self.sequence += 1
        if self.accepted is not None:
            self.accepted = draft.observation
        elif self.recalled is not None:
            self.recalled = draft.observation

    @property
    def is_over(self) -> bool:
        return self.status in (MatchStatus.COMPLETED, MatchStatus.ABANDONED)

    def conclude(self) -> list[MatchStep]:
        """The source says no more. A match that was never seen has nothing to conclude; one that never began was not
        completed."""
        if self.last_word is None:
            return []
        if not self.is_over:
            has_begun = self.last_word.status is not MatchStatus.UPCOMING
            self.status = MatchStatus.COMPLETED if has_begun else MatchStatus.ABANDONED
        return [self._advance("finished")] if self._applies("finished") else []

    def advance(self, event: str) -> list[MatchStep]:
        """A step that no payload makes (paused, archived); none when the match's life has no such step now."""
        return [self._advance(event)] if self._applies(event) else []

    def _applies(self, event: str) -> bool:
        return (event != "finished" or self.is_over) and MATCH_LIFECYCLE.can(self.state, event)

    def _advance(self, event: str) -> MatchStep:
        step = MATCH_LIFECYCLE.step(self.state, event)
        self.state = step.target
        return step

    @property
    def weight_bytes(self) -> int:
        """What this match is known to hold in memory, by counting."""
        rows = 0 if self._ledger is None else self._ledger.rows
        codes = len(self.codes.players) + len(self.codes.teams) + len(self.codes.series)
        return weigh(rows, len(self._body or b""), codes)

    def polled(self, is_success: bool, now: datetime) -> None:
        self.failures_in_a_row = 0 if is_success else self.failures_in_a_row + 1
        if is_success:
            self.captured_at = now


def batch_of(watch: Watch, draft: Draft, latency_seconds: float) -> WriteBatch:
    """Everything that this observation changes, in one transaction."""
    return WriteBatch(
        matches=(match_row(watch, draft.observation),),
        live=(live_row(watch, draft, latency_seconds),),
        deliveries=draft.records,
        innings=draft.innings,
        events=draft.events,
        gaps=(*draft.gaps, *draft.widened),
    )


def match_row(watch: Watch, observation: Observation | None = None) -> MatchRow:
    listing = watch.listing
    status = observation.status if observation else listing.status
    return MatchRow(
        ref=listing.ref,
        title=listing.title,
        teams=observation.teams if observation else listing.teams,
        status=status,
        state=_state_after(watch.state, status) if observation else watch.state,
        format=(observation.format if observation else "") or listing.format,
        series=listing.series,
        venue=listing.venue,
        starts_at=listing.starts_at,
        discovered_at=watch.started_at,
        last_scraper_update=observation.provenance.captured_at if observation else None,
        scraper_status="active" if observation else "unknown",
        priority=_priority_of(status),
        result=observation.result if observation else None,
    )


def listed_row(listing: MatchListing, now: datetime) -> MatchRow:
    """A match of which only the list has spoken."""
    return MatchRow(
        ref=listing.ref,
        title=listing.title,
        teams=listing.teams,
        status=listing.status,
        state=MATCH_LIFECYCLE.initial,
        format=listing.format,
        series=listing.series,
        venue=listing.venue,
        starts_at=listing.starts_at,
        discovered_at=now,
        priority=_priority_of(listing.status),
    )


def row_as(watch: Watch, scraper_status: str, now: datetime) -> MatchRow:
    """The match as it stands now, told by nobody but us."""
    return msgspec.structs.replace(
        match_row(watch, watch.last_word),
        status=watch.status,
        state=watch.state,
        state_at=now,
        scraper_status=scraper_status,
    )


def _state_after(state: MatchState, status: MatchStatus) -> MatchState:
    if status in (MatchStatus.COMPLETED, MatchStatus.ABANDONED):
        return MatchState.COMPLETED
    return MatchState.ACTIVE if state in (MatchState.DISCOVERED, MatchState.PAUSED) else state


def _priority_of(status: MatchStatus) -> MatchPriority:
    if status is MatchStatus.LIVE:
        return MatchPriority.LIVE
    return MatchPriority.IMMINENT if status is MatchStatus.UPCOMING else MatchPriority.COMPLETED


def live_row(watch: Watch, draft: Draft, latency_seconds: float) -> LiveRow:
    observation = draft.observation
    provenance = observation.provenance
    return LiveRow(
        match_id=watch.ref.match_id,
        sequence=watch.sequence + 1,
        captured_at=provenance.captured_at,
        source_at=provenance.source_at,
        scraper_id=watch.scraper_id,
        source=provenance.source,
        rung=provenance.rung,
        payload_sha256=provenance.payload_sha256,
        update_latency_ms=round(latency_seconds * 1000),
        play=observation.play,
        balls_per_over=observation.balls_per_over,
        innings=observation.innings,
        batting=observation.batting,
        bowling=observation.bowling,
        toss=observation.toss,
        result=observation.result,
        last_event=observation.last_event,
        announcement=observation.announcement,
        complete_through=draft.complete_through,
    )
