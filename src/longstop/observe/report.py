"""What happened in one run, as numbers: `longstop up --report` writes them, the proofs read them."""

import math
from collections import Counter
from typing import Any

import msgspec

from longstop.observe import signals as facts
from longstop.observe.freshness import FreshnessSummary
from longstop.observe.signals import Signals

_SHORTEST_SECONDS = 1e-5
_GROWTH = math.log(1.02)
_BUCKETS = 1024


class DurationHistogram:
    """Durations in buckets of 2 % from 10 µs on: any number of them in a fixed amount of memory."""

    def __init__(self) -> None:
        self._buckets = [0] * _BUCKETS
        self.count = 0
        self.sum_seconds = 0.0
        self.max_seconds = 0.0

    def add(self, seconds: float) -> None:
        self._buckets[self._bucket(seconds)] += 1
        self.count += 1
        self.sum_seconds += seconds
        self.max_seconds = max(self.max_seconds, seconds)

    def percentile(self, fraction: float) -> float:
        wanted = max(1, math.ceil(self.count * fraction))
        seen = 0
        for bucket, count in enumerate(self._buckets):
            seen += count
            if seen >= wanted:
                return min(_SHORTEST_SECONDS * math.exp((bucket + 1) * _GROWTH), self.max_seconds)
        return self.max_seconds

    def in_millis(self) -> dict[str, float]:
        mean = self.sum_seconds / self.count if self.count else 0.0
        figures = {"mean": mean, "p50": self.percentile(0.5), "p99": self.percentile(0.99), "max": self.max_seconds}
        return {name: round(seconds * 1000, 3) for name, seconds in figures.items()}

    @staticmethod
    def _bucket(seconds: float) -> int:
        if seconds <= _SHORTEST_SECONDS:
            return 0
        return min(int(math.log(seconds / _SHORTEST_SECONDS) / _GROWTH), _BUCKETS - 1)


class RunReport:
    """Listens to the signals of one run."""

    def __init__(self) -> None:
        self.matches: set[str] = set()
        self.polls: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.events = 0
        self.corrections = 0
        self.gaps_opened = 0
        self.gaps_closed = 0
        self.restarts = 0
        self.bytes_in = 0
        self.rss_bytes_max = 0
        self.poll_durations = DurationHistogram()
        self.stored = DurationHistogram()
        self.delays = DurationHistogram()

    def subscribe(self, bus: Signals) -> None:
        bus.subscribe(facts.ScraperStarted, lambda signal: self.matches.add(signal.match_id))
        bus.subscribe(facts.PollFinished, self._on_poll)
        bus.subscribe(facts.EventsStored, self._on_events)
        bus.subscribe(facts.ErrorRaised, self._on_error)
        bus.subscribe(facts.GapOpened, self._on_gap_opened)
        bus.subscribe(facts.GapClosed, self._on_gap_closed)
        bus.subscribe(facts.ServiceRestarted, self._on_restart)
        bus.subscribe(facts.ResourcesMeasured, self._on_resources)

    def summary(self, freshness: FreshnessSummary, duration_seconds: float) -> dict[str, Any]:
        return {
            "duration_seconds": round(duration_seconds, 3),
            "matches": len(self.matches),
            "polls": sum(self.polls.values()),
            "polls_by_outcome": dict(sorted(self.polls.items())),
            "updates": self.polls["updated"],
            "bytes_in": self.bytes_in,
            "freshness": {
                "samples": freshness.count,
                "p50_seconds": freshness.p50_seconds,
                "p95_seconds": freshness.p95_seconds,
                "p99_seconds": freshness.p99_seconds,
                "max_seconds": freshness.max_seconds,
            },
            "latency_extraction_to_stored_ms": self.stored.in_millis(),
            "latency_poll_ms": self.poll_durations.in_millis(),
            "delay_source_to_stored_ms": self.delays.in_millis(),
            "events_written": self.events,
            "corrections": self.corrections,
            "gaps": {"opened": self.gaps_opened, "closed": self.gaps_closed},
            "restarts": self.restarts,
            "errors": {"total": sum(self.errors.values()), "by_type": dict(sorted(self.errors.items()))},
            "memory": {"rss_mb_max": round(self.rss_bytes_max / 2**20, 1)},
        }

    def _on_poll(self, signal: facts.PollFinished) -> None:
        self.polls[signal.outcome] += 1
        self.bytes_in += signal.bytes_in
        self.poll_durations.add(signal.duration_seconds)

    def _on_events(self, signal: facts.EventsStored) -> None:
        self.events += signal.count
        self.corrections += signal.corrections
        self.stored.add(signal.stored_seconds)
        if signal.delay_seconds is not None:
            self.delays.add(signal.delay_seconds)

    def _on_error(self, signal: facts.ErrorRaised) -> None:
        self.errors[signal.error_type] += 1

    def _on_gap_opened(self, _: facts.GapOpened) -> None:
        self.gaps_opened += 1

    def _on_gap_closed(self, _: facts.GapClosed) -> None:
        self.gaps_closed += 1

    def _on_restart(self, _: facts.ServiceRestarted) -> None:
        self.restarts += 1

    def _on_resources(self, signal: facts.ResourcesMeasured) -> None:
        self.rss_bytes_max = max(self.rss_bytes_max, signal.rss_bytes)


def encode(report: dict[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n"
