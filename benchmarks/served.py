"""One API as a process of its own, for those who measure what serving costs: `python -m benchmarks.served KIND FOLDER`.

`full` is the whole application with keys, tokens, limits and the access log, in front of a real database with as many
watched matches as asked for; a token is written into the folder. `bare` is a handler of the same framework that returns
the bytes of the file `body.json` in the folder, and nothing else.
"""

import asyncio
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import uvloop
from litestar import Litestar, Response, get

from benchmarks.serving_world import believed, live_of, row_of, told_of
from longstop.clock import SystemClock
from longstop.domain.access import Scope, Tier
from longstop.domain.errors import InputError, UnknownMatchError
from longstop.domain.match import Names
from longstop.observe import signals
from longstop.observe.health import Board
from longstop.observe.signals import Signals
from longstop.serve.admin import AdminDesk
from longstop.serve.api import create_app
from longstop.serve.entry.hall import Hall
from longstop.serve.entry.keys import make_key
from longstop.serve.push_routes import PushDesk
from longstop.serve.reading import Instance, ReadModel
from longstop.serve.server import ApiServer
from longstop.settings import ReloadResult, Settings
from longstop.settings.masks import SecretUrl
from longstop.settings.serving import ApiSettings, DatabaseSettings, LimitSettings, StorageSettings
from longstop.store.contract import Store, WriteBatch
from longstop.store.open import open_store
from longstop.store.pushes import PushJournal
from longstop.supervise.service import Stop

NAMES = Names(teams={"IN": "India", "AU": "Australia"}, players={"P1": "Smriti Mandhana", "P9": "Ellyse Perry"})
BEAT_SECONDS = 2.5
MATCHES_A_BATCH = 200


def bare_app(folder: Path) -> Any:
    body = (folder / "body.json").read_bytes()

    @get("/cricket-data/match-info/{match_id:str}", media_type="application/json")
    async def match_info(match_id: str) -> Response[bytes]:  # noqa: ARG001 - every match is the same here
        return Response(body, media_type="application/json")

    return Litestar([match_info], openapi_config=None, logging_config=None)


class QuietOperator:
    """Does nothing, and knows one match and one source."""

    async def _of(self, match_id: str) -> None:
        if match_id != "crex_M0":
            raise UnknownMatchError(f"No match {match_id[:40]} is watched.")

    async def restart(self, match_id: str, reason: str) -> None:  # noqa: ARG002 - nobody is told
        await self._of(match_id)

    async def recycle(self, reason: str) -> None:
        """There are no browsers."""

    async def pause(self, match_id: str) -> None:
        await self._of(match_id)

    async def resume(self, match_id: str) -> None:
        await self._of(match_id)

    async def stop(self, match_id: str) -> None:
        await self._of(match_id)

    async def choose_rung(self, match_id: str, rung: str) -> None:  # noqa: ARG002 - there is no ladder
        await self._of(match_id)

    async def start(self, url: str) -> str:
        raise InputError(f"{url[:40]!r} is a match page of no source.", hint="Give the address of a match.")

    async def switch_source(self, name: str, *, is_on: bool) -> None:  # noqa: ARG002 - it is always on
        raise UnknownMatchError(f"There is no source {name[:40]!r} to watch.")

    def sources(self) -> list[tuple[str, bool, int, list[str]]]:
        return [("crex", True, 1, [])]


class Full:
    """The application with everything that stands before it, and matches that are polled by nobody but say so."""

    def __init__(self, folder: Path, matches: int) -> None:
        self.clock = SystemClock()
        self.bus = Signals()
        self.board = Board(self.clock.now())
        self.board.subscribe(self.bus)
        most = 1_000_000
        limits = LimitSettings(standard_per_minute=most, premium_per_minute=most, attempts_per_minute=most)
        database = DatabaseSettings(url=SecretUrl(f"sqlite:///{folder}/longstop.db"))
        settings = Settings(api=ApiSettings(limits=limits), storage=StorageSettings(root=folder), database=database)
        self.hall = Hall(settings, self.clock, self.bus)
        self.store: Store = open_store(f"sqlite:///{folder}/longstop.db", clock=self.clock)
        self._folder = folder
        self._count = matches
        self._stop = Stop(self.clock)
        model = ReadModel(self.store, self.board, lambda _: NAMES, self.clock, Instance("bench", "0"), bus=self.bus)
        desk = AdminDesk(self._reload, self.clock, self.bus, QuietOperator(), self.hall.audit.written)
        self.pushes = PushJournal(folder / "pushes.db", waiting_max=100_000)
        push = PushDesk(self.pushes, self.clock, self.bus)
        self.app = create_app(model, self.hall.entry(), admin=desk, push=push)
        self.tasks: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        await self.store.open()
        await self.pushes.open()
        for first in range(0, self._count, MATCHES_A_BATCH):
            numbers = range(first, min(first + MATCHES_A_BATCH, self._count))
            now = self.clock.now()
            rows = tuple(row_of(number, now) for number in numbers)
            live = tuple(live_of(number, now) for number in numbers)
            events = (told_of(1, now),) if first == 0 else ()
            await self.store.save(WriteBatch(matches=rows, live=live, events=events))
        await self.hall.open()
        made = make_key("bench", frozenset(Scope), self.clock.now(), tier=Tier.PREMIUM)
        await self.hall.store.add_key(made.key)
        await self.hall.directory.refresh()
        (self._folder / "key").write_text(made.plain, encoding="utf-8")
        for number in range(self._count):
            self._start(number, self.clock.now())
        self.tasks = [asyncio.create_task(service.run(self._stop)) for service in self.hall.services]
        self.tasks.append(asyncio.create_task(self._beat()))

    def _start(self, number: int, now: datetime) -> None:
        match_id = f"crex_M{number}"
        self.bus.emit(
            signals.ScraperStarted(at=now, match_id=match_id, scraper_id=f"s{number}", source="crex", url="http://x")
        )
        self.bus.emit(
            signals.ScoreStored(
                at=now, match_id=match_id, scraper_id=f"s{number}", sequence=2, observation=believed(number, now)
            )
        )

    async def _beat(self) -> None:
        """As polls that change nothing would; a match that is being measured is left alone between them."""
        while not await self._stop.pause(BEAT_SECONDS):
            now = self.clock.now() - timedelta(milliseconds=20)
            self.bus.emit(signals.FactsStored(at=now, match_id="crex_M0", source="crex", events=(told_of(1, now),)))
            for number in range(self._count):
                self.bus.emit(
                    signals.PollFinished(
                        at=now,
                        match_id=f"crex_M{number}",
                        source="crex",
                        rung="replay",
                        outcome="unchanged",
                        duration_seconds=0.02,
                        interval_seconds=BEAT_SECONDS,
                    )
                )

    async def _reload(self, _: str) -> ReloadResult:
        return ReloadResult("unchanged", 1)

    async def away(self) -> None:
        """The database goes; what is known is served on."""
        await self.store.close()


async def main(kind: str, folder: Path, matches: int) -> None:
    full = None
    if kind == "full":
        full = Full(folder, matches)
        await full.open()
    server = ApiServer(full.app if full is not None else bare_app(folder), "127.0.0.1", 0)
    await server.start()
    print(f"serving at {server.url}", flush=True)
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        if line.strip() == b"away" and full is not None:
            await full.away()
            print("the database is away", flush=True)


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1))
