"""Any order of writes, outages, lost answers, kills and losses of power ends with everything acknowledged, once."""

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longstop import virtual_time
from longstop.domain.errors import StoreError
from longstop.store.spool import SpoolLimits
from longstop_origin.storm.disk import DiedError
from tests.unit.store.durable_stage import DOWN, Stage, poll

WORDS = ("save", "save both", "down", "up", "forgetful", "recover", "kill", "power", "die soon")
LIMITS = SpoolLimits(segment_bytes=4_000, reserve_bytes=0)


class Story:
    """`acknowledged`: the last event of each match that a writer, who counts on only when told so, knows of."""

    def __init__(self, folder: Path) -> None:
        self.stage = Stage(folder, spool=LIMITS)
        self.acknowledged = {"AB1": 0, "CD2": 0}

    async def tell(self, words: list[str]) -> None:
        await self.stage.store.open()
        for word in words:
            try:
                await self._act(word)
            except DiedError:
                await self.stage.killed_and_begun_anew(has_power_failed=True)
        self.stage.database.error, self.stage.database.is_forgetful = None, False
        if self.stage.disk.is_dead:
            await self.stage.killed_and_begun_anew()
        self.stage.disk.faults.die_at = None
        assert await self.stage.store.recover()

    async def _act(self, word: str) -> None:
        database, disk = self.stage.database, self.stage.disk
        if word.startswith("save"):
            keys = ("AB1", "CD2") if word == "save both" else ("AB1",)
            await asyncio.gather(*(self._save(key) for key in keys))
        elif word in {"down", "up"}:
            database.error = DOWN if word == "down" else None
        elif word == "forgetful":
            database.is_forgetful = not database.is_forgetful
        elif word == "recover":
            await self.stage.store.recover()
        elif word == "die soon":
            disk.faults.die_at = disk.operations + 3
        else:
            await self.stage.killed_and_begun_anew(has_power_failed=word == "power")

    async def _save(self, key: str) -> None:
        number = self.acknowledged[key] + 1
        try:
            await self.stage.store.save(poll(number, key))
        except StoreError:
            return
        self.acknowledged[key] = number

    async def check(self) -> None:
        for key, last in self.acknowledged.items():
            page = await self.stage.store.ledger(f"crex_{key}")
            # What was on its way when the process died may have held too; its writer tries it again.
            assert last <= page.last_seq <= last + 1
            assert len(page.deliveries) == page.last_seq
        await self.stage.store.close()


@pytest.mark.req("B7", "B9")
@given(st.lists(st.sampled_from(WORDS), max_size=25))
@settings(max_examples=150, deadline=None)
def test_whatever_happens_everything_acknowledged_is_there_once(words: list[str]) -> None:
    async def run(folder: Path) -> None:
        story = Story(folder)
        await story.tell(words)
        await story.check()

    with tempfile.TemporaryDirectory(prefix="longstop-story-") as folder:
        virtual_time.run(run(Path(folder)))
