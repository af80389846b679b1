"""The only place where real parts are joined."""

import asyncio
import random
import sys
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from longstop import __version__
from longstop.approach import Approaches
from longstop.capturing import Shelf
from longstop.clock import Clock
from longstop.distribute.sink import Sink
from longstop.domain.errors import InputError, LongstopError
from longstop.domain.match import Names
from longstop.domain.recovery import RecoveryAction
from longstop.fetch.evidence import EvidenceReader, EvidenceStore
from longstop.football import CAPTURE_SETTINGS, Captures
from longstop.observe import signals
from longstop.observe.freshness import FreshnessMeter
from longstop.observe.health import Board
from longstop.observe.logs import Logs, configure_logging
from longstop.observe.lookout.post import Lookout
from longstop.observe.metrics import Metrics, MetricsServer, serve_metrics
from longstop.observe.outlets import Outlets
from longstop.observe.redact import protect
from longstop.observe.report import RunReport
from longstop.observe.signals import Signals
from longstop.operations import InstanceOperations, connection_limits, stream_limits
from longstop.rounding import RoundsRoom, open_rounds
from longstop.serve.admin import AdminDesk
from longstop.serve.api import create_app
from longstop.serve.desk import ReadingDesk
from longstop.serve.entry.hall import SETTINGS_TAKEN as ENTRY_SETTINGS
from longstop.serve.entry.hall import Hall
from longstop.serve.gate import Gate
from longstop.serve.push_routes import PushDesk
from longstop.serve.reading import Instance as InstanceFacts
from longstop.serve.reading import ReadModel
from longstop.serve.rounds.progress import Progress
from longstop.serve.rounds.routes import RoundsCounter
from longstop.serve.server import ApiServer
from longstop.serve.streaming.following import Streams
from longstop.settings import Loaded, Settings, secrets_in
from longstop.sources.contract import RoundSource, Source
from longstop.store.contract import Store
from longstop.store.durable import DurableStore
from longstop.store.pushes import PushJournal
from longstop.supervise.engine import Engine, EngineParts
from longstop.supervise.engine_hands import EngineHands
from longstop.supervise.engine_settings import ENGINE_SETTINGS, engine_options
from longstop.supervise.housekeeping import RESOURCE_SETTINGS, Housekeeping, resource_limits
from longstop.supervise.intake import Intake
from longstop.supervise.reload import Reloader
from longstop.supervise.rereading import Rereading
from longstop.supervise.sampling import Sampling
from longstop.supervise.service import Service
from longstop.supervise.store_recovery import StoreRecovery
from longstop.supervise.verbs import EngineVerbs
from longstop.supervise.watchdogs.joining import WATCHDOG_SETTINGS, watchdogs_of
from longstop.supervise.watchdogs.limits import limits_of
from longstop.supervise.watchdogs.pack import Watchdogs
from longstop.switching import SourceJoiner, SourceSwitching
from longstop.working import require_shared

INSTANCE_NAME = "longstop"


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where to look."""

    api: str
    metrics: str | None
    admin_key: Path | None = None


class Instance:
    """One running Longstop: engine, API, page and metrics in one process."""

    def __init__(
        self,
        loaded: Loaded,
        sources: Sequence[Source],
        store: Store,
        clock: Clock,
        *,
        reread: Callable[[], Loaded],
        rounds: RoundSource | None = None,
        is_simulated: bool = False,
    ) -> None:
        """`reread` reads the settings again as they were read at first; it may block."""
        self.settings = settings = loaded.settings
        self.store = store
        self.clock = clock
        self.bus = Signals()
        self._chance = random.Random()
        if isinstance(store, DurableStore):
            store.bus = self.bus
        self.report = RunReport()
        self._is_simulated = is_simulated
        self._sources = tuple(sources)
        self.approaches = Approaches(settings, store, clock, self.bus, is_simulated=is_simulated)
        self._joiner = SourceJoiner(
            lambda: self.engine, self.approaches, lambda: self.reloader.settings, is_simulated=is_simulated
        )
        self._verbs = EngineVerbs(lambda: self.engine, self._recycle, self._joiner)
        self._switching = (
            () if is_simulated else (SourceSwitching(settings, self._joiner, self._verbs, clock, self.bus),)
        )
        self.board = Board(clock.now(), lambda: self._engine is not None and self._engine.is_off)
        self.meter = FreshnessMeter(clock, self.board.ages_in_play)
        self._metrics = Metrics()
        self._metrics_server: MetricsServer | None = None
        self._engine: Engine | None = None
        self._outlets = Outlets(settings, clock, self.bus, random.Random())
        self._watchdog_limits = limits_of(settings)
        self.watchdogs: Watchdogs | None = None
        self.reloader = Reloader(loaded, Rereading(reread, clock), clock, self.bus, protect_secrets)
        self.hall = Hall(settings, clock, self.bus)
        self.reloader.adjust("entry", ENTRY_SETTINGS, self.hall.retune)
        self._streams = Streams(clock, self.bus, stream_limits(settings))
        self.lookout = Lookout(self._outlets.match_lines)
        self._model = self._read_model()
        self.rounds = self._open_rounds(rounds, is_simulated=is_simulated)
        self._progress = None if self.rounds is None else Progress(self.rounds.desk, clock)
        self.pushes = PushJournal(Path(settings.storage.root) / "pushes.db")
        app = create_app(
            self._model,
            self.hall.entry(),
            has_health=settings.scraper.monitoring.health_check.enabled,
            admin=self._admin_desk(),
            desk=ReadingDesk(self._model, self._streams, settings.storage.retention.snapshots_per_match),
            push=PushDesk(self.pushes, clock, self.bus),
            rounds=self._rounds_counter(),
        )
        self._api = self._server(app)
        self._subscribe()
        for name, paths, apply in self._outlets.adjustments():
            self.reloader.adjust(name, paths, apply)

    def _server(self, app: Gate) -> ApiServer:
        api = self.settings.api
        return ApiServer(app, api.host, api.port, clock=self.clock, limits=connection_limits(self.settings))

    async def start(self) -> Addresses:
        """Ports first: a taken one must be known before anything has begun. What was begun is undone on a failure."""
        async with AsyncExitStack() as undo:
            await self._api.bind()
            undo.push_async_callback(self._api.stop)
            metrics = self._serve_metrics()
            undo.callback(self._stop_metrics)
            await self.store.open()
            undo.push_async_callback(self.store.close)
            await self.pushes.open()
            undo.push_async_callback(self.pushes.close)
            await self._outlets.open()
            undo.push_async_callback(self.hall.close)
            admin_key = await self.hall.open()
            await self._api.start()
            undo.push_async_callback(self.approaches.stop)
            undo.push_async_callback(self._close_rounds)
            keeping = self._housekeeping()
            self._engine = await self._build_engine(keeping)
            for part in self._switching:
                self.reloader.join(part)
            self.watchdogs = watchdogs_of(
                self._engine, self.settings, lambda: self._watchdog_limits, self.approaches.recycle
            )
            await self._engine.start(
                Sampling(self.meter, self.clock),
                *self._outlets.services,
                *self._store_services(),
                *self.hall.services,
                *self._sink(),
                self._intake(),
                *self._rounds_services(),
                *self._captures(),
                *self._switching,
                *self.watchdogs.services,
                *keeping.services(),
            )
            undo.pop_all()
        self.bus.emit(signals.EngineStarted(at=self.clock.now(), instance=INSTANCE_NAME, version=__version__))
        return Addresses(self._api.url, metrics, admin_key=admin_key)

    async def stop(self, reason: str) -> tuple[str, ...]:
        """What watches ends first, what serves ends last. Names what had to be cancelled."""
        began = self.clock.monotonic()
        late = await self.engine.stop(reason)
        await self._outlets.close(reason)
        self._streams.close()
        if self._progress is not None:
            self._progress.close()
        self._model.closing.begin()
        await self._api.stop()
        await self.reloader.close()
        self._stop_metrics()
        await self.approaches.stop()
        await self._close_rounds()
        await self.hall.close()
        await self.pushes.close()
        await self.store.close()
        self.bus.emit(
            signals.EngineStopped(
                at=self.clock.now(),
                instance=INSTANCE_NAME,
                reason=reason,
                duration_seconds=self.clock.monotonic() - began,
            )
        )
        return late

    @property
    def engine(self) -> Engine:
        """There from the start on."""
        if self._engine is None:
            raise LongstopError("The engine was asked for before it was started.")
        return self._engine

    async def _build_engine(self, keeping: Housekeeping) -> Engine:
        climbers = await self.approaches.start(self._sources)
        storage = self.settings.storage
        evidence = EvidenceStore(Path(storage.root), self.clock, storage.retention.evidence_max_mb)
        parts = EngineParts(
            self._sources,
            self.store,
            self.clock,
            self.bus,
            climbers=climbers,
            evidence=evidence,
            reload=self._reload_quietly,
            admit=keeping.admission.admit,
        )
        engine = Engine(parts, engine_options(self.settings))
        self.reloader.adjust("watchdogs", WATCHDOG_SETTINGS, self._set_watchdog_limits)
        self.reloader.adjust("engine", ENGINE_SETTINGS, lambda settings: engine.reconfigure(engine_options(settings)))
        return engine

    def _set_watchdog_limits(self, settings: Settings) -> None:
        self._watchdog_limits = limits_of(settings)

    def _housekeeping(self) -> Housekeeping:
        """Before the engine: what the process takes by now is no match's."""
        self.reloader.adjust("resources", RESOURCE_SETTINGS, lambda _: None)
        return Housekeeping(
            EngineHands(lambda: self.engine, self.clock),
            self.approaches,
            lambda: resource_limits(self.reloader.settings),
            lambda error: self.engine.surrender(error),
            self.clock,
            self.bus,
        )

    async def _reload_quietly(self) -> None:
        """Before a match that rested begins afresh. What is wrong with the settings is told by the reloader."""
        await self.reloader.reload("a match begins afresh")

    def _sink(self) -> tuple[Service, ...]:
        wanted, storage = self.settings.sink, self.settings.storage
        if not wanted.url:
            return ()
        if not storage.keep_captures:
            raise InputError(
                "Payloads that are not kept cannot be pushed: sink.url is set, and storage.keep_captures is off.",
                hint="Switch storage.keep_captures on, or leave sink.url empty.",
            )
        return (Sink(wanted, self.store, Path(storage.root), self.clock, self.bus, self._chance, protect),)

    def _captures(self) -> tuple[Service, ...]:
        """Beside our own origin no real site is called."""
        if not self.settings.sources.sofascore.enabled or self._is_simulated:
            return ()
        self.reloader.adjust("captures", CAPTURE_SETTINGS, lambda _: None)
        return (Captures(lambda: self.reloader.settings, self.store, self.clock, self.bus, is_simulated=False),)

    def _intake(self) -> Service:
        shelf = Shelf(self.store, lambda: self.reloader.settings.storage.keep_captures)
        return Intake(self.pushes, self.store, lambda: self.engine, self._sources, self.clock, self.bus, shelf)

    def _open_rounds(self, source: RoundSource | None, *, is_simulated: bool) -> RoundsRoom | None:
        if source is None:
            return None
        if not is_simulated:
            require_shared(self.settings)
        return open_rounds(source, self.settings, self.store, self.clock, self.bus, is_simulated=is_simulated)

    def _rounds_services(self) -> tuple[Service, ...]:
        """With a broker, workers bring them; nobody else could reach our own origin."""
        if self.rounds is None or (self.settings.jobs.broker_url.get_secret_value() and not self._is_simulated):
            return ()
        return (self.rounds.runner,)

    def _rounds_counter(self) -> RoundsCounter | None:
        if self.rounds is None or self._progress is None:
            return None
        return RoundsCounter(self.rounds.source.manifest.name, self.rounds.desk, self.rounds.work, self._progress)

    async def _close_rounds(self) -> None:
        if self.rounds is not None:
            await self.rounds.close()

    def _store_services(self) -> tuple[Service, ...]:
        if not isinstance(self.store, DurableStore):
            return ()
        return (StoreRecovery(self.store, self.clock, self.bus, self._chance),)

    async def failure(self) -> LongstopError:
        """Waits for what no restart of a service mends: the engine's own, or the end of the spool's disk."""
        waits = [asyncio.create_task(self.engine.failure())]
        if isinstance(self.store, DurableStore):
            waits.append(asyncio.create_task(self.store.broken()))
        try:
            done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            return done.pop().result()
        finally:
            for task in waits:
                task.cancel()
            await asyncio.gather(*waits, return_exceptions=True)

    def _subscribe(self) -> None:
        self.board.subscribe(self.bus)
        self.report.subscribe(self.bus)
        self._metrics.subscribe(self.bus)
        self._outlets.subscribe()
        self.lookout.subscribe(self.bus)
        self._metrics.watch(self.board, self.meter.histogram, self.clock.now)

    def _read_model(self) -> ReadModel:
        return ReadModel(
            store=self.store,
            board=self.board,
            names=self._names,
            clock=self.clock,
            instance=InstanceFacts(INSTANCE_NAME, __version__),
            approach=self.approaches,
            operations=InstanceOperations(lambda: self._engine, lambda: self.watchdogs, lambda: self.reloader.settings),
            bus=self.bus,
            lookout=self.lookout,
            football=self.store,
        )

    def _admin_desk(self) -> AdminDesk:
        return AdminDesk(
            reload=lambda reason: self.reloader.reload(reason, is_asked_for=True),
            clock=self.clock,
            bus=self.bus,
            verbs=self._verbs,
            written=self.hall.audit.written,
            evidence=EvidenceReader(Path(self.settings.storage.root)).read,
        )

    async def _recycle(self, action: RecoveryAction, trigger: str) -> str | None:
        if self.watchdogs is None:
            raise LongstopError("A recycle was asked for before the engine was started.")
        return await self.watchdogs.recycle(action, trigger)

    def _names(self, source: str) -> Names:
        return self._engine.names(source) if self._engine else Names()

    def _serve_metrics(self) -> str | None:
        wanted = self.settings.scraper.monitoring.prometheus
        if not wanted.enabled:
            return None
        self._metrics_server = serve_metrics(self._metrics.registry, wanted.host, wanted.port)
        return f"http://{wanted.host}:{self._metrics_server.port}/metrics"

    def _stop_metrics(self) -> None:
        if self._metrics_server is not None:
            self._metrics_server.stop()
            self._metrics_server = None


def start_logs(settings: Settings, stream: TextIO = sys.stderr, *, is_quiet: bool = False) -> Logs:
    """`is_quiet` is for a person at a terminal who wished nothing else: only what needs attention, in plain words."""
    protect_secrets(settings)
    wanted = settings.scraper.monitoring.logging
    if is_quiet:
        return configure_logging("WARNING", stream, structured=False)
    return configure_logging(wanted.level, stream, wanted.structured)


def protect_secrets(settings: Settings) -> None:
    for secret in secrets_in(settings):
        protect(secret)


def retune_logs(reloader: Reloader, logs: Logs) -> None:
    """From now on the logs follow the settings, whatever was chosen for them at the start."""
    group = "scraper.monitoring.logging"

    def apply(settings: Settings) -> None:
        wanted = settings.scraper.monitoring.logging
        logs.retune(wanted.level, structured=wanted.structured)

    reloader.adjust("logs", (f"{group}.level", f"{group}.structured"), apply)
