"""What the rungs need of a browser: one page of one match. Which browser it is in is not theirs to know."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

import msgspec

from longstop.fetch.recipe import CapturedCall, Cookie
from longstop.fetch.snapshot import FetchRequest


class TabAnswer(msgspec.Struct, frozen=True):
    status: int
    headers: dict[str, str]
    body: bytes
    is_redirected: bool = False


class Tab(Protocol):
    """Every call has its deadline and raises a FetchError or a BrowserError when it passes or the browser is gone."""

    @property
    def is_lost(self) -> bool: ...

    @property
    def retiring(self) -> asyncio.Event:
        """Set when its browser is to be replaced: please move to another, and let this one go then."""
        ...

    @property
    def memory_bytes(self) -> int:
        """With its part of the browser, as last measured; 0 is not known yet."""
        ...

    async def open(self, url: str, seconds: float) -> None: ...

    async def call(self, request: FetchRequest, seconds: float) -> TabAnswer:
        """A `fetch` made by the page itself, from where it stands."""
        ...

    async def shows(self, selectors: Sequence[str], seconds: float) -> bool:
        """Waits until something that one of them finds is there; False when nothing came."""
        ...

    async def html(self, seconds: float) -> bytes: ...

    async def picture(self, seconds: float) -> bytes:
        """A PNG of what a person would see."""
        ...

    def newest(self) -> CapturedCall | None:
        """The last answer that the page got to a call of its own of the wanted kind."""
        ...

    async def next_capture(self, after: CapturedCall | None, seconds: float) -> CapturedCall:
        """Waits for one newer than `after`."""
        ...

    async def cookies(self, url: str) -> list[Cookie]: ...

    async def close(self) -> None: ...


class Tabs(Protocol):
    """Gives out fresh tabs of one source. Of the page's calls only those that name the key are captured."""

    async def new_tab(self, key: str) -> Tab: ...
