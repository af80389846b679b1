"""Whether a cursor is one of this record.

One beyond its end comes from another database, or from this one before it was lost: whoever waited at it would be told
nothing for ever, and take that for silence.
"""

from collections.abc import Awaitable, Callable

from longstop.domain.errors import StoreError
from longstop.serve.desk import ReadingDesk
from longstop.serve.problems import FOREIGN_CURSOR, ApiError
from longstop.store.contract import FeedCursor


async def require_known_place(reads: ReadingDesk, match_id: str, after: int) -> None:
    """In the events of one match, which are numbered without a hole."""
    store = reads.model.store

    async def is_foreign() -> bool:
        if await store.events(match_id, after=after - 1, limit=1):
            return False
        await store.states([match_id])  # brings what was told from memory and still waits for the database
        return not await store.events(match_id, after=after - 1, limit=1)

    if after:
        await _refuse_if(is_foreign, reads, str(after))


async def require_known_cursor(reads: ReadingDesk, after: FeedCursor) -> None:
    """In the events of all matches."""

    async def is_foreign() -> bool:
        return after > await reads.model.store.feed_end()

    if after != FeedCursor():
        await _refuse_if(is_foreign, reads, str(after))


async def _refuse_if(is_foreign: Callable[[], Awaitable[bool]], reads: ReadingDesk, cursor: str) -> None:
    """While the database is away nobody can tell, and nobody is turned away for it."""
    try:
        found = await reads.recollection.asked(is_foreign)
    except StoreError:
        return
    if found:
        raise ApiError(FOREIGN_CURSOR, f"The record does not reach as far as {cursor}.")
