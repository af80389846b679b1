"""Bugs of fetching and of supervision: permits, pauses, deadlines, restarts."""

from contextlib import asynccontextmanager
from typing import Any

import pytest

from longstop.fetch.page_keeper import PageKeeper
from longstop.fetch.pauses import Pauses
from longstop.fetch.politeness import PoliteFetcher
from longstop.resilience.breaker import Permit
from longstop.supervise.assignment import Assignment
from longstop.supervise.discovery import Discovery
from longstop.supervise.roster import Roster
from longstop.supervise.store_recovery import StoreRecovery
from longstop.supervise.supervisor import Supervisor
from longstop_origin.storm.timeline import WallClock
from tests.planted.planting import Bed

bug = Bed()


@bug("leaked probe permit")
def _(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Permit, "give_back", lambda _: None)


@bug("a call that fails keeps its permit")
def _(patch: pytest.MonkeyPatch) -> None:
    whole = PoliteFetcher.turn

    @asynccontextmanager
    async def turn(self: PoliteFetcher, request: Any) -> Any:
        manager = whole(self, request)
        await manager.__aenter__()
        yield
        await manager.__aexit__(None, None, None)

    patch.setattr(PoliteFetcher, "turn", turn)


@bug("a pause that the source asked for is forgotten")
def _(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Pauses, "seconds_for", lambda *_: 0.0)


@bug("pages are dropped and not closed")
def _(patch: pytest.MonkeyPatch) -> None:
    async def drop(self: PageKeeper, key: str) -> None:
        self._held.pop(key, None)

    patch.setattr(PageKeeper, "_drop", drop)


@bug("wall clock used for deadlines")
def _(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(WallClock, "monotonic", lambda self: self.now().timestamp())


@bug("a service that was lost is not begun again")
def _(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Supervisor, "_gone", lambda self, child, _: self._tasks.pop(child.service.name, None))
    patch.setattr(Supervisor, "_may_restart", _never)


async def _never(*_: Any) -> bool:
    return False


@bug("a match that rests is never woken")
def _(patch: pytest.MonkeyPatch) -> None:
    whole = Assignment._rest
    patch.setattr(Assignment, "_rest", lambda self, _, reason: whole(self, 1e9, reason))


@bug("matches under way are not resumed")
def _(patch: pytest.MonkeyPatch) -> None:
    async def resume(*_: Any) -> None: ...

    patch.setattr(Roster, "resume", resume)


@bug("one bad list ends discovery")
def _(patch: pytest.MonkeyPatch) -> None:
    whole = Discovery.run

    async def run(self: Discovery, stop: Any) -> None:
        if await self._look():
            await whole(self, stop)
        else:
            await stop.wait()

    patch.setattr(Discovery, "run", run)


@bug("nobody asks whether the database is back")
def _(patch: pytest.MonkeyPatch) -> None:
    async def run(_: StoreRecovery, stop: Any) -> None:
        await stop.wait()

    patch.setattr(StoreRecovery, "run", run)
