"""What is counted at the door: who was refused and why, and whether those who decide it can see."""

from prometheus_client import CollectorRegistry, Counter, Gauge

from longstop.observe import signals as facts


class EntryMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.refused = Counter(
            "longstop_api_refused", "Requests refused at the door, by problem type.", ("reason",), registry=registry
        )
        self.log_lost = Gauge(
            "longstop_access_log_lost", "1 while the access log cannot be written.", registry=registry
        )
        self.log_dropped = Gauge(
            "longstop_access_log_dropped", "Entries dropped in the outage that lasts.", registry=registry
        )
        self.audit_lost = Gauge(
            "longstop_admin_audit_lost", "1 while the operators' audit cannot be written.", registry=registry
        )
        self.limits_alone = Gauge(
            "longstop_limits_alone", "1 while Redis is away and limits are kept by share.", registry=registry
        )
        self.keys_unreadable = Counter(
            "longstop_keys_unreadable", "Times that keys and revocations could not be read.", registry=registry
        )

        self.pushed = Counter("longstop_sink_payloads", "Payloads that the sink has accepted.", registry=registry)
        self.push_failures = Counter("longstop_sink_failures", "Pushes that it did not accept.", registry=registry)
        self.behind = Gauge(
            "longstop_sink_behind_seconds", "Age of the newest payload of the last push.", registry=registry
        )
        self.judged = Counter(
            "longstop_push_payloads", "Payloads pushed to us, by verdict.", ("verdict",), registry=registry
        )
        self.push_waiting = Gauge("longstop_push_waiting", "Payloads that wait to be read.", registry=registry)
        self.push_refused = Counter("longstop_push_refused", "Pushes refused for want of room.", registry=registry)
        self.degraded = Gauge("longstop_access_degraded", "1 while no token can be had.", ("whose",), registry=registry)

    def subscribe(self, signals: facts.Signals) -> None:
        signals.subscribe(facts.CallerRefused, lambda refused: self.refused.labels(refused.reason).inc())
        signals.subscribe(facts.AccessLogLost, self._on_lost)
        signals.subscribe(facts.AccessLogRecovered, self._on_recovered)
        signals.subscribe(facts.AdminAuditLost, lambda _: self.audit_lost.set(1))
        signals.subscribe(facts.AdminAuditRecovered, lambda _: self.audit_lost.set(0))
        signals.subscribe(facts.LimitsLost, lambda _: self.limits_alone.set(1))
        signals.subscribe(facts.LimitsRecovered, lambda _: self.limits_alone.set(0))
        signals.subscribe(facts.SinkPushed, self._on_pushed)
        signals.subscribe(facts.SinkFailed, lambda _: self.push_failures.inc())
        signals.subscribe(facts.PushJudged, self._on_judged)
        signals.subscribe(facts.PushRefused, lambda _: self.push_refused.inc())
        signals.subscribe(facts.AccessDegraded, lambda lost: self.degraded.labels(lost.whose).set(1))
        signals.subscribe(facts.AccessRegained, lambda back: self.degraded.labels(back.whose).set(0))
        signals.subscribe(facts.KeysUnreadable, lambda _: self.keys_unreadable.inc())

    def _on_judged(self, judged: facts.PushJudged) -> None:
        self.judged.labels(judged.verdict).inc()
        self.push_waiting.set(judged.waiting)

    def _on_pushed(self, pushed: facts.SinkPushed) -> None:
        self.pushed.inc(pushed.payloads)
        self.behind.set(pushed.behind_seconds)

    def _on_lost(self, lost: facts.AccessLogLost) -> None:
        self.log_lost.set(1)
        self.log_dropped.set(lost.dropped)

    def _on_recovered(self, _: facts.AccessLogRecovered) -> None:
        self.log_lost.set(0)
        self.log_dropped.set(0)
