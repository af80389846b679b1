"""Payloads that broke their contract, read once more after the reading was mended: from the raw captures, as of then.

What comes out bears the moment of its own capture. A match that has begun since, or whose kickoff was moved to before
that moment, gets nothing of it.
"""

from datetime import datetime, timedelta

import msgspec

from longstop.domain.capture import Fixture
from longstop.domain.capture_errors import AfterKickoffError, NotAheadError
from longstop.domain.errors import LongstopError, PayloadError, RecordRefusedError
from longstop.domain.football_record import FootballMatch, Quarantined
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.jobs.captures.judging import Captured, judged
from longstop.jobs.captures.keeping import Keeping
from longstop.jobs.captures.run import Run
from longstop.observe.signals import Signals
from longstop.store.contract import Capture, Store, WriteBatch

_INSTANT = timedelta(microseconds=1)
_VISIT_PARTS_MAX = 20


class Reread(msgspec.Struct, frozen=True):
    """`outcome` is kept, unchanged, broken, after_kickoff, not_ahead or gone."""

    match_id: int
    captured_at: datetime
    contract: str
    outcome: str
    detail: str = ""


async def reread(store: Store, now: datetime) -> list[Reread]:
    keeping = Keeping(store, Signals())
    return [await _read(store, keeping, held, now) for held in await store.quarantined()]


async def _read(store: Store, keeping: Keeping, held: Quarantined, now: datetime) -> Reread:
    parts = [part for part in await _raw(store, held) if not part.damage]
    match = await store.football_match(held.match_id)
    if not any(part.purpose == held.family for part in parts):
        return _told(held, "gone", "its payload is not among the raw captures any more")
    try:
        captured = judged(_fixture(held, match), {part.purpose: snapshot_of(part) for part in parts})
    except (AfterKickoffError, NotAheadError) as error:
        await _release(store, held, now)
        return _told(held, error.reason, error.message)
    except PayloadError as error:
        return _told(held, "broken", _words(error))
    try:
        is_news = await _keep(keeping, held, match, captured)
    except RecordRefusedError as error:
        return _told(held, "broken", _words(error))
    await _release(store, held, now)
    return _told(held, "kept" if is_news else "unchanged")


async def _raw(store: Store, held: Quarantined) -> list[Capture]:
    """All of one visit bear its moment."""
    found = await store.captures(str(held.match_id), after=held.captured_at - _INSTANT, limit=_VISIT_PARTS_MAX)
    return [part for part in found if part.captured_at == held.captured_at]


async def _keep(keeping: Keeping, held: Quarantined, match: FootballMatch | None, captured: Captured) -> bool:
    return await keeping.keep(Run(_fixture(held, match, captured)), captured)


def _fixture(held: Quarantined, match: FootballMatch | None, captured: Captured | None = None) -> Fixture:
    """Its kickoff is the earliest that anybody has told."""
    told = [moment for moment in (held.kickoff_at, match.kickoff_at if match else None) if moment is not None]
    return Fixture(
        match_id=held.match_id,
        kickoff_utc=min(told, default=datetime.max.replace(tzinfo=held.captured_at.tzinfo)),
        home_team=match.home_team if match else (captured.event.home.name if captured else ""),
        away_team=match.away_team if match else (captured.event.away.name if captured else ""),
        league_id=match.league_id if match else None,
        season=match.season if match else None,
        event_key=held.source_event_id,
        page=match.page if match else "",
    )


async def _release(store: Store, held: Quarantined, now: datetime) -> None:
    await store.save(WriteBatch(quarantined=(msgspec.structs.replace(held, released_at=now),)))


def snapshot_of(part: Capture) -> Snapshot:
    request = FetchRequest(part.source, part.url, part.purpose)
    return Snapshot(request, part.status, part.body, part.requested_at, part.captured_at, part.rung)


def _told(held: Quarantined, outcome: str, detail: str = "") -> Reread:
    return Reread(held.match_id, held.captured_at, held.contract, outcome, detail)


def _words(error: LongstopError) -> str:
    return error.message[:200]
