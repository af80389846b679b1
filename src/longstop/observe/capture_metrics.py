"""What is counted of football before kickoff, by the names of its own document: they bear no prefix of ours."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from longstop.observe import signals as facts
from longstop.observe.signals import captures

_RATES = (0.01, 0.05, 0.1, 0.2, 0.35, 0.5, 1.0)
_TYPES = {"soft_fail": "soft", "hard_fail": "hard"}
_BY_RUNG = {"replay": "call"}


class CaptureMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        source = ("source",)
        self.attempts = Counter("scraper_attempts", "Attempts at a capture.", source, registry=registry)
        self.success = Counter("scraper_success", "Attempts that brought one.", source, registry=registry)
        self.fail = Counter(
            "scraper_fail", "Attempts that failed, by kind and reason.", ("source", "type", "reason"), registry=registry
        )
        self.bytes_in = Counter("scraper_bytes_in_est", "Bytes of captures, estimated.", source, registry=registry)
        self.requests = Counter(
            "scraper_requests", "Requests of captures: of a page's visit, or calls alone.", ("type",), registry=registry
        )
        self.blocked = Counter(
            "scraper_requests_blocked", "Requests of captures that were not let out.", ("type",), registry=registry
        )
        self.null_rate = Histogram(
            "integrity_null_rate", "Share of empty fields of a capture.", source, buckets=_RATES, registry=registry
        )
        self.missing = Counter(
            "integrity_required_missing", "Required fields that captures lacked.", source, registry=registry
        )
        self.skipped = Counter(
            "longstop_captures_skipped", "Matches given up for now, by reason.", ("reason",), registry=registry
        )
        self.circuit = Gauge(
            "longstop_capture_circuit_open", "1 while the breaker of the source is open.", source, registry=registry
        )
        self.flagged = Counter(
            "longstop_captures_flagged", "Team sheets that a moved kickoff has overtaken.", registry=registry
        )

    def subscribe(self, signals: facts.Signals) -> None:
        signals.subscribe(captures.CaptureAttempted, self._on_attempt)
        signals.subscribe(captures.MatchCaptured, self._on_captured)
        signals.subscribe(captures.CaptureSkipped, lambda skipped: self.skipped.labels(skipped.reason).inc())
        signals.subscribe(captures.CircuitOpened, lambda opened: self.circuit.labels(opened.source).set(1))
        signals.subscribe(captures.CircuitClosed, lambda closed: self.circuit.labels(closed.source).set(0))
        signals.subscribe(captures.KickoffMoved, lambda moved: self.flagged.inc(moved.flagged))

    def _on_attempt(self, attempt: captures.CaptureAttempted) -> None:
        """What was refused before anything was sent is no attempt."""
        if attempt.status == "skipped":
            return
        self.attempts.labels(attempt.source).inc()
        if attempt.status == "success":
            self.success.labels(attempt.source).inc()
        else:
            self.fail.labels(attempt.source, _TYPES.get(attempt.status, "soft"), attempt.reason).inc()
        kind, network = _BY_RUNG.get(attempt.rung, "page"), attempt.network
        self.bytes_in.labels(attempt.source).inc(network.bytes_in)
        self.requests.labels(kind).inc(network.requests_total)
        self.blocked.labels(kind).inc(network.requests_blocked)

    def _on_captured(self, captured: captures.MatchCaptured) -> None:
        self.null_rate.labels(captured.source).observe(captured.integrity.null_field_rate)
        self.missing.labels(captured.source).inc(len(captured.integrity.missing_required_fields))
