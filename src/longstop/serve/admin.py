"""The verbs of /admin: what people and their programs may ask of what runs. Each use is told, also a refused one.

Who may use them is decided at the door (`entry`), before anything of the request is read.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Protocol, TypeVar

from litestar import Request, post
from litestar.di import NamedDependency
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody, PathParameter, QueryParameter, SkipValidation
from msgspec import Meta, Struct

from longstop.clock import Clock
from longstop.domain.errors import LongstopError
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.serve.entry.rules import ADMIN
from longstop.serve.entry.visit import visit_of
from longstop.serve.problems import (
    MEDIA_TYPE,
    SETTINGS_REFUSED,
    TOO_SLOW,
    ApiError,
    Fault,
    Problem,
)
from longstop.settings import ReloadResult

VERB_SECONDS_MAX: Final = 30.0
# Cut short it would leave browsers half replaced; it has a shorter deadline of its own.
RECYCLE_SECONDS_MAX: Final = 650.0
_REASON: Final = "asked for under /admin"

ResultT = TypeVar("ResultT")


class AdminVerbs(Protocol):
    """What the engine does when it is asked. A match that is not watched is an UnknownMatchError, a step that its state
    does not have an IllegalTransitionError, an address that leads nowhere an InputError."""

    async def restart(self, match_id: str, reason: str) -> None:
        """The scraper of one match begins afresh."""
        ...

    async def recycle(self, reason: str) -> None:
        """Every browser is replaced, the successor first."""
        ...

    async def pause(self, match_id: str) -> None: ...

    async def resume(self, match_id: str) -> None: ...

    async def stop(self, match_id: str) -> None:
        """No longer watched, until it is listed again some minutes later; what was stored stays."""
        ...

    async def choose_rung(self, match_id: str, rung: str) -> None:
        """Fetched by this rung first, until it rests or ends; `auto` lets the ladder decide again."""
        ...

    async def start(self, url: str) -> str:
        """Watch the match at this address; its id."""
        ...

    async def switch_source(self, name: str, *, is_on: bool) -> None:
        """Asked or not asked from now on, until the next start."""
        ...

    def sources(self) -> Sequence[tuple[str, bool, int, list[str]]]:
        """Name, whether it is on, how many of its matches are watched."""
        ...


class Setting(Struct, frozen=True):
    setting: str
    before: str
    after: str


class Reloaded(Struct, frozen=True):
    """`outcome` is reloaded or unchanged. What stands under `needs_restart` has changed but needs a restart."""

    outcome: str
    generation: int
    applied: list[Setting]
    needs_restart: list[Setting]


class Done(Struct, frozen=True, omit_defaults=True):
    verb: str
    match_id: str | None = None


class RungRequest(Struct, frozen=True):
    rung: Annotated[str, Meta(pattern="^(auto|replay|in_page|intercept|dom)$")]


class StartRequest(Struct, frozen=True):
    url: str


async def written_elsewhere() -> None:
    """Where nobody keeps an audit."""


def nothing_kept(folder: str, name: str) -> bytes | None:  # noqa: ARG001 - there is no folder
    """Where no evidence is kept."""
    return None


@dataclass(frozen=True, slots=True)
class AdminDesk:
    """What the routes need. `verbs` are missing until there is an engine that has them. `written` waits a moment
    for the audit, and never fails. `evidence` reads a kept file, by folder and name; it may block."""

    reload: Callable[[str], Awaitable[ReloadResult]]
    clock: Clock
    bus: Signals
    verbs: AdminVerbs | None = None
    written: Callable[[], Awaitable[None]] = written_elsewhere
    evidence: Callable[[str, str], bytes | None] = nothing_kept

    async def does(
        self,
        verb: str,
        work: Awaitable[ResultT],
        request: Request[Any, Any, Any],
        match_id: str | None = None,
        reason: str = "",
        seconds: float | None = None,
        subject: str = "",
    ) -> ResultT:
        """Within a deadline, and told whatever comes of it."""
        allowed = VERB_SECONDS_MAX if seconds is None else seconds
        outcome, detail = "failed", "a fault of ours; the log has it under the same request id"
        try:
            async with self.clock.timeout(allowed):
                result = await work
            outcome, detail = "done", ""
            return result
        except (LongstopError, ApiError) as error:
            detail = str(error)
            raise
        except TimeoutError:
            detail = f"not done within {allowed:g} s"
            raise ApiError(TOO_SLOW, f"{verb.capitalize()} was {detail}.") from None
        finally:
            self._tell(request, verb, outcome, detail, match_id, reason, subject)
            await self.written()

    def _tell(
        self,
        request: Request[Any, Any, Any],
        verb: str,
        outcome: str,
        detail: str,
        match_id: str | None,
        reason: str,
        subject: str,
    ) -> None:
        visit = visit_of(request.scope)
        visit.is_told = True
        self.bus.emit(
            signals.AdminVerbUsed(
                at=self.clock.now(),
                verb=verb,
                outcome=outcome,
                match_id=match_id,
                reason=reason,
                detail=detail,
                request_id=visit.request_id,
                consumer=visit.consumer,
                key_id=visit.key_id,
                subject=subject,
            )
        )


Desk = NamedDependency[SkipValidation[AdminDesk]]
Verbs = NamedDependency[SkipValidation[AdminVerbs]]
MatchId = Annotated[str, PathParameter(description="As GET /health has it, as in crex_QUY.", max_length=129)]
Reason = Annotated[str, QueryParameter(max_length=200, description="Goes to the log.")]
Asked = Request[Any, Any, Any]


def problems_of(*rows: tuple[int, str]) -> dict[int, ResponseSpec]:
    described = ((401, "A token is needed."), (403, "The token does not allow it, or a foreign page asks."), *rows)
    return {
        status: ResponseSpec(Problem, generate_examples=False, description=words, media_type=MEDIA_TYPE)
        for status, words in described
    }


_OF_A_MATCH: Final = problems_of((404, "No such match is watched."), (409, "Not in this state."), (504, "Too slow."))


@post(
    "/reload",
    opt=ADMIN,
    status_code=200,
    summary="Read the settings again; all of them are taken, or none",
    responses=problems_of((422, "The new settings cannot be used; the old ones stay.")),
)
async def reload(desk: Desk, request: Asked) -> Reloaded:
    return await desk.does("reload", _reloaded(desk), request)


async def _reloaded(desk: AdminDesk) -> Reloaded:
    result = await desk.reload("POST /admin/reload")
    if result.is_refused:
        faults = [Fault(fault.where, f"{fault.problem}; {fault.remedy}") for fault in result.faults]
        raise ApiError(SETTINGS_REFUSED, f"{result.message} {result.hint}", *faults)
    applied, waiting = (
        [Setting(change.path, change.before, change.after) for change in changes]
        for changes in (result.applied, result.needs_restart)
    )
    return Reloaded(result.outcome, result.generation, applied, waiting)


@post(
    "/recycle",
    opt=ADMIN,
    status_code=200,
    summary="Replace every browser, the successor first",
    responses=problems_of(),
)
async def recycle(desk: Desk, verbs: Verbs, request: Asked, reason: Reason = _REASON) -> Done:
    await desk.does("recycle", verbs.recycle(reason), request, reason=reason, seconds=RECYCLE_SECONDS_MAX)
    return Done("recycle")


@post(
    "/matches/{match_id:str}/restart", opt=ADMIN, status_code=200, summary="Begin a match afresh", responses=_OF_A_MATCH
)
async def restart(desk: Desk, verbs: Verbs, request: Asked, match_id: MatchId, reason: Reason = _REASON) -> Done:
    await desk.does("restart", verbs.restart(match_id, reason), request, match_id, reason)
    return Done("restart", match_id)


@post("/matches/{match_id:str}/pause", opt=ADMIN, status_code=200, summary="Leave a match alone", responses=_OF_A_MATCH)
async def pause(desk: Desk, verbs: Verbs, request: Asked, match_id: MatchId) -> Done:
    await desk.does("pause", verbs.pause(match_id), request, match_id)
    return Done("pause", match_id)


@post(
    "/matches/{match_id:str}/resume",
    opt=ADMIN,
    status_code=200,
    summary="Watch a paused match again",
    responses=_OF_A_MATCH,
)
async def resume(desk: Desk, verbs: Verbs, request: Asked, match_id: MatchId) -> Done:
    await desk.does("resume", verbs.resume(match_id), request, match_id)
    return Done("resume", match_id)


@post(
    "/matches/{match_id:str}/stop", opt=ADMIN, status_code=200, summary="Watch a match no longer", responses=_OF_A_MATCH
)
async def stop(desk: Desk, verbs: Verbs, request: Asked, match_id: MatchId) -> Done:
    await desk.does("stop", verbs.stop(match_id), request, match_id)
    return Done("stop", match_id)


@post(
    "/matches/{match_id:str}/rung",
    opt=ADMIN,
    status_code=200,
    summary="Fetch a match by this rung first; `auto` lets the ladder decide",
    responses=_OF_A_MATCH | problems_of((400, "There is no such rung here.")),
)
async def choose_rung(desk: Desk, verbs: Verbs, request: Asked, match_id: MatchId, data: JSONBody[RungRequest]) -> Done:
    await desk.does("rung", verbs.choose_rung(match_id, data.rung), request, match_id, reason=data.rung)
    return Done("rung", match_id)


@post(
    "/matches",
    opt=ADMIN,
    status_code=201,
    summary="Watch the match at an address",
    responses=problems_of((400, "The address is no match of ours."), (503, "Insufficient memory resources.")),
)
async def start(desk: Desk, verbs: Verbs, request: Asked, data: JSONBody[StartRequest]) -> Done:
    return Done("start", await desk.does("start", verbs.start(data.url), request, subject=_shown(data.url)))


def _shown(url: str) -> str:
    """An address without what may be a secret in it."""
    parts = url.partition("?")[0].partition("#")[0]
    scheme, mark, rest = parts.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}"[:300]


WITH_ENGINE: Final = (recycle, restart, pause, resume, stop, choose_rung, start)
