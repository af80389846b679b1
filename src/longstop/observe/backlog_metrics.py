"""What waits for the database, and for how long, as Prometheus sees it."""

from prometheus_client import CollectorRegistry, Counter, Gauge

from longstop.observe import signals as facts
from longstop.observe.signals import Signals


class BacklogMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        self.records = self._gauge("longstop_spool_records", "Records in the spool that the database has not got.")
        self.bytes = self._gauge("longstop_spool_bytes", "Bytes of the spool, quarantine included.")
        self.bytes_max = self._gauge("longstop_spool_bytes_max", "Bytes the spool may hold.")
        self.oldest = self._gauge("longstop_spool_oldest_seconds", "Age of the oldest record in the spool.")
        self.quarantined = self._gauge("longstop_spool_quarantined", "Files in the spool's quarantine.")
        self.buffered = self._gauge("longstop_buffer_items", "Writes that wait in memory.")
        self.buffered_bytes = self._gauge("longstop_buffer_bytes", "Bytes that wait in memory.")
        self.down = self._gauge(
            "longstop_database_down_seconds", "For how long the database has been away; 0: it is not."
        )
        self.wal = self._gauge("longstop_database_wal_bytes_over", "Bytes of a WAL over its bound, else 0.")
        self.losses = self._counter("longstop_database_losses", "How often the database went away.")
        self.dropped = self._counter("longstop_writes_dropped", "Writes that were not critical and had to go.")
        self.damaged = self._counter("longstop_spool_damaged", "Records that a start found damaged.")

    def _gauge(self, name: str, text: str) -> Gauge:
        return Gauge(name, text, registry=self._registry)

    def _counter(self, name: str, text: str) -> Counter:
        return Counter(name, text, registry=self._registry)

    def subscribe(self, signals: Signals) -> None:
        signals.subscribe(facts.BacklogMeasured, self._on_measured)
        signals.subscribe(facts.WalGrew, lambda signal: self.wal.set(signal.bytes))
        signals.subscribe(facts.WalShrank, lambda _: self.wal.set(0))
        signals.subscribe(facts.StoreLost, lambda _: self.losses.inc())
        signals.subscribe(facts.WritesDropped, lambda signal: self.dropped.inc(signal.items))
        signals.subscribe(facts.SpoolFound, lambda signal: self.damaged.inc(signal.damaged))

    def _on_measured(self, signal: facts.BacklogMeasured) -> None:
        self.records.set(signal.spool_records)
        self.bytes.set(signal.spool_bytes)
        self.bytes_max.set(signal.spool_bytes_max)
        self.oldest.set(signal.oldest_seconds)
        self.quarantined.set(signal.quarantined)
        self.buffered.set(signal.buffered)
        self.buffered_bytes.set(signal.buffered_bytes)
        self.down.set(signal.down_seconds)
