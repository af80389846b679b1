"""Metrics: signals are counted here and shown to Prometheus from a thread of their own.

A match has its own label values while it is watched and not longer, and only so many matches have them: the rest are
counted together as "other". Whatever comes from outside, the number of series stays bounded.

Ages are not counted but asked for: they are computed from the board at the moment Prometheus looks.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from threading import Thread
from typing import Final
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server
from prometheus_client.metrics_core import Metric

from longstop.domain.errors import PortTakenError
from longstop.observe import signals as facts
from longstop.observe.backlog_metrics import BacklogMetrics
from longstop.observe.capture_metrics import CaptureMetrics
from longstop.observe.entry_metrics import EntryMetrics
from longstop.observe.freshness import AgeHistogram
from longstop.observe.health import Board
from longstop.observe.ladder_metrics import LadderMetrics
from longstop.observe.resource_metrics import ResourceMetrics
from longstop.observe.round_metrics import RoundMetrics
from longstop.observe.signals import troubles
from longstop.observe.staleness import OTHER, BoardCollector

NO_MATCH: Final = "none"
LABELLED_MATCHES_MAX: Final = 240
ERROR_TYPES: Final = frozenset(
    {
        "network",
        "parsing",
        "browser",
        "database",
        "auth",
        "settings",
        "input",
        "internal",
        "rejected",
        "egress",
        "robots",
        "memory",
        "storage",
        "proxy",
        "anti_bot_challenge",
    }
)
_GRADE: Final = {"healthy": 0.0, "recovering": 1.0, "degraded": 2.0, "failing": 3.0}
_OPEN_GAPS_MAX: Final = 10_000
_LATENCY_BUCKETS: Final = (0.01, 0.05, 0.1, 0.5, 2.0)
_DURATION_BUCKETS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 3.0, 10.0, 30.0)
_LAG_BUCKETS: Final = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
_DELAY_BUCKETS: Final = (1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)


class Registry(CollectorRegistry):
    """Without the `_created` twins, which would double the number of series and which nobody asked for."""

    def collect(self) -> Iterator[Metric]:
        for metric in super().collect():
            metric.samples = [sample for sample in metric.samples if not sample.name.endswith("_created")]
            yield metric


class _MatchSeries:
    """The children of one match, looked up once."""

    __slots__ = ("_metrics", "errors", "label", "latency", "memory", "updates")

    def __init__(self, label: str, metrics: "Metrics") -> None:
        self._metrics = metrics
        self.label = label
        self.updates: Counter | None = None
        self.latency: Histogram | None = None
        self.memory: Gauge | None = None
        self.errors: dict[str, Counter] = {}

    def count_update(self) -> None:
        if self.updates is None:
            self.updates = self._metrics.updates.labels(self.label)
        self.updates.inc()

    def observe_latency(self, seconds: float) -> None:
        if self.latency is None:
            self.latency = self._metrics.update_latency.labels(self.label)
        self.latency.observe(seconds)

    def set_memory(self, size: int | None) -> None:
        """What is not known is not shown: an old figure, or a zero, would say that all is well."""
        if size is None:
            self._drop_memory()
            return
        if self.memory is None:
            self.memory = self._metrics.memory.labels(self.label)
        self.memory.set(size)

    def _drop_memory(self) -> None:
        if self.memory is not None:
            self._metrics.memory.remove(self.label)
            self.memory = None

    def count_error(self, error_type: str) -> None:
        child = self.errors.get(error_type)
        if child is None:
            child = self.errors[error_type] = self._metrics.errors.labels(self.label, error_type)
        child.inc()

    def remove(self) -> None:
        self._drop_memory()
        if self.updates is not None:
            self._metrics.updates.remove(self.label)
        if self.latency is not None:
            self._metrics.update_latency.remove(self.label)
        for error_type in self.errors:
            self._metrics.errors.remove(self.label, error_type)


class Metrics:
    """Subscribes to the signals; `registry` is what is served."""

    def __init__(self, *, matches_max: int = LABELLED_MATCHES_MAX) -> None:
        self.registry = Registry(auto_describe=False)
        self._matches_max = matches_max
        self._series: dict[str, _MatchSeries] = {}
        self._watched_by: dict[str, str] = {}
        self._open_gaps: set[tuple[str, str]] = set()
        self._lost_gaps: set[tuple[str, str]] = set()
        self._make_match_metrics(self.registry)
        self._make_source_metrics(self.registry)
        self._make_instance_metrics(self.registry)
        self._backlog = BacklogMetrics(self.registry)
        self._entry = EntryMetrics(self.registry)
        self._captures = CaptureMetrics(self.registry)
        self._rounds = RoundMetrics(self.registry)
        self.ladder = LadderMetrics(self.registry)
        self._shared: dict[str, _MatchSeries] = {}

    def _make_match_metrics(self, registry: CollectorRegistry) -> None:
        """Names and labels of S0 FR-015."""
        self.errors = Counter(
            "scraper_errors", "Errors, by match and type.", ("match_id", "error_type"), registry=registry
        )
        self.updates = Counter(
            "scraper_updates", "Polls that brought a believed state, changed or not.", ("match_id",), registry=registry
        )
        self.update_latency = Histogram(
            "scraper_update_latency_seconds",
            "From extraction to stored.",
            ("match_id",),
            buckets=_LATENCY_BUCKETS,
            registry=registry,
        )
        self.memory = Gauge(
            "scraper_memory_bytes",
            'Share of process and browser; "all" is the process, "browsers" all of those, "other" the largest left.',
            ("match_id",),
            registry=registry,
        )
        self.active_scrapers = Gauge("active_scrapers_count", "Matches being watched.", registry=registry)

    def _make_source_metrics(self, registry: CollectorRegistry) -> None:
        """What of S2's metrics there is something to say about now."""
        self.scrapes = Counter(
            "scraper_scrapes", "Polls, by source and success.", ("domain", "status"), registry=registry
        )
        self.outcomes = Counter(
            "longstop_polls", "Polls, by source and outcome.", ("domain", "outcome"), registry=registry
        )
        self.scrape_duration = Histogram(
            "scraper_scrape_duration_seconds",
            "One poll, from its request to its outcome.",
            ("domain",),
            buckets=_DURATION_BUCKETS,
            registry=registry,
        )
        self.bytes_in = Counter("longstop_received_bytes", "Bytes of payloads.", ("domain",), registry=registry)
        self.events = Counter("longstop_events", "Critical events stored.", ("domain",), registry=registry)
        self.corrections = Counter("longstop_corrections", "Of them, corrections.", ("domain",), registry=registry)
        self.rejections = Counter("longstop_rejections", "Payloads not believed.", ("domain",), registry=registry)
        self.event_delay = Histogram(
            "longstop_event_delay_seconds",
            "From the source's own clock to stored.",
            buckets=_DELAY_BUCKETS,
            registry=registry,
        )

    def _make_instance_metrics(self, registry: CollectorRegistry) -> None:
        self.gaps_open = Gauge("longstop_gaps_open", "Gaps that are neither repaired nor given up.", registry=registry)
        self.gaps_unrecoverable = Gauge(
            "longstop_gaps_unrecoverable",
            "Gaps given up since the start: the source has shown all that it has.",
            registry=registry,
        )
        self.gaps = Counter("longstop_gaps", "Gaps ever opened.", registry=registry)
        self.store_writes = Counter("longstop_store_writes", "Batches made durable.", registry=registry)
        self.store_seconds = Histogram(
            "longstop_store_seconds", "From extraction to stored.", buckets=_LATENCY_BUCKETS, registry=registry
        )
        self.loop_lag = Histogram(
            "longstop_loop_lag_seconds", "How late the event loop was.", buckets=_LAG_BUCKETS, registry=registry
        )
        self._make_watchdog_metrics(registry)
        self.restarts = Counter("longstop_service_restarts", "Services restarted by supervision.", registry=registry)
        self.alerts = Counter(
            "longstop_alerts", "Alerts raised, by kind and severity.", ("alert", "severity"), registry=registry
        )
        self.webhook = Counter(
            "longstop_webhook", "Alerts for the webhook, by outcome.", ("outcome",), registry=registry
        )
        self.resources = ResourceMetrics(registry)
        self.cpu = Gauge("longstop_cpu_percent", "CPU of this process; 100 is one core.", registry=registry)
        self.tasks = Gauge("longstop_tasks", "Tasks of the event loop.", registry=registry)
        self.open_files = Gauge("longstop_open_files", "Open files and sockets.", registry=registry)

    def _make_watchdog_metrics(self, registry: CollectorRegistry) -> None:
        self.grade = Gauge(
            "longstop_health_grade", "0 healthy, 1 recovering, 2 degraded, 3 failing.", registry=registry
        )
        self.stale = Counter("longstop_stale_found", "Live matches found stale, by kind.", ("kind",), registry=registry)
        self.recoveries = Counter(
            "longstop_recoveries", "Recoveries judged, by action.", ("action", "outcome"), registry=registry
        )
        self.alarms = Gauge("longstop_alarms", "Alarms of the watchdogs that stand.", ("kind",), registry=registry)
        self.stalls = Histogram(
            "longstop_loop_stall_seconds", "The event loop stood.", buckets=_DURATION_BUCKETS, registry=registry
        )

    def subscribe(self, signals: facts.Signals) -> None:
        self.ladder.subscribe(signals)
        signals.subscribe(troubles.HealthGraded, lambda graded: self.grade.set(_GRADE.get(graded.after, 0.0)))
        signals.subscribe(troubles.StalenessFound, self._on_stale)
        signals.subscribe(troubles.RecoveryJudged, lambda one: self.recoveries.labels(one.action, one.outcome).inc())
        signals.subscribe(troubles.AlarmRaised, lambda alarm: self.alarms.labels(alarm.kind).inc())
        signals.subscribe(troubles.AlarmCleared, lambda alarm: self.alarms.labels(alarm.kind).dec())
        signals.subscribe(troubles.LoopStalled, lambda stall: self.stalls.observe(stall.duration_seconds))
        signals.subscribe(facts.ScraperStarted, self._on_started)
        signals.subscribe(facts.ScraperStopped, self._on_stopped)
        signals.subscribe(facts.PollFinished, self._on_polled)
        signals.subscribe(facts.EventsStored, self._on_events)
        signals.subscribe(facts.ErrorRaised, self._on_error)
        signals.subscribe(facts.ObservationRejected, self._on_rejected)
        signals.subscribe(facts.GapOpened, self._on_gap_opened)
        signals.subscribe(facts.GapClosed, self._on_gap_closed)
        signals.subscribe(facts.ServiceRestarted, lambda _: self.restarts.inc())
        signals.subscribe(facts.AlertRaised, lambda alert: self.alerts.labels(alert.alert, alert.severity).inc())
        signals.subscribe(facts.AlertDelivered, lambda _: self.webhook.labels("delivered").inc())
        signals.subscribe(facts.AlertLost, lambda lost: self.webhook.labels("lost").inc(lost.count))
        signals.subscribe(facts.LoopLagged, lambda lag: self.loop_lag.observe(lag.lag_seconds))
        signals.subscribe(facts.ResourcesMeasured, self._on_resources)
        signals.subscribe(facts.ScrapersMeasured, self._on_measured)
        self.resources.subscribe(signals)
        self._backlog.subscribe(signals)
        self._entry.subscribe(signals)
        self._captures.subscribe(signals)
        self._rounds.subscribe(signals)

    def watch(self, board: Board, freshness: AgeHistogram, now: Callable[[], datetime]) -> None:
        """Adds the metrics that are asked for rather than counted."""
        self.registry.register(BoardCollector(board, freshness, now, self._has_labels))

    def _has_labels(self, match_id: str) -> bool:
        return match_id in self._series

    def _of(self, match_id: str | None) -> _MatchSeries:
        """Only a watched match has series of its own; a late signal must not bring those of an ended one back."""
        series = self._series.get(match_id) if match_id else None
        if series is not None:
            return series
        label = OTHER if match_id else NO_MATCH
        if label not in self._shared:
            self._shared[label] = _MatchSeries(label, self)
        return self._shared[label]

    def _on_started(self, signal: facts.ScraperStarted) -> None:
        self._watched_by[signal.match_id] = signal.scraper_id
        self.active_scrapers.set(len(self._watched_by))
        if signal.match_id not in self._series and len(self._series) < self._matches_max:
            self._series[signal.match_id] = _MatchSeries(signal.match_id, self)

    def _on_stopped(self, signal: facts.ScraperStopped) -> None:
        # Make before break: the end of a predecessor is not the end of the match.
        if self._watched_by.get(signal.match_id) != signal.scraper_id:
            return
        del self._watched_by[signal.match_id]
        self.active_scrapers.set(len(self._watched_by))
        self._forget(signal.match_id)

    def _forget(self, match_id: str) -> None:
        series = self._series.pop(match_id, None)
        if series is not None:
            series.remove()

    def _on_polled(self, signal: facts.PollFinished) -> None:
        has_succeeded = signal.fresh_at is not None
        if has_succeeded:
            self._of(signal.match_id).count_update()
        self.scrapes.labels(signal.source, "success" if has_succeeded else "failure").inc()
        self.outcomes.labels(signal.source, signal.outcome).inc()
        self.scrape_duration.labels(signal.source).observe(signal.duration_seconds)
        self.bytes_in.labels(signal.source).inc(signal.bytes_in)

    def _on_events(self, signal: facts.EventsStored) -> None:
        self._of(signal.match_id).observe_latency(signal.stored_seconds)
        self.store_seconds.observe(signal.stored_seconds)
        self.store_writes.inc()
        self.events.labels(signal.source).inc(signal.count)
        self.corrections.labels(signal.source).inc(signal.corrections)
        if signal.delay_seconds is not None:
            self.event_delay.observe(signal.delay_seconds)

    def _on_error(self, signal: facts.ErrorRaised) -> None:
        error_type = signal.error_type if signal.error_type in ERROR_TYPES else OTHER
        self._of(signal.match_id).count_error(error_type)

    def _on_rejected(self, signal: facts.ObservationRejected) -> None:
        self.rejections.labels(signal.source).inc()

    def _on_gap_opened(self, signal: facts.GapOpened) -> None:
        self.gaps.inc()
        if len(self._open_gaps) < _OPEN_GAPS_MAX:
            self._open_gaps.add((signal.match_id, signal.gap_id))
        self.gaps_open.set(len(self._open_gaps))

    def _on_gap_closed(self, signal: facts.GapClosed) -> None:
        """A gap may be older than this process, so the open ones are a set and not a difference."""
        gap = (signal.match_id, signal.gap_id)
        self._open_gaps.discard(gap)
        if signal.state != "unrecoverable":
            self._lost_gaps.discard(gap)
        elif len(self._lost_gaps) < _OPEN_GAPS_MAX:
            self._lost_gaps.add(gap)
        self.gaps_unrecoverable.set(len(self._lost_gaps))
        self.gaps_open.set(len(self._open_gaps))

    def _on_stale(self, signal: troubles.StalenessFound) -> None:
        self.stale.labels(signal.kind).inc()

    def _on_measured(self, signal: facts.ScrapersMeasured) -> None:
        """Matches without labels of their own are told by their largest, as their ages are by the worst."""
        for match_id, series in self._series.items():
            series.set_memory(signal.memory_bytes.get(match_id))
        rest = [size for match_id, size in signal.memory_bytes.items() if match_id not in self._series]
        self._of(OTHER).set_memory(max(rest, default=None))
        self.memory.labels("browsers").set(signal.browser_bytes)

    def _on_resources(self, signal: facts.ResourcesMeasured) -> None:
        self.memory.labels("all").set(signal.rss_bytes)
        self.cpu.set(signal.cpu_percent)
        self.tasks.set(signal.tasks)
        self.open_files.set(signal.open_files)


class MetricsServer:
    """Serves a registry from a thread of its own, so that a scrape of thousands of series never holds up the loop."""

    def __init__(self, server: WSGIServer, thread: Thread) -> None:
        self._server = server
        self._thread = thread
        self.port: int = server.server_port

    def stop(self) -> None:
        """Stopping twice is legal."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def serve_metrics(registry: CollectorRegistry, host: str, port: int) -> MetricsServer:
    """Port 0 takes a free one; `MetricsServer.port` tells which."""
    try:
        server, thread = start_http_server(port, host, registry)
    except OSError as error:
        raise PortTakenError(
            f"Metrics cannot be served at {host}:{port}: {error.strerror or error}.",
            hint="Choose another metrics port, or stop what listens there.",
        ) from error
    return MetricsServer(server, thread)
