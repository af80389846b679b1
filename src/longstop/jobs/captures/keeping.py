"""What of a capture is kept: raw before it is read, records after it is believed, and how far the match is.

Without a store nothing is kept, and everything else goes on.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from longstop.domain.errors import RecordRefusedError, SchemaBreakError
from longstop.domain.football_record import CaptureProgress, FootballMatch, LineUpRecord, Quarantined
from longstop.fetch.snapshot import Snapshot
from longstop.jobs.captures.judging import Captured, moment_of
from longstop.jobs.captures.kickoffs import flagged_by
from longstop.jobs.captures.known import known_or
from longstop.jobs.captures.records import lineups_of, match_of, news_among, raw_captures
from longstop.jobs.captures.run import Run
from longstop.observe.signals import Signals
from longstop.observe.signals import captures as facts
from longstop.sources.sofascore.contracts import VERSIONS
from longstop.sources.sofascore.families import Family
from longstop.store.contract import Store, WriteBatch

_FAMILIES = {version: family for family, version in VERSIONS.items()}


class Keeping:
    def __init__(self, store: Store | None, bus: Signals) -> None:
        self._store = store
        self._bus = bus

    async def keep_raw(self, match_id: int, snapshots: Mapping[str, Snapshot]) -> None:
        if self._store is not None and snapshots:
            await self._store.keep(raw_captures(match_id, moment_of(snapshots), snapshots.items()))

    async def quarantine(self, run: Run, snapshots: Mapping[str, Snapshot], error: SchemaBreakError) -> None:
        family = _FAMILIES.get(error.contract, Family.EVENT).value
        if self._store is None or family not in snapshots:
            return
        held = _held(run, moment_of(snapshots), family, snapshots[family].sha256(), error)
        await self._store.save(WriteBatch(quarantined=(held,)))

    async def hold(self, run: Run, captured_at: datetime, shas: Mapping[str, str], error: RecordRefusedError) -> None:
        """What the store refused to keep: of what it was made waits, as that of a broken contract does."""
        if self._store is not None:
            family = Family.LINEUPS.value if Family.LINEUPS.value in shas else Family.EVENT.value
            held = _held(run, captured_at, family, shas[family], error)
            await self._store.save(WriteBatch(quarantined=(held,)))

    async def keep(self, run: Run, captured: Captured) -> bool:
        """In one transaction. True when it says something new."""
        records = lineups_of(run.fixture, captured)
        if self._store is None:
            return bool(records)
        match_id = run.fixture.match_id
        match = match_of(run.fixture, captured)
        before = await known_or(None, self._store, lambda store: store.football_match(match_id))
        nothing: Sequence[LineUpRecord] = ()
        known = await known_or(nothing, self._store, lambda store: store.line_ups(match_id, with_flagged=True))
        if before is not None and before.told_at > match.told_at:
            match = before  # read again long after: the kickoff of today counts
        flagged = flagged_by(match.kickoff_at, known)
        news = news_among(records, known)
        await self._store.save(WriteBatch(football=(match,), lineups=(*flagged, *news)))
        self._tell_moved(before, match, flagged)
        return bool(news)

    async def has_lineups(self, match_id: int) -> bool:
        nothing: Sequence[LineUpRecord] = ()
        return bool(await known_or(nothing, self._store, lambda store: store.line_ups(match_id, with_flagged=True)))

    async def note_kickoff(self, match_id: int, kickoff: datetime, now: datetime) -> None:
        """Told by a list, or by a capture that came too late to be kept."""
        before = await known_or(None, self._store, lambda store: store.football_match(match_id))
        if self._store is None or before is None or before.kickoff_at == kickoff:
            return
        nothing: Sequence[LineUpRecord] = ()
        known = await known_or(nothing, self._store, lambda store: store.line_ups(match_id, with_flagged=True))
        flagged = flagged_by(kickoff, known)
        match = msgspec.structs.replace(before, kickoff_at=kickoff, told_at=now)
        await self._store.save(WriteBatch(football=(match,), lineups=flagged))
        self._tell_moved(before, match, flagged)

    def _tell_moved(
        self, before: FootballMatch | None, match: FootballMatch, flagged: tuple[LineUpRecord, ...]
    ) -> None:
        if before is not None and before.kickoff_at != match.kickoff_at:
            self._bus.emit(
                facts.KickoffMoved(
                    at=match.told_at,
                    source=match.source,
                    match_id=str(match.match_id),
                    before=before.kickoff_at,
                    after=match.kickoff_at,
                    flagged=len(flagged),
                )
            )

    async def progress(self, match_id: int) -> CaptureProgress | None:
        return await known_or(None, self._store, lambda store: store.capture_progress(match_id))

    async def keep_matches(self, matches: tuple[FootballMatch, ...]) -> None:
        if self._store is not None:
            await self._store.save(WriteBatch(football=matches))

    async def keep_progress(self, progress: CaptureProgress) -> None:
        if self._store is not None:
            await self._store.save(WriteBatch(progress=(progress,)))


def _held(
    run: Run, captured_at: datetime, family: str, sha256: str, error: SchemaBreakError | RecordRefusedError
) -> Quarantined:
    contract = error.contract if isinstance(error, SchemaBreakError) else VERSIONS[Family(family)]
    return Quarantined(
        match_id=run.fixture.match_id,
        captured_at=captured_at,
        family=family,
        sha256=sha256,
        contract=contract,
        reason=error.message,
        source_event_id=run.fixture.event_key,
        kickoff_at=run.fixture.kickoff_utc,
    )


def later(before: CaptureProgress | None, told: CaptureProgress, next_at: datetime | None) -> CaptureProgress:
    """Figures add up over all that was tried; what was once confirmed stays so."""
    if before is None:
        return msgspec.structs.replace(told, next_at=next_at)
    return msgspec.structs.replace(
        told,
        attempts=before.attempts + told.attempts,
        captures=before.captures + told.captures,
        bytes_in=before.bytes_in + told.bytes_in,
        captured_at=told.captured_at or before.captured_at,
        confirmed_at=before.confirmed_at or told.confirmed_at,
        schema_version=told.schema_version or before.schema_version,
        exit_hash=told.exit_hash or before.exit_hash,
        next_at=next_at,
    )
