"""`GET /ops/matches/{id}`: all that is known of one match, for its page.

Nothing in it depends on the time of asking, so that a page which has it already is told so in a few bytes (ETag).
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct

from longstop.clock import to_millis
from longstop.domain.errors import StoreError
from longstop.domain.events import DeliveryRecord, Gap
from longstop.domain.observation import Observation
from longstop.serve.console.journal import Journal, journal_of
from longstop.serve.console.rows import Row, build_row
from longstop.serve.console.scene import Scene, Standing
from longstop.serve.console.sheets import Sheet, sheets_of
from longstop.serve.console.telling import News, news_of
from longstop.serve.naming import NameBook
from longstop.serve.notation import ball_text
from longstop.serve.reading import ReadModel
from longstop.store.contract import LiveRow, MatchRow

_STORE_DEADLINE_SECONDS: Final = 4.0
CORRECTIONS_MAX: Final = 100


class GapLine(Struct, frozen=True):
    innings: int
    first_over: int
    last_over: int
    state: str
    cause: str
    opened: int
    closed: int | None
    balls: int
    runs: int
    wickets: int


class Correction(Struct, frozen=True):
    """The source told a ball anew, or took it back (`after` is empty)."""

    at: int
    place: str
    before: str
    after: str


class SourceLine(Struct, frozen=True):
    """What one source says of the match now, and where that can be found again."""

    source: str
    url: str
    rung: str
    why: str
    said: int | None
    sequence: int | None
    payload: str
    complete_through: str
    score: str


class Dossier(Struct, frozen=True):
    """`is_whole` is false when the database did not answer: then it is what memory knows."""

    row: Row
    venue: str
    toss: str
    last_event: str
    state: str
    is_whole: bool
    sheets: list[Sheet]
    gaps: list[GapLine]
    corrections: list[Correction]
    sources: list[SourceLine]
    journal: Journal
    news: list[News]


class _Record(Struct, frozen=True):
    """What the store has of a match."""

    row: MatchRow | None = None
    live: LiveRow | None = None
    history: Sequence[DeliveryRecord] = ()
    gaps: Sequence[Gap] = ()
    is_whole: bool = True


async def dossier_of(model: ReadModel, match_id: str, number: int = 0) -> Dossier | None:
    """None for a match that nobody knows."""
    record = await _read(model, match_id)
    watched = model.board.match(match_id)
    if record.row is None and watched is None:
        return None
    source = record.row.ref.source if record.row is not None else watched.source if watched is not None else ""
    key = match_id.removeprefix(f"{source}_")
    standing = Standing(model.approach.why(source, key), model.approach.shut(source, key))
    scene = Scene(record.row, record.live, watched, standing)
    names = model.names(source)
    book, state = NameBook(names), scene.state
    return Dossier(
        row=build_row(number, scene, names),
        venue=record.row.venue if record.row is not None else "",
        toss=_toss(state, book),
        last_event=state.last_event if state is not None else "",
        state=record.row.state.value if record.row is not None else "",
        is_whole=record.is_whole,
        sheets=_sheets(state, record, book),
        gaps=[_gap(gap) for gap in record.gaps],
        corrections=_corrections(record.history),
        sources=[_source(scene, record, book)],
        journal=journal_of(model.lookout.lines(match_id)),
        news=[news_of(each) for each in reversed(model.lookout.happenings.of_match(match_id))],
    )


async def _read(model: ReadModel, match_id: str) -> _Record:
    """Within a deadline; without the database the page still shows what memory knows."""
    store = model.store
    try:
        async with model.clock.timeout(_STORE_DEADLINE_SECONDS):
            return _Record(
                row=await store.match(match_id),
                live=(await store.live([match_id])).get(match_id),
                history=await store.delivery_history(match_id),
                gaps=await store.gaps(match_id),
            )
    except (StoreError, TimeoutError):
        return _Record(is_whole=False)


def _sheets(state: LiveRow | Observation | None, record: _Record, book: NameBook) -> list[Sheet]:
    if state is None:
        return []
    current: dict[tuple[int, int, int], DeliveryRecord] = {}
    for each in record.history:
        place = (each.place.innings, each.place.over, each.place.position)
        if place not in current or current[place].revision < each.revision:
            current[place] = each
    return sheets_of(state.innings, [current[place] for place in sorted(current)], state.balls_per_over, book)


def _corrections(history: Sequence[DeliveryRecord]) -> list[Correction]:
    """The newest first; of a ball that was told three times, both steps."""
    by_place: dict[str, list[DeliveryRecord]] = {}
    for each in history:
        by_place.setdefault(str(each.place), []).append(each)
    found = []
    for place, revisions in by_place.items():
        revisions.sort(key=lambda each: each.revision)
        for before, after in pairwise(revisions):
            found.append(Correction(to_millis(after.captured_at), place, _ball(before), _ball(after)))
    found.sort(key=lambda each: each.at, reverse=True)
    return found[:CORRECTIONS_MAX]


def _ball(record: DeliveryRecord) -> str:
    return "" if record.delivery is None else ball_text(record.delivery)


def _gap(gap: Gap) -> GapLine:
    return GapLine(
        innings=gap.innings,
        first_over=gap.first_over + 1,
        last_over=gap.last_over + 1,
        state=gap.state.value,
        cause=gap.cause,
        opened=to_millis(gap.opened_at),
        closed=None if gap.closed_at is None else to_millis(gap.closed_at),
        balls=gap.missing_balls,
        runs=gap.missing_runs,
        wickets=gap.missing_wickets,
    )


def _source(scene: Scene, record: _Record, book: NameBook) -> SourceLine:
    live, state, watched = record.live, scene.state, scene.watched
    origin = state.provenance if isinstance(state, Observation) else live
    said = origin.source_at if origin is not None else None
    url = watched.url if watched is not None else ""
    if not url and scene.row is not None:
        url = scene.row.ref.url
    return SourceLine(
        source=scene.source,
        url=url,
        rung=watched.rung if watched is not None else (live.rung if live is not None else ""),
        why=scene.standing.why,
        said=None if said is None else to_millis(said),
        sequence=watched.sequence if watched is not None and watched.sequence else (live.sequence if live else None),
        payload=origin.payload_sha256 if origin is not None else "",
        complete_through=(live.complete_through or "") if live is not None else "",
        score=_score(state, book),
    )


def _score(state: LiveRow | Observation | None, book: NameBook) -> str:
    if state is None or not state.innings:
        return ""
    latest = state.innings[-1]
    return f"{book.team(latest.team).short_name} {latest.runs}/{latest.wickets} ({latest.overs})"


def _toss(state: LiveRow | Observation | None, book: NameBook) -> str:
    if state is None or state.toss is None:
        return ""
    winner = book.team_name(state.toss.winner) or state.toss.winner
    return f"{winner} won the toss and chose to {state.toss.decision}"
