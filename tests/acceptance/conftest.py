"""What several acceptance tests start from."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from longstop.store.contract import WriteBatch
from longstop.store.open import open_store
from tests.acceptance.served import Place
from tests.unit.serve.world import World, events, live_row, row


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    world = World()
    store = open_store(f"sqlite:///{tmp_path}/longstop.db", clock=world.clock)
    await store.open()
    await store.save(WriteBatch(matches=(row(),), live=(live_row(),), events=tuple(events(12))))
    made = Place(store, world)
    await made.server.start()
    yield made
    made.streams.close()
    await made.server.stop()
    await store.close()
