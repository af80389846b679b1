"""What is counted of rounds."""

from prometheus_client import CollectorRegistry, Counter

from longstop.observe import signals as facts


class RoundMetrics:
    """By process: with workers, each counts what it worked off itself."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.tasks = Counter(
            "longstop_rounds_tasks",
            "Lists and matches of rounds that were worked off, by what they came to.",
            ("source", "outcome"),
            registry=registry,
        )
        self.jobs = Counter(
            "longstop_rounds_jobs", "Rounds of which nothing is left to do.", ("source", "state"), registry=registry
        )

    def subscribe(self, signals: facts.Signals) -> None:
        signals.subscribe(facts.RoundWorked, lambda one: self.tasks.labels(one.source, one.outcome).inc())
        signals.subscribe(facts.RoundSettled, lambda one: self.jobs.labels(one.source, one.state).inc())
