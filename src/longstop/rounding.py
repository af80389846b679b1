"""Joins what the rounds of one source need: the polite way to it, its journal, its work, and who works it off."""

import os
import random
import socket
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

from longstop.approach_options import http_limits
from longstop.clock import Clock
from longstop.fetch.egress.guard import rules_for
from longstop.fetch.egress.resolver import PinnedResolver, SystemLookup
from longstop.fetch.evidence import EvidenceStore
from longstop.fetch.http import HttpFetcher
from longstop.fetch.politeness import Manners, PoliteFetcher
from longstop.fetch.robots import RobotsGate
from longstop.jobs.rounds.desk import RoundsDesk
from longstop.jobs.rounds.work import RoundWork, WorkPolicy
from longstop.observe.signals import Signals
from longstop.resilience.backoff import BackoffPolicy
from longstop.settings import Settings
from longstop.settings.feeds import SourceSettings
from longstop.sources.contract import RoundSource
from longstop.store.contract import Store
from longstop.store.rounds.journal import RoundJournal
from longstop.supervise.rounds import RoundRunner, RunnerLimits

SQLITE = "sqlite"


@dataclass(frozen=True, slots=True)
class RoundsRoom:
    """All that there is for the rounds of one source. `close` lets its connections go."""

    source: RoundSource
    journal: RoundJournal
    work: RoundWork
    runner: RoundRunner
    desk: RoundsDesk
    fetcher: PoliteFetcher
    lookup: SystemLookup

    async def close(self) -> None:
        await self.fetcher.close()
        self.lookup.close()


def open_rounds(
    source: RoundSource,
    settings: Settings,
    store: Store,
    clock: Clock,
    bus: Signals,
    *,
    is_simulated: bool = False,
    processes: int = 1,
) -> RoundsRoom:
    """`is_simulated`: the site is our own origin, which needs neither manners nor robots.txt. `processes` share the
    rate of the source."""
    wanted: SourceSettings = getattr(settings.sources, source.manifest.name)
    lookup = SystemLookup()
    fetcher = _polite(source, wanted, settings, clock, lookup, is_simulated=is_simulated, processes=processes)
    journal = RoundJournal(store)
    evidence = EvidenceStore(Path(settings.storage.root), clock, settings.storage.retention.evidence_max_mb)
    jobs = settings.jobs
    policy = WorkPolicy(jobs.max_attempts, BackoffPolicy(base_seconds=jobs.base_delay, max_seconds=jobs.max_delay))
    work = RoundWork(source, fetcher, store, clock, bus, evidence, policy)
    limits = RunnerLimits(
        at_once=min(jobs.concurrency, wanted.rate_limits.max_concurrent_contexts),
        lease_seconds=jobs.lease,
        keep_days=jobs.keep_days,
        is_alone=settings.database.url.get_secret_value().startswith(SQLITE),
    )
    runner = RoundRunner(source.manifest.name, journal, work, clock, bus, owner_name(), limits)
    return RoundsRoom(source, journal, work, runner, RoundsDesk(journal, clock, bus, runner.kick), fetcher, lookup)


def owner_name() -> str:
    """Who holds a lease: no two alike, and for a person to find the process by."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"


def _polite(
    source: RoundSource,
    wanted: SourceSettings,
    settings: Settings,
    clock: Clock,
    lookup: SystemLookup,
    *,
    is_simulated: bool,
    processes: int,
) -> PoliteFetcher:
    hosts = (urlsplit(source.base_url).hostname or "",) if is_simulated else source.manifest.hosts
    rules = rules_for(source.manifest.name, source.base_url, hosts, wanted.allowed_hosts)
    limits = http_limits(settings)
    http = HttpFetcher(clock, limits, PinnedResolver(rules, lookup, clock))
    rate = wanted.rate_limits
    if is_simulated:
        return PoliteFetcher(http, clock, max_concurrent=rate.max_concurrent_contexts)
    return PoliteFetcher(
        http,
        clock,
        max_concurrent=rate.max_concurrent_contexts,
        manners=Manners(rate.min_interval_seconds * processes, rate.burst_allowance),
        permission=RobotsGate(http, clock, limits.user_agent) if wanted.respect_robots else None,
        chance=random.Random(),
    )
