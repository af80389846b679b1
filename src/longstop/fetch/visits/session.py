"""What a sticky session knows, in memory only: its cookies, and how the page makes its calls.

It serves the other matches of the same session without a page. It is thrown away with the session, and its cookies
and calls at once when the site challenges it: what was seen through is of no use any more.
"""

import asyncio
from collections.abc import Mapping, Sequence

from longstop.fetch.http import HttpFetcher
from longstop.fetch.recipe import CapturedCall, Cookie, Recipe, learn
from longstop.fetch.snapshot import FetchRequest
from longstop.fetch.visits.jar import CookieJar
from longstop.fetch.visits.passage import Passage


class VisitSession:
    """`turn` lets one visit in at a time, so that what passes by its port belongs to that visit. `visits` counts those
    that were begun and not judged."""

    def __init__(self, passage: Passage, http: HttpFetcher) -> None:
        self.passage = passage
        self.http = http
        self.turn = asyncio.Lock()
        self.visits = 0
        self.jar = CookieJar()
        self._recipes: dict[str, Recipe] = {}

    @property
    def knows_calls(self) -> bool:
        return bool(self._recipes)

    def learn(self, source: str, key: str, calls: Mapping[str, CapturedCall], cookies: Sequence[Cookie]) -> None:
        """From one page that was visited: a recipe for each family that it asked for."""
        for purpose, call in calls.items():
            self._recipes[purpose] = learn(source, purpose, key, call, cookies)

    def prepared(self, request: FetchRequest) -> FetchRequest:
        """The call as the page makes it; a family that no page was seen to ask for is dressed like its sisters."""
        own = self._recipes.get(request.purpose)
        if own is not None:
            return own.request_for(request)
        return next(iter(self._recipes.values())).dress(request) if self._recipes else request

    def forget_calls(self) -> None:
        """They were refused; a page shows the next ones."""
        self._recipes.clear()

    def forget(self) -> None:
        self.forget_calls()
        self.jar.clear()

    async def close(self) -> None:
        self.forget()
        await self.http.close()
