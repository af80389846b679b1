"""Sees everything that becomes durable or is acknowledged, and holds it against what must always be so."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import Any

import msgspec

from longstop.domain.events import GapState
from longstop.ledger.audit import compare
from longstop.observe import signals
from longstop.observe.signals import Signal, troubles
from longstop.store.contract import Capture, LiveRow, Store, WriteBatch
from longstop_origin.storm.findings import BROKEN, FINDINGS_MAX, LOST, STALE, UNEXPECTED, Finding
from longstop_origin.storm.plan import CLOCK
from longstop_origin.storm.records import MatchRecords
from longstop_origin.storm.site import Truth
from longstop_origin.storm.timeline import Timeline

# R: what the source never shows again raises a gap record within ten seconds. One tick of the clocks is no delay.
GAP_SECONDS = 10.5
ALARMS = (troubles.StalenessFound, troubles.RecoveryBegun, signals.MatchPaused, signals.ObservationRejected)
FAILED = frozenset({"failed", "throttled", "gone", "held", "not_stored"})


class Witness:
    """`truths` are the bodies that were true, by hash."""

    def __init__(self, timeline: Timeline, truths: dict[str, Truth], families: Sequence[str] = ()) -> None:
        self.findings: list[Finding] = []
        self.records: dict[str, MatchRecords] = {}
        self.acknowledged: dict[tuple[Any, ...], Any] = {}
        self.kept: set[str] = set()
        self.discovered: set[str] = set()
        self.seen_at: dict[str, float] = {}
        self.events = 0
        self.seen: Counter[str] = Counter()
        self.has_lost_records = False
        # What a dead process would still say in leaving is heard by nobody.
        self.is_deaf = False
        self.life_began = 0.0
        self.thawed_at = self.cancelled_at = float("-inf")
        self._timeline = timeline
        self._truths = truths
        self._is_only_the_clock = tuple(families) == (CLOCK,)
        self._digest = blake2b(digest_size=12)
        self._undisturbed: dict[str, float] = {}

    @property
    def digest(self) -> str:
        return self._digest.hexdigest()

    def find(self, word: str, rule: str, text: str) -> None:
        if len(self.findings) < FINDINGS_MAX:
            self.findings.append(Finding(word, rule, text, self._timeline.seconds))

    # What is said.

    def hear(self, signal: Signal) -> None:
        if self.is_deaf:
            return
        kind = type(signal).__name__
        self.seen[kind] += 1
        self._digest.update(kind.encode())
        self._digest.update(_encoded(signal))
        if isinstance(signal, signals.ErrorRaised):
            self._hear_error(signal)
        elif isinstance(signal, signals.PollFinished) and signal.outcome in FAILED:
            self._undisturbed[signal.match_id] = self._timeline.seconds
        elif isinstance(signal, ALARMS) and self._is_only_the_clock:
            self.find(BROKEN, "a clock that is set alarms nobody", kind)
        elif isinstance(signal, signals.MatchDiscovered):
            self.discovered.add(signal.match_id)

    def _hear_error(self, signal: signals.ErrorRaised) -> None:
        if signal.error_type == "internal" and not self._is_of_a_blow(signal):
            self.find(BROKEN, "no fault of our own", f"{signal.operation}: {signal.error_message}")
        elif "set aside" in signal.operation:
            self.find(BROKEN, "the database takes what was acknowledged", signal.error_message)

    def _is_of_a_blow(self, signal: signals.ErrorRaised) -> bool:
        """Whoever stood still for longer than a turn may take has overdue turns when he goes on; and a task that was
        cancelled by nobody is told as what it is."""
        now = self._timeline.seconds
        is_lost = "CancelledError: the task was lost" in signal.error_message
        is_overdue = "no end after" in signal.error_message
        return (is_lost and now - self.cancelled_at < 2.0) or (is_overdue and now - self.thawed_at < 2.0)

    # What is promised.

    def acknowledge(self, batch: WriteBatch) -> None:
        """What is told to be durable is what is known from now on, wherever it waits."""
        for key, row in _critical(batch):
            self.acknowledged[key] = row
        self._note(batch)
        for match_id in dict.fromkeys(row.match_id for row in batch.live):
            self._check_gaps(self._records(match_id))
        for gap in batch.gaps:
            if gap.state is GapState.REPAIRED and gap.innings in self._records(gap.match_id).mismatched_since:
                self.find(UNEXPECTED, "a gap is closed on evidence only", f"innings {gap.innings} of {gap.match_id}")

    # What is durable.

    def keep(self, captures: Sequence[Capture]) -> None:
        self.kept.update(capture.sha256 for capture in captures)

    def commit(self, batch: WriteBatch) -> None:
        self._digest.update(f"commit {self._timeline.seconds:.6f} {len(batch.events)}".encode())
        self._check_together(batch)
        self._note(batch)
        for event in batch.events:
            missing = self._records(event.match_id).put_event(event)
            self.events += 1
            if missing and not self.has_lost_records:
                self.find(LOST, "events are numbered without a hole", f"{missing} before {event.seq} {event.match_id}")

    def _note(self, batch: WriteBatch) -> None:
        for record in batch.deliveries:
            if self._records(record.match_id).put_ball(record):
                self._check_origin(record.match_id, record.payload_sha256, f"ball {record.place}")
        for gap in batch.gaps:
            self._records(gap.match_id).gaps[gap.gap_id] = gap
        for row in batch.live:
            self._check_live(row)

    def _records(self, match_id: str) -> MatchRecords:
        found = self.records.get(match_id)
        if found is None:
            found = self.records[match_id] = MatchRecords()
        return found

    def _check_together(self, batch: WriteBatch) -> None:
        """A ball and its event are written in one transaction, and neither without the other."""
        balls = {(row.match_id, f"ball:{row.place}:r{row.revision}") for row in batch.deliveries}
        told = {(event.match_id, event.key) for event in batch.events if event.key.startswith("ball:")}
        for match_id, key in sorted(balls ^ told)[:3]:
            self.find(BROKEN, "rows and their events are one", f"{key} of {match_id}")

    def _check_origin(self, match_id: str, sha256: str, what: str) -> None:
        truth = self._truths.get(sha256)
        if truth is None or not match_id.endswith(f"_{truth.key}"):
            self.find(UNEXPECTED, "nothing untrue is published", f"{what} of {match_id} comes from {sha256[:12]}")
        elif sha256 not in self.kept:
            self.find(BROKEN, "the payload is durable before what is derived from it", f"{what} of {match_id}")

    def _check_live(self, row: LiveRow) -> None:
        self._check_origin(row.match_id, row.payload_sha256, f"state {row.sequence}")
        truth = self._truths.get(row.payload_sha256)
        if truth is not None:
            self.seen_at[row.match_id] = max(truth.at, self.seen_at.get(row.match_id, 0.0))
        records = self._records(row.match_id)
        before = records.put_live(row)
        if before is not None:
            self.find(STALE, "what is published never goes back", f"{row.match_id}: {before} to {row.source_at}")

    def _check_gaps(self, records: MatchRecords) -> None:
        """Balls that the board counts and the ledger lacks are on record as a gap in time, and `complete_through` does
        not claim them. Who is dead or stands still records nothing: his ten seconds begin when he goes on."""
        now, row = self._timeline.seconds, records.live
        if row is None:
            return
        for score in row.innings:
            totals = records.totals.get(score.number)
            if totals is None or compare(score, totals) is None:
                records.mismatched_since.pop(score.number, None)
                continue
            since = records.mismatched_since.setdefault(score.number, now)
            since = max(since, self.life_began, self.thawed_at, self._undisturbed.get(row.match_id, 0.0))
            is_told = any(gap.innings == score.number for gap in _unsettled(records))
            if now - since > GAP_SECONDS and not is_told:
                self.find(LOST, "a gap is recorded within 10 s", f"innings {score.number} of {row.match_id}")
            if row.complete_through is None or int(row.complete_through.partition(".")[0]) > score.number:
                self.find(UNEXPECTED, "complete_through claims no more than is known", f"{row.match_id}")


def _unsettled(records: MatchRecords) -> Iterator[Any]:
    return (gap for gap in records.gaps.values() if gap.state is not GapState.REPAIRED)


def _critical(batch: WriteBatch) -> Iterator[tuple[tuple[Any, ...], Any]]:
    for ball in batch.deliveries:
        yield ("ball", ball.match_id, ball.place, ball.revision), ball
    for event in batch.events:
        yield ("event", event.match_id, event.seq), event
    for gap in batch.gaps:
        yield ("gap", gap.match_id, gap.gap_id, gap.state), gap


async def critical_rows(store: Store, match_id: str) -> dict[tuple[Any, ...], Any]:
    """All that is kept of a match, under the same keys as what was acknowledged."""
    return dict(
        _critical(
            WriteBatch(
                deliveries=tuple(await store.delivery_history(match_id)),
                events=tuple(await store.events(match_id, limit=1_000_000)),
                gaps=tuple(await store.gap_history(match_id)),
            )
        )
    )


_encode: Callable[[Any], bytes] = msgspec.json.Encoder(order="deterministic", enc_hook=str).encode


def _encoded(signal: Signal) -> bytes:
    if isinstance(signal, signals.ScoreStored):
        # The hash of all the rest is in its provenance.
        return _encode((signal.observation.provenance, _but(signal, "observation")))
    # It names the places of files, which differ from house to house.
    return _encode(_but(signal, "stack_trace") if hasattr(signal, "stack_trace") else signal)


def _but(signal: Signal, name: str) -> dict[str, Any]:
    plain = msgspec.structs.asdict(signal)
    del plain[name]
    return plain
