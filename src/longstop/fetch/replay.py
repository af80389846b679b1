"""The replay rung: the call that the page makes, made without the page."""

from longstop.domain.errors import SentAwayError, SourceRefusedError
from longstop.fetch.ladder import RungName
from longstop.fetch.recipe import Recipe
from longstop.fetch.recipe_book import RecipeBook
from longstop.fetch.snapshot import Fetcher, FetchRequest, Snapshot

# A redirect to where we may not go is a way of being refused: most lead to a login or to a cookie wall.
REFUSALS = (SourceRefusedError, SentAwayError)


class ReplayRung:
    """Without a recipe the plain call is tried: many sites ask for nothing more."""

    name = RungName.REPLAY

    def __init__(self, http: Fetcher, book: RecipeBook | None) -> None:
        self._http = http
        self._book = book

    async def fetch(self, request: FetchRequest) -> Snapshot:
        recipe = self._book.current(request) if self._book else None
        try:
            snapshot = await self._http.fetch(_prepared(request, recipe))
        except REFUSALS:
            if self._book is None:
                raise
            return await self._again(self._book, request, recipe)
        if self._book is not None and recipe is not None:
            self._book.served()
        return snapshot

    @property
    def is_useless(self) -> bool:
        """The site refuses from us what its page was just seen to do."""
        return self._book is not None and self._book.is_useless

    def distrust(self) -> None:
        """Its last answer could not be read."""
        if self._book is not None:
            self._book.doubt()

    async def let_go(self, key: str) -> None:
        """Nothing is held for a match."""

    async def close(self) -> None:
        if self._book is not None:
            await self._book.close()

    async def _again(self, book: RecipeBook, request: FetchRequest, refused: Recipe | None) -> Snapshot:
        """A good recipe may be refused once by chance; refused twice it is learnt anew, and then the answer stands."""
        if refused is not None:
            try:
                return await self._http.fetch(_prepared(request, refused))
            except REFUSALS:
                pass
        recipe = await book.renew(request, refused, "the call was refused")
        snapshot = await self._twice(_prepared(request, recipe), book)
        book.served()
        return snapshot

    async def _twice(self, call: FetchRequest, book: RecipeBook) -> Snapshot:
        try:
            return await self._http.fetch(call)
        except REFUSALS:
            pass
        try:
            return await self._http.fetch(call)
        except REFUSALS:
            book.reject()
            raise


def _prepared(request: FetchRequest, recipe: Recipe | None) -> FetchRequest:
    if recipe is None:
        return request
    return recipe.request_for(request) if request.purpose == recipe.purpose else recipe.dress(request)
