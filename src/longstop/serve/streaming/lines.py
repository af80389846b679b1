"""What may be followed: the events of one match, or those of all. A line knows where its reader stands."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime
from typing import Final, Protocol

from msgspec import Struct, field

from longstop.clock import age_seconds
from longstop.domain.errors import StoreError
from longstop.domain.events import MatchEvent
from longstop.serve import balls
from longstop.serve.all_matches import AgeOfAll
from longstop.serve.freshness import iso, iso_or_none
from longstop.serve.naming import NameBook
from longstop.serve.reading import ReadModel
from longstop.serve.streaming.newest import Newest
from longstop.serve.wire import EventOut
from longstop.store.contract import FeedCursor

PAGE: Final = 200
PAGES_MAX: Final = 64
# So long one who waits hears nothing of a database that hangs.
PATIENCE_SECONDS: Final = 3.0


class Told(Struct, frozen=True):
    """One fact of a stream."""

    match_id: str = field(name="matchId")
    event: EventOut


class Item(Struct, frozen=True):
    """A fact, and the cursor after it."""

    cursor: str
    told: Told


class Line(Protocol):
    @property
    def subject(self) -> str: ...

    @property
    def look_again_seconds(self) -> float:
        """So long at most nothing new is asked for, whether there are news or not: others may write to the database."""
        ...

    @property
    def match_id(self) -> str | None:
        """None for all of them."""
        ...

    @property
    def cursor(self) -> str: ...

    async def read(self) -> Sequence[Item]:
        """What follows, some of it; nothing when there is no more yet. A StoreError while the ledger cannot be read."""
        ...

    @property
    def has_lost_touch(self) -> bool:
        """Once he had caught up, and now so much has happened that memory does not reach back to him."""
        ...

    async def pulse(self) -> dict[str, str | int | None]:
        """For a heartbeat: how old is what is told."""
        ...


class Writer:
    """Facts in the words of consumers."""

    def __init__(self, model: ReadModel) -> None:
        self._model = model

    def told(self, event: MatchEvent) -> Told:
        watched = self._model.board.match(event.match_id)
        per_over = watched.observation.balls_per_over if watched and watched.observation else 6
        names = NameBook(self._model.names(event.match_id.split("_", 1)[0]))
        return Told(event.match_id, balls.event_out(event, per_over, names))


class MatchLine:
    """Memory first; the ledger for what is older, and while nothing of this match is in memory."""

    look_again_seconds = 10.0

    def __init__(self, match_id: str, after: int, model: ReadModel, newest: Newest) -> None:
        self._match_id = match_id
        self._seq = after
        self._model = model
        self._newest = newest
        self._writer = Writer(model)

    @property
    def subject(self) -> str:
        return self._match_id

    @property
    def match_id(self) -> str | None:
        return self._match_id

    @property
    def cursor(self) -> str:
        return str(self._seq)

    async def read(self) -> Sequence[Item]:
        events: Sequence[MatchEvent] | None = self._newest.after(self._match_id, self._seq)
        if events is None:
            events = await self._model.store.events(self._match_id, after=self._seq, limit=PAGE)
        shown = events[:PAGE]
        if shown:
            self._seq = shown[-1].seq
        return [Item(str(event.seq), self._writer.told(event)) for event in shown]

    @property
    def has_lost_touch(self) -> bool:
        return self._newest.is_past(self._match_id, self._seq)

    async def pulse(self) -> dict[str, str | int | None]:
        watched = self._model.board.match(self._match_id)
        return _pulse(self._model, None if watched is None else watched.captured_at)


class FedItem(Struct, frozen=True):
    at: FeedCursor
    item: Item


class FeedPages:
    """Everybody who has caught up asks for the same page: it is read once. What follows a place never changes."""

    def __init__(self, model: ReadModel) -> None:
        self._model = model
        self._writer = Writer(model)
        self._pages: OrderedDict[FeedCursor, tuple[FedItem, ...]] = OrderedDict()
        self._reading: dict[FeedCursor, asyncio.Task[tuple[FedItem, ...]]] = {}

    async def after(self, cursor: FeedCursor) -> tuple[FedItem, ...]:
        known = self._pages.get(cursor)
        if known is not None:
            return known
        task = self._reading.get(cursor)
        if task is None:
            task = self._reading[cursor] = asyncio.create_task(self._read(cursor), name="page of the feed")
            task.add_done_callback(lambda done: self._read_ended(cursor, done))
        return await asyncio.shield(task)

    async def _read(self, cursor: FeedCursor) -> tuple[FedItem, ...]:
        async with self._model.clock.timeout(PATIENCE_SECONDS):
            fed = await self._model.store.feed(cursor, limit=PAGE)
        page = tuple(FedItem(each.cursor, Item(str(each.cursor), self._writer.told(each.event))) for each in fed)
        if page:
            self._pages[cursor] = page
            while len(self._pages) > PAGES_MAX:
                self._pages.popitem(last=False)
        return page

    def _read_ended(self, cursor: FeedCursor, task: "asyncio.Task[tuple[FedItem, ...]]") -> None:
        """Also looks at the outcome, since those who asked may be gone."""
        self._reading.pop(cursor, None)
        if not task.cancelled():
            task.exception()


class FeedLine:
    """All matches, in the order in which their events became durable. Only the database knows that order."""

    subject = "all matches"
    match_id = None
    has_lost_touch = False
    look_again_seconds = 1.0

    def __init__(self, after: FeedCursor, pages: FeedPages, age: AgeOfAll, model: ReadModel) -> None:
        self._at = after
        self._pages = pages
        self._age = age
        self._model = model

    @property
    def cursor(self) -> str:
        return str(self._at)

    async def read(self) -> Sequence[Item]:
        page = await self._pages.after(self._at)
        if page:
            self._at = page[-1].at
        return [fed.item for fed in page]

    async def pulse(self) -> dict[str, str | int | None]:
        """As the list of all matches tells it."""
        try:
            return _pulse(self._model, (await self._age.now()).captured_at)
        except StoreError:
            return _pulse(self._model, None)


def _pulse(model: ReadModel, captured_at: datetime | None) -> dict[str, str | int | None]:
    now = model.clock.now()
    age = None if captured_at is None else int(age_seconds(now, captured_at))
    return {"now": iso(now), "scraped_at": iso_or_none(captured_at), "data_age_seconds": age}
