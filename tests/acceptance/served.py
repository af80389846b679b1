"""A store that is served, into which balls come as the engine would bring them."""

import asyncio

from longstop.domain.events import MatchEvent
from longstop.observe import signals
from longstop.serve.api import create_app
from longstop.serve.desk import ReadingDesk
from longstop.serve.entry.hall import open_to_this_machine
from longstop.serve.reading import Instance, ReadModel
from longstop.serve.server import ApiServer
from longstop.serve.streaming.following import StreamLimits, Streams
from longstop.store.contract import Store, WriteBatch
from tests.unit.serve.world import NAMES, World

LIMITS = StreamLimits(streams_max=8, max_per_consumer=8, heartbeat_seconds=0.2, patience_seconds=0.5)


class Place:
    """A served store into which balls come as the engine would bring them."""

    def __init__(self, store: Store, world: World) -> None:
        self.store = store
        self.world = world
        self.streams = Streams(world.clock, world.signals, LIMITS)
        self.model = ReadModel(
            store, world.board, lambda _: NAMES, world.clock, Instance("test", "0.1.0"), bus=world.signals
        )
        entry = open_to_this_machine(world.clock, world.signals)
        self.server = ApiServer(
            create_app(self.model, entry, desk=ReadingDesk(self.model, self.streams)), "127.0.0.1", 0
        )
        self.ended: list[signals.StreamEnded] = []
        world.signals.subscribe(signals.StreamEnded, self.ended.append)

    def url(self, path: str) -> str:
        return self.server.url + path

    async def bring(self, told: list[MatchEvent], *, is_stored: bool = True) -> None:
        if is_stored:
            await self.store.save(WriteBatch(events=tuple(told)))
        self.world.signals.emit(
            signals.FactsStored(at=self.world.clock.now(), match_id=told[0].match_id, source="crex", events=tuple(told))
        )

    async def closed(self, count: int) -> None:
        """Until so many streams have ended."""
        async with asyncio.timeout(10):  # noqa: TID251 - sockets live in real time
            while len(self.ended) < count:  # noqa: ASYNC110 - nothing else tells a test
                await asyncio.sleep(0.01)
