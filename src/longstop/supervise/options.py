"""How the engine is to behave. A new set may come at any time, so nobody keeps a copy of a part of it."""

from collections.abc import Callable

import msgspec

from longstop.ledger.match_ledger import LedgerLimits
from longstop.resilience.failures import PauseLimits
from longstop.resilience.pace import PaceLimits
from longstop.resilience.retry import RetryPolicy
from longstop.supervise.budget import RestartBudget
from longstop.supervise.scheduler import SchedulerLimits
from longstop.supervise.tree import BUDGETS, Level


class EngineOptions(msgspec.Struct, frozen=True):
    pace: PaceLimits = PaceLimits()
    ledger: LedgerLimits = LedgerLimits()
    retry: RetryPolicy = RetryPolicy()
    pause: PauseLimits = PauseLimits()
    scheduler: SchedulerLimits = SchedulerLimits()
    top_budget: RestartBudget = BUDGETS[Level.TOP]
    scraper_budget: RestartBudget = BUDGETS[Level.SCRAPER]
    discovery_seconds: float = 15.0
    imminent_seconds: float = 3600.0
    not_found_seconds: float = 60.0
    archive_seconds: float = 86400.0
    shutdown_seconds: float = 30.0
    state_seconds: float = 10.0
    has_captures: bool = True
    captures_bytes: int = 4096 << 20
    captures_seconds: float = 90 * 86400.0
    important: tuple[str, ...] = ()
    measures_resources: bool = True


Options = Callable[[], EngineOptions]
