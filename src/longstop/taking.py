"""A payload that somebody else fetched goes the way of a poll: kept, read, checked, posted to the ledger.

Nothing is fetched for it. What it leaves open stays wanted until it is pushed too, and becomes a gap as it would
for a source that does not give it.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from longstop.capturing import Shelf, capture_of, missing_of
from longstop.check import plausibility
from longstop.clock import Clock
from longstop.domain.errors import MalformedPayloadError, PayloadError, SourceUnreachableError, StoreError
from longstop.domain.observation import Observation
from longstop.domain.push import AHEAD_MAX, PushedPayload, PushVerdict
from longstop.fetch.snapshot import STATE, FetchRequest, Snapshot
from longstop.ledger.gaps import FeedPage, OverRange
from longstop.observe.signals import Signals
from longstop.pipeline import Outcome, OutcomeKind, Pipeline
from longstop.sources.contract import Source
from longstop.store.contract import Store
from longstop.watch import Watch

FEED: Final = "feed"

_VERDICTS: Final = {
    OutcomeKind.UPDATED: PushVerdict.ACCEPTED,
    OutcomeKind.UNCHANGED: PushVerdict.UNCHANGED,
    OutcomeKind.HELD: PushVerdict.HELD,
    OutcomeKind.FAILED: PushVerdict.REJECTED,
}


class Judgement(msgspec.Struct, frozen=True):
    verdict: PushVerdict
    reasons: tuple[str, ...] = ()


class Nobody:
    """Fetches nothing, for whoever lives on what is handed to him."""

    async def fetch(self, request: FetchRequest) -> Snapshot:
        raise SourceUnreachableError(f"Nothing is fetched of {request.source} for what was pushed.")

    async def close(self) -> None:
        """Holds nothing."""


class HandedPipeline(Pipeline):
    """The pipeline of a poll, fed by hand."""

    def __init__(self, source: Source, store: Store, clock: Clock, bus: Signals, shelf: Shelf) -> None:
        super().__init__(source, Nobody(), store, clock, bus, shelf=shelf)

    async def take(self, watch: Watch, pushed: PushedPayload) -> Judgement:
        """Whoever calls is alone with the watch. Raises StoreError when it may not have been stored."""
        try:
            await self._remember(watch)
            return await self._take(watch, pushed, snapshot_of(pushed))
        except PayloadError as error:
            return Judgement(PushVerdict.REJECTED, (error.message,))
        except StoreError:
            watch.forget_ledger()
            raise

    async def _take(self, watch: Watch, pushed: PushedPayload, snapshot: Snapshot) -> Judgement:
        known = watch.last_word
        if known is not None and pushed.captured_at < known.provenance.captured_at:
            await self._put_by(watch, pushed, snapshot)
            return Judgement(PushVerdict.OLDER, ("The record knows something newer; the payload is kept.",))
        if pushed.purpose == FEED:
            snapshot = await self._shelf.keep(watch, snapshot, pushed.asked)
            return await self._take_feed(watch, pushed, snapshot)
        if watch.has_seen(snapshot, self._clock.monotonic()):
            return Judgement(PushVerdict.UNCHANGED)
        outcome = await self._judge(watch, await self._shelf.keep(watch, snapshot))
        if outcome.kind is OutcomeKind.HELD:
            self._tell_held(watch, outcome.reasons)
        return judgement_of(outcome)

    async def insist(self, watch: Watch, pushed: PushedPayload) -> bool:
        """What surprised, and was left standing: a sender that tells only what changes has insisted on it. False for
        what is contradicted by what came meanwhile. Raises StoreError when it may not have been stored."""
        await self._remember(watch)
        snapshot = snapshot_of(pushed)
        observation = await self._parse(watch, snapshot)
        verdict = plausibility.judge(observation, watch.accepted, watch.record, is_insisted=True)
        watch.patience.note(verdict, snapshot.fetched_at)
        if verdict.is_accepted:
            await self._record(watch, observation, snapshot)
        return verdict.is_accepted

    async def _put_by(self, watch: Watch, pushed: PushedPayload, snapshot: Snapshot) -> None:
        """For whoever reads it later; the newest that was seen stays the newest."""
        await self._store.keep((capture_of(watch.ref.match_id, snapshot, snapshot.sha256(), pushed.asked),))

    async def _take_feed(self, watch: Watch, pushed: PushedPayload, snapshot: Snapshot) -> Judgement:
        """A feed is about the state that was believed when it was asked for."""
        observation = watch.last_word
        if observation is None:
            raise MalformedPayloadError("Balls without a state: none of this match was pushed before them.")
        missing = missing_of(pushed.asked)
        feed = self._source.parse_feed(watch.ref, missing, snapshot)
        plausibility.require_plausible_feed(feed.overs, feed.sequence, observation)
        asked = OverRange(missing.innings, missing.first_over, missing.last_over)
        stamp = msgspec.structs.replace(observation.provenance, captured_at=pushed.captured_at)
        page = FeedPage(asked, feed.overs, feed.last_over, feed.payload_sha256)
        stamped = msgspec.structs.replace(observation, provenance=stamp)
        draft = await self._post(watch, stamped, (page,))
        watch.posted(draft)
        return Judgement(PushVerdict.ACCEPTED if draft.records else PushVerdict.UNCHANGED)

    async def _fetch_missing(
        self,
        watch: Watch,  # noqa: ARG002 - a poll needs them all
        wanted: Sequence[OverRange],  # noqa: ARG002 - as above
        observation: Observation,  # noqa: ARG002 - as above
    ) -> list[FeedPage]:
        return []


def judgement_of(outcome: Outcome) -> Judgement:
    reasons = outcome.reasons or ((outcome.error.message,) if outcome.error else ())
    return Judgement(_VERDICTS[outcome.kind], reasons)


def snapshot_of(pushed: PushedPayload) -> Snapshot:
    request = FetchRequest(pushed.source, pushed.url, pushed.purpose)
    return Snapshot(request, pushed.status, pushed.body, pushed.requested_at, pushed.captured_at, rung=pushed.rung)


def fault_of(pushed: PushedPayload, clock: Clock) -> str:
    """What can be said against it without reading it; empty when nothing can."""
    if pushed.purpose not in (STATE, FEED):
        return f"Nobody reads payloads of the purpose {pushed.purpose!r}; those that are read: {STATE}, {FEED}."
    if pushed.captured_at > clock.now() + AHEAD_MAX:
        return "It claims to be of a time that has not come yet."
    if pushed.requested_at > pushed.captured_at:
        return "It was asked for after it came."
    return ""
