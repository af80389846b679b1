"""The operators' audit over HTTP: page by page, by who and day; beside it what was done to get well again."""

from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Final

from litestar import Router, get
from litestar.di import NamedDependency, Provide
from litestar.openapi import ResponseSpec
from litestar.params import QueryParameter, SkipValidation
from msgspec import Meta, Struct

from longstop.clock import Clock
from longstop.domain.access import VerbEntry, require_consumer
from longstop.serve.entry.audit import AdminAudit
from longstop.serve.entry.routes import day_of
from longstop.serve.entry.rules import ADMIN
from longstop.serve.freshness import iso
from longstop.serve.problems import MEDIA_TYPE, Problem
from longstop.serve.reading import ReadModel
from longstop.serve.summary import AuditEntry, audit_entry
from longstop.store.entry.access import AccessStore
from longstop.store.entry.verb_rows import VerbsAsked

_ENTRIES_MAX: Final = 1_000
_NUMBER_MAX: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class AuditDesk:
    store: AccessStore
    audit: AdminAudit
    clock: Clock


class VerbRow(Struct, frozen=True):
    """`subject` is a match, a source, an address or the instance; `outcome` done, failed or refused."""

    entry_id: Annotated[str, Meta(examples=["1764000000000000123"])]
    at: Annotated[str, Meta(examples=["2026-01-31T12:00:00.000Z"])]
    consumer: Annotated[str, Meta(examples=["ops"])]
    key_id: Annotated[str, Meta(examples=["k7f3q2ab"])]
    verb: Annotated[str, Meta(examples=["pause"])]
    subject: Annotated[str, Meta(examples=["crex_QUY"])]
    reason: str
    outcome: Annotated[str, Meta(examples=["done"])]
    detail: str
    request_id: Annotated[str, Meta(examples=["5f0c6a-1b"])]


class AuditPage(Struct, frozen=True):
    """`next` asks for the page after this one, as `before`; null on the last. `recoveries` are what the instance did to
    itself, the last hundred and of the same day, on the first page only."""

    entries: list[VerbRow]
    count: int
    next: str | None
    recoveries: list[AuditEntry]


def _problem(words: str) -> ResponseSpec:
    return ResponseSpec(Problem, generate_examples=False, description=words, media_type=MEDIA_TYPE)


_Audits = NamedDependency[SkipValidation[AuditDesk]]
_Model = NamedDependency[SkipValidation[ReadModel]]


@get(
    "/admin/audit",
    opt=ADMIN,
    tags=["admin"],
    summary="What operators asked for, also what was refused or failed, newest first",
    responses={
        400: _problem("A parameter is wrong."),
        401: _problem("A token is needed."),
        403: _problem("The token does not allow it."),
        503: _problem("The database does not answer."),
    },
)
async def admin_audit(
    audits: _Audits,
    model: _Model,
    consumer: Annotated[str | None, QueryParameter(max_length=64, description="Only what this one asked for.")] = None,
    day: Annotated[str | None, QueryParameter(max_length=10, description="As 2026-01-31, in UTC; else all.")] = None,
    before: Annotated[
        int | None, QueryParameter(ge=1, le=_NUMBER_MAX, description="`next` of the page before this one.")
    ] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=_ENTRIES_MAX, description="At most this many.")] = 100,
) -> AuditPage:
    who = None if consumer is None else require_consumer(consumer)
    when = None if day is None else day_of(day, audits.clock.now())
    await audits.audit.written()
    found = await audits.store.verbs(VerbsAsked(when, who, before, limit + 1))
    page = found[:limit]
    following = str(page[-1].entry_id) if len(found) > limit else None
    return AuditPage([_row(entry) for entry in page], len(page), following, _recoveries(model, when, before))


def _recoveries(model: ReadModel, day: date | None, before: int | None) -> list[AuditEntry]:
    if before is not None:
        return []
    known = model.operations.recoveries()
    return [audit_entry(entry) for entry in known if day is None or entry.at.date() == day]


def _row(entry: VerbEntry) -> VerbRow:
    return VerbRow(
        str(entry.entry_id),
        iso(entry.at),
        entry.consumer,
        entry.key_id,
        entry.verb,
        entry.subject,
        entry.reason,
        entry.outcome,
        entry.detail,
        entry.request_id,
    )


def audit_router(desk: AuditDesk) -> Router:
    provided: dict[str, Any] = {"audits": Provide(lambda: desk, sync_to_thread=False)}
    return Router("/", route_handlers=[admin_audit], dependencies=provided)
