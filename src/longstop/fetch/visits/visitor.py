"""Visits to the matches of one source: a page where one is needed, the learnt calls where a session knows them."""

import itertools
from typing import Final
from urllib.parse import urlsplit

import msgspec

from longstop.clock import Clock
from longstop.domain.capture import NetworkFigures
from longstop.domain.errors import (
    BrowserError,
    ChallengeError,
    FetchError,
    LongstopError,
    MatchGoneError,
    SourceTimeoutError,
)
from longstop.fetch.egress.streams import Traffic
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.fetch.visits.bandwidth import Bandwidth
from longstop.fetch.visits.direct import Direct, DirectCalls
from longstop.fetch.visits.gate import OPEN, Gate
from longstop.fetch.visits.gathering import INTERCEPTED, Gathering
from longstop.fetch.visits.page_visit import PageCosts, PageVisits
from longstop.fetch.visits.session import VisitSession
from longstop.fetch.visits.sessions import Sessions
from longstop.fetch.visits.visit import OnStep, Visit, VisitOrder

REPLAYED: Final = "replay"
CHALLENGE: Final = "challenge"


class Meter:
    """What passed by a session's port since it was set."""

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic
        self._before = Traffic()
        self._before.add(traffic)

    @property
    def bytes_in(self) -> int:
        return self._traffic.bytes_in - self._before.bytes_in

    @property
    def bytes_out(self) -> int:
        return self._traffic.bytes_out - self._before.bytes_out


class _Going:
    """A visit under way: by which session, and what it has moved when it ends."""

    def __init__(self, session: VisitSession) -> None:
        self.session = session
        self.network = NetworkFigures()


class MatchVisitor:
    """One visit at a time by each session. The budget is asked before anything is sent, and told of all that was."""

    def __init__(
        self, sessions: Sessions, pages: PageVisits, direct: DirectCalls, bandwidth: Bandwidth, clock: Clock
    ) -> None:
        self._sessions = sessions
        self._pages = pages
        self._direct = direct
        self._bandwidth = bandwidth
        self._clock = clock
        self._lists = itertools.count(1)
        self._under_way: dict[tuple[str, str, int], _Going] = {}

    async def visit(self, order: VisitOrder, on_step: OnStep) -> Visit:
        await self._bandwidth.admit(order.source)
        session = await self._sessions.take(order.key)
        going = self._under_way[_name(order)] = _Going(session)
        try:
            async with self._clock.timeout(order.deadline_seconds), session.turn:
                return await self._counted(order, going, on_step)
        except TimeoutError as error:
            raise SourceTimeoutError(f"The visit took longer than {order.deadline_seconds:g} s.") from error

    def judged(self, order: VisitOrder, error: Exception | None) -> None:
        """One that was not begun is nobody's."""
        going = self._under_way.pop(_name(order), None)
        if going is None:
            return
        if is_challenge(error):
            going.session.forget()
        self._sessions.judged(going.session, order.key, error, going.network)

    async def list(self, request: FetchRequest, gate: Gate = OPEN) -> Snapshot:
        """As the session would ask, or else from inside the site's first page; judged at once."""
        parts = urlsplit(request.url)
        order = VisitOrder(
            source=request.source,
            key=request.url,
            page=request.page or f"{parts.scheme}://{parts.netloc}/",
            calls={request.purpose: request},
            required=frozenset({request.purpose}),
            attempt=next(self._lists),
            is_plain=True,
            gate=gate,
        )
        failure: Exception | None = None
        try:
            visit = await self.visit(order, _nobody)
        except LongstopError as error:
            failure = error
            raise
        finally:
            self.judged(order, failure)
        return visit.snapshots[request.purpose]

    async def close(self) -> None:
        await self._sessions.close()
        await self._bandwidth.close()

    # One visit.

    async def _counted(self, order: VisitOrder, going: "_Going", on_step: OnStep) -> Visit:
        """The figures stand also when nothing came of it: it was paid for."""
        order.gate.require()
        session = going.session
        meter, direct, costs = Meter(session.passage.traffic), Direct(), PageCosts()
        try:
            visit = await self._by_the_exit(order, session, on_step, direct, costs)
        finally:
            requests = costs.requests + direct.requests
            going.network = NetworkFigures(meter.bytes_in, requests, costs.blocked, costs.caught)
            await self._tell(order.source, session, meter)
        return msgspec.structs.replace(visit, exit=session.passage.view, network=going.network)

    async def _by_the_exit(
        self, order: VisitOrder, session: VisitSession, on_step: OnStep, direct: Direct, costs: PageCosts
    ) -> Visit:
        """A page that its exit keeps from the site looks like a site that does not answer."""
        session.passage.exit_failure()
        try:
            return await self._made(order, session, on_step, direct, costs)
        except (FetchError, BrowserError):
            failure = session.passage.exit_failure()
            if failure is None:
                raise
        raise failure

    async def _tell(self, source: str, session: VisitSession, meter: Meter) -> None:
        await self._bandwidth.count(source, session.passage.session_id, meter.bytes_in, meter.bytes_out)

    async def _made(
        self, order: VisitOrder, session: VisitSession, on_step: OnStep, direct: Direct, costs: PageCosts
    ) -> Visit:
        allow = self._pages.allow_list(order)
        if (session.knows_calls or order.is_plain) and await self._direct.make(order, session, allow, on_step, direct):
            return _enough(order, direct, REPLAYED, on_step)
        gathering = await self._pages.make(order, session, on_step, costs)
        if gathering.challenge is not None:
            raise gathering.challenge
        return _enough(order, gathering, INTERCEPTED, on_step)


def _enough(order: VisitOrder, brought: Direct | Gathering, rung: str, on_step: OnStep) -> Visit:
    """What is gone while the match itself answers is not published yet, and no failure."""
    for purpose in sorted(order.required - brought.snapshots.keys()):
        error = brought.refusals.get(purpose)
        if error is None:
            raise SourceTimeoutError(f"The page brought no {purpose}, and none was asked for in time.")
        if not (isinstance(error, MatchGoneError) and brought.snapshots.keys() & order.required):
            raise error
    if not brought.snapshots:
        raise next(iter(brought.refusals.values()), SourceTimeoutError("The page brought nothing that is wanted."))
    on_step("caught")
    return Visit(snapshots=dict(brought.snapshots), rung=rung, refusals=dict(brought.refusals))


def _nobody(_: str) -> None:
    """Its steps are told to nobody: it is no attempt at a match."""


def _name(order: VisitOrder) -> tuple[str, str, int]:
    return (order.source, order.key, order.attempt)


def is_challenge(error: Exception | None) -> bool:
    """Seen on the way, or only by who read the body."""
    return isinstance(error, ChallengeError) or getattr(error, "verdict", "") == CHALLENGE
