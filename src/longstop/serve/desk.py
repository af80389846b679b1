"""What the routes of reading share: the last known states, the answers written out of them, and who follows."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, TypeVar

import msgspec
from litestar import Request

from longstop.domain.errors import StoreError
from longstop.serve.all_matches import AgeOfAll
from longstop.serve.answers import Answer, LastAnswers, MatchAnswers, answer_of
from longstop.serve.conditional import Changes
from longstop.serve.freshness import KnownMatch, age_of
from longstop.serve.origins import metadata
from longstop.serve.parameters import require_key
from longstop.serve.problems import UNKNOWN_MATCH, ApiError
from longstop.serve.reading import ReadModel
from longstop.serve.recollection import PATIENCE_SECONDS, Recollection, Remembered
from longstop.serve.snapshots import Snapshots
from longstop.serve.streaming.following import Streams
from longstop.serve.streaming.lines import FeedPages
from longstop.serve.vitals import HealthPage

T = TypeVar("T")
_Request = Request[Any, Any, Any]


class ReadingDesk:
    def __init__(self, model: ReadModel, streams: Streams, snapshots_per_match: int = 5) -> None:
        self.model = model
        self.streams = streams
        self.pages = FeedPages(model)
        self.recollection = Recollection(model)
        self.age_of_all = AgeOfAll(model, self.recollection)
        self.answers = MatchAnswers(model, self.recollection)
        self.snapshots = Snapshots(model, model.bus, snapshots_per_match)
        self.health = HealthPage(model)
        self._last = LastAnswers()
        self._changes = Changes()

    async def remembered(self, match_id: str) -> Remembered:
        """Without a look at the store where none is needed."""
        found = self.recollection.peek(match_id)
        if found is None:
            require_key("match_id", match_id)
            found = await self.recollection.get(match_id)
        if found is None:
            raise ApiError(UNKNOWN_MATCH, f"No match has the id {match_id}.")
        return found

    async def known(self, match_id: str, as_of: datetime | None = None) -> KnownMatch:
        if as_of is None:
            return self.recollection.known(await self.remembered(match_id))
        require_key("match_id", match_id)
        known = await self.recollection.as_it_was(match_id, as_of)
        if known is None:
            raise ApiError(UNKNOWN_MATCH, f"Nothing was known of a match {match_id} then.")
        return known

    async def answer(
        self,
        request: _Request,
        known: KnownMatch,
        build: Callable[[], Awaitable[Any]],
        patience: float = PATIENCE_SECONDS,
    ) -> Answer:
        """Of what only the store has. While it is away, the last answer at the same address."""
        address = address_of(request)
        try:
            body = await self.recollection.asked(build, patience)
        except StoreError:
            known = msgspec.structs.replace(known, is_degraded=True)
            body = self._last.recall(address, self.metadata(known))
            if body is None:
                raise
        else:
            self._last.keep(address, body)
        return self.dated(address, answer_of(body, age_of(known, self.model)))

    def dated(self, address: str, answer: Answer) -> Answer:
        return answer.changed_at(self._changes.seen(address, answer.tag, self.model.clock.now()))

    def metadata(self, known: KnownMatch) -> Any:
        return metadata(known, age_of(known, self.model), self.model)


def address_of(request: _Request) -> str:
    return str(request.url.path) + "?" + request.url.query
