"""The addresses of the streams."""

from typing import Annotated, Any, Final

from litestar import Request, Response, get
from litestar.datastructures import ResponseHeader
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import ResponseSpec
from litestar.params import HeaderParameter, QueryParameter, SkipValidation
from litestar.response import Stream

from longstop.serve.desk import ReadingDesk
from longstop.serve.entry.rules import READ
from longstop.serve.entry.visit import reader_of, visit_of
from longstop.serve.freshness import HEADERS, Age, age_of
from longstop.serve.parameters import ERRORS, ERRORS_OF_CURSORS, ERRORS_OF_ONE, MatchId, feed_cursor_of, seq_of
from longstop.serve.streaming import frames
from longstop.serve.streaming.following import Streams
from longstop.serve.streaming.known_cursors import require_known_cursor, require_known_place
from longstop.serve.streaming.lines import FeedLine, Line, MatchLine
from longstop.store.contract import FeedCursor

_WORDS: Final = (
    "Server-sent events. Facts have no event name and carry their cursor as `id`. Between them: `caught_up` once all"
    " that was has been told, `heartbeat` with the age of the data, `delayed` while the record cannot be read,"
    " `closing` with a reason and the cursor to go on from."
)
_STREAM: Final = ResponseSpec(str, generate_examples=False, description=_WORDS, media_type=frames.MEDIA_TYPE)
_FRESH: Final = [ResponseHeader(name=name, description=text, documentation_only=True) for name, text in HEADERS.items()]

Reads = NamedDependency[SkipValidation[ReadingDesk]]
After = Annotated[
    str | None, QueryParameter(max_length=40, description="Tell what comes after this cursor; 0 is the beginning.")
]
LastEventId = Annotated[
    str | None,
    HeaderParameter(name="Last-Event-ID", max_length=40, description="The same, as browsers send it."),
]


@get(
    "/cricket-data/matches/{match_id:str}/stream",
    opt=READ,
    tags=["streams"],
    media_type=frames.MEDIA_TYPE,
    summary="Follow one match, from the cursor on; without one from its beginning",
    response_headers=_FRESH,
    responses=ERRORS_OF_ONE | ERRORS_OF_CURSORS | {200: _STREAM},
)
async def match_stream(
    reads: Reads,
    request: Request[Any, Any, Any],
    match_id: MatchId,
    after: After = None,
    last_event_id: LastEventId = None,
) -> Response[Any]:
    cursor = seq_of("after", last_event_id or after or "0")
    known = await reads.known(match_id)
    await require_known_place(reads, match_id, cursor)
    line = MatchLine(match_id, cursor, reads.model, reads.streams.newest)
    return _answer(reads.streams, line, request, age_of(known, reads.model))


@get(
    "/cricket-data/stream",
    opt=READ,
    tags=["streams"],
    media_type=frames.MEDIA_TYPE,
    summary="Follow all matches, from the cursor on; without one from now",
    responses=ERRORS | ERRORS_OF_CURSORS | {200: _STREAM},
)
async def stream_of_all(
    reads: Reads,
    request: Request[Any, Any, Any],
    after: After = None,
    last_event_id: LastEventId = None,
) -> Response[Any]:
    told = last_event_id or after
    cursor = await _now(reads) if told is None else feed_cursor_of("after", told)
    await require_known_cursor(reads, cursor)
    return _answer(reads.streams, FeedLine(cursor, reads.pages, reads.age_of_all, reads.model), request)


async def _now(reads: ReadingDesk) -> FeedCursor:
    return await reads.recollection.asked(reads.model.store.feed_end)


def _answer(streams: Streams, line: Line, request: Request[Any, Any, Any], age: Age | None = None) -> Response[Any]:
    reader = reader_of(request.scope)
    streams.require_room(reader)
    headers = {"x-accel-buffering": "no", **(age.headers() if age else {})}
    if request.scope.get("state", {}).get("is_head"):
        return Response(b"", media_type=frames.MEDIA_TYPE, headers=headers)
    told = streams.follow(line, visit_of(request.scope).is_let_in, reader)
    return Stream(told, media_type=frames.MEDIA_TYPE, headers=headers)


def stream_routes() -> list[HTTPRouteHandler]:
    return [match_stream, stream_of_all]
