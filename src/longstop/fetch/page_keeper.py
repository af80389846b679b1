"""Keeps one page open for each match that needs one, and moves it before its browser leaves.

A page is opened once however many ask for it, and however short their patience: a slow site may need longer than a
poll has. A page that is lost is opened again, and so is one that has brought nothing for a while though it was asked,
or nothing that can be read. One whose browser retires is followed by a second, which must have
brought what the first brought last, or something newer, before the first is closed. One that cannot do so in time is
closed itself, and the first serves on as long as it may.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import BrowserError, BrowserLostError, FetchError, SourceCrowdedError
from longstop.fetch.opening import Opener
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.fetch.tabs import Tab

# How a payload is got from a page, and whether one payload is what another was, or newer.
Show = Callable[[Tab], Awaitable[Snapshot]]
Agree = Callable[[FetchRequest, Snapshot, Snapshot], bool]


class KeeperOptions(msgspec.Struct, frozen=True):
    """`idle_seconds` is how long a page is kept that nobody asked for, `silence_seconds` how long one that brings
    nothing to who asks; one that was opened just now has the same time to begin. A successor has `proof_seconds` to
    show that it is one; after one that did not, the next is opened `again_seconds` later."""

    idle_seconds: float = 60.0
    silence_seconds: float = 15.0
    proof_seconds: float = 10.0
    proof_pause_seconds: float = 0.5
    again_seconds: float = 5.0


class _Held:
    def __init__(self, tab: Tab, now: float, newest: Snapshot | None = None) -> None:
        self.tab = tab
        self.opened_at = now
        self.asked_at = now
        self.move_due = now
        self.newest = newest


class PageKeeper:
    def __init__(self, opener: Opener, clock: Clock, agree: Agree, options: KeeperOptions = KeeperOptions()) -> None:
        self._opener = opener
        self._clock = clock
        self._agree = agree
        self._options = options
        self._held: dict[str, _Held] = {}
        self._openings: dict[str, asyncio.Task[_Held]] = {}
        self._moves: dict[str, asyncio.Task[None]] = {}
        self._closings: set[asyncio.Task[None]] = set()

    def has_page(self, key: str) -> bool:
        """A call that is about no match can be made from any page."""
        return self._usable(key) is not None if key else self._any() is not None

    def open_tab(self, key: str) -> Tab | None:
        held = self._usable(key)
        return held.tab if held is not None else None

    def teacher(self, key: str) -> tuple[str, Tab] | None:
        """An open page that a lesson may watch, and whose it is: that of this match, or of another."""
        for each in (key, *self._held):
            if (tab := self.open_tab(each)) is not None:
                return each, tab
        return None

    def memory_bytes(self) -> dict[str, int]:
        """Of each match with an open page; 0 is not known yet."""
        return {key: held.tab.memory_bytes for key, held in self._held.items() if not held.tab.is_lost}

    async def page(self, request: FetchRequest) -> Tab:
        """The open page of this match; for a call about none, any that is open."""
        return (await self._ready(request)).tab

    async def payload(self, request: FetchRequest, show: Show) -> Snapshot:
        """What the page of this match brings, got from it by `show`; so is the proof of a successor."""
        held = await self._ready(request)
        if held.tab.retiring.is_set():
            self._begin_move(request, show)
        try:
            held.newest = await show(held.tab)
        except SourceCrowdedError:
            raise  # it was not even asked
        except (FetchError, BrowserError):
            if self._is_silent(held):
                self.discard(request.key)
            raise
        return held.newest

    def distrust(self, key: str) -> None:
        """What the page brought last could not be read: it proves nothing, and the page may have gone elsewhere."""
        held = self._held.get(key)
        if held is None:
            return
        held.newest = None
        if self._is_silent(held):
            self.discard(key)

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
        await asyncio.gather(*self._closings, return_exceptions=True)

    def _is_silent(self, held: _Held) -> bool:
        bounds = self._options.silence_seconds
        if self._clock.monotonic() - held.opened_at <= bounds:
            return False
        # What it brought in an hour from now it brought before the clock was set back, and nothing since.
        return held.newest is None or abs((self._clock.now() - held.newest.fetched_at).total_seconds()) > bounds

    def _any(self) -> _Held | None:
        return next((held for held in self._held.values() if not held.tab.is_lost), None)

    def _usable(self, key: str) -> _Held | None:
        held = self._held.get(key)
        return held if held is not None and not held.tab.is_lost else None

    async def _ready(self, request: FetchRequest) -> _Held:
        if not request.key:
            held = self._any()
            if held is None:
                raise BrowserLostError("No page of the source is open.")
            return held
        held = self._usable(request.key)
        if held is None:
            held = await self._open_once(request)
        held.asked_at = self._clock.monotonic()
        self._close_idle()
        return held

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

    def _begin_move(self, request: FetchRequest, show: Show) -> None:
        move, held, now = self._moves.get(request.key), self._held.get(request.key), self._clock.monotonic()
        if held is None or now < held.move_due or (move is not None and not move.done()):
            return
        held.move_due = now + self._options.proof_seconds + self._options.again_seconds
        task = asyncio.create_task(self._move(request, show), name=f"move {request.key}")
        task.add_done_callback(_look_at)
        self._moves[request.key] = task

    async def _move(self, request: FetchRequest, show: Show) -> None:
        """The old page serves until the new one has brought as much."""
        successor = await self._opener.open(request)
        proof: Snapshot | None = None
        try:
            proof = await self._proof(request, successor, show)
        finally:
            if proof is None:
                await successor.close()
        if proof is not None:
            old = self._held.get(request.key)
            self._held[request.key] = _Held(successor, self._clock.monotonic(), proof)
            if old is not None:
                await old.tab.close()

    async def _proof(self, request: FetchRequest, successor: Tab, show: Show) -> Snapshot | None:
        """A payload of the successor that is what the old page brought last, or newer; None when none came."""
        try:
            async with self._clock.timeout(self._options.proof_seconds):
                while not self._is_as_good(request, found := await show(successor)):
                    await self._clock.sleep(self._options.proof_pause_seconds)
                return found
        except (FetchError, BrowserError, TimeoutError):
            return None

    def _is_as_good(self, request: FetchRequest, found: Snapshot) -> bool:
        held = self._usable(request.key)
        return held is None or held.newest is None or self._agree(request, found, held.newest)

    async def _drop(self, key: str) -> None:
        held = self._held.pop(key, None)
        if held is not None:
            await held.tab.close()

    def _close_idle(self) -> None:
        now = self._clock.monotonic()
        for key, held in tuple(self._held.items()):
            if now - held.asked_at > self._options.idle_seconds:
                self._held.pop(key)
                if (move := self._moves.pop(key, None)) is not None:
                    move.cancel()
                self._close_aside(key, held)

    def _close_aside(self, key: str, held: _Held) -> None:
        """Nobody waits for it; it is known until it has ended."""
        task = asyncio.create_task(held.tab.close(), name=f"close {key}")
        task.add_done_callback(_look_at)
        task.add_done_callback(self._closings.discard)
        self._closings.add(task)


def _look_at(task: "asyncio.Task[Any]") -> None:
    """Whoever asks next finds out by itself what went wrong here."""
    if not task.cancelled():
        task.exception()
