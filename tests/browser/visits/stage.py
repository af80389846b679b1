"""A football site, a real Chromium behind the filtering proxy, and a visitor as it is joined for a real run."""

import os
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil

from longstop.clock import SystemClock
from longstop.domain.errors import LongstopError
from longstop.domain.match import MatchRef
from longstop.fetch.snapshot import FetchRequest
from longstop.fetch.visits.visit import Visit, Visitor, VisitOrder
from longstop.observe.signals import Signal, Signals
from longstop.settings import load
from longstop.sources.sofascore import requests
from longstop.sources.sofascore.source import load_manifest
from longstop.visiting import Visiting
from tests.browser.conftest import chromium_path
from tests.servers.football_site import FAMILIES, FootballSite

CLOCK = SystemClock()
BUILT = {
    "event": requests.event,
    "lineups": requests.lineups,
    "incidents": requests.incidents,
    "statistics": requests.statistics,
}


class Stage:
    def __init__(self, folder: Path, site: FootballSite) -> None:
        self.folder = folder
        self.site = site
        self.told: list[Signal] = []
        self.steps: list[str] = []
        self.attempts = 0

    def of(self, kind: type[Signal]) -> list[Any]:
        return [each for each in self.told if isinstance(each, kind)]

    @asynccontextmanager
    async def visitor(
        self, sets: Mapping[str, str] | None = None, quiet_seconds: float = 1.0
    ) -> AsyncIterator[Visitor]:
        overrides = {
            "storage.root": str(self.folder),
            "scraper.browser.executable_path": chromium_path(""),
            "scraper.browser.pool.browsers": "1",
            "sources.sofascore.base_url": self.site.url,
            "sources.sofascore.rate_limits.min_interval_seconds": "0.01",
            **(sets or {}),
        }
        settings = load(file=None, environ={}, overrides=overrides).settings
        bus = Signals()
        bus.subscribe_all(self.told.append)
        visiting = Visiting(load_manifest(), settings, CLOCK, bus, quiet_seconds=quiet_seconds)
        async with visiting.opened() as visitor:
            yield visitor

    def order(
        self, key: str, required: Iterable[str] = ("event", "lineups"), deadline_seconds: float = 30.0
    ) -> VisitOrder:
        self.attempts += 1
        ref = MatchRef("sofascore", key, self.site.page(key))
        return VisitOrder(
            source="sofascore",
            key=key,
            page=ref.url,
            calls=self.calls(ref),
            required=frozenset(required),
            attempt=self.attempts,
            deadline_seconds=deadline_seconds,
        )

    def calls(self, ref: MatchRef) -> dict[str, FetchRequest]:
        return {family: BUILT[family](self.site.url, ref) for family in FAMILIES}

    async def visit(self, visitor: Visitor, order: VisitOrder) -> Visit:
        """Judged as the service does it, whatever came of it."""
        self.steps.clear()
        failure: Exception | None = None
        try:
            return await visitor.visit(order, self.steps.append)
        except LongstopError as error:
            failure = error
            raise
        finally:
            visitor.judged(order, failure)

    def chromium(self) -> list[psutil.Process]:
        """The main processes of browsers below us."""
        found = [each for each in psutil.Process(os.getpid()).children(recursive=True) if "chrom" in each.name()]
        return [each for each in found if not any(word.startswith("--type=") for word in each.cmdline())]
