"""The calls of one match made without a page, by a session that has learnt them, through the same exit."""

from typing import Final

from longstop.domain.errors import (
    ChallengeError,
    EmptyPayloadError,
    LongstopError,
    MatchGoneError,
    SentAwayError,
    SourceRefusedError,
    UnexpectedStatusError,
)
from longstop.fetch.politeness import Courtesy
from longstop.fetch.snapshot import Snapshot
from longstop.fetch.visits.allow_list import AllowList
from longstop.fetch.visits.gathering import content_error
from longstop.fetch.visits.session import VisitSession
from longstop.fetch.visits.visit import OnStep, VisitOrder

# The site wants to see a page again. A redirect counts: it leads to a login or a wall, as a rule.
REFUSALS: Final = (SourceRefusedError, SentAwayError, UnexpectedStatusError)
# Told of a family, and no reason to fail all of them.
TOLD: Final = (MatchGoneError, EmptyPayloadError)


class Direct:
    """What came, by purpose; `requests` counts the calls."""

    def __init__(self) -> None:
        self.snapshots: dict[str, Snapshot] = {}
        self.refusals: dict[str, LongstopError] = {}
        self.requests = 0


class DirectCalls:
    def __init__(self, courtesy: Courtesy, body_bytes_max: int) -> None:
        self._courtesy = courtesy
        self._body_bytes_max = body_bytes_max

    async def make(
        self, order: VisitOrder, session: VisitSession, allow: AllowList, on_step: OnStep, found: Direct
    ) -> bool:
        """False when the session is refused, and a page must show how it is done now. The step is told with the first
        answer: an attempt that was refused before it begins with a page, one that was refused after it has failed."""
        for purpose in sorted(order.calls, key=lambda each: (each not in order.required, each)):
            try:
                snapshot = await self.one(order, purpose, session, allow, found)
            except TOLD as error:
                found.refusals[purpose] = error
            except ChallengeError:
                raise
            except REFUSALS as error:
                if purpose in order.required:
                    if not order.is_plain:
                        session.forget_calls()
                    if found.snapshots:
                        raise
                    return False
                found.refusals[purpose] = error
            else:
                if not found.snapshots:
                    on_step("asked_directly")
                found.snapshots[purpose] = snapshot
        return True

    async def one(
        self, order: VisitOrder, purpose: str, session: VisitSession, allow: AllowList, found: Direct
    ) -> Snapshot:
        asked = session.prepared(order.calls[purpose])
        async with self._courtesy.turn(asked):
            order.gate.send()
            found.requests += 1
            snapshot = await session.http.fetch(asked)
        kind = next((value for name, value in snapshot.headers.items() if name.lower() == "content-type"), "")
        error = content_error(purpose, kind, snapshot.body, allow, self._body_bytes_max)
        if error is not None:
            raise error
        return snapshot
