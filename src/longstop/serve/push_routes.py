"""What others push: taken at once, durable before it is acknowledged, read afterwards."""

import asyncio
from dataclasses import dataclass
from typing import Annotated, Any, Final

from litestar import Request, Response, Router, get, post
from litestar.datastructures import ResponseHeader
from litestar.di import NamedDependency, Provide
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import Example, OpenAPIMediaType, Operation, Reference, RequestBody, Schema
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType
from litestar.params import PathParameter, SkipValidation
from msgspec import Struct

from longstop.clock import Clock
from longstop.domain.access import Scope
from longstop.domain.errors import PushConflictError, PushesFullError
from longstop.domain.push import BATCH_MAX, KeptPush
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.serve.entry.rules import PUSH
from longstop.serve.entry.visit import visit_of
from longstop.serve.freshness import iso
from longstop.serve.problems import (
    MEDIA_TYPE,
    NOT_FOUND,
    PUSH_CONFLICT,
    PUSHES_FULL,
    UNSUPPORTED_MEDIA,
    ApiError,
    Problem,
)
from longstop.serve.push_form import BODY_BYTES_MAX, arrived, payloads_of, push_of
from longstop.store.pushes import NewPush, PushJournal

RETRY_SECONDS: Final = 5
_SMALL_BYTES: Final = 64 * 1024
_Request = Request[Any, Any, Any]


class ItemOut(Struct, frozen=True):
    """`verdict` is waiting, accepted, unchanged, older (something newer is known), held or rejected."""

    id: str
    verdict: str
    reasons: list[str]


class PushOut(Struct, frozen=True):
    id: str
    received_at: str
    location: str
    items: list[ItemOut]


@dataclass(frozen=True, slots=True)
class PushDesk:
    journal: PushJournal
    clock: Clock
    bus: Signals

    async def take(self, request: _Request) -> KeptPush:
        media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media not in {"", "application/json"}:
            raise ApiError(UNSUPPORTED_MEDIA, f"The body is {media[:60]}; it must be application/json.")
        push, now = await self._read(request), self.clock.now()
        try:
            kept = await self.journal.accept(arrived(push, now), now)
        except PushConflictError as error:
            raise ApiError(PUSH_CONFLICT, error.message) from None
        except PushesFullError as error:
            self.bus.emit(signals.PushRefused(at=self.clock.now(), reason=error.message, hint=error.hint))
            raise ApiError(PUSHES_FULL, error.message, headers={"Retry-After": str(RETRY_SECONDS)}) from None
        self.bus.emit(signals.PushTaken(at=self.clock.now(), push_id=kept.id, payloads=len(kept.items)))
        return kept

    async def _read(self, request: _Request) -> NewPush:
        """A large one beside the loop: to read, decode and hash it takes longer than others should wait."""
        body, key = await request.body(), request.headers.get("idempotency-key")
        consumer = visit_of(request.scope).consumer
        if len(body) <= _SMALL_BYTES:
            return push_of(payloads_of(body), consumer, key)
        return await asyncio.to_thread(lambda: push_of(payloads_of(body), consumer, key))


Desk = NamedDependency[SkipValidation[PushDesk]]


def push_out(kept: KeptPush) -> PushOut:
    items = [ItemOut(item.id, item.verdict.value, list(item.reasons)) for item in kept.items]
    return PushOut(kept.id, iso(kept.received_at), f"/cricket-data/pushes/{kept.id}", items)


def _problems(*rows: tuple[int, str]) -> dict[int, ResponseSpec]:
    described = ((401, "A token is needed."), (403, "The token does not allow it."), (503, "Not now."), *rows)
    return {
        status: ResponseSpec(Problem, generate_examples=False, description=words, media_type=MEDIA_TYPE)
        for status, words in described
    }


_SHOWN: Final = {
    "source": "crex",
    "match_key": "QUY",
    "purpose": "state",
    "url": "https://example.org/state",
    "requested_at": "2026-01-31T12:00:00Z",
    "captured_at": "2026-01-31T12:00:00.2Z",
    "body": "eyJhIjogMX0=",
}


@dataclass
class PushOperation(Operation):
    """The body is read by ourselves, so it is described here."""

    def __post_init__(self) -> None:
        text, moment = Schema(type=OpenAPIType.STRING), Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.DATE_TIME)
        fields: dict[str, Schema | Reference] = dict.fromkeys(
            ("key", "source", "match_key", "purpose", "url", "rung", "asked"), text
        )
        fields |= {
            "requested_at": moment,
            "captured_at": moment,
            "body": Schema(type=OpenAPIType.STRING, content_encoding="base64"),
            "status": Schema(type=OpenAPIType.INTEGER, minimum=200, maximum=299),
        }
        one = Schema(type=OpenAPIType.OBJECT, properties=fields, required=list(_SHOWN), additional_properties=False)
        many = Schema(
            type=OpenAPIType.OBJECT,
            properties={"payloads": Schema(type=OpenAPIType.ARRAY, items=one, min_items=1, max_items=BATCH_MAX)},
            required=["payloads"],
            additional_properties=False,
        )
        self.request_body = RequestBody(
            content={
                "application/json": OpenAPIMediaType(
                    schema=Schema(one_of=[one, many]),
                    examples={"one": Example(value=_SHOWN), "batch": Example(value={"payloads": [_SHOWN]})},
                )
            },
            required=True,
            description="A payload as a source gave it, or a batch of them in the order of their capture.",
        )


@post(
    "/cricket-data",
    opt=PUSH,
    status_code=202,
    summary="Push payloads of a source; they are durable when this answers, and read afterwards",
    operation_class=PushOperation,
    responses=_problems(
        (400, "It is no payload."), (409, "Another content under the same key."), (413, "It is too large.")
    ),
    response_headers=[ResponseHeader(name="Location", description="Where to look it up.", documentation_only=True)],
)
async def push(desk: Desk, request: _Request) -> Response[PushOut]:
    body = push_out(await desk.take(request))
    return Response(body, status_code=202, headers={"Location": body.location})


@get(
    "/cricket-data/pushes/{push_id:str}",
    opt=PUSH,
    summary="What became of a push",
    responses=_problems((404, "There is no such push, or it is another's, or so old that it is forgotten.")),
)
async def push_state(
    desk: Desk,
    request: _Request,
    push_id: Annotated[str, PathParameter(max_length=64, description="As the answer to the push had it.")],
) -> PushOut:
    caller = visit_of(request.scope).caller
    may_see_all = caller is not None and caller.may(Scope.ADMIN)
    kept = await desk.journal.find(push_id, None if may_see_all else visit_of(request.scope).consumer)
    if kept is None:
        raise ApiError(NOT_FOUND, "There is no such push, or it is so old that it is forgotten.")
    return push_out(kept)


def push_router(desk: PushDesk) -> Router:
    return Router(
        path="/",
        route_handlers=[push, push_state],
        dependencies={"desk": Provide(lambda: desk, sync_to_thread=False)},
        tags=["push"],
        request_max_body_size=BODY_BYTES_MAX,
    )
