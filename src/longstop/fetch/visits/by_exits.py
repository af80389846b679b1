"""Passages by the proxies of a source: each sticky session has a port of the filtering proxy that leads to its exit."""

from contextlib import ExitStack

from longstop.clock import Clock
from longstop.domain.capture import NetworkFigures
from longstop.fetch.egress.proxy import FilteringProxy
from longstop.fetch.egress.resolver import PinnedResolver
from longstop.fetch.exits.dial import ExitDial
from longstop.fetch.exits.outcome import Outcome, outcome_of
from longstop.fetch.exits.proxy_sessions import ProxySessionManager
from longstop.fetch.exits.session import ExitSession, SessionUse
from longstop.fetch.visits.passage import Passage


class ByExits:
    """Who gets which exit, and which of them rest, the manager of the exits decides."""

    def __init__(
        self, exits: ProxySessionManager, proxy: FilteringProxy, resolver: PinnedResolver, clock: Clock
    ) -> None:
        self._exits = exits
        self._proxy = proxy
        self._resolver = resolver
        self._clock = clock
        self._open: dict[str, tuple[ExitSession, Passage]] = {}

    async def take(self, key: str) -> Passage:
        session = self._exits.take(key, self._clock.monotonic())
        with ExitStack() as undo:
            undo.callback(self._give_back, session, key)
            await self._close_ended()
            passage = await self._passage(session)
            undo.pop_all()
        return passage

    def judged(self, passage: Passage, key: str, error: Exception | None, network: NetworkFigures) -> None:
        found = self._open.get(passage.session_id)
        if found is None:
            return
        use = SessionUse(max(0, network.requests_total - network.requests_blocked), network.bytes_in)
        self._exits.judge(found[0], key, outcome_of(error), self._clock.monotonic(), use)

    def alive(self) -> frozenset[str]:
        return frozenset(session.session_id for session in self._exits.sessions())

    async def close(self) -> None:
        self._exits.end_all(self._clock.monotonic())
        for _, passage in self._open.values():
            await self._proxy.dismiss(passage.lease)
        self._open.clear()

    def _give_back(self, session: ExitSession, key: str) -> None:
        """Whoever wanted it was called off before it was ready."""
        self._exits.judge(session, key, Outcome.BLAMELESS, self._clock.monotonic())

    async def _passage(self, session: ExitSession) -> Passage:
        found = self._open.get(session.session_id)
        if found is not None:
            return found[1]
        name = f"{self._exits.source} by {session.session_id}"
        lease = await self._proxy.admit(self._resolver, name, dial=ExitDial(session.exit.address, self._clock))
        passage = Passage(session.session_id, lease, session.profile, session.view)
        self._open[session.session_id] = (session, passage)
        return passage

    async def _close_ended(self) -> None:
        """What still passes by the port of a session that is over is cut."""
        for ended in self._exits.drain_ended():
            found = self._open.pop(ended.session_id, None)
            if found is not None:
                await self._proxy.dismiss(found[1].lease)
