"""Matches, their live state, names and recipes as rows, and back.

The order of a row is the order of its columns in `statements.py`. Times are the only thing the two databases keep
differently, so whoever calls hands in how a time is written or read.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

import msgspec

from longstop.domain.cricket import BatterFigures, BowlerFigures, InningsScore, PlayState, Result, Toss
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchPriority, MatchRef, MatchStatus, Names
from longstop.store.cells import Moments, Row, aware, json_text, key_text
from longstop.store.contract import LiveRow, MatchRow, NamesRow, RecipeRow

NAME_KINDS: Final = ("players", "teams", "teams_short", "series")
RECIPE_BYTES_MAX: Final = 1 << 20


class _Board(msgspec.Struct, frozen=True, omit_defaults=True):
    balls_per_over: int = 6
    innings: tuple[InningsScore, ...] = ()
    batting: tuple[BatterFigures, ...] = ()
    bowling: BowlerFigures | None = None
    toss: Toss | None = None
    result: Result | None = None
    last_event: str = ""
    announcement: str = ""


_read_board = msgspec.json.Decoder(_Board).decode
_read_result = msgspec.json.Decoder(Result).decode


def match_values(row: MatchRow, moment: Moments, now: datetime) -> Row:
    updated = row.last_scraper_update
    age = 0 if updated is None else max(0, int((now - aware(updated)).total_seconds()))
    return (
        key_text(row.ref.match_id),
        key_text(row.ref.source),
        row.ref.key,
        row.ref.url,
        row.title,
        *row.teams,
        row.status.value,
        row.state.value,
        row.format,
        row.series,
        row.venue,
        moment(row.starts_at),
        moment(row.discovered_at),
        moment(updated),
        age,
        key_text(row.scraper_status),
        row.priority.value,
        None if row.result is None else json_text(row.result),
        moment(row.state_at),
    )


def match_row(row: Row, moment: Moments) -> MatchRow:
    _, source, key, url, title, first, second, status, state, style, series, venue, *rest = row
    starts_at, discovered_at, updated, _, scraper_status, priority, result, state_at = rest
    return MatchRow(
        ref=MatchRef(source, key, url),
        title=title,
        teams=(first, second),
        status=MatchStatus(status),
        state=MatchState(state),
        format=style,
        series=series,
        venue=venue,
        starts_at=moment(starts_at),
        discovered_at=moment(discovered_at),
        last_scraper_update=moment(updated),
        scraper_status=scraper_status,
        priority=MatchPriority(priority),
        result=None if result is None else _read_result(result),
        state_at=moment(state_at),
    )


_AT_STATUS: Final = {
    MatchStatus.UPCOMING: (MatchState.DISCOVERED, MatchPriority.IMMINENT),
    MatchStatus.LIVE: (MatchState.ACTIVE, MatchPriority.LIVE),
    MatchStatus.COMPLETED: (MatchState.COMPLETED, MatchPriority.COMPLETED),
    MatchStatus.ABANDONED: (MatchState.COMPLETED, MatchPriority.COMPLETED),
}


def as_it_was(row: MatchRow, status: MatchStatus, live: LiveRow | None) -> MatchRow:
    """The match when that was its status and this its live state; of its own state only what a status implies."""
    known = msgspec.structs.replace(
        row, last_scraper_update=live.captured_at if live else None, result=live.result if live else None
    )
    if status is row.status:
        return known
    state, priority = _AT_STATUS[status]
    return msgspec.structs.replace(
        known, status=status, state=state, state_at=None, priority=priority, scraper_status="unknown"
    )


def status_values(row: MatchRow, moment: Moments, now: datetime) -> Row:
    return (row.ref.match_id, row.status.value, moment(row.last_scraper_update or row.discovered_at or now))


def external_ref_values(row: MatchRow) -> Row:
    return (row.ref.match_id, row.ref.source, key_text(row.ref.key))


def live_values(row: LiveRow, moment: Moments) -> Row:
    board = _Board(
        balls_per_over=row.balls_per_over,
        innings=row.innings,
        batting=row.batting,
        bowling=row.bowling,
        toss=row.toss,
        result=row.result,
        last_event=row.last_event,
        announcement=row.announcement,
    )
    return (
        key_text(row.match_id),
        row.sequence,
        moment(row.captured_at),
        moment(row.source_at),
        key_text(row.scraper_id),
        row.update_latency_ms,
        row.source,
        row.rung,
        row.payload_sha256,
        row.play.value,
        row.complete_through,
        json_text(board),
    )


def live_row(row: Row, moment: Moments) -> LiveRow:
    match_id, sequence, captured_at, source_at, scraper_id, latency_ms, source, rung, sha256, play, through, text = row
    board = _read_board(text)
    return LiveRow(
        match_id=match_id,
        sequence=sequence,
        captured_at=moment(captured_at),
        source_at=moment(source_at),
        scraper_id=scraper_id,
        source=source,
        rung=rung,
        payload_sha256=sha256,
        update_latency_ms=latency_ms,
        play=PlayState(play),
        balls_per_over=board.balls_per_over,
        innings=board.innings,
        batting=board.batting,
        bowling=board.bowling,
        toss=board.toss,
        result=board.result,
        last_event=board.last_event,
        announcement=board.announcement,
        complete_through=through,
    )


def names_values(row: NamesRow) -> list[Row]:
    """A code without a name stays a code, so an empty name is not kept."""
    return [
        (key_text(row.source), kind, key_text(code), name)
        for kind in NAME_KINDS
        for code, name in getattr(row.names, kind).items()
        if name
    ]


def names_from(rows: Iterable[Row]) -> Names:
    found: dict[str, dict[str, str]] = {kind: {} for kind in NAME_KINDS}
    for kind, code, name in rows:
        found[kind][code] = name
    return Names(**found)


def recipe_values(row: RecipeRow, moment: Moments) -> Row:
    """Checked here: a driver that is handed the wrong kind of payload would quote it in its complaint."""
    if type(row.payload) is not bytes:
        raise TypeError(f"the payload of a recipe is {type(row.payload).__name__}, not bytes")
    if len(row.payload) > RECIPE_BYTES_MAX:
        raise ValueError(f"a recipe has {len(row.payload)} bytes, at most {RECIPE_BYTES_MAX} are kept")
    return (
        key_text(row.source),
        key_text(row.purpose),
        row.payload,
        moment(row.learnt_at),
        moment(row.expires_at),
    )


def recipe_row(row: Row, moment: Moments) -> RecipeRow:
    source, purpose, payload, learnt_at, expires_at = row
    return RecipeRow(source, purpose, payload, moment(learnt_at), moment(expires_at))
