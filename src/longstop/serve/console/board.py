"""What the operations page is told: everything once, then only what has changed, as one frame a second.

A frame after a bookmark holds the rows that changed, the pulses that beat, the age histories that grew, and the news
since then; the figures of the instance always. All pages share one board, which looks at most twice a second.

The board in memory answers for what is watched. The store adds what is not (upcoming, finished, known from before a
restart), at most every few seconds; when it does not answer, the page says so and goes on with what is known.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from longstop.clock import to_millis
from longstop.domain.errors import StoreError
from longstop.domain.match import MatchStatus
from longstop.jobs.rounds.desk import RoundsDesk
from longstop.observe.health import Watched
from longstop.serve.console.bookmarks import Bookmark
from longstop.serve.console.head import Head, build_head
from longstop.serve.console.rounds import RoundLine, newest_rounds
from longstop.serve.console.rows import Pulse, Row, build_pulse, build_row
from longstop.serve.console.scene import Scene, Standing
from longstop.serve.console.telling import News, news_after
from longstop.serve.reading import ReadModel
from longstop.store.contract import LiveRow, MatchRow

LOOK_SECONDS: Final = 0.5
_STORE_SECONDS: Final = 3.0
_STORE_DEADLINE_SECONDS: Final = 1.5
_LIVE_MAX: Final = 2_000
_OTHERS_MAX: Final = 200
_FINISHED_SHOWN_FOR: Final = timedelta(hours=24)
_NOBODY: Final = Standing()


class Frame(msgspec.Struct, frozen=True, omit_defaults=True):
    """`members` are the numbers of all matches, sent when one came or went, `rounds` all that are shown, when one
    of them has moved; `is_whole`: forget what you knew."""

    bookmark: str
    now: int
    head: Head
    rows: list[Row] = []
    pulse: list[Pulse] = []
    ages: list[tuple[int, str]] = []
    news: list[News] = []
    members: list[int] | None = None
    rounds: list[RoundLine] | None = None
    is_whole: bool = False


class _Kept(msgspec.Struct):
    """One match as it was told last. Each part has the revision in which it changed."""

    number: int
    key: tuple[object, ...] = ()
    row: Row | None = None
    row_revision: int = 0
    pulse: Pulse | None = None
    pulse_revision: int = 0
    ages: str = ""
    ages_revision: int = 0


class OpsBoard:
    """Shared by every page that is open."""

    def __init__(
        self, model: ReadModel, epoch: str, look_seconds: float = LOOK_SECONDS, rounds: RoundsDesk | None = None
    ) -> None:
        self._model = model
        self._rounds_desk = rounds
        self._rounds: list[RoundLine] = []
        self._rounds_revision = 0
        self._look_seconds = look_seconds
        self._epoch = epoch
        self._revision = 0
        self._numbers = 0
        self._kept: dict[str, _Kept] = {}
        self._members_revision = 0
        self._looked_at: float | None = None
        self._rows: dict[str, MatchRow] = {}
        self._live: dict[str, LiveRow] = {}
        self._read_at: float | None = None
        self._is_reading = False
        self._store_answers = True

    async def frame(self, after: Bookmark) -> Frame:
        await self._read_store_when_due()
        now = self._model.clock.now()
        self._look(now)
        is_known = after.epoch == self._epoch and after.revision <= self._revision
        known = after if is_known else Bookmark()
        happenings = self._model.lookout.happenings
        kept = self._kept.values()
        return Frame(
            bookmark=str(Bookmark(self._epoch, self._revision, happenings.seq)),
            now=to_millis(now),
            head=build_head(self._model, self._store_answers),
            rows=[each.row for each in kept if each.row_revision > known.revision and each.row is not None],
            pulse=[each.pulse for each in kept if each.pulse_revision > known.revision and each.pulse is not None],
            ages=[(each.number, each.ages) for each in kept if each.ages_revision > known.revision],
            news=news_after(happenings, known.news),
            members=[each.number for each in kept] if not is_known or self._members_revision > known.revision else None,
            rounds=self._rounds if not is_known or self._rounds_revision > known.revision else None,
            is_whole=not is_known,
        )

    def row_of(self, match_id: str) -> Row | None:
        """As it was told last."""
        kept = self._kept.get(match_id)
        return kept.row if kept is not None else None

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
            self._looked_at = None

    async def _read_store(self) -> None:
        store = self._model.store
        live = await store.matches(status=MatchStatus.LIVE, limit=_LIVE_MAX)
        others: list[MatchRow] = []
        for status in (MatchStatus.UPCOMING, MatchStatus.COMPLETED, MatchStatus.ABANDONED):
            others.extend(await store.matches(status=status, limit=_OTHERS_MAX))
        shown = [*live, *self._recent(others)]
        unwatched = [row.ref.match_id for row in shown if not self._is_on_board(row.ref.match_id)]
        self._live = dict(await store.live(unwatched)) if unwatched else {}
        self._rows = {row.ref.match_id: row for row in shown}
        await self._read_rounds()

    async def _read_rounds(self) -> None:
        found = [] if self._rounds_desk is None else await newest_rounds(self._rounds_desk)
        if found != self._rounds:
            self._revision += 1
            self._rounds, self._rounds_revision = found, self._revision

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

    def _look(self, now: datetime) -> None:
        """One revision for all that changed since somebody last looked."""
        monotonic = self._model.clock.monotonic()
        if self._looked_at is not None and monotonic - self._looked_at < self._look_seconds:
            return
        self._looked_at = monotonic
        revision = self._revision + 1
        before, self._kept = self._kept, {}
        for scene in self._scenes():
            known = before.pop(scene.match_id, None)
            self._kept[scene.match_id] = kept = known or self._meet(revision)
            if self._renew(kept, scene, now, revision):
                self._revision = revision
        if before:
            self._members_revision = self._revision = revision

    def _meet(self, revision: int) -> _Kept:
        self._numbers += 1
        self._members_revision = revision
        return _Kept(self._numbers)

    def _renew(self, kept: _Kept, scene: Scene, now: datetime, revision: int) -> bool:
        names = self._model.names(scene.source)
        key, pulse = scene.key(names), build_pulse(kept.number, scene, now)
        ages = self._model.lookout.ages.text(scene.match_id, now)
        if kept.key != key:
            kept.key, kept.row, kept.row_revision = key, build_row(kept.number, scene, names), revision
        if kept.pulse != pulse:
            kept.pulse, kept.pulse_revision = pulse, revision
        if kept.ages != ages:
            kept.ages, kept.ages_revision = ages, revision
        return revision in {kept.row_revision, kept.pulse_revision, kept.ages_revision}

    def _scenes(self) -> list[Scene]:
        watched = {known.match_id: known for known in self._model.board.matches()}
        scenes = []
        for match_id, row in self._rows.items():
            known = watched.pop(match_id, None)
            scenes.append(Scene(row, self._live.get(match_id), known, self._standing(known)))
        unstored = (known for known in watched.values() if known.observation or known.is_active)
        return scenes + [Scene(None, None, known, self._standing(known)) for known in unstored]

    def _standing(self, known: Watched | None) -> Standing:
        if known is None or not known.is_active:
            return _NOBODY
        key = known.match_id.removeprefix(f"{known.source}_")
        return Standing(self._model.approach.why(known.source, key), self._model.approach.shut(known.source, key))
