"""Keeps one page open for each match that needs one, and moves it before its browser leaves.

A page is opened once however many ask for it, and however short their patience: a slow site may need longer than a
poll has. A page that is lost is opened again; one whose browser retires is followed by a second that must have shown
something before the first is closed.
"""

import asyncio
from typing import Any

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import BrowserLostError, FetchError
from longstop.fetch.opening import Opener
from longstop.fetch.snapshot import FetchRequest
from longstop.fetch.tabs import Tab


class KeeperOptions(msgspec.Struct, frozen=True):
    """`idle_seconds` is how long a page is kept that nobody asked for."""

    idle_seconds: float = 60.0
    first_capture_seconds: float = 10.0


class _Held:
    def __init__(self, tab: Tab, now: float) -> None:
        self.tab = tab
        self.opened_at = now
        self.asked_at = now


class PageKeeper:
    def __init__(self, opener: Opener, clock: Clock, options: KeeperOptions = KeeperOptions()) -> None:
        self._opener = opener
        self._clock = clock
        self._options = options
        self._held: dict[str, _Held] = {}
        self._openings: dict[str, asyncio.Task[_Held]] = {}
        self._moves: dict[str, asyncio.Task[None]] = {}

    def has_page(self, key: str) -> bool:
        """A call that is about no match can be made from any page."""
        return self._usable(key) is not None if key else self._any() is not None

    def open_tab(self, key: str) -> Tab | None:
        held = self._usable(key)
        return held.tab if held is not None else None

    def open_for(self, key: str) -> float:
        """Seconds since the page of this match was opened; none are none."""
        held = self._usable(key)
        return 0.0 if held is None else self._clock.monotonic() - held.opened_at

    def memory_bytes(self) -> dict[str, int]:
        """Of each match with an open page; 0 is not known yet."""
        return {key: held.tab.memory_bytes for key, held in self._held.items() if not held.tab.is_lost}

    async def page(self, request: FetchRequest) -> Tab:
        """The open page of this match; for a call about none, any that is open."""
        if not request.key:
            held = self._any()
            if held is None:
                raise BrowserLostError("No page of the source is open.")
            return held.tab
        held = self._usable(request.key)
        if held is None:
            held = await self._open_once(request)
        held.asked_at = self._clock.monotonic()
        if held.tab.retiring.is_set():
            self._begin_move(request)
        self._close_idle()
        return held.tab

    async def reopen(self, key: str) -> None:
        """The page has fallen silent: the next who asks gets a new one."""
        await self._drop(key)

    def renew(self, key: str) -> None:
        """The page has served long enough, or has grown too large: a successor is opened, and shows first."""
        held = self._usable(key)
        if held is not None:
            held.tab.retiring.set()

    def discard(self, key: str) -> None:
        """At once: whoever asks next gets a new one."""
        held = self._held.pop(key, None)
        if held is not None:
            self._close_aside(key, held)

    async def let_go(self, key: str) -> None:
        under_way = [task for task in (self._moves.pop(key, None), self._openings.pop(key, None)) if task is not None]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        await self._drop(key)

    async def close(self) -> None:
        await asyncio.gather(*(self.let_go(key) for key in {*self._held, *self._openings, *self._moves}))

    def _any(self) -> _Held | None:
        return next((held for held in self._held.values() if not held.tab.is_lost), None)

    def _usable(self, key: str) -> _Held | None:
        held = self._held.get(key)
        return held if held is not None and not held.tab.is_lost else None

    async def _open_once(self, request: FetchRequest) -> _Held:
        """Who asks may run out of time; the page goes on opening, and the next poll finds it open."""
        opening = self._openings.get(request.key)
        if opening is None:
            opening = asyncio.create_task(self._open(request), name=f"open {request.key}")
            opening.add_done_callback(_look_at)
            self._openings[request.key] = opening
        await asyncio.wait({opening})
        if opening.cancelled():
            raise BrowserLostError("The match was let go while its page was opened.")
        return opening.result()

    async def _open(self, request: FetchRequest) -> _Held:
        try:
            await self._drop(request.key)
            held = _Held(await self._opener.open(request), self._clock.monotonic())
            self._held[request.key] = held
            return held
        finally:
            if self._openings.get(request.key) is asyncio.current_task():
                self._openings.pop(request.key)

    # Make before break.

    def _begin_move(self, request: FetchRequest) -> None:
        move = self._moves.get(request.key)
        if move is None or move.done():
            task = asyncio.create_task(self._move(request), name=f"move {request.key}")
            task.add_done_callback(_look_at)
            self._moves[request.key] = task

    async def _move(self, request: FetchRequest) -> None:
        """The old page serves until the new one has shown something."""
        successor = await self._opener.open(request)
        try:
            await successor.next_capture(None, self._options.first_capture_seconds)
        except FetchError:
            # A page of this kind may show nothing by itself; being open has to do.
            pass
        except asyncio.CancelledError:
            await successor.close()
            raise
        old = self._held.get(request.key)
        self._held[request.key] = _Held(successor, self._clock.monotonic())
        if old is not None:
            await old.tab.close()

    async def _drop(self, key: str) -> None:
        held = self._held.pop(key, None)
        if held is not None:
            await held.tab.close()

    def _close_idle(self) -> None:
        now = self._clock.monotonic()
        for key, held in tuple(self._held.items()):
            if now - held.asked_at > self._options.idle_seconds:
                self._held.pop(key)
                self._close_aside(key, held)

    def _close_aside(self, key: str, held: _Held) -> None:
        """Nobody waits for it; it is known until it has ended."""
        task = asyncio.create_task(held.tab.close(), name=f"close {key}")
        task.add_done_callback(_look_at)
        self._moves[key] = task


def _look_at(task: "asyncio.Task[Any]") -> None:
    """Whoever asks next finds out by itself what went wrong here."""
    if not task.cancelled():
        task.exception()
