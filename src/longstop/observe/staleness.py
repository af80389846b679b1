"""Ages for Prometheus, computed from the board when it looks."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Final

from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from longstop.observe.freshness import AgeHistogram
from longstop.observe.health import Board, Watched

OTHER: Final = "other"
_BUCKETS: Final = (1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
_STATUS: Final = {"healthy": 0.0, "degraded": 1.0, "down": 2.0}


class BoardCollector(Collector):
    """Runs in the thread of the metrics server. It only reads, and it reads copies."""

    def __init__(
        self, board: Board, freshness: AgeHistogram, now: Callable[[], datetime], has_labels: Callable[[str], bool]
    ) -> None:
        self._board = board
        self._freshness = freshness
        self._now = now
        self._has_labels = has_labels

    def collect(self) -> Iterator[Metric]:
        now = self._now()
        active = self._board.active()
        yield self._staleness(active, now)
        yield self._freshness_histogram()
        yield GaugeMetricFamily("longstop_uptime_seconds", "Since the start.", self._board.uptime_seconds(now))
        status = _STATUS[self._board.status(now)]
        yield GaugeMetricFamily("longstop_health_status", "0 healthy, 1 degraded, 2 down.", status)

    def _staleness(self, active: list[Watched], now: datetime) -> GaugeMetricFamily:
        """Matches without labels of their own are told by their worst, so that an alert still hears of them."""
        gauge = GaugeMetricFamily("data_staleness_seconds", "Since the last capture.", labels=("match_id",))
        others: float | None = None
        for watched in active:
            staleness = watched.staleness_seconds(now)
            if self._has_labels(watched.match_id):
                gauge.add_metric((watched.match_id,), staleness)
            else:
                others = max(others or 0.0, staleness)
        if others is not None:
            gauge.add_metric((OTHER,), others)
        return gauge

    def _freshness_histogram(self) -> HistogramMetricFamily:
        ages = self._freshness
        buckets = [(f"{limit:g}", float(ages.count_within(limit))) for limit in _BUCKETS]
        buckets.append(("+Inf", float(ages.count)))
        return HistogramMetricFamily(
            "scraper_freshness_seconds",
            "Ages of the matches in play, sampled each second.",
            buckets=buckets,
            sum_value=ages.sum_seconds,
        )
