"""What is counted of memory: bounds passed, readings that failed, starts refused, scrapers replaced in time."""

from prometheus_client import CollectorRegistry, Counter

from longstop.observe import signals as facts


class ResourceMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.memory_alerts = Counter(
            "longstop_memory_alerts", "Bounds passed: high, soft, hard.", ("level",), registry=registry
        )
        self.readings_failed = Counter(
            "longstop_readings_failed", "Readings that could not be had or believed.", ("reading",), registry=registry
        )
        self.starts_refused = Counter(
            "longstop_starts_refused", "Scrapers not started for want of memory.", registry=registry
        )
        self.replacements = Counter(
            "longstop_replacements", "Scrapers replaced or killed in time.", ("reason", "action"), registry=registry
        )

    def subscribe(self, signals: facts.Signals) -> None:
        signals.subscribe(facts.MemoryRose, lambda rose: self.memory_alerts.labels(rose.level).inc())
        signals.subscribe(facts.ReadingFailed, lambda failed: self.readings_failed.labels(failed.reading).inc())
        signals.subscribe(facts.StartRefused, lambda _: self.starts_refused.inc())
        signals.subscribe(facts.ReplacementOrdered, self._on_ordered)

    def _on_ordered(self, signal: facts.ReplacementOrdered) -> None:
        self.replacements.labels(signal.reason, signal.action).inc()
