"""Passages without a proxy: sticky sessions that leave by our own address.

Cookies and what was learnt are changed like an exit is: after a time, after so many matches, and when the site refuses.
"""

import asyncio
import itertools

import msgspec

from longstop.clock import Clock
from longstop.domain.capture import ExitView, NetworkFigures
from longstop.domain.errors import ErrorAnswerError, SourceRefusedError
from longstop.fetch.browser.needs import Profile
from longstop.fetch.egress.proxy import FilteringProxy
from longstop.fetch.egress.resolver import PinnedResolver
from longstop.fetch.visits.passage import Passage

_CHANGING = (SourceRefusedError, ErrorAnswerError)


class StickyTerms(msgspec.Struct, frozen=True):
    ttl_seconds: float = 600.0
    matches_max: int = 20


class OwnAddress:
    """One port of the filtering proxy serves all its sessions, one after another."""

    def __init__(
        self, proxy: FilteringProxy, resolver: PinnedResolver, profile: Profile, clock: Clock, terms: StickyTerms
    ) -> None:
        self._proxy = proxy
        self._resolver = resolver
        self._profile = profile
        self._clock = clock
        self._terms = terms
        self._numbers = itertools.count(1)
        self._changing = asyncio.Lock()
        self._passage: Passage | None = None
        self._until = 0.0
        self._matches: set[str] = set()

    async def take(self, key: str) -> Passage:
        async with self._changing:
            if self._passage is None or self._is_over(key):
                self._passage = await self._next(self._passage)
                self._until = self._clock.monotonic() + self._terms.ttl_seconds
                self._matches = set()
            self._matches.add(key)
            return self._passage

    def judged(self, passage: Passage, _key: str, error: Exception | None, _network: NetworkFigures, /) -> None:
        if passage is self._passage and isinstance(error, _CHANGING):
            self._until = 0.0

    def alive(self) -> frozenset[str]:
        is_good = self._passage is not None and self._clock.monotonic() < self._until
        return frozenset({self._passage.session_id}) if self._passage is not None and is_good else frozenset()

    async def close(self) -> None:
        self._passage = None

    def _is_over(self, key: str) -> bool:
        is_full = key not in self._matches and len(self._matches) >= self._terms.matches_max
        return is_full or self._clock.monotonic() >= self._until

    async def _next(self, before: Passage | None) -> Passage:
        name = f"own-{next(self._numbers)}"
        if before is not None:
            return msgspec.structs.replace(before, session_id=name, view=ExitView(session_id=name))
        lease = await self._proxy.admit(self._resolver, f"{self._resolver.rules.source} visits")
        return Passage(name, lease, self._profile, ExitView(session_id=name))
