"""What one process of a worker has: a loop in a thread of its own, and on it the store and the rounds.

Nothing of it is made before the first message: a store must not be open while a process is forked.
"""

import asyncio
import concurrent.futures
import os
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final

from longstop.clock import SystemClock
from longstop.domain.errors import SettingsError, StoreError
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.rounding import SQLITE, open_rounds, owner_name
from longstop.settings import Settings
from longstop.sources.contract import RoundSource
from longstop.store.contract import Store
from longstop.store.open import open_store
from longstop.store.rounds.dueness import Due
from longstop.supervise.round_hands import HandLimits, RoundHands

BUSY_SECONDS: Final = 1.0


def require_shared(settings: Settings) -> None:
    """Whoever asks for rounds and whoever brings them are several processes, which SQLite would have by turns."""
    if settings.jobs.broker_url.get_secret_value() and settings.database.url.get_secret_value().startswith(SQLITE):
        raise SettingsError(
            "jobs.broker_url is set, but the database is SQLite, which workers cannot share.",
            hint="Set database.url to a PostgreSQL, or leave jobs.broker_url empty: then rounds run in this process.",
        )


class Workshop:
    """The hands of a worker, as its Celery app takes them. `mark` is touched whenever something is done."""

    def __init__(
        self, settings: Settings, source: RoundSource, processes: int, mark: Path, join: Callable[[Signals], Any]
    ) -> None:
        self._settings = settings
        self._source = source
        self._processes = processes
        self._mark = mark
        self._join = join
        self._clock = SystemClock()
        self._made_by = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._hands: RoundHands | None = None
        self._opening: asyncio.Lock | None = None

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Waits for it, and shows that somebody is at it."""
        under_way = asyncio.run_coroutine_threadsafe(work, self._own_loop())
        while True:
            try:
                return under_way.result(BUSY_SECONDS)
            except concurrent.futures.TimeoutError:
                self._mark.touch()

    def answer(self, _: float) -> None:
        self._mark.touch()

    async def list_round(self, job_id: str) -> bool:
        hands = await self._opened()
        return hands is not None and await hands.list_round(job_id)

    async def scrape_match(self, job_id: str, key: str) -> bool:
        hands = await self._opened()
        return hands is not None and await hands.scrape_match(job_id, key)

    async def due(self) -> Due:
        hands = await self._opened()
        return Due() if hands is None else await hands.due()

    async def prune(self) -> int:
        hands = await self._opened()
        return 0 if hands is None else await hands.prune()

    # ---- made after the fork ----

    def _own_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None or self._made_by != os.getpid():
            self._made_by, self._hands, self._opening = os.getpid(), None, None
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._loop.run_forever, name="longstop rounds", daemon=True).start()
        return self._loop

    async def _opened(self) -> RoundHands | None:
        """None while the database is away; the next message tries again."""
        self._opening = self._opening or asyncio.Lock()
        async with self._opening:
            if self._hands is None:
                self._hands = await self._open()
        return self._hands

    async def _open(self) -> RoundHands | None:
        bus = Signals()
        self._join(bus)
        store = open_store(self._settings.database.url.get_secret_value(), clock=self._clock)
        try:
            await store.open()
        except StoreError as error:
            await store.close()
            bus.emit(_away(error, self._clock))
            return None
        return self._hands_on(store, bus)

    def _hands_on(self, store: Store, bus: Signals) -> RoundHands:
        room = open_rounds(self._source, self._settings, store, self._clock, bus, processes=self._processes)
        jobs = self._settings.jobs
        limits = HandLimits(lease_seconds=jobs.lease, keep_days=jobs.keep_days)
        name = self._source.manifest.name
        return RoundHands(name, room.journal, room.work, self._clock, bus, owner_name(), limits)


def _away(error: StoreError, clock: SystemClock) -> signals.ErrorRaised:
    return signals.ErrorRaised(
        at=clock.now(),
        severity="WARN",
        error_type=error.kind,
        error_message=error.message,
        hint=error.hint,
        operation="rounds",
    )
