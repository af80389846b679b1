"""One life of the process: the real parts, joined as bootstrap joins them, in a world where all else is simulated.

It ends in order, by a failure that no restart of a service mends, or not by itself at all.
"""

import asyncio
from collections.abc import Sequence
from functools import cache
from random import Random

from msgspec.structs import replace

from longstop.approach_options import agreement_of, keeper_options, patience_of
from longstop.climbing import Bearing, Joint, climber
from longstop.clock import Clock
from longstop.domain.errors import LongstopError
from longstop.fetch.ladder import Ladder
from longstop.fetch.lessons import Lessons
from longstop.fetch.opening import Opener
from longstop.fetch.page_keeper import PageKeeper
from longstop.fetch.politeness import PoliteFetcher
from longstop.fetch.recipe import Recipe
from longstop.fetch.recipe_book import RecipeBook
from longstop.fetch.replay import ReplayRung
from longstop.fetch.source_fetcher import SourceFetcher
from longstop.observe.freshness import FreshnessMeter
from longstop.observe.health import Board
from longstop.observe.signals import Signals
from longstop.settings import Settings
from longstop.sources.contract import Source
from longstop.sources.registry import create
from longstop.store.buffer import Buffer
from longstop.store.contract import Capture, WriteBatch
from longstop.store.durable import DurableStore
from longstop.store.spool import Spool, SpoolLimits
from longstop.store.spool_desk import DeskOptions, SpoolDesk
from longstop.supervise.engine import Engine, EngineParts
from longstop.supervise.engine_settings import engine_options
from longstop.supervise.options import EngineOptions
from longstop.supervise.sampling import Sampling
from longstop.supervise.store_recovery import StoreRecovery
from longstop.supervise.watchdogs.audit_log import StoredAudit
from longstop.supervise.watchdogs.engine_patient import EnginePatient
from longstop.supervise.watchdogs.limits import limits_of
from longstop.supervise.watchdogs.pack import Watchdogs
from longstop.supervise.watchdogs.recoveries import AuditKeeping
from longstop_origin.exchange import Reply, Request
from longstop_origin.replay.fetcher import BASE_URL, WorldFetcher
from longstop_origin.storm.browser import Browser
from longstop_origin.storm.database import Client
from longstop_origin.storm.findings import BROKEN
from longstop_origin.storm.scene import SPOOL, Scene
from longstop_origin.storm.timeline import WallClock

SOURCE = "crex"
HEARD_SECONDS = 0.5
SPOOL_LIMITS = SpoolLimits(segment_bytes=64 * 1024, reserve_bytes=64 * 1024)


@cache
def settings_of_storms() -> Settings:
    """As they come: a storm proves what is delivered."""
    return Settings()


class Doorman:
    """Between the process and the site: a pause that the site asked this life for is kept."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._closed: dict[str, tuple[float, float]] = {}

    def respond(self, request: Request, now: float) -> Reply:
        asked = f"{request.path}?{sorted(request.query.items())}"
        since, until = self._closed.get(asked, (now, now))
        # Who was on the way already had not heard of it yet; and a second more or less is none.
        if since + HEARD_SECONDS < now < until - 1.0:
            self._scene.witness.find(BROKEN, "a pause that the source asks for is kept", f"{until - now:.1f} s early")
        reply = self._scene.site.respond(request, now)
        if reply.status == 429:
            self._closed[asked] = (now, now + float(reply.headers.get("Retry-After", 0)))
        return reply


class WitnessedStore(DurableStore):
    """The store itself; whoever watches is told what it has promised."""

    scene: Scene

    async def save(self, batch: WriteBatch) -> None:
        await super().save(batch)
        self.scene.witness.acknowledge(batch)

    async def keep(self, captures: Sequence[Capture]) -> None:
        await super().keep(captures)
        self.scene.witness.keep(captures)


class Life:
    def __init__(self, scene: Scene) -> None:
        settings = settings_of_storms()
        self.scene = scene
        self.clock: Clock = WallClock(scene.timeline)
        self.bus = Signals()
        self.bus.subscribe_all(scene.witness.hear)
        self._chance = Random(f"{scene.plan.seed}:life:{scene.lives}")
        self.source: Source = create(SOURCE, BASE_URL)
        self.store = self._store()
        self.polite = PoliteFetcher(
            WorldFetcher(Doorman(scene), self.clock, moment=lambda: scene.timeline.moment),
            self.clock,
            max_concurrent=self.source.manifest.max_concurrent,
            chance=self._chance,
        )
        self.browser = Browser(scene.site, scene.timeline, scene.plan, self.clock)
        self.climber = self._climber(settings)
        parts = EngineParts(
            (self.source,),
            self.store,
            self.clock,
            self.bus,
            climbers={SOURCE: self.climber},
            chance=self._chance,
        )
        self.engine = Engine(parts, _options(settings))

    async def start(self) -> None:
        self.scene.strike()
        await self.store.open()
        board = Board(self.clock.now())
        board.subscribe(self.bus)
        await self.engine.start(
            Sampling(FreshnessMeter(self.clock, board.ages_in_play), self.clock),
            StoreRecovery(self.store, self.clock, self.bus, self._chance),
            *self._watchdogs().services,
        )

    async def failure(self) -> LongstopError:
        """What ends a process by itself."""
        waits: list[asyncio.Task[LongstopError]] = [
            asyncio.create_task(self.engine.failure(), name="storm: a failure of the engine"),
            asyncio.create_task(self.store.broken(), name="storm: a broken spool"),
        ]
        try:
            done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            return done.pop().result()
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)

    async def stop(self, reason: str) -> tuple[str, ...]:
        late = await self.engine.stop(reason)
        await self.climber.close()
        await self.store.close()
        return late

    @property
    def ladder(self) -> Ladder:
        return self.climber._ladder  # noqa: SLF001 - the witness looks at its permits

    def _store(self) -> WitnessedStore:
        scene = self.scene
        desk = SpoolDesk(Spool(SPOOL, scene.disk, SPOOL_LIMITS), self.clock, DeskOptions(inline=True))
        store = WitnessedStore(Client(scene.server, self.clock), desk, Buffer(), self.clock, self.bus)
        store.scene = scene
        return store

    def _climber(self, settings: Settings) -> SourceFetcher:
        patience = patience_of(settings)
        joint, bearing = Joint(settings, self.clock, self.bus), Bearing(patience, self.polite)
        if not self.scene.plan.setting.has_browser:
            return climber(self.source, ReplayRung(self.polite, None), None, bearing, joint)
        opener = Opener(self.browser, self.clock, patience, self.polite)
        keeper = PageKeeper(opener, self.clock, agreement_of(self.source), keeper_options(settings))
        book = RecipeBook(SOURCE, Lessons(opener).take, _keep_nowhere, self.clock, self.bus)
        return climber(self.source, ReplayRung(self.polite, book), keeper, bearing, joint)

    def _watchdogs(self) -> Watchdogs:
        limits = limits_of(settings_of_storms())
        return Watchdogs(
            EnginePatient(self.engine, self.clock),
            lambda: limits,
            self.clock,
            self.bus,
            beats=self.engine.beats,
            keeping=AuditKeeping((StoredAudit(self.store),), chance=self._chance),
        )


async def _keep_nowhere(_: Recipe) -> None:
    """A recipe is learnt again by the next life."""


def _options(settings: Settings) -> EngineOptions:
    return replace(engine_options(settings), measures_resources=False)
