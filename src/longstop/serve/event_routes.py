"""The addresses of what happened: events after a cursor, of one match and of all, and the balls themselves."""

from collections.abc import Sequence
from typing import Annotated, Final

from litestar import Response, get
from litestar.handlers import HTTPRouteHandler
from litestar.params import QueryParameter
from msgspec import Meta, Struct, field

from longstop.domain.events import MatchEvent
from longstop.serve import balls, wire
from longstop.serve.answers import answer_of
from longstop.serve.desk import ReadingDesk
from longstop.serve.entry.rules import READ
from longstop.serve.freshness import KnownMatch, iso, iso_or_none
from longstop.serve.match_routes import FRESH, NOT_MODIFIED, Asked, Reads
from longstop.serve.naming import NameBook
from longstop.serve.parameters import (
    CURSOR_MAX,
    ERRORS,
    ERRORS_OF_CURSORS,
    ERRORS_OF_ONE,
    FEED_CURSOR,
    AsOf,
    MatchId,
    feed_cursor_of,
    moment_of,
)
from longstop.serve.recollection import WHOLE_SECONDS
from longstop.serve.streaming.known_cursors import require_known_cursor, require_known_place
from longstop.serve.streaming.lines import PAGE, FedItem, Told
from longstop.serve.streaming.newest import Listener
from longstop.store.contract import FeedCursor

EVENTS_MAX: Final = 1_000
WAIT_SECONDS_MAX: Final = 30.0
LOOK_AGAIN_SECONDS: Final = 0.5

After = Annotated[int, QueryParameter(ge=0, le=CURSOR_MAX, description="`next_after` of the last answer.")]
Limit = Annotated[int, QueryParameter(ge=1, le=EVENTS_MAX, description="At most this many.")]
Wait = Annotated[
    float,
    QueryParameter(ge=0, le=WAIT_SECONDS_MAX, description="Wait so many seconds for something to happen, if need be."),
]


class FedEventOut(Struct, frozen=True):
    cursor: str
    told: Told


class Feed(Struct, frozen=True):
    """Of all matches, in the order in which it became durable."""

    events: list[FedEventOut]
    next_after: Annotated[str, Meta(description="Ask again with after= this.")]
    has_more: bool
    metadata: wire.ListMetadata = field(name="_metadata")


@get(
    "/cricket-data/matches/{match_id:str}/events",
    opt=READ,
    tags=["events"],
    summary="What happened, in order, after a cursor",
    response_headers=FRESH,
    responses=ERRORS_OF_ONE | ERRORS_OF_CURSORS | NOT_MODIFIED,
)
async def match_events(
    reads: Reads,
    request: Asked,
    match_id: MatchId,
    after: After = 0,
    limit: Limit = 500,
    wait: Wait = 0.0,
    as_of: AsOf = None,
) -> Response[wire.EventList]:
    moment = moment_of("as_of", as_of)
    known = await reads.known(match_id, moment)
    if moment is None:
        await require_known_place(reads, match_id, after)

    async def found() -> Sequence[MatchEvent]:
        return await reads.model.store.events(match_id, after=after, limit=limit + 1, as_of=moment)

    async def build() -> wire.EventList:
        return _event_list(reads, known, await found(), after, limit)

    if wait and moment is None:
        await _news(reads, match_id, after, wait)
        known = await reads.known(match_id)
    return (await reads.answer(request, known, build)).to(request)


async def _news(reads: ReadingDesk, match_id: str, after: int, seconds: float) -> None:
    """Returns when there is something after the cursor, or the time is over."""
    with reads.streams.newest.listening(match_id) as listener:
        if await reads.recollection.asked(lambda: reads.model.store.events(match_id, after=after, limit=1)):
            return
        await _heard(reads, listener, seconds)


async def _heard(reads: ReadingDesk, listener: Listener, seconds: float) -> None:
    try:
        async with reads.model.clock.timeout(seconds):
            await listener.news.wait()
    except TimeoutError:
        return


def _event_list(
    reads: ReadingDesk, known: KnownMatch, found: Sequence[MatchEvent], after: int, limit: int
) -> wire.EventList:
    shown = found[:limit]
    names = NameBook(reads.model.names(known.row.ref.source))
    per_over = known.live.balls_per_over if known.live else 6
    return wire.EventList(
        match_id=known.match_id,
        events=[balls.event_out(event, per_over, names) for event in shown],
        next_after=shown[-1].seq if shown else after,
        has_more=len(found) > limit,
        metadata=reads.metadata(known),
    )


@get(
    "/cricket-data/matches/{match_id:str}/deliveries",
    opt=READ,
    tags=["events"],
    summary="The ledger: every ball, as it is believed now or was believed at a moment",
    response_headers=FRESH,
    responses=ERRORS_OF_ONE | NOT_MODIFIED,
)
async def match_deliveries(
    reads: Reads, request: Asked, match_id: MatchId, as_of: AsOf = None
) -> Response[wire.DeliveryList]:
    moment = moment_of("as_of", as_of)
    known = await reads.known(match_id, moment)

    async def build() -> wire.DeliveryList:
        records = await reads.model.store.deliveries(match_id, as_of=moment)
        bowled = [record.delivery for record in records if record.delivery is not None]
        return wire.DeliveryList(
            match_id=match_id,
            as_of=iso_or_none(moment),
            count=len(bowled),
            runs=sum(ball.runs for ball in bowled),
            wickets=sum(ball.wickets for ball in bowled),
            deliveries=balls.deliveries_out(records, NameBook(reads.model.names(known.row.ref.source))),
            metadata=reads.metadata(known),
        )

    return (await reads.answer(request, known, build, WHOLE_SECONDS)).to(request)


@get(
    "/cricket-data/events",
    opt=READ,
    tags=["events"],
    summary="What happened in all matches, in one order, after a cursor",
    response_headers=FRESH,
    responses=ERRORS | ERRORS_OF_CURSORS | NOT_MODIFIED,
)
async def feed(
    reads: Reads,
    request: Asked,
    after: Annotated[
        str,
        QueryParameter(max_length=40, description="`next_after` of the last; 0 begins.", schema_extra=FEED_CURSOR),
    ] = "0",
    limit: Annotated[int, QueryParameter(ge=1, le=PAGE, description="At most this many.")] = PAGE,
    wait: Wait = 0.0,
) -> Response[Feed]:
    cursor = feed_cursor_of("after", after)
    await require_known_cursor(reads, cursor)
    page = await _next_page(reads, cursor, wait)
    shown = page[:limit]
    last = shown[-1].at if shown else cursor
    age = await reads.age_of_all.now()
    head = wire.ListMetadata(iso(age.captured_at), age.whole_seconds, age.is_stale, reads.recollection.is_degraded)
    told = [FedEventOut(str(fed.at), fed.item.told) for fed in shown]
    body = Feed(told, str(last), has_more=len(page) > limit or len(page) >= PAGE, metadata=head)
    return answer_of(body, age).to(request)


async def _next_page(reads: ReadingDesk, cursor: FeedCursor, wait: float) -> tuple[FedItem, ...]:
    """What is durable is not always to be seen at once: after news the database is asked a few times."""
    ends_at = reads.model.clock.monotonic() + wait
    with reads.streams.newest.listening() as listener:
        while True:
            page = await reads.recollection.asked(lambda: reads.pages.after(cursor))
            left = ends_at - reads.model.clock.monotonic()
            if page or left <= 0:
                return page
            await _heard(reads, listener, min(left, LOOK_AGAIN_SECONDS))
            listener.news.clear()


def event_routes() -> list[HTTPRouteHandler]:
    return [match_events, match_deliveries, feed]
