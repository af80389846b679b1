"""R15: a poll that is cancelled at any await comes out, holds nothing, and the next one makes good what it left."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from longstop.fetch.politeness import Manners, PoliteFetcher
from longstop.pipeline import OutcomeKind, Pipeline
from longstop.store.contract import Capture, WriteBatch
from tests.cancelling import CancelledAt, finished
from tests.polling import CLOCK, Innings, Table
from tests.unit.store.durable_stage import DOWN, Database, Stage
from tests.virtual import on_virtual_time

AWAITS_MAX = 500
OUT_SECONDS = 120.0


class SlowDatabase(Database):
    """Takes a moment before a write and after it."""

    async def save(self, batch: WriteBatch) -> None:
        await CLOCK.sleep(0.01)
        await super().save(batch)
        await CLOCK.sleep(0.01)

    async def keep(self, captures: Sequence[Capture]) -> None:
        await CLOCK.sleep(0.01)
        await super().keep(captures)
        await CLOCK.sleep(0.01)


class Setting:
    """The real steps of a poll, one permit for the source, and a durable store that may be away."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.stage = Stage(folder)
        self.database = SlowDatabase(folder / "database.db", self.stage.clock)
        self.stage.database = self.database
        self.stage.store = self.stage._made()
        self.it = Table(Innings(9))
        self.it.store = self.stage.store  # type: ignore[assignment]  # it is read and written alike
        manners = Manners(min_interval_seconds=0.01, burst_allowance=1)
        self.polite = PoliteFetcher(self.it.fetcher, CLOCK, max_concurrent=1, manners=manners)
        self.it.pipeline = Pipeline(self.it.source, self.polite, self.stage.store, CLOCK, self.it.heard.bus)

    async def begin(self) -> None:
        await self.stage.store.open()
        assert (await self.it.poll()).kind is OutcomeKind.UPDATED
        self.it.innings.bowl(120)

    async def cancelled(self, nth: int) -> bool:
        """Whether there were so many awaits at all."""
        work = CancelledAt(self.it.pipeline.poll(self.it.watch), nth)
        async with CLOCK.timeout(OUT_SECONDS):
            task = await finished(work)
        assert task.cancelled() == work.is_reached, f"await {nth} swallowed its cancellation"
        return work.is_reached

    async def require_nothing_held(self) -> None:
        assert not self.it.watch.posting.locked()
        assert self.polite.waiting == 0
        self.database.error, self.database.hangs = None, False
        outcomes = []
        for _ in range(3):
            self.it.innings.moved()
            async with CLOCK.timeout(OUT_SECONDS):
                outcomes.append((await self.it.poll()).kind)
            await CLOCK.sleep(2.5)
        assert outcomes[-1] is OutcomeKind.UPDATED, outcomes
        assert await self.stage.store.recover()
        await self.it.require_whole(len(self.it.innings.runs))
        assert self.stage.store.is_caught_up
        await self.stage.store.close()


def _well(_: SlowDatabase) -> None:
    """It answers."""


def _away(database: SlowDatabase) -> None:
    database.error = DOWN


def _hanging(database: SlowDatabase) -> None:
    database.hangs = True


def _forgetful(database: SlowDatabase) -> None:
    database.is_forgetful = True


@pytest.mark.req("B9")
@pytest.mark.parametrize(
    ("weather", "awaits_min"),
    [(_well, 10), (_away, 4), (_hanging, 4), (_forgetful, 4)],
    ids=["well", "away", "hanging", "forgetful"],
)
def test_a_poll_may_be_cancelled_at_every_await(
    tmp_path: Path, weather: Callable[[SlowDatabase], None], awaits_min: int
) -> None:
    awaits = 0

    @on_virtual_time
    async def one(nth: int) -> None:
        nonlocal awaits
        setting = Setting(tmp_path / str(nth))
        await setting.begin()
        weather(setting.database)
        awaits = nth if await setting.cancelled(nth) else -nth
        setting.database.is_forgetful = False
        await setting.require_nothing_held()

    for nth in range(1, AWAITS_MAX):
        one(nth)
        if awaits < 0:
            break
    assert -awaits > awaits_min, awaits


@pytest.mark.req("C2")
def test_the_record_of_a_gap_may_be_cancelled_at_every_await(tmp_path: Path) -> None:
    reached = True

    @on_virtual_time
    async def one(nth: int) -> None:
        nonlocal reached
        setting = Setting(tmp_path / str(nth))
        await setting.begin()
        feed: Any = setting.it.fetcher.answers.pop("feed")
        setting.it.answer("feed", b"<html>")
        await setting.it.poll()
        await CLOCK.sleep(9.0)
        work = CancelledAt(setting.it.pipeline.record_overdue(setting.it.watch), nth)
        task = await finished(work)
        reached = task.cancelled()
        setting.it.answer("feed", feed)
        await setting.require_nothing_held()

    for nth in range(1, AWAITS_MAX):
        one(nth)
        if not reached:
            break
    assert nth > 2
