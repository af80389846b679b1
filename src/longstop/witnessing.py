"""What a failure looked like, for whoever looks into it: the bytes that came, or the page that was open meanwhile."""

from typing import Protocol

from longstop.domain.match import MatchRef
from longstop.fetch.evidence import EvidenceStore


class Looker(Protocol):
    """Sees the pages that are open. What cannot be had is None and no second failure."""

    async def markup(self, key: str) -> bytes | None:
        """The match's page as it stands, if one is open."""
        ...

    async def picture(self, key: str) -> bytes | None:
        """What the match's page looks like, if one is open."""
        ...


class Witness:
    """Without a store nothing is kept, without a looker no page is seen."""

    def __init__(self, store: EvidenceStore | None, looker: Looker | None) -> None:
        self._store = store
        self._looker = looker

    async def keep(self, ref: MatchRef, body: bytes | None) -> tuple[str, ...]:
        """Where it was kept, for the error to name. `body` is what could not be read; without one it is the page."""
        store, looker = self._store, self._looker
        if store is None or not store.is_due(ref.match_id):
            return ()
        if body is None and looker is not None:
            body = await looker.markup(ref.key)
        kept = [] if body is None else [await store.keep_page(ref.match_id, body)]
        picture = await looker.picture(ref.key) if looker is not None else None
        if picture is not None:
            kept.append(await store.keep_picture(ref.match_id, picture))
        return tuple(place for place in kept if place)
