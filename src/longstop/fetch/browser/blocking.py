"""Sits in a context's way to the network: refuses what its rules refuse, and counts."""

import contextlib
from collections import Counter
from typing import TYPE_CHECKING

from longstop.fetch.browser.drivers import driver_errors
from longstop.fetch.browser.needs import NO_RULES, Asked, RouteRules, refusal

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Frame, Page, Request, Route


class Traffic:
    """The requests of one context. Redirects are not seen here: the proxy holds them to its list."""

    def __init__(self, rules: RouteRules) -> None:
        self._rules = rules
        self._documents: Counter[Page | None] = Counter()
        self.requests = 0
        self.blocked: Counter[str] = Counter()

    async def watch(self, context: "BrowserContext") -> None:
        """Without rules nothing is intercepted, which also keeps the browser's own cache."""
        if self._rules != NO_RULES:
            await context.route("**/*", self._handle)

    async def _handle(self, route: "Route", request: "Request") -> None:
        self.requests += 1
        reason = refusal(self._rules, self._asked(request))
        # The page may be gone by now; then the request is too.
        with contextlib.suppress(*driver_errors()):
            if reason is None:
                await route.continue_()
            else:
                self.blocked[reason] += 1
                await route.abort("blockedbyclient")

    def _asked(self, request: "Request") -> Asked:
        kind = request.resource_type
        if kind != "document":
            return Asked(request.url, kind)
        frame = _frame_of(request)
        if frame is not None and frame.parent_frame is not None:
            return Asked(request.url, kind)
        page = None if frame is None else frame.page
        self._documents[page] += 1
        return Asked(request.url, kind, self._documents[page])


def _frame_of(request: "Request") -> "Frame | None":
    """A new window asks for its document before it has a frame."""
    try:
        return request.frame
    except driver_errors():
        return None
