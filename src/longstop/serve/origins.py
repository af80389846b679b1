"""`_metadata`: where an answer comes from, how old each part of it is, and how far it can be trusted."""

from datetime import datetime
from typing import Final

from longstop.clock import age_seconds
from longstop.domain.events import Gap
from longstop.serve import wire
from longstop.serve.freshness import Age, KnownMatch, iso, iso_or_none
from longstop.serve.reading import ReadModel

_LISTED: Final = ("title", "venue", "series", "start_time")
_CAPTURED: Final = ("status", "score", "innings", "batting", "bowling", "toss", "result", "last_event", "last_balls")
# There is one source for each field today, and nobody doubts it: what is doubted is held.
_UNDOUBTED: Final = 1.0


def metadata(known: KnownMatch, age: Age, model: ReadModel, *, has_fields: bool = False) -> wire.Metadata:
    now, live = known.moment(model.clock.now()), known.live
    source_at = live.source_at if live else None
    ages = wire.Ages(_age(now, source_at), _age(now, known.last_success_at), _age(now, known.told_at))
    return wire.Metadata(
        scraped_at=iso(age.captured_at),
        data_age_seconds=age.whole_seconds,
        is_stale=age.is_stale,
        source=live.source if live else known.row.ref.source,
        ages=ages,
        degraded=known.is_degraded,
        as_of=iso_or_none(known.as_of),
        scraper_id=_scraper_id(known),
        rung=live.rung if live else None,
        rung_reason=_rung_reason(known, model) if live else None,
        source_at=iso_or_none(source_at),
        source_age_seconds=ages.source_seconds,
        content_at=iso(live.captured_at) if live else None,
        sequence=live.sequence if live else None,
        complete_through=live.complete_through if live else None,
        gaps=[_gap_out(gap) for gap in known.gaps],
        payload_sha256=live.payload_sha256 if live else None,
        held=_held(known),
        fields=_fields(known) if has_fields else {},
    )


def _age(now: datetime, then: datetime | None) -> int | None:
    return None if then is None else int(age_seconds(now, then))


def _scraper_id(known: KnownMatch) -> str | None:
    if known.watched is not None and known.watched.scraper_id:
        return known.watched.scraper_id
    return known.live.scraper_id if known.live else None


def _rung_reason(known: KnownMatch, model: ReadModel) -> str | None:
    return (model.approach.why(known.row.ref.source, known.row.ref.key) or None) if known.as_of is None else None


def _fields(known: KnownMatch) -> dict[str, wire.FieldOrigin]:
    listed = wire.FieldOrigin(known.row.ref.source, _UNDOUBTED, iso_or_none(known.row.discovered_at))
    found = dict.fromkeys(_LISTED, listed)
    if known.live is not None:
        live = known.live
        captured = wire.FieldOrigin(live.source, _UNDOUBTED, iso(live.captured_at), live.rung)
        found |= dict.fromkeys(_CAPTURED, captured)
    return found


def _held(known: KnownMatch) -> wire.HeldOut | None:
    hold = known.watched.hold if known.watched else None
    return None if hold is None else wire.HeldOut(iso(hold.since), list(hold.reasons))


def _gap_out(gap: Gap) -> wire.GapOut:
    return wire.GapOut(
        gap_id=gap.gap_id,
        innings=gap.innings,
        first_over=gap.first_over,
        last_over=gap.last_over,
        state=gap.state.value,
        cause=gap.cause,
        opened_at=iso(gap.opened_at),
        closed_at=iso_or_none(gap.closed_at),
        missing_runs=gap.missing_runs,
        missing_wickets=gap.missing_wickets,
        missing_balls=gap.missing_balls,
    )
