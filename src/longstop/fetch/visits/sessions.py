"""The sessions of one source: what each passage has learnt, for as long as that passage is good."""

import asyncio
from collections.abc import Callable

from longstop.domain.capture import NetworkFigures
from longstop.fetch.http import HttpFetcher
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.fetch.visits.passage import Passage, Passages
from longstop.fetch.visits.session import VisitSession

# How a session asks directly: by its own passage, and by nothing else.
OpenHttp = Callable[[Passage], HttpFetcher]


class Sessions:
    def __init__(self, passages: Passages, open_http: OpenHttp) -> None:
        self._passages = passages
        self._open_http = open_http
        self._known: dict[str, VisitSession] = {}
        self._latest: VisitSession | None = None
        self._ending = asyncio.Lock()

    async def take(self, key: str) -> VisitSession:
        await self._end_the_dead()
        passage = await self._passages.take(key)
        session = self._known.get(passage.session_id)
        if session is None:
            session = self._known[passage.session_id] = VisitSession(passage, self._open_http(passage))
        self._latest = session
        session.visits += 1
        return session

    def judged(self, session: VisitSession, key: str, error: Exception | None, network: NetworkFigures) -> None:
        session.visits -= 1
        self._passages.judged(session.passage, key, error, network)
        if session.passage.session_id not in self._passages.alive():
            session.forget()

    def latest(self) -> VisitSession | None:
        """Who was taken last, for a call that is about no match, such as robots.txt."""
        return self._latest

    async def close(self) -> None:
        for session in tuple(self._known.values()):
            await session.close()
        self._known.clear()
        await self._passages.close()

    async def _end_the_dead(self) -> None:
        """One that is still visited ends with its visit."""
        async with self._ending:
            alive = self._passages.alive()
            for session_id, session in tuple(self._known.items()):
                if session_id not in alive and not session.visits:
                    del self._known[session_id]
                    await session.close()


class SessionFetcher:
    """Calls about no match, by the exit of a session that is there; there is one whenever a visit is under way."""

    def __init__(self, open_session: Callable[[], VisitSession | None]) -> None:
        self._open_session = open_session

    async def fetch(self, request: FetchRequest) -> Snapshot:
        session = self._open_session()
        assert session is not None, "a visit has taken its session before it asks for permission"
        return await session.http.fetch(request)

    async def close(self) -> None:
        """The sessions are somebody else's."""
