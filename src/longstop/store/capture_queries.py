"""What is asked about captures, and how old ones are removed: one step told once, for a store that waits and one that
does not."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final

from sqlalchemy import BigInteger, Select, bindparam, cast, delete, exists, func, literal_column, select, tuple_

from longstop.store.cells import Moments, Row
from longstop.store.scripts import Script
from longstop.store.tables import capture_bodies, captures, matches

# So many go in one transaction, that nobody who writes waits for long.
_STEP: Final = 256

# Returns how many captures went.
Pruning = Script[int]


@dataclass(frozen=True)
class Ranks:
    """Captures in the order in which they go: how large their bodies are, and away with the first so many."""

    sizes: Any
    remove: Any


@dataclass(frozen=True)
class CaptureQueries:
    page: Any
    total: Any
    aged: Any
    finished: Ranks
    all: Ranks
    drop_body: Any


@cache
def capture_queries() -> CaptureQueries:
    finished = ~exists().where(
        matches.c.match_id == captures.c.match_id,
        matches.c.state.in_([literal_column(f"'{state}'") for state in ("discovered", "active", "paused")]),
    )
    is_aged = captures.c.captured_at < bindparam("older_than", type_=captures.c.captured_at.type)
    return CaptureQueries(
        page=_page(),
        total=select(cast(func.coalesce(func.sum(capture_bodies.c.kept_bytes), literal_column("0")), BigInteger)),
        aged=_remove(_oldest(*captures.primary_key).where(is_aged, finished)),
        finished=_ranks(finished),
        all=_ranks(),
        drop_body=delete(capture_bodies).where(
            capture_bodies.c.sha256 == bindparam("sha256"),
            ~exists().where(captures.c.sha256 == capture_bodies.c.sha256),
        ),
    )


def _page() -> Select[Any]:
    """Up to the moment of the last that fits, with all that were captured at it."""
    moment = captures.c.captured_at.type
    later = (captures.c.match_id == bindparam("match_id"), captures.c.captured_at > bindparam("after", type_=moment))
    last = select(captures.c.captured_at).where(*later).order_by(captures.c.captured_at)
    last = last.limit(literal_column("1")).offset(bindparam("others"))
    until = func.coalesce(last.scalar_subquery(), bindparam("forever", type_=moment))
    bodies = capture_bodies.c
    return (
        select(*captures.c, bodies.codec, bodies.raw_bytes, bodies.body)
        .join(capture_bodies, bodies.sha256 == captures.c.sha256)
        .where(*later, captures.c.captured_at <= until)
        .order_by(captures.c.captured_at, captures.c.purpose, captures.c.sha256)
    )


def _oldest(*columns: Any) -> Select[Any]:
    key = captures.c
    return select(*columns).order_by(key.captured_at, key.match_id, key.purpose, key.sha256).limit(bindparam("limit"))


def _remove(chosen: Select[Any]) -> Any:
    return delete(captures).where(tuple_(*captures.primary_key).in_(chosen)).returning(captures.c.sha256)


def _ranks(*conditions: Any) -> Ranks:
    sizes = _oldest(capture_bodies.c.kept_bytes).join_from(
        captures, capture_bodies, capture_bodies.c.sha256 == captures.c.sha256
    )
    return Ranks(sizes.where(*conditions), _remove(_oldest(*captures.primary_key).where(*conditions)))


def pruning(bytes_max: int, older_than: datetime | None, moment: Moments) -> Pruning:
    """One step: some captures that are too old, or else some that are too much. Zero when there is nothing to do."""
    query = capture_queries()
    if older_than is not None:
        aged = yield query.aged, {"older_than": moment(older_than), "limit": _STEP}
        if aged:
            return (yield from _without_bodies(aged))
    excess = (yield query.total, {})[0][0] - max(0, bytes_max)
    if excess <= 0:
        return 0
    for ranks in (query.finished, query.all):
        sizes = yield ranks.sizes, {"limit": _STEP}
        if sizes:
            removed = yield ranks.remove, {"limit": _enough([size for (size,) in sizes], excess)}
            return (yield from _without_bodies(removed))
    return 0


def _enough(sizes: Sequence[int], excess: int) -> int:
    """How many of the first make up the excess. Bodies that others share give less; the next step makes up for it."""
    freed = 0
    for number, size in enumerate(sizes, start=1):
        freed += size
        if freed >= excess:
            return number
    return len(sizes)


def _without_bodies(removed: Sequence[Row]) -> Pruning:
    for sha256 in sorted({sha256 for (sha256,) in removed}):
        yield capture_queries().drop_body, {"sha256": sha256}
    return len(removed)
