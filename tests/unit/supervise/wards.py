"""Scrapers that say what they are told to, a machine whose figures are the test's, and a note of what was done."""

from collections.abc import Mapping

import msgspec

from longstop.fetch.browser.orphans import OrphanReport
from longstop.resilience.memory import MB
from longstop.supervise.hands import ScraperView


class FakeHands:
    """A restart and a kill put a fresh scraper in the place of the old; `is_obeyed` off leaves all as it is."""

    def __init__(self, *views: ScraperView) -> None:
        self.views = {view.match_id: view for view in views}
        self.done: list[tuple[str, str, str]] = []
        self.is_obeyed = True
        self.lives = 0

    def scrapers(self) -> list[ScraperView]:
        return list(self.views.values())

    def restart(self, match_id: str, reason: str) -> bool:
        return self._renew("restart", match_id, reason)

    def kill(self, match_id: str, reason: str) -> bool:
        return self._renew("kill", match_id, reason)

    async def drop(self, match_id: str, reason: str) -> bool:
        self.done.append(("drop", match_id, reason))
        return self.views.pop(match_id, None) is not None

    def change(self, match_id: str, **fields: object) -> None:
        self.views[match_id] = msgspec.structs.replace(self.views[match_id], **fields)

    def grow_older(self, seconds: float) -> None:
        for match_id, view in self.views.items():
            self.change(match_id, age_seconds=view.age_seconds + seconds)

    def _renew(self, what: str, match_id: str, reason: str) -> bool:
        self.done.append((what, match_id, reason))
        if match_id in self.views and self.is_obeyed:
            self.lives += 1
            self.change(match_id, scraper_id=f"{match_id} {self.lives}", age_seconds=0.0)
        return match_id in self.views


class FakeMachine:
    def __init__(self) -> None:
        self.process: int | None = 100 * MB
        self.available: int | None = 8000 * MB
        self.releases = 0
        self.looks = 0

    def process_bytes(self) -> int | None:
        return self.process

    def available_bytes(self) -> int | None:
        self.looks += 1
        return self.available

    def release(self) -> None:
        self.releases += 1


class FakeBrowsers:
    def __init__(self) -> None:
        self.pages: dict[str, int] = {}
        self.report = OrphanReport()
        self.sweeps = 0
        self.error: OSError | None = None

    def browser_bytes(self) -> Mapping[str, int]:
        return self.pages

    async def sweep(self) -> OrphanReport:
        self.sweeps += 1
        if self.error is not None:
            raise self.error
        return self.report


def scraper(match_id: str = "A", **fields: object) -> ScraperView:
    plain = ScraperView(match_id, f"{match_id} 0", age_seconds=60.0, weight_bytes=MB)
    return msgspec.structs.replace(plain, **fields)
