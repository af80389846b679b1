"""Metrics of the fetch ladder: what each rung brings and costs, and what the browsers behind it hold."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from longstop.observe import signals as facts

RUNGS = frozenset({"replay", "in_page", "intercept", "dom"})
NONE = "none"
# Lists are short; who is found further back is told as one.
PLACES = ("0", "1", "2", "3", "later")
_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0)


class LadderMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._make_rung_metrics(registry)
        self._make_browser_metrics(registry)

    def _make_rung_metrics(self, registry: CollectorRegistry) -> None:
        self.polls = Counter(
            "longstop_rung_polls",
            "Polls, by source, rung and outcome.",
            ("domain", "rung", "outcome"),
            registry=registry,
        )
        self.seconds = Histogram(
            "longstop_rung_seconds",
            "One poll, by the rung that served it.",
            ("domain", "rung"),
            buckets=_SECONDS,
            registry=registry,
        )
        self.moves = Counter(
            "longstop_rung_changes", "Matches that moved, by where to.", ("before", "after"), registry=registry
        )
        self.recipes = Counter("longstop_recipes_learnt", "Recipes, by source.", ("domain",), registry=registry)
        self.page_bytes = Counter(
            "longstop_page_bytes", "What pages moved, by source and direction.", ("domain", "way"), registry=registry
        )
        self.page_requests = Counter(
            "longstop_page_requests", "What pages asked for, by source.", ("domain", "outcome"), registry=registry
        )

        self.selectors = Counter(
            "longstop_selector_matches",
            "Fields read off pages, by the place of the selector that found them; 0 is the usual one.",
            ("domain", "field", "place"),
            registry=registry,
        )
        self.drifts = Counter(
            "longstop_selector_drifts",
            "Fields that only later selectors still find.",
            ("domain", "field"),
            registry=registry,
        )

    def _make_browser_metrics(self, registry: CollectorRegistry) -> None:
        self.browsers = Gauge("longstop_browsers", "Browsers that run.", ("pool",), registry=registry)
        self.contexts = Gauge("longstop_browser_contexts", "Contexts in use.", ("pool",), registry=registry)
        self.pids = Gauge("longstop_browser_pids", "Processes of all browsers.", ("pool",), registry=registry)
        self.pss = Gauge("longstop_browser_pss_bytes", "Memory of browsers and drivers.", ("pool",), registry=registry)
        self.context_bytes = Gauge(
            "longstop_browser_context_bytes_max", "Memory of the largest context.", ("domain",), registry=registry
        )
        self.recycled = Counter(
            "longstop_browser_recycled", "Browsers and contexts replaced.", ("subject", "reason"), registry=registry
        )
        self.orphans = Counter("longstop_orphans_killed", "Processes of an earlier run, ended.", registry=registry)

    def subscribe(self, signals: facts.Signals) -> None:
        signals.subscribe(facts.PollFinished, self._on_polled)
        signals.subscribe(facts.RungChanged, lambda move: self.moves.labels(move.before, move.after).inc())
        signals.subscribe(facts.RecipeLearnt, lambda learnt: self.recipes.labels(learnt.source).inc())
        signals.subscribe(facts.SelectorsMatched, self._on_matched)
        signals.subscribe(facts.SelectorDrifted, lambda one: self.drifts.labels(one.source, one.field).inc())
        signals.subscribe(facts.PagesTransferred, self._on_transferred)
        signals.subscribe(facts.BrowsersMeasured, self._on_measured)
        signals.subscribe(facts.BrowserRecycled, lambda one: self.recycled.labels(one.subject, one.reason).inc())
        signals.subscribe(facts.OrphanKilled, lambda _: self.orphans.inc())

    def _on_polled(self, signal: facts.PollFinished) -> None:
        rung = signal.rung if signal.rung in RUNGS else NONE
        self.polls.labels(signal.source, rung, signal.outcome).inc()
        self.seconds.labels(signal.source, rung).observe(signal.duration_seconds)

    def _on_matched(self, signal: facts.SelectorsMatched) -> None:
        for field, place in signal.places:
            self.selectors.labels(signal.source, field, PLACES[min(place, len(PLACES) - 1)]).inc()

    def _on_transferred(self, signal: facts.PagesTransferred) -> None:
        self.page_bytes.labels(signal.source, "in").inc(signal.bytes_in)
        self.page_bytes.labels(signal.source, "out").inc(signal.bytes_out)
        self.page_requests.labels(signal.source, "refused").inc(signal.refused)
        self.page_requests.labels(signal.source, "made").inc(signal.requests - signal.refused)

    def _on_measured(self, signal: facts.BrowsersMeasured) -> None:
        self.browsers.labels(signal.pool).set(signal.browsers)
        self.contexts.labels(signal.pool).set(signal.contexts)
        self.pids.labels(signal.pool).set(signal.pids)
        self.pss.labels(signal.pool).set(signal.pss_bytes)
        for source in {source for source, _ in signal.contexts_bytes}:
            largest = max(size for owner, size in signal.contexts_bytes if owner == source)
            self.context_bytes.labels(source).set(largest)
