"""How old all matches together are, for answers that are about all of them: by the rule of the list, from its facts."""

from collections.abc import Sequence
from typing import Final

from longstop.domain.errors import StoreError
from longstop.domain.match import MatchStatus
from longstop.serve.freshness import Age, age_of_all
from longstop.serve.reading import ReadModel
from longstop.serve.recollection import Recollection, Remembered
from longstop.store.contract import MatchPlace

# Which matches there are is looked up once in this time; what was heard of them since counts at once.
LOOK_SECONDS: Final = 1.0
_PAGE: Final = 1_000


class AgeOfAll:
    def __init__(self, model: ReadModel, recollection: Recollection) -> None:
        self._model = model
        self._recollection = recollection
        self._found: Sequence[Remembered] = ()
        self._looked_at = float("-inf")

    async def now(self) -> Age:
        """A StoreError while the database is away and nothing is remembered."""
        if self._model.clock.monotonic() - self._looked_at >= LOOK_SECONDS:
            await self._look()
        return age_of_all((self._recollection.known(found) for found in self._found), self._model)

    async def _look(self) -> None:
        try:
            self._found = await self._live() or await self._page(None, None)
        except StoreError:
            self._found = self._recollection.remembered()
            if not self._found:
                raise
        self._looked_at = self._model.clock.monotonic()

    async def _live(self) -> list[Remembered]:
        found: list[Remembered] = []
        page = await self._page(MatchStatus.LIVE, None)
        while page:
            found += page
            page = await self._page(MatchStatus.LIVE, MatchPlace.of(page[-1].row)) if len(page) == _PAGE else []
        return found

    async def _page(self, status: MatchStatus | None, after: MatchPlace | None) -> list[Remembered]:
        rows = await self._recollection.asked(
            lambda: self._model.store.matches(status=status, limit=_PAGE, after=after)
        )
        return await self._recollection.learn(rows)
