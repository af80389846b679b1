"""`GET /ops/board`: what the page asks for once a second.

Rows are sent only when they changed since the revision the page already has; the pulse of every match is sent always.
With a thousand matches and nothing new that is some 50 KB and a few milliseconds.

The board in memory answers for what is watched. The store adds what is not (upcoming, finished, known from before a
restart), at most every few seconds; when it does not answer, the page says so and goes on with what is known.
"""

import math
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import msgspec

from longstop.clock import age_seconds, to_millis
from longstop.domain.errors import StoreError
from longstop.domain.match import MatchStatus
from longstop.observe.health_rules import overall_health
from longstop.serve.console.rows import Pulse, Row, Scene, build_pulse, build_row
from longstop.serve.reading import ReadModel
from longstop.store.contract import LiveRow, MatchRow

_STORE_SECONDS: Final = 3.0
_STORE_DEADLINE_SECONDS: Final = 1.5
_LIVE_MAX: Final = 2_000
_OTHERS_MAX: Final = 200
_FINISHED_SHOWN_FOR: Final = timedelta(hours=24)
_MEGABYTE: Final = 1024 * 1024


class Ages(msgspec.Struct, frozen=True):
    p50: float
    p99: float
    max: float


class Head(msgspec.Struct, frozen=True):
    """The instance, in a few figures."""

    name: str
    version: str
    status: str
    active: int
    ages: Ages | None
    updates_per_minute: int
    errors_last_minute: int
    memory_mb: float
    uptime_seconds: int
    store_answers: bool


class BoardAnswer(msgspec.Struct, frozen=True):
    now: int
    epoch: str
    revision: int
    head: Head
    rows: list[Row]
    pulse: list[Pulse]


class _Kept(msgspec.Struct, frozen=True):
    key: tuple[object, ...]
    revision: int
    row: Row


class OpsBoard:
    """Shared by every page that is open. `epoch` tells a page that the revisions it knows are from another life."""

    def __init__(self, model: ReadModel, epoch: str) -> None:
        self._model = model
        self._epoch = epoch
        self._revision = 0
        self._kept: dict[str, _Kept] = {}
        self._rows: dict[str, MatchRow] = {}
        self._live: dict[str, LiveRow] = {}
        self._read_at: float | None = None
        self._is_reading = False
        self._store_answers = True

    async def answer(self, after: int, epoch: str) -> BoardAnswer:
        await self._read_store_when_due()
        now = self._model.clock.now()
        scenes = self._scenes()
        self._rebuild(scenes)
        known = after if epoch == self._epoch else 0
        return BoardAnswer(
            now=to_millis(now),
            epoch=self._epoch,
            revision=self._revision,
            head=self._head(),
            rows=[kept.row for kept in self._kept.values() if kept.revision > known],
            pulse=[build_pulse(scene, now) for scene in scenes],
        )

    async def _read_store_when_due(self) -> None:
        """One reader at a time; the others go on with what is there."""
        monotonic = self._model.clock.monotonic()
        is_due = self._read_at is None or monotonic - self._read_at >= _STORE_SECONDS
        if not is_due or self._is_reading:
            return
        self._is_reading = True
        try:
            async with self._model.clock.timeout(_STORE_DEADLINE_SECONDS):
                await self._read_store()
            self._store_answers = True
        except (StoreError, TimeoutError):
            self._store_answers = False
        finally:
            self._is_reading = False
            self._read_at = monotonic

    async def _read_store(self) -> None:
        store = self._model.store
        live = await store.matches(status=MatchStatus.LIVE, limit=_LIVE_MAX)
        others: list[MatchRow] = []
        for status in (MatchStatus.UPCOMING, MatchStatus.COMPLETED, MatchStatus.ABANDONED):
            others.extend(await store.matches(status=status, limit=_OTHERS_MAX))
        shown = [*live, *self._recent(others)]
        unwatched = [row.ref.match_id for row in shown if not self._is_on_board(row.ref.match_id)]
        self._live = await store.live(unwatched) if unwatched else {}
        self._rows = {row.ref.match_id: row for row in shown}

    def _recent(self, rows: Sequence[MatchRow]) -> list[MatchRow]:
        """Finished matches leave the page after a day."""
        horizon = self._model.clock.now() - _FINISHED_SHOWN_FOR
        return [
            row
            for row in rows
            if row.status is MatchStatus.UPCOMING
            or (row.last_scraper_update or row.starts_at or row.discovered_at or horizon) > horizon
        ]

    def _is_on_board(self, match_id: str) -> bool:
        watched = self._model.board.match(match_id)
        return watched is not None and watched.observation is not None

    def _scenes(self) -> list[Scene]:
        watched = {known.match_id: known for known in self._model.board.matches()}
        scenes = [
            Scene(row, self._live.get(match_id), watched.pop(match_id, None)) for match_id, row in self._rows.items()
        ]
        scenes.extend(Scene(None, None, known) for known in watched.values() if known.observation or known.is_active)
        return scenes

    def _rebuild(self, scenes: Sequence[Scene]) -> None:
        """One revision for all that changed since somebody last asked."""
        revision = self._revision + 1
        kept: dict[str, _Kept] = {}
        for scene in scenes:
            names = self._model.names(scene.source)
            before, key = self._kept.get(scene.match_id), scene.key(names)
            if before is None or before.key != key:
                before = _Kept(key, revision, build_row(scene, names))
                self._revision = revision
            kept[scene.match_id] = before
        self._kept = kept

    def _head(self) -> Head:
        model, now = self._model, self._model.clock.now()
        vitals = model.board.vitals(now)
        return Head(
            name=model.instance.name,
            version=model.instance.version,
            status=overall_health(vitals),
            active=vitals.active,
            ages=_ages([age_seconds(now, known.captured_at or known.started_at) for known in model.board.active()]),
            updates_per_minute=model.board.updates_per_minute(now),
            errors_last_minute=vitals.errors_last_minute,
            memory_mb=round((model.board.rss_bytes + model.board.browser_bytes) / _MEGABYTE, 1),
            uptime_seconds=int(vitals.uptime_seconds),
            store_answers=self._store_answers,
        )


def _ages(seconds: list[float]) -> Ages | None:
    if not seconds:
        return None
    seconds.sort()
    p50, p99 = (seconds[math.ceil(len(seconds) * fraction) - 1] for fraction in (0.5, 0.99))
    return Ages(round(p50, 2), round(p99, 2), round(seconds[-1], 2))
