"""The last known state of every match that somebody reads, in memory.

A match that this process watches is kept current by signals, since every change of it is told; the store is asked for
it now and then all the same. Any other match is asked for again after a second, since somebody else may write it. While
the database is away what is known is told, and that it is so.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final, TypeVar

import msgspec

from longstop.domain.cricket import Delivery
from longstop.domain.errors import StoreError, StoreUnavailableError
from longstop.domain.events import DeliveryRecord, Gap
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchStatus
from longstop.domain.observation import Observation
from longstop.observe import signals
from longstop.serve.freshness import KnownMatch
from longstop.serve.reading import ReadModel
from longstop.store.contract import LiveRow, MatchRow

LAST_BALLS: Final = 12
KNOWN_MAX: Final = 5_000
# What others may have written is at most this old; what we write ourselves is looked up to be sure.
OTHERS_SECONDS: Final = 1.0
OWN_SECONDS: Final = 15.0
# So long a reader waits for the database, and so long none is asked again after it did not answer.
PATIENCE_SECONDS: Final = 1.5
# For the whole of a match: a Test has thousands of balls, and a busy machine is not a database that is away.
WHOLE_SECONDS: Final = 10.0
AWAY_SECONDS: Final = 2.0

T = TypeVar("T")
_FORWARD: Final = {
    MatchStatus.UPCOMING: 0,
    MatchStatus.LIVE: 1,
    MatchStatus.COMPLETED: 2,
    MatchStatus.ABANDONED: 2,
}


Wants = Callable[[MatchStatus], bool]


def wants_any(_: MatchStatus) -> bool:
    return True


class Remembered:
    """One match. `version` rises with each change of anything here."""

    __slots__ = ("gaps", "live", "read_at", "recent", "row", "told_at", "version")

    def __init__(self, row: MatchRow) -> None:
        self.row = row
        self.live: LiveRow | None = None
        self.gaps: tuple[Gap, ...] = ()
        self.recent: tuple[Delivery, ...] = ()
        self.read_at = float("-inf")
        self.told_at: datetime | None = None
        self.version = 1

    def take(self, row: MatchRow, live: LiveRow | None, gaps: tuple[Gap, ...], recent: tuple[Delivery, ...]) -> None:
        """What the store says. It may be behind what was told here, never ahead of it without being newer."""
        if self.live is not None and (live is None or _order(live) < _order(self.live)):
            live, row, gaps = self.live, _ahead(row, self.row), self.gaps
        if (row, live, gaps, recent) != (self.row, self.live, self.gaps, self.recent):
            if live is not None and live != self.live:
                self.told_at = live.captured_at + timedelta(milliseconds=live.update_latency_ms)
            self.row, self.live, self.gaps, self.recent = row, live, gaps, recent
            self.version += 1

    def hear_score(self, told: signals.ScoreStored) -> None:
        observation = told.observation
        live = live_of(told)
        if self.live is not None and _order(live) < _order(self.live):
            return
        self.live, self.told_at = live, told.at
        self.row = msgspec.structs.replace(
            self.row,
            teams=observation.teams,
            status=_further(self.row.status, observation.status),
            format=observation.format or self.row.format,
            result=observation.result or self.row.result,
            last_scraper_update=observation.provenance.captured_at,
        )
        self.version += 1

    def hear_gaps(self, gaps: Iterable[Gap]) -> None:
        known = {gap.gap_id: gap for gap in self.gaps} | {gap.gap_id: gap for gap in gaps}
        self.gaps = tuple(known.values())
        self.version += 1

    def hear_state(self, state: str) -> None:
        found = MatchState(state)
        status = self.row.status
        if found in (MatchState.COMPLETED, MatchState.ARCHIVED):
            status = _further(status, MatchStatus.COMPLETED)
        self.row = msgspec.structs.replace(self.row, state=found, status=status)
        self.version += 1


class Recollection:
    def __init__(self, model: ReadModel) -> None:
        self._model = model
        self._known: OrderedDict[str, Remembered] = OrderedDict()
        self._reading: dict[str, asyncio.Task[Remembered | None]] = {}
        self._is_lost = False
        self._away_until = float("-inf")
        bus = model.bus
        bus.subscribe(signals.ScoreStored, self._on_score)
        bus.subscribe(signals.FactsStored, self._on_facts)
        bus.subscribe(signals.MatchStateChanged, self._on_state)
        bus.subscribe(signals.StoreLost, lambda _: self._set_lost(True))
        bus.subscribe(signals.StoreRecovered, lambda _: self._set_lost(False))

    @property
    def is_degraded(self) -> bool:
        """The database is away, so what is told is what is remembered."""
        return self._is_lost or self._model.clock.monotonic() < self._away_until

    def peek(self, match_id: str) -> Remembered | None:
        """Without waiting, when what is remembered needs no look at the store."""
        known = self._known.get(match_id)
        if known is None:
            return None
        watched = self._model.board.match(match_id)
        is_own = watched is not None and watched.is_active
        age = self._model.clock.monotonic() - known.read_at
        return known if age < (OWN_SECONDS if is_own else OTHERS_SECONDS) else None

    async def get(self, match_id: str) -> Remembered | None:
        """None for a match that nobody knows. Raises while the store is away and nothing is remembered."""
        known = self.peek(match_id)
        if known is not None:
            return known
        known = self._known.get(match_id)
        try:
            return await self.asked(lambda: self._read_once(match_id))
        except StoreError:
            if known is None:
                raise
            return known

    async def asked(self, question: Callable[[], Awaitable[T]], patience: float = PATIENCE_SECONDS) -> T:
        """A question to the store, within a deadline; none for a moment after one was not answered."""
        clock = self._model.clock
        if clock.monotonic() < self._away_until:
            raise StoreUnavailableError("The database did not answer a moment ago.")
        try:
            async with clock.timeout(patience):
                return await question()
        except TimeoutError:
            self._away_until = clock.monotonic() + AWAY_SECONDS
            raise StoreUnavailableError(f"The database did not answer within {patience:g} s.") from None
        except StoreError:
            self._away_until = clock.monotonic() + AWAY_SECONDS
            raise

    async def learn(self, rows: Sequence[MatchRow]) -> list[Remembered]:
        """Rows that were just read, with the live state of those of whom it is not known yet."""
        unknown = [row.ref.match_id for row in rows if self.peek(row.ref.match_id) is None]
        live = await self.asked(lambda: self._model.store.live(unknown)) if unknown else {}
        found = []
        for row in rows:
            known = self._known.get(row.ref.match_id) or self._remember(row.ref.match_id, row)
            if row.ref.match_id in live or known.live is None:
                known.take(row, live.get(row.ref.match_id, known.live), known.gaps, known.recent)
            else:
                known.take(_ahead(row, known.row), known.live, known.gaps, known.recent)
            found.append(known)
        return found

    def remembered(self) -> list[Remembered]:
        return list(self._known.values())

    def known(self, found: Remembered) -> KnownMatch:
        """As those need it who tell of it now."""
        return KnownMatch(
            row=found.row,
            live=found.live,
            watched=self._model.board.match(found.row.ref.match_id),
            gaps=found.gaps,
            recent=found.recent,
            told_at=found.told_at,
            is_degraded=self.is_degraded,
        )

    async def as_it_was(self, match_id: str, moment: datetime, wants: Wants = wants_any) -> KnownMatch | None:
        """None when nothing was known of it then, or it was not in a wanted status. Only the store knows the past."""
        return await self.asked(lambda: self._as_it_was(match_id, moment, wants), WHOLE_SECONDS)

    async def _as_it_was(self, match_id: str, moment: datetime, wants: Wants) -> KnownMatch | None:
        store = self._model.store
        row = await store.match(match_id, as_of=moment)
        if row is None or not wants(row.status):
            return None
        live = (await store.live([match_id], as_of=moment)).get(match_id)
        gaps = await store.gaps(match_id, as_of=moment)
        recent = _balls_of(await store.last_deliveries(match_id, limit=LAST_BALLS, as_of=moment))
        told_at = None if live is None else live.captured_at + timedelta(milliseconds=live.update_latency_ms)
        return KnownMatch(row, live, None, tuple(gaps), recent, told_at, as_of=moment)

    async def _read_once(self, match_id: str) -> Remembered | None:
        """A thousand readers of one match are one question."""
        task = self._reading.get(match_id)
        if task is None:
            task = self._reading[match_id] = asyncio.create_task(self._read(match_id), name=f"reading {match_id}")
            task.add_done_callback(lambda done: self._read_ended(match_id, done))
        return await asyncio.shield(task)

    def _read_ended(self, match_id: str, task: "asyncio.Task[Remembered | None]") -> None:
        """Also looks at the outcome, since those who asked may be gone."""
        self._reading.pop(match_id, None)
        if not task.cancelled():
            task.exception()

    async def _read(self, match_id: str) -> Remembered | None:
        """Its own deadline is a little before that of those who wait, so that it never outlives them."""
        async with self._model.clock.timeout(0.9 * PATIENCE_SECONDS):
            return await self._read_all(match_id)

    async def _read_all(self, match_id: str) -> Remembered | None:
        store = self._model.store
        row = await store.match(match_id)
        if row is None:
            self._known.pop(match_id, None)
            return None
        live = (await store.live([match_id])).get(match_id)
        gaps = tuple(await store.gaps(match_id))
        known = self._known.get(match_id)
        is_same = known is not None and bool(known.recent) and known.live == live
        # As long as its board stands still, its last balls do too.
        recent = known.recent if known is not None and is_same else await self._recent(match_id)
        known = self._known.get(match_id) or self._remember(match_id, row)
        known.take(row, live, gaps, recent)
        known.read_at = self._model.clock.monotonic()
        self._known.move_to_end(match_id)
        return known

    async def _recent(self, match_id: str) -> tuple[Delivery, ...]:
        """A watched match has them on the board."""
        watched = self._model.board.match(match_id)
        if watched is not None and watched.observation is not None:
            return ()
        return _balls_of(await self._model.store.last_deliveries(match_id, limit=LAST_BALLS))

    def _remember(self, match_id: str, row: MatchRow) -> Remembered:
        while len(self._known) >= KNOWN_MAX:
            self._known.popitem(last=False)
        known = self._known[match_id] = Remembered(row)
        return known

    # What is heard.

    def _on_score(self, told: signals.ScoreStored) -> None:
        known = self._known.get(told.match_id)
        if known is not None:
            known.hear_score(told)

    def _on_facts(self, told: signals.FactsStored) -> None:
        known = self._known.get(told.match_id)
        if known is not None and told.gaps:
            known.hear_gaps(told.gaps)

    def _on_state(self, told: signals.MatchStateChanged) -> None:
        known = self._known.get(told.match_id)
        if known is not None:
            known.hear_state(told.after)

    def _set_lost(self, is_lost: bool) -> None:
        self._is_lost = is_lost


def live_of(told: signals.ScoreStored) -> LiveRow:
    """What the store got, but for the time that its writing took."""
    observation: Observation = told.observation
    provenance = observation.provenance
    return LiveRow(
        match_id=told.match_id,
        sequence=told.sequence,
        captured_at=provenance.captured_at,
        source_at=provenance.source_at,
        scraper_id=told.scraper_id,
        source=provenance.source,
        rung=provenance.rung,
        payload_sha256=provenance.payload_sha256,
        update_latency_ms=0,
        play=observation.play,
        balls_per_over=observation.balls_per_over,
        innings=observation.innings,
        batting=observation.batting,
        bowling=observation.bowling,
        toss=observation.toss,
        result=observation.result,
        last_event=observation.last_event,
        announcement=observation.announcement,
        complete_through=told.complete_through,
    )


def _balls_of(records: Sequence[DeliveryRecord]) -> tuple[Delivery, ...]:
    return tuple(record.delivery for record in records if record.delivery is not None)


def _order(live: LiveRow) -> tuple[int, float]:
    return live.sequence, live.captured_at.timestamp()


def _further(before: MatchStatus, after: MatchStatus) -> MatchStatus:
    """A status only moves forward."""
    return after if _FORWARD[after] >= _FORWARD[before] else before


def _ahead(stored: MatchRow, told: MatchRow) -> MatchRow:
    """The facts of the store with what was told since."""
    return msgspec.structs.replace(
        stored,
        teams=told.teams,
        status=_further(stored.status, told.status),
        state=told.state,
        result=told.result or stored.result,
        last_scraper_update=told.last_scraper_update or stored.last_scraper_update,
    )
